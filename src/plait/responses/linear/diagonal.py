"""Diagonal weights of links: values Σ_k d_k z̄_ik z̄_jk, and the sums over pairs that the weights depend on.

The weights are those of a regression on x = z̄_i ∘ z̄_j, with one observation per pair. Only topics that both documents
have are visited. The order of additions is that of regression.py.
"""

from __future__ import annotations

import numpy as np

from plait.responses.base import Map
from plait.responses.linear.link_sums import Pairs, TopicLists
from plait.responses.linear.regression import Sums
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import prefetch

_MAX_CHUNKS = 16
_MIN_PAIRS = 256  # minimum number of pairs per chunk
_BLOCK = 512  # sources per task when values are computed
_AHEAD = 8  # pairs by which topics of targets are prefetched; tuned by measurement
_LINE = 8  # shares in a cache line


def pair_values(pairs: Pairs, lists: TopicLists, weights: np.ndarray, map: Map) -> np.ndarray:
    """Return Σ_k d_k z̄_ik z̄_jk of every pair.

    Parameters
    ----------
    pairs : Pairs
        Pairs of documents.
    lists : TopicLists
        Topics of all documents; the sources come first.
    weights : ndarray of shape (topics,)
        d.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    ndarray of shape (pairs,)
        Values.
    """
    values, n_sources = np.zeros(pairs.targets.size), pairs.starts.size - 1
    map(
        lambda first: _pair_values(
            first, min(first + _BLOCK, n_sources), pairs, lists, weights, np.zeros(weights.size), values
        ),
        range(0, n_sources, _BLOCK),
    )
    return values


def sum_statistics(
    pairs: Pairs, lists: TopicLists, n_topics: int, pull: np.ndarray, precision: np.ndarray, map: Map
) -> Sums:
    """Return the sums over all pairs that diagonal weights depend on.

    Parameters
    ----------
    pairs : Pairs
        Pairs of documents.
    lists : TopicLists
        Topics of all documents; the sources come first.
    n_topics : int
        Number of topics.
    pull, precision : ndarray of shape (pairs,)
        Pseudo-observations.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    Sums
        Σ precision x xᵀ and Σ pull x, as those of one label.
    """
    n_pairs = pairs.targets.size
    n_chunks = int(np.clip(n_pairs // _MIN_PAIRS, 1, _MAX_CHUNKS))
    edges = np.linspace(0, n_pairs, n_chunks + 1).astype(np.int64)
    first_sources = np.searchsorted(pairs.starts, edges[:-1], side="right") - 1

    def sum_chunk(chunk: int) -> Sums:
        sums = Sums(np.zeros(n_topics * (n_topics + 1) // 2), np.zeros(n_topics))
        room = (np.zeros(n_topics), np.empty(n_topics, np.int64), np.empty(n_topics))
        _sum_chunk(first_sources[chunk], edges[chunk], edges[chunk + 1], pairs, lists, pull, precision, *sums, *room)
        return sums

    first, *others = map(sum_chunk, range(n_chunks))
    for other in others:
        first.products[:] += other.products
        first.moments[:] += other.moments
    return Sums(first.products[:, np.newaxis], first.moments[:, np.newaxis])


@kernel
def _sum_chunk(source, first, last, pairs, lists, pull, precision, products, moments, of_source, present, values):
    begin = first
    while begin < last:
        while pairs.starts[source + 1] <= begin:
            source += 1
        end = min(pairs.starts[source + 1], last)
        _set_topics(source, lists, of_source, True)
        for number in range(begin, end):
            _prefetch_topics(pairs.targets, number, lists)
            n_present = _list_common(pairs.targets[number], lists, of_source, present, values)
            for later in range(n_present):
                moments[present[later]] += values[later] * pull[number]
                row = present[later] * (present[later] + 1) // 2
                for earlier in range(later + 1):
                    products[row + present[earlier]] += values[later] * values[earlier] * precision[number]
        _set_topics(source, lists, of_source, False)
        begin = end


@kernel
def _pair_values(first, last, pairs, lists, weights, of_source, values):
    for source in range(first, last):
        _set_topics(source, lists, of_source, True)
        for number in range(pairs.starts[source], pairs.starts[source + 1]):
            target, total = pairs.targets[number], 0.0
            _prefetch_topics(pairs.targets, number, lists)
            for entry in range(lists.starts[target], lists.starts[target + 1]):
                topic = lists.topics[entry]
                total += of_source[topic] * (lists.shares[entry] * weights[topic])
            values[number] = total
        _set_topics(source, lists, of_source, False)


@inline_kernel
def _prefetch_topics(targets, number, lists):
    """Prefetch the first topics of the target of a later pair."""
    soon = lists.starts[targets[min(number + _AHEAD, targets.size - 1)]]
    prefetch(lists.topics, soon)
    prefetch(lists.shares, soon)
    prefetch(lists.shares, soon + _LINE)


@inline_kernel
def _set_topics(source, lists, of_source, there):
    """Fill z̄_i of a source into a row of all topics, or set it back to 0."""
    for entry in range(lists.starts[source], lists.starts[source + 1]):
        of_source[lists.topics[entry]] = lists.shares[entry] if there else 0.0


@inline_kernel
def _list_common(target, lists, of_source, present, values):
    """List the topics that both documents have, and the products of their shares; return their number."""
    n_present = 0
    for entry in range(lists.starts[target], lists.starts[target + 1]):
        value = of_source[lists.topics[entry]] * lists.shares[entry]
        if value > 0:
            present[n_present] = lists.topics[entry]
            values[n_present] = value
            n_present += 1
    return n_present
