"""Topics in a report: the largest first, with their words and their typical documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

_MOST_TOPICS = 300
_NAMED_BY = 4  # words that stand for a topic elsewhere


@dataclass(frozen=True)
class TopicName:
    """What a topic is called where other things are said of it."""

    index: int
    name: str  # that the prior has for it; "" for none
    words: tuple[str, ...]


@dataclass(frozen=True)
class TypicalDocument:
    """A document, and the share of a topic in it."""

    id: str
    share: float


@dataclass(frozen=True)
class ReportedTopic:
    """One topic."""

    index: int
    name: str
    share: float  # of all words
    words: tuple[str, ...]  # by probability
    telling: tuple[str, ...]  # by relevance
    documents: tuple[TypicalDocument, ...]


@dataclass(frozen=True)
class Topics:
    """The topics, the largest first."""

    topics: tuple[ReportedTopic, ...]
    n_left_out: int  # smaller ones
    largest_share: float
    of_last_slice: bool  # whether typical documents are those of the last slice only


def name_topics(model: Any) -> dict[int, TopicName]:
    """Return what each topic is called."""
    return {one.index: TopicName(one.index, one.name, tuple(one.words)) for one in model.topics(top=_NAMED_BY)}


def summarise_topics(model: Any, words: int, documents: int) -> Topics:
    """Read the topics of a model."""
    probable = model.topics(top=words)
    with np.errstate(divide="ignore", invalid="ignore"):  # a prior may rule words out, whose logarithm is -inf
        telling = model.topics(top=words, by="relevance")
    typical = model.typical_documents(top=documents)
    order = sorted(range(len(probable)), key=lambda place: -probable[place].share)
    slices = getattr(model, "slices_", None) or ()
    return Topics(
        tuple(
            ReportedTopic(
                probable[place].index,
                probable[place].name,
                probable[place].share,
                tuple(probable[place].words),
                tuple(telling[place].words),
                tuple(TypicalDocument(name, share) for name, share in typical[place]),
            )
            for place in order[:_MOST_TOPICS]
        ),
        max(0, len(order) - _MOST_TOPICS),
        probable[order[0]].share,
        model.doc_topic_.shape[0] < sum(one.n_documents for one in slices),
    )


@dataclass(frozen=True)
class WeighedTopic:
    """A topic, and how much it speaks for something."""

    topic: TopicName
    weight: float


def heaviest(weights: np.ndarray, names: Mapping[int, TopicName], top: int) -> tuple[WeighedTopic, ...]:
    """Return the topics with the largest weights, above 0 only."""
    order = [int(topic) for topic in np.argsort(-weights, kind="stable")[:top] if weights[topic] > 0]
    return tuple(WeighedTopic(names[topic], float(weights[topic])) for topic in order)
