"""LLVM code of the operations of lanes.py, which says what they are for. Only lanes.py and its like import this module.

It imports Numba and LLVM, so it is loaded when a kernel is compiled.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from plait.samplers.kernels.lanes import DROPPED_BITS, LANES

_FLOAT = ir.FloatType()
_INT = ir.IntType(32)
_FLOATS = ir.VectorType(_FLOAT, LANES)
_INTS = ir.VectorType(_INT, LANES)
_SHORTS = ir.VectorType(ir.IntType(16), LANES)
_MASK = ir.VectorType(ir.IntType(1), LANES)


class _LanesType(types.Type):
    """Numba type of sixteen float32 values."""

    def __init__(self) -> None:
        super().__init__(name="Lanes16")


class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _FLOATS)


register_model(_LanesType)(_LanesModel)
lanes = _LanesType()


def vector_address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: Any) -> Any:
    """Return a vector pointer to consecutive elements of a one-dimensional contiguous array."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index], inbounds=True), vector.as_pointer())


def splat_vector(builder: Any, vector: Any, value: Any) -> Any:
    """Return a vector with the same value in every lane."""
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(_INT, 0))
    everywhere = ir.Constant(ir.VectorType(_INT, vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), everywhere)


def _lane_mask(builder: Any, lane: Any) -> Any:
    """Return a mask that is set in one lane, or in none if `lane` is outside 0..15."""
    number = builder.trunc(lane, _INT)
    return builder.icmp_signed("==", ir.Constant(_INTS, list(range(LANES))), splat_vector(builder, _INTS, number))


@intrinsic
def load(typingctx: Any, array: Any, index: Any) -> Any:
    """Read sixteen consecutive elements, starting at index; integers become float32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = _FLOATS if array.dtype == types.float32 else _INTS
        pointer = vector_address(context, builder, array, arguments[0], arguments[1], vector)
        value = builder.load(pointer, align=4)
        return value if array.dtype == types.float32 else builder.sitofp(value, _FLOATS)

    if not (isinstance(array, types.Array) and array.dtype in (types.float32, types.int32)):
        return None
    return lanes(array, types.int64), generate


@intrinsic
def store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Write sixteen consecutive elements of a float32 array, starting at index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = vector_address(context, builder, array, arguments[0], arguments[1], _FLOATS)
        builder.store(arguments[2], pointer, align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), generate


_HALF = 1 << (DROPPED_BITS - 1)  # half of the last bit of a share that is kept: added before truncation
_MIN_SHARE = 2.0**-30
_RAISE = 2.0**96  # restores the exponent from its last five bits; a power of two changes no other bit


@intrinsic
def load_shares(typingctx: Any, array: Any, index: Any) -> Any:
    """Read sixteen consecutive shares, starting at index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_value, place = arguments
        if array.dtype == types.float32:
            return builder.load(vector_address(context, builder, array, array_value, place, _FLOATS), align=4)
        pointer = vector_address(context, builder, array, array_value, place, _SHORTS)
        return _unpack_shares(builder, builder.load(pointer, align=2))

    if not _is_share_array(array):
        return None
    return lanes(array, types.int64), generate


@intrinsic
def store_shares(typingctx: Any, array: Any, index: Any, shares: Any) -> Any:
    """Write sixteen consecutive shares, starting at index; return them as stored."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_value, place, given = arguments
        if array.dtype == types.float32:
            builder.store(given, vector_address(context, builder, array, array_value, place, _FLOATS), align=4)
            return given
        bits = builder.add(builder.bitcast(given, _INTS), ir.Constant(_INTS, [_HALF] * LANES))
        bits = builder.and_(bits, ir.Constant(_INTS, [-(1 << DROPPED_BITS)] * LANES))
        enough = builder.fcmp_ordered(">=", given, ir.Constant(_FLOATS, [_MIN_SHARE] * LANES))
        kept = builder.bitcast(builder.select(enough, bits, ir.Constant(_INTS, [0] * LANES)), _FLOATS)
        lowered = builder.bitcast(builder.fmul(kept, ir.Constant(_FLOATS, [1 / _RAISE] * LANES)), _INTS)
        packed = builder.trunc(builder.lshr(lowered, ir.Constant(_INTS, [DROPPED_BITS] * LANES)), _SHORTS)
        builder.store(packed, vector_address(context, builder, array, array_value, place, _SHORTS), align=2)
        return kept

    if not _is_share_array(array):
        return None
    return lanes(array, types.int64, lanes), generate


@intrinsic
def share_of(typingctx: Any, kept: Any) -> Any:
    """Return one stored share as a float32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if kept == types.float32:
            return arguments[0]
        return builder.extract_element(
            _unpack_shares(builder, splat_vector(builder, _SHORTS, arguments[0])), ir.Constant(_INT, 0)
        )

    return types.float32(kept), generate


