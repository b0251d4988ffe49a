"""Rows of a count table that synchronous sweeps read but do not change: nothing is copied, and moves are returned.

The rows of the table are all words of the corpus (by falling frequency), or all source documents, so that shards number
them alike and read the chain's own table where they share its memory. Rows are divided into ranges, whose moves are
added independently.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.engine.messages import RowMoves
from plait.responses.base import Map
from plait.samplers.base import Documents, Moves
from plait.samplers.kernels.compiled import kernel

_RANGES = 16
_MOST_SHORT = 1 << 32  # entries of a table whose positions fit into 32 bits


class FrozenRows:
    """The rows of a frozen count table that a shard reads.

    Parameters
    ----------
    own : array of int64
        Rows that the shard uses, increasing.
    n_rows : int
        Rows of the whole table.
    by_word : bool
        Whether rows are words, whose moves stay within a row. Otherwise moves are in one range.
    """

    def __init__(self, own: np.ndarray, n_rows: int, *, by_word: bool) -> None:
        self.own = own
        self.n_rows = n_rows
        self._edges = range_edges(n_rows) if by_word else np.array([0, n_rows])
        self._rows: np.ndarray | None = None  # by which `_documents` are numbered
        self._documents: Documents | None = None
        self._moved: Documents | None = None  # the documents that the ranges were computed for
        self._range_of = np.zeros(0, np.uint8)
        self._starts = np.zeros(0, np.int64)

    def numbered(self, documents: Documents, rows: np.ndarray | None) -> Documents:
        """Return documents whose words are numbered by some rows of the table; None: by all of them.

        Parameters
        ----------
        documents : Documents
            Numbered by all rows.
        rows : array of int64 or None
            Increasing.
        """
        if rows is None:
            return documents
        if self._documents is None or self._rows is None or not np.array_equal(rows, self._rows):
            self._rows = rows
            self._documents = documents._replace(words=np.searchsorted(rows, documents.words).astype(np.int32))
        return self._documents

    def open_moves(self, documents: Documents, rows: np.ndarray | None, stride: int) -> Moves:
        """Return room for the moves of a sweep.

        Parameters
        ----------
        documents : Documents
            Numbered by `rows`.
        rows : array of int64 or None
            Rows of the table that were sent; None for all.
        stride : int
            Positions from one row to the next.
        """
        if self._moved is not documents:
            self._moved = documents
            self._range_of, self._starts = self._divide(documents, rows)
        kind = np.uint32 if self._range_of.size * stride < _MOST_SHORT else np.int64
        return Moves(np.empty(2 * int(documents.offsets[-1]), kind), self._starts.copy(), self._range_of)

    def _divide(self, documents: Documents, rows: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the range of each row, and where the moves of each range begin."""
        sizes = np.diff(self._edges)
        range_of = np.repeat(np.arange(sizes.size, dtype=np.uint8), sizes)
        range_of = range_of if rows is None else range_of[rows]
        if sizes.size == 1:
            return range_of, np.zeros(1, np.int64)
        held = np.bincount(range_of[documents.words], weights=documents.counts, minlength=sizes.size)
        return range_of, np.concatenate([[0], np.cumsum(2 * held[:-1])]).astype(np.int64)

    def close_moves(self, moves: Moves, rows: np.ndarray | None, stride: int) -> RowMoves:
        """Return the moves of a sweep, in positions of the whole table.

        Parameters
        ----------
        moves : Moves
            What `open_moves` returned, after the sweep.
        rows : array of int64 or None
            Rows of the table that were sent; None for all.
        stride : int
            Positions from one row to the next.
        """
        found = [moves.positions[first:last] for first, last in zip(self._starts, moves.ends, strict=True)]
        if rows is not None:
            for number, positions in enumerate(found):
                numbers, topics = np.divmod(positions.astype(np.int64), stride)
                found[number] = rows[numbers] * stride + topics
        return RowMoves(found)


def range_edges(n_rows: int) -> np.ndarray:
    """Return the edges of ranges of words by falling frequency that have about as many tokens each.

    Parameters
    ----------
    n_rows : int
        Number of words.
    """
    edges = np.round(n_rows * (np.arange(_RANGES + 1) / _RANGES) ** 3)
    return edges.astype(np.int64)


def add_moves(table: np.ndarray, moves: Sequence[RowMoves], map: Map) -> None:
    """Add the moves of all shards to a flat table; ranges of rows are independent tasks.

    Parameters
    ----------
    table : array
        Flat, rows × width.
    moves : sequence of RowMoves
        Of all shards.
    map : callable
        Runs independent tasks.
    """

    def add(number: int) -> None:
        for one in moves:
            _add_moves(table, one.ranges[number])

    map(add, range(len(moves[0].ranges)))


@kernel
def _add_moves(table, positions):
    for place in range(0, positions.size, 2):
        table[np.int64(positions[place])] -= 1
        table[np.int64(positions[place + 1])] += 1
