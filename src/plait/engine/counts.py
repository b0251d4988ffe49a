"""Rows of a count table that shards share: fetched at the start of a sweep, returned as deltas at its end.

A row that only one shard uses (a word that occurs there alone) is private: it stays in the shard and never travels.
With one shard every row is private and nothing is copied.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from plait.engine.messages import RowDeltas
from plait.executors.base import TableChanges
from plait.responses.base import Map
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import kernel

_WORKSPACE = threading.local()
_RANGES = 16  # of rows that are reduced independently


def workspace(size: int, dtype: DTypeLike) -> np.ndarray:
    """Return an aligned array of the calling thread, which is reused by its next call.

    Shards are swept one after the other by each thread, so a table for the largest of them is enough.
    """
    name = np.dtype(dtype).name
    kept: np.ndarray | None = getattr(_WORKSPACE, name, None)
    if kept is None or kept.size < size:
        kept = aligned_zeros(size, dtype)
        setattr(_WORKSPACE, name, kept)
    return kept[:size]


class ShardRows:
    """The rows of one count table that a shard uses: shared rows first, then private ones.

    Parameters
    ----------
    shared : array of int64
        Row of the shared table for each of the shard's first rows, increasing.
    n_private : int
        Number of private rows, which come after the shared ones.
    width : int
        Padded number of topics.
    dtype : dtype
        int32 for counts of tokens, float32 for shares.
    most_changes : int
        Largest number of entries that a sweep can change: two per token.
    resident : bool, default False
        Keep the whole table between sweeps, even where rows are shared.
    """

    def __init__(
        self,
        shared: np.ndarray,
        n_private: int,
        width: int,
        dtype: DTypeLike,
        most_changes: int,
        *,
        resident: bool = False,
    ) -> None:
        self.shared = shared
        self.width = width
        self.n_rows = shared.size + n_private
        self.dtype = np.dtype(dtype)
        self.most_changes = min(most_changes, shared.size * width)
        self.resident = resident or shared.size == 0
        self._kept = aligned_zeros((self.n_rows if self.resident else n_private) * width, dtype)

    @property
    def n_shared(self) -> int:
        """Number of entries of the shared rows."""
        return self.shared.size * self.width

    def open(self, sent: np.ndarray, sent_rows: np.ndarray | None = None) -> np.ndarray:
        """Return the whole table, flat, with the shared rows as they are in the chain's table.

        Parameters
        ----------
        sent : ndarray
            The chain's table, flat, or some of its rows.
        sent_rows : ndarray of int64 or None
            Which rows, increasing; None for the whole table.

        Returns
        -------
        ndarray
            Flat, shared rows first.
        """
        if self.resident:
            table = self._kept
        else:
            table = workspace(self.n_rows * self.width, self.dtype)
            table[self.n_shared :] = self._kept
        if self.shared.size:
            rows = table[: self.n_shared].reshape(-1, self.width)
            places = self._places(sent_rows)
            np.take(sent.reshape(-1, self.width), places, axis=0, out=rows, mode="clip")
        return table

    def close(self, table: np.ndarray, sent: np.ndarray, sent_rows: np.ndarray | None = None) -> RowDeltas:
        """Keep the private rows of a table that `open` returned, and return the changes of the shared ones.

        Parameters
        ----------
        table : ndarray
            What `open` returned.
        sent, sent_rows
            As for `open`.

        Returns
        -------
        RowDeltas
            Positions and rows are those of the chain's table.
        """
        if not self.resident:
            self._kept[:] = table[self.n_shared :]
        places = self._places(sent_rows)
        if self.dtype.kind == "f":
            values = np.empty(self.n_shared, self.dtype)  # the next shard reuses the workspace
            _subtract(sent, places, table, self.width, values)
            return RowDeltas(values, None, self.shared)
        last = sent.size if sent_rows is None or not sent_rows.size else (int(sent_rows[-1]) + 1) * self.width
        # One entry more: the kernel writes each entry before it knows whether it changed.
        positions = np.empty(self.most_changes + 1, np.uint32 if last < 1 << 32 else np.int64)
        values = np.empty(self.most_changes + 1, self.dtype)
        n_changed = _list_changes(sent, places, table, self.width, positions, values)
        positions = positions[:n_changed]
        if sent_rows is not None:
            rows, topics = np.divmod(positions, positions.dtype.type(self.width))
            positions = sent_rows[rows].astype(positions.dtype) * positions.dtype.type(self.width) + topics
        return RowDeltas(values[:n_changed], positions, self.shared[:0])

    def _places(self, sent_rows: np.ndarray | None) -> np.ndarray:
        """Return where the shard's shared rows are among those that were sent."""
        return self.shared if sent_rows is None else np.searchsorted(sent_rows, self.shared).astype(np.int64)

    def private(self) -> np.ndarray:
        """Return the private rows, rows × width."""
        rows = self._kept.reshape(-1, self.width)
        return rows[self.shared.size :] if self.resident else rows

    def load(self, table: np.ndarray) -> None:
        """Take over counts, rows × width, of which only the private rows matter where the table is not resident."""
        self._kept[:] = (table if self.resident else table[self.shared.size :]).ravel()

    def load_private(self, rows: np.ndarray) -> None:
        """Take over the private rows, rows × width; the shared ones come with each sweep."""
        self.private()[:] = rows


