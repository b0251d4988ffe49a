"""The documents with the highest values z̄_iᵀ U z̄_j for each of many documents i, without keeping all values.

Known documents come in blocks. Their values with 64 documents at a time are compared with the lowest value that each
of these has kept, and only higher ones are looked at. Of equal values, the document that comes first is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.responses.base import Map
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import LANES, add, first_bit, load, multiply, positive_lanes, splat, store, subtract

_TILE = 4 * LANES  # sources per task, whose values with a document are in four registers
_LISTED = 256  # known documents per task when their entries are listed


class _Entries(NamedTuple):
    """Nonzero numbers of a block of known documents: document d has entries d · n_columns up to ends[d]."""

    ends: np.ndarray  # int64
    columns: np.ndarray  # int32
    numbers: np.ndarray  # float32


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
        # Those of the sources of a task stand together, column by column.
        rows = np.zeros((padded, n_columns), np.float32)
        rows[:n_sources] = queries
        self._queries = np.ascontiguousarray(rows.reshape(-1, _TILE, n_columns).transpose(0, 2, 1)).reshape(-1)
        self._lowest = np.full(padded, -np.inf, np.float32)
        self._lowest[n_sources:] = np.inf
        self._values = np.empty((padded, number), np.float32)
        self._documents = np.empty((padded, number), np.int32)
        self._sizes = np.zeros(padded, np.int64)
        self._left_out = (np.zeros(padded + 1, np.int64), np.empty(0, np.int32))
        if left_out is not None:
            left_out = left_out.sorted_indices()
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
        n_documents, n_columns = block.shape
        entries = _Entries(
            np.empty(n_documents, np.int64),
            np.empty(block.size, np.int32),
            np.empty(block.size, np.float32),
        )

        def list_entries(begin: int) -> None:
            _list_entries(begin, min(begin + _LISTED, n_documents), block, entries)

        def compare(begin: int) -> None:
            _compare(
                begin, first, n_columns, entries, self._queries, *self._left_out, self._lowest, self._values,
                self._documents, self._sizes, np.empty(_TILE, np.float32),
            )  # fmt: skip

        map(list_entries, range(0, n_documents, _LISTED))
        map(compare, range(0, self._lowest.size, _TILE))

    def documents(self) -> list[np.ndarray]:
        """Return the kept documents of every source, by number."""
        kept = zip(self._documents[: self._n_sources], self._sizes, strict=False)
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
def _list_entries(first, last, block, entries):
    """Fill the entries of the documents `first` up to `last` of a block."""
    for row in range(first, last):
        place = row * block.shape[1]
        for column in range(block.shape[1]):
            number = block[row, column]
            if number != 0:
                entries.columns[place] = column
                entries.numbers[place] = number
                place += 1
        entries.ends[row] = place


@kernel
def _compare(begin, first, n_columns, entries, queries, left_starts, left_out, lowest, values, documents, sizes, found):
    """Compare a block of known documents with what the sources `begin` up to `begin` + _TILE have kept."""
    table = begin * n_columns
    for row in range(entries.ends.size):
        one = other = third = fourth = splat(np.float32(0.0))
        for entry in range(row * n_columns, entries.ends[row]):
            place = table + np.int64(entries.columns[entry]) * _TILE
            number = splat(entries.numbers[entry])
            one = add(one, multiply(number, load(queries, place)))
            other = add(other, multiply(number, load(queries, place + LANES)))
            third = add(third, multiply(number, load(queries, place + 2 * LANES)))
            fourth = add(fourth, multiply(number, load(queries, place + 3 * LANES)))
        above = np.int64(positive_lanes(subtract(one, load(lowest, begin))))
        above |= np.int64(positive_lanes(subtract(other, load(lowest, begin + LANES)))) << LANES
        above |= np.int64(positive_lanes(subtract(third, load(lowest, begin + 2 * LANES)))) << (2 * LANES)
        above |= np.int64(positive_lanes(subtract(fourth, load(lowest, begin + 3 * LANES)))) << (3 * LANES)
        if above != 0:
            store(found, 0, one)
            store(found, LANES, other)
            store(found, 2 * LANES, third)
            store(found, 3 * LANES, fourth)
        while above != 0:
            place = first_bit(above)
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
