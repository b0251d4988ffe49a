"""Aggregated sparse(ℓ) sampling: aggregated sampling that visits only a share 1/ℓ of a document's words.

Bíró and Szabó (2009), section 2.3: the lazy version built upon aggregated sampling, so every occurrence
still holds one topic. A word that is picked again in the same sweep is not drawn again: all its occurrences
have just been drawn, and in long documents the few most frequent words would take up all the time. The
distance from the exact posterior is measured in tests/samplers/test_enumeration.py and stated in
docs/samplers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.aggregated import resample_word
from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.picking import Picker, build_picker, check_sparsity, pick, visits
from plait.samplers.kernels.token_state import close_document, new_scratch, open_document
from plait.samplers.random import document_key


@dataclass(frozen=True)
class AggregatedSparse(Sampler):
    """Visit a share 1/ℓ of the words of each document a sweep, as aggregated sampling does."""

    sparsity: float = 10.0  # ℓ in Bíró and Szabó (2009), section 2.3

    name: ClassVar[str] = "aggregated_sparse"
    state_form: ClassVar[str] = "tokens"

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
        scratch = new_scratch(factors.alpha.size, factors.observations, counts.sources)
        fits = np.zeros(documents.words.size)  # log weight of the words that this sweep has visited
        return SweepInfo(*_sweep(documents, state, counts, factors, key, scratch, prepared, self.sparsity, fits))


@kernel
def _sweep(documents, topics, counts, factors, key, scratch, picker, sparsity, fits):
    width = factors.alpha.size
    log_likelihood = 0.0
    visited = 0.0
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        n_visits = visits(documents, document, sparsity, random_key)
        if n_visits == 0:
            continue
        open_document(documents, document, topics, counts, factors, scratch)
        position = n_visits + 1  # the draws of topics follow the draws of words
        begin, end = documents.starts[document], documents.starts[document + 1]
        for number in range(n_visits):
            entry = pick(documents, document, picker, random_key, number + 1)
            if fits[entry] == 0.0:
                token = picker.entry_offsets[entry]
                last = token + documents.counts[entry]
                row = np.int64(documents.words[entry]) * width
                total = resample_word(topics, token, last, row, random_key, position, counts, factors, scratch)
                position += last - token
                fits[entry] = np.log(total)
            # Every pick counts, as the mean over picks is the mean over occurrences.
            log_likelihood += fits[entry]
        for entry in range(begin, end):
            fits[entry] = 0.0
        visited += n_visits
        log_likelihood += close_document(documents, document, n_visits, counts, factors, scratch)
    return log_likelihood, visited
