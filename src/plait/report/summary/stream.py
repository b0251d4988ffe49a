"""Topics over time in a report: shares by time slice, emerging and fading topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.errors import PlaitError
from plait.report.summary.topics import TopicName
from plait.report.trends import average_groups, current_slice, peak_slice, shares_of, time_range, top_words

_MAX_TOPICS = 100
_MAX_POINTS = 120  # per curve
_MAX_CHANGES = 20
_MAX_SLICES = 24
_WORDS = 7


@dataclass(frozen=True)
class Trend:
    """The share of a topic over time.

    Attributes
    ----------
    topic : TopicName
        The topic.
    shares : tuple of float or None
        Share by time slice; None for slices without tokens.
    now : float
        Share in the last slice with tokens.
    words_now : tuple of str
        Top words in that slice; none if the topic has no token there.
    peak : float
        Largest share.
    peak_slice : str
        Slice with the largest share.
    peak_words : tuple of str
        Top words in the slice with the largest share.
    """

    topic: TopicName
    shares: tuple[float | None, ...]
    now: float
    words_now: tuple[str, ...]
    peak: float
    peak_slice: str
    peak_words: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A topic that emerges or fades in the last time slice.

    Attributes
    ----------
    topic : TopicName
        The topic.
    share : float
        Its share in the last slice.
    novelty : float or None
        For an emerging topic, the share of its tokens that are new words.
    before : float or None
        For a fading topic, its share in the window before.
    words : tuple of str
        Top words.
    """

    topic: TopicName
    share: float
    novelty: float | None
    before: float | None
    words: tuple[str, ...]


@dataclass(frozen=True)
class ReportedSlice:
    """One time slice.

    Attributes
    ----------
    label : str
        Label of the slice.
    n_documents : int
        Number of documents.
    n_tokens : float
        Number of tokens.
    n_new_words : int
        Number of words that are new in the vocabulary.
    perplexity : float or None
        Perplexity of the slice, predicted by the model fitted to the slices before.
    """

    label: str
    n_documents: int
    n_tokens: float
    n_new_words: int
    perplexity: float | None


@dataclass(frozen=True)
class Stream:
    """Topics over time.

    Attributes
    ----------
    slices : tuple of ReportedSlice
        The last time slices.
    n_slices_left_out : int
        Number of earlier slices.
    n_slices : int
        Number of all slices.
    time_range : str
        Time from the first to the last slice.
    last : str
        Label of the last slice.
    now : str
        Label of the last slice with tokens.
    connected : bool
        Whether topics are tracked over time.
    trends : tuple of Trend
        Shares of the topics, the largest topics first.
    n_topics_left_out : int
        Number of further topics.
    emerging : tuple of Change
        Topics that emerge in the last slice.
    fading : tuple of Change
        Topics that fade in the last slice.
    n_changes_left_out : int
        Number of further emerging and fading topics.
    """

    slices: tuple[ReportedSlice, ...]
    n_slices_left_out: int
    n_slices: int
    time_range: str
    last: str
    now: str
    connected: bool
    trends: tuple[Trend, ...]
    n_topics_left_out: int
    emerging: tuple[Change, ...]
    fading: tuple[Change, ...]
    n_changes_left_out: int


def summarise_stream(model: Any, names: Mapping[int, TopicName]) -> Stream | None:
    """Return the topics over time.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    names : mapping of int to TopicName
        Names of the topics.

    Returns
    -------
    Stream or None
        Plain data; None if the model has no time slices.
    """
    slices = getattr(model, "slices_", None)
    if not slices:
        return None
    try:
        emerging, fading = model.emerging(), model.fading()
        connected = True
    except PlaitError:  # with a window of 0, topics are not tracked over time
        emerging, fading, connected = [], [], False
    order: list[int] = []
    if connected:
        total = np.sum([one.topic_tokens for one in slices], axis=0)
        order = [int(topic) for topic in np.argsort(-total, kind="stable")]
    return Stream(
        tuple(
            ReportedSlice(one.label, one.n_documents, float(one.n_tokens), int(one.n_new_words), one.perplexity)
            for one in slices[-_MAX_SLICES:]
        ),
        max(0, len(slices) - _MAX_SLICES),
        len(slices),
        time_range(slices),
        slices[-1].label,
        slices[current_slice(slices)].label,
        connected,
        tuple(_trend(slices, names[topic]) for topic in order[:_MAX_TOPICS]),
        max(0, len(order) - _MAX_TOPICS),
        tuple(
            Change(names[one.topic], one.share, one.novelty, None, tuple(map(str, one.words[:_WORDS])))
            for one in emerging[:_MAX_CHANGES]
        ),
        tuple(
            Change(names[one.topic], one.share, None, one.before, tuple(map(str, one.words[:_WORDS])))
            for one in fading[:_MAX_CHANGES]
        ),
        max(0, len(emerging) - _MAX_CHANGES) + max(0, len(fading) - _MAX_CHANGES),
    )


def _trend(slices: Sequence[Any], topic: TopicName) -> Trend:
    """Return the share of one topic over time."""
    shares = np.array(shares_of(slices, topic.index))
    peak, now = peak_slice(slices, topic.index), current_slice(slices)
    return Trend(
        topic,
        tuple(None if np.isnan(share) else float(share) for share in average_groups(shares, _MAX_POINTS)),
        float(shares[now]),
        tuple(top_words(slices[now], topic.index, _WORDS)),
        float(shares[peak]),
        slices[peak].label,
        tuple(top_words(slices[peak], topic.index, _WORDS)),
    )
