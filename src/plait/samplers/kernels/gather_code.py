"""LLVM code of the operations of gather.py; loaded when a kernel is compiled.

The numbers are read one by one: on many processors a vector gather is not faster, and some have none.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from plait.samplers.kernels.lane_code import lanes, splat_vector, vector_address
from plait.samplers.kernels.lanes import LANES

_INT = ir.IntType(32)
_FLOATS = ir.VectorType(ir.FloatType(), LANES)
_SHORTS = ir.VectorType(ir.IntType(16), LANES)


def _load_topics(context: Any, builder: Any, array: Any, value: Any, place: Any) -> Any:
    return builder.load(vector_address(context, builder, array, value, place, _SHORTS), align=2)


def _is_topics(array: Any) -> bool:
    return isinstance(array, types.Array) and array.dtype == types.uint16


@intrinsic
def gather(typingctx: Any, values: Any, row: Any, topics: Any, place: Any) -> Any:
    """Return the float32 numbers, in a row that begins somewhere, of sixteen topics from a place of a list on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(values)(context, builder, arguments[0]).data
        data = builder.gep(data, [arguments[1]], inbounds=True)
        found = _load_topics(context, builder, topics, arguments[2], arguments[3])
        result = ir.Constant(_FLOATS, ir.Undefined)
        for lane in range(LANES):
            number = ir.Constant(_INT, lane)
            topic = builder.zext(builder.extract_element(found, number), ir.IntType(64))
            one = builder.load(builder.gep(data, [topic], inbounds=True))
            result = builder.insert_element(result, one, number)
        return result

    if not _is_topics(topics):
        return None
    return lanes(values, types.int64, topics, types.int64), generate


@intrinsic
def choose_at_topic(typingctx: Any, vector: Any, other: Any, topics: Any, place: Any, topic: Any) -> Any:
    """Return a vector with the lane of a topic from another one; the list has sixteen topics from a place on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        usual, special, list_value, where, wanted = arguments
        found = _load_topics(context, builder, topics, list_value, where)
        number = splat_vector(builder, _SHORTS, builder.trunc(wanted, ir.IntType(16)))
        return builder.select(builder.icmp_unsigned("==", found, number), special, usual)

    if not _is_topics(topics):
        return None
    return lanes(lanes, lanes, topics, types.int64, types.int64), generate
