"""Linked mixing: a token draws its topic from its own document's proportions or from those of a linked document.

Bíró and Szabó (2009), sections 2.2 and 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.mixing.base import Mixing
from plait.mixing.own_document import OwnDocument
from plait.samplers.base import Candidates
from plait.samplers.random import _STEP, scramble

DIRECTIONS = ("out", "in", "both")
_MIN_P, _MAX_P = 1e-6, 1e6  # beyond these limits γ or the counts lose their precision in float32


@dataclass(frozen=True, eq=False)
class LinkedDocuments(Mixing):
    """Tokens draw from their own document or from a linked one; a Dirichlet(γ) prior on the sources.

    γ of a link is proportional to its weight, γ of the document itself to 1 + the weights of all its links. Together
    they add up to the document's length divided by `p`.

    Parameters
    ----------
    alpha : float or array-like of shape (topics,), default 0.1
        Dirichlet prior of the topic proportions of every source.
    p : float, default 10
        Prior strength of the source distribution, in tokens: length / p. With a large p the words decide.
    most_links : int or None, default 10
        Maximum number of links per document, the heaviest first; None for all.
    direction : {"out", "in", "both"}, default "out"
        Source documents: the documents it links to ("out"), those that link to it ("in"), or both.

    Examples
    --------
    >>> links = sparse.csr_array(np.array([[0, 2, 1], [0, 0, 0], [0, 0, 0]]))
    >>> candidates = LinkedDocuments(p=10).candidates(links, lengths=np.array([70.0, 20.0, 20.0]))
    >>> candidates.documents[:3].tolist(), candidates.gamma[:3].tolist()
    ([0, 1, 2], [4.0, 2.0, 1.0])
    """

    uses_links: ClassVar[bool] = True

    alpha: Any = 0.1
    p: float = 10.0
    most_links: int | None = 10
    direction: str = "out"

    def check(self) -> None:
        """Reject invalid parameters."""
        if (
            isinstance(self.p, bool)
            or not isinstance(self.p, (int, float, np.number))
            or not _MIN_P <= self.p <= _MAX_P
        ):
            raise PlaitError(
                "p, by which a document's length is divided to give Σγ, must lie between "
                f"{_MIN_P:g} and {_MAX_P:g}, not {self.p!r}",
                parameter="p",
            )
        if self.most_links is not None:
            check_whole("most_links", self.most_links, least=1)
        if self.direction not in DIRECTIONS:
            raise PlaitError(f"direction must be one of {', '.join(map(repr, DIRECTIONS))}, not {self.direction!r}")

    def alphas(self, n_topics: int) -> np.ndarray:
        """Return α_k of each topic."""
        return OwnDocument(self.alpha).alphas(n_topics)

    def candidates(self, links: sparse.csr_array | None, lengths: np.ndarray) -> Candidates:
        """Return for every document itself and its source documents, with γ.

        Parameters
        ----------
        links : csr_array of shape (documents, documents) or None
            Weight of the link from row to column. Self-links are ignored: a document is its own candidate anyway.
        lengths : ndarray of shape (documents,)
            Tokens per document.
        """
        self.check()
        if links is None:
            raise PlaitError("there are no links, which LinkedDocuments mixing requires; give links=, or use LDA")
        kept = heaviest_links(self.orient(links), self.most_links)
        return self._make_candidates(kept, lengths)

    def new_candidates(self, links: sparse.csr_array, lengths: np.ndarray) -> Candidates:
        """Return the candidate sources of new documents; the document itself has the number of its row."""
        # The links that a document keeps must not depend on the other new documents.
        alike = np.zeros(links.shape[0], np.int64)
        return self._make_candidates(heaviest_links(links, self.most_links, alike), lengths)

    def orient(self, links: sparse.csr_array) -> sparse.csr_array:
        """Return links such that row d lists the source documents of d, without self-links."""
        return orient_links(links, self.direction)

    def _make_candidates(self, kept: sparse.csr_array, lengths: np.ndarray) -> Candidates:
        """Return the candidates for the links that are used."""
        degrees = np.diff(kept.indptr)
        starts = np.concatenate([[0], np.cumsum(degrees + 1)]).astype(np.int64)
        own = starts[:-1]
        others = np.delete(np.arange(starts[-1]), own)
        documents, weights = np.empty(starts[-1], np.int64), np.empty(starts[-1])
        documents[own], documents[others] = np.arange(lengths.size), kept.indices
        outgoing = np.asarray(kept.sum(axis=1)).ravel()
        weights[own], weights[others] = 1.0 + outgoing, kept.data
        # A document without tokens draws nothing; its γ only has to be positive.
        sums = np.where(lengths > 0, lengths, 1.0) / self.p / (1.0 + 2.0 * outgoing)
        return Candidates(starts, documents, weights * np.repeat(sums, degrees + 1))


def orient_links(links: sparse.csr_array, direction: str) -> sparse.csr_array:
    """Return links such that row d lists the source documents of d, without self-links.

    Parameters
    ----------
    links : csr_array of shape (documents, documents)
        Weight of the link from row to column.
    direction : {"out", "in", "both"}
        Source documents: the documents it links to, those that link to it, or both.

    Returns
    -------
    csr_array of shape (documents, documents)
        Links from each document to its sources, with sorted indices.
    """
    links = sparse.csr_array(links, dtype=np.float64)
    if direction != "out":
        reverse = sparse.csr_array(links.T)
        links = reverse if direction == "in" else sparse.csr_array(links.maximum(reverse))
    links = links - sparse.diags_array(links.diagonal(), format="csr")
    links = sparse.csr_array(links)
    links.sum_duplicates()
    links.eliminate_zeros()
    links.sort_indices()
    return links


def heaviest_links(links: sparse.csr_array, most: int | None, numbers: np.ndarray | None = None) -> sparse.csr_array:
    """Return the heaviest links of every row; ties are broken at random, but reproducibly.

    Documents are often sorted by name, so keeping the first of equal links would prefer names that begin with A.

    Parameters
    ----------
    links : csr_array of shape (documents, documents)
        Link weights.
    most : int or None
        Maximum number of links per row; None keeps all.
    numbers : ndarray of shape (documents,) or None, default None
        Numbers of the rows from which random numbers are made; None: 0, 1, 2 …

    Returns
    -------
    csr_array of shape (documents, documents)
        The links kept.
    """
    if most is None or np.diff(links.indptr).max(initial=0) <= most:
        return links
    rows = np.repeat(np.arange(links.shape[0]), np.diff(links.indptr))
    numbers = np.arange(links.shape[0]) if numbers is None else numbers
    order = np.lexsort((_hash_pairs(numbers[rows], links.indices), -links.data, rows))
    place = np.arange(links.nnz) - links.indptr[rows]  # rows are in order, so places count up within each
    kept = np.sort(order[place < most])
    return sparse.csr_array((links.data[kept], (rows[kept], links.indices[kept])), shape=links.shape)


def _hash_pairs(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return a 64-bit hash of each pair (SplitMix64), by which ties are broken."""
    hashes: np.ndarray = scramble.py_func(rows.astype(np.uint64) * _STEP + columns.astype(np.uint64))
    return hashes