def add_deltas(table: np.ndarray, deltas: Sequence[RowDeltas], width: int, map: Map) -> None:
    """Add the changes of all shards to a flat shared table.

    Runs of rows are independent tasks. Inside each, changes are added in the order of the shards.
    """
    n_rows = table.size // width
    edges = np.linspace(0, n_rows, min(_RANGES, max(n_rows, 1)) + 1).astype(np.int64)

    def add(number: int) -> None:
        first, last = edges[number], edges[number + 1]
        for one in deltas:
            if one.positions is not None:
                # Of the same type: NumPy would convert all positions to another one.
                begin, end = np.searchsorted(
                    one.positions, (np.array([first, last]) * width).astype(one.positions.dtype)
                )
                _add_sparse(table, one.positions[begin:end], one.values[begin:end])
            else:
                begin, end = np.searchsorted(one.rows, [first, last])
                _add_rows(table, one.rows[begin:end], one.values[begin * width : end * width], width)

    map(add, range(edges.size - 1))


def add_changes(table: np.ndarray, changes: Sequence[TableChanges], width: int, map: Map) -> None:
    """Add the changes of all workers to a flat shared table.

    Parameters
    ----------
    table : array
        Flat, rows × width.
    changes : sequence of TableChanges
        Of all shards.
    width : int
        Padded number of topics.
    map : callable
        Runs independent tasks.
    """
    no_rows = np.zeros(0, np.int64)
    add_deltas(table, [RowDeltas(one.values, one.positions, no_rows) for one in changes], width, map)


@kernel
def _subtract(shared, rows, table, width, values):
    for row in range(rows.size):
        there = rows[row] * width
        for topic in range(width):
            values[row * width + topic] = table[row * width + topic] - shared[there + topic]


@kernel
def _list_changes(shared, rows, table, width, positions, values):
    # Unsigned indices: code for negative ones would cost more than the comparison.
    n_found = np.uint64(0)
    lanes = np.uint64(16)
    for row in range(rows.size):
        there = np.uint64(rows[row]) * np.uint64(width)
        here = np.uint64(row) * np.uint64(width)
        for block in range(np.uint64(width) // lanes):
            first = np.uint64(block) * lanes
            differs = np.int32(0)
            for lane in range(lanes):
                place = first + np.uint64(lane)
                differs |= table[here + place] ^ shared[there + place]
            if differs != 0:
                for lane in range(lanes):
                    place = first + np.uint64(lane)
                    change = table[here + place] - shared[there + place]
                    # Written always and counted if it differs: a branch here would be mispredicted too often.
                    positions[n_found] = there + place
                    values[n_found] = change
                    n_found += np.uint64(change != 0)
    return np.int64(n_found)


@kernel
def _add_sparse(table, positions, values):
    for number in range(positions.size):
        table[positions[number]] += values[number]


@kernel
def _add_rows(table, rows, values, width):
    for row in range(rows.size):
        there = rows[row] * width
        for topic in range(width):
            table[there + topic] += values[row * width + topic]
