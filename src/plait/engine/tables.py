"""The chain's count tables: topics per word and per source document, and tokens per topic.

They have the rows that several shards use; all rows with a synchronous sampler. What shards return is added here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.engine.assignments import STATES
from plait.engine.counts import add_deltas
from plait.engine.cut import ShardPlan
from plait.engine.frozen_rows import add_moves
from plait.engine.messages import ShardCounts, SweepResult
from plait.engine.topic_lists import ListedTable, load_counts
from plait.responses.base import Map
from plait.samplers.kernels.aligned import aligned_zeros


class CountTables:
    """The count tables of a chain.

    Parameters
    ----------
    plan : ShardPlan
        Which rows shards use.
    listed : bool
        Whether the topics of a word are a list instead of a row, for many topics.
    """

    def __init__(self, plan: ShardPlan, *, listed: bool) -> None:
        self._plan = plan
        self._state = STATES[plan.sampler.state_form]
        n_words, n_sources, kind = plan.words.shared.size, plan.sources.shared.size, self._state.count_type
        self.words: Any = ListedTable(n_words, plan.width) if listed else aligned_zeros(n_words * plan.width, kind)
        self.sources = aligned_zeros(n_sources * plan.width, kind)
        self.totals = np.zeros(plan.width, self._state.total_type)

    @property
    def sent_words(self) -> Any:
        """Topics per word as shards are sent them."""
        return self.words.lists if isinstance(self.words, ListedTable) else self.words

    def load(self, found: Sequence[ShardCounts]) -> None:
        """Take over counts that the shards rebuilt from their assignments.

        Parameters
        ----------
        found : sequence of ShardCounts
            Of every shard.
        """
        plan, kind = self._plan, self._state.sum_type
        self.totals[:] = np.sum([one.totals for one in found], axis=0)
        if plan.sampler.synchronous:
            load_counts(self.words, [one.word_topic for one in found], plan.words.own)
            load_counts(self.sources, [one.source_topic for one in found], plan.sources.own)
            return
        words = np.zeros((plan.words.shared.size, plan.width), kind)
        sources = np.zeros((plan.sources.shared.size, plan.width), kind)
        for number, one in enumerate(found):
            rows: Any = one.word_topic
            words[plan.words.rows_of(number)] += rows.toarray() if sparse.issparse(rows) else rows
            sources[plan.sources.rows_of(number)] += one.source_topic
        self.words[:] = words.ravel()
        self.sources[:] = sources.ravel()

    def add(self, results: Sequence[SweepResult], map: Map) -> None:
        """Add what a sweep changed, in the order of the shards.

        Parameters
        ----------
        results : sequence of SweepResult
            Of every shard.
        map : callable
            Runs independent tasks.
        """
        self._add(self.words, [one.word_topic for one in results], map)
        self._add(self.sources, [one.source_topic for one in results], map)
        change = np.zeros(self._plan.width, self._state.sum_type)
        for one in results:
            change += one.totals
        self.totals[:] = self.totals.astype(self._state.sum_type) + change

    def _add(self, table: Any, changes: Sequence[Any], map: Map) -> None:
        if not table.size:
            return
        if isinstance(table, ListedTable):
            table.add(changes, map)
        elif self._plan.sampler.synchronous:
            add_moves(table, changes, map)
        else:
            add_deltas(table, changes, self._plan.width, map)

    def all_words(self, private: Iterable[tuple[np.ndarray, np.ndarray]], n_words: int) -> np.ndarray:
        """Return topics per word, words by falling frequency × width.

        Parameters
        ----------
        private : iterable
            Words and rows that only one shard has.
        n_words : int
            Number of words.
        """
        return self._whole(self.words, self._plan.words.shared, private, n_words)

    def all_sources(self, private: Iterable[tuple[np.ndarray, np.ndarray]], n_documents: int) -> np.ndarray:
        """Return topics per source document, documents × width.

        Parameters
        ----------
        private : iterable
            Documents and rows that only one shard has.
        n_documents : int
            Number of documents.
        """
        return self._whole(self.sources, self._plan.sources.shared, private, n_documents)

    def _whole(
        self, shared: np.ndarray, rows: np.ndarray, private: Iterable[tuple[np.ndarray, np.ndarray]], n_rows: int
    ) -> np.ndarray:
        table = np.zeros((n_rows, self._plan.width), dtype=shared.dtype)
        for own, values in private:
            table[own] = values
        table[rows] = shared.reshape(-1, self._plan.width)
        return table