def _is_share_array(array: Any) -> bool:
    return isinstance(array, types.Array) and array.dtype in (types.float32, types.uint16)


def _unpack_shares(builder: Any, packed: Any) -> Any:
    """Return sixteen shares as float32 from their sixteen bits each."""
    bits = builder.shl(builder.zext(packed, _INTS), ir.Constant(_INTS, [DROPPED_BITS] * LANES))
    return builder.fmul(builder.bitcast(bits, _FLOATS), ir.Constant(_FLOATS, [_RAISE] * LANES))


@intrinsic
def splat(typingctx: Any, value: Any) -> Any:
    """Return the same number in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return splat_vector(builder, _FLOATS, arguments[0])

    return lanes(types.float32), generate


def elementwise(operation: str, vector: Any) -> Any:
    """Return an intrinsic for an element-wise operation on two vectors of a type."""

    @intrinsic
    def combine(typingctx: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, operation)(*arguments)

        return vector(vector, vector), generate

    return combine


add = elementwise("fadd", lanes)
subtract = elementwise("fsub", lanes)
multiply = elementwise("fmul", lanes)
divide = elementwise("fdiv", lanes)


@intrinsic
def larger(typingctx: Any, left: Any, right: Any) -> Any:
    """Return the larger of two numbers, lane by lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _larger(builder, *arguments)

    return lanes(lanes, lanes), generate


# exp(x) = 2ⁿ exp(r) with n the integer nearest to x / log 2 and |r| ≤ log 2 / 2. n log 2 is subtracted in two steps,
# the first of which is exact, so that r keeps its precision. exp(r) = 1 + r + r² q(r), with q interpolated at Chebyshev
# nodes. The error is less than one unit in the last place.
_SERIES = (0.00139262508, 0.00836323288, 0.0416665542, 0.166665767, 0.5, 1.0, 1.0)
_LOG2_HIGH, _LOG2_LOW = 0.693359375, -2.12194440e-4
_ROUNDER = 12582912.0  # 1.5 · 2²³: adding it rounds to an integer
_MIN_EXPONENT, _MAX_EXPONENT = -87.0, 88.0


