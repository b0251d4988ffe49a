"""Vector operations on sixteen int32 lanes: counts of a word's tokens per topic, and sixteen draws at a time.

Only kernels can call them; int_lane_code.py has their code and says what each does.
"""

from __future__ import annotations

from plait.samplers.kernels.compiled import intrinsic_of

_CODE = "plait.samplers.kernels.int_lane_code"

no_counts = intrinsic_of(_CODE, "no_counts")
count_at = intrinsic_of(_CODE, "count_at")
uncount_at = intrinsic_of(_CODE, "uncount_at")
load_counts = intrinsic_of(_CODE, "load_counts")
store_counts = intrinsic_of(_CODE, "store_counts")
add_counts = intrinsic_of(_CODE, "add_counts")
subtract_counts = intrinsic_of(_CODE, "subtract_counts")
as_numbers = intrinsic_of(_CODE, "as_numbers")
add_to_totals = intrinsic_of(_CODE, "add_to_totals")
shift_by = intrinsic_of(_CODE, "shift_by")
not_above = intrinsic_of(_CODE, "not_above")
choose_at_most = intrinsic_of(_CODE, "choose_at_most")
read_at = intrinsic_of(_CODE, "read_at")
store_topics = intrinsic_of(_CODE, "store_topics")
