"""Shard response of links: the pairs of one shard, and the observations of all pairs with an end in the shard.

A pair belongs to the shard of its source, which draws its auxiliary variable. If the target is in another shard, that
shard receives the pair's pseudo-observation with the next sweep. Both see the other's topics at the start of the sweep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.auxiliaries import KnownValues, draw_pseudo
from plait.responses.base import DocTopics, Map, ShardResponse
from plait.responses.linear import bilinear, regression
from plait.responses.linear.link_sums import Pairs, sum_statistics
from plait.responses.losses import Loss, Pseudo
from plait.samplers.base import MovingDirections, Observations
from plait.samplers.kernels.tilt import map_documents

_BLOCK = 512  # documents per task when directions are computed
_GATHERED = 1 << 15  # observations per task when those of all pairs are gathered


class AllPairs(NamedTuple):
    """Linked pairs and pairs without a link, sorted by source."""

    starts: np.ndarray  # int64: source d has pairs starts[d] up to starts[d + 1]
    sources: np.ndarray
    targets: np.ndarray  # int32
    signs: np.ndarray  # +1 linked, −1 not
    costs: np.ndarray


class PairMessage(NamedTuple):
    """Message to the shards: the weights, and the pseudo-observations of pairs between two shards."""

    weights: np.ndarray
    crossing: Pseudo | None


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
    pair_of: np.ndarray  # int64: for each observation, its pair; own pairs first, then incoming ones


def cut_pairs(pairs: AllPairs, first: int, last: int) -> PairLayout:
    """Return the pairs with an end among the documents `first` up to `last`."""
    begin, end = int(pairs.starts[first]), int(pairs.starts[last])
    targets = pairs.targets[begin:end].astype(np.int64)
    inside = (targets >= first) & (targets < last)
    arriving = np.flatnonzero((pairs.targets >= first) & (pairs.targets < last))
    foreign = (arriving < begin) | (arriving >= end)
    incoming = arriving[foreign]
    outside = np.unique(np.concatenate([targets[~inside], pairs.sources[incoming]])).astype(np.int64)

    def local(documents: np.ndarray) -> np.ndarray:
        here = (documents >= first) & (documents < last)
        return np.where(here, documents - first, last - first + np.searchsorted(outside, documents))

    sources = pairs.sources[begin:end] - first
    position = np.where(foreign, end - begin + np.cumsum(foreign) - 1, arriving - begin)
    ends = np.concatenate([sources, pairs.targets[arriving].astype(np.int64) - first])
    by_document = np.argsort(ends, kind="stable")
    return PairLayout(
        first_pair=begin,
        pairs=Pairs(pairs.starts[first : last + 1] - begin, local(targets).astype(np.int32)),
        signs=pairs.signs[begin:end],
        costs=pairs.costs[begin:end],
        outside=outside,
        outgoing=np.flatnonzero(~inside),
        incoming=incoming,
        starts=starts_of(ends, last - first),
        others=np.concatenate([local(targets), local(pairs.sources[arriving])])[by_document].astype(np.int32),
        from_source=by_document < sources.size,
        pair_of=np.concatenate([np.arange(sources.size), position])[by_document],
    )


class ShardPairs(ShardResponse):
    """Pairs whose source is in a shard, and the observations of all pairs with an end in it.

    Parameters
    ----------
    number : int
        Number of the shard.
    layout : PairLayout
        Pairs with an end in the shard.
    pseudo : Pseudo
        Pseudo-observations of all pairs of the chain.
    exported : ndarray of int64
        Documents whose topics are sent to other shards, sorted.
    crossing : ndarray of int64
        Pairs whose pseudo-observations are sent to other shards, sorted.
    loss : Loss
        Turns a pair (+1 linked, −1 not) and its value into a pseudo-observation.
    form : {"full", "symmetric", "diagonal"}
        Form of U.
    exact : bool
        Whether τ is updated after every token; otherwise it is computed once per document.
    """

    def __init__(
        self,
        number: int,
        layout: PairLayout,
        pseudo: Pseudo,
        exported: np.ndarray,
        crossing: np.ndarray,
        loss: Loss,
        form: str,
        exact: bool,
    ) -> None:
        own = slice(layout.first_pair, layout.first_pair + layout.signs.size)
        self._number = number
        self._layout = layout
        self._pseudo = Pseudo(pseudo.pull[own], pseudo.precision[own])
        self._outside_rows = np.searchsorted(exported, layout.outside)
        self._incoming_places = np.searchsorted(crossing, layout.incoming)
        self._loss = loss
        self._form = form
        self._exact = exact
        self._n_maps = 2 if form == "full" else 1
        self._n_documents = layout.starts.size - 1 + layout.outside.size
        to_source = (self._n_maps - 1) * self._n_documents  # the directions of targets come after those of sources
        self._rows = np.where(layout.from_source, layout.others, layout.others + to_source).astype(np.int32)

    def statistics(self, topics: DocTopics, map: Map) -> tuple[np.ndarray, ...]:
        """Return Σ precision x xᵀ and Σ pull x over the shard's own pairs."""
        topics = self._with_outside(topics)
        pairs, n_topics = self._layout.pairs, topics.counts.shape[1]
        if self._form != "diagonal":
            return sum_statistics(pairs, bilinear.list_linked_topics(topics), n_topics, *self._pseudo, map)
        means = topics.counts / np.maximum(topics.lengths, 1e-30)[:, np.newaxis]
        if topics.linked is not None:
            lengths = np.maximum(topics.linked.lengths, 1e-30)[:, np.newaxis]
            means = np.concatenate([means, topics.linked.counts.toarray() / lengths])
        n_pairs = pairs.targets.size
        sources = np.repeat(np.arange(topics.lengths.size), np.diff(pairs.starts))
        both = DocTopics(means[sources] * means[pairs.targets], np.ones(n_pairs))
        one_each = np.arange(n_pairs + 1, dtype=np.int64)
        documents = regression.LabelledDocuments(one_each, np.zeros(n_pairs, np.int32), 1)
        return regression.sum_statistics(documents, both, *self._pseudo, map)

    def draw_auxiliaries(self, topics: DocTopics, message: PairMessage, key: np.uint64, map: Map) -> Pseudo:
        """Draw the auxiliary variables of the own pairs; return pseudo-observations of those with a target outside."""
        layout = self._layout
        lists = bilinear.list_linked_topics(self._with_outside(topics))
        values = bilinear.pair_values(layout.pairs, lists, message.weights, map)
        known = KnownValues(layout.signs, layout.costs)
        self._pseudo = Pseudo(np.empty(values.size), np.empty(values.size))
        draw_pseudo(self._loss, known, values, key, self._number, map, self._pseudo)
        return Pseudo(self._pseudo.pull[layout.outgoing], self._pseudo.precision[layout.outgoing])

    def observations(self, topics: DocTopics, message: PairMessage, width: int, map: Map) -> Observations:
        """Return the pseudo-observations of both ends of every pair."""
        topics, layout = self._with_outside(topics), self._layout
        n_topics, n_maps, n_documents = topics.counts.shape[1], self._n_maps, self._n_documents
        maps = np.zeros((n_maps, width, width), np.float32)
        maps[0, :n_topics, :n_topics] = message.weights.T
        if n_maps == 2:
            maps[1, :n_topics, :n_topics] = message.weights
        directions = _fill_directions(maps.ravel(), n_maps, topics, n_documents, width, map)
        pull, precision = self._pseudo
        if message.crossing is not None:
            pull = np.concatenate([pull, message.crossing.pull[self._incoming_places]])
            precision = np.concatenate([precision, message.crossing.precision[self._incoming_places]])
        moving = MovingDirections(maps.ravel(), n_documents, 0, n_maps * n_documents)
        pulls, precisions = np.empty(self._rows.size), np.empty(self._rows.size)

        def gather(first: int) -> None:
            own = slice(first, first + _GATHERED)
            np.take(pull, layout.pair_of[own], out=pulls[own], mode="clip")
            np.take(precision, layout.pair_of[own], out=precisions[own], mode="clip")

        map(gather, range(0, self._rows.size, _GATHERED))
        return Observations(layout.starts, self._rows, pulls, precisions, directions, self._exact, moving)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the pseudo-observations of the shard's own pairs."""
        return {"pull": self._pseudo.pull, "precision": self._pseudo.precision}

    def _with_outside(self, topics: DocTopics) -> DocTopics:
        """Return topics with only those documents of other shards that occur in the shard's pairs."""
        if topics.linked is None:
            return topics
        counts, lengths = topics.linked
        rows = self._outside_rows
        return topics._replace(linked=topics.linked._replace(counts=counts[rows], lengths=lengths[rows]))


def _fill_directions(
    maps: np.ndarray, n_maps: int, topics: DocTopics, n_documents: int, width: int, map: Map
) -> np.ndarray:
    """Return M z̄ of every map and document, flat, maps × documents × width."""
    directions = np.empty(n_maps * n_documents * width, np.float32)
    n_own, n_topics = topics.counts.shape

    def fill(first: int) -> None:
        if first < n_own:
            last = min(first + _BLOCK, n_own)
            rows, lengths = topics.counts[first:last], topics.lengths[first:last]
        else:
            last = min(first + _BLOCK, n_documents)
            rows = topics.linked.counts[first - n_own : last - n_own].toarray()
            lengths = topics.linked.lengths[first - n_own : last - n_own]
        padded = np.zeros((last - first, width), np.float32)
        padded[:, :n_topics] = rows
        map_documents(maps, directions, n_documents, first, last, padded.ravel(), lengths, width)

    map(fill, [*range(0, n_own, _BLOCK), *range(n_own, n_documents, _BLOCK)])
    return directions


def starts_of(documents: np.ndarray, n_documents: int) -> np.ndarray:
    """Return where the entries of each document begin when entries are sorted by document."""
    return np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=n_documents))]).astype(np.int64)
