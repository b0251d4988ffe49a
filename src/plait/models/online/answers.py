"""What people ask of a stream: what is new, what fades, and how a topic went through time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.models.base import TopicEstimator
from plait.models.online.record import Slice

# Chosen on simulated streams: docs/online.md, "What changed".
NEW_SHARE = 0.12  # novelty from which a topic counts as emerging
FALLEN_TO = 0.5  # part of its share in the window below which a topic counts as fading
_LEAST_SHARE = 0.005  # of a slice: smaller topics are too few words to call new
_STANDARD_ERRORS = 4.0  # that a share must have fallen by
_SHOWN_WORDS = 10  # of a fading topic


@dataclass(frozen=True)
class EmergingTopic:
    """A topic that holds what its stream did not hold before."""

    topic: int
    slice: str  # its label
    novelty: float  # share of the topic's words that no topics of the window account for, beyond chance
    drift: float  # share of its words that its own window did not expect; NaN where it held nothing
    noise: float  # how large drift would be by chance
    share: float  # of the topic in the slice
    words: list[str]  # that made it new, strongest first

    def __str__(self) -> str:
        return (
            f"{self.topic:3d}  {self.share:5.1%}  new {self.novelty:4.0%}  "
            f"drift {_drifted(self.drift, self.noise)}  {' '.join(self.words)}"
        )


@dataclass(frozen=True)
class FadingTopic:
    """A topic that holds much less of its stream than before."""

    topic: int
    slice: str  # its label
    share: float  # of the topic in the slice
    before: float  # its share in the window
    noise: float  # standard error of the difference
    words: list[str]  # its first words, before

    def __str__(self) -> str:
        return f"{self.topic:3d}  {self.share:5.1%} after {self.before:5.1%}  {' '.join(self.words)}"


@dataclass(frozen=True)
class DriftPoint:
    """How far a topic's words lay from those of its window, in one slice; NaN where there is nothing to compare."""

    slice: str
    drift: float
    noise: float
    novelty: float

    def __str__(self) -> str:
        new = "" if np.isnan(self.novelty) else f"  new {self.novelty:4.0%}"
        return f"{self.slice}  {_drifted(self.drift, self.noise)}{new}"


@dataclass(frozen=True)
class SharePoint:
    """The share of a topic in one slice; NaN where the slice was empty."""

    slice: str
    share: float

    def __str__(self) -> str:
        return f"{self.slice}  " + ("no words" if np.isnan(self.share) else f"{self.share:5.1%}")


@dataclass(frozen=True)
class WordsPoint:
    """The first words of a topic in one slice; none where the slice was empty."""

    slice: str
    words: list[str]
    weights: list[float]

    def __str__(self) -> str:
        return f"{self.slice}  {' '.join(self.words) if self.words else 'no words'}"


