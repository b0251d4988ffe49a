"""Keyed random numbers for losses: every observation has its own stream, whichever observations it comes with.

`KeyedRandom` stands in for NumPy's generator in `Loss.observe`. NumPy's generator is one stream, so that a draw depends
on how many were made before it. Here observation i reads the stream of its own key, number after number.

Pólya-Gamma variables PG(b, z) of keyed streams are drawn by one compiled function. polya_gamma.py describes the
methods, and `choose_method` selects one for both. Two differ here:

- whole b: a sum of b draws of PG(1, z) by Devroye's method, Polson, Scott and Windle (2013), section 4: a proposal from
  a truncated inverse Gaussian or an exponential distribution, accepted by an alternating series;
- large b: a sum of gamma variables in place of the saddle point method.
"""

from __future__ import annotations

import math

import numpy as np

from plait.errors import PlaitError
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.random import uniform64

TERMS = 16  # gamma variables that are drawn of the infinite sum

INVERSE_GAUSSIAN, SERIES, DEVROYE, SADDLE, GAMMAS = range(5)  # methods for PG(b, z)
_LARGE_TILT = 30.0  # from here on PG(b, z) is an inverse Gaussian variable
_LARGE_SHAPE = 16.0
_LARGE_TILT_OF_LARGE_SHAPE = 25.0  # the saddle point method returns wrong draws from 27 on
_HUGE_SHAPE = 1e4  # the saddle point method loses precision above 1e5

_LARGEST_OF_SERIES = 8.0  # PG(b, z) with b < 1 is above it with a probability below 1e-15
_LEAST_TERM = 1e-17
_CUT = 0.64  # where the two proposals of Devroye's method meet
_LEAST = 1e-300  # replaces 0, whose inverse is not a number


