"""Draws from the inverse Gaussian distribution, safe for every mean."""

from __future__ import annotations

import math

import numpy as np

from plait.responses.losses.keyed import KeyedRandom
from plait.samplers.kernels.compiled import inline_kernel, kernel

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
    means = np.ascontiguousarray(inverse_means, dtype=np.float64)
    normals, uniforms = random.standard_normal(means.shape), random.random(means.shape)
    draws = np.empty(means.shape)
    _fill_draws(means.reshape(-1), normals.reshape(-1), uniforms.reshape(-1), draws.reshape(-1))
    return draws


@inline_kernel
def _not_zero(value):
    return _LEAST if value < _LEAST else value  # what is not a number stays so


@kernel
def _fill_draws(inverse_means, normals, uniforms, draws):
    for place in range(draws.size):
        inverse_mean = inverse_means[place]
        half = normals[place] * (0.5 * normals[place])
        smaller = 1.0 / _not_zero(inverse_mean + half + math.sqrt(half * (half + 2.0 * inverse_mean)))
        ratio = inverse_mean * smaller  # of the smaller root to the mean, at most 1
        larger = 1.0 / _not_zero(inverse_mean * ratio)  # their product is the squared mean
        takes_smaller = uniforms[place] * (1.0 + ratio) <= 1.0
        draws[place] = smaller if takes_smaller else larger
