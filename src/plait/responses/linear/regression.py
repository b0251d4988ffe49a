"""Weights of linear responses given pseudo-observations: what their prior N(m, ν² I) becomes.

It becomes N(μ, Σ) with

    Σ⁻¹ = I/ν² + Σ_r precision x xᵀ,    μ = Σ (m/ν² + Σ_r pull x).

Eqs. (13) and (16) of Zhu, Zheng, Zhou and Zhang (2013), where m is 0, with x = z̄_d, the mean topics of a document. A
document has few topics, so the sums run over the pairs of topics it has; the entries of all labels lie side by side,
so that one pair is added for all of them at once. Everything is added in one order, whatever the number
of threads, and without BLAS, whose order depends on the machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.base import DocTopics, Map
from plait.responses.linear.cholesky import factor_upper, solve
from plait.samplers.kernels.compiled import inline_kernel, kernel

_MAX_BYTES = 256 << 20  # of all partial sums
_MAX_CHUNKS = 16  # enough to keep threads busy
_MIN_DOCUMENTS = 256  # documents that are worth a part of their own
_BLOCK = 1024  # documents whose values one task computes


class LabelledDocuments(NamedTuple):
    """Which documents have a pseudo-observation of which label."""

    starts: np.ndarray  # int64: document d has observations starts[d] up to starts[d + 1]
    labels: np.ndarray  # int32, of each observation
    n_labels: int


class Sums(NamedTuple):
    """What the weights of all labels depend on."""

    products: np.ndarray  # pairs of topics j ≤ k, at k (k + 1) / 2 + j, × labels: Σ_r precision x_j x_k
    moments: np.ndarray  # topics × labels: Σ_r pull x_k


def project_documents(documents: LabelledDocuments, topics: DocTopics, weights: np.ndarray, map: Map) -> np.ndarray:
    """Return the value u · z̄_d of every observation, u being the weights (labels × topics) of its label."""
    values = np.zeros(documents.labels.size)

    def project(first: int) -> None:
        last = min(first + _BLOCK, topics.lengths.size)
        room = (np.empty(weights.shape[1], np.int64), np.empty(weights.shape[1]))
        _project(first, last, documents.starts, documents.labels, topics.counts, topics.lengths, weights, values, *room)

    map(project, range(0, topics.lengths.size, _BLOCK))
    return values


def sum_statistics(
    documents: LabelledDocuments, topics: DocTopics, pull: np.ndarray, precision: np.ndarray, map: Map
) -> Sums:
    """Add up what the weights depend on over all documents."""
    n_documents, n_topics = topics.counts.shape
    n_pairs = n_topics * (n_topics + 1) // 2
    size = 8 * n_pairs * documents.n_labels
    n_chunks = int(np.clip(min(n_documents // _MIN_DOCUMENTS, _MAX_BYTES // max(size, 1)), 1, _MAX_CHUNKS))
    edges = np.linspace(0, n_documents, n_chunks + 1).astype(np.int64)

    def sum_chunk(chunk: int) -> Sums:
        sums = Sums(np.zeros((n_pairs, documents.n_labels)), np.zeros((n_topics, documents.n_labels)))
        room = (np.empty(n_topics, np.int64), np.empty(n_topics), np.zeros((2, documents.n_labels)))
        _sum_statistics(
            edges[chunk], edges[chunk + 1], documents.starts, documents.labels, topics.counts, topics.lengths,
            pull, precision, *sums, *room,
        )  # fmt: skip
        return sums

    first, *others = map(sum_chunk, range(n_chunks))
    for other in others:
        first.products[:] += other.products
        first.moments[:] += other.moments
    return Sums(*first)


def draw_weights(
    sums: Sums, nu: float, normals: np.ndarray | None, map: Map, mean: np.ndarray | None = None
) -> np.ndarray:
    """Return weights (labels × topics) drawn with standard normals of that shape; their means without them.

    `mean` is their prior's, of the same shape; None for 0.
    """
    n_topics, n_labels = sums.moments.shape
    weights = np.zeros((n_labels, n_topics))

    def draw(label: int) -> None:
        precision = np.empty((n_topics, n_topics))
        _fill_precision(sums.products, label, 1.0 / nu**2, precision)
        factor_upper(precision)
        noise = np.zeros(n_topics) if normals is None else normals[label]
        moments = sums.moments[:, label].copy()
        if mean is not None:
            moments += mean[label] / nu**2
        solve(precision, moments, noise, weights[label])

    map(draw, range(n_labels))
    return weights


@inline_kernel
def _list_topics(counts, lengths, document, present, shares):
    """List the topics that a document has and their shares; return how many."""
    n_present = 0
    for topic in range(counts.shape[1]):
        if counts[document, topic] > 0:
            present[n_present] = topic
            shares[n_present] = counts[document, topic] / lengths[document]
            n_present += 1
    return n_present


@kernel
def _project(first, last, starts, labels, counts, lengths, weights, values, present, shares):
    for document in range(first, last):
        if starts[document] == starts[document + 1] or lengths[document] == 0:
            continue
        n_present = _list_topics(counts, lengths, document, present, shares)
        for number in range(starts[document], starts[document + 1]):
            label = labels[number]
            total = 0.0
            for place in range(n_present):
                total += shares[place] * weights[label, present[place]]
            values[number] = total


@kernel
def _sum_statistics(
    first, last, starts, labels, counts, lengths, pull, precision, products, moments, present, shares, by_label
):
    n_labels = products.shape[1]
    for document in range(first, last):
        if starts[document] == starts[document + 1] or lengths[document] == 0:
            continue
        for label in range(n_labels):
            by_label[0, label] = 0.0
            by_label[1, label] = 0.0
        for number in range(starts[document], starts[document + 1]):
            by_label[0, labels[number]] += pull[number]
            by_label[1, labels[number]] += precision[number]
        n_present = _list_topics(counts, lengths, document, present, shares)
        for later in range(n_present):
            topic = present[later]
            for label in range(n_labels):
                moments[topic, label] += shares[later] * by_label[0, label]
            row = topic * (topic + 1) // 2
            for earlier in range(later + 1):
                pair = row + present[earlier]
                share = shares[later] * shares[earlier]
                for label in range(n_labels):
                    products[pair, label] += share * by_label[1, label]


@kernel
def _fill_precision(products, label, ridge, matrix):
    for row in range(matrix.shape[0]):
        for column in range(row, matrix.shape[0]):
            matrix[row, column] = products[column * (column + 1) // 2 + row, label]
        matrix[row, row] += ridge
