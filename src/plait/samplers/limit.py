"""Limit sampling: a word of a document keeps the whole conditional instead of draws from it.

Bíró and Szabó (2009), section 2.3: what aggregated sampling tends to when all counts are multiplied by a
constant that grows. Nothing is drawn, so the result depends on chance only through the start; the counts
of words may be any non-negative real numbers (section 5). The distance from the exact posterior is
measured in tests/samplers/test_enumeration.py and stated in docs/samplers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.share_state import close_document, new_scratch, open_document, prefetch_entry, spread_word

_AHEAD = 4  # entries: how far ahead rows are asked for; found by trial


@dataclass(frozen=True)
class Limit(Sampler):
    """Keep the conditional of each distinct word of a document; takes real-valued counts."""

    name: ClassVar[str] = "limit"
    state_form: ClassVar[str] = "shares"

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Visit every distinct word of every document of the shard once."""
        return SweepInfo(*_sweep(documents, state, counts, factors, new_scratch(factors, counts.sources)))


@kernel
def _sweep(documents, state, counts, factors, scratch):
    width = factors.alpha.size
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        mass, untilted = open_document(documents, document, state, counts, factors, scratch)
        last = documents.starts[document + 1]
        for entry in range(documents.starts[document], last):
            prefetch_entry(documents, document, state, counts, min(entry + _AHEAD, last - 1), width)
            chance = spread_word(documents, document, entry, state, counts, factors, scratch, mass, untilted)
            log_likelihood += documents.counts[entry] * np.log(chance)
        close_document(documents, document, state, counts, factors, scratch)
    return log_likelihood, float(documents.offsets[-1])
