"""Draws from the inverse Gaussian distribution, safe for every mean."""

from __future__ import annotations

import math

import numpy as np

from plait._utils.arrays import scratch_array
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
    draws = np.empty(means.shape)
    _fill_draws(means.reshape(-1), *draw_numbers(means.shape, random), draws.reshape(-1))
    return draws


def draw_numbers(shape: tuple[int, ...], random: np.random.Generator | KeyedRandom) -> tuple[np.ndarray, np.ndarray]:
    """Return a normal and a uniform number for each of some draws, flat; the next call of the thread overwrites them.

    Parameters
    ----------
    shape : tuple of int
        Shape of the draws.
    random : Generator or KeyedRandom
        Source of the numbers.

    Examples
    --------
    >>> normals, uniforms = draw_numbers((2, 3), np.random.default_rng(0))
    >>> normals.shape, bool((uniforms < 1).all())
    ((6,), True)
    """
    if isinstance(random, KeyedRandom):
        return random.standard_normal(shape).reshape(-1), random.random(shape).reshape(-1)
    size = math.prod(shape)
    normals, uniforms = scratch_array("normals", size, np.float64), scratch_array("uniforms", size, np.float64)
    random.standard_normal(out=normals)
    random.random(out=uniforms)
    return normals, uniforms


@inline_kernel
def _not_zero(value):
    return _LEAST if value < _LEAST else value  # what is not a number stays so


@inline_kernel
def inverse_gaussian(inverse_mean, half, uniform):
    """Return a draw with shape 1 and mean 1 / `inverse_mean`, given half a squared normal and a uniform number."""
    smaller = 1.0 / _not_zero(inverse_mean + half + math.sqrt(half * (half + 2.0 * inverse_mean)))
    ratio = inverse_mean * smaller  # of the smaller root to the mean, at most 1
    larger = 1.0 / _not_zero(inverse_mean * ratio)  # their product is the squared mean
    takes_smaller = uniform * (1.0 + ratio) <= 1.0
    return smaller if takes_smaller else larger


@inline_kernel
def half_of(normal):
    """Return half the square of a normal number."""
    return normal * (0.5 * normal)


@kernel
def _fill_draws(inverse_means, normals, uniforms, draws):
    for place in range(draws.size):
        draws[place] = inverse_gaussian(inverse_means[place], half_of(normals[place]), uniforms[place])
