"""Vector operations on sixteen float32 lanes, from which the compiled sweeps are built.

Numba vectorises simple loops, but not the search for a drawn topic. These operations are therefore written as LLVM
vectors, which run on every CPU (AVX-512 uses one register, AVX2 two, NEON four). The order of additions is fixed, so a
sum has the same bits on every machine. Only kernels can call them; lane_code.py has their code and says what each does.
"""

from __future__ import annotations

from plait.samplers.kernels.compiled import intrinsic_of

LANES = 16

# A share, a number from 0 to 1, is stored as float32 or in sixteen bits: the last five bits of a float32's exponent and
# the first eleven bits of its fraction. The relative error is then at most 1 / 4,096; numbers below 2⁻³⁰ become 0.
DROPPED_BITS = 12  # bits of the fraction that are not stored
WHOLE_SHARE = (31 << 23) >> DROPPED_BITS  # the sixteen bits of the share 1

_CODE = "plait.samplers.kernels.lane_code"

load = intrinsic_of(_CODE, "load")
store = intrinsic_of(_CODE, "store")
load_shares = intrinsic_of(_CODE, "load_shares")
store_shares = intrinsic_of(_CODE, "store_shares")
share_of = intrinsic_of(_CODE, "share_of")
splat = intrinsic_of(_CODE, "splat")
add = intrinsic_of(_CODE, "add")
subtract = intrinsic_of(_CODE, "subtract")
multiply = intrinsic_of(_CODE, "multiply")
divide = intrinsic_of(_CODE, "divide")
larger = intrinsic_of(_CODE, "larger")
exponential = intrinsic_of(_CODE, "exponential")
at_least_zero = intrinsic_of(_CODE, "at_least_zero")
add_at = intrinsic_of(_CODE, "add_at")
replace_at = intrinsic_of(_CODE, "replace_at")
running_sum = intrinsic_of(_CODE, "running_sum")
lane_sum = intrinsic_of(_CODE, "lane_sum")
lane_max = intrinsic_of(_CODE, "lane_max")
count_at_most = intrinsic_of(_CODE, "count_at_most")
positive_lanes = intrinsic_of(_CODE, "positive_lanes")
first_bit = intrinsic_of(_CODE, "first_bit")
lane_at = intrinsic_of(_CODE, "lane_at")
prefetch = intrinsic_of(_CODE, "prefetch")
