"""A GPU of a worker of Ray: what its sweeps change travels to the chain, which adds the changes of all workers."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait.executors.base import TableChanges
from plait.executors.cuda import CudaExecutor
from plait.executors.cuda_lists import dense_counts
from plait.samplers.base import TopicLists

_MOST_SHORT = 1 << 32  # entries of a table whose positions fit into 32 bits


class CudaWorker(CudaExecutor):
    """Sweep some of the shards of a chain; others are on other devices.

    Tables come with every sweep, and their changes are returned. Sums that weights depend on are added in the order of
    all shards of the chain, so they are computed on the CPU.

    Examples
    --------
    >>> CudaWorker(n_jobs=2)
    CudaExecutor(n_jobs=2)
    """

    _sums_on_device = False

    def _recount(self, message: None) -> list[Any]:
        return self._threads.each("recount")

    def _sweep(self, broadcast: Any) -> list[Any]:
        results = super()._sweep(broadcast)
        words = self._changes_of(self._table, broadcast.word_topic)
        sources = None if self._drawn is None else self._changes_of(self._drawn, broadcast.source_topic)
        self._table = self._drawn = None  # the next sweep brings them
        changes = [one._replace(word_topic=_nothing(words), source_topic=_nothing(sources)) for one in results]
        changes[0] = results[0]._replace(word_topic=words, source_topic=sources)
        return changes

    def _changes_of(self, table: Any, sent: Any) -> TableChanges:
        """Return how a table on the device differs from the one that was sent."""
        assert self._opened is not None
        before = dense_counts(sent, self._shards[0].width) if isinstance(sent, TopicLists) else sent
        change = self._opened.get(table.counted) - before
        positions = np.flatnonzero(change)
        return TableChanges(positions.astype(np.uint32 if change.size < _MOST_SHORT else np.int64), change[positions])


def _nothing(changes: TableChanges | None) -> TableChanges | None:
    return None if changes is None else TableChanges(changes.positions[:0], changes.values[:0])