@intrinsic
def exponential(typingctx: Any, vector: Any) -> Any:
    """Return exp of every lane; numbers above 88 are treated as 88, and those up to −87 give 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def constant(value: float) -> Any:
            return ir.Constant(_FLOATS, [value] * LANES)

        given = arguments[0]
        enough = builder.fcmp_ordered(">", given, constant(_MIN_EXPONENT))
        x = builder.select(enough, given, constant(_MIN_EXPONENT))
        x = builder.select(builder.fcmp_ordered("<", x, constant(_MAX_EXPONENT)), x, constant(_MAX_EXPONENT))
        shifted = builder.fadd(builder.fmul(x, constant(1.4426950408889634)), constant(_ROUNDER))
        whole = builder.fsub(shifted, constant(_ROUNDER))
        rest = builder.fsub(x, builder.fmul(whole, constant(_LOG2_HIGH)))
        rest = builder.fsub(rest, builder.fmul(whole, constant(_LOG2_LOW)))
        series = constant(_SERIES[0])
        for coefficient in _SERIES[1:]:
            series = builder.fadd(builder.fmul(series, rest), constant(coefficient))
        power = builder.add(builder.fptosi(whole, _INTS), ir.Constant(_INTS, [127] * LANES))
        scale = builder.bitcast(builder.shl(power, ir.Constant(_INTS, [23] * LANES)), _FLOATS)
        return builder.select(enough, builder.fmul(series, scale), constant(0.0))

    return lanes(lanes), generate


@intrinsic
def at_least_zero(typingctx: Any, vector: Any) -> Any:
    """Replace negative numbers by 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = ir.Constant(_FLOATS, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", arguments[0], zeros), arguments[0], zeros)

    return lanes(lanes), generate


@intrinsic
def add_at(typingctx: Any, vector: Any, lane: Any, value: Any) -> Any:
    """Add a number to one lane; a lane outside 0..15 changes nothing."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector, lane, value = arguments
        changed = builder.fadd(vector, splat_vector(builder, _FLOATS, value))
        return builder.select(_lane_mask(builder, lane), changed, vector)

    return lanes(lanes, types.int64, types.float32), generate


@intrinsic
def replace_at(typingctx: Any, vector: Any, lane: Any, value: Any) -> Any:
    """Replace the number in one lane; a lane outside 0..15 changes nothing."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector, lane, value = arguments
        return builder.select(_lane_mask(builder, lane), splat_vector(builder, _FLOATS, value), vector)

    return lanes(lanes, types.int64, types.float32), generate


@intrinsic
def running_sum(typingctx: Any, vector: Any) -> Any:
    """Return the cumulative sum of the lanes, added in four doubling steps."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total = arguments[0]
        zeros = ir.Constant(_FLOATS, [0.0] * LANES)
        for step in (1, 2, 4, 8):
            # Lane i takes lane i - step; the first lanes take a zero (indices from 16 on select from `zeros`).
            moved = [LANES if lane < step else lane - step for lane in range(LANES)]
            total = builder.fadd(total, builder.shuffle_vector(total, zeros, ir.Constant(_INTS, moved)))
        return total

    return lanes(lanes), generate


def _reduce_lanes(builder: Any, vector: Any, combine: Any) -> Any:
    """Reduce the lanes to one number by combining one half with the other four times."""
    for size in (8, 4, 2, 1):
        low = ir.Constant(ir.VectorType(_INT, size), list(range(size)))
        high = ir.Constant(ir.VectorType(_INT, size), list(range(size, 2 * size)))
        vector = combine(builder.shuffle_vector(vector, vector, low), builder.shuffle_vector(vector, vector, high))
    return builder.extract_element(vector, ir.Constant(_INT, 0))


def _larger(builder: Any, left: Any, right: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", left, right), left, right)


@intrinsic
def lane_sum(typingctx: Any, vector: Any) -> Any:
    """Return the sum of all lanes, one half added to the other four times."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _reduce_lanes(builder, arguments[0], builder.fadd)

    return types.float32(lanes), generate


@intrinsic
def lane_max(typingctx: Any, vector: Any) -> Any:
    """Return the largest number of all lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _reduce_lanes(builder, arguments[0], lambda left, right: _larger(builder, left, right))

    return types.float32(lanes), generate


@intrinsic
def count_at_most(typingctx: Any, vector: Any, bound: Any) -> Any:
    """Return the number of lanes that are not larger than the bound."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        mask = builder.fcmp_ordered("<=", arguments[0], splat_vector(builder, _FLOATS, arguments[1]))
        bits = builder.bitcast(mask, ir.IntType(LANES))
        return builder.zext(builder.ctpop(bits), ir.IntType(64))

    return types.int64(lanes, types.float32), generate


@intrinsic
def positive_lanes(typingctx: Any, vector: Any) -> Any:
    """Return an integer whose bit i is set if lane i is above 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        above = builder.fcmp_ordered(">", arguments[0], ir.Constant(_FLOATS, [0.0] * LANES))
        return builder.zext(builder.bitcast(above, ir.IntType(LANES)), ir.IntType(64))

    return types.int64(lanes), generate


@intrinsic
def first_bit(typingctx: Any, bits: Any) -> Any:
    """Return the position of the lowest bit that is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def lane_at(typingctx: Any, vector: Any, lane: Any) -> Any:
    """Return the number in one lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(arguments[0], builder.trunc(arguments[1], _INT))

    return types.float32(lanes, types.int64), generate


@intrinsic
def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Prefetch the cache line of an element."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(array)(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [place.type], ir.FunctionType(ir.VoidType(), [place.type, _INT, _INT, _INT])
        )
        # For reading (0), keep in every cache level (3), data (1).
        builder.call(function, [place, ir.Constant(_INT, 0), ir.Constant(_INT, 3), ir.Constant(_INT, 1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate
