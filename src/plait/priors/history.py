"""The history prior: what topics held of words in past slices of a stream becomes their pseudo-counts.

AlSumait, Wang, Domeniconi and Barbará (2010), eqs. 10.8 to 10.10: β_k = B_k ω. The paper speaks of counts (a total
weight of one "would balance the weights of historic and current observations") and of distributions; both are here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from plait._utils.validation import check_above_zero
from plait.errors import PlaitError
from plait.priors.base import Prior, as_prior, laid_onto, topic_names


@dataclass(frozen=True, eq=False)
class HistoryPrior:
    """Pseudo-counts b + Σ_s ω_s C_s, with C_s the words that each topic held in a past slice s.

    Parameters
    ----------
    past
        Topics × words of each past slice, oldest first: how often. Words that came later may be missing at the end.
    weights
        ω, one number for each past slice, oldest first as in the paper.
    base
        b: a number, an array or a prior, added for every word, so that a word that is new to a topic is possible.
    form
        "counts" takes them as they are; "distributions" divides each topic's by their sum.

    Examples
    --------
    >>> HistoryPrior([np.array([[4, 0], [0, 2]])], weights=[0.5], base=0.1).pseudo_counts(n_topics=2, n_words=3)
    array([[2.1, 0.1, 0.1],
           [0.1, 1.1, 0.1]])
    """

    past: Any
    weights: Any
    base: Any = 0.01
    form: Literal["counts", "distributions"] = "counts"

    def for_vocabulary(self, vocabulary: np.ndarray | None, n_topics: int) -> Prior:
        """Lay the base onto words, where it knows them by name; past counts stand in the model's order already."""
        base = laid_onto(as_prior(self.base), vocabulary, n_topics)
        return HistoryPrior(self.past, self.weights, base, self.form)

    @property
    def topic_names(self) -> tuple[str, ...]:
        """The names that the base has for topics."""
        return topic_names(as_prior(self.base))

    def pseudo_counts(self, n_topics: int, n_words: int) -> float | np.ndarray:
        """Return β as topics × words; what the base says where there is no past."""
        if len(self.past) != len(self.weights):
            raise PlaitError(
                f"there are {len(self.past)} past slices and {len(self.weights)} weights; give one for each"
            )
        if self.form not in ("counts", "distributions"):
            raise PlaitError(f"form must be 'counts' or 'distributions', not {self.form!r}")
        prior = as_prior(self.base)
        if not isinstance(prior, Prior):
            raise PlaitError(f"{type(prior).__name__} knows words by their names; use for_vocabulary(vocabulary) first")
        base = prior.pseudo_counts(n_topics, n_words)
        if len(self.past) == 0:
            return base
        table = np.array(np.broadcast_to(np.asarray(base, dtype=np.float64), (n_topics, n_words)))
        for counts, weight in zip(self.past, self.weights, strict=True):
            if not (np.isfinite(weight) and weight >= 0):
                raise PlaitError(f"weights of past slices must be 0 or more, not {weight!r}")
            if counts.shape[0] != n_topics or counts.shape[1] > n_words:
                raise PlaitError(
                    f"a past slice has {counts.shape[0]} topics and {counts.shape[1]} words, which does not fit into "
                    f"{n_topics} topics and {n_words} words"
                )
            table[:, : counts.shape[1]] += weight * (counts if self.form == "counts" else _shares(counts))
        return table


def spread_weights(weights: Any, decay: float, window: int, n_past: int) -> list[float]:
    """Return ω for the past slices that there are, oldest first.

    Parameters
    ----------
    weights
        The total, or one number for each slice of the window, oldest first (of which the last are taken as long as the
        stream is shorter than the window).
    decay
        With a total: what a slice counts for, relative to the one after it.
    window
        How many past slices are looked at.
    n_past
        How many there are, at most `window`.
    """
    if np.ndim(weights) == 0:
        check_above_zero("decay", decay)
        shares = float(decay) ** np.arange(n_past - 1, -1, -1.0)
        total = float(weights) if isinstance(weights, (int, float, np.number)) else np.nan
        if not (np.isfinite(total) and total >= 0):
            raise PlaitError(
                f"weights, the total weight of history, must be 0 or more, not {weights!r}", parameter="weights"
            )
        return (total * shares / shares.sum()).tolist() if n_past else []
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != (window,) or not (np.isfinite(given) & (given >= 0)).all():
        raise PlaitError(
            f"weights must be the total weight of history, or {window} numbers of 0 or more, one for each past slice "
            f"of the window, oldest first; not {weights!r}",
            parameter="weights",
        )
    if decay != 1:
        raise PlaitError(
            "decay spreads a total weight over past slices; with one weight for each, leave it out", parameter="decay"
        )
    return given[window - n_past :].tolist()


def _shares(counts: np.ndarray) -> np.ndarray:
    """Return counts divided by each topic's sum (0 for a topic without words)."""
    totals = counts.sum(axis=1, keepdims=True, dtype=np.float64)
    return counts / np.where(totals > 0, totals, 1.0)
