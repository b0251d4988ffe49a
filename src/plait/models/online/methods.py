"""Methods of `OnlineLDA` that say what changed in the stream."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from plait.models.methods.docs import shared_docs
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


def stream_changes(model: Any) -> StreamChanges:
    """Return what changed in the stream of a fitted model."""
    check_is_fitted(model)
    return StreamChanges(model.slices_, model.n_topics, model.window, model._weights_of, model.topic_names_)


def emerging(
    self: Any, threshold: float | None = None, *, slice: int | str | None = None, least_share: float = LEAST_SHARE
) -> list[EmergingTopic]:
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

    Returns
    -------
    list of EmergingTopic
        Highest novelty first.
    """
    return stream_changes(self).emerging(threshold, slice, least_share)


def fading(self: Any, threshold: float | None = None, *, slice: int | str | None = None) -> list[FadingTopic]:
    """Return the topics whose share is far below that in their window, largest loss first.

    Topics without any token in the slice are included. A fall must be four standard errors deep. Tokens of a topic
    cluster in documents, so a topic of few documents needs a deeper fall. An empty slice has no fading topics.

    Parameters
    ----------
    threshold : float, optional
        Maximum fraction of its share in the window that a fading topic keeps. None is a half.
    slice : int or str, optional
        As in `emerging`.

    Returns
    -------
    list of FadingTopic
        Largest loss first.
    """
    return stream_changes(self).fading(threshold, slice)


@shared_docs
def drift(self: Any, topic: int) -> list[DriftPoint]:
    """Return the distance of a topic's words from those of its window, slice by slice.

    <Parameters: topic>

    Returns
    -------
    list of DriftPoint
        One per slice.
    """
    return stream_changes(self).drift(topic)


@shared_docs
def trend(self: Any, topic: int) -> list[SharePoint]:
    """Return the share of a topic, slice by slice.

    <Parameters: topic>

    Returns
    -------
    list of SharePoint
        One per slice.
    """
    return stream_changes(self).trend(topic)


@shared_docs
def words_over_time(self: Any, topic: int, top: int = 10) -> list[WordsPoint]:
    """Return the top words of a topic and their probabilities, slice by slice.

    <Parameters: topic>
    top : int, default 10
        Number of words; at most 20 are kept of every slice.

    Returns
    -------
    list of WordsPoint
        One per slice.
    """
    return stream_changes(self).words_over_time(topic, top)


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
