"""Draws from the inverse Gaussian distribution, safe for every mean."""

from __future__ import annotations

import numpy as np

from plait.responses.losses.keyed import KeyedRandom

_LEAST = 1e-300  # in the place of 0, whose inverse is not a number


def draw_inverse_gaussian(inverse_means: np.ndarray, random: np.random.Generator | KeyedRandom) -> np.ndarray:
    """Return draws with shape parameter 1 and the means 1 / `inverse_means`; a 0 there means an infinite mean.

    The transformation with two roots of Michael, Schucany and Haas (1976). With a = 1 / mean and h half a squared
    normal draw, its smaller root is written 1 / (a + h + √(h (h + 2a))): nothing in it cancels, and it stays
    finite as a goes to 0, where the draws become 1 / (2h).

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> draws = draw_inverse_gaussian(np.full(100_000, 2.0), random)
    >>> round(float(draws.mean()), 2)
    0.5
    """
    half = random.standard_normal(inverse_means.shape)
    half *= 0.5 * half
    smaller = 1.0 / np.maximum(inverse_means + half + np.sqrt(half * (half + 2.0 * inverse_means)), _LEAST)
    ratio = inverse_means * smaller  # of the smaller root to the mean, at most 1
    takes_smaller = random.random(inverse_means.shape) * (1.0 + ratio) <= 1.0
    larger = 1.0 / np.maximum(inverse_means * ratio, _LEAST)  # their product is the squared mean
    return np.where(takes_smaller, smaller, larger)
