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
from plait.samplers.compiled import kernel
from plait.samplers.observations import make_tilt
from plait.samplers.shares import close_document, open_document, prefetch_entry, spread_word

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
        width = factors.alpha.size
        tilt = make_tilt(factors.observations, width)
        return SweepInfo(*_sweep(documents, state, counts, factors, np.zeros(width, np.float32), tilt))


@kernel
def _sweep(documents, state, counts, factors, weights, tilt):
    width = factors.alpha.size
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        mass, untilted = open_document(documents, document, state, factors, tilt)
        last = documents.starts[document + 1]
        for entry in range(documents.starts[document], last):
            prefetch_entry(documents, state, counts.word_topic, min(entry + _AHEAD, last - 1), width)
            chance = spread_word(documents, document, entry, state, counts, factors, tilt, weights, mass, untilted)
            log_likelihood += documents.counts[entry] * np.log(chance)
        close_document(documents, document, state, factors)
    return log_likelihood, float(documents.offsets[-1])
