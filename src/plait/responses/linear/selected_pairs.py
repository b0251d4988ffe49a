"""Values z̄ᵀ U z̄_j of selected pairs of documents under many samples.

Pairs are visited in the order of the training documents, whose topics are then read from memory once and in order; what
is looked up for each pair, Uᵀ z̄ of all other documents, stays in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.responses.base import Map
from plait.responses.linear.link_sums import CountedTopics
from plait.samplers.kernels.compiled import kernel

_PAIRS = 16_384  # per task
_DOCUMENTS = 64  # per task when Uᵀ z̄ is computed


class SelectedPairs:
    """Pairs of documents with training documents.

    Parameters
    ----------
    columns : sequence of ndarray of int64
        The training documents that each document is paired with.
    """

    def __init__(self, columns: Sequence[np.ndarray]) -> None:
        sizes = [own.size for own in columns]
        known = np.concatenate([np.empty(0, np.int64), *columns])
        self._order = np.argsort(known, kind="stable")
        self._known = known[self._order]
        self._rows = np.repeat(np.arange(len(sizes)), sizes)[self._order]
        self._columns = columns

    @property
    def size(self) -> int:
        """Number of pairs."""
        return int(self._known.size)

    def values(self, topics: np.ndarray, known: CountedTopics, weights: np.ndarray, map: Map) -> np.ndarray:
        """Return z̄ᵀ U z̄_j of every pair, in the order of the training documents.

        Without empty training documents, the bits are those of `all_values`.

        Parameters
        ----------
        topics : ndarray of shape (documents, topics)
            Topic proportions z̄ of the documents.
        known : CountedTopics
            Topics of the training documents.
        weights : ndarray of shape (topics, topics)
            U.
        map : callable
            Runs the tasks, as `Executor.map`.

        Returns
        -------
        ndarray of shape (pairs,)
            Values.
        """
        topics, weights = np.ascontiguousarray(topics), np.ascontiguousarray(weights)
        mapped = np.zeros(topics.shape)
        n_documents = topics.shape[0]
        map(
            lambda first: _map_documents(first, min(first + _DOCUMENTS, n_documents), topics, weights, mapped),
            range(0, n_documents, _DOCUMENTS),
        )
        values = np.empty(self.size)

        def fill(first: int) -> None:
            last = min(first + _PAIRS, self.size)
            _fill_values(first, last, self._rows, self._known, known, mapped, values, np.empty(weights.shape[0]))

        map(fill, range(0, self.size, _PAIRS))
        return values

    def by_document(self, numbers: np.ndarray) -> list[np.ndarray]:
        """Return numbers of pairs as one array per document, in the order of its columns."""
        ordered = np.empty_like(numbers)
        ordered[self._order] = numbers
        ends = np.cumsum([own.size for own in self._columns], dtype=np.int64)
        return np.split(ordered, ends[:-1]) if len(self._columns) else []


@kernel
def _map_documents(first, last, topics, weights, mapped):
    """Fill the rows of `mapped` with Uᵀ z̄."""
    for document in range(first, last):
        for topic in range(topics.shape[1]):
            share = topics[document, topic]
            if share != 0:
                for other in range(mapped.shape[1]):
                    mapped[document, other] += share * weights[topic, other]


@kernel
def _fill_values(first, last, rows, columns, known, mapped, values, shares):
    """Fill in the values of the pairs `first` up to `last`; `shares` is working memory."""
    before, begin, end = np.int64(-1), np.int64(0), np.int64(0)
    for number in range(first, last):
        column = columns[number]
        if column != before:
            before, begin, end = column, np.int64(known.starts[column]), np.int64(known.starts[column + 1])
            length = 0.0
            for entry in range(begin, end):
                length += known.counts[entry]
            for entry in range(begin, end):
                shares[entry - begin] = known.counts[entry] / length
        row = rows[number]
        total = 0.0
        for entry in range(begin, end):
            total += shares[entry - begin] * mapped[row, known.topics[entry]]
        if begin == end:
            for topic in range(mapped.shape[1]):
                total += known.expected[topic] * mapped[row, topic]
        values[number] = total
