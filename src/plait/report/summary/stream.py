"""A stream in a report: shares of topics through time, what is new and what fades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.errors import PlaitError
from plait.report.summary.topics import TopicName
from plait.report.trends import first_words, shares_of

_MOST_TOPICS = 100
_MOST_POINTS = 120  # of a curve
_MOST_CHANGES = 20
_MOST_SLICES = 24
_WORDS = 7


@dataclass(frozen=True)
class Trend:
    """The share of a topic through time."""

    topic: TopicName
    shares: tuple[float | None, ...]  # None where there were no words
    now: float
    peak: float
    peak_slice: str
    words: tuple[str, ...]  # when it was last large


@dataclass(frozen=True)
class Change:
    """A topic that is new in the last slice, or fades in it."""

    topic: TopicName
    share: float
    novelty: float | None  # of one that is new: share of its words that are
    before: float | None  # of one that fades: its share in its window
    words: tuple[str, ...]


@dataclass(frozen=True)
class ReportedSlice:
    """One slice."""

    label: str
    n_documents: int
    n_tokens: float
    n_new_words: int
    perplexity: float | None  # of its words, predicted before they were learnt


@dataclass(frozen=True)
class Stream:
    """A stream of documents."""

    slices: tuple[ReportedSlice, ...]  # the last ones
    n_slices_left_out: int
    first: str
    last: str
    connected: bool  # whether a topic is the same in all slices
    trends: tuple[Trend, ...]  # the largest topics first
    n_topics_left_out: int
    emerging: tuple[Change, ...]
    fading: tuple[Change, ...]
    n_changes_left_out: int


def summarise_stream(model: Any, names: Mapping[int, TopicName]) -> Stream | None:
    """Read how topics went through time; None where the model knows no slices, or has not learnt the first."""
    slices = getattr(model, "slices_", None)
    if not slices:
        return None
    try:
        emerging, fading = model.emerging(), model.fading()
        connected = True
    except PlaitError:  # with a window of 0 every slice is learnt alone
        emerging, fading, connected = [], [], False
    order: list[int] = []
    if connected:
        total = np.sum([one.topic_tokens for one in slices], axis=0)
        order = [int(topic) for topic in np.argsort(-total, kind="stable")]
    return Stream(
        tuple(
            ReportedSlice(one.label, one.n_documents, float(one.n_tokens), int(one.n_new_words), one.perplexity)
            for one in slices[-_MOST_SLICES:]
        ),
        max(0, len(slices) - _MOST_SLICES),
        slices[0].label,
        slices[-1].label,
        connected,
        tuple(_trend(slices, names[topic]) for topic in order[:_MOST_TOPICS]),
        max(0, len(order) - _MOST_TOPICS),
        tuple(
            Change(names[one.topic], one.share, one.novelty, None, tuple(map(str, one.words[:_WORDS])))
            for one in emerging[:_MOST_CHANGES]
        ),
        tuple(
            Change(names[one.topic], one.share, None, one.before, tuple(map(str, one.words[:_WORDS])))
            for one in fading[:_MOST_CHANGES]
        ),
        max(0, len(emerging) - _MOST_CHANGES) + max(0, len(fading) - _MOST_CHANGES),
    )


def _trend(slices: Sequence[Any], topic: TopicName) -> Trend:
    shares = np.array(shares_of(slices, topic.index))
    peak = int(np.nanargmax(shares))
    drawn = shares
    if shares.size > _MOST_POINTS:
        parts = np.array_split(shares, _MOST_POINTS)
        drawn = np.array([part[~np.isnan(part)].mean() if (~np.isnan(part)).any() else np.nan for part in parts])
    return Trend(
        topic,
        tuple(None if np.isnan(share) else float(share) for share in drawn),
        float(shares[~np.isnan(shares)][-1]),
        float(shares[peak]),
        slices[peak].label,
        tuple(first_words(slices, topic.index, _WORDS)),
    )
