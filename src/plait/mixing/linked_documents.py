"""Linked mixing: a word draws its topic from its own document's proportions or from those of one that it links to.

Bíró and Szabó (2009), sections 2.2 and 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.mixing.own_document import OwnDocument
from plait.samplers.base import Candidates

DIRECTIONS = ("out", "in", "both")
_LEAST_P, _MOST_P = 1e-6, 1e6  # beyond, γ is lost beside whole words in float32, or words beside γ


@dataclass(frozen=True, eq=False)
class LinkedDocuments:
    """Proportions of documents: Dirichlet(α); shares of the documents that words are drawn from: Dirichlet(γ).

    γ of a link is in proportion to its weight, γ of the document itself to 1 + the weights of all its links, and all
    together add up to the document's length divided by `p`.

    Parameters
    ----------
    alpha
        As for `OwnDocument`.
    p
        How little is expected beforehand: with a large p the words themselves say which links matter.
    most_links
        So many heaviest links of a document are used; None for all.
    direction
        Whom a document may draw from: "out", those it links to; "in", those that link to it; "both".

    Examples
    --------
    >>> links = sparse.csr_array(np.array([[0, 2, 1], [0, 0, 0], [0, 0, 0]]))
    >>> candidates = LinkedDocuments(p=10).candidates(links, lengths=np.array([70.0, 20.0, 20.0]))
    >>> candidates.documents[:3].tolist(), candidates.gamma[:3].tolist()
    ([0, 1, 2], [4.0, 2.0, 1.0])
    """

    alpha: Any = 0.1
    p: float = 10.0
    most_links: int | None = 10
    direction: str = "out"

    def check(self) -> None:
        """Refuse what cannot work."""
        if (
            isinstance(self.p, bool)
            or not isinstance(self.p, (int, float, np.number))
            or not _LEAST_P <= self.p <= _MOST_P
        ):
            raise PlaitError(
                "p, by which a document's length is divided to give Σγ, must lie between "
                f"{_LEAST_P:g} and {_MOST_P:g}, not {self.p!r}",
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
        """Return for every document itself and those that its words may draw from, with γ.

        Parameters
        ----------
        links
            Documents × documents: the weight of the link from row to column. Links of documents to themselves say
            nothing, as a document is its own candidate anyway.
        lengths
            Words of each document.
        """
        self.check()
        if links is None:
            raise PlaitError("words cannot draw from linked documents: there are no links; give some, or use LDA")
        kept = heaviest_links(turned(links, self.direction), self.most_links)
        return self._listed(kept, lengths)

    def new_candidates(self, links: sparse.csr_array, lengths: np.ndarray) -> Candidates:
        """Return the same for new documents, whose links go to known ones.

        Parameters
        ----------
        links
            New documents × known documents: the weight of the link along which a row may draw from a column.
        lengths
            Words of each new document. Its own place among its candidates has the number of its row.
        """
        # Which links a document keeps must not depend on the documents beside it.
        alike = np.zeros(links.shape[0], np.int64)
        return self._listed(heaviest_links(links, self.most_links, alike), lengths)

    def _listed(self, kept: sparse.csr_array, lengths: np.ndarray) -> Candidates:
        """Return candidates from the links that are followed."""
        degrees = np.diff(kept.indptr)
        starts = np.concatenate([[0], np.cumsum(degrees + 1)]).astype(np.int64)
        own = starts[:-1]
        others = np.delete(np.arange(starts[-1]), own)
        documents, weights = np.empty(starts[-1], np.int64), np.empty(starts[-1])
        documents[own], documents[others] = np.arange(lengths.size), kept.indices
        outgoing = np.asarray(kept.sum(axis=1)).ravel()
        weights[own], weights[others] = 1.0 + outgoing, kept.data
        # A document without words draws nothing; its γ must only be above 0.
        sums = np.where(lengths > 0, lengths, 1.0) / self.p / (1.0 + 2.0 * outgoing)
        return Candidates(starts, documents, weights * np.repeat(sums, degrees + 1))


def turned(links: sparse.csr_array, direction: str) -> sparse.csr_array:
    """Return links the way that influence flows: from whom a document may draw, a row each; without self links."""
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
    """Return the heaviest links of every row, at most so many; among equal weights some by chance, always the same.

    Documents often are in the order of their names. The first of equal links would be those to names that begin with A.
    `numbers` are those by which rows are told apart for this; None: 0, 1, 2 …
    """
    if most is None or np.diff(links.indptr).max(initial=0) <= most:
        return links
    rows = np.repeat(np.arange(links.shape[0]), np.diff(links.indptr))
    numbers = np.arange(links.shape[0]) if numbers is None else numbers
    order = np.lexsort((_by_chance(numbers[rows], links.indices), -links.data, rows))
    place = np.arange(links.nnz) - links.indptr[rows]  # rows are in order, so places count up within each
    kept = np.sort(order[place < most])
    return sparse.csr_array((links.data[kept], (rows[kept], links.indices[kept])), shape=links.shape)


def _by_chance(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return a number for each pair that depends on it alone and follows no order: SplitMix64, read as a counter."""
    bits = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + columns.astype(np.uint64)
    for factor, shift in ((0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 27)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))
