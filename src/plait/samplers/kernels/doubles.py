"""Vector operations on eight float64 numbers, for sums over documents and for Cholesky factors.

As in lanes.py, they are written as LLVM vectors. Sums then stay in registers, which Numba does not find out alone where
rows of one array are read and written. Multiplications and additions are never contracted, so every number has the same
bits as in a plain loop.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import elementwise, splat_vector, vector_address

DOUBLES = 8

_VECTOR = ir.VectorType(ir.DoubleType(), DOUBLES)


class _DoublesType(types.Type):
    """Numba type of eight float64 values."""

    def __init__(self) -> None:
        super().__init__(name="Doubles8")


class _DoublesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


register_model(_DoublesType)(_DoublesModel)
doubles = _DoublesType()


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


@intrinsic
def load_doubles(typingctx: Any, array: Any, index: Any) -> Any:
    """Read eight consecutive elements of a flat float64 array, starting at index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = vector_address(context, builder, array, arguments[0], arguments[1], _VECTOR)
        return builder.load(pointer, align=8)

    return doubles(array, types.int64), generate


@intrinsic
def store_doubles(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Write eight consecutive elements of a flat float64 array, starting at index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = vector_address(context, builder, array, arguments[0], arguments[1], _VECTOR)
        builder.store(arguments[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, doubles), generate


@intrinsic
def splat_double(typingctx: Any, value: Any) -> Any:
    """Return the same number eight times."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return splat_vector(builder, _VECTOR, arguments[0])

    return doubles(types.float64), generate


add_doubles = elementwise("fadd", doubles)
subtract_doubles = elementwise("fsub", doubles)
multiply_doubles = elementwise("fmul", doubles)


@inline_kernel
def add_scaled(totals, place, factor, values, first, size):
    """Add values, times a factor, to totals; `size` is a multiple of eight."""
    factors = splat_double(factor)
    for number in range(0, size, DOUBLES):
        change = multiply_doubles(factors, load_doubles(values, first + number))
        store_doubles(totals, place + number, add_doubles(load_doubles(totals, place + number), change))
