"""Weights of links given pseudo-observations: the value of a link from i to j is z̄_iᵀ U z̄_j.

With η = vec(U) and x = vec(z̄_i z̄_jᵀ), eq. (8) of Chen, Zhu, Xia and Zhang (2013) is η ~ N(μ, Σ),
Σ⁻¹ = I/ν² + Σ_ij λ_ij x xᵀ, μ = Σ (m/ν² + Σ_ij κ_ij x), where m, the mean of the prior, is 0 in the paper. The sums
have a structure: with B_i = Σ_j λ_ij z̄_j z̄_jᵀ over the links of one source,

    Σ_ij λ_ij x xᵀ  =  Σ_i (z̄_i z̄_iᵀ) ⊗ B_i

whose factors are symmetric. So it has (K(K+1)/2)² different entries instead of K⁴, and they are summed once per source
and pair of its topics instead of once per link. A document has few topics, and only those are visited. link_sums.py
computes the sums.
"""

from __future__ import annotations

import numpy as np

from plait.responses.base import DocTopics, Map, serial_map
from plait.responses.linear.cholesky import factor, solve
from plait.responses.linear.link_sums import Pairs, Sums, TopicLists
from plait.samplers.kernels.compiled import inline_kernel, kernel

_BLOCK = 512  # documents per task when values are computed


def list_topics(topics: DocTopics) -> TopicLists:
    """Return the topics that occur in each document."""
    starts = np.zeros(topics.counts.shape[0] + 1, np.int64)
    _count_present(topics.counts, starts)
    lists = TopicLists(starts, np.empty(starts[-1], np.int32), np.empty(starts[-1]))
    _fill_lists(topics.counts, np.asarray(topics.lengths, dtype=np.float64), lists)
    return lists


def list_linked_topics(topics: DocTopics, rows: np.ndarray) -> TopicLists:
    """Return the topics that occur in a shard's documents and, after them, in some documents of other shards.

    Parameters
    ----------
    topics : DocTopics
        Topics of the shard's documents, and of documents of other shards.
    rows : ndarray of int
        The documents of other shards, by row of `topics.linked`.

    Returns
    -------
    TopicLists
        Topics of all these documents.
    """
    own = list_topics(topics)
    if topics.linked is None:
        return own
    counts, lengths = topics.linked.counts, np.asarray(topics.linked.lengths, dtype=np.float64)
    sizes = np.diff(counts.indptr)[rows]
    starts = np.concatenate([own.starts, own.starts[-1] + np.cumsum(sizes, dtype=np.int64)])
    lists = TopicLists(starts, np.empty(starts[-1], np.int32), np.empty(starts[-1]))
    lists.topics[: own.topics.size], lists.shares[: own.shares.size] = own.topics, own.shares
    _fill_linked(rows, counts.indptr, counts.indices, counts.data, lengths, own.starts.size - 1, lists)
    return lists


def pair_values(pairs: Pairs, lists: TopicLists, weights: np.ndarray, map: Map = serial_map) -> np.ndarray:
    """Return z̄_iᵀ U z̄_j of every pair.

    Parameters
    ----------
    pairs : Pairs
        Pairs of documents.
    lists : TopicLists
        Topics of all documents.
    weights : ndarray of shape (topics, topics)
        U.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    ndarray of shape (pairs,)
        Values.
    """
    mapped = map_topics(lists, np.ascontiguousarray(weights.T), map)  # U z̄_j
    values = np.zeros(pairs.targets.size)
    n_sources = pairs.starts.size - 1
    map(
        lambda first: _pair_values(first, min(first + _BLOCK, n_sources), pairs, lists, mapped, values),
        range(0, n_sources, _BLOCK),
    )
    return values


def map_topics(lists: TopicLists, table: np.ndarray, map: Map) -> np.ndarray:
    """Return z̄ᵀ T of every document.

    Parameters
    ----------
    lists : TopicLists
        Topics of all documents.
    table : ndarray of shape (topics, columns)
        T, contiguous.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    ndarray of shape (documents, columns)
        Products.
    """
    n_documents = lists.starts.size - 1
    mapped = np.zeros((n_documents, table.shape[1]))
    map(
        lambda first: _fill_mapped(first, min(first + _BLOCK, n_documents), lists, table, mapped),
        range(0, n_documents, _BLOCK),
    )
    return mapped


def all_values(new: np.ndarray, lists: TopicLists, weights: np.ndarray) -> np.ndarray:
    """Return z̄ᵀ U z̄_j of all new documents with all training documents.

    Parameters
    ----------
    new : ndarray of shape (new documents, topics)
        Topic proportions z̄ of the new documents.
    lists : TopicLists
        Topics of the training documents.
    weights : ndarray of shape (topics, topics)
        U.

    Returns
    -------
    ndarray of shape (new documents, training documents)
        Values.
    """
    values = np.empty((new.shape[0], lists.starts.size - 1))
    _all_values(np.ascontiguousarray(new), lists, np.ascontiguousarray(weights), values, np.empty(weights.shape[0]))
    return values


def n_weights(n_topics: int, symmetric: bool) -> int:
    """Return the number of free weights of U."""
    return n_topics * (n_topics + 1) // 2 if symmetric else n_topics * n_topics


