"""Features of documents as regressors beside topics: their values v · f_d, and what they add to sums of regressions.

With x = (z̄_d, f_d), Σ precision x xᵀ has three blocks. `regression.py` sums topics × topics; here are features ×
topics and features × features. The pairs of a feature come after all pairs of topics, so the sums of both fit into one
triangle. Where a loss has the same precision in every sweep, Σ precision f fᵀ never changes and is summed once.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sparse

from plait.responses.base import DocTopics, Map, serial_map
from plait.responses.linear.label_rows import (
    LabelledDocuments,
    add_labels,
    count_pairs,
    gather_labels,
    list_topics,
    padded_labels,
)
from plait.samplers.kernels.compiled import kernel

_BLOCK = 1024  # documents per task when values are computed
_MAX_BYTES = 64 << 20  # of partial sums of Σ precision f fᵀ per task
_MAX_TASKS = 16


class FeatureRows(NamedTuple):
    """Standardised features of documents, row by row.

    Examples
    --------
    >>> rows = FeatureRows.of(sparse.csr_array([[0.5, 0.0], [0.0, -1.0], [2.0, 1.0]]))
    >>> rows.cut(1, 3).columns.tolist()
    [1, 0, 1]
    """

    starts: np.ndarray  # int64: document d has entries starts[d] up to starts[d + 1]
    columns: np.ndarray  # int32, rising within a document
    values: np.ndarray  # float64
    n_columns: int

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> Self:
        """Return the rows of a sparse matrix; entries of 0 are left out."""
        found = sparse.csr_array(matrix, copy=True)
        found.eliminate_zeros()
        found.sort_indices()
        starts, columns = found.indptr.astype(np.int64), found.indices.astype(np.int32)
        return cls(starts, columns, found.data.astype(np.float64), int(found.shape[1]))

    def cut(self, first: int, last: int) -> Self:
        """Return the rows of documents `first` up to `last`."""
        own = slice(int(self.starts[first]), int(self.starts[last]))
        starts = self.starts[first : last + 1] - own.start
        return self._replace(starts=starts, columns=self.columns[own], values=self.values[own])


def add_offsets(
    documents: LabelledDocuments, features: FeatureRows, weights: np.ndarray, values: np.ndarray, map: Map
) -> None:
    """Add v · f_d to the value of every observation, where v are the weights of its label.

    Parameters
    ----------
    documents : LabelledDocuments
        Observations of each document.
    features : FeatureRows
        Features of the documents.
    weights : ndarray of shape (labels, features)
        v.
    values : ndarray of shape (observations,)
        Values, changed in place.
    map : callable
        Runs the tasks, as `Executor.map`.
    """
    n_documents = documents.starts.size - 1

    def add(first: int) -> None:
        last = min(first + _BLOCK, n_documents)
        _add_offsets(
            first, last, documents.starts, documents.labels, features.starts, features.columns, features.values,
            weights, values,
        )  # fmt: skip

    map(add, range(0, n_documents, _BLOCK))


def sum_features(
    edges: np.ndarray,
    documents: LabelledDocuments,
    topics: DocTopics,
    features: FeatureRows,
    pull: np.ndarray,
    precision: np.ndarray,
    map: Map,
    with_squares: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what features contribute to the sums over all documents.

    Parameters
    ----------
    edges : ndarray of int64
        First document of each chunk that is added up apart, and the number of documents.
    documents : LabelledDocuments
        Observations of each document.
    topics : DocTopics
        Topics of the documents.
    features : FeatureRows
        Features of the documents.
    pull, precision : ndarray of shape (observations,)
        Pseudo-observations.
    map : callable
        Runs the tasks, as `Executor.map`.
    with_squares : bool
        Whether Σ precision f fᵀ is added.

    Returns
    -------
    tuple of ndarray
        Sums of the pairs of a feature and a topic or feature × labels, and of features × labels.
    """
    n_topics, width = topics.counts.shape[1], padded_labels(documents.n_labels)
    n_pairs = count_pairs(n_topics + features.n_columns) - count_pairs(n_topics)

    def add(task: int) -> tuple[np.ndarray, np.ndarray]:
        sums = np.zeros(n_pairs * width), np.zeros(features.n_columns * width)
        room = (np.empty(n_topics, np.int64), np.empty(n_topics), np.zeros((2, width)))
        _add_features(
            edges[task], edges[task + 1], documents.starts, documents.labels, topics.counts, topics.lengths,
            features.starts, features.columns, features.values, pull, precision, *sums, with_squares, *room,
        )  # fmt: skip
        return sums

    first, *others = map(add, range(edges.size - 1))
    for other in others:
        for total, addend in zip(first, other, strict=True):
            total += addend
    products, moments = (one.reshape(-1, width)[:, : documents.n_labels] for one in first)
    return products, moments


