"""Shard response of links: the pairs of one shard, and the observations of all pairs with an end in the shard.

A pair belongs to the shard of its source, which draws its auxiliary variable. If the target is in another shard, that
shard receives the pair's pseudo-observation with the next sweep. Both see the other's topics at the start of the sweep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.auxiliaries import KnownValues, draw_pseudo
from plait.responses.base import DocTopics, Map, ShardResponse
from plait.responses.linear import bilinear, diagonal, link_sums, low_rank
from plait.responses.linear.link_sums import Pairs
from plait.responses.linear.pair_layout import PairLayout
from plait.responses.losses import Loss, Pseudo
from plait.samplers.base import MovingDirections, Observations
from plait.samplers.kernels.tilt import map_documents, map_listed

_BLOCK = 512  # documents per task when directions are computed
_OUTSIDE = 8192  # the same for documents of other shards
_GATHERED = 1 << 15  # observations per task when those of all pairs are gathered


class PairMessage(NamedTuple):
    """Message to the shards: the weights, and the pseudo-observations of pairs between two shards."""

    weights: np.ndarray
    crossing: Pseudo | None
    parts: low_rank.Parts | None = None  # of low-rank weights


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
    outside_rows : ndarray of int
        Row of each outside document of the layout among the documents whose topics are sent to other shards.
    incoming_places : ndarray of int
        Place of each incoming pair of the layout among the pairs whose pseudo-observations are sent to other shards.
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
        outside_rows: np.ndarray,
        incoming_places: np.ndarray,
        loss: Loss,
        form: str,
        exact: bool,
    ) -> None:
        own = slice(layout.first_pair, layout.first_pair + layout.signs.size)
        self._number = number
        self._layout = layout
        self._pseudo = Pseudo(pseudo.pull[own], pseudo.precision[own])
        self._outside_rows = outside_rows
        self._incoming_places = incoming_places
        self._loss = loss
        self._form = form
        self._exact = exact
        self._n_maps = 2 if form == "full" else 1
        self._n_documents = layout.starts.size - 1 + layout.outside.size
        to_source = (self._n_maps - 1) * self._n_documents  # the directions of targets come after those of sources
        self._rows = np.where(layout.from_source, layout.others, layout.others + to_source).astype(np.int32)

    def statistics(self, topics: DocTopics, message: PairMessage, map: Map) -> tuple[np.ndarray, ...]:
        """Return Σ precision x xᵀ and Σ pull x over the shard's own pairs."""
        lists = bilinear.list_linked_topics(topics, self._outside_rows)
        if message.parts is not None:
            own, pseudo = self._pairs_of(message.parts, message.crossing)
            return low_rank.part_sums(message.parts, own, lists, *pseudo, map)
        sum_over = diagonal.sum_statistics if self._form == "diagonal" else link_sums.sum_statistics
        return sum_over(self._layout.pairs, lists, topics.counts.shape[1], *self._pseudo, map)

    def draw_auxiliaries(self, topics: DocTopics, message: PairMessage, key: np.uint64, map: Map) -> Pseudo:
        """Draw the auxiliary variables of the own pairs; return pseudo-observations of those with a target outside."""
        layout = self._layout
        lists = bilinear.list_linked_topics(topics, self._outside_rows)
        if message.parts is not None:
            values = message.parts.pair_values(layout.pairs, lists, map)
        elif self._form == "diagonal":
            values = diagonal.pair_values(layout.pairs, lists, np.diagonal(message.weights).copy(), map)
        else:
            values = bilinear.pair_values(layout.pairs, lists, message.weights, map)
        known = KnownValues(layout.signs, layout.costs)
        self._pseudo = Pseudo(np.empty(values.size), np.empty(values.size))
        draw_pseudo(self._loss, known, values, key, self._number, map, self._pseudo)
        return Pseudo(self._pseudo.pull[layout.outgoing], self._pseudo.precision[layout.outgoing])

    def observations(self, topics: DocTopics, message: PairMessage, width: int, map: Map) -> Observations:
        """Return the pseudo-observations of both ends of every pair."""
        layout = self._layout
        n_topics, n_maps, n_documents = topics.counts.shape[1], self._n_maps, self._n_documents
        maps = np.zeros((n_maps, width, width), np.float32)
        maps[0, :n_topics, :n_topics] = message.weights.T
        if n_maps == 2:
            maps[1, :n_topics, :n_topics] = message.weights
        directions = _fill_directions(maps.ravel(), topics, self._outside_rows, width, self._form == "diagonal", map)
        pull, precision = self._with_incoming(message.crossing)
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

    def _with_incoming(self, crossing: Pseudo | None) -> Pseudo:
        """Return the pseudo-observations of own pairs, followed by those of incoming ones."""
        if crossing is None:
            return self._pseudo
        places = self._incoming_places
        return Pseudo(
            np.concatenate([self._pseudo.pull, crossing.pull[places]]),
            np.concatenate([self._pseudo.precision, crossing.precision[places]]),
        )

    def _pairs_of(self, parts: low_rank.Parts, crossing: Pseudo | None) -> tuple[Pairs, Pseudo]:
        """Return the pairs of the shard's documents that the part of the weights is drawn from that is due.

        Sources list their pairs for A and d, targets for B; both do for A and B if U is symmetric.
        """
        layout = self._layout
        if parts.turn == low_rank.DIAGONAL or (parts.turn == low_rank.LEFT and not parts.symmetric):
            return layout.pairs, self._pseudo
        pull, precision = self._with_incoming(crossing)
        starts, others, places = layout.starts, layout.others, layout.pair_of
        if not parts.symmetric:
            as_target = ~layout.from_source
            starts = np.concatenate([[0], np.cumsum(as_target)])[starts]
            others, places = others[as_target], places[as_target]
        return Pairs(starts.astype(np.int64), others), Pseudo(pull[places], precision[places])


def _fill_directions(
    maps: np.ndarray, topics: DocTopics, outside_rows: np.ndarray, width: int, is_diagonal: bool, map: Map
) -> np.ndarray:
    """Return M z̄ of every map and document, flat, maps × documents × width; documents of other shards come last."""
    n_own, n_topics = topics.counts.shape
    n_outside = 0 if topics.linked is None else outside_rows.size
    n_documents, n_maps = n_own + n_outside, maps.size // (width * width)
    directions = np.empty(n_maps * n_documents * width, np.float32)

    def fill_own(first: int) -> None:
        last = min(first + _BLOCK, n_own)
        padded = np.zeros((last - first, width), np.float32)
        padded[:, :n_topics] = topics.counts[first:last]
        map_documents(maps, directions, n_documents, first, last, padded.ravel(), topics.lengths[first:last], width)

    map(fill_own, range(0, n_own, _BLOCK))
    if n_outside:
        counts, lengths = topics.linked
        listed = counts.indptr, counts.indices, counts.data

        def fill_outside(first: int) -> None:
            rows = outside_rows[first : first + _OUTSIDE]
            map_listed(maps, is_diagonal, directions, n_documents, n_own + first, rows, listed, lengths, width)

        map(fill_outside, range(0, n_outside, _OUTSIDE))
    return directions
