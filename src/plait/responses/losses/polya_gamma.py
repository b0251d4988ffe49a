"""Draws from Pólya-Gamma distributions PG(b, z), right for every shape and every tilt.

Two methods of the `polyagamma` package are used, in ranges where three million draws show no error: Devroye's for
whole b, the saddle point's for large b. The others are off by up to 5 % in the variance, or overflow where |z| is
large. What is left is done here:

- from |z| = 30 on (25 for large b), PG(b, z) is the inverse Gaussian distribution with mean b / (2 |z|) and shape
  b² / 4, the first term of its density's series; the next one weighs b exp(−|z|), less than 2e-11 b. The saddle point
  method returns wrong draws for large b from |z| = 28 on;
- the fraction r of b is a sum of gamma variables with shape r, Σ_k g_k / (2π² (k − ½)² + z² / 2): the largest are
  drawn, the rest are one gamma variable with their mean and variance (of 1e-5 of the whole variance).

With keyed random numbers (`KeyedRandom`) the same distribution is drawn by one compiled function.
"""

from __future__ import annotations

import numpy as np
from polyagamma import random_polyagamma

from plait.responses.losses.inverse_gaussian import draw_inverse_gaussian
from plait.responses.losses.keyed import LARGE_SHAPE, LARGE_TILT, LARGE_TILT_OF_LARGE_SHAPE, TERMS, KeyedRandom


def draw_polya_gamma(shapes: np.ndarray, tilts: np.ndarray, random: np.random.Generator | KeyedRandom) -> np.ndarray:
    """Return a draw for every shape b > 0 and tilt z.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> draws = draw_polya_gamma(np.full(100_000, 4.0), np.full(100_000, 2.0), random)
    >>> round(float(draws.mean()), 2), round(float(np.tanh(1.0)), 2)
    (0.76, 0.76)
    """
    if isinstance(random, KeyedRandom):
        return random.polya_gamma(shapes, tilts)
    sizes = np.abs(tilts)
    draws = np.zeros(shapes.shape)
    far = sizes >= np.where(shapes > LARGE_SHAPE, LARGE_TILT_OF_LARGE_SHAPE, LARGE_TILT)
    if far.any():
        shape = shapes[far]
        draws[far] = 0.25 * shape * shape * draw_inverse_gaussian(0.5 * shape * sizes[far], random)
    large = ~far & (shapes > LARGE_SHAPE)
    if large.any():
        draws[large] = random_polyagamma(shapes[large], sizes[large], method="saddle", random_state=random)
    small = ~far & ~large
    whole = np.floor(shapes)
    devroye = small & (whole > 0)
    if devroye.any():
        draws[devroye] = random_polyagamma(whole[devroye], sizes[devroye], method="devroye", random_state=random)
    broken = small & (shapes > whole)
    if broken.any():
        draws[broken] += _draw_fractions((shapes - whole)[broken], sizes[broken], random)
    return draws


def _draw_fractions(shapes: np.ndarray, tilts: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return draws for shapes below 1: the largest terms of the sum, and one for the rest."""
    halves = np.arange(1, TERMS + 1) - 0.5
    scales = 1.0 / (2.0 * np.pi**2 * halves**2 + 0.5 * tilts[:, np.newaxis] ** 2)
    drawn = np.einsum("nk,nk->n", random.standard_gamma(np.repeat(shapes[:, np.newaxis], TERMS, axis=1)), scales)
    mean, variance = _moments(tilts)
    mean, variance = mean - scales.sum(axis=1), variance - (scales * scales).sum(axis=1)  # of the rest of PG(1, z)
    return drawn + random.standard_gamma(shapes * mean * mean / variance) * variance / mean


def _moments(tilts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of PG(1, z)."""
    near = tilts < 0.1
    z = np.where(near, 1.0, tilts)
    slope = np.tanh(0.5 * z)
    mean, variance = slope / (2 * z), (2 * slope - z * (1 - slope * slope)) / (4 * z**3)
    squares = tilts * tilts  # the closed forms cancel where z is small; these are their series
    mean = np.where(near, 1 / 4 - squares / 48 + squares**2 / 480 - 17 * squares**3 / 80640, mean)
    variance = np.where(near, 1 / 24 - squares / 120 + 17 * squares**2 / 13440, variance)
    return mean, variance