class StreamAnswers(TopicEstimator):
    """A stream says what changed; `OnlineLDA` documents the attributes."""

    slices_: list[Slice]

    def emerging(
        self, threshold: float | None = None, *, slice: int | str | None = None, least_share: float = _LEAST_SHARE
    ) -> list[EmergingTopic]:
        """Return the topics that hold something new in a slice, the newest first.

        New is what neither the topic nor any mixture of the topics of its window accounts for, so that topics that
        exchange words, split, merge, grow or shrink are not called new. In the first slice of a stream nothing can be.

        Parameters
        ----------
        threshold
            The least novelty: the share of the topic's words that are new, beyond chance. None is 0.12, at which
            simulated still streams raise no alarm (docs/online.md); 0 returns every topic that is large enough.
        slice
            Its label, or its number; negative numbers count from the end. None is the last.
        least_share
            Topics that hold less than this share of the slice are left out: few words are soon all new.
        """
        record = self._slice(slice)
        least = _number("threshold", NEW_SHARE if threshold is None else threshold)
        smallest = _number("least_share", least_share)
        share = record.topic_share
        # An empty slice and the first one have NaN, which is above nothing.
        topics = np.flatnonzero((record.novelty >= least) & (share >= smallest) & (share > 0))
        return [
            EmergingTopic(
                int(k),
                record.label,
                float(record.novelty[k]),
                float(record.drift[k]),
                float(record.noise[k]),
                float(share[k]),
                [word for word in record.risen[k] if word],
            )
            for k in topics[np.argsort(-record.novelty[topics], kind="stable")]
        ]

    def fading(self, threshold: float | None = None, *, slice: int | str | None = None) -> list[FadingTopic]:
        """Return the topics whose share fell far below that in their window, those that lost most first.

        Topics that went silent are among them. A fall must be four standard errors deep; as words of a topic come
        together in documents, one of few documents needs a deeper fall. An empty slice says nothing of topics.

        Parameters
        ----------
        threshold
            The part of its share in the window that a topic may keep at most. None is a half.
        slice
            As for `emerging`.
        """
        record = self._slice(slice)
        most = _number("threshold", FALLEN_TO if threshold is None else threshold)
        past = [one for one in self.slices_[: record.number] if not one.empty][-self.window :]
        weights = self._weights_of(len(past))
        if record.empty or not sum(weights) > 0:
            return []
        before, repeats, size = _held_before(past, weights)
        share = record.topic_share
        # Counted in documents, because words of a topic come together; roots of counts are all equally uncertain.
        documents = record.n_tokens / np.where(repeats > 0, repeats, 1.0)
        fall = 2 * (np.sqrt(before * documents + 3 / 8) - np.sqrt(share * documents + 3 / 8))
        least = _STANDARD_ERRORS * np.sqrt(1 + record.n_tokens / size)
        noise = np.sqrt(before * repeats * (1 / record.n_tokens + 1 / size))
        topics = np.flatnonzero((share <= most * before) & (fall > least))
        words = past[-1].words[:, :_SHOWN_WORDS].tolist()
        return [
            FadingTopic(int(k), record.label, float(share[k]), float(before[k]), float(noise[k]), words[k])
            for k in topics[np.argsort(share[topics] - before[topics], kind="stable")]
        ]

    def drift(self, topic: int) -> list[DriftPoint]:
        """Return how far the words of a topic lay from those of its window, slice by slice."""
        return [
            DriftPoint(one.label, float(one.drift[topic]), float(one.noise[topic]), float(one.novelty[topic]))
            for one in self._course(topic)
        ]

    def trend(self, topic: int) -> list[SharePoint]:
        """Return the share of a topic, slice by slice."""
        return [SharePoint(one.label, float(one.topic_share[topic])) for one in self._course(topic)]

    def words_over_time(self, topic: int, top: int = 10) -> list[WordsPoint]:
        """Return the first words of a topic, slice by slice, and their probabilities.

        Parameters
        ----------
        topic
            Its number.
        top
            How many words; at most 20 are kept of every slice.
        """
        check_whole("top", top, least=1)
        return [
            WordsPoint(
                one.label, [str(word) for word in one.words[topic, :top]], one.probabilities[topic, :top].tolist()
            )
            for one in self._course(topic)
        ]

    def evolution(self, topic: int) -> np.ndarray:
        """Return B_k of eq. 10.5: the words of a topic in each slice of the window and the present one.

        Returns
        -------
        array (words, slices)
            Probability of each word of `vocabulary_` (by counts alone), oldest slice first.
        """
        check_is_fitted(self)
        self._check_topic(topic)
        matrix = np.zeros((self.topic_word_.shape[1], len(self._past)))
        for column, counts in enumerate(self._past):
            held = counts[topic].astype(np.float64)
            matrix[: held.size, column] = held / max(held.sum(), 1.0)
        return matrix

    def _check_topic(self, topic: Any) -> None:
        if isinstance(topic, bool) or not isinstance(topic, (int, np.integer)) or not 0 <= topic < self.n_topics:
            raise PlaitError(f"topic must be a number from 0 to {self.n_topics - 1}, not {topic!r}")

    def _course(self, topic: Any) -> list[Slice]:
        """Return the slices that a topic lives through."""
        self._check_connected()
        self._check_topic(topic)
        return self.slices_

    def _slice(self, which: int | str | None) -> Slice:
        """Return the slice with a label (the last such) or a number."""
        self._check_connected()
        if isinstance(which, str):
            found = [one for one in self.slices_ if one.label == which]
            if not found:
                raise PlaitError(
                    f"no slice is called {which!r}; the stream has {len(self.slices_)}, from "
                    f"{self.slices_[0].label!r} to {self.slices_[-1].label!r} (slices_ lists them)"
                )
            return found[-1]
        number = -1 if which is None else which
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not whole or not -len(self.slices_) <= number < len(self.slices_):
            raise PlaitError(
                f"slice must be a label or a number from {-len(self.slices_)} to {len(self.slices_) - 1}, not {which!r}"
            )
        return self.slices_[number]

    def _check_connected(self) -> None:
        check_is_fitted(self)
        if not self.slices_:
            raise PlaitError("the first slice was stopped before it was learnt; resume it, then ask what changed")
        if self.window == 0 or not sum(self._weights_of(self.window)) > 0:
            raise PlaitError(
                "with a window (or weights) of 0 every slice is learnt alone: topics of different slices that have the "
                "same number are not connected, so nothing can be said of changes; use a window of 1 or more"
            )


def _held_before(past: Sequence[Slice], weights: Sequence[float]) -> tuple[np.ndarray, np.ndarray, float]:
    """Return each topic's share and repeats in past slices, and how many words, weighed alike, these are as good as."""
    tokens = np.array([one.n_tokens for one in past])
    parts = tokens * weights / (tokens @ weights)
    shares = np.array([one.topic_share for one in past])
    held = parts[:, np.newaxis] * shares
    totals = held.sum(axis=0)
    repeats = (held * [one.topic_repeats for one in past]).sum(axis=0) / np.where(totals > 0, totals, 1.0)
    return totals, repeats, float(1 / (parts**2 / tokens).sum())


def _drifted(drift: float, noise: float) -> str:
    return "none" if np.isnan(drift) else f"{drift:4.0%} (chance {noise:4.0%})"


def _number(name: str, value: Any) -> float:
    """Return a share, or say that it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
        raise PlaitError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)
