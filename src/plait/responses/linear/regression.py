"""Weights of linear responses given pseudo-observations: the posterior N(μ, Σ) under the prior N(m, ν² I).

It has

    Σ⁻¹ = I/ν² + Σ_r precision x xᵀ,    μ = Σ (m/ν² + Σ_r pull x).

Eqs. (13) and (16) of Zhu, Zheng, Zhou and Zhang (2013), where m is 0, with x = z̄_d, the mean topics of a document. A
document has few topics, so the sums run over the pairs of topics that occur in it (`topic_sums.py`). The entries of all
labels are adjacent, so that a pair is added for all labels at once. The order of additions does not depend on the
number of threads. BLAS is not used, because its order depends on the machine.

Features of documents are regressors beside topics, x = (z̄_d, f_d); `feature_sums.py` sums what they contribute. Their
weights come after those of the topics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.base import DocTopics, Map
from plait.responses.linear.cholesky import factor_upper, solve
from plait.responses.linear.feature_sums import FeatureRows, put_squares, sum_features
from plait.responses.linear.label_rows import LabelledDocuments, count_pairs, list_topics
from plait.responses.linear.topic_sums import sum_topics
from plait.samplers.kernels.compiled import kernel

_MAX_BYTES = 256 << 20  # of all partial sums
_MAX_CHUNKS = 16  # enough for the usual numbers of threads
_MIN_DOCUMENTS = 256  # minimum number of documents per chunk
_BLOCK = 1024  # documents per task when values are computed
_TILE = 32  # rows and columns of a matrix that are filled together


class Sums(NamedTuple):
    """Sums over documents that the weights of all labels depend on."""

    products: np.ndarray  # pairs of regressors j ≤ k, at k (k + 1) / 2 + j, × labels: Σ_r precision x_j x_k
    moments: np.ndarray  # regressors × labels: Σ_r pull x_k


def project_documents(documents: LabelledDocuments, topics: DocTopics, weights: np.ndarray, map: Map) -> np.ndarray:
    """Return the value u · z̄_d of every observation, where u are the weights of its label.

    Parameters
    ----------
    documents : LabelledDocuments
        Observations of each document.
    topics : DocTopics
        Topics of the documents.
    weights : ndarray of shape (labels, topics)
        Weights.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    ndarray of shape (observations,)
        Values.
    """
    values = np.zeros(documents.labels.size)

    def project(first: int) -> None:
        last = min(first + _BLOCK, topics.lengths.size)
        room = (np.empty(weights.shape[1], np.int64), np.empty(weights.shape[1]))
        _project(first, last, documents.starts, documents.labels, topics.counts, topics.lengths, weights, values, *room)

    map(project, range(0, topics.lengths.size, _BLOCK))
    return values


def chunk_edges(n_documents: int, n_topics: int, n_labels: int) -> np.ndarray:
    """Return the first document of each chunk whose sums are computed apart, and the number of documents.

    Parameters
    ----------
    n_documents, n_topics, n_labels : int
        Sizes of a shard.

    Examples
    --------
    >>> chunk_edges(1000, 10, 2).tolist()
    [0, 333, 666, 1000]
    """
    size = 8 * (n_topics * (n_topics + 1) // 2) * n_labels
    n_chunks = int(np.clip(min(n_documents // _MIN_DOCUMENTS, _MAX_BYTES // max(size, 1)), 1, _MAX_CHUNKS))
    return np.linspace(0, n_documents, n_chunks + 1).astype(np.int64)


def sum_statistics(
    documents: LabelledDocuments,
    topics: DocTopics,
    pull: np.ndarray,
    precision: np.ndarray,
    map: Map,
    features: FeatureRows | None = None,
    squares: np.ndarray | None = None,
    room: Sums | None = None,
) -> Sums:
    """Return the sums over all documents that the weights depend on.

    Parameters
    ----------
    documents : LabelledDocuments
        Observations of each document.
    topics : DocTopics
        Topics of the documents.
    pull, precision : ndarray of shape (observations,)
        Pseudo-observations.
    map : callable
        Runs the tasks, as `Executor.map`.
    features : FeatureRows or None, default None
        Regressors beside topics; None for none.
    squares : ndarray of shape (pairs of features, labels) or None, default None
        Σ precision f fᵀ, where it is known already.
    room : Sums or None, default None
        Sums of the same shape that are replaced; None for new ones. Fresh memory for many topics can take longer than
        the sums.

    Returns
    -------
    Sums
        Σ precision x xᵀ and Σ pull x of every label.
    """
    n_documents, n_topics = topics.counts.shape
    n_features = 0 if features is None else features.n_columns
    n_regressors = n_topics + n_features
    edges = chunk_edges(n_documents, n_regressors, documents.n_labels)
    if room is None:
        sizes = (count_pairs(n_regressors), n_regressors)
        room = Sums(*(np.empty((size, documents.n_labels)) for size in sizes))
    products, moments = room
    sum_topics(documents, topics, pull, precision, edges, products, moments, map)
    if features is not None:
        found = sum_features(edges, documents, topics, features, pull, precision, map, squares is None)
        products[count_pairs(n_topics) :], moments[n_topics:] = found
        if squares is not None:
            put_squares(products, squares, n_topics)
    return room


def draw_weights(
    sums: Sums, nu: float | np.ndarray, normals: np.ndarray | None, map: Map, mean: np.ndarray | None = None
) -> np.ndarray:
    """Draw the weights, or return their means.

    Parameters
    ----------
    sums : Sums
        Sums over all documents.
    nu : float or ndarray of shape (regressors,)
        Prior standard deviation of the weights.
    normals : ndarray of shape (labels, regressors) or None
        Standard normal numbers; None returns the means.
    map : callable
        Runs the tasks, as `Executor.map`.
    mean : ndarray of shape (labels, regressors) or None, default None
        Prior mean of the weights; None for 0.

    Returns
    -------
    ndarray of shape (labels, regressors)
        Weights.
    """
    n_regressors, n_labels = sums.moments.shape
    weights = np.zeros((n_labels, n_regressors))
    ridge = np.broadcast_to(1.0 / nu**2, n_regressors).copy()

    def draw(label: int) -> None:
        precision = np.empty((n_regressors, n_regressors))
        _fill_precision(sums.products, label, ridge, precision)
        factor_upper(precision)
        noise = np.zeros(n_regressors) if normals is None else normals[label]
        moments = sums.moments[:, label].copy()
        if mean is not None:
            moments += mean[label] / nu**2
        solve(precision, moments, noise, weights[label])

    map(draw, range(n_labels))
    return weights


@kernel
def _project(first, last, starts, labels, counts, lengths, weights, values, present, shares):
    for document in range(first, last):
        if starts[document] == starts[document + 1] or lengths[document] == 0:
            continue
        n_present = list_topics(counts, lengths, document, present, shares)
        for number in range(starts[document], starts[document + 1]):
            label = labels[number]
            total = 0.0
            for place in range(n_present):
                total += shares[place] * weights[label, present[place]]
            values[number] = total


@kernel
def _fill_precision(products, label, ridge, matrix):
    size = matrix.shape[0]
    for rows in range(0, size, _TILE):  # small squares, so that what is written stays in the cache
        for columns in range(rows, size, _TILE):
            for column in range(columns, min(columns + _TILE, size)):
                first = column * (column + 1) // 2
                for row in range(rows, min(rows + _TILE, column + 1)):
                    matrix[row, column] = products[first + row, label]
    for row in range(size):
        matrix[row, row] += ridge[row]
