"""How far a topic's words lie from what its window expected, and how far they would by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def compare(now: np.ndarray, past: Sequence[np.ndarray], weights: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return each topic's drift from the past slices, and the drift that chance alone would bring.

    Drift is the total variation distance between the shares of words, ½ Σ_w |p_w − q_w|: the share of a topic's words
    that would have to be exchanged. Chance is that of drawing as many words as the topic holds, now and then, from one
    distribution: E|p̂_w − q̂_w| is about √(2 p_w (1/n + 1/m) / π), p_w being the mean of both.

    Parameters
    ----------
    now
        Topics × words: how often each topic holds each word.
    past
        The same of the past slices, perhaps with fewer words; where there are none, drift is NaN.
    weights
        How much each counts for.
    """
    n_topics, n_words = now.shape
    if not len(past) or not sum(weights) > 0:
        return np.full(n_topics, np.nan), np.full(n_topics, np.nan)
    before = np.zeros((n_topics, n_words))
    held = np.zeros(n_topics)
    squares = np.zeros(n_topics)
    for counts, weight in zip(past, weights, strict=True):
        before[:, : counts.shape[1]] += weight * counts
        totals = counts.sum(axis=1, dtype=np.float64)
        held += weight * totals
        squares += weight**2 * totals
    present = now.sum(axis=1, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = now / present[:, np.newaxis], before / held[:, np.newaxis]
        sizes = held**2 / squares  # as many words drawn alike would be as far off
        either = (present[:, np.newaxis] * p + sizes[:, np.newaxis] * q) / (present + sizes)[:, np.newaxis]
        drift = 0.5 * np.abs(p - q).sum(axis=1)
        noise = 0.5 * np.sqrt(2 / np.pi * (1 / present + 1 / sizes)) * np.sqrt(either * (1 - either)).sum(axis=1)
    return drift, np.minimum(noise, 1.0)
