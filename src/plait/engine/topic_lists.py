"""Topic–word counts as one list of topics per word: the chain's table for synchronous sweeps with many topics.

Memory follows the number of (word, topic) pairs that occur, not words × topics. After a sweep, the moves of all shards
are merged into the lists, range of words by range of words. Topics are sorted within a list, so that the lists follow
from the counts alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sparse

from plait.engine.frozen_rows import range_edges
from plait.engine.messages import RowMoves
from plait.executors.base import TableChanges
from plait.responses.base import Map
from plait.samplers.base import TopicLists
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import LANES, first_bit
from plait.samplers.kernels.listed import list_shift

_BITS = 64


class ListedTable:
    """The topic–word counts of a chain as lists.

    Parameters
    ----------
    n_words : int
        Number of words.
    width : int
        Padded number of topics.
    """

    def __init__(self, n_words: int, width: int) -> None:
        self.shape = (n_words, width)
        self._edges = range_edges(n_words)
        self.lists = make_lists(sparse.csr_array(self.shape, dtype=np.int32))

    @property
    def size(self) -> int:
        """Number of entries of the lists."""
        return self.lists.topics.size

    def add(self, moves: Sequence[RowMoves], map: Map) -> None:
        """Merge the moves of all shards into the lists; ranges of words are independent tasks.

        Parameters
        ----------
        moves : sequence of RowMoves
            Of all shards; word w and topic k have the position w · 2^`list_shift` + k.
        map : callable
            Runs independent tasks.
        """
        sizes = np.empty_like(self.lists.sizes)
        parts = map(lambda number: self._merge_range(number, moves, sizes), range(self._edges.size - 1))
        self.lists = TopicLists(
            _starts(sizes), sizes, np.concatenate([one[0] for one in parts]), np.concatenate([one[1] for one in parts])
        )

    def add_changes(self, changes: Sequence[TableChanges]) -> None:
        """Add the changes of all workers.

        Parameters
        ----------
        changes : sequence of TableChanges
            Of all shards; word w and topic k have the position w · width + k.
        """
        whole = self.to_csr()
        for one in changes:
            if one.positions.size:
                words, topics = np.divmod(one.positions.astype(np.int64), self.shape[1])
                whole = whole + sparse.coo_array((one.values, (words, topics)), shape=self.shape).tocsr()
        whole.eliminate_zeros()
        whole.sort_indices()
        self.lists = make_lists(whole)

    def _merge_range(self, number: int, moves: Sequence[RowMoves], sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the lists of a range of words after the moves; set their sizes."""
        first, last = int(self._edges[number]), int(self._edges[number + 1])
        lists, width = self.lists, self.shape[1]
        positions = np.concatenate([one.ranges[number] for one in moves])
        n_moves = positions.size // 2
        room = int(lists.starts[last] - lists.starts[first]) + n_moves + LANES * min(last - first, n_moves)
        topics, counts = np.full(room, width, np.uint16), np.zeros(room, np.int32)
        used = _merge(
            lists, first, last, positions, list_shift(width), np.zeros(last - first + 1, np.int64),
            np.empty(n_moves, np.int64), np.zeros(width, np.int32), np.zeros(width // _BITS + 1, np.int64),
            topics, counts, sizes,
        )  # fmt: skip
        return topics[:used], counts[:used]

    def to_csr(self) -> sparse.csr_array:
        """Return the counts, words × width."""
        lists = self.lists
        held = lists.counts > 0
        starts = np.concatenate([[0], np.cumsum(lists.sizes, dtype=np.int64)])
        return sparse.csr_array((lists.counts[held], lists.topics[held].astype(np.int32), starts), shape=self.shape)


def load_counts(
    table: np.ndarray | ListedTable, counted: Sequence[sparse.csr_array], rows: Sequence[np.ndarray]
) -> None:
    """Set a table of the chain to the sum of the counts of all shards.

    Parameters
    ----------
    table : ndarray or ListedTable
        Flat, or lists.
    counted : sequence of csr_array
        Counts of each shard, its rows × width.
    rows : sequence of ndarray
        Rows of the table that each shard has.
    """
    parts = [sparse.coo_array(one) for one in counted]
    numbers = [own[part.coords[0]] for own, part in zip(rows, parts, strict=True)]
    if isinstance(table, ListedTable):
        entries = (np.concatenate(numbers), np.concatenate([part.coords[1] for part in parts]))
        whole = sparse.coo_array((np.concatenate([part.data for part in parts]), entries), shape=table.shape).tocsr()
        whole.sort_indices()
        table.lists = make_lists(whole)
        return
    table[:] = 0
    for row, part in zip(numbers, parts, strict=True):
        table[row * part.shape[1] + part.coords[1]] += part.data  # a shard has each entry once


def make_lists(table: sparse.csr_array) -> TopicLists:
    """Return counts, words × width, as lists.

    Parameters
    ----------
    table : csr_array
        Topics are sorted within a row.
    """
    sizes = np.diff(table.indptr).astype(np.int32)
    starts = _starts(sizes)
    topics, counts = np.full(starts[-1], table.shape[1], np.uint16), np.zeros(starts[-1], np.int32)
    places = np.arange(table.nnz) + np.repeat(starts[:-1] - table.indptr[:-1], sizes)
    topics[places], counts[places] = table.indices, table.data
    return TopicLists(starts, sizes, topics, counts)


def take_lists(lists: TopicLists, rows: np.ndarray) -> TopicLists:
    """Return the lists of some words.

    Parameters
    ----------
    lists : TopicLists
        Lists of all words.
    rows : array of int64
        Words.
    """
    sizes = lists.sizes[rows]
    starts = _starts(sizes)
    places = np.arange(starts[-1]) + np.repeat(lists.starts[rows] - starts[:-1], np.diff(starts))
    return TopicLists(starts, sizes, lists.topics[places], lists.counts[places])


def _starts(sizes: np.ndarray) -> np.ndarray:
    """Return where lists of some sizes begin, padded to whole blocks."""
    blocks = (sizes.astype(np.int64) + LANES - 1) // LANES
    return np.concatenate([[0], np.cumsum(LANES * blocks)])


@kernel
def _merge(lists, first, last, positions, shift, ends, order, dense, bits, topics, counts, sizes):
    """Write the lists of words `first` up to `last` with their moves; return the number of entries written."""
    _group_moves(positions, shift, first, ends, order)
    at = 0
    begin = 0
    for word in range(first, last):
        start, end = lists.starts[word], ends[word - first]
        if begin == end:
            size = np.int64(lists.sizes[word])
            for place in range(size):
                topics[at + place] = lists.topics[start + place]
                counts[at + place] = lists.counts[start + place]
        else:
            for place in range(start, start + np.int64(lists.sizes[word])):
                _count(dense, bits, np.int64(lists.topics[place]), lists.counts[place])
            for number in range(begin, end):
                pair = order[number]
                row = np.int64(word) << shift
                _count(dense, bits, np.int64(positions[pair]) - row, -1)
                _count(dense, bits, np.int64(positions[pair + 1]) - row, 1)
            size = _take_counts(dense, bits, topics, counts, at)
        sizes[word] = size
        at += LANES * ((size + LANES - 1) // LANES)
        begin = end
    return at


@inline_kernel
def _group_moves(positions, shift, first, ends, order):
    """List the moves by word, in their order: those of word `first` + i end at ends[i]."""
    for pair in range(0, positions.size, 2):
        ends[(np.int64(positions[pair]) >> shift) - first + 1] += 1
    for word in range(1, ends.size):
        ends[word] += ends[word - 1]
    for pair in range(0, positions.size, 2):
        word = (np.int64(positions[pair]) >> shift) - first
        order[ends[word]] = pair
        ends[word] += 1


@inline_kernel
def _count(dense, bits, topic, change):
    """Change the count of a topic and mark it as present."""
    dense[topic] += change
    bits[topic // _BITS] |= np.int64(1) << (topic % _BITS)


@inline_kernel
def _take_counts(dense, bits, topics, counts, at):
    """Write the topics with a count from place `at` on, reset all, and return their number."""
    size = 0
    for block in range(bits.size):
        present = bits[block]
        bits[block] = 0
        while present != 0:
            topic = _BITS * block + first_bit(present)
            present &= present - 1
            if dense[topic] != 0:
                topics[at + size] = topic
                counts[at + size] = dense[topic]
                dense[topic] = 0
                size += 1
    return size
