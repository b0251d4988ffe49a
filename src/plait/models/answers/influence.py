"""Influence along links: the source documents of a document's tokens, and the documents that others draw from most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.corpus.known_documents import KnownDocuments
from plait.engine.run import Run
from plait.models.answers.known_documents import find_rows
from plait.models.answers.listing import with_attributes
from plait.models.fitting import Fit
from plait.samplers.base import Candidates

# Attributes of a fitted model whose mixing uses links.
INFLUENCE_ATTRIBUTES = ("influence_", "source_topic_", "n_self_links_", "n_cut_links_", "_doc_lengths")


class _Influencer(NamedTuple):
    document: str
    share: float  # of the other document's tokens; χ in Bíró and Szabó (2009), eq. (8)


class Influencer(_Influencer):
    """A source document of another document: (document, share), with the attribute `title`."""

    title: str = ""


class _InfluentialDocument(NamedTuple):
    document: str
    words: float  # number of tokens of other documents that are drawn from it
    documents: int  # number of documents that may draw from it


class InfluentialDocument(_InfluentialDocument):
    """A document that others draw from: (document, words, documents), with the attribute `title`."""

    title: str = ""


class _InfluenceLink(NamedTuple):
    document: str  # that draws
    source: str  # that it draws from
    share: float  # of the tokens of `document`
    words: float  # the same as a number of tokens


class InfluenceLink(_InfluenceLink):
    """A link along which tokens are drawn: (document, source, share, words), with titles as attributes."""

    title: str = ""  # of `document`
    source_title: str = ""  # of `source`


@dataclass(frozen=True)
class Influence:
    """Influence between training documents.

    Parameters
    ----------
    shares : csr_array of shape (documents, documents)
        χ: share of the tokens of a document (row) that is drawn from each document (column).
    lengths : ndarray of shape (documents,)
        Number of tokens of each document.
    documents : KnownDocuments
        Ids and titles of the documents.
    """

    shares: sparse.csr_array
    lengths: np.ndarray
    documents: KnownDocuments

    @property
    def ids(self) -> np.ndarray | None:
        """Ids of the documents; None if they have none."""
        return self.documents.ids

    def influencers(self, document: Any, top: int) -> list[Influencer]:
        """Return the source documents of a document, by id or row number, without itself; largest share first."""
        check_whole("top", top, least=1)
        (row,) = find_rows([document], self.ids, self.shares.shape[0])
        own = slice(self.shares.indptr[row], self.shares.indptr[row + 1])
        others, shares = self.shares.indices[own], self.shares.data[own]
        known = self.documents
        followed = (others != row) & (shares > 0)  # links beyond `most_links` have share 0
        order = [place for place in np.argsort(-shares, kind="stable") if followed[place]][:top]
        found = [(others[place], float(shares[place])) for place in order]
        return [with_attributes(Influencer(known.id(row), share), title=known.title(row)) for row, share in found]

    def most_influential(self, top: int) -> list[InfluentialDocument]:
        """Return the documents from which most tokens of other documents are drawn."""
        check_whole("top", top, least=1)
        others = self.shares - sparse.diags_array(self.shares.diagonal(), format="csr")
        words = np.asarray(others.T @ self.lengths).ravel()
        followed = self.shares.indices[self.shares.data > 0]  # links beyond `most_links` have share 0
        followers = np.bincount(followed, minlength=words.size) - 1  # without the document itself
        known = self.documents
        return [
            with_attributes(
                InfluentialDocument(known.id(row), float(words[row]), int(followers[row])), title=known.title(row)
            )
            for row in np.argsort(-words, kind="stable")[:top]
            if followers[row] > 0
        ]

    def strongest_links(self, top: int, source: Any = None) -> list[InfluenceLink]:
        """Return the links along which most tokens are drawn; only those to `source`, unless it is None."""
        check_whole("top", top, least=1)
        links = self.shares.tocoo()
        followed = (links.row != links.col) & (links.data > 0)  # links beyond `most_links` have share 0
        if source is not None:
            followed &= links.col == find_rows([source], self.ids, self.shares.shape[0])[0]
        rows, columns, shares = links.row[followed], links.col[followed], links.data[followed]
        words = shares * self.lengths[rows]
        known = self.documents
        return [
            with_attributes(
                InfluenceLink(known.id(rows[at]), known.id(columns[at]), float(shares[at]), float(words[at])),
                title=known.title(rows[at]),
                source_title=known.title(columns[at]),
            )
            for at in np.argsort(-words, kind="stable")[:top]
        ]


def influence_attributes(fit: Fit, runs: list[Run]) -> dict[str, Any]:
    """Return the fitted attributes of a model whose mixing uses links.

    Parameters
    ----------
    fit : Fit
        The fit.
    runs : list of Run
        Its runs, each with at least one sample.

    Returns
    -------
    dict of str to object
        Attributes by name.
    """
    mixing: Any = fit.settings.mixing
    links = fit.links
    assert links is not None
    doc_lengths = np.asarray(fit.words.counts.sum(axis=1), dtype=np.float64).ravel()
    candidates = mixing.candidates(links, doc_lengths)
    # Topics have other numbers in other chains; documents do not, so shares are averaged over all chains.
    shares = np.mean([run.influence_mean() for run in runs], axis=0)
    influence = align_influence(candidates, shares, mixing.orient(links))
    return {
        "influence_": influence,
        "source_topic_": runs[0].source_topic_mean(),
        "n_self_links_": int(np.count_nonzero(links.diagonal())),
        "n_cut_links_": int(influence.nnz - candidates.documents.size),
        "_doc_lengths": doc_lengths,
    }


def align_influence(candidates: Candidates, shares: np.ndarray, links: sparse.csr_array) -> sparse.csr_array:
    """Return the shares of candidates as a matrix documents × documents.

    It has an entry for every link, 0 for links beyond `most_links`. The diagonal has the share that a document draws
    from itself, so rows sum to 1.

    Parameters
    ----------
    candidates : Candidates
        Source documents of each document.
    shares : ndarray
        Share of each candidate.
    links : csr_array of shape (documents, documents)
        Row d lists the source documents of d.

    Returns
    -------
    csr_array of shape (documents, documents)
        The shares.
    """
    shape = links.shape
    drawn = sparse.csr_array((shares, candidates.documents, candidates.starts), shape=shape).tocoo()
    every = links.tocoo()
    rows = np.concatenate([drawn.row, every.row])
    columns = np.concatenate([drawn.col, every.col])
    data = np.concatenate([drawn.data, np.zeros(every.nnz)])
    influence = sparse.csr_array((data, (rows, columns)), shape=shape)
    influence.sum_duplicates()
    influence.sort_indices()
    return influence
