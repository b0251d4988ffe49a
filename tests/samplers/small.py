"""Tiny corpora as the samplers see them, for tests that compare with tests/naive.py."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sparse

from plait.engine.shard import ShardedCounts
from plait.samplers import SAMPLERS, Sampler, Sparse
from plait.samplers.base import Factors, Observations, padded_width
from plait.samplers.kernels.share_state import shares_as
from plait.samplers.random import stream_key


def matrix(documents: list[list[int]], n_words: int) -> sparse.csr_array:
    """Return documents × words."""
    counts = np.zeros((len(documents), n_words), dtype=np.int32)
    for row, words in zip(counts, documents, strict=True):
        np.add.at(row, words, 1)
    return sparse.csr_array(counts)


def flat_observations(observations, width, exact) -> Observations | None:
    """Return observations as tests/naive.py has them in the form that samplers take."""
    if observations is None:
        return None
    flat = [item for said in observations for item in said]
    directions = np.zeros((len(flat), width), np.float32)
    for row, (_, _, direction) in zip(directions, flat, strict=True):
        row[: direction.size] = direction
    return Observations(
        starts=np.cumsum([0, *map(len, observations)]).astype(np.int64),
        rows=np.arange(len(flat), dtype=np.int32),
        pull=np.array([pull for pull, _, _ in flat]),
        precision=np.array([precision for _, precision, _ in flat]),
        directions=directions.ravel(),
        exact=exact,
    )


def make_factors(alpha, beta, observations=None, exact=True) -> tuple[Factors, np.ndarray]:
    """Return the factors of the conditional, and the prior table words × width (None: one number)."""
    n_topics, n_words = beta.shape
    width = padded_width(n_topics)
    padded = np.zeros(width, np.float32)
    padded[:n_topics] = alpha
    sums = np.ones(width, np.float32)
    sums[:n_topics] = beta.sum(axis=1)
    table = None
    if np.ptp(beta) > 0:
        table = np.zeros((n_words, width), np.float32)
        table[:, :n_topics] = beta.T
    value = np.float32(0.0 if table is not None else beta.flat[0])
    return Factors(n_topics, padded, value, None, sums, flat_observations(observations, width, exact)), table


class ExactSparse(Sparse):
    """Sparse sampling with shares in float32, for what must hold to the last digits."""

    share_type: ClassVar[type[np.number]] = np.float32


EVERY_SAMPLER = SAMPLERS | {"sparse in float32": ExactSparse}


class SmallChain:
    """One shard over a tiny corpus, swept by a sampler; words keep their numbers."""

    def __init__(
        self, documents, sampler: Sampler, alpha, beta, observations=None, seed=0, exact=True, candidates=None
    ) -> None:
        self.seed = seed
        self.factors, table = make_factors(alpha, beta, observations, exact and sampler.state_form == "tokens")
        self.sharded = ShardedCounts(matrix(documents, beta.shape[1]), alpha.size, sampler, 1, candidates)
        self.shard = self.sharded.shards[0]
        self.sharded.set_prior(table)
        self.sharded.start(self.shard, self.factors, stream_key(seed, "start"))
        self.sharded.recount()
        self.merged = self.sharded.merge_ranges(1)
        self.n_sweeps = 0

    def sweep(self):
        """Make one sweep."""
        info = self.sharded.sweep_shard(self.shard, self.factors, stream_key(self.seed, "sweep", self.n_sweeps))
        for run in self.merged:
            self.sharded.merge(run)
        self.sharded.merge_totals()
        self.n_sweeps += 1
        return info

    def shares(self):
        """Return how each distinct word of each document is spread, in rows of `width`."""
        return shares_as(self.shard.state.shares, np.float32).reshape(-1, self.sharded.width)
