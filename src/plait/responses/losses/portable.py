"""Functions of float64 numbers that have the same bits on every processor and on GPUs: no library function is called.

Only operations that IEEE 754 rounds correctly are used, in a fixed order. samplers/cuda/auxiliaries.cu has the same
functions. Relative errors are below 1e-12, far below what a draw can show.
"""

from __future__ import annotations

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel

_LOG2 = 0.6931471805599453
_ROOT2 = 1.4142135623730951
_FRACTION, _ONE = np.int64((1 << 52) - 1), np.int64(1023 << 52)  # bits of a float64: the fraction, and 1.0


@inline_kernel
def logarithm(value):
    """Return log of a number from 2⁻¹⁰²² on: 2 artanh((m − 1) / (m + 1)) of its fraction m, by a series."""
    bits = np.float64(value).view(np.int64)
    exponent = np.float64((bits >> np.int64(52)) - np.int64(1023))
    fraction = np.int64((bits & _FRACTION) | _ONE).view(np.float64)
    above = fraction > _ROOT2
    fraction = 0.5 * fraction if above else fraction
    exponent = exponent + 1.0 if above else exponent
    ratio = (fraction - 1.0) / (fraction + 1.0)  # at most 0.172
    square = ratio * ratio
    series = square * (1.0 / 17.0) + 1.0 / 15.0
    series = series * square + 1.0 / 13.0
    series = series * square + 1.0 / 11.0
    series = series * square + 1.0 / 9.0
    series = series * square + 1.0 / 7.0
    series = series * square + 1.0 / 5.0
    series = series * square + 1.0 / 3.0
    series = series * square + 1.0
    return exponent * _LOG2 + 2.0 * (ratio * series)


@inline_kernel
def sine_of_quarter(share):
    """Return sin(π / 2 × share) of a number from 0 to 1, by a series."""
    angle = 1.5707963267948966 * share
    square = angle * angle
    series = square * 2.8114572543455206e-15 - 7.647163731819816e-13
    series = series * square + 1.6059043836821613e-10
    series = series * square - 2.505210838544172e-08
    series = series * square + 2.7557319223985893e-06
    series = series * square - 0.0001984126984126984
    series = series * square + 0.008333333333333333
    series = series * square - 0.16666666666666666
    series = series * square + 1.0
    return angle * series


@inline_kernel
def half_square(first, second):
    """Return half the square of a standard normal number, given two uniform numbers in [0, 1).

    Box and Muller (1958): it is E cos²(2πu) with E exponential; sin²(πu / 2) has the same distribution as cos²(2πu).
    """
    sine = sine_of_quarter(second)
    return -logarithm(1.0 - first) * (sine * sine)
