"""A corpus cut into shards: how many, which documents, and which rows of the count tables they share.

Shards are decided by the corpus alone, never by threads or machines, so that a result does not depend on these.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.engine.assignments import STATES
from plait.engine.counts import ShardRows
from plait.engine.documents import MatrixCounts, RankedCounts
from plait.engine.frozen_rows import FrozenRows
from plait.engine.frozen_shard import FrozenShard
from plait.engine.shard import Shard
from plait.samplers.base import Candidates, Sampler, Sources, padded_width
from plait.samplers.kernels.token_state import candidate_type

_TOKENS_PER_SHARD = 400_000
_MOST_SHARDS = 64


def default_shards(n_tokens: float) -> int:
    """Return the number of shards of a corpus: a power of two, so that threads share the work evenly.

    Parameters
    ----------
    n_tokens : float
        Tokens of the corpus.

    Examples
    --------
    >>> default_shards(100_000), default_shards(3_000_000)
    (1, 8)
    """
    wanted = min(n_tokens / _TOKENS_PER_SHARD, _MOST_SHARDS)
    return int(2 ** max(0, round(np.log2(max(wanted, 1.0)))))


def cut_documents(lengths: np.ndarray, n_shards: int) -> list[tuple[int, int]]:
    """Cut documents into runs with about the same number of tokens; empty runs are left out."""
    total = np.concatenate([[0.0], np.cumsum(lengths)])
    edges = np.searchsorted(total, np.linspace(0, total[-1], n_shards + 1), side="left")
    edges[0], edges[-1] = 0, len(lengths)
    return [(int(first), int(last)) for first, last in itertools.pairwise(edges) if last > first]


class TableLayout(NamedTuple):
    """Which rows of a count table each shard uses."""

    shared: np.ndarray  # rows that several shards use, sorted: the chain's table
    own: list[np.ndarray]  # rows of every shard, those that it shares first
    n_shared: list[int]  # how many of them it shares

    def rows_of(self, number: int) -> np.ndarray:
        """Return where the shared rows of a shard stand in the chain's table."""
        return np.searchsorted(self.shared, self.own[number][: self.n_shared[number]]).astype(np.int64)


def lay_out_table(used: Sequence[np.ndarray], n_rows: int, frozen: bool = False) -> TableLayout:
    """Return the layout of a table of which every shard uses some rows, given as sorted numbers.

    A frozen table is the chain's alone: it has all rows, and shards use its numbers.
    """
    if frozen:
        return TableLayout(np.arange(n_rows), list(used), [rows.size for rows in used])
    times = np.bincount(np.concatenate(used), minlength=n_rows) if used else np.zeros(n_rows, np.int64)
    is_shared = times > 1
    own, n_shared = [], []
    for rows in used:
        shared = is_shared[rows]
        own.append(np.concatenate([rows[shared], rows[~shared]]).astype(np.int64))
        n_shared.append(int(shared.sum()))
    return TableLayout(np.flatnonzero(is_shared), own, n_shared)


class ShardPlan:
    """How a corpus is cut: the documents of every shard, and the layout of the tables.

    Parameters
    ----------
    counts : RankedCounts or csr_array (documents, words)
        Words are numbered by falling frequency, so that frequent rows lie together.
    n_topics : int
        Number of topics.
    sampler : Sampler
        Decides the types of the tables.
    n_shards : int
        Wanted number of shards.
    candidates : Candidates or None
        Source documents that tokens may draw from; None where they draw from their own document only.
    """

    def __init__(
        self,
        counts: RankedCounts | sparse.csr_array,
        n_topics: int,
        sampler: Sampler,
        n_shards: int,
        candidates: Candidates | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.width = padded_width(n_topics)
        self.sampler = sampler
        self.candidates = candidates
        self.counts = counts if isinstance(counts, RankedCounts) else MatrixCounts(counts)
        self.lengths = self.counts.ranked_lengths
        self.runs = cut_documents(self.lengths, n_shards)
        present = [self.counts.present(first, last) for first, last in self.runs]
        frozen = sampler.synchronous
        self.words = lay_out_table(present, counts.shape[1], frozen)
        drawn_from = [np.zeros(0, np.int64) for _ in self.runs]
        if candidates is not None:
            starts, documents = candidates.starts, candidates.documents
            drawn_from = [np.unique(documents[starts[first] : starts[last]]) for first, last in self.runs]
        self.sources = lay_out_table(drawn_from, 0 if candidates is None else counts.shape[0], frozen)

    def make_shards(self, responses: Sequence[tuple[list[Any], list[np.ndarray] | None]]) -> list[Shard]:
        """Return the shards, each with its half of every response.

        Parameters
        ----------
        responses : sequence
            What `ChainResponse.cut` returned for every response.
        """
        return [self._make_shard(number, responses) for number in range(len(self.runs))]

    def _make_shard(self, number: int, responses: Sequence[tuple[list[Any], list[np.ndarray] | None]]) -> Shard:
        words, sources = self._numbering(self.words, number), self._numbering(self.sources, number)
        exported = [documents_of[number] for _, documents_of in responses if documents_of is not None]
        make: Any = FrozenShard if self.sampler.synchronous else Shard
        return make(
            number,
            self.counts.documents(self.runs[number], words, self.sampler.state_form),
            words,
            self._rows(self.words, number, by_word=True),
            self._sources(number),
            sources,
            self._rows(self.sources, number, by_word=False),
            self.sampler,
            self.n_topics,
            [halves[number] for halves, _ in responses],
            exported[0] if exported else None,
        )

    def _numbering(self, layout: TableLayout, number: int) -> np.ndarray:
        """Return what each row of a shard's table is: the shard's own rows, or all rows of a frozen table."""
        return layout.shared if self.sampler.synchronous else layout.own[number]

    def _rows(self, layout: TableLayout, number: int, *, by_word: bool) -> ShardRows | FrozenRows:
        """Return the rows of a table that a shard uses."""
        if self.sampler.synchronous:
            return FrozenRows(layout.own[number], layout.shared.size, by_word=by_word)
        return ShardRows(
            layout.rows_of(number),
            layout.own[number].size - layout.n_shared[number],
            self.width,
            STATES[self.sampler.state_form].count_type,
            2 * int(np.ceil(self._n_tokens(number))),
            resident=not by_word,
        )

    def _n_tokens(self, number: int) -> float:
        """Return the number of tokens of a shard."""
        first, last = self.runs[number]
        return float(self.lengths[first:last].cumsum()[-1])

    def _sources(self, number: int) -> Sources | None:
        """Return the candidate sources of a shard's documents, by row of the shard's own table.

        Where each source has shares, the shard finds where they begin when it has read its documents.
        """
        if self.candidates is None:
            return None
        first, last = self.runs[number]
        own = self._numbering(self.sources, number)
        begin, end = self.candidates.starts[first], self.candidates.starts[last]
        row_of = np.empty(self.lengths.size, dtype=np.int64)
        row_of[own] = np.arange(own.size)
        most = int(np.diff(self.candidates.starts).max(initial=1))
        spread = self.sampler.state_form == "shares"
        return Sources(
            starts=self.candidates.starts[first : last + 1] - begin,
            rows=row_of[self.candidates.documents[begin:end]] * self.width,
            gamma=self.candidates.gamma[begin:end],
            source_topic=np.zeros(0, STATES[self.sampler.state_form].count_type),
            taken=np.zeros(end - begin),
            drawn=None if spread else np.zeros(int(self._n_tokens(number)), candidate_type(most)),
            share_starts=None,
        )
