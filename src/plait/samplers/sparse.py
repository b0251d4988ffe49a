"""Sparse(ℓ) sampling: limit sampling that visits only a share 1/ℓ of a document's words a sweep.

Bíró and Szabó (2009), section 2.3: 1/ℓ as many words as a document has distinct ones are picked with replacement,
in proportion to their counts, so that frequent words settle first. The distance from the exact posterior is
measured in tests/samplers/test_enumeration.py and stated in docs/samplers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.picking import Picker, build_picker, check_sparsity, pick_next, visits
from plait.samplers.kernels.share_state import close_document, new_scratch, open_document, prefetch_entry, spread_word
from plait.samplers.random import document_key

_AHEAD = 8  # picks: how far ahead rows are asked for; found by trial


@dataclass(frozen=True)
class Sparse(Sampler):
    """Visit a share 1/ℓ of the words of each document a sweep, as limit sampling does; takes real-valued counts."""

    sparsity: float = 10.0  # ℓ in Bíró and Szabó (2009), section 2.3

    name: ClassVar[str] = "sparse"
    state_form: ClassVar[str] = "shares"
    # Visits jump through memory, and wait for it where they can: half of it is better than shares to the last digit.
    share_type: ClassVar[type[np.number]] = np.uint16

    def __post_init__(self) -> None:
        check_sparsity(self.sparsity)

    @property
    def likelihood_window(self) -> int:
        """Over how many sweeps the likelihood is averaged: a sweep visits only a share of the words."""
        return int(10 * self.sparsity)

    def prepare(self, documents: Documents) -> Picker:
        """Build the tables by which words are picked."""
        return build_picker(documents)

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Visit 1/ℓ as many words of every document of the shard as it has distinct ones."""
        scratch, ahead, cursor = new_scratch(factors, counts.sources), np.zeros(_AHEAD, np.int64), np.array([-1, 0, 0])
        found = _sweep(documents, state, counts, factors, key, prepared, self.sparsity, scratch, ahead, cursor)
        return SweepInfo(*found)


@kernel
def _sweep(documents, state, counts, factors, key, picker, sparsity, scratch, ahead, cursor):
    log_likelihood = 0.0
    visited = 0
    chance = 1.0
    for slot in range(_AHEAD):
        ahead[slot] = _look_ahead(documents, state, counts, factors, key, picker, sparsity, cursor)
    for document in range(documents.starts.size - 1):
        n_visits = visits(documents, document, sparsity, document_key(key, documents.first + document))
        mass, untilted = open_document(documents, document, state, counts, factors, scratch)
        for _ in range(n_visits):
            # Each pick is known before its turn, so that its rows are there when the turn comes.
            slot = visited % _AHEAD
            chance *= spread_word(documents, document, ahead[slot], state, counts, factors, scratch, mass, untilted)
            # A product is cheaper than a sum of logarithms; it is cashed in before it can underflow.
            if chance < 1e-200:
                log_likelihood += np.log(chance)
                chance = 1.0
            ahead[slot] = _look_ahead(documents, state, counts, factors, key, picker, sparsity, cursor)
            visited += 1
        close_document(documents, document, state, counts, factors, scratch)
    return log_likelihood + np.log(chance), np.float64(visited)


@inline_kernel
def _look_ahead(documents, state, counts, factors, key, picker, sparsity, cursor):
    """Return the entry that a coming turn is for, of whatever document, and ask for its rows."""
    document, entry = pick_next(documents, picker, sparsity, key, cursor)
    if entry >= 0:
        prefetch_entry(documents, document, state, counts, entry, factors.alpha.size)
    return entry
