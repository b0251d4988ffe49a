"""Sums over links that their weights depend on: Σ_i (z̄_i z̄_iᵀ) ⊗ B_i, with B_i = Σ_j λ_ij z̄_j z̄_jᵀ (bilinear.py).

Sources are taken in blocks. First B of every source of a block is summed, and its lower triangle is kept with padded
rows. Then every pair of topics adds the B of all sources of the block that have both topics, in their order, in
registers. Each number is added to in the order of the sources, whatever the block. The triangles of a block, and the
sums, are stored in tiles of 32 columns, so that what is read again lies together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.base import Map
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.doubles import (
    DOUBLES,
    add_doubles,
    add_scaled,
    load_doubles,
    multiply_doubles,
    padded_size,
    splat_double,
    store_doubles,
)

_MAX_BYTES = 256 << 20  # of all partial sums
_MAX_CHUNKS = 4
_MIN_SOURCES = 256  # minimum number of sources per chunk
_TILE = 4 * DOUBLES
_BLOCK = 192  # sources per block: a tile of all their B stays in the cache
_BATCH = 32  # targets of a source that are added together
_ROWS = 64  # pairs of topics per task when chunks are added


class Pairs(NamedTuple):
    """Pairs of documents: source d has pairs starts[d] up to starts[d + 1]."""

    starts: np.ndarray  # int64
    targets: np.ndarray  # int32


class TopicLists(NamedTuple):
    """Topics that occur in each document d: entries starts[d] up to starts[d + 1]."""

    starts: np.ndarray  # int64
    topics: np.ndarray  # int32
    shares: np.ndarray  # float64: proportion of the document's tokens


class CountedTopics(NamedTuple):
    """Document–topic counts: document d has entries starts[d] up to starts[d + 1]."""

    starts: np.ndarray  # int
    topics: np.ndarray  # int
    counts: np.ndarray
    expected: np.ndarray  # topic proportions of the prior, which documents without tokens have


class Sums(NamedTuple):
    """Sums over pairs that the weights depend on."""

    products: np.ndarray  # pairs of the sources' topics × pairs of the targets' (j ≤ k at k (k + 1) / 2 + j): Σ λ x xᵀ
    moments: np.ndarray  # topics × topics: Σ κ z̄_i z̄_jᵀ


class _Chunk(NamedTuple):
    """Sums over some sources, padded."""

    products: np.ndarray  # flat, tiles × pairs of topics × 32 columns
    moments: np.ndarray  # flat, topics × padded topics


class _Workspace(NamedTuple):
    """Working memory for a block of sources."""

    targets: np.ndarray  # flat, targets × padded topics: z̄_j of some targets of a source
    scaled: np.ndarray  # the same, times λ_ij
    by_pair: np.ndarray  # flat, tiles × sources × 32 columns: the lower triangle of B of every source
    by_topic: np.ndarray  # padded topics: Σ_j κ_ij z̄_j of one source
    first: np.ndarray  # int64: for each pair of topics, its first place in the two lists below
    sources: np.ndarray  # int32: number in the block of each source that has both topics
    shares: np.ndarray  # the product of its shares of both topics


def sum_statistics(
    pairs: Pairs,
    lists: TopicLists,
    n_topics: int,
    pull: np.ndarray,
    precision: np.ndarray,
    map: Map,
    columns: np.ndarray | None = None,
) -> Sums:
    """Return the sums over all pairs that the weights depend on.

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
    columns : ndarray of shape (documents, columns) or None, default None
        Numbers of the targets that take the place of z̄_j; None for z̄_j.

    Returns
    -------
    Sums
        Σ λ x xᵀ and Σ κ z̄_i z̄_jᵀ.
    """
    n_documents = pairs.starts.size - 1
    n_columns = n_topics if columns is None else columns.shape[1]
    n_topic_pairs, n_column_pairs = n_topics * (n_topics + 1) // 2, n_columns * (n_columns + 1) // 2
    n_chunks = int(
        np.clip(min(n_documents // _MIN_SOURCES, _MAX_BYTES // (8 * n_topic_pairs * n_column_pairs)), 1, _MAX_CHUNKS)
    )
    wanted = np.linspace(0, pairs.targets.size, n_chunks + 1)
    edges = np.searchsorted(pairs.starts, wanted, side="left")
    edges[0], edges[-1] = 0, n_documents
    width = padded_size(n_columns)
    rows = np.concatenate([[0], np.cumsum(padded_size(np.arange(1, n_columns + 1)))]).astype(np.int64)
    proportions = np.zeros((lists.starts.size - 1) * width)
    if columns is None:
        _fill_proportions(lists, proportions, width)
    else:
        proportions.reshape(-1, width)[:, :n_columns] = columns
    # Four columns are summed at once; what is summed for those that do not exist stands after the last row.
    size = padded_size(rows[-1] + (width if n_columns % 4 else 0), _TILE)

    def sum_chunk(number: int) -> _Chunk:
        chunk = _Chunk(np.zeros(n_topic_pairs * size), np.zeros(n_topics * width))
        room = _Workspace(
            np.empty(_BATCH * width),
            np.empty(_BATCH * width),
            np.zeros(_BLOCK * size),
            np.empty(width),
            np.empty(n_topic_pairs + 2, np.int64),
            np.empty(_BLOCK * n_topic_pairs, np.int32),
            np.empty(_BLOCK * n_topic_pairs),
        )
        begin, end = edges[number], edges[number + 1]
        _sum_chunk(begin, end, pairs, lists, proportions, pull, precision, rows, chunk, room)
        return chunk

    chunks = map(sum_chunk, range(n_chunks))
    products = np.zeros((n_topic_pairs, n_column_pairs))

    def add_chunks(first: int) -> None:
        for chunk in chunks:
            _add_products(first, min(first + _ROWS, n_topic_pairs), rows, chunk.products, products)

    map(add_chunks, range(0, n_topic_pairs, _ROWS))
    moments = chunks[0].moments
    for chunk in chunks[1:]:
        moments += chunk.moments
    return Sums(products, np.ascontiguousarray(moments.reshape(n_topics, width)[:, :n_columns]))


@kernel
def _fill_proportions(lists, proportions, width):
    for document in range(lists.starts.size - 1):
        for entry in range(lists.starts[document], lists.starts[document + 1]):
            proportions[document * width + lists.topics[entry]] = lists.shares[entry]


@kernel
def _sum_chunk(first, last, pairs, lists, proportions, pull, precision, rows, chunk, room):
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        for source in range(begin, end):
            if pairs.starts[source] < pairs.starts[source + 1]:
                _sum_targets(source, source - begin, pairs, proportions, pull, precision, rows, room)
                _add_moments(source, lists, room.by_topic, chunk.moments)
        _list_sources(begin, end, pairs, lists, room)
        _add_sources(room, chunk.products)


@inline_kernel
def _sum_targets(source, number, pairs, proportions, pull, precision, rows, room):
    """Sum λ z̄ z̄ᵀ and κ z̄ over the targets of a source, which has a number in its block.

    Most topics do not occur in a target, but adding their zeros costs less than finding the others.
    """
    first, last = pairs.starts[source], pairs.starts[source + 1]
    for begin in range(first, last, _BATCH):
        n_targets = min(last - begin, _BATCH)
        _gather_targets(begin, n_targets, pairs, proportions, precision, room)
        for place in range(0, room.by_topic.size, DOUBLES):
            total = splat_double(0.0)
            if begin > first:
                total = load_doubles(room.by_topic, place)
            for target in range(n_targets):
                there = target * room.by_topic.size + place
                total = _plus(total, splat_double(pull[begin + target]), room.targets, there)
            store_doubles(room.by_topic, place, total)
        for topic in range(0, rows.size - 1, 4):
            for column in range(0, topic + 4, DOUBLES):
                _sum_four(topic, column, n_targets, number, begin > first, rows, room)


@inline_kernel
def _gather_targets(begin, n_targets, pairs, proportions, precision, room):
    width = room.by_topic.size
    for target in range(n_targets):
        start = np.int64(pairs.targets[begin + target]) * width
        factor = splat_double(precision[begin + target])
        for place in range(0, width, DOUBLES):
            values = load_doubles(proportions, start + place)
            store_doubles(room.targets, target * width + place, values)
            store_doubles(room.scaled, target * width + place, multiply_doubles(factor, values))


@inline_kernel
def _sum_four(topic, column, n_targets, number, continued, rows, room):
    """Sum eight columns of B for four topics."""
    n_topics, width = rows.size - 1, room.by_topic.size
    place_0 = _in_tiles(number, _BLOCK, rows[topic] + column)
    place_1 = _in_tiles(number, _BLOCK, rows[min(topic + 1, n_topics)] + column)
    place_2 = _in_tiles(number, _BLOCK, rows[min(topic + 2, n_topics)] + column)
    place_3 = _in_tiles(number, _BLOCK, rows[min(topic + 3, n_topics)] + column)
    total_0, total_1, total_2, total_3 = splat_double(0.0), splat_double(0.0), splat_double(0.0), splat_double(0.0)
    if continued:
        total_0, total_1 = load_doubles(room.by_pair, place_0), load_doubles(room.by_pair, place_1)
        total_2, total_3 = load_doubles(room.by_pair, place_2), load_doubles(room.by_pair, place_3)
    for target in range(n_targets):
        here = target * width + topic
        there = target * width + column
        total_0 = _plus(total_0, splat_double(room.scaled[here]), room.targets, there)
        total_1 = _plus(total_1, splat_double(room.scaled[here + 1]), room.targets, there)
        total_2 = _plus(total_2, splat_double(room.scaled[here + 2]), room.targets, there)
        total_3 = _plus(total_3, splat_double(room.scaled[here + 3]), room.targets, there)
    store_doubles(room.by_pair, place_0, total_0)
    store_doubles(room.by_pair, place_1, total_1)
    store_doubles(room.by_pair, place_2, total_2)
    store_doubles(room.by_pair, place_3, total_3)


@inline_kernel
def _in_tiles(row, n_rows, column):
    """Return the place of a number of a table that is stored in tiles of columns."""
    return (column // _TILE * n_rows + row) * _TILE + column % _TILE


@inline_kernel
def _add_moments(source, lists, by_topic, moments):
    for entry in range(lists.starts[source], lists.starts[source + 1]):
        start = np.int64(lists.topics[entry]) * by_topic.size
        add_scaled(moments, start, lists.shares[entry], by_topic, 0, by_topic.size)


@inline_kernel
def _list_sources(begin, end, pairs, lists, room):
    """List for every pair of topics the sources of a block that have both, and the product of their shares."""
    for pair in range(room.first.size):
        room.first[pair] = 0
    # Counted two places further on: the second loop then moves every first place to where its pair begins.
    for source in range(begin, end):
        if pairs.starts[source] < pairs.starts[source + 1]:
            for later in range(lists.starts[source], lists.starts[source + 1]):
                topic = np.int64(lists.topics[later])
                row = topic * (topic + 1) // 2 + 2
                for earlier in range(lists.starts[source], later + 1):
                    room.first[row + lists.topics[earlier]] += 1
    for pair in range(2, room.first.size):
        room.first[pair] += room.first[pair - 1]
    for source in range(begin, end):
        if pairs.starts[source] < pairs.starts[source + 1]:
            for later in range(lists.starts[source], lists.starts[source + 1]):
                topic = np.int64(lists.topics[later])
                row = topic * (topic + 1) // 2 + 1
                for earlier in range(lists.starts[source], later + 1):
                    place = room.first[row + lists.topics[earlier]]
                    room.first[row + lists.topics[earlier]] += 1
                    room.sources[place] = source - begin
                    room.shares[place] = lists.shares[later] * lists.shares[earlier]


@inline_kernel
def _add_sources(room, products):
    """Add the B of the listed sources, times their shares, to the row of every pair of topics."""
    n_pairs = room.first.size - 2
    for tile in range(room.by_pair.size // (_BLOCK * _TILE)):
        start = tile * _BLOCK * _TILE
        for pair in range(n_pairs):
            here = (tile * n_pairs + pair) * _TILE
            total_0, total_1 = load_doubles(products, here), load_doubles(products, here + DOUBLES)
            total_2 = load_doubles(products, here + 2 * DOUBLES)
            total_3 = load_doubles(products, here + 3 * DOUBLES)
            for number in range(room.first[pair], room.first[pair + 1]):
                share = splat_double(room.shares[number])
                place = start + room.sources[number] * _TILE
                total_0 = _plus(total_0, share, room.by_pair, place)
                total_1 = _plus(total_1, share, room.by_pair, place + DOUBLES)
                total_2 = _plus(total_2, share, room.by_pair, place + 2 * DOUBLES)
                total_3 = _plus(total_3, share, room.by_pair, place + 3 * DOUBLES)
            store_doubles(products, here, total_0)
            store_doubles(products, here + DOUBLES, total_1)
            store_doubles(products, here + 2 * DOUBLES, total_2)
            store_doubles(products, here + 3 * DOUBLES, total_3)


@inline_kernel
def _plus(total, factor, values, place):
    return add_doubles(total, multiply_doubles(factor, load_doubles(values, place)))


@kernel
def _add_products(first, last, rows, tiled, products):
    """Add some rows of a chunk, which is stored in tiles, to rows without padding."""
    n_pairs = products.shape[0]
    for pair in range(first, last):
        for topic in range(rows.size - 1):
            start = topic * (topic + 1) // 2
            for number in range(0, topic + 1, DOUBLES):
                place = _in_tiles(pair, n_pairs, rows[topic] + number)
                for other in range(min(DOUBLES, topic + 1 - number)):
                    products[pair, start + number + other] += tiled[place + other]
