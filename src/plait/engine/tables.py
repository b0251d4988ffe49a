"""The chain's count tables: topics per word and per source document, and tokens per topic.

They have the rows that several shards use; all rows with a synchronous sampler. What shards return is added here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.engine.assignments import STATES
from plait.engine.counts import add_changes, add_deltas
from plait.engine.cut import ShardPlan
from plait.engine.frozen_rows import add_moves
from plait.engine.messages import ShardCounts, SweepResult
from plait.engine.topic_lists import ListedTable, load_counts
from plait.executors.base import HeldTable, TableChanges
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
        self._words: Any = ListedTable(n_words, plan.width) if listed else aligned_zeros(n_words * plan.width, kind)
        self._sources = aligned_zeros(n_sources * plan.width, kind)
        self._held: dict[str, HeldTable | None] = {"words": None, "sources": None}  # where an executor has the counts
        self._stale: set[str] = set()  # of these, what was not fetched yet
        self.totals = np.zeros(plan.width, self._state.total_type)

    @property
    def words(self) -> Any:
        """Topics per word: a flat array, or lists."""
        return self._fetched("words", self._words)

    @property
    def sources(self) -> np.ndarray:
        """Topics per source document, flat."""
        return self._fetched("sources", self._sources)

    @property
    def lists_topics(self) -> bool:
        """Whether the topics of a word are a list."""
        return isinstance(self._words, ListedTable)

    @property
    def sent_words(self) -> Any:
        """Topics per word as shards are sent them."""
        held = self._held["words"]
        if held is not None:
            return held
        return self._words.lists if isinstance(self._words, ListedTable) else self._words

    @property
    def sent_sources(self) -> Any:
        """Topics per source document as shards are sent them."""
        held = self._held["sources"]
        return self._sources if held is None else held

    def _fetched(self, name: str, table: Any) -> Any:
        """Return a table with the counts of now; those that an executor has are fetched once."""
        held = self._held[name]
        if held is not None and name in self._stale:
            self._stale.discard(name)
            if isinstance(table, ListedTable):
                table.lists = held.fetch()
            else:
                table[:] = held.fetch()
        return table

    def _hold(self, name: str, changes: Sequence[Any]) -> bool:
        """Note where the counts are now; return whether an executor has them."""
        held = changes[0] if isinstance(changes[0], HeldTable) else None
        self._held[name] = held
        self._stale.discard(name)
        if held is not None:
            self._stale.add(name)
        return held is not None

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
            parts = {"words": (self._words, plan.words), "sources": (self._sources, plan.sources)}
            for name, counted in zip(parts, zip(*(one[:2] for one in found), strict=True), strict=True):
                table, layout = parts[name]
                if not self._hold(name, counted) and counted[0] is not None:
                    load_counts(table, counted, layout.own)
            return
        words = np.zeros((plan.words.shared.size, plan.width), kind)
        sources = np.zeros((plan.sources.shared.size, plan.width), kind)
        for number, one in enumerate(found):
            rows: Any = one.word_topic
            words[plan.words.rows_of(number)] += rows.toarray() if sparse.issparse(rows) else rows
            sources[plan.sources.rows_of(number)] += one.source_topic
        self._words[:] = words.ravel()
        self._sources[:] = sources.ravel()

    def add(self, results: Sequence[SweepResult], map: Map) -> None:
        """Add what a sweep changed, in the order of the shards.

        Parameters
        ----------
        results : sequence of SweepResult
            Of every shard.
        map : callable
            Runs independent tasks.
        """
        self._add("words", self._words, [one.word_topic for one in results], map)
        self._add("sources", self._sources, [one.source_topic for one in results], map)
        change = np.zeros(self._plan.width, self._state.sum_type)
        for one in results:
            change += one.totals
        self.totals[:] = self.totals.astype(self._state.sum_type) + change

    def _add(self, name: str, table: Any, changes: Sequence[Any], map: Map) -> None:
        if self._hold(name, changes) or not table.size:
            return
        if isinstance(changes[0], TableChanges):
            if isinstance(table, ListedTable):
                table.add_changes(changes)
            else:
                add_changes(table, changes, self._plan.width, map)
        elif isinstance(table, ListedTable):
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
