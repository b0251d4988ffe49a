"""A shard of a synchronous sampler: it reads the counts that the chain sends, and returns the moves of its tokens.

A document reads nothing that another document of the same sweep changed, so the number of shards cannot change a draw.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse

from plait.engine.frozen_rows import FrozenRows
from plait.engine.messages import Broadcast, Priors, RowMoves, ShardCounts, SweepResult
from plait.engine.shard import Shard
from plait.executors.base import HeldTable, TableChanges
from plait.samplers.base import Changes, Counts, Factors, Sources, SweepInfo, TopicLists
from plait.samplers.kernels.listed import list_shift
from plait.samplers.kernels.token_counts import count_sources


class FrozenShard(Shard):
    """A run of documents that is resampled against frozen counts.

    Its words are numbered by falling frequency in the corpus, and source documents by their number in the corpus, as in
    the tables of the chain. `word_rows` and `source_rows` are `FrozenRows`.
    """

    _word_rows: FrozenRows  # type: ignore[assignment]
    _source_rows: FrozenRows  # type: ignore[assignment]

    def set_priors(self, priors: Priors) -> None:
        """Take over α and β; a table of β is not copied."""
        table = None if priors.table is None else priors.table.ravel()
        self._factors = Factors(self.n_topics, priors.alpha, priors.value, table, priors.sums, None)
        self._prior_rows = priors.words

    def start(self, key: np.uint64) -> None:
        """Draw initial topics; counts follow with `recount`."""
        table = self._factors.prior_table
        # Without a table of β all words are alike: one row stands for all.
        documents = self.documents._replace(words=np.zeros_like(self.documents.words))
        if table is not None:
            documents = self._word_rows.numbered(self.documents, self._prior_rows)
        empty = np.zeros(self.width if table is None else table.size, self.state.count_type)
        self.state.documents = documents
        totals = np.zeros(self.width, self.state.total_type)
        self.state.start(Counts(empty, totals, self._sources), self._factors, key)
        self.state.documents = self.documents

    def recount(self, message: None = None) -> ShardCounts:
        """Count the topics of the shard's tokens; return the rows in use and the totals."""
        documents, topics = self.documents, self.state.kernel_state
        own = self._word_rows.own
        words = np.repeat(np.searchsorted(own, documents.words), documents.counts)
        entries = (np.ones(topics.size, self.state.count_type), (words, topics.astype(np.int64)))
        counted = sparse.coo_array(entries, shape=(own.size, self.width)).tocsr()
        drawn = np.zeros((0, self.width), self.state.count_type)
        if self._sources is not None:
            n_documents = self._source_rows.n_rows
            sources = self._sources._replace(source_topic=np.zeros(n_documents * self.width, self.state.count_type))
            count_sources(documents, topics, sources)
            drawn = sources.source_topic.reshape(-1, self.width)[self._source_rows.own]
        return ShardCounts(
            counted, sparse.csr_array(drawn), np.bincount(topics, minlength=self.width).astype(np.float64)
        )

    def sweep(self, broadcast: Broadcast) -> SweepResult:
        """Resample the topics of all tokens and return their moves."""
        documents = self._word_rows.numbered(self.documents, broadcast.word_rows)
        sources = self._sources_of(broadcast)
        source_moves = None
        if sources is not None:
            source_moves = self._source_rows.open_moves(documents, broadcast.source_rows, self.width)
        listed = isinstance(broadcast.word_topic, TopicLists)
        stride = 1 << list_shift(self.width) if listed else self.width
        word_moves = self._word_rows.open_moves(documents, broadcast.word_rows, stride)
        changes = Changes(word_moves, np.zeros(self.width, np.int64), source_moves)
        counts = Counts(broadcast.word_topic, broadcast.totals, sources, changes)
        factors = self.sweep_factors(broadcast)
        info = self.sampler.sweep(documents, self.state.kernel_state, counts, factors, broadcast.key, None)
        return self.sweep_result(
            info,
            self._word_rows.close_moves(word_moves, broadcast.word_rows, stride),
            source_moves and self._source_rows.close_moves(source_moves, broadcast.source_rows, self.width),
            changes.totals,
        )

    @property
    def sources(self) -> Sources | None:
        """Candidate sources of the documents, by row of the chain's table; None where tokens draw from their own."""
        return self._sources

    def prior_factors(self) -> Factors:
        """Return α and β; a table of β has all words."""
        return self._factors._replace(prior_table=self._prior_table(None))

    def sweep_factors(self, broadcast: Broadcast) -> Factors:
        """Return the priors and the pseudo-observations of a sweep; a device that sweeps all shards needs them."""
        return self._factors._replace(
            observations=self._observations(broadcast.responses, broadcast.linked_topics),
            prior_table=self._prior_table(broadcast.word_rows),
        )

    def sweep_result(
        self,
        info: SweepInfo,
        words: RowMoves | HeldTable | TableChanges,
        sources: RowMoves | HeldTable | TableChanges | None,
        totals: np.ndarray,
    ) -> SweepResult:
        """Return the message that answers a sweep, given what changed.

        Parameters
        ----------
        info : SweepInfo
            Of the shard.
        words, sources : RowMoves, HeldTable, TableChanges or None
            Moves of tokens, the tables of an executor that has added the moves of all shards, or what all shards of a
            worker changed.
        totals : array of int64
            Change of the tokens per topic.
        """
        return SweepResult(info, words, sources, totals, self.linked_topics())

    def recount_result(self, words: HeldTable, sources: HeldTable | None, totals: np.ndarray) -> ShardCounts:
        """Return the message that answers a recount, given the tables of an executor that counted all shards.

        Parameters
        ----------
        words, sources : HeldTable or None
            Counts of all shards.
        totals : array of float64
            Tokens per topic that this shard adds.
        """
        return ShardCounts(words, sources, totals)

    def _sources_of(self, broadcast: Broadcast) -> Sources | None:
        """Return the candidates of the shard's documents with the counts that were sent."""
        sources, sent = self._sources, broadcast.source_rows
        if sources is None:
            return None
        rows = sources.rows
        if sent is not None:
            rows = np.searchsorted(sent, rows // self.width) * self.width
        return sources._replace(rows=rows, source_topic=broadcast.source_topic)

    def _prior_table(self, sent: np.ndarray | None) -> np.ndarray | None:
        """Return the table of β with the rows that were sent of the counts."""
        table, held = self._factors.prior_table, self._prior_rows
        if table is None or held is sent or (held is not None and sent is not None and np.array_equal(held, sent)):
            return table
        rows = np.arange(self._word_rows.n_rows) if sent is None else sent
        return table.reshape(-1, self.width)[rows if held is None else np.searchsorted(held, rows)].ravel()

    def private_words(self, message: None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return no words: the chain has all counts."""
        return self.words[:0], np.zeros((0, self.width), self.state.count_type)

    def private_sources(self, message: None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return no documents: the chain has all counts."""
        return self.source_documents[:0], np.zeros((0, self.width), self.state.count_type)
