"""Latent dimensions of words as pair features: similarity, and regressions that predict links and labels.

The dimensions are those of latent semantic analysis (Deerwester, Dumais, Furnas, Landauer and Harshman, 1990), a
singular value decomposition of TF-IDF vectors. The vectors of known documents are averaged over their neighbours first,
so that words of linked documents share dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.pair_features.base import PairFeature
from plait.pair_features.network import KnownNetwork, PairBlock

_HEIGHT = 64  # rows of a product
_RIDGE = 0.3  # penalty of the squared weights of the regression; TF-IDF vectors have length 1


class _Space(NamedTuple):
    """Latent dimensions of a network."""

    words: np.ndarray  # words × dimensions
    averaged: np.ndarray  # documents × dimensions, unit vectors: words averaged over neighbours


@dataclass(frozen=True)
class _Latent(PairFeature):
    """A feature in the latent dimensions."""

    dimensions: int = 100

    needs_words: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """Name and number of dimensions."""
        return f"{self.name}({self.dimensions})"

    def check(self) -> None:
        """Reject a number of dimensions below 1."""
        check_whole("dimensions", self.dimensions, least=1)

    def _space(self, network: KnownNetwork) -> _Space:
        return _Space(
            *network.derive(f"latent space of {self.dimensions}", lambda: _decompose(network, self.dimensions))
        )


@dataclass(frozen=True)
class LatentCosine(_Latent):
    """Cosine similarity in latent dimensions of words; known documents include the words of their neighbours.

    Documents without a common word can be similar, because their words occur in the same or in linked documents.

    Parameters
    ----------
    dimensions : int, default 100
        Number of dimensions; at most the smaller of the numbers of documents and words, less one.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> counts = sparse.csr_array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> network = KnownNetwork(counts, sparse.csr_array((4, 4)))
    >>> LatentCosine(2).values(network.new(sparse.csr_array([[1, 0, 0, 0]]))).round(2).tolist()
    [[1.0, 1.0, 0.0, 0.0]]
    """

    name: ClassVar[str] = "latent"

    def values(self, pairs: PairBlock) -> np.ndarray:
        """Return the cosine similarities, at least 0."""
        space = self._space(pairs.network)
        return _without_itself(pairs, _products(_unit_rows(pairs.vectors @ space.words), space.averaged.T))


@dataclass(frozen=True)
class LatentVotes(_Latent):
    """Links predicted by a linear regression on latent dimensions of words.

    The regression has one target per known document: 1 for the documents linked with it and for itself, 0 for others.
    Unlike `NeighbourVotes` it does not count the same evidence several times where documents are alike.

    Parameters
    ----------
    dimensions : int, default 100
        Number of dimensions; at most the smaller of the numbers of documents and words, less one.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> counts = sparse.csr_array([[2, 0], [1, 0], [0, 2], [0, 1]])
    >>> links = sparse.csr_array(([1, 1], ([0, 2], [1, 3])), shape=(4, 4))
    >>> found = LatentVotes().values(KnownNetwork(counts, links).new(sparse.csr_array([[3, 0]])))
    >>> bool(found[0, 0] > found[0, 2])
    True
    """

    name: ClassVar[str] = "latent_votes"

    def values(self, pairs: PairBlock) -> np.ndarray:
        """Return the predictions, at least 0."""
        network, space = pairs.network, self._space(pairs.network)
        weights = network.derive(self.label, lambda: _regress_links(network, network.vectors @ space.words))
        return _without_itself(pairs, _products(pairs.vectors @ space.words, weights))


@dataclass(frozen=True)
class LatentLabels(_Latent):
    """Labels of the source, predicted by a linear regression on latent dimensions, that the known document shares.

    The regression has one target per label: its share of a training document's labels. The prediction for a new
    document is multiplied by the shares of labels among the known document and its neighbours. For a known source with
    labels these take the place of the prediction.

    Parameters
    ----------
    dimensions : int, default 100
        Number of dimensions; at most the smaller of the numbers of documents and words, less one.

    Examples
    --------
    >>> from plait.corpus.known_documents import KnownDocuments
    >>> from plait.pair_features import KnownNetwork
    >>> counts = sparse.csr_array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    >>> documents = KnownDocuments(4, labels=(("law",), (), ("physics",), ("physics",)))
    >>> network = KnownNetwork(counts, sparse.csr_array((4, 4)), documents)
    >>> LatentLabels().values(network.new(sparse.csr_array([[0, 0, 0, 3]]))).round(1).tolist()
    [[0.0, 0.0, 0.8, 0.8]]
    """

    name: ClassVar[str] = "latent_labels"

    def check_network(self, network: KnownNetwork) -> None:
        """Reject documents without labels."""
        if network.documents is None or not any(network.documents.labels or ()):
            raise PlaitError(
                f"the pair feature {self.label} needs labels of the training documents, which have none; give a "
                "Corpus that has labels, and fit with keep='titles'",
                parameter="pair_features",
            )

    def values(self, pairs: PairBlock) -> np.ndarray:
        """Return the predicted shares of labels times those of the known documents, at least 0."""
        network, space = pairs.network, self._space(pairs.network)
        own, near, weights = network.derive(self.label, lambda: _regress_labels(network, space.words))
        found = np.maximum(_products(pairs.vectors @ space.words, weights), 0)
        if pairs.rows is not None:
            known = own[pairs.rows].toarray()
            found = np.where(known.any(axis=1, keepdims=True), known, found)
        return _without_itself(pairs, (near @ found.T).T)


def _decompose(network: KnownNetwork, most: int) -> _Space:
    from sklearn.utils.extmath import randomized_svd

    averaged = sparse.csr_array(network.smoothing @ network.vectors)
    n_dimensions = min(most, *(size - 1 for size in averaged.shape))
    if n_dimensions < 1 or not averaged.nnz:
        return _Space(np.zeros((averaged.shape[1], 1)), np.zeros((averaged.shape[0], 1)))
    documents, values, words = randomized_svd(averaged, n_components=n_dimensions, random_state=0)
    return _Space(np.ascontiguousarray(words.T), _unit_rows(documents * values))


def _regress_links(network: KnownNetwork, positions: np.ndarray) -> np.ndarray:
    """Return the weights of the dimensions, dimensions × documents."""
    targets = network.either + sparse.eye_array(network.n_documents)
    products = positions.T @ positions + _RIDGE * np.eye(positions.shape[1])
    return np.asarray(np.linalg.solve(products, (targets @ positions).T))  # the targets are symmetric


def _regress_labels(network: KnownNetwork, words: np.ndarray) -> tuple[sparse.csr_array, sparse.csr_array, np.ndarray]:
    """Return the shares of labels of each document, those with its neighbours, and the weights of the dimensions."""
    assert network.documents is not None
    shares = _shares_of_labels(network.documents.labels or ())
    near = (network.either + sparse.eye_array(network.n_documents)) @ shares
    near = sparse.csr_array(sparse.diags_array(1 / (1 + network.degrees)) @ near)
    labelled = np.flatnonzero(np.diff(shares.indptr))
    positions = network.vectors[labelled] @ words
    products = positions.T @ positions + _RIDGE * np.eye(positions.shape[1])
    return shares, near, np.asarray(np.linalg.solve(products, (shares[labelled].T @ positions).T))


def _shares_of_labels(labels: tuple[tuple[str, ...], ...]) -> sparse.csr_array:
    """Return documents × labels with 1 / (number of labels) for each label of a document."""
    numbers = {name: number for number, name in enumerate(sorted({one for names in labels for one in names}))}
    known = [sorted({numbers[one] for one in names}) for names in labels]
    sizes = np.array([len(one) for one in known], dtype=np.int64)
    columns = np.array([column for one in known for column in one], dtype=np.int64)
    rows = np.repeat(np.arange(len(known)), sizes)
    return sparse.csr_array((1 / sizes[rows], (rows, columns)), shape=(len(known), len(numbers)))


def _products(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Return rows @ matrix, with bits that do not depend on the other rows.

    Libraries add in another order for other numbers of rows, so that all products have as many.
    """
    found = np.empty((rows.shape[0], matrix.shape[1]))
    block = np.zeros((_HEIGHT, rows.shape[1]))
    for first in range(0, rows.shape[0], _HEIGHT):
        own = rows[first : first + _HEIGHT]
        block[: len(own)] = own
        found[first : first + _HEIGHT] = (block @ matrix)[: len(own)]
    return found


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def _without_itself(pairs: PairBlock, found: np.ndarray) -> np.ndarray:
    """Return values of at least 0, and 0 of a known document with itself."""
    found = np.maximum(found, 0)
    if pairs.rows is not None:
        found[np.arange(pairs.rows.size), pairs.rows] = 0
    return found
