"""The known documents that pair features read: words, links and fields; and blocks of pairs with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.corpus.known_documents import KnownDocuments

_ROWS = 1_000  # documents whose averaged vectors are in memory at once


class KnownNetwork:
    """Known documents, the links between them, and what pair features derive from both.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        Word counts.
    links : csr_array of shape (documents, documents)
        Nonzero entries are links from the row to the column; self-links are left out.
    documents : KnownDocuments or None, default None
        Dates and metadata of the documents, for features of fields.
    matrices : mapping of str to csr_array, optional
        The user's own numbers of pairs by name, each documents × documents.

    Examples
    --------
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), sparse.csr_array(np.eye(3, k=1)))
    >>> network.degrees.tolist()
    [1.0, 2.0, 1.0]
    """

    def __init__(
        self,
        counts: sparse.csr_array,
        links: sparse.csr_array,
        documents: KnownDocuments | None = None,
        matrices: Mapping[str, sparse.csr_array] | None = None,
    ) -> None:
        self.counts = counts
        self.links = _as_pattern(links)
        self.documents = documents
        self.matrices = dict(matrices or {})
        self._derived: dict[str, Any] = {}

    @property
    def n_documents(self) -> int:
        """Number of known documents."""
        return int(self.links.shape[0])

    @cached_property
    def either(self) -> sparse.csr_array:
        """Symmetric matrix with 1 for documents linked in either direction."""
        return _as_pattern(sparse.csr_array(self.links + self.links.T))

    @cached_property
    def degrees(self) -> np.ndarray:
        """Number of documents that each document is linked with."""
        return np.diff(self.either.indptr).astype(np.float64)

    @cached_property
    def smoothing(self) -> sparse.csr_array:
        """D^(-1/2) (I + A) D^(-1/2), where A are the links in either direction and D the row sums of I + A."""
        scale = sparse.diags_array(1 / np.sqrt(1 + self.degrees))
        return sparse.csr_array(scale @ (self.either + sparse.eye_array(self.n_documents)) @ scale)

    @cached_property
    def inverse_frequencies(self) -> np.ndarray:
        """Weight of each word: 1 + log((1 + documents) / (1 + documents with the word))."""
        n_with_word = np.bincount(self.counts.indices[self.counts.data != 0], minlength=self.counts.shape[1])
        return 1 + np.log((1 + self.counts.shape[0]) / (1 + n_with_word))

    @cached_property
    def vectors(self) -> sparse.csr_array:
        """TF-IDF vectors of length 1."""
        return self.weigh(self.counts)

    @cached_property
    def words_to_documents(self) -> sparse.csr_array:
        """Inverted index: words × documents, the transposed TF-IDF vectors."""
        return sparse.csr_array(self.vectors.T)

    def smoothed_lengths(self, hops: int) -> np.ndarray:
        """Return the length of each document's TF-IDF vector after averaging it over neighbours `hops` times."""

        def lengths() -> np.ndarray:
            average = self.smoothing
            for _ in range(hops - 1):
                average = sparse.csr_array(average @ self.smoothing)
            squares = [
                np.asarray((block := average[first : first + _ROWS] @ self.vectors).multiply(block).sum(axis=1)).ravel()
                for first in range(0, self.n_documents, _ROWS)
            ]
            return np.sqrt(np.concatenate(squares))

        return np.asarray(self.derive(f"lengths after {hops}", lengths))

    def derive(self, key: str, make: Callable[[], Any]) -> Any:
        """Return what a feature derives from words and links of all known documents; it is made once.

        Parameters
        ----------
        key : str
            Its name; features have different ones.
        make : callable
            Returns it when it is first needed.
        """
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return TF-IDF vectors of length 1; a document without words has the vector 0."""
        return weigh_words(counts, self.inverse_frequencies)

    def new(
        self,
        counts: sparse.csr_array,
        documents: KnownDocuments | None = None,
        matrices: Mapping[str, sparse.csr_array] | None = None,
    ) -> PairBlock:
        """Return the pairs of new documents with all known documents. New documents have no links.

        Parameters
        ----------
        counts : csr_array of shape (new documents, words)
            Word counts of the new documents.
        documents : KnownDocuments or None, default None
            Dates and metadata of the new documents.
        matrices : mapping of str to csr_array, optional
            The user's own numbers of pairs by name, each new documents × known documents.
        """
        return PairBlock(self, counts, self.weigh(counts), None, documents, dict(matrices or {}))

    def known(self, rows: np.ndarray) -> PairBlock:
        """Return the pairs of known documents with all known documents.

        Parameters
        ----------
        rows : ndarray of int
            Numbers of the source documents.
        """
        documents = None if self.documents is None else self.documents.select(rows)
        matrices = {name: one[rows] for name, one in self.matrices.items()}
        return PairBlock(self, self.counts[rows], self.vectors[rows], rows, documents, matrices)

    def linked_or_same(self, rows: np.ndarray) -> sparse.csr_array:
        """Return sources × documents, nonzero where both are linked or are the same document.

        Parameters
        ----------
        rows : ndarray of int
            Numbers of the source documents.
        """
        own = sparse.csr_array(
            (np.ones(rows.size), rows, np.arange(rows.size + 1)), shape=(rows.size, self.n_documents)
        )
        return sparse.csr_array(self.either[rows] + own)

    def without(self, sources: np.ndarray, targets: np.ndarray) -> KnownNetwork:
        """Return the same documents without the links of some pairs, in either direction.

        Parameters
        ----------
        sources, targets : ndarray of int
            The two documents of each pair.
        """
        links = self.links.tocoo()
        hidden = np.union1d(*_both_ways(sources, targets, self.n_documents))
        kept = ~np.isin(links.row.astype(np.int64) * self.n_documents + links.col, hidden)
        ends = (links.row[kept], links.col[kept])
        fewer = sparse.csr_array((links.data[kept], ends), shape=links.shape)
        network = KnownNetwork(self.counts, fewer, self.documents, self.matrices)
        network.__dict__["vectors"] = self.vectors  # words stay the same
        return network


class PairBlock:
    """Pairs of source documents with all documents of a network.

    Parameters
    ----------
    network : KnownNetwork
        The known documents.
    counts : csr_array of shape (sources, words)
        Word counts of the source documents.
    vectors : csr_array of shape (sources, words)
        TF-IDF vectors of the source documents.
    rows : ndarray of int or None
        Numbers of the source documents in the network; None for new documents.
    documents : KnownDocuments or None
        Dates and metadata of the source documents.
    matrices : dict of str to csr_array
        The user's own numbers of pairs by name, each sources × known documents.

    Examples
    --------
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), sparse.csr_array(np.eye(3, k=1)))
    >>> network.new(sparse.csr_array([[2, 0, 1], [0, 1, 0]])).vectors.shape
    (2, 3)
    """

    def __init__(
        self,
        network: KnownNetwork,
        counts: sparse.csr_array,
        vectors: sparse.csr_array,
        rows: np.ndarray | None,
        documents: KnownDocuments | None,
        matrices: dict[str, sparse.csr_array],
    ) -> None:
        self.network = network
        self.counts = counts
        self.vectors = vectors
        self.rows = rows
        self.documents = documents
        self.matrices = matrices
        self._smoothed: dict[int, np.ndarray] = {}

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of sources and of known documents."""
        return int(self.vectors.shape[0]), self.network.n_documents

    @cached_property
    def cosines(self) -> sparse.csr_array:
        """Cosine similarities of TF-IDF vectors; 0 of a known document with itself."""
        found = sparse.csr_array(self.vectors @ self.network.words_to_documents)
        found.sort_indices()
        if self.rows is not None:
            own = np.repeat(self.rows, np.diff(found.indptr)) == found.indices
            found.data[own] = 0
        return found

    def smoothed_cosines(self, hops: int) -> np.ndarray:
        """Return the cosine similarities averaged `hops` times over the neighbours of the known documents."""
        if hops == 0:
            return self.cosines.toarray()
        if hops not in self._smoothed:
            # The average is symmetric, so this is the product of the source with averaged vectors.
            self._smoothed[hops] = np.ascontiguousarray((self.network.smoothing @ self.smoothed_cosines(hops - 1).T).T)
        return self._smoothed[hops]

    @cached_property
    def links(self) -> sparse.csr_array:
        """Links of the sources in either direction; empty for new documents."""
        if self.rows is None:
            return sparse.csr_array(self.shape, dtype=np.float64)
        return sparse.csr_array(self.network.either[self.rows])


def weigh_words(counts: sparse.csr_array, weights: np.ndarray) -> sparse.csr_array:
    """Return counts times the weights of their words, with rows of length 1; rows without words are 0.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        Word counts.
    weights : ndarray of shape (words,)
        Weights of the words.

    Examples
    --------
    >>> weigh_words(sparse.csr_array([[3, 1], [0, 0]]), np.array([1.0, 4.0])).toarray().tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    weighed = sparse.csr_array((counts.data * weights[counts.indices], counts.indices, counts.indptr), counts.shape)
    lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
    weighed.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(weighed.indptr))
    return weighed


def _as_pattern(links: sparse.csr_array) -> sparse.csr_array:
    """Return links as a matrix of 0 and 1 without a diagonal."""
    found = sparse.coo_array(links)
    kept = (found.data != 0) & (found.row != found.col)
    pattern = sparse.csr_array((np.ones(int(kept.sum())), (found.row[kept], found.col[kept])), shape=found.shape)
    pattern.sum_duplicates()
    pattern.data[:] = 1
    return pattern


def _both_ways(sources: np.ndarray, targets: np.ndarray, n_documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of pairs, and of the reverse pairs."""
    one, other = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    return one * n_documents + other, other * n_documents + one
