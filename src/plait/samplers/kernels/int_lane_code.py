"""LLVM code of the operations of int_lanes.py, which says what they are for; loaded when a kernel is compiled."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from plait.samplers.kernels.lane_code import elementwise, lanes, splat_vector, vector_address
from plait.samplers.kernels.lanes import LANES

_INT = ir.IntType(32)
_INTS = ir.VectorType(_INT, LANES)
_LONGS = ir.VectorType(ir.IntType(64), LANES)
_FLOATS = ir.VectorType(ir.FloatType(), LANES)


class _IntLanesType(types.Type):
    """Numba type of sixteen int32 values."""

    def __init__(self) -> None:
        super().__init__(name="IntLanes16")


class _IntLanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _INTS)


register_model(_IntLanesType)(_IntLanesModel)
int_lanes = _IntLanesType()

add_counts = elementwise("add", int_lanes)
subtract_counts = elementwise("sub", int_lanes)


def _ones_at(builder: Any, lane: Any) -> Any:
    """Return −1 in one lane and 0 in the others."""
    number = splat_vector(builder, _INTS, builder.trunc(lane, _INT))
    return builder.sext(builder.icmp_signed("==", ir.Constant(_INTS, list(range(LANES))), number), _INTS)


@intrinsic
def no_counts(typingctx: Any) -> Any:
    """Return 0 in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(_INTS, [0] * LANES)

    return int_lanes(), generate


@intrinsic
def count_at(typingctx: Any, counts: Any, lane: Any) -> Any:
    """Add 1 to one lane; a lane outside 0..15 changes nothing."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.sub(arguments[0], _ones_at(builder, arguments[1]))

    return int_lanes(int_lanes, types.int64), generate


@intrinsic
def uncount_at(typingctx: Any, counts: Any, lane: Any) -> Any:
    """Subtract 1 from one lane; a lane outside 0..15 changes nothing."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.add(arguments[0], _ones_at(builder, arguments[1]))

    return int_lanes(int_lanes, types.int64), generate


@intrinsic
def load_counts(typingctx: Any, array: Any, index: Any) -> Any:
    """Read sixteen consecutive elements of an int32 array, starting at index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = vector_address(context, builder, array, arguments[0], arguments[1], _INTS)
        return builder.load(pointer, align=4)

    if not (isinstance(array, types.Array) and array.dtype == types.int32):
        return None
    return int_lanes(array, types.int64), generate


@intrinsic
def store_counts(typingctx: Any, array: Any, index: Any, counts: Any) -> Any:
    """Write sixteen consecutive elements of an int32 array, starting at index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, place, value = arguments
        builder.store(value, vector_address(context, builder, array, given, place, _INTS), align=4)
        return context.get_dummy_value()

    if not (isinstance(array, types.Array) and array.dtype == types.int32):
        return None
    return types.void(array, types.int64, int_lanes), generate


@intrinsic
def as_numbers(typingctx: Any, counts: Any) -> Any:
    """Return the counts as float32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.sitofp(arguments[0], _FLOATS)

    return lanes(int_lanes), generate


@intrinsic
def add_to_totals(typingctx: Any, totals: Any, index: Any, change: Any) -> Any:
    """Add counts to sixteen consecutive elements of an int64 array, starting at index; return the sums as float32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, place, added = arguments
        pointer = vector_address(context, builder, totals, given, place, _LONGS)
        total = builder.add(builder.load(pointer, align=8), builder.sext(added, _LONGS))
        builder.store(total, pointer, align=8)
        return builder.sitofp(total, _FLOATS)

    if not (isinstance(totals, types.Array) and totals.dtype == types.int64):
        return None
    return lanes(totals, types.int64, int_lanes), generate


@intrinsic
def shift_by(typingctx: Any, numbers: Any, amount: Any) -> Any:
    """Add one number to every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.add(arguments[0], splat_vector(builder, _INTS, builder.trunc(arguments[1], _INT)))

    return int_lanes(int_lanes, types.int64), generate


@intrinsic
def not_above(typingctx: Any, numbers: Any, bound: Any) -> Any:
    """Replace numbers above a bound by the bound."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        highest = splat_vector(builder, _INTS, builder.trunc(arguments[1], _INT))
        return builder.select(builder.icmp_signed("<", arguments[0], highest), arguments[0], highest)

    return int_lanes(int_lanes, types.int64), generate


@intrinsic
def choose_at_most(typingctx: Any, bounds: Any, targets: Any, then: Any, otherwise: Any) -> Any:
    """Return the numbers of `then` where the bound is not above the target, and those of `otherwise` elsewhere."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bound, target, chosen, kept = arguments
        return builder.select(builder.fcmp_ordered("<=", bound, target), chosen, kept)

    return int_lanes(lanes, lanes, int_lanes, int_lanes), generate


@intrinsic
def read_at(typingctx: Any, array: Any, start: Any, numbers: Any) -> Any:
    """Read sixteen elements of a float32 array, each at the start plus a number from 0 to 15."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, first, places = arguments
        # LLVM has no such operation for all processors; the tuple has the features of the one to compile for.
        if "+avx512f" in str(context.codegen().magic_tuple()):
            table = builder.load(vector_address(context, builder, array, given, first, _FLOATS), align=4)
            kind = ir.FunctionType(_FLOATS, [_FLOATS, _INTS])
            permute = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx512.permvar.sf.512")
            return builder.call(permute, [table, places])
        begin = builder.gep(context.make_array(array)(context, builder, given).data, [first], inbounds=True)
        result = ir.Constant(_FLOATS, ir.Undefined)
        for lane in range(LANES):
            number = ir.Constant(_INT, lane)
            place = builder.zext(builder.extract_element(places, number), ir.IntType(64))
            one = builder.load(builder.gep(begin, [place], inbounds=True))
            result = builder.insert_element(result, one, number)
        return result

    if not (isinstance(array, types.Array) and array.dtype == types.float32):
        return None
    return lanes(array, types.int64, int_lanes), generate


@intrinsic
def store_topics(typingctx: Any, array: Any, index: Any, topics: Any) -> Any:
    """Write sixteen consecutive topics of eight or sixteen bits each, starting at index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, place, value = arguments
        vector = ir.VectorType(ir.IntType(array.dtype.bitwidth), LANES)
        pointer = vector_address(context, builder, array, given, place, vector)
        builder.store(builder.trunc(value, vector), pointer, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    if not (isinstance(array, types.Array) and array.dtype in (types.uint8, types.uint16)):
        return None
    return types.void(array, types.int64, int_lanes), generate
