"""Aggregated sparse(ℓ) sampling: aggregated sampling that visits only a fraction 1/ℓ of a document's words per sweep.

Bíró and Szabó (2009), section 2.3: the lazy version of aggregated sampling, so every token holds one topic. A word that
is picked twice in a sweep is resampled once: all its tokens have just been drawn, and in long documents the most
frequent words would take up most of the time. The distance from the exact posterior is measured in
tests/samplers/test_enumeration.py and stated in docs/samplers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.aggregated import resample_word
from plait.samplers.base import Counts, Documents, Factors, SweepInfo
from plait.samplers.kernels.batches import make_batch
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.picking import count_visits, pick
from plait.samplers.kernels.token_state import close_document, new_scratch, open_document
from plait.samplers.lazy import LazySampler
from plait.samplers.random import document_key


@dataclass(frozen=True)
class AggregatedSparse(LazySampler):
    """Aggregated sampling of a fraction 1/ℓ of the distinct words of each document per sweep.

    Parameters
    ----------
    sparsity : float, default 10.0
        ℓ: visits per sweep are the number of distinct words of a document divided by it; at least 1.
    per : {"words", "tokens"}, default "words"
        "tokens" divides the number of tokens by ℓ instead.

    Examples
    --------
    >>> from plait.samplers import as_sampler
    >>> as_sampler("aggregated_sparse(20)") == AggregatedSparse(sparsity=20)
    True
    """

    name: ClassVar[str] = "aggregated_sparse"
    state_form: ClassVar[str] = "tokens"

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Visit each document of the shard (number of distinct words, or tokens) / ℓ times."""
        scratch = new_scratch(factors.alpha.size, factors.observations, counts.sources)
        batch = make_batch(factors.alpha.size)
        fits = np.zeros(documents.words.size)  # log weight of the entries that this sweep has visited
        return SweepInfo(*_sweep(documents, state, counts, factors, key, scratch, prepared, fits, batch))


@kernel
def _sweep(documents, topics, counts, factors, key, scratch, picker, fits, batch):
    width = factors.alpha.size
    log_likelihood = 0.0
    visited = 0.0
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        n_visits = count_visits(picker, document, random_key)
        if n_visits == 0:
            continue
        open_document(documents, document, topics, counts, factors, scratch)
        position = n_visits + 1  # topics use the random numbers after those of the picks
        begin, end = documents.starts[document], documents.starts[document + 1]
        for number in range(n_visits):
            entry = pick(documents, document, picker, random_key, number + 1)
            if fits[entry] == 0.0:
                token = picker.entry_offsets[entry]
                last = token + documents.counts[entry]
                row = np.int64(documents.words[entry]) * width
                total = resample_word(topics, token, last, row, random_key, position, counts, factors, scratch, batch)
                position += last - token
                fits[entry] = np.log(total)
            # Every pick counts: the mean over picks is the mean over tokens.
            log_likelihood += fits[entry]
        for entry in range(begin, end):
            fits[entry] = 0.0
        visited += n_visits
        log_likelihood += close_document(documents, document, n_visits, counts, factors, scratch)
    return log_likelihood, visited
