"""Tiny corpora as the samplers see them, for tests that compare with tests/naive.py."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from plait.samplers import Sampler
from plait.samplers.base import Factors, padded_width
from plait.samplers.random import stream_key
from plait.samplers.shards import ShardedCounts


def matrix(documents: list[list[int]], n_words: int) -> sparse.csr_array:
    """Return documents × words."""
    counts = np.zeros((len(documents), n_words), dtype=np.int32)
    for row, words in zip(counts, documents, strict=True):
        np.add.at(row, words, 1)
    return sparse.csr_array(counts)


def make_factors(alpha, beta, tilt=None) -> tuple[Factors, np.ndarray]:
    """Return the factors of the conditional, and the prior table words × width (None: one number)."""
    n_topics, n_words = beta.shape
    width = padded_width(n_topics)
    padded = np.zeros(width, np.float32)
    padded[:n_topics] = alpha
    sums = np.ones(width, np.float32)
    sums[:n_topics] = beta.sum(axis=1)
    flat = None
    if tilt is not None:
        flat = np.ones((tilt.shape[0], width), np.float32)
        flat[:, :n_topics] = tilt
        flat = flat.ravel()
    table = None
    if np.ptp(beta) > 0:
        table = np.zeros((n_words, width), np.float32)
        table[:, :n_topics] = beta.T
    value = np.float32(0.0 if table is not None else beta.flat[0])
    return Factors(n_topics, padded, value, None, sums, flat), table


class SmallChain:
    """One shard over a tiny corpus, swept by a sampler; words keep their numbers."""

    def __init__(self, documents, sampler: Sampler, alpha, beta, tilt=None, seed=0) -> None:
        self.seed = seed
        self.factors, table = make_factors(alpha, beta, tilt)
        self.sharded = ShardedCounts(matrix(documents, beta.shape[1]), alpha.size, sampler, 1)
        self.shard = self.sharded.shards[0]
        self.sharded.set_prior(table)
        self.sharded.start(self.shard, self.factors, stream_key(seed, "start"))
        self.sharded.recount()
        self.n_sweeps = 0

    def sweep(self):
        """Make one sweep."""
        info = self.sharded.sweep_shard(self.shard, self.factors, stream_key(self.seed, "sweep", self.n_sweeps))
        self.sharded.merge_totals()
        self.n_sweeps += 1
        return info
