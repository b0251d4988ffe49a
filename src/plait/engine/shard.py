"""Shards: the documents cut into runs by the corpus alone, and the counts that they share.

Inside a shard counts are live; what other shards do in a sweep is seen after it, when all changes
are added up. A result therefore does not depend on how many threads or machines worked on it, and
with one shard the chain is the exact one.

A word that occurs in one shard only is counted there alone. The rows of all other words lie in one
shared table; each shard gets a copy of its rows when a sweep begins. So do the rows of documents that words may draw
from, where a model has links that carry influence.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.samplers.base import (
    Candidates,
    Counts,
    Documents,
    Factors,
    Observations,
    Sampler,
    Sources,
    padded_width,
)
from plait.samplers.kernels import share_state as shares
from plait.samplers.kernels import token_state as tokens
from plait.samplers.kernels.aligned import aligned_copy, aligned_zeros
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.start import start_shares, start_tokens

_TOKENS_A_SHARD = 400_000
_MOST_SHARDS = 64
_MOST_BYTES = 2 << 30  # of all shards' copies of the word table


def default_shards(n_tokens: float, n_words: int, n_topics: int) -> int:
    """Return how many shards a corpus is cut into: a power of two, so that they share out evenly.

    Examples
    --------
    >>> default_shards(100_000, 5_000, 20), default_shards(3_000_000, 50_000, 20)
    (1, 8)
    """
    wanted = min(n_tokens / _TOKENS_A_SHARD, _MOST_SHARDS, _MOST_BYTES / (4.0 * n_words * padded_width(n_topics)))
    return int(2 ** max(0, round(np.log2(max(wanted, 1.0)))))


def cut_documents(lengths: np.ndarray, n_shards: int) -> list[tuple[int, int]]:
    """Cut documents into runs with about the same number of occurrences; empty runs are left out."""
    total = np.concatenate([[0.0], np.cumsum(lengths)])
    edges = np.searchsorted(total, np.linspace(0, total[-1], n_shards + 1), side="left")
    edges[0], edges[-1] = 0, len(lengths)
    return [(int(first), int(last)) for first, last in itertools.pairwise(edges) if last > first]


@dataclass
class Shard:
    """A run of documents with its state and its own copy of the counts of its words."""

    documents: Documents
    words: np.ndarray  # word of the corpus for each row; the first rows are shared with other shards
    shared_rows: np.ndarray  # row of the shared table for each of those first rows
    counts: Counts
    state: Any  # topics of the occurrences, or Shares
    prepared: Any
    source_rows: np.ndarray  # document of the corpus for each row of `counts.sources.source_topic`
    prior_table: np.ndarray | None = None

    @property
    def n_documents(self) -> int:
        """How many documents the run has."""
        return self.documents.starts.size - 1

    def observations(self, observations: Observations | None) -> Observations | None:
        """Return those of the shard's own documents."""
        if observations is None:
            return None
        first, last = self.documents.first, self.documents.first + self.n_documents
        begin, end = observations.starts[first], observations.starts[last]
        rows = observations.rows[begin:end]
        followed = observations.followed
        if followed is not None and self.n_documents < followed.n_documents:
            # Topics of other shards' documents are seen as they were when the sweep began.
            linked = rows - followed.first_row
            other = linked % followed.n_documents
            outside = (linked >= 0) & ((other < first) | (other >= last))
            rows = rows + outside * np.int32(followed.n_rows)
        return observations._replace(
            starts=observations.starts[first : last + 1] - begin,
            rows=rows,
            pull=observations.pull[begin:end],
            precision=observations.precision[begin:end],
        )


