"""Synchronous collapsed Gibbs sampling: all documents read the topic–word counts of the start of the sweep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo, TopicLists
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.frozen import freeze, frozen_scratch, sweep_frozen_document
from plait.samplers.kernels.listed import open_lists, sweep_listed_document
from plait.samplers.random import document_key

MOST_DENSE = 256  # topics; lists are used beyond


@dataclass(frozen=True)
class Synchronous(Sampler):
    """Draw the topic of every token given topic–word counts of the start of the sweep; documents are independent.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, sampler=Synchronous(), n_sweeps=5, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> model.doc_topic_.shape
    (10, 2)
    """

    name: ClassVar[str] = "synchronous"
    state_form: ClassVar[str] = "tokens"
    synchronous: ClassVar[bool] = True

    def lists_topics(self, n_topics: int) -> bool:
        """Return whether there are more topics than the dense form takes."""
        return n_topics > MOST_DENSE

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Resample every token of the shard once and record the changes of the counts."""
        if isinstance(counts.word_topic, TopicLists):
            return SweepInfo(*_sweep_lists(documents, state, counts, factors, open_lists(counts, factors), key))
        counts, frozen = freeze(counts, factors)
        scratch = frozen_scratch(counts, factors)
        return SweepInfo(*_sweep_dense(documents, state, counts, factors, frozen, key, scratch))


@kernel
def _sweep_dense(documents, topics, counts, factors, frozen, key, scratch):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        log_likelihood += sweep_frozen_document(
            documents, document, topics, counts, factors, frozen, random_key, scratch
        )
    return log_likelihood, float(topics.size)


@kernel
def _sweep_lists(documents, topics, counts, factors, listed, key):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        log_likelihood += sweep_listed_document(documents, document, topics, counts, factors, listed, random_key)
    return log_likelihood, float(topics.size)
