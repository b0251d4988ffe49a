"""Labels in a report: the topics that speak for each of them, and those that speak against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.report.summary.topics import TopicName, WeighedTopic, heaviest

_MOST_LABELS = 200
_MOST_TOPICS = 4  # for a label, and as many against it


@dataclass(frozen=True)
class ReportedLabel:
    """A label, and what topics say of it; neither where the fit was stopped before it came to the label."""

    label: str
    speak_for: tuple[WeighedTopic, ...]
    speak_against: tuple[WeighedTopic, ...]


@dataclass(frozen=True)
class Labels:
    """The labels that a model predicts."""

    labels: tuple[ReportedLabel, ...]
    n_left_out: int
    several: bool  # whether a document may have several
    n_unlabelled: int  # documents


def summarise_labels(model: Any, names: Mapping[int, TopicName]) -> Labels | None:
    """Read what topics say of labels; None where the model predicts none."""
    if not hasattr(model, "predict_labels"):
        return None
    weights = np.asarray(model.label_weights_ if hasattr(model, "label_weights_") else model.weights_)
    classes = [str(name) for name in model.classes_.tolist()]
    if len(weights) < len(classes):  # two labels: what speaks for one speaks against the other
        weights = np.stack([-weights[0], weights[0]])
    found = tuple(
        ReportedLabel(name, _speak_for(row, names), heaviest(-row, names, _MOST_TOPICS))
        for name, row in zip(classes[:_MOST_LABELS], weights, strict=False)  # as many as are shown
    )
    return Labels(found, len(classes) - len(found), bool(model.multilabel_), int(model.n_unlabelled_))


def _speak_for(weights: np.ndarray, names: Mapping[int, TopicName]) -> tuple[WeighedTopic, ...]:
    """Return the topics that speak most for a label; where none does, as with rare ones, the one least against it."""
    found = heaviest(weights, names, _MOST_TOPICS)
    used = np.flatnonzero(weights)  # topics of other labels, and all where a fit did not come to this one, have 0
    if found or not used.size:
        return found
    best = int(used[weights[used].argmax()])
    return (WeighedTopic(names[best], float(weights[best])),)
