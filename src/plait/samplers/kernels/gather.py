"""Operations on sixteen topics of a list: read a number of each, and treat one topic differently.

Only kernels can call them; gather_code.py has their code, and says what each does.
"""

from __future__ import annotations

from plait.samplers.kernels.compiled import intrinsic_of

_CODE = "plait.samplers.kernels.gather_code"

gather = intrinsic_of(_CODE, "gather")
choose_at_topic = intrinsic_of(_CODE, "choose_at_topic")