class ShardedCounts:
    """All shards of a corpus and the counts that they share.

    Parameters
    ----------
    counts
        Documents × words; words numbered by falling frequency, so that frequent rows lie together.
    candidates
        Documents that words may draw their topics from; None where it is always their own.
    """

    def __init__(
        self,
        counts: sparse.csr_array,
        n_topics: int,
        sampler: Sampler,
        n_shards: int,
        candidates: Candidates | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.n_words = counts.shape[1]
        self.sampler = sampler
        self.width = padded_width(n_topics)
        self.real = sampler.state_form == "shares"
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        runs = cut_documents(lengths, n_shards)
        present = [np.unique(counts.indices[counts.indptr[first] : counts.indptr[last]]) for first, last in runs]
        in_shards = np.bincount(np.concatenate(present), minlength=self.n_words) if present else np.zeros(0, int)
        shared_words = np.flatnonzero(in_shards > 1)
        self.shared_words = shared_words
        kind = np.float32 if self.real else np.int32
        self.shared = np.zeros(shared_words.size * self.width, dtype=kind)
        self.totals = np.zeros(self.width, dtype=np.float32 if self.real else np.int64)
        self.candidates = candidates
        self._one_shard = len(runs) == 1
        n_sources = 0 if candidates is None else counts.shape[0]
        self.source_topic = aligned_zeros(n_sources * self.width, kind)
        self.shards = [
            self._cut(counts, lengths, run, words, shared_words) for run, words in zip(runs, present, strict=True)
        ]

    def _cut(
        self,
        counts: sparse.csr_array,
        lengths: np.ndarray,
        run: tuple[int, int],
        present: np.ndarray,
        shared_words: np.ndarray,
    ) -> Shard:
        first, last = run
        begin, end = counts.indptr[first], counts.indptr[last]
        is_shared = np.isin(present, shared_words, assume_unique=True)
        words = np.concatenate([present[is_shared], present[~is_shared]])
        row_of = np.empty(self.n_words, dtype=np.int32)
        row_of[words] = np.arange(words.size)
        offsets = np.concatenate([[0.0], np.cumsum(lengths[first:last])])
        documents = Documents(
            starts=(counts.indptr[first : last + 1] - begin).astype(np.int64),
            words=row_of[counts.indices[begin:end]],
            counts=counts.data[begin:end].astype(np.float32 if self.real else np.int32),
            offsets=offsets if self.real else offsets.astype(np.int64),
            first=first,
        )
        table = aligned_zeros(words.size * self.width, self.shared.dtype)
        source_rows, sources = self._cut_candidates(documents)
        return Shard(
            documents=documents,
            words=words,
            shared_rows=np.searchsorted(shared_words, present[is_shared]).astype(np.int64),
            counts=Counts(table, aligned_copy(self.totals), sources),
            state=None,
            prepared=self.sampler.prepare(documents),
            source_rows=source_rows,
        )

    def _cut_candidates(self, documents: Documents) -> tuple[np.ndarray, Sources | None]:
        """Return the documents that a shard's words may draw from, and the shard's own numbering of them."""
        if self.candidates is None:
            return np.zeros(0, np.int64), None
        first, last = documents.first, documents.first + documents.starts.size - 1
        begin, end = self.candidates.starts[first], self.candidates.starts[last]
        source_rows, rows = np.unique(self.candidates.documents[begin:end], return_inverse=True)
        most = int(np.diff(self.candidates.starts).max(initial=1))
        kind = self.source_topic.dtype
        sources = Sources(
            starts=self.candidates.starts[first : last + 1] - begin,
            rows=rows.astype(np.int64) * self.width,
            gamma=self.candidates.gamma[begin:end],
            # One shard has all documents, and needs no copy of what is drawn from them.
            source_topic=self.source_topic if self._one_shard else aligned_zeros(source_rows.size * self.width, kind),
            taken=np.zeros(end - begin),
            drawn=None if self.real else np.zeros(int(documents.offsets[-1]), tokens.candidate_type(most)),
            share_starts=None,
        )
        if self.real:
            sources = sources._replace(share_starts=shares.share_starts(documents, sources, self.width))
        return source_rows, sources

    def start(self, shard: Shard, factors: Factors, key: np.uint64) -> None:
        """Give a new shard's words topics by chance; its counts follow with `recount`."""
        own = factors._replace(prior_table=shard.prior_table, observations=None)
        if self.real:
            state = start_shares(shard.documents, shard.counts, own, key, self.sampler.share_type)
        else:
            state = start_tokens(shard.documents, shard.counts, own, key)
        self.take_state(shard, state)

    def take_state(self, shard: Shard, state: np.ndarray) -> None:
        """Give a shard a state that was kept; its counts follow with `recount`."""
        if self.real:
            if state.dtype != self.sampler.share_type:
                state = shares.shares_as(state, self.sampler.share_type)
            own = shares.count_documents(shard.documents, state, self.width, shard.counts.sources)
            shard.state = shares.Shares(state, own)
        else:
            shard.state = state

    def recount(self) -> None:
        """Count everything anew from the states of the shards."""
        total = np.zeros(self.shared.size, dtype=np.float64 if self.real else np.int64).reshape(-1, self.width)
        totals = np.zeros(self.width, dtype=np.float64)
        drawn = np.zeros(self.source_topic.size, dtype=total.dtype).reshape(-1, self.width)
        for shard in self.shards:
            table = self._count_shard(shard)
            shard.counts.word_topic[:] = table
            rows = table.reshape(-1, self.width)
            total[shard.shared_rows] += rows[: shard.shared_rows.size]
            totals += rows.sum(axis=0, dtype=np.float64)
            sources = shard.counts.sources
            if self.real:
                shard.state.doc_topic[:] = shares.count_documents(
                    shard.documents, shard.state.shares, self.width, sources
                )
            if sources is not None:
                self._count_sources(shard, sources)
                drawn[shard.source_rows] += sources.source_topic.reshape(-1, self.width)
        self.shared[:] = total.ravel()
        self.totals[:] = totals
        self.source_topic[:] = drawn.ravel()

    def _count_sources(self, shard: Shard, sources: Sources) -> None:
        if self.real:
            shares.count_sources(shard.documents, shard.state.shares, sources, self.width)
        else:
            tokens.count_sources(shard.documents, shard.state, sources, self.width)

    def _count_shard(self, shard: Shard) -> np.ndarray:
        if self.real:
            sources = shard.counts.sources
            return shares.count_words(shard.documents, shard.state.shares, shard.words.size, self.width, sources)
        return tokens.count_words(shard.documents, shard.state, shard.words.size, self.width)

    def set_prior(self, table: np.ndarray | None) -> None:
        """Give each shard its rows of a prior table words × width (None for a symmetric prior)."""
        for shard in self.shards:
            shard.prior_table = None if table is None else aligned_copy(table[shard.words]).ravel()

    def sweep_shard(self, shard: Shard, factors: Factors, key: np.uint64) -> Any:
        """Fetch the shared counts and sweep over one shard; other shards are not touched."""
        _fetch(self.shared, shard.shared_rows, shard.counts.word_topic, self.width)
        if shard.counts.sources is not None and not self._one_shard:
            _fetch(self.source_topic, shard.source_rows, shard.counts.sources.source_topic, self.width)
        shard.counts.totals[:] = self.totals
        own = factors._replace(prior_table=shard.prior_table, observations=shard.observations(factors.observations))
        return self.sampler.sweep(shard.documents, shard.state, shard.counts, own, key, shard.prepared)

    def merge_ranges(self, n_ranges: int = 16) -> list[tuple[str, int, int]]:
        """Cut the tables that shards share into runs of rows that can be merged independently."""
        runs: list[tuple[str, int, int]] = []
        n_sources = 0 if self._one_shard else self.source_topic.size // self.width
        for table, n_rows in (("words", self.shared_words.size), ("sources", n_sources)):
            edges = np.linspace(0, n_rows, n_ranges + 1).astype(int)
            runs += [(table, int(first), int(last)) for first, last in itertools.pairwise(edges) if last > first]
        return runs

    def merge(self, run: tuple[str, int, int]) -> None:
        """Add up what all shards changed in a run of shared rows, always in the order of the shards."""
        table, first, last = run
        shared = self.shared if table == "words" else self.source_topic
        before = shared[first * self.width : last * self.width].copy()
        for shard in self.shards:
            rows, own = _copy_of(shard, table)
            start, stop = np.searchsorted(rows, [first, last])
            _merge(shared, before, first, own, rows, start, stop, self.width)

    def merge_totals(self) -> None:
        """Add up what all shards changed in the number of words a topic holds."""
        before = self.totals.astype(np.float64)
        change = np.zeros(self.width)
        for shard in self.shards:
            change += shard.counts.totals - before
        self.totals[:] = before + change

    def word_topic(self) -> np.ndarray:
        """Return all counts as words × width."""
        table = np.zeros((self.n_words, self.width), dtype=self.shared.dtype)
        for shard in self.shards:
            n_shared = shard.shared_rows.size
            table[shard.words[n_shared:]] = shard.counts.word_topic.reshape(-1, self.width)[n_shared:]
        table[self.shared_words] = self.shared.reshape(-1, self.width)
        return table

    def take_word_topic(self, table: np.ndarray, totals: np.ndarray) -> None:
        """Take over counts that `word_topic` gave and the totals that went with them."""
        for shard in self.shards:
            shard.counts.word_topic[:] = table[shard.words].ravel()
        self.shared[:] = table[self.shared_words].ravel()
        self.totals[:] = totals

    def state_size(self, shard: Shard) -> int:
        """Return how many numbers the state of a shard has."""
        if self.real:
            return int(shares.share_starts(shard.documents, shard.counts.sources, self.width)[-1])
        return int(shard.documents.offsets[-1])

    def source_state(self) -> dict[str, np.ndarray]:
        """Return what the next sweep depends on besides the topics, where words may draw from other documents."""
        kept = [shard.counts.sources for shard in self.shards if shard.counts.sources is not None]
        if self.real:
            taken = np.concatenate([sources.taken for sources in kept])
            return {"source_shares": self.source_topic.copy(), "taken": taken}
        return {"sources": np.concatenate([sources.drawn for sources in kept if sources.drawn is not None])}

    def take_source_state(self, arrays: dict[str, np.ndarray]) -> None:
        """Go back to what `source_state` gave; where topics are whole, counts follow with `recount`."""
        kept = [shard.counts.sources for shard in self.shards if shard.counts.sources is not None]
        if self.real:
            self.source_topic[:] = arrays["source_shares"]
        for number, sources in enumerate(kept):
            own = sources.taken if sources.drawn is None else sources.drawn
            whole = arrays["taken" if sources.drawn is None else "sources"]
            first = sum((part.taken if part.drawn is None else part.drawn).size for part in kept[:number])
            own[:] = whole[first : first + own.size]

    def drawn_topics(self) -> np.ndarray:
        """Return how often each topic was drawn from each document, documents × topics.

        Where words draw from their own document only, that is how often they hold the topic.
        """
        if self.candidates is None:
            return self.doc_topic()
        return self.source_topic.reshape(-1, self.width)[:, : self.n_topics].astype(np.float64 if self.real else int)

    def taken(self) -> np.ndarray:
        """Return how many of its document's words were drawn from each candidate."""
        return np.concatenate([shard.counts.sources.taken for shard in self.shards if shard.counts.sources is not None])

    def doc_topic(self) -> np.ndarray:
        """Return how often the words of each document hold each topic, documents × topics."""
        parts = []
        for shard in self.shards:
            if self.real:
                rows = shard.state.doc_topic.reshape(-1, self.width)[:, : self.n_topics]
                parts.append(rows.astype(np.float64))
            else:
                parts.append(tokens.count_documents(shard.documents, shard.state, self.n_topics))
        return np.concatenate(parts)


def _copy_of(shard: Shard, table: str) -> tuple[np.ndarray, np.ndarray]:
    """Return which rows of a shared table a shard has a copy of, and the copy."""
    if table == "words":
        return shard.shared_rows, shard.counts.word_topic
    assert shard.counts.sources is not None
    return shard.source_rows, shard.counts.sources.source_topic


@kernel
def _fetch(shared, rows, table, width):
    for row in range(rows.size):
        there = rows[row] * width
        for topic in range(width):
            table[row * width + topic] = shared[there + topic]


@kernel
def _merge(shared, before, first, table, rows, start, stop, width):
    for row in range(start, stop):
        there = rows[row] * width
        was = (rows[row] - first) * width
        for topic in range(width):
            shared[there + topic] += table[row * width + topic] - before[was + topic]