def draw_weights(
    sums: Sums,
    nu: float,
    symmetric: bool,
    normals: np.ndarray | None,
    mean: np.ndarray | None = None,
    map: Map = serial_map,
) -> np.ndarray:
    """Draw U, or return its mean.

    Parameters
    ----------
    sums : Sums
        Sums over all pairs.
    nu : float
        Prior standard deviation of the weights.
    symmetric : bool
        Whether U is symmetric.
    normals : ndarray of shape (weights,) or None
        Standard normal numbers, one per free weight; None returns the mean.
    mean : ndarray of shape (topics, topics) or None, default None
        Prior mean of U, symmetric if U is; None for 0.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    ndarray of shape (topics, topics)
        U.
    """
    n_topics = sums.moments.shape[0]
    size = n_weights(n_topics, symmetric)
    precision, moments, drawn = np.empty((size, size)), np.empty(size), np.empty(size)
    fill = _fill_symmetric if symmetric else fill_full
    fill(sums.products, sums.moments, 1.0 / nu**2, precision, moments)
    rows, columns = np.tril_indices(n_topics)
    if mean is not None:
        moments += (mean[rows, columns] if symmetric else mean.ravel()) / nu**2
    factor(precision, map)
    solve(precision, moments, np.zeros(size) if normals is None else normals, drawn)
    if not symmetric:
        return drawn.reshape(n_topics, n_topics)
    weights = np.empty((n_topics, n_topics))
    weights[rows, columns] = drawn
    weights[columns, rows] = drawn
    return weights


@inline_kernel
def _pair_index(one, other):
    """Return the index of a pair of topics."""
    low, high = min(one, other), max(one, other)
    return high * (high + 1) // 2 + low


@kernel
def _count_present(counts, starts):
    """Fill `starts` with the number of topics that occur in the documents before each."""
    for document in range(counts.shape[0]):
        n_present = 0
        for topic in range(counts.shape[1]):
            n_present += counts[document, topic] > 0
        starts[document + 1] = starts[document] + n_present


@kernel
def _fill_lists(counts, lengths, lists):
    for document in range(counts.shape[0]):
        entry = lists.starts[document]
        for topic in range(counts.shape[1]):
            if counts[document, topic] > 0:
                lists.topics[entry] = topic
                lists.shares[entry] = counts[document, topic] / lengths[document]
                entry += 1


@kernel
def _fill_linked(rows, starts, topics, counts, lengths, n_own, lists):
    """Fill the lists of the documents of other shards, which come after the shard's own."""
    for number in range(rows.size):
        row = rows[number]
        entry = lists.starts[n_own + number]
        for place in range(starts[row], starts[row + 1]):
            lists.topics[entry] = topics[place]
            lists.shares[entry] = counts[place] / lengths[row]
            entry += 1


@kernel
def _fill_mapped(first, last, lists, table, mapped):
    for document in range(first, last):
        for entry in range(lists.starts[document], lists.starts[document + 1]):
            share = lists.shares[entry]
            topic = lists.topics[entry]
            for other in range(mapped.shape[1]):
                mapped[document, other] += share * table[topic, other]


@kernel
def _pair_values(first, last, pairs, lists, mapped, values):
    for source in range(first, last):
        for number in range(pairs.starts[source], pairs.starts[source + 1]):
            target = pairs.targets[number]
            total = 0.0
            for entry in range(lists.starts[source], lists.starts[source + 1]):
                total += lists.shares[entry] * mapped[target, lists.topics[entry]]
            values[number] = total


@kernel
def _all_values(new, lists, weights, values, mapped):
    for document in range(new.shape[0]):
        _map_new(new, document, weights, mapped)
        for known in range(lists.starts.size - 1):
            values[document, known] = _value_of(known, lists, mapped)


@inline_kernel
def _map_new(new, document, weights, mapped):
    """Fill `mapped` with Uᵀ z̄ of a new document."""
    mapped[:] = 0.0
    for topic in range(new.shape[1]):
        if new[document, topic] != 0:
            for other in range(mapped.size):
                mapped[other] += new[document, topic] * weights[topic, other]


@inline_kernel
def _value_of(known, lists, mapped):
    """Return the value of a training document with a mapped new one."""
    total = 0.0
    for entry in range(lists.starts[known], lists.starts[known + 1]):
        total += lists.shares[entry] * mapped[lists.topics[entry]]
    return total


@kernel
def fill_full(products, table, ridge, precision, moments):
    """Fill the upper triangle of Σ⁻¹, and Σ⁻¹ μ, for U in row-major order."""
    n_topics, n_columns = table.shape
    for source in range(n_topics):
        for target in range(n_columns):
            row = source * n_columns + target
            moments[row] = table[source, target]
            for other_source in range(source, n_topics):
                both_sources = _pair_index(source, other_source)
                for other_target in range(n_columns):
                    column = other_source * n_columns + other_target
                    precision[row, column] = products[both_sources, _pair_index(target, other_target)]
            precision[row, row] += ridge


@kernel
def _fill_symmetric(products, table, ridge, precision, moments):
    """Fill the upper triangle of Σ⁻¹, and Σ⁻¹ μ, for the lower triangle of a symmetric U in row-major order."""
    n_topics = table.shape[0]
    for high in range(n_topics):
        for low in range(high + 1):
            row = _pair_index(high, low)
            moments[row] = table[high, low]
            if high != low:
                moments[row] += table[low, high]
            for other_high in range(high, n_topics):
                for other_low in range(other_high + 1):
                    total = products[_pair_index(high, other_high), _pair_index(low, other_low)]
                    if high != low:
                        total += products[_pair_index(low, other_high), _pair_index(high, other_low)]
                    if other_high != other_low:
                        total += products[_pair_index(high, other_low), _pair_index(low, other_high)]
                    if high != low and other_high != other_low:
                        total += products[_pair_index(low, other_low), _pair_index(high, other_high)]
                    precision[row, _pair_index(other_high, other_low)] = total
            precision[row, row] += ridge
