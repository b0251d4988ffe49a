"""The history prior: weighted topic–word counts of past time slices as pseudo-counts.

AlSumait, Wang, Domeniconi and Barbará (2010), eqs. 10.8 to 10.10: β_k = B_k ω. The paper mentions both counts (a total
weight of one "would balance the weights of historic and current observations") and distributions; `form` selects one.
In the paper b is the prior of new words only, and other words have what their history says: `form="smoothed"`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plait._utils.topic_rows import Origins, sum_rows
from plait._utils.validation import check_above_zero
from plait.errors import PlaitError
from plait.priors.base import Prior, align_prior, as_prior, edit_prior, topic_names

_MAX_WEIGHT = 1e6  # of a past slice; the pseudo-counts must stay below 1e12


@dataclass(frozen=True, eq=False)
class HistoryPrior:
    """Pseudo-counts b + Σ_s ω_s C_s, where C_s are the topic–word counts of past time slice s.

    Parameters
    ----------
    past : sequence of ndarray
        Topic–word counts of each past slice, oldest first. An array may have fewer columns than the vocabulary: words
        that were added later are missing at its end.
    weights : sequence of float
        Weight ω of each past slice, oldest first.
    base : float, array-like or prior, default 0.01
        b, added for every topic and word, so that a topic can take new words.
    form : {"counts", "distributions", "smoothed"}, default "counts"
        "counts" uses the counts as given; "distributions" divides the counts of each topic by their sum. "smoothed" is
        the paper's literal form: Σ_s ω_s φ_s with φ_s = (C_s + b) / Σ_w (C_s + b), eq. 10.3, for words that occur in a
        past slice, and b for new words only.

    Examples
    --------
    >>> HistoryPrior([np.array([[4, 0], [0, 2]])], weights=[0.5], base=0.1).pseudo_counts(n_topics=2, n_words=3)
    array([[2.1, 0.1, 0.1],
           [0.1, 1.1, 0.1]])
    """

    past: Any
    weights: Any
    base: Any = 0.01
    form: Literal["counts", "distributions", "smoothed"] = "counts"

    def for_vocabulary(self, vocabulary: np.ndarray | None, n_topics: int) -> Prior:
        """Return the prior with its base aligned with a vocabulary; the past counts are in column order already.

        Parameters
        ----------
        vocabulary : ndarray of str or None
            Words of the columns.
        n_topics : int
            Number of topics of the model.

        Returns
        -------
        HistoryPrior
            The aligned prior.
        """
        base = align_prior(as_prior(self.base), vocabulary, n_topics)
        return HistoryPrior(self.past, self.weights, base, self.form)

    @property
    def topic_names(self) -> tuple[str, ...]:
        """Names that the base gives to the first topics."""
        return topic_names(as_prior(self.base))

    def with_topics(self, origins: Origins) -> HistoryPrior:
        """Return the prior of edited topics: past counts are added for merged topics and divided for split ones.

        Parameters
        ----------
        origins : sequence of sequence of int
            Topics that each new topic is made of.
        """
        past = [sum_rows(np.asarray(counts, dtype=np.float64), origins) for counts in self.past]
        return HistoryPrior(past, self.weights, edit_prior(as_prior(self.base), origins), self.form)

    def pseudo_counts(self, n_topics: int, n_words: int) -> float | np.ndarray:
        """Return the pseudo-counts β.

        Parameters
        ----------
        n_topics : int
            Number of topics of the model.
        n_words : int
            Size of the vocabulary.

        Returns
        -------
        float or ndarray of shape (n_topics, n_words)
            β; without past slices, the pseudo-counts of the base.
        """
        if len(self.past) != len(self.weights):
            raise PlaitError(
                f"there are {len(self.past)} past slices and {len(self.weights)} weights; give one weight per slice"
            )
        if self.form not in ("counts", "distributions", "smoothed"):
            raise PlaitError(f"form must be 'counts', 'distributions' or 'smoothed', not {self.form!r}")
        prior = as_prior(self.base)
        if not isinstance(prior, Prior):
            raise PlaitError(f"{type(prior).__name__} is defined on words; call for_vocabulary(vocabulary) first")
        base = prior.pseudo_counts(n_topics, n_words)
        if len(self.past) == 0:
            return base
        table = np.array(np.broadcast_to(np.asarray(base, dtype=np.float64), (n_topics, n_words)))
        if self.form == "smoothed":
            table[:, _occurring(self.past, self.weights, n_words)] = 0.0
        for counts, weight in zip(self.past, self.weights, strict=True):
            if not (np.isfinite(weight) and weight >= 0):
                raise PlaitError(f"weights of past slices must be 0 or more, not {weight!r}")
            if counts.shape[0] != n_topics or counts.shape[1] > n_words:
                raise PlaitError(
                    f"a past slice has {counts.shape[0]} topics and {counts.shape[1]} words; the model has "
                    f"{n_topics} topics and {n_words} words"
                )
            if self.form == "smoothed":
                smoothed = np.array(np.broadcast_to(np.asarray(base, dtype=np.float64), (n_topics, n_words)))
                smoothed[:, : counts.shape[1]] += counts
                known = _occurring(self.past, self.weights, n_words)
                table[:, known] += weight * _normalise_topics(smoothed)[:, known]
            else:
                table[:, : counts.shape[1]] += weight * (counts if self.form == "counts" else _normalise_topics(counts))
        return table


def spread_weights(weights: Any, decay: float, window: int, n_past: int) -> list[float]:
    """Return the weight ω of each available past slice, oldest first.

    Parameters
    ----------
    weights : float or sequence of float
        Total weight of all past slices, or one weight per slice of the window, oldest first. While the stream is
        shorter than the window, the last weights are used.
    decay : float
        With a total weight: weight of a slice relative to the next one.
    window : int
        Number of past slices that the model uses.
    n_past : int
        Number of past slices available, at most `window`.

    Returns
    -------
    list of float
        `n_past` weights.

    Examples
    --------
    >>> spread_weights(1.0, 0.5, window=3, n_past=2)
    [0.3333333333333333, 0.6666666666666666]
    """
    if np.ndim(weights) == 0:
        check_above_zero("decay", decay)
        ages = np.arange(n_past - 1, -1, -1.0)
        shares = float(decay) ** (ages if decay <= 1 else ages - (n_past - 1))  # at most 1
        total = float(weights) if isinstance(weights, (int, float, np.number)) else np.nan
        if not 0 <= total <= _MAX_WEIGHT:
            raise PlaitError(
                f"history_weights, the total weight of past slices, must be 0 or more and at most {_MAX_WEIGHT:g}, not "
                f"{weights!r}",
                parameter="history_weights",
            )
        return (total * shares / shares.sum()).tolist() if n_past else []
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != (window,) or not ((given >= 0) & (given <= _MAX_WEIGHT)).all():
        raise PlaitError(
            f"history_weights must be the total weight of past slices, or {window} numbers of 0 or more (at most "
            f"{_MAX_WEIGHT:g}), one per past slice of the window, oldest first; not {weights!r}",
            parameter="history_weights",
        )
    if decay != 1:
        raise PlaitError(
            "decay spreads a total weight over past slices; with one weight for each, leave it out", parameter="decay"
        )
    return given[window - n_past :].tolist()


def _occurring(past: Any, weights: Any, n_words: int) -> np.ndarray:
    """Return which words occur in a past slice with a weight above 0."""
    known = np.zeros(n_words, dtype=bool)
    for counts, weight in zip(past, weights, strict=True):
        if weight > 0:
            known[: counts.shape[1]] |= np.asarray(counts).sum(axis=0) > 0
    return known


def _normalise_topics(counts: np.ndarray) -> np.ndarray:
    """Return counts divided by the sum of each topic (0 for an empty topic)."""
    totals = counts.sum(axis=1, keepdims=True, dtype=np.float64)
    return counts / np.where(totals > 0, totals, 1.0)