def sum_squares(
    documents: LabelledDocuments, features: FeatureRows, precision: np.ndarray, map: Map = serial_map
) -> np.ndarray:
    """Return Σ precision f fᵀ of every label, for `sum_statistics`.

    Parameters
    ----------
    documents : LabelledDocuments
        Observations of each document.
    features : FeatureRows
        Features of the documents.
    precision : ndarray of shape (observations,)
        Precisions.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    ndarray of shape (pairs of features, labels)
        The sums.
    """
    n_documents, width = documents.starts.size - 1, padded_labels(documents.n_labels)
    size = count_pairs(features.n_columns) * width
    n_tasks = int(np.clip(min(n_documents // 256, _MAX_BYTES // (8 * size)), 1, _MAX_TASKS))
    edges = np.linspace(0, n_documents, n_tasks + 1).astype(np.int64)
    none = DocTopics(np.zeros((n_documents, 0), np.int32), np.zeros(n_documents))
    products, _ = sum_features(edges, documents, none, features, precision, precision, map, True)
    return np.ascontiguousarray(products)


def put_squares(products: np.ndarray, squares: np.ndarray, n_topics: int) -> None:
    """Put Σ precision f fᵀ into the sums over all pairs of regressors.

    Parameters
    ----------
    products : ndarray of shape (pairs of regressors, labels)
        Sums, changed in place.
    squares : ndarray of shape (pairs of features, labels)
        What `sum_squares` returned.
    n_topics : int
        Number of topics, the regressors before the features.
    """
    begin, column = 0, 0
    while begin < len(squares):
        place = count_pairs(n_topics + column) + n_topics
        products[place : place + column + 1] = squares[begin : begin + column + 1]
        column += 1
        begin += column


@kernel
def _add_offsets(first, last, starts, labels, feature_starts, columns, values, weights, totals):
    for document in range(first, last):
        for number in range(starts[document], starts[document + 1]):
            label = labels[number]
            total = 0.0
            for entry in range(feature_starts[document], feature_starts[document + 1]):
                total += values[entry] * weights[label, columns[entry]]
            totals[number] += total


@kernel
def _add_features(
    first, last, starts, labels, counts, lengths, feature_starts, columns, values, pull, precision, products, moments,
    with_squares, present, shares, by_label,
):  # fmt: skip
    pulls, precisions = by_label[0], by_label[1]
    n_topics, width = counts.shape[1], pulls.size
    before = n_topics * (n_topics + 1) // 2  # pairs of topics
    for document in range(first, last):
        if starts[document] == starts[document + 1]:
            continue
        gather_labels(starts, labels, pull, precision, document, pulls, precisions)
        n_present = list_topics(counts, lengths, document, present, shares)
        begin = feature_starts[document]
        for entry in range(begin, feature_starts[document + 1]):
            value = values[entry]
            regressor = n_topics + columns[entry]
            row = regressor * (regressor + 1) // 2 - before
            add_labels(moments, columns[entry] * width, value, pulls, 0, width)
            for place in range(n_present):
                product = value * shares[place]
                add_labels(products, (row + present[place]) * width, product, precisions, 0, width)
            if with_squares:
                row += n_topics
                for earlier in range(begin, entry + 1):
                    product = value * values[earlier]
                    add_labels(products, (row + columns[earlier]) * width, product, precisions, 0, width)
