"""Vector operations on eight float64 numbers, for sums over documents and for Cholesky factors.

As those of lanes.py, they are written as LLVM vectors. Sums then stay in registers, which Numba does not find out alone
where rows of one array are read and written. Multiplications and additions are never contracted, so every number has
the same bits as in a plain loop. Only kernels can call them; double_code.py has their code, and says what each does.
"""

from __future__ import annotations

from typing import Any

from plait.samplers.kernels.compiled import inline_kernel, intrinsic_of

DOUBLES = 8

_CODE = "plait.samplers.kernels.double_code"

load_doubles = intrinsic_of(_CODE, "load_doubles")
store_doubles = intrinsic_of(_CODE, "store_doubles")
splat_double = intrinsic_of(_CODE, "splat_double")
add_doubles = intrinsic_of(_CODE, "add_doubles")
subtract_doubles = intrinsic_of(_CODE, "subtract_doubles")
multiply_doubles = intrinsic_of(_CODE, "multiply_doubles")


def padded_size(size: Any, unit: int = DOUBLES) -> Any:
    """Return a number of elements rounded up to whole vectors.

    Parameters
    ----------
    size : int or ndarray of int
        Number of elements.
    unit : int, default 8
        Elements per vector.
    """
    return (size + unit - 1) // unit * unit


@inline_kernel
def add_scaled(totals, place, factor, values, first, size):
    """Add values, times a factor, to totals; `size` is a multiple of eight."""
    factors = splat_double(factor)
    for number in range(0, size, DOUBLES):
        change = multiply_doubles(factors, load_doubles(values, first + number))
        store_doubles(totals, place + number, add_doubles(load_doubles(totals, place + number), change))
