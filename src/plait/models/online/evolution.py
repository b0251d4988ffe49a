"""Drift and novelty: the distance of a topic from its window, and the words that the window does not explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_ROUNDS = 50  # EM iterations for the proportions of past topics that explain a slice best
_KEPT_RISEN = 10  # risen words of each topic that are kept of every slice
_CAUTION = 2.0  # standard errors that a word must exceed its expected count by to count as risen


class Window(NamedTuple):
    """Weighted topic–word counts of the past slices."""

    counts: np.ndarray  # topics × words
    totals: np.ndarray  # topics
    sizes: np.ndarray  # topics: effective number of tokens
    size: float  # effective number of tokens of all topics


def weigh(past: Sequence[np.ndarray], weights: Sequence[float], n_topics: int, n_words: int) -> Window | None:
    """Return the window of past slices (topics × words each, possibly with fewer words); None if its weight is 0."""
    if not len(past) or not sum(weights) > 0:
        return None
    counts = np.zeros((n_topics, n_words))
    squares = np.zeros(n_topics)
    for held, weight in zip(past, weights, strict=True):
        counts[:, : held.shape[1]] += weight * held
        squares += weight**2 * held.sum(axis=1, dtype=np.float64)
    totals = counts.sum(axis=1)
    sizes = totals**2 / np.where(squares > 0, squares, 1.0)
    return Window(counts, totals, sizes, float(totals.sum() ** 2 / squares.sum()) if squares.any() else 0.0)


def compare(now: np.ndarray, past: Sequence[np.ndarray], weights: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the drift of each topic from the past slices, and the drift expected by chance.

    Drift is the total variation distance between word distributions, ½ Σ_w |p_w − q_w|: the share of a topic's tokens
    that would have to be exchanged. Chance is that of drawing the tokens of both from one distribution: E|p̂_w − q̂_w|
    is about √(2 p_w (1/n + 1/m) / π) for frequent words, p_w being the mean of both, and never more than 2 p_w, which
    is close for rare ones. It does not include that topics change a little with every sweep.

    Parameters
    ----------
    now : ndarray of shape (topics, words)
        Topic–word counts of the current slice.
    past : sequence of ndarray
        The same of the past slices, possibly with fewer words; if there are none, drift is NaN.
    weights : sequence of float
        Weights of the past slices.

    Returns
    -------
    tuple of ndarray of shape (topics,)
        Drift, and drift expected by chance.
    """
    window = weigh(past, weights, *now.shape)
    if window is None:
        return np.full(now.shape[0], np.nan), np.full(now.shape[0], np.nan)
    present, sizes = now.sum(axis=1, dtype=np.float64), window.sizes
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = now / present[:, np.newaxis], window.counts / window.totals[:, np.newaxis]
        either = (present[:, np.newaxis] * p + sizes[:, np.newaxis] * q) / (present + sizes)[:, np.newaxis]
        drift = 0.5 * np.abs(p - q).sum(axis=1)
        frequent = np.sqrt(2 / np.pi * (1 / present + 1 / sizes)[:, np.newaxis] * either * (1 - either))
    return drift, 0.5 * np.minimum(frequent, 2 * either).sum(axis=1)


def find_risen(
    now: np.ndarray, past: Sequence[np.ndarray], weights: Sequence[float], squares: np.ndarray
) -> np.ndarray | None:
    """Return the topic–word counts beyond those that the window explains; None if there is no window.

    The words of a topic may change because topics exchange words, split or merge, which is nothing new. So a token
    counts only if its word exceeds the count expected of its topic *and* the count of the whole slice if all its tokens
    came from the topics of the window, in the proportions that explain it best. Two standard errors are subtracted for
    chance. They are computed per document rather than per token, because a word that one document repeats is not a
    theme: n tokens of a word with c = Σ_d n_d² / Σ_d n_d count as n / c documents.

    Parameters
    ----------
    now, past, weights : ndarray, list of ndarray, list of float
        As in `compare`.
    squares : ndarray of shape (words,)
        Σ_d n_dw² of the current slice.

    Returns
    -------
    ndarray of shape (topics, words) or None
        Counts beyond the expected ones.
    """
    window = weigh(past, weights, *now.shape)
    if window is None or window.size == 0:
        return None
    q = window.counts / np.where(window.totals > 0, window.totals, 1.0)[:, np.newaxis]
    held, present = now.sum(axis=0, dtype=np.float64), now.sum(axis=1, dtype=np.float64)
    expected = held.sum() * (_proportions(held, q, window.totals) @ q)
    repeats = squares / np.where(held > 0, held, 1.0)
    error = np.sqrt(repeats * expected * (1 + held.sum() / window.size) + repeats**2)
    above = np.maximum(held - expected - _CAUTION * error, 0.0)
    return np.minimum(np.maximum(now - present[:, np.newaxis] * q, 0.0), above)


def novelty_of(risen: np.ndarray | None, now: np.ndarray) -> np.ndarray:
    """Return the share of each topic's tokens that are risen words; NaN if there is no window."""
    if risen is None:
        return np.full(now.shape[0], np.nan)
    present = now.sum(axis=1, dtype=np.float64)
    return risen.sum(axis=1) / np.where(present > 0, present, np.nan)


def first_risen(risen: np.ndarray | None, names: np.ndarray, n_topics: int) -> np.ndarray:
    """Return the words of each topic with the largest rise."""
    if risen is None:
        return np.empty((n_topics, 0), dtype=object)
    first = np.argsort(-risen, axis=1, kind="stable")[:, :_KEPT_RISEN]
    named = [[str(names[word]) if row[word] > 0 else "" for word in own] for own, row in zip(first, risen, strict=True)]
    return np.array(named, dtype=object)


def _proportions(held: np.ndarray, q: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the proportions of distributions q (topics × words) that maximise the likelihood of word counts, by EM."""
    seen = (held > 0) & (q.sum(axis=0) > 0)
    shares = start / start.sum()
    if not seen.any():
        return shares
    words, q = held[seen] / held[seen].sum(), q[:, seen]
    for _ in range(_ROUNDS):
        mixed = shares @ q
        shares = shares * (q @ (words / np.where(mixed > 0, mixed, 1.0)))
        shares = shares / shares.sum()
    return shares
