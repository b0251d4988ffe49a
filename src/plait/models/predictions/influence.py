"""Influence along links: which documents a document's words were drawn from, and whose words others draw from most."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.mixing import LinkedDocuments
from plait.mixing.linked_documents import turned
from plait.models.base import Fit, TopicEstimator
from plait.models.known_documents import document_names, find_rows
from plait.samplers.base import Candidates
from plait.validation import check_whole


class Influencer(NamedTuple):
    """A document that another one draws from."""

    document: str
    share: float  # of the other document's words; χ in Bíró and Szabó (2009), eq. (8)


class InfluentialDocument(NamedTuple):
    """A document that others draw from."""

    document: str
    words: float  # how many words of other documents are drawn from it
    documents: int  # how many documents may draw from it


def follows_links(model: Any) -> bool:
    """Say, for scikit-learn's `available_if`, whether a model's words may draw from linked documents."""
    if isinstance(model._make_mixing(), LinkedDocuments):
        return True
    raise AttributeError(
        "words of this model draw from their own document only, so links carry no influence: use LinkedLDA, or "
        "TopicModel(mixing=LinkedDocuments())"
    )


class InfluenceAnswers(TopicEstimator):
    """A model whose words may draw from linked documents says which; `LinkedLDA` documents the attributes."""

    @available_if(follows_links)
    def influencers(self, document: Any, top: int = 10) -> list[Influencer]:
        """Return the other documents that a training document draws from, the strongest first.

        Parameters
        ----------
        document
            Its id, or the number of its row.
        top
            At most so many.
        """
        check_is_fitted(self)
        check_whole("top", top, least=1)
        n_documents = self.influence_.shape[0]
        (row,) = find_rows([document], self.doc_ids_, n_documents)
        own = slice(self.influence_.indptr[row], self.influence_.indptr[row + 1])
        others, shares = self.influence_.indices[own], self.influence_.data[own]
        names = document_names(self.doc_ids_, n_documents)
        order = [place for place in np.argsort(-shares, kind="stable") if others[place] != row][:top]
        return [Influencer(str(names[others[place]]), float(shares[place])) for place in order]

    @available_if(follows_links)
    def most_influential(self, top: int = 10) -> list[InfluentialDocument]:
        """Return the training documents from which most words of others are drawn.

        Parameters
        ----------
        top
            At most so many.
        """
        check_is_fitted(self)
        check_whole("top", top, least=1)
        others = self.influence_ - sparse.diags_array(self.influence_.diagonal(), format="csr")
        words = np.asarray(others.T @ self._doc_lengths).ravel()
        followers = np.bincount(self.influence_.indices, minlength=words.size) - 1  # every document is its own
        names = document_names(self.doc_ids_, words.size)
        order = np.argsort(-words, kind="stable")[:top]
        return [
            InfluentialDocument(str(names[row]), float(words[row]), int(followers[row]))
            for row in order
            if followers[row] > 0
        ]

    def _take_over(self, fit: Fit, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        mixing: Any = self._make_mixing()
        if not isinstance(mixing, LinkedDocuments):
            return
        self._doc_lengths = np.asarray(fit.words.counts.sum(axis=1), dtype=np.float64).ravel()
        links = self._source_links(fit.given)
        assert links is not None
        candidates = mixing.candidates(links, self._doc_lengths)
        # Topics have other numbers in other chains, documents have not.
        shares = np.mean([run.influence_mean() for run in fit.kept], axis=0)
        self.influence_ = aligned_influence(candidates, shares, turned(links, mixing.direction))
        self.source_topic_ = fit.kept[0].source_topic_mean()
        self.n_cut_links_ = int(self.influence_.nnz - candidates.documents.size)


def aligned_influence(candidates: Candidates, shares: np.ndarray, links: sparse.csr_array) -> sparse.csr_array:
    """Return shares of candidates as documents × documents: an entry for every link, 0 where it was cut off.

    The diagonal has what a document draws from itself, so that rows add up to 1.
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
