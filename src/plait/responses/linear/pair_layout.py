"""Pairs of documents, and the part of them that one shard needs: pairs with an end among its documents.

Everything is sorted by counting, in time linear in the number of pairs: other pairs may be drawn after every sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plait.responses.linear.link_sums import Pairs
from plait.samplers.kernels.compiled import kernel


class AllPairs(NamedTuple):
    """Linked pairs and pairs without a link, sorted by source."""

    starts: np.ndarray  # int64: source d has pairs starts[d] up to starts[d + 1]
    sources: np.ndarray  # int32
    targets: np.ndarray  # int32
    signs: np.ndarray  # +1 linked, −1 not
    costs: np.ndarray


class SortedLinks(NamedTuple):
    """Links, sorted by source."""

    starts: np.ndarray  # int64: source d has links starts[d] up to starts[d + 1]
    targets: np.ndarray  # int32
    costs: np.ndarray


class PairLayout(NamedTuple):
    """Pairs with an end in one shard. Its documents are numbered from 0, those of other shards after them."""

    first_pair: int  # number of the first pair whose source is in the shard; its own pairs are consecutive
    pairs: Pairs  # the shard's own pairs
    signs: np.ndarray
    costs: np.ndarray
    outside: np.ndarray  # int64: documents of other shards at the other end of a pair, sorted
    outgoing: np.ndarray  # int64: own pairs whose target is outside
    incoming: np.ndarray  # int64: pairs of other shards whose target is in this shard, by their number among all pairs
    starts: np.ndarray  # int64: document d has observations starts[d] up to starts[d + 1]
    others: np.ndarray  # int32: for each observation, the document at the other end
    from_source: np.ndarray  # bool: for each observation, whether the document is the source of the pair
    pair_of: np.ndarray  # int32: for each observation, its pair; own pairs first, then incoming ones


def sort_links(sources: np.ndarray, targets: np.ndarray, costs: np.ndarray, n_documents: int) -> SortedLinks:
    """Return links sorted by source; those of a source keep their order.

    Parameters
    ----------
    sources, targets : ndarray of shape (links,)
        Documents at the ends of each link.
    costs : ndarray of shape (links,)
        Cost of each link.
    n_documents : int
        Number of documents.

    Returns
    -------
    SortedLinks
        The links.
    """
    order = np.argsort(sources, kind="stable")
    return SortedLinks(starts_of(sources, n_documents), targets[order].astype(np.int32), costs[order])


def merge_pairs(links: SortedLinks, sources: np.ndarray, targets: np.ndarray, cost: float) -> AllPairs:
    """Return links and pairs without a link, sorted by source; the links of a source come first.

    Parameters
    ----------
    links : SortedLinks
        The links.
    sources, targets : ndarray of shape (pairs without a link,)
        Their documents, sorted by source.
    cost : float
        Cost of each pair without a link.

    Returns
    -------
    AllPairs
        All pairs.
    """
    unlinked_starts = starts_of(sources, links.starts.size - 1)
    n_pairs = links.targets.size + sources.size
    pairs = AllPairs(
        links.starts + unlinked_starts,
        np.empty(n_pairs, np.int32),
        np.empty(n_pairs, np.int32),
        np.empty(n_pairs),
        np.empty(n_pairs),
    )
    _merge_pairs(links, unlinked_starts, targets, float(cost), pairs)
    return pairs


def cut_pairs(pairs: AllPairs, runs: Sequence[tuple[int, int]]) -> list[PairLayout]:
    """Return the pairs of every shard.

    Parameters
    ----------
    pairs : AllPairs
        All pairs.
    runs : sequence of (int, int)
        First and last (exclusive) document of every shard; together they are all documents.

    Returns
    -------
    list of PairLayout
        Pairs with an end in each shard. The observations of a document are those of its own pairs, then those of the
        pairs that it is the target of, each in the order of the pairs.
    """
    n_documents = pairs.starts.size - 1
    shard_of = np.repeat(np.arange(len(runs), dtype=np.int32), [last - first for first, last in runs])
    arrivals = np.empty(pairs.targets.size, np.int64)
    arrival_starts = np.zeros(len(runs) + 1, np.int64)
    _sort_by_shard(pairs.targets, shard_of, arrival_starts, arrivals)
    local = np.zeros(n_documents, np.int32)
    layouts = []
    for number, (first, last) in enumerate(runs):
        arriving = arrivals[arrival_starts[number] : arrival_starts[number + 1]]
        layouts.append(_cut_shard(pairs, first, last, arriving, local))
    return layouts


def _cut_shard(pairs: AllPairs, first: int, last: int, arriving: np.ndarray, local: np.ndarray) -> PairLayout:
    """Return the pairs of one shard, given the numbers of all pairs whose targets are in it."""
    begin, end = int(pairs.starts[first]), int(pairs.starts[last])
    n_own, n_pairs = last - first, end - begin
    foreign = (arriving < begin) | (arriving >= end)
    incoming = arriving[foreign]
    # Numbers of documents in the shard: its own, then those at the other ends of its pairs.
    local[:] = 0
    local[pairs.targets[begin:end]] = 1
    local[pairs.sources[incoming]] = 1
    local[first:last] = 0
    outside = np.flatnonzero(local)
    local[outside] = n_own + np.arange(outside.size, dtype=np.int32)
    local[first:last] = np.arange(n_own, dtype=np.int32)
    targets = local[pairs.targets[begin:end]]
    n_observations = n_pairs + arriving.size
    starts = np.zeros(n_own + 1, np.int64)
    others, pair_of = np.empty(n_observations, np.int32), np.empty(n_observations, np.int32)
    from_source = np.empty(n_observations, np.bool_)
    own_starts = pairs.starts[first : last + 1] - begin
    _list_observations(
        own_starts, targets, arriving, begin, n_pairs, pairs.sources, local[pairs.targets[arriving]], local,
        starts, others, from_source, pair_of,
    )  # fmt: skip
    return PairLayout(
        first_pair=begin,
        pairs=Pairs(own_starts, targets),
        signs=pairs.signs[begin:end],
        costs=pairs.costs[begin:end],
        outside=outside,
        outgoing=np.flatnonzero(targets >= n_own),
        incoming=incoming,
        starts=starts,
        others=others,
        from_source=from_source,
        pair_of=pair_of,
    )


def starts_of(documents: np.ndarray, n_documents: int) -> np.ndarray:
    """Return where the entries of each document begin when entries are sorted by document."""
    return np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=n_documents))]).astype(np.int64)


@kernel
def _merge_pairs(links, unlinked_starts, unlinked, cost, pairs):
    place = 0
    for source in range(links.starts.size - 1):
        for number in range(links.starts[source], links.starts[source + 1]):
            pairs.sources[place] = source
            pairs.targets[place] = links.targets[number]
            pairs.signs[place] = 1.0
            pairs.costs[place] = links.costs[number]
            place += 1
        for number in range(unlinked_starts[source], unlinked_starts[source + 1]):
            pairs.sources[place] = source
            pairs.targets[place] = unlinked[number]
            pairs.signs[place] = -1.0
            pairs.costs[place] = cost
            place += 1


@kernel
def _sort_by_shard(targets, shard_of, starts, order):
    """Fill `order` with the numbers of all pairs by the shard of their target, and `starts` with its first places."""
    for number in range(targets.size):
        starts[shard_of[targets[number]] + 1] += 1
    for shard in range(1, starts.size):
        starts[shard] += starts[shard - 1]
    for number in range(targets.size):  # moves every start to its end
        shard = shard_of[targets[number]]
        order[starts[shard]] = number
        starts[shard] += 1
    for shard in range(starts.size - 1, 0, -1):
        starts[shard] = starts[shard - 1]
    starts[0] = 0


@kernel
def _list_observations(
    own_starts, targets, arriving, begin, n_pairs, sources, ends, local, starts, others, from_source, pair_of
):
    """Fill the observations of a shard's documents; `ends` are the documents that pairs arrive at."""
    n_own = starts.size - 1
    for document in range(n_own):
        starts[document + 1] = own_starts[document + 1] - own_starts[document]
    for number in range(arriving.size):
        starts[ends[number] + 1] += 1
    for document in range(n_own):
        starts[document + 1] += starts[document]
    # While arrivals are placed, starts[d + 1] is the next place of document d, at first the one after its own pairs.
    for document in range(n_own, 0, -1):
        starts[document] = starts[document - 1] + own_starts[document] - own_starts[document - 1]
    n_incoming = 0
    for number in range(arriving.size):
        pair = arriving[number] - begin
        place = starts[ends[number] + 1]
        starts[ends[number] + 1] += 1
        others[place] = local[sources[arriving[number]]]
        from_source[place] = False
        if pair < 0 or pair >= n_pairs:
            pair = n_pairs + n_incoming
            n_incoming += 1
        pair_of[place] = pair
    for document in range(n_own):
        place = starts[document]
        for number in range(own_starts[document], own_starts[document + 1]):
            others[place] = targets[number]
            from_source[place] = True
            pair_of[place] = number
            place += 1
