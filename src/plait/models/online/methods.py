"""Methods of `OnlineLDA` that say what changed in the stream."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from plait.models.answers.listing import Listing, frame_kind
from plait.models.online.answers import (
    LEAST_SHARE,
    DriftPoint,
    EmergingTopic,
    FadingTopic,
    SharePoint,
    StreamChanges,
    WordsPoint,
    check_topic,
    topic_evolution,
)
from plait.models.shared_docs import shared_docs


def _listed(model: Any, found: list[Any], columns: tuple[str, ...], as_frame: bool) -> Any:
    """Return answers as a list that prints as a table, or as a data frame."""
    listed = Listing(found, columns)
    return listed.to_frame(frame_kind(model)) if as_frame else listed


def stream_changes(model: Any) -> StreamChanges:
    """Return what changed in the stream of a fitted model."""
    check_is_fitted(model)
    return StreamChanges(model.slices_, model.n_topics, model.window, model._weights_of, model.topic_names_)


@shared_docs
def emerging(
    self: Any,
    threshold: float | None = None,
    *,
    slice: int | str | None = None,
    least_share: float = LEAST_SHARE,
    as_frame: bool = False,
) -> list[EmergingTopic] | Any:
    """Return the topics with new content in a slice, highest novelty first.

    New is what neither the topic nor any mixture of the topics of its window explains. Topics that exchange words,
    split, merge, grow or shrink are not new. In the first slice of a stream nothing is.

    Parameters
    ----------
    threshold : float, optional
        Minimum novelty: the share of the topic's tokens that are new, beyond chance. None is 0.12, at which simulated
        streams without change raise no alarm (docs/online.md); 0 returns every topic that is large enough.
    slice : int or str, optional
        Label or number of the slice; negative numbers count from the end. None is the last.
    least_share : float, default 0.005
        Minimum share of the topic in the slice: with few tokens, all of them can be new.
    <as_frame>

    Returns
    -------
    list of EmergingTopic, or data frame
        Highest novelty first.
    """
    return _listed(
        self,
        stream_changes(self).emerging(threshold, slice, least_share),
        ("topic", "slice", "share", "novelty", "drift", "noise", "words"),
        as_frame,
    )


@shared_docs
def fading(
    self: Any, threshold: float | None = None, *, slice: int | str | None = None, as_frame: bool = False
) -> list[FadingTopic] | Any:
    """Return the topics whose share is far below that in their window, largest loss first.

    Topics without any token in the slice are included. A fall must be four standard errors deep. Tokens of a topic
    cluster in documents, so a topic of few documents needs a deeper fall. An empty slice has no fading topics.

    Parameters
    ----------
    threshold : float, optional
        Maximum fraction of its share in the window that a fading topic keeps. None is a half.
    slice : int or str, optional
        As in `emerging`.
    <as_frame>

    Returns
    -------
    list of FadingTopic, or data frame
        Largest loss first.
    """
    return _listed(
        self,
        stream_changes(self).fading(threshold, slice),
        ("topic", "slice", "share", "before", "noise", "words"),
        as_frame,
    )


@shared_docs
def drift(self: Any, topic: int, *, as_frame: bool = False) -> list[DriftPoint] | Any:
    """Return the distance of a topic's words from those of its window, slice by slice.

    <Parameters: topic>
    <as_frame>

    Returns
    -------
    list of DriftPoint, or data frame
        One per slice.
    """
    return _listed(self, stream_changes(self).drift(topic), ("slice", "drift", "noise", "novelty"), as_frame)


@shared_docs
def trend(self: Any, topic: int, *, as_frame: bool = False) -> list[SharePoint] | Any:
    """Return the share of a topic, slice by slice.

    <Parameters: topic>
    <as_frame>

    Returns
    -------
    list of SharePoint, or data frame
        One per slice.
    """
    return _listed(self, stream_changes(self).trend(topic), ("slice", "share"), as_frame)


@shared_docs
def words_over_time(self: Any, topic: int, top: int = 10, *, as_frame: bool = False) -> list[WordsPoint] | Any:
    """Return the top words of a topic and their probabilities, slice by slice.

    <Parameters: topic>
    top : int, default 10
        Number of words; at most 20 are kept of every slice.
    <as_frame>

    Returns
    -------
    list of WordsPoint, or data frame
        One per slice.
    """
    return _listed(self, stream_changes(self).words_over_time(topic, top), ("slice", "words", "weights"), as_frame)


@shared_docs
def evolution(self: Any, topic: int) -> np.ndarray:
    """Return B_k of eq. 10.5: the words of a topic in each slice of the window and in the current one.

    <Parameters: topic>

    Returns
    -------
    ndarray of shape (words, slices)
        Probability of each word of `vocabulary_` (from counts, without prior), oldest slice first.
    """
    check_is_fitted(self)
    check_topic(topic, self.n_topics)
    return topic_evolution(self._past, topic, self.topic_word_.shape[1])
