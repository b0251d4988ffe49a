"""Limit sampling: a distinct word of a document keeps its conditional distribution instead of draws from it.

Bíró and Szabó (2009), section 2.3: the limit of aggregated sampling when all counts are multiplied by a growing
constant. Nothing is drawn, so only the initial state is random. Counts of words may be any non-negative real numbers
(section 5). The distance from the exact posterior is measured in tests/samplers/test_enumeration.py and stated in
docs/samplers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.share_state import new_scratch, spread_document


@dataclass(frozen=True)
class Limit(Sampler):
    """Keep the conditional distribution of each distinct word of a document; accepts real-valued counts.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, sampler=Limit(), n_sweeps=5, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> model.doc_topic_.shape
    (10, 2)
    """

    name: ClassVar[str] = "limit"
    state_form: ClassVar[str] = "shares"

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Visit every distinct word of every document of the shard once."""
        return SweepInfo(*_sweep(documents, state, counts, factors, new_scratch(factors, counts.sources)))


@kernel
def _sweep(documents, state, counts, factors, scratch):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        log_likelihood += spread_document(documents, document, state, counts, factors, scratch)
    return log_likelihood, float(documents.offsets[-1])
