"""Sparse(ℓ) sampling: limit sampling that visits only a fraction 1/ℓ of a document's words per sweep.

Bíró and Szabó (2009), section 2.3: (number of distinct words) / ℓ words of a document are picked with replacement, in
proportion to their counts, so that frequent words converge first. The distance from the exact posterior is measured in
tests/samplers/test_enumeration.py and stated in docs/samplers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, SweepInfo
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.picking import count_visits, pick_next
from plait.samplers.kernels.share_state import close_document, new_scratch, open_document, prefetch_entry, spread_word
from plait.samplers.lazy import LazySampler
from plait.samplers.random import document_key

_AHEAD = 8  # number of picks by which rows are prefetched; tuned by measurement


@dataclass(frozen=True)
class Sparse(LazySampler):
    """Limit sampling of a fraction 1/ℓ of the distinct words of each document per sweep; accepts real-valued counts.

    Parameters
    ----------
    sparsity : float, default 10.0
        ℓ: visits per sweep are the number of distinct words of a document divided by it; at least 1.
    per : {"words", "tokens"}, default "words"
        "tokens" divides the number of tokens by ℓ instead.

    Examples
    --------
    >>> from plait.samplers import as_sampler
    >>> as_sampler("sparse(20)") == Sparse(sparsity=20)
    True
    """

    name: ClassVar[str] = "sparse"
    state_form: ClassVar[str] = "shares"
    # Visits are random memory accesses, so half the memory is worth more than full precision of the shares.
    share_type: ClassVar[type[np.number]] = np.uint16

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Visit each document of the shard (number of distinct words, or tokens) / ℓ times."""
        scratch, ahead, cursor = new_scratch(factors, counts.sources), np.zeros(_AHEAD, np.int64), np.array([-1, 0, 0])
        found = _sweep(documents, state, counts, factors, key, prepared, scratch, ahead, cursor)
        return SweepInfo(*found)


@kernel
def _sweep(documents, state, counts, factors, key, picker, scratch, ahead, cursor):
    log_likelihood = 0.0
    visited = 0
    chance = 1.0
    for slot in range(_AHEAD):
        ahead[slot] = _look_ahead(documents, state, counts, factors, key, picker, cursor)
    for document in range(documents.starts.size - 1):
        n_visits = count_visits(picker, document, document_key(key, documents.first + document))
        mass, untilted = open_document(documents, document, state, counts, factors, scratch)
        for _ in range(n_visits):
            # Picks are made in advance, so that their rows are in the cache when they are used.
            slot = visited % _AHEAD
            chance *= spread_word(documents, document, ahead[slot], state, counts, factors, scratch, mass, untilted)
            # A product is cheaper than a sum of logarithms; the logarithm is taken before it can underflow.
            if chance < 1e-200:
                log_likelihood += np.log(chance)
                chance = 1.0
            ahead[slot] = _look_ahead(documents, state, counts, factors, key, picker, cursor)
            visited += 1
        close_document(documents, document, state, counts, factors, scratch)
    return log_likelihood + np.log(chance), np.float64(visited)


@inline_kernel
def _look_ahead(documents, state, counts, factors, key, picker, cursor):
    """Return the entry of the next pick, in this or a later document, and prefetch its rows."""
    document, entry = pick_next(documents, picker, key, cursor)
    if entry >= 0:
        prefetch_entry(documents, document, state, counts, entry, factors.alpha.size)
    return entry