class KeyedRandom:
    """Random numbers of observations, each from the stream of its own key.

    It has the methods of `numpy.random.Generator` that losses use. Sizes begin with the number of observations. A
    random number depends on its observation's key and on how many numbers that observation has taken, only. So a loss
    asks for numbers of all observations, or of some by `select`.

    Parameters
    ----------
    keys : ndarray of uint64, shape (observations,)
        One key per observation.

    Examples
    --------
    >>> alone = KeyedRandom(np.array([7], np.uint64)).random(1)
    >>> together = KeyedRandom(np.array([3, 7], np.uint64)).random(2)
    >>> bool(alone[0] == together[1])
    True
    """

    def __init__(self, keys: np.ndarray) -> None:
        self._keys = np.asarray(keys, np.uint64)
        self._taken = np.zeros(self._keys.size, np.int64)
        self._rows = np.arange(self._keys.size)

    def __getattr__(self, name: str) -> object:
        if not name.startswith("_") and hasattr(np.random.Generator, name):
            raise AttributeError(
                f"random.{name} is not available where random numbers are keyed by observation; a loss can use "
                "random.random and random.standard_normal, or draw_polya_gamma and draw_inverse_gaussian"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def random(self, size: int | tuple[int, ...]) -> np.ndarray:
        """Return uniform numbers in [0, 1).

        Parameters
        ----------
        size : int or tuple of int
            Number of observations, or (observations, …) for several numbers per observation.

        Returns
        -------
        ndarray of float64
            Of shape `size`.
        """
        result = self._room(size)
        _fill_uniform(self._keys, self._taken, self._rows, result)
        return result.reshape(size)

    def standard_normal(self, size: int | tuple[int, ...]) -> np.ndarray:
        """Return standard normal numbers; `size` as in `random`."""
        result = self._room(size)
        _fill_normal(self._keys, self._taken, self._rows, result)
        return result.reshape(size)

    def polya_gamma(self, shapes: np.ndarray, tilts: np.ndarray) -> np.ndarray:
        """Return a Pólya-Gamma variable PG(b, z) of every observation.

        Parameters
        ----------
        shapes : ndarray of shape (observations,)
            b, above 0.
        tilts : ndarray of shape (observations,)
            z.

        Returns
        -------
        ndarray of shape (observations,)
            One draw per observation.
        """
        result = self._room(shapes.shape)[:, 0]
        shapes, tilts = np.asarray(shapes, np.float64), np.asarray(tilts, np.float64)
        _fill_polya_gamma(self._keys, self._taken, self._rows, shapes, np.abs(tilts), result)
        return result

    def select(self, mask: np.ndarray) -> KeyedRandom:
        """Return the streams of some observations; numbers taken from it are taken from those streams.

        Parameters
        ----------
        mask : ndarray of bool, shape (observations,)
            Which observations.

        Returns
        -------
        KeyedRandom
            Its sizes begin with the number of selected observations.
        """
        chosen = object.__new__(KeyedRandom)
        chosen._keys, chosen._taken, chosen._rows = self._keys, self._taken, self._rows[mask]
        return chosen

    def _room(self, size: int | tuple[int, ...]) -> np.ndarray:
        """Return an array of shape (observations, numbers per observation) for random numbers of shape `size`."""
        shape = size if isinstance(size, tuple) else (size,)
        if not shape or shape[0] != self._rows.size:
            raise PlaitError(
                f"a loss asked for random numbers of shape {shape}, but random numbers are keyed by observation; "
                f"the first number must be {self._rows.size}, the number of observations"
            )
        return np.empty((shape[0], math.prod(shape[1:])))


@inline_kernel
def _uniform(keys, taken, row):
    """Return the next number in [0, 1) of a stream."""
    number = uniform64(keys[row], taken[row])
    taken[row] += 1
    return number


@inline_kernel
def _exponential(keys, taken, row):
    return -math.log(1.0 - _uniform(keys, taken, row))


@inline_kernel
def _normal(keys, taken, row):
    """Return a standard normal number: Box and Muller (1958)."""
    radius = math.sqrt(2.0 * _exponential(keys, taken, row))
    return radius * math.cos(2.0 * math.pi * _uniform(keys, taken, row))


@kernel
def _fill_uniform(keys, taken, rows, result):
    for place in range(rows.size):
        for number in range(result.shape[1]):
            result[place, number] = _uniform(keys, taken, rows[place])


@kernel
def _fill_normal(keys, taken, rows, result):
    for place in range(rows.size):
        for number in range(result.shape[1]):
            result[place, number] = _normal(keys, taken, rows[place])


@inline_kernel
def choose_method(shape, tilt):
    """Return the method for PG(shape, tilt), for keyed random numbers and for NumPy's generator."""
    # A tilt that is not a number gives a draw that is none.
    if not tilt < (_LARGE_TILT_OF_LARGE_SHAPE if shape > _LARGE_SHAPE else _LARGE_TILT):
        return INVERSE_GAUSSIAN
    if shape < 1.0:
        return SERIES
    if shape <= _LARGE_SHAPE:
        return DEVROYE
    return SADDLE if shape <= _HUGE_SHAPE else GAMMAS


@kernel
def fill_methods(shapes, tilts, methods):
    """Fill `methods` with the method for every shape and tilt."""
    for place in range(shapes.size):
        methods[place] = choose_method(shapes[place], tilts[place])


@kernel
def _fill_polya_gamma(keys, taken, rows, shapes, tilts, result):
    for place in range(rows.size):
        row, shape, tilt = rows[place], shapes[place], tilts[place]
        method = choose_method(shape, tilt)
        if method == INVERSE_GAUSSIAN:
            result[place] = _first_term(keys, taken, row, shape, tilt)
        elif method == SERIES:
            result[place] = _corrected_first_term(keys, taken, row, shape, tilt)
        elif method == DEVROYE:
            whole = math.floor(shape)
            # Half the tilt; PG(1, z) is a fourth of the variable J*(1, z / 2).
            total = 0.25 * _sum_of_ones(keys, taken, row, whole, 0.5 * tilt)
            if shape > whole:
                total += _sum_of_gammas(keys, taken, row, shape - whole, tilt)
            result[place] = total
        else:
            result[place] = _sum_of_gammas(keys, taken, row, shape, tilt)


@inline_kernel
def _first_term(keys, taken, row, shape, tilt):
    """Return a draw from the first term of the series of the density of PG(shape, tilt)."""
    return 0.25 * shape * shape * _inverse_gaussian(keys, taken, row, 0.5 * shape * tilt)


@inline_kernel
def _corrected_first_term(keys, taken, row, shape, tilt):
    """Return PG(shape, tilt) for a shape below 1: a draw from the first term, accepted by the whole series."""
    while True:
        value = _first_term(keys, taken, row, shape, tilt)
        if _uniform(keys, taken, row) < _series_ratio(shape, value):
            return value


@inline_kernel
def _series_ratio(shape, value):
    """Return the density of PG(shape, z) divided by the first term of its series; it does not depend on z.

    It is Σ_n (−1)ⁿ Γ(n + b) / (Γ(b) n!) · (2n + b) / b · exp(−n (n + b) / (2x)): Polson, Scott and Windle (2013),
    section 2.3. For b below 1 it falls from 1 to 0 as x grows.
    """
    if value > _LARGEST_OF_SERIES:
        return 0.0
    total, factor, sign, number = 1.0, 1.0, -1.0, 1
    while True:
        term = factor * (2 * number + shape) * math.exp(-0.5 * number * (number + shape) / value)
        if not term > _LEAST_TERM:
            return total
        total += sign * term
        sign = -sign
        factor *= (number + shape) / (number + 1)
        number += 1


@kernel
def fill_series_ratios(shapes, values, result):
    """Fill `result` with the density of PG(b, z) at every value, divided by the first term of its series."""
    for place in range(shapes.size):
        result[place] = _series_ratio(shapes[place], values[place])


@inline_kernel
def _inverse_gaussian(keys, taken, row, inverse_mean):
    """Return an inverse Gaussian variable with shape parameter 1; inverse_gaussian.py explains the roots."""
    half = _normal(keys, taken, row)
    half *= 0.5 * half
    smaller = 1.0 / max(inverse_mean + half + math.sqrt(half * (half + 2.0 * inverse_mean)), _LEAST)
    ratio = inverse_mean * smaller
    if _uniform(keys, taken, row) * (1.0 + ratio) <= 1.0:
        return smaller
    return 1.0 / max(inverse_mean * ratio, _LEAST)


@inline_kernel
def _sum_of_ones(keys, taken, row, whole, tilt):
    """Return the sum of so many variables J*(1, tilt), by Devroye's method."""
    rate = 0.125 * math.pi * math.pi + 0.5 * tilt * tilt
    share = _exponential_share(tilt, rate)
    total = 0.0
    drawn = 0.0
    while drawn < whole:
        if _uniform(keys, taken, row) < share:
            proposal = _CUT + _exponential(keys, taken, row) / rate
        else:
            proposal = _truncated_inverse_gaussian(keys, taken, row, tilt)
        if _accept(keys, taken, row, proposal):
            total += proposal
            drawn += 1.0
    return total


@inline_kernel
def _exponential_share(tilt, rate):
    """Return the share of proposals beyond the cut, which are exponential."""
    root = math.sqrt(1.0 / _CUT)
    start = math.log(rate) + rate * _CUT
    below = math.exp(start - tilt + _log_normal_cdf(root * (_CUT * tilt - 1.0)))
    above = math.exp(start + tilt + _log_normal_cdf(-root * (_CUT * tilt + 1.0)))
    return 1.0 / (1.0 + 4.0 / math.pi * (below + above))


@inline_kernel
def _log_normal_cdf(value):
    return math.log(0.5 * math.erfc(-value * math.sqrt(0.5)))


@inline_kernel
def _truncated_inverse_gaussian(keys, taken, row, inverse_mean):
    """Return an inverse Gaussian variable with shape parameter 1 that is below the cut."""
    if inverse_mean * _CUT >= 1.0:  # most draws are below the cut
        while True:
            value = _inverse_gaussian(keys, taken, row, inverse_mean)
            if value <= _CUT:
                return value
    while True:
        first, second = _exponential(keys, taken, row), _exponential(keys, taken, row)
        if first * first > 2.0 * second / _CUT:
            continue
        value = _CUT / ((1.0 + _CUT * first) * (1.0 + _CUT * first))
        if _uniform(keys, taken, row) <= math.exp(-0.5 * inverse_mean * inverse_mean * value):
            return value


@inline_kernel
def _accept(keys, taken, row, value):
    """Return whether a proposal is accepted: the partial sums of the series enclose the density."""
    total = _series_term(0, value)
    target = _uniform(keys, taken, row) * total
    number = 0
    while True:
        number += 1
        total -= _series_term(number, value)
        if target <= total:
            return True
        number += 1
        total += _series_term(number, value)
        if target > total:
            return False


@inline_kernel
def _series_term(number, value):
    half = number + 0.5
    if value > _CUT:
        return half * math.pi * math.exp(-0.5 * half * half * math.pi * math.pi * value)
    return half * math.pi * math.exp(-1.5 * math.log(0.5 * math.pi * value) - 2.0 * half * half / value)


@inline_kernel
def _sum_of_gammas(keys, taken, row, shape, tilt):
    """Return PG(shape, tilt): the largest terms of the sum, and one gamma variable for the rest."""
    mean, variance = _moments(tilt)
    total = 0.0
    for term in range(TERMS):
        half = term + 0.5
        scale = 1.0 / (2.0 * math.pi * math.pi * half * half + 0.5 * tilt * tilt)
        total += scale * _gamma(keys, taken, row, shape)
        mean -= scale
        variance -= scale * scale
    return total + _gamma(keys, taken, row, shape * mean * mean / variance) * variance / mean


@inline_kernel
def _moments(tilt):
    """Return mean and variance of PG(1, z)."""
    square = tilt * tilt
    if tilt < 0.1:  # the closed forms cancel; these are their series
        mean = 1 / 4 - square / 48 + square * square / 480 - 17 * square * square * square / 80640
        return mean, 1 / 24 - square / 120 + 17 * square * square / 13440
    slope = math.tanh(0.5 * tilt)
    return slope / (2.0 * tilt), (2.0 * slope - tilt * (1.0 - slope * slope)) / (4.0 * tilt * square)


@inline_kernel
def _gamma(keys, taken, row, shape):
    """Return a gamma variable with scale 1: Marsaglia and Tsang (2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - _uniform(keys, taken, row)) ** (1.0 / shape)
        shape += 1.0
    least = shape - 1.0 / 3.0
    scale = 1.0 / math.sqrt(9.0 * least)
    while True:
        normal = _normal(keys, taken, row)
        root = 1.0 + scale * normal
        if root <= 0.0:
            continue
        cube = root * root * root
        threshold = 0.5 * normal * normal + least * (1.0 - cube + math.log(cube))
        if math.log(1.0 - _uniform(keys, taken, row)) < threshold:
            return boost * least * cube
