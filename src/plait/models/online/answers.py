"""What changed in a stream: emerging and fading topics, and the course of a topic over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.text import printable
from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.models.online.record import Slice

# Chosen on simulated streams: docs/online.md, "What changed".
NEW_SHARE = 0.12  # novelty from which a topic counts as emerging
FALLEN_TO = 0.5  # fraction of its share in the window below which a topic counts as fading
LEAST_SHARE = 0.005  # of a slice: smaller topics have too few tokens to be called new
_STANDARD_ERRORS = 4.0  # that a share must have fallen by
_SHOWN_WORDS = 10  # of a fading topic


@dataclass(frozen=True)
class EmergingTopic:
    """A topic with content that its stream did not have before."""

    topic: int
    slice: str  # its label
    novelty: float  # share of the topic's tokens that no topics of the window explain, beyond chance
    drift: float  # total variation distance from the topic's own window; NaN where that is empty
    noise: float  # drift expected by chance
    share: float  # of the topic in the slice
    words: list[str]  # that are new, most tokens first
    name: str = ""  # of the topic, if it has one

    def __str__(self) -> str:
        return printable(
            f"{self.topic:3d}  {self.share:5.1%}  new {self.novelty:4.0%}  "
            f"drift {_format_drift(self.drift, self.noise)}  {_named(self.name)}{' '.join(self.words)}"
        )


@dataclass(frozen=True)
class FadingTopic:
    """A topic with a much smaller share of its stream than before."""

    topic: int
    slice: str  # its label
    share: float  # of the topic in the slice
    before: float  # its share in the window
    noise: float  # standard error of the difference
    words: list[str]  # its top words before
    name: str = ""  # of the topic, if it has one

    def __str__(self) -> str:
        return printable(
            f"{self.topic:3d}  {self.share:5.1%} after {self.before:5.1%}  {_named(self.name)}{' '.join(self.words)}"
        )


@dataclass(frozen=True)
class DriftPoint:
    """Drift of a topic in one slice; NaN where there is nothing to compare."""

    slice: str
    drift: float
    noise: float
    novelty: float

    def __str__(self) -> str:
        new = "" if np.isnan(self.novelty) else f"  new {self.novelty:4.0%}"
        return printable(f"{self.slice}  {_format_drift(self.drift, self.noise)}{new}")


@dataclass(frozen=True)
class SharePoint:
    """Share of a topic in one slice; NaN for an empty slice."""

    slice: str
    share: float

    def __str__(self) -> str:
        return f"{self.slice}  " + ("no words" if np.isnan(self.share) else f"{self.share:5.1%}")


@dataclass(frozen=True)
class WordsPoint:
    """Top words of a topic in one slice; none for an empty slice."""

    slice: str
    words: list[str]
    weights: list[float]

    def __str__(self) -> str:
        return f"{self.slice}  {' '.join(self.words) if self.words else 'no words'}"


@dataclass(frozen=True)
class StreamChanges:
    """What changed in a stream.

    Parameters
    ----------
    slices : sequence of Slice
        Records of the slices.
    n_topics : int
        Number of topics.
    window : int
        Number of past slices that a slice builds on.
    weights_of : callable
        Returns the weights of a number of past slices.
    names : sequence of str, default ()
        Names of the topics, "" for none.
    """

    slices: Sequence[Slice]
    n_topics: int
    window: int
    weights_of: Callable[[int], list[float]]
    names: Sequence[str] = ()

    def emerging(self, threshold: float | None, which: int | str | None, least_share: float) -> list[EmergingTopic]:
        """Return the topics with new content in a slice, highest novelty first."""
        record = self.find_slice(which)
        least = _check_share("threshold", NEW_SHARE if threshold is None else threshold)
        smallest = _check_share("least_share", least_share)
        share = record.topic_share
        # An empty slice and the first one have NaN, for which all comparisons are False.
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
                self._name(k),
            )
            for k in topics[np.argsort(-record.novelty[topics], kind="stable")]
        ]

    def fading(self, threshold: float | None, which: int | str | None) -> list[FadingTopic]:
        """Return the topics whose share is far below that in their window, largest loss first."""
        record = self.find_slice(which)
        most = _check_share("threshold", FALLEN_TO if threshold is None else threshold)
        past = [one for one in self.slices[: record.number] if not one.empty][-self.window :]
        weights = self.weights_of(len(past))
        if record.empty or not sum(weights) > 0:
            return []
        before, repeats, size = _shares_before(past, weights)
        share = record.topic_share
        # In documents, because tokens of a topic cluster in documents; roots of counts have equal variance.
        documents = record.n_tokens / np.where(repeats > 0, repeats, 1.0)
        fall = 2 * (np.sqrt(before * documents + 3 / 8) - np.sqrt(share * documents + 3 / 8))
        least = _STANDARD_ERRORS * np.sqrt(1 + record.n_tokens / size)
        noise = np.sqrt(before * repeats * (1 / record.n_tokens + 1 / size))
        topics = np.flatnonzero((share <= most * before) & (fall > least))
        words = past[-1].words[:, :_SHOWN_WORDS].tolist()
        return [
            FadingTopic(
                int(k), record.label, float(share[k]), float(before[k]), float(noise[k]), words[k], self._name(k)
            )
            for k in topics[np.argsort(share[topics] - before[topics], kind="stable")]
        ]

    def drift(self, topic: int) -> list[DriftPoint]:
        """Return the drift of a topic, slice by slice."""
        return [
            DriftPoint(one.label, float(one.drift[topic]), float(one.noise[topic]), float(one.novelty[topic]))
            for one in self._slices_of(topic)
        ]

    def trend(self, topic: int) -> list[SharePoint]:
        """Return the share of a topic, slice by slice."""
        return [SharePoint(one.label, float(one.topic_share[topic])) for one in self._slices_of(topic)]

    def words_over_time(self, topic: int, top: int) -> list[WordsPoint]:
        """Return the top words of a topic and their probabilities, slice by slice."""
        check_whole("top", top, least=1)
        return [
            WordsPoint(
                one.label, [str(word) for word in one.words[topic, :top]], one.probabilities[topic, :top].tolist()
            )
            for one in self._slices_of(topic)
        ]

    def find_slice(self, which: int | str | None) -> Slice:
        """Return the slice with a label (the last such) or a number; None for the last slice."""
        self._check_connected()
        if isinstance(which, str):
            found = [one for one in self.slices if one.label == which]
            if not found:
                raise PlaitError(
                    f"no slice is called {which!r}; the stream has {len(self.slices)}, the first is "
                    f"{self.slices[0].label!r}, the last {self.slices[-1].label!r} (slices_ lists them)"
                )
            return found[-1]
        number = -1 if which is None else which
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not whole or not -len(self.slices) <= number < len(self.slices):
            raise PlaitError(
                f"slice must be a label or a number from {-len(self.slices)} to {len(self.slices) - 1}, not {which!r}"
            )
        return self.slices[number]

    def _name(self, topic: Any) -> str:
        return self.names[topic] if self.names else ""

    def _slices_of(self, topic: Any) -> Sequence[Slice]:
        self._check_connected()
        check_topic(topic, self.n_topics)
        return self.slices

    def _check_connected(self) -> None:
        if not self.slices:
            raise PlaitError("the first slice was interrupted before it was learned; resume it, then ask what changed")
        if self.window == 0 or not sum(self.weights_of(self.window)) > 0:
            raise PlaitError(
                "with a window (or history weights) of 0 every slice is learned alone: topics of different slices with "
                "the same number are not connected, so changes cannot be computed; use a window of 1 or more"
            )


def topic_evolution(past: Sequence[np.ndarray], topic: int, n_words: int) -> np.ndarray:
    """Return B_k of eq. 10.5: the word probabilities of a topic in past slices.

    Parameters
    ----------
    past : sequence of ndarray of shape (topics, words)
        Topic–word counts, oldest slice first; earlier slices may have fewer words.
    topic : int
        Number of the topic.
    n_words : int
        Number of words.

    Returns
    -------
    ndarray of shape (words, slices)
        Probabilities.
    """
    matrix = np.zeros((n_words, len(past)))
    for column, counts in enumerate(past):
        own = counts[topic].astype(np.float64)
        matrix[: own.size, column] = own / max(own.sum(), 1.0)
    return matrix


def check_topic(topic: Any, n_topics: int) -> None:
    """Raise an error unless a value is the number of a topic."""
    if isinstance(topic, bool) or not isinstance(topic, (int, np.integer)) or not 0 <= topic < n_topics:
        raise PlaitError(f"topic must be a number from 0 to {n_topics - 1}, not {topic!r}")


def _shares_before(past: Sequence[Slice], weights: Sequence[float]) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the share and the repeats of each topic in past slices, and the effective number of their tokens."""
    tokens = np.array([one.n_tokens for one in past])
    fractions = tokens * weights / (tokens @ weights)
    shares = np.array([one.topic_share for one in past])
    weighted = fractions[:, np.newaxis] * shares
    totals = weighted.sum(axis=0)
    repeats = (weighted * [one.topic_repeats for one in past]).sum(axis=0) / np.where(totals > 0, totals, 1.0)
    return totals, repeats, float(1 / (fractions**2 / tokens).sum())


def _named(name: str) -> str:
    return f"{name}: " if name else ""


def _format_drift(drift: float, noise: float) -> str:
    return "none" if np.isnan(drift) else f"{drift:4.0%} (chance {noise:4.0%})"


def _check_share(name: str, value: Any) -> float:
    """Return a share as a float; raise an error if it is not a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
        raise PlaitError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)
