"""Labels in a report: the topics with the largest positive and negative weights for each label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.report.summary.topics import TopicName, WeightedTopic, heaviest_topics

_MAX_LABELS = 200
_MAX_TOPICS = 4  # for a label, and the same number against it


@dataclass(frozen=True)
class ReportedLabel:
    """A label and the topics with the largest weights; both tuples are empty if the fit did not reach the label.

    Attributes
    ----------
    label : str
        The label.
    topics_for : tuple of WeightedTopic
        Topics with the largest positive weights; if no weight is positive, the topic with the largest weight.
    topics_against : tuple of WeightedTopic
        Topics with the largest negative weights; the sign is removed.
    """

    label: str
    topics_for: tuple[WeightedTopic, ...]
    topics_against: tuple[WeightedTopic, ...]


@dataclass(frozen=True)
class Labels:
    """The labels that a model predicts.

    Attributes
    ----------
    labels : tuple of ReportedLabel
        Labels.
    n_left_out : int
        Number of further labels.
    multilabel : bool
        Whether a document may have several labels.
    n_unlabelled : int
        Number of training documents without a label.
    """

    labels: tuple[ReportedLabel, ...]
    n_left_out: int
    multilabel: bool
    n_unlabelled: int


def summarise_labels(model: Any, names: Mapping[int, TopicName]) -> Labels | None:
    """Return the topics for and against each label.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    names : mapping of int to TopicName
        Names of the topics.

    Returns
    -------
    Labels or None
        Plain data; None if the model does not predict labels.
    """
    if not hasattr(model, "predict_labels"):
        return None
    weights = np.asarray(model.label_weights_ if hasattr(model, "label_weights_") else model.weights_)
    classes = [str(name) for name in model.classes_.tolist()]
    if len(weights) < len(classes):  # two labels share one row of weights, with opposite signs
        weights = np.stack([-weights[0], weights[0]])
    found = tuple(
        ReportedLabel(name, _topics_for(row, names), heaviest_topics(-row, names, _MAX_TOPICS))
        for name, row in zip(classes[:_MAX_LABELS], weights, strict=False)
    )
    return Labels(found, len(classes) - len(found), bool(model.multilabel_), int(model.n_unlabelled_))


def _topics_for(weights: np.ndarray, names: Mapping[int, TopicName]) -> tuple[WeightedTopic, ...]:
    """Return the topics with the largest positive weights; if there are none, the topic with the largest weight."""
    found = heaviest_topics(weights, names, _MAX_TOPICS)
    used = np.flatnonzero(weights)  # the topics of other labels, and of labels that the fit did not reach, have 0
    if found or not used.size:
        return found
    best = int(used[weights[used].argmax()])
    return (WeightedTopic(names[best], float(weights[best])),)
