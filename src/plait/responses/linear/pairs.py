"""Chain response of links: a link from i to j has the value z̄_iᵀ U z̄_j of both documents' mean topics.

Chen, Zhu, Xia and Zhang (2013) with the logistic loss; the same with any other loss. For the source of a link the
direction is U z̄_j, for its target Uᵀ z̄_i; each depends on the current topics of the other document.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from plait.errors import PlaitError
from plait.responses.auxiliaries import load_pseudo
from plait.responses.base import ChainResponse, Map
from plait.responses.linear import bilinear, low_rank, regression
from plait.responses.linear.pair_layout import SortedLinks, cut_pairs, merge_pairs, sort_links
from plait.responses.linear.shard_pairs import PairMessage, ShardPairs
from plait.responses.losses import Loss, Pseudo
from plait.responses.negatives import UnlinkedPairs
from plait.responses.prior_mean import check_mean, initial_weights
from plait.samplers.random import generator

FORMS = ("full", "symmetric", "diagonal")
_PARTS = ("left", "right", "diagonal")  # of low-rank weights, in the state of a chain
_NEGATIVES_BLOCK = 1 << 40  # block of random numbers that auxiliary variables do not use


class Network(NamedTuple):
    """Observed links without duplicates, and the number of documents."""

    n_documents: int
    sources: np.ndarray
    targets: np.ndarray
    costs: np.ndarray  # c of each link
    directed: bool  # whether (i, j) and (j, i) are different pairs


class Negatives(NamedTuple):
    """Number, cost and renewal of the pairs without a link that are drawn."""

    number: int
    cost: float = 1.0
    fresh_every: int = 0  # sweeps after which other pairs are drawn; 0 keeps the first ones


class ChainPairs(ChainResponse):
    """Weights that separate linked pairs from pairs without a link.

    Parameters
    ----------
    network : Network
        The observed links.
    negatives : Negatives
        Number, cost and renewal of the pairs without a link.
    loss : Loss
        Turns a pair (+1 linked, −1 not) and its value into a pseudo-observation.
    form : {"full", "symmetric", "diagonal"}, default "full"
        "full": any matrix U. "symmetric": U = Uᵀ, for links without direction. "diagonal": topics link to themselves.
    nu : float, default 1.0
        Prior standard deviation of the weights.
    rank : int or None, default None
        Rank r of a full or symmetric U that is A Bᵀ + diag(d) + b (low_rank.py); None for any U.
    mean : ndarray of shape (topics, topics) or None, default None
        Prior mean of U, of the same form as U; None for 0.
    weights_every : int, default 1
        Sweeps between two draws of the weights.
    exact : bool, default True
        Whether τ is updated after every token; otherwise it is computed once per document.
    """

    keeps_topics = True

    def __init__(
        self,
        network: Network,
        negatives: Negatives,
        loss: Loss,
        *,
        form: str = "full",
        rank: int | None = None,
        nu: float = 1.0,
        mean: np.ndarray | None = None,
        weights_every: int = 1,
        exact: bool = True,
    ) -> None:
        self.network = network
        self.negatives = negatives
        self.loss = loss
        self.form = form
        self.rank = rank
        self.nu = nu
        self.mean = _check_form(check_mean(mean), form)
        self.weights_every = weights_every
        self.exact = exact
        self._crossing: Pseudo | None = None
        self._parts: low_rank.Parts | None = None
        self._pseudo = Pseudo(np.empty(0), np.empty(0))

    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Draw pairs without a link, and set the initial pseudo-observations and the weights to their prior mean."""
        self.n_sweeps = 0
        for name in ("_unlinked_pairs", "_sorted_links"):
            self.__dict__.pop(name, None)  # the network may be another one than before
        self._draw_negatives(key)
        self._pseudo = self.loss.begin(self.pairs.signs, self.pairs.costs)
        self.weights = initial_weights(self.mean, (n_topics, n_topics))
        if self.rank is not None:
            left, right = np.zeros((2, n_topics, self.rank))
            self._set_parts(left, right, np.zeros(n_topics + 1))

    def due(self) -> bool:
        """Return whether U is drawn in this sweep: in every `weights_every`-th."""
        return self.n_sweeps % self.weights_every == 0

    def n_rounds(self) -> int:
        """Return 3 for low-rank weights, whose parts are drawn one after the other."""
        return 1 if self.rank is None else 3

    def cut(self, runs: Sequence[tuple[int, int]]) -> tuple[list[ShardPairs], list[np.ndarray] | None]:
        """Return the shard responses, and the documents of each shard that occur in pairs of other shards."""
        layouts = cut_pairs(self.pairs, runs)
        is_exported = np.zeros(self.network.n_documents, dtype=bool)
        is_crossing = np.zeros(self.pairs.targets.size, dtype=bool)
        for layout in layouts:
            is_exported[layout.outside] = True
            is_crossing[layout.first_pair + layout.outgoing] = True
        row_of, place_of = (np.cumsum(each, dtype=np.int32) - 1 for each in (is_exported, is_crossing))
        alone = not is_crossing.any()
        self._crossing = None if alone else Pseudo(self._pseudo.pull[is_crossing], self._pseudo.precision[is_crossing])
        halves = [
            ShardPairs(
                number, layout, self._pseudo, row_of[layout.outside], place_of[layout.incoming],
                self.loss, self.form, self.exact,
            )
            for number, layout in enumerate(layouts)
        ]  # fmt: skip
        return halves, None if alone else [np.flatnonzero(is_exported[first:last]) for first, last in runs]

    def message(self) -> PairMessage:
        """Return the weights and the pseudo-observations of pairs between two shards."""
        return PairMessage(self.weights, self._crossing, self._parts)

    def draw_weights(self, sums: tuple[np.ndarray, ...], key: np.uint64, map: Map) -> None:
        """Draw U, or the part of it that is due."""
        if self._parts is None:
            self.weights = self._solve_weights(sums, generator(key), map)
            return
        random = generator(key, self._parts.turn)
        self._parts = low_rank.draw_part(self._parts, sums, self.nu, random, map)
        self.weights = self._parts.weights()

    def mean_weights(self, sums: tuple[np.ndarray, ...], map: Map) -> np.ndarray:
        """Return the expected U; for low-rank weights, given all parts but A."""
        if self._parts is not None:
            return low_rank.draw_part(self._parts, sums, self.nu, None, map).weights()
        return self._solve_weights(sums, None, map)

    def renew(self, key: np.uint64) -> bool:
        """Draw other pairs without a link if they are due."""
        self.n_sweeps += 1
        if not self.negatives.fresh_every or self.n_sweeps % self.negatives.fresh_every:
            return False
        self._draw_negatives(key)
        # Auxiliary variables are drawn next, so these values are never used.
        self._pseudo = Pseudo(*np.zeros((2, self.pairs.targets.size)))
        return True

    def receive(self, messages: Sequence[Pseudo]) -> None:
        """Store the pseudo-observations of pairs between two shards."""
        if self._crossing is not None:
            pull, precision = (np.concatenate([getattr(one, name) for one in messages]) for name in Pseudo._fields)
            self._crossing = Pseudo(pull, precision)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the weights and the pairs without a link."""
        pairs = {"sources": self._unlinked[0], "targets": self._unlinked[1], "n_sweeps": np.array(self.n_sweeps)}
        parts = {} if self._parts is None else dict(zip(_PARTS, self._parts.values, strict=True))
        return pairs | parts | {"weights": self.weights}

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore weights, pairs without a link and pseudo-observations."""
        self.n_sweeps = int(arrays["n_sweeps"])
        sources, targets = arrays["sources"].astype(np.int64), arrays["targets"].astype(np.int64)
        self.weights = np.array(arrays["weights"])
        if sources.shape != targets.shape or self.weights.shape != (self.weights.shape[-1],) * 2:
            raise PlaitError(
                f"the checkpoint is damaged: it has {sources.size:,} sources and {targets.size:,} targets of pairs, "
                f"and weights of the shape {self.weights.shape}; fit again"
            )
        if self.rank is not None:
            parts = [np.array(arrays[name], dtype=np.float64) for name in _PARTS]
            n_topics = len(self.weights)
            if [part.shape for part in parts] != [(n_topics, self.rank), (n_topics, self.rank), (n_topics + 1,)]:
                raise PlaitError(
                    "the checkpoint is damaged: parts of the weights have the shapes "
                    f"{', '.join(str(part.shape) for part in parts)}; fit again"
                )
            self._set_parts(*parts)
        self._set_negatives(sources, targets)
        self._pseudo = load_pseudo(arrays, self.pairs.targets.size)

    def _solve_weights(self, sums: tuple[np.ndarray, ...], random: np.random.Generator | None, map: Map) -> np.ndarray:
        """Draw U, or return its mean if `random` is None."""
        n_topics = self.weights.shape[0]
        if self.form == "diagonal":
            normals = None if random is None else random.standard_normal((1, n_topics))
            mean = None if self.mean is None else np.diagonal(self.mean)[np.newaxis]
            return np.diag(regression.draw_weights(regression.Sums(*sums), self.nu, normals, map, mean)[0])
        symmetric = self.form == "symmetric"
        drawn = None if random is None else random.standard_normal(bilinear.n_weights(n_topics, symmetric))
        return bilinear.draw_weights(bilinear.Sums(*sums), self.nu, symmetric, drawn, self.mean, map)

    def _set_parts(self, left: np.ndarray, right: np.ndarray, own: np.ndarray) -> None:
        self._parts = low_rank.Parts((left, right, own), self.form == "symmetric", self.mean)

    def _draw_negatives(self, key: np.uint64) -> None:
        random = generator(key, _NEGATIVES_BLOCK)
        self._set_negatives(*self._unlinked_pairs.draw(self.negatives.number, random))

    def _set_negatives(self, sources: np.ndarray, targets: np.ndarray) -> None:
        """Merge links and pairs without a link, sorted by source."""
        self._unlinked = (sources, targets)
        self.pairs = merge_pairs(self._sorted_links, sources, targets, self.negatives.cost)

    @cached_property
    def _unlinked_pairs(self) -> UnlinkedPairs:
        links = self.network
        return UnlinkedPairs(links.sources, links.targets, links.n_documents, links.directed)

    @cached_property
    def _sorted_links(self) -> SortedLinks:
        return sort_links(self.network.sources, self.network.targets, self.network.costs, self.network.n_documents)


def _check_form(mean: np.ndarray | None, form: str) -> np.ndarray | None:
    """Return the prior mean, made exactly symmetric or diagonal; reject it if the difference exceeds rounding."""
    if mean is None or form == "full":
        return mean
    projected = np.diag(np.diagonal(mean)) if form == "diagonal" else np.tril(mean) + np.tril(mean, -1).T
    if not np.allclose(mean, projected):
        raise PlaitError(
            f"the prior mean of the weights is not {form}, but the weights are; give a {form} matrix, or form='full'"
        )
    return projected
