"""Links as a response: a link from i to j has the value z̄_iᵀ U z̄_j of both documents' mean topics.

Chen, Zhu, Xia and Zhang (2013) with the logistic loss; the same with any other loss. For the source of a link the
direction is U z̄_j, for its target Uᵀ z̄_i, and each is made of the other document's topics as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.errors import PlaitError
from plait.executors import Threads
from plait.responses.auxiliaries import draw_pseudo
from plait.responses.base import DocTopics, Response, check_mean, expected_weights
from plait.responses.linear import bilinear, regression
from plait.responses.linear.bilinear import Pairs
from plait.responses.losses import Loss, Pseudo
from plait.responses.negatives import draw_unlinked
from plait.samplers.base import Followed, Observations
from plait.samplers.kernels.tilt import map_documents
from plait.samplers.random import generator

FORMS = ("full", "symmetric", "diagonal")
_NEGATIVES = 1 << 40  # block of a key's random numbers that no auxiliary variable uses


class Network(NamedTuple):
    """The links that were observed, each once, and how many documents there are."""

    n_documents: int
    sources: np.ndarray
    targets: np.ndarray
    costs: np.ndarray  # c of each link
    directed: bool  # whether a pair without a link has a direction, too


class Negatives(NamedTuple):
    """Pairs without a link that stand for all others."""

    number: int
    cost: float = 1.0
    fresh_every: int = 0  # sweeps after which others are drawn; 0 keeps the first


class Links(Response):
    """Observed links, pairs without one, and the weights that tell them apart.

    Parameters
    ----------
    network
        The observed links.
    negatives
        How many pairs without a link are drawn, and how often.
    loss
        How a pair (+1 linked, −1 not) and its value become a pseudo-observation.
    form
        "full": any matrix U. "symmetric": U = Uᵀ, for links without direction. "diagonal": topics link to themselves.
    nu
        Standard deviation of the weights' prior.
    mean
        Mean of the weights' prior, a matrix topics × topics of the same form as U; None for 0.
    weights_every
        Sweeps between two draws of the weights.
    exact
        Whether topics' pull follows every drawn topic; else it is computed once a document.
    """

    def __init__(
        self,
        network: Network,
        negatives: Negatives,
        loss: Loss,
        *,
        form: str = "full",
        nu: float = 1.0,
        mean: np.ndarray | None = None,
        weights_every: int = 1,
        exact: bool = True,
    ) -> None:
        self.network = network
        self.negatives = negatives
        self.loss = loss
        self.form = form
        self.nu = nu
        self.mean = _of_form(check_mean(mean), form)
        self.weights_every = weights_every
        self.exact = exact

    keeps_topics = True

    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Take the state that a chain starts with: the loss's own, pairs without a link by chance, expected weights."""
        self.n_sweeps = 0
        self._draw_negatives(key)
        self.pseudo = self.loss.begin(self.signs, self.costs)
        self.weights = expected_weights(self.mean, (n_topics, n_topics))

    def draw_weights(self, topics: DocTopics, key: np.uint64, executor: Threads) -> None:
        """Draw U, in every sweep or every so many."""
        if self.n_sweeps % self.weights_every == 0:
            self.weights = self._weights(topics, generator(key), executor)

    def draw_auxiliaries(self, topics: DocTopics, key: np.uint64, executor: Threads) -> None:
        """Draw every pair's auxiliary variable, after other pairs without a link if it is their time."""
        self.n_sweeps += 1
        if self.negatives.fresh_every and self.n_sweeps % self.negatives.fresh_every == 0:
            self._draw_negatives(key)
        values = bilinear.pair_values(self.pairs, bilinear.list_topics(topics), self.weights)
        self.pseudo = draw_pseudo(self.loss, self.signs, values, self.costs, key, executor)

    def observations(self, topics: DocTopics, width: int) -> Observations:
        """Return the pseudo-observations of both ends of every pair."""
        n_documents, n_topics = topics.counts.shape
        maps = np.zeros((self._n_maps, width, width), np.float32)
        maps[0, :n_topics, :n_topics] = self.weights.T
        if self._n_maps == 2:
            maps[1, :n_topics, :n_topics] = self.weights
        counts = np.zeros((n_documents, width), np.float32)
        counts[:, :n_topics] = topics.counts
        directions = np.empty(self._n_maps * n_documents * width, np.float32)
        map_documents(maps.ravel(), directions, counts.ravel(), topics.lengths, width)
        followed = Followed(maps.ravel(), n_documents, 0, self._n_maps * n_documents)
        pull, precision = self.pseudo.pull[self._pair_of], self.pseudo.precision[self._pair_of]
        return Observations(self._starts, self._rows, pull, precision, directions, self.exact, followed)

    def mean_weights(self, topics: DocTopics, executor: Threads) -> np.ndarray:
        """Return the expected U."""
        return self._weights(topics, None, executor)

    def state(self) -> dict[str, np.ndarray]:
        """Return the weights, the pairs without a link and the pseudo-observations."""
        pairs = {"sources": self._unlinked[0], "targets": self._unlinked[1], "n_sweeps": np.array(self.n_sweeps)}
        return pairs | {"weights": self.weights, "pull": self.pseudo.pull, "precision": self.pseudo.precision}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go back to a state that `state` gave."""
        self.n_sweeps = int(arrays["n_sweeps"])
        self._take_negatives(np.array(arrays["sources"]), np.array(arrays["targets"]))
        self.weights = np.array(arrays["weights"])
        self.pseudo = Pseudo(np.array(arrays["pull"]), np.array(arrays["precision"]))

    @property
    def _n_maps(self) -> int:
        """How many directions are made of a document's topics: one where U = Uᵀ."""
        return 2 if self.form == "full" else 1

    def _weights(self, topics: DocTopics, random: np.random.Generator | None, executor: Threads) -> np.ndarray:
        """Return U drawn, or its mean where there is no generator."""
        n_topics = topics.counts.shape[1]
        if self.form == "diagonal":
            means = topics.counts / np.maximum(topics.lengths, 1e-30)[:, np.newaxis]
            both = DocTopics(means[self._sources] * means[self.pairs.targets], np.ones(self._sources.size))
            one_each = np.arange(self._sources.size + 1, dtype=np.int64)
            documents = regression.LabelledDocuments(one_each, np.zeros(self._sources.size, np.int32), 1)
            linear = regression.add_up(documents, both, *self.pseudo, executor)
            normals = None if random is None else random.standard_normal((1, n_topics))
            mean = None if self.mean is None else np.diagonal(self.mean)[np.newaxis]
            return np.diag(regression.draw_weights(linear, self.nu, normals, executor, mean)[0])
        symmetric = self.form == "symmetric"
        listed = bilinear.list_topics(topics)
        sums = bilinear.add_up(self.pairs, listed, n_topics, *self.pseudo, executor)
        drawn = None if random is None else random.standard_normal(bilinear.n_weights(n_topics, symmetric))
        return bilinear.draw_weights(sums, self.nu, symmetric, drawn, self.mean)

    def _draw_negatives(self, key: np.uint64) -> None:
        links = self.network
        random = generator(key, _NEGATIVES)
        self._take_negatives(
            *draw_unlinked(
                links.sources, links.targets, links.n_documents, self.negatives.number, links.directed, random
            )
        )

    def _take_negatives(self, sources: np.ndarray, targets: np.ndarray) -> None:
        """Put links and pairs without one in the order of their sources, and list what each document has of them."""
        links = self.network
        self._unlinked = (sources, targets)
        all_sources = np.concatenate([links.sources, sources])
        order = np.argsort(all_sources, kind="stable")
        self._sources = all_sources[order]
        all_targets = np.concatenate([links.targets, targets])[order].astype(np.int32)
        self.pairs = Pairs(_starts(self._sources, links.n_documents), all_targets)
        self.signs = np.repeat([1.0, -1.0], [links.sources.size, sources.size])[order]
        self.costs = np.concatenate([links.costs, np.full(sources.size, self.negatives.cost)])[order]
        ends = np.concatenate([self._sources, all_targets])
        by_document = np.argsort(ends, kind="stable")
        others = np.concatenate([all_targets, self._sources + (self._n_maps - 1) * links.n_documents])
        self._starts = _starts(ends, links.n_documents)
        self._rows = others[by_document].astype(np.int32)
        self._pair_of = by_document % max(order.size, 1)


def _of_form(mean: np.ndarray | None, form: str) -> np.ndarray | None:
    """Return a mean of U as exactly symmetric or diagonal as U is; refuse one that is not so but for rounding."""
    if mean is None or form == "full":
        return mean
    laid = np.diag(np.diagonal(mean)) if form == "diagonal" else np.tril(mean) + np.tril(mean, -1).T
    if not np.allclose(mean, laid):
        raise PlaitError(
            f"the mean of the weights' prior is not {form}, but the weights are; give a {form} matrix, or form='full'"
        )
    return laid


def _starts(documents: np.ndarray, n_documents: int) -> np.ndarray:
    """Return where each document's entries begin once they are sorted by document."""
    return np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=n_documents))]).astype(np.int64)
