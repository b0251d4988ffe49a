"""Scores of links from topics and pair features, and which part speaks for a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sparse

from plait.corpus.known_documents import KnownDocuments
from plait.errors import PlaitError
from plait.pair_features import KnownNetwork, PairBlock, PairFeature, PairWeights, fitted_features, read_features
from plait.pair_features.base import Values, as_dense, at_pairs, labels_of
from plait.pair_features.combining import N_FIRST, order_first

TOPICS = "topics"
_MOST_SCORES = 4_000_000  # in memory at once
_HIDDEN_SETS = 10  # into which training links are divided, so that a link is scored without its own set

# Networks of fitted models with what features derive from them; made when they are first needed, not saved.
_NETWORKS: WeakKeyDictionary[Any, tuple[PairWeights, KnownNetwork]] = WeakKeyDictionary()


class PairPart(NamedTuple):
    """The contribution of the topics or of a pair feature to the value of a link."""

    name: str  # "topics", or the label of a feature
    push: float  # above 0 speaks for the link


class NewFields(NamedTuple):
    """What pair features read of new documents beside their words."""

    documents: KnownDocuments | None = None  # dates and metadata
    matrices: Mapping[str, sparse.csr_array] = {}  # new documents × training documents

    def rows(self, rows: slice) -> NewFields:
        """Return the fields of some documents."""
        documents = None if self.documents is None else self.documents.select(rows)
        return NewFields(documents, {name: one[rows] for name, one in self.matrices.items()})


NO_FIELDS = NewFields()


class PairValues(NamedTuple):
    """Values of a block of pairs."""

    odds: np.ndarray  # log-odds of links, sources × documents
    features: dict[int, Values]  # values of the features by their numbers


@dataclass(frozen=True)
class PairScorer:
    """Combines what topics and pair features say of pairs."""

    features: tuple[PairFeature, ...]
    network: KnownNetwork
    new_weights: PairWeights
    known_weights: PairWeights

    def values(self, topics: np.ndarray, pairs: PairBlock, left_out: sparse.csr_array | None = None) -> PairValues:
        """Return the log-odds of all links of a block.

        Parameters
        ----------
        topics : ndarray of shape (sources, documents)
            Values of the topics.
        pairs : PairBlock
            The block.
        left_out : csr_array of shape (sources, documents), optional
            Nonzero entries are pairs whose log-odds are −∞.
        """
        weights = self._weights(pairs)
        found = {number: one.values(pairs) for number, one in enumerate(self.features) if self._speaks(weights, number)}
        total = weights.topic_part(topics)
        for number, values in found.items():
            total += weights.feature_part(number, as_dense(values, pairs.shape))
        odds = weights.log_odds(total)
        if left_out is not None:
            odds[left_out.nonzero()] = -np.inf
        n_first = min(N_FIRST, odds.shape[1])
        columns = np.argpartition(-odds, n_first - 1, axis=1)[:, :n_first]
        rows = np.broadcast_to(np.arange(len(odds))[:, np.newaxis], columns.shape)
        order = weights.topic_part(topics[rows, columns], first=True)
        for number, values in found.items():
            order += weights.feature_part(number, at_pairs(values, rows, columns), first=True)
        order[~np.isfinite(odds[rows, columns])] = -np.inf
        order_first(odds, columns, order)
        return PairValues(odds, found)

    def parts(
        self, topics: np.ndarray, pairs: PairBlock, found: PairValues, row: int, columns: np.ndarray
    ) -> list[tuple[PairPart, ...]]:
        """Return what speaks for the links of one source with some of its first documents, largest first."""
        weights, rows = self._weights(pairs), np.full(columns.size, row)
        pushes = {TOPICS: weights.topic_part(topics[rows, columns], first=True)}
        for number, values in found.features.items():
            push = weights.feature_part(number, at_pairs(values, rows, columns), first=True)
            pushes[self.features[number].label] = push
        listed = [
            [PairPart(name, float(push[place])) for name, push in pushes.items()] for place in range(columns.size)
        ]
        return [tuple(sorted(one, key=lambda part: -part.push)) for one in listed]

    def pair_values(
        self, topics: Callable[[np.ndarray], np.ndarray], sources: np.ndarray, targets: np.ndarray
    ) -> np.ndarray:
        """Return the log-odds of pairs of known documents; the own link of a pair takes no part in its features.

        Training links are divided into ten sets by their documents. A link is scored in the network without its set.

        Parameters
        ----------
        topics : callable
            Returns the values of the topics of some documents with all documents.
        sources, targets : ndarray of int
            The two documents of each pair.
        """
        values = np.empty(sources.size)
        numbers = hidden_sets(self.network, sources, targets)
        for number in np.unique(numbers):
            own = np.flatnonzero(numbers == number)
            network = self.network if number < 0 else self.network.without(*links_of_set(self.network, int(number)))
            rows, row_of = np.unique(sources[own], return_inverse=True)
            height = max(1, _MOST_SCORES // network.n_documents)
            for first in range(0, rows.size, height):
                here = np.flatnonzero((row_of >= first) & (row_of < first + height))
                block = rows[first : first + height]
                left_out = network.linked_or_same(block)
                scores = self.values(topics(block), network.known(block), left_out).odds
                values[own[here]] = scores[row_of[here] - first, targets[own[here]]]
        return values

    def _weights(self, pairs: PairBlock) -> PairWeights:
        return self.new_weights if pairs.rows is None else self.known_weights

    def _speaks(self, weights: PairWeights, number: int) -> bool:
        return bool(weights.weights[:, :, number].any())


def probabilities(values: np.ndarray) -> np.ndarray:
    """Return the probabilities of log-odds."""
    from scipy.special import expit

    return np.asarray(expit(values))


def hidden_sets(network: KnownNetwork, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the number of the set that the link of each pair belongs to; −1 for pairs without a link."""
    low, high = np.minimum(sources, targets).astype(np.int64), np.maximum(sources, targets).astype(np.int64)
    linked = np.asarray(network.either[low, high]).ravel() > 0
    return np.where(linked, (low * 31 + high * 17) % _HIDDEN_SETS, -1)


def links_of_set(network: KnownNetwork, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the two ends of all links of a set."""
    sources, targets = network.either.nonzero()
    own = hidden_sets(network, sources, targets) == number
    return sources[own], targets[own]


def pair_scorer(
    model: Any, pair_features: Any, links: sparse.csr_array, documents: KnownDocuments
) -> PairScorer | None:
    """Return the scorer of a fitted model; None for a model without pair features.

    Parameters
    ----------
    model : TopicEstimator
        The fitted model.
    pair_features : object
        The parameter of its link response.
    links : csr_array
        Training links.
    documents : KnownDocuments
        Training documents.
    """
    known: Mapping[str, Any] = vars(model)
    if not read_features(pair_features) or "pair_weights_" not in known:
        return None
    weights = known["pair_weights_"]
    features = fitted_features(pair_features, weights.labels)
    if labels_of(features) != weights.labels:
        raise PlaitError(
            f"pair_features names {', '.join(labels_of(features))}, but the model was fitted with "
            f"{', '.join(weights.labels)}; set it back, or fit again",
            parameter="pair_features",
        )
    before, network = _NETWORKS.get(model, (None, None))
    if before is not weights or network is None:
        network = KnownNetwork(known["_pair_counts"], links, documents, known["_pair_matrices"])
        _NETWORKS[model] = (weights, network)
    return PairScorer(tuple(features), network, weights, known["known_pair_weights_"])
