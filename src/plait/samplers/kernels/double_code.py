"""LLVM code of the operations of doubles.py, which says what they are for; loaded when a kernel is compiled."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from plait.samplers.kernels.doubles import DOUBLES
from plait.samplers.kernels.lane_code import elementwise, splat_vector, vector_address

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
