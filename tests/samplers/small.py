"""Tiny corpora as the samplers see them, for tests that compare with tests/naive.py."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.engine.cut import ShardPlan
from plait.engine.frozen_rows import add_moves
from plait.engine.messages import Broadcast, Priors
from plait.engine.run import Run
from plait.engine.shard import Shard
from plait.executors import Executor
from plait.responses import ShardResponse
from plait.samplers import SAMPLERS, Sampler, Sparse
from plait.samplers.base import Factors, Observations, SweepInfo, padded_width
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


class Inline(Executor):
    """An executor that calls one shard after the other, and whose shards tests can look at."""

    def __init__(self) -> None:
        self.shards: list[Shard] = []

    def place(self, shards) -> None:
        """Keep the shards."""
        self.shards = list(shards)

    def each(self, method, message=None):
        """Call a method of every shard."""
        return [getattr(shard, method)(message) for shard in self.shards]


class GivenObservations(ShardResponse):
    """A shard's half of a response that returns the same observations for every sweep."""

    def __init__(self, given: Observations) -> None:
        self.given = given

    def statistics(self, topics, message, map):
        """Return nothing: there are no weights."""
        return ()

    def draw_auxiliaries(self, topics, message, key, map) -> None:
        """Draw nothing."""

    def observations(self, topics, message, width, map) -> Observations:
        """Return what was given."""
        return self.given

    def arrays(self):
        """Return nothing: there is no state."""
        return {}


def make_priors(alpha, beta) -> Priors:
    """Return α and β as shards take them; β has a table where it differs between words or topics."""
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
    return Priors(padded, np.float32(0.0 if table is not None else beta.flat[0]), sums, table)


def make_factors(alpha, beta) -> tuple[Factors, np.ndarray | None]:
    """Return the factors of the conditional, and the prior table words × width (None: one number)."""
    priors = make_priors(alpha, beta)
    return Factors(beta.shape[0], priors.alpha, priors.value, None, priors.sums, None), priors.table


class ExactSparse(Sparse):
    """Sparse sampling with shares in float32, for what must hold to the last digits."""

    share_type: ClassVar[type[np.number]] = np.float32


EVERY_SAMPLER = SAMPLERS | {"sparse in float32": ExactSparse}


def shards_of(chain: Chain) -> list[Shard]:
    """Return the shards of a chain that was started or restored in an `Inline` executor."""
    assert isinstance(chain._executor, Inline)
    return chain._executor.shards


def mean_topics_of(chain: Chain) -> np.ndarray:
    """Return the topics that the next token of each document would be drawn from, in the present state of a chain."""
    run = Run()
    run.keep_sample(chain)
    return run.doc_topic_mean(chain.candidates)


class SmallChain:
    """One shard over a tiny corpus, swept by a sampler; words keep their numbers."""

    def __init__(
        self, documents, sampler: Sampler, alpha, beta, observations=None, seed=0, exact=True, candidates=None
    ) -> None:
        self.seed = seed
        self.candidates = candidates
        self.plan = ShardPlan(matrix(documents, beta.shape[1]), alpha.size, sampler, 1, candidates)
        self.executor = Inline()
        self.executor.place(self.plan.make_shards([]))
        (self.shard,) = self.executor.shards
        if observations is not None:
            exact = exact and sampler.state_form == "tokens"
            self.observe(flat_observations(observations, self.plan.width, exact))
        self.real = self.shard.state.drifts
        self.totals = np.zeros(self.plan.width, self.shard.state.total_type)
        self.words = self.sources = np.zeros(0, self.shard.state.count_type)
        self.executor.each("set_priors", make_priors(alpha, beta))
        self.executor.each("start", stream_key(seed, "start"))
        self.recount()
        self.n_sweeps = 0

    def observe(self, observations: Observations) -> None:
        """Let all sweeps from now on use these observations."""
        self.shard.responses = [GivenObservations(observations)]

    def set_topics(self, topics, drawn=None) -> None:
        """Give every token a topic, and a candidate source where there are candidates."""
        self.shard.state.topics[:] = topics
        if drawn is not None:
            self.drawn()[:] = drawn
        self.recount()

    def recount(self) -> None:
        """Rebuild all counts from the assignments."""
        (counted,) = self.executor.each("recount")
        self.totals[:] = counted.totals
        if self.shard.sampler.synchronous:  # the chain has all counts; a live shard keeps those of its own words
            self.words = self._table(self.plan.words, counted.word_topic.toarray())
            self.sources = self._table(self.plan.sources, counted.source_topic.toarray())

    def _table(self, layout, rows) -> np.ndarray:
        table = np.zeros((layout.shared.size, self.plan.width), np.int32)
        table[layout.own[0]] = rows
        return table.ravel()

    def sweep(self) -> SweepInfo:
        """Make one sweep."""
        key = stream_key(self.seed, "sweep", self.n_sweeps)
        messages = [None] * len(self.shard.responses)
        (result,) = self.executor.each("sweep", Broadcast(key, self.words, self.sources, self.totals, messages, None))
        if self.shard.sampler.synchronous:
            for table, moves in ((self.words, result.word_topic), (self.sources, result.source_topic)):
                if moves is not None:
                    add_moves(table, [moves], self.executor.map)
        else:
            assert result.word_topic.values.size == result.source_topic.values.size == 0
        self.totals[:] = self.totals.astype(result.totals.dtype) + result.totals
        self.n_sweeps += 1
        return result.info

    @property
    def topics(self) -> np.ndarray:
        """The topic of every token."""
        return self.shard.state.topics

    def drawn(self) -> np.ndarray:
        """Return the candidate source that every token was drawn from."""
        return self.shard.arrays()["sources"]

    def word_topic(self) -> np.ndarray:
        """Return topic–word counts, words that occur × width."""
        if self.shard.sampler.synchronous:
            return self.words.reshape(-1, self.plan.width)[self.plan.words.own[0]]
        return self.shard.private_words()[1].copy()

    def drawn_topics(self) -> np.ndarray:
        """Return the counts per source document, documents × topics."""
        if self.shard.sampler.synchronous:
            return self.sources.reshape(-1, self.plan.width)[:, : self.plan.n_topics].copy()
        documents, rows = self.shard.private_sources()
        assert documents.tolist() == list(range(self.shard.lengths.size))
        return rows[:, : self.plan.n_topics].copy()

    def taken(self) -> np.ndarray:
        """Return the number of tokens that were drawn from each candidate source."""
        return self.shard.taken().copy()

    def doc_topic(self) -> np.ndarray:
        """Return document–topic counts."""
        return self.shard.doc_topic().toarray()

    def shares(self) -> np.ndarray:
        """Return how each distinct word of each document is spread, in rows of `width`."""
        return shares_as(self.shard.state.state.shares, np.float32).reshape(-1, self.plan.width)
