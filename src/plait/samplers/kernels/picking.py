"""Random choice of a document's distinct words, with probabilities proportional to their counts.

The lazy samplers of Bíró and Szabó (2009), section 2.3, visit a document 1/ℓ times the number of its distinct words, or
of its tokens (`lazy.py`), and draw words with replacement. One alias table (Walker, 1977) per document makes the cost
of a draw independent of the document's length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Documents
from plait.samplers.kernels.aligned import CACHE_LINE
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import prefetch
from plait.samplers.random import document_key, uniform


class Picker(NamedTuple):
    """Alias tables of all documents of a shard, one cell per entry."""

    keep: np.ndarray  # float32: probability that a cell returns its own entry
    other: np.ndarray  # int32: the entry that it returns otherwise, counted from the document's first
    entry_offsets: np.ndarray  # int64: tokens of the shard before each entry
    visits: np.ndarray  # float64: expected number of visits per sweep to each document


def build_picker(documents: Documents, visits: np.ndarray) -> Picker:
    """Return the alias tables of a shard.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    visits : ndarray of float
        Expected number of visits per sweep to each document.
    """
    size = documents.words.size
    picker = Picker(
        np.empty(size, dtype=np.float32),
        np.empty(size, dtype=np.int32),
        np.concatenate([[0], np.cumsum(documents.counts)[:-1]]).astype(np.int64) if size else np.empty(0, np.int64),
        visits,
    )
    longest = int(np.diff(documents.starts).max(initial=0))
    _build_tables(documents, picker, np.empty(longest, np.float64), np.empty(longest, np.int64))
    return picker


@kernel
def _build_tables(documents, picker, scaled, pending):
    # `pending` holds small cells from the left and large cells from the right.
    for document in range(documents.starts.size - 1):
        first = documents.starts[document]
        size = documents.starts[document + 1] - first
        length = 0.0
        for cell in range(size):
            length += documents.counts[first + cell]
        small, large = 0, size
        for cell in range(size):
            scaled[cell] = documents.counts[first + cell] * size / length
            picker.keep[first + cell] = 1.0
            picker.other[first + cell] = cell
            if scaled[cell] < 1.0:
                pending[small] = cell
                small += 1
            else:
                large -= 1
                pending[large] = cell
        while small > 0 and large < size:
            small -= 1
            lesser, greater = pending[small], pending[large]
            picker.keep[first + lesser] = scaled[lesser]
            picker.other[first + lesser] = greater
            scaled[greater] -= 1.0 - scaled[lesser]
            if scaled[greater] < 1.0:
                pending[small] = greater
                small += 1
                large += 1


@inline_kernel
def count_visits(picker, document, key):
    """Return the number of visits to a document in a sweep: the expected number, rounded up or down at random."""
    return np.int64(picker.visits[document] + uniform(key, 0))


@inline_kernel
def pick(documents, document, picker, key, draw_number):
    """Return the entry that draw number `draw_number` picks."""
    first = documents.starts[document]
    size = documents.starts[document + 1] - first
    scaled = np.float64(uniform(key, draw_number)) * size
    cell = min(np.int64(scaled), size - 1)
    if np.float32(scaled - cell) >= picker.keep[first + cell]:
        cell = np.int64(picker.other[first + cell])
    return first + cell


@inline_kernel
def pick_next(documents, picker, key, cursor):
    """Return the document and entry of the next pick of a sweep; entry −1 after the last pick.

    `cursor` holds the document, the number of picks made in it and its number of picks; (−1, 0, 0) before the first.
    """
    while cursor[1] >= cursor[2]:
        if cursor[0] >= documents.starts.size - 2:
            return cursor[0], -1
        cursor[0] += 1
        cursor[1] = 0
        cursor[2] = count_visits(picker, cursor[0], document_key(key, documents.first + cursor[0]))
        _prefetch_picker(documents, cursor[0] + 1, picker)
    cursor[1] += 1
    random_key = document_key(key, documents.first + cursor[0])
    return cursor[0], pick(documents, cursor[0], picker, random_key, cursor[1])


@inline_kernel
def _prefetch_picker(documents, document, picker):
    """Prefetch the tables of the next document; all of them have four bytes per entry."""
    if document < documents.starts.size - 1:
        for entry in range(documents.starts[document], documents.starts[document + 1], CACHE_LINE // 4):
            prefetch(picker.keep, entry)
            prefetch(picker.other, entry)
            prefetch(documents.words, entry)
            prefetch(documents.counts, entry)
