"""The documents with the highest values z̄_iᵀ U z̄_j for each of many documents i, without keeping all values.

Known documents come in blocks. Their values with sixteen documents at a time are compared with the lowest value that
each of these has kept, and only higher ones are looked at. Of equal values, the document that comes first is kept.

The largest numbers of a known document are multiplied first. The others add at most their sum times the largest number
of the query, so most values are given up after a few products. Queries with the same largest column stand together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.responses.base import Map
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import LANES, add, first_bit, load, multiply, positive_lanes, splat, store, subtract

_TILE = 8 * LANES  # sources per task
_STEP = 4  # products between two comparisons
_LEVELS = 5  # into which numbers are divided by size, each a quarter of the one before
_ALLOWANCE = np.float32(1e-5)  # for rounding, as a share of the sum of a document's numbers


class _Entries(NamedTuple):
    """Nonzero numbers of a block of known documents: document d has entries starts[d] up to starts[d + 1]."""

    starts: np.ndarray  # int64
    columns: np.ndarray  # int32
    numbers: np.ndarray  # float32: large ones first
    rest: np.ndarray  # float32: bound on the sum of an entry's number and those after it, rounding included


class BestPartners:
    """Collects the known documents with the highest values for each source.

    Parameters
    ----------
    queries : ndarray of shape (sources, columns)
        The value of a source with a known document is the sum over columns of its query times the document's numbers.
    number : int
        Documents to keep per source.
    left_out : csr_array of shape (sources, documents) or None, default None
        Nonzero entries are documents that are not kept.
    """

    def __init__(self, queries: np.ndarray, number: int, left_out: sparse.csr_array | None = None) -> None:
        n_sources, n_columns = queries.shape
        padded = -(-max(n_sources, 1) // _TILE) * _TILE
        self._n_sources = n_sources
        self._order = np.argsort(np.argmax(queries, axis=1), kind="stable") if queries.size else np.arange(n_sources)
        self._queries = np.zeros((n_columns, padded), np.float32)
        self._queries[:, :n_sources] = queries[self._order].T
        self._largest = np.abs(self._queries).max(axis=0, initial=0.0)
        self._lowest = np.full(padded, -np.inf, np.float32)
        self._lowest[n_sources:] = np.inf
        self._values = np.empty((padded, number), np.float32)
        self._documents = np.empty((padded, number), np.int32)
        self._sizes = np.zeros(padded, np.int64)
        self._left_out = (np.zeros(padded + 1, np.int64), np.empty(0, np.int32))
        if left_out is not None:
            left_out = left_out[self._order]
            left_out.sort_indices()
            ends = np.full(padded - n_sources, left_out.indptr[-1])
            self._left_out = (
                np.concatenate([left_out.indptr, ends]).astype(np.int64),
                left_out.indices.astype(np.int32),
            )

    def add(self, first: int, block: np.ndarray, map: Map) -> None:
        """Compare a block of known documents with those kept so far.

        Parameters
        ----------
        first : int
            Number of the first document of the block; blocks come in order.
        block : ndarray of float32, shape (documents, columns)
            Numbers of the documents.
        map : callable
            Runs the tasks, as `Executor.map`.
        """
        flat = self._queries.reshape(-1)
        entries = _Entries(
            np.zeros(len(block) + 1, np.int64),
            np.empty(block.size, np.int32),
            np.empty(block.size, np.float32),
            np.empty(block.size + 1, np.float32),
        )
        _list_entries(block, entries)

        def compare(begin: int) -> None:
            _compare(
                begin, first, entries, flat, *self._left_out, self._lowest, self._largest,
                self._values, self._documents, self._sizes, np.empty(_TILE, np.float32),
            )  # fmt: skip

        map(compare, range(0, self._lowest.size, _TILE))

    def documents(self) -> list[np.ndarray]:
        """Return the kept documents of every source, by number."""
        place_of = np.argsort(self._order)
        kept = ((self._documents[place], self._sizes[place]) for place in place_of)
        return [np.sort(row[:size]).astype(np.int64) for row, size in kept]


@kernel
def add_mean_topics(first, last, doc_topic, share, column, block):
    """Add z̄ of the documents first to last, times a share, to the columns of a block from `column` on.

    `doc_topic` are indptr, indices and data of document–topic counts. Documents without tokens add nothing.
    """
    starts, topics, counts = doc_topic
    for document in range(first, last):
        length = 0.0
        for entry in range(starts[document], starts[document + 1]):
            length += counts[entry]
        factor = share / max(length, 1e-30)
        for entry in range(starts[document], starts[document + 1]):
            block[document - first, column + topics[entry]] += np.float32(counts[entry] * factor)


@kernel
def _list_entries(block, entries):
    """Fill the entries of a block."""
    place = 0
    for row in range(block.shape[0]):
        first = place
        total = np.float32(0.0)
        for column in range(block.shape[1]):
            total += abs(block[row, column])
        above, below = np.float32(np.inf), np.float32(0.25)
        for level in range(_LEVELS):
            if level == _LEVELS - 1:
                below = np.float32(0.0)
            for column in range(block.shape[1]):
                size = abs(block[row, column])
                if below < size <= above:
                    entries.columns[place] = column
                    entries.numbers[place] = block[row, column]
                    place += 1
            above, below = below, np.float32(0.25) * below
        entries.starts[row + 1] = place
        rest = _ALLOWANCE * total
        for entry in range(place - 1, first - 1, -1):
            rest += abs(entries.numbers[entry])
            entries.rest[entry] = rest


@kernel
def _compare(begin, first, entries, queries, left_starts, left_out, lowest, largest, values, documents, sizes, found):
    """Compare a block of known documents with what the sources `begin` up to `begin` + _TILE have kept."""
    n_sources = lowest.size
    for row in range(entries.starts.size - 1):
        end = entries.starts[row + 1]
        for tile in range(0, _TILE, LANES):
            total = splat(np.float32(0.0))
            least = load(lowest, begin + tile)
            above, entry = np.int64(1), entries.starts[row]
            while entry < end and above != 0:
                for number in range(entry, min(entry + _STEP, end)):
                    place = np.int64(entries.columns[number]) * n_sources + begin + tile
                    total = add(total, multiply(splat(entries.numbers[number]), load(queries, place)))
                entry += _STEP
                if entry < end:
                    most = add(total, multiply(splat(entries.rest[entry]), load(largest, begin + tile)))
                    above = np.int64(positive_lanes(subtract(most, least)))
            if above != 0:
                above = np.int64(positive_lanes(subtract(total, least)))
                store(found, tile, total)
            while above != 0:
                place = tile + first_bit(above)
                above &= above - 1
                source, document = begin + place, first + row
                if not _is_listed(left_out, left_starts[source], left_starts[source + 1], document):
                    sizes[source] = _keep(values[source], documents[source], sizes[source], found[place], document)
                    if sizes[source] == values.shape[1]:
                        lowest[source] = values[source, 0]


@inline_kernel
def _is_listed(numbers, begin, end, wanted):
    """Return whether a number is in a part of an array that is sorted."""
    last = end
    while begin < last:
        middle = (begin + last) // 2
        if numbers[middle] < wanted:
            begin = middle + 1
        else:
            last = middle
    return begin < end and numbers[begin] == wanted


@inline_kernel
def _keep(values, documents, size, value, document):
    """Put a document into a heap with the lowest value on top, in place of the top if it is full; return its size."""
    place = size
    if size == values.size:
        place = _sink(values, documents, value, document)
        size -= 1
    else:
        while place > 0 and _is_lower(value, document, values[(place - 1) // 2], documents[(place - 1) // 2]):
            values[place], documents[place] = values[(place - 1) // 2], documents[(place - 1) // 2]
            place = (place - 1) // 2
    values[place] = value
    documents[place] = document
    return size + 1


@inline_kernel
def _sink(values, documents, value, document):
    """Return the place of a document that replaces the top of a full heap; those before it move up."""
    place = 0
    while 2 * place + 1 < values.size:
        child = 2 * place + 1
        if child + 1 < values.size and _is_lower(
            values[child + 1], documents[child + 1], values[child], documents[child]
        ):
            child += 1
        if not _is_lower(values[child], documents[child], value, document):
            break
        values[place], documents[place] = values[child], documents[child]
        place = child
    return place


@inline_kernel
def _is_lower(value, document, other_value, other_document):
    """Return whether a document is given up before another: a lower value, or the same and a larger number."""
    return value < other_value or (value == other_value and document > other_document)
