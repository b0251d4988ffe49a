"""Influence along links: which documents a document's words were drawn from, and whose words others draw from most."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait._utils.validation import check_whole
from plait.engine.fold_in import FoldIn
from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.executors import Threads
from plait.inputs.links import read_followed_links
from plait.inputs.words import new_words
from plait.mixing import LinkedDocuments
from plait.models.answers.known_documents import document_names, find_rows
from plait.models.base import Fit, TopicEstimator
from plait.samplers.base import Candidates


class Influencer(NamedTuple):
    """A document that another one draws from."""

    document: str
    share: float  # of the other document's words; χ in Bíró and Szabó (2009), eq. (8)


class InfluentialDocument(NamedTuple):
    """A document that others draw from."""

    document: str
    words: float  # how many words of other documents are drawn from it
    documents: int  # how many documents may draw from it


class InfluenceLink(NamedTuple):
    """A link along which words are drawn."""

    document: str  # that draws
    source: str  # that it draws from
    share: float  # of the words of `document`
    words: float  # how many words that is


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
        followed = (others != row) & (shares > 0)  # links beyond `most_links` carry nothing
        order = [place for place in np.argsort(-shares, kind="stable") if followed[place]][:top]
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
        followed = self.influence_.indices[self.influence_.data > 0]  # links beyond `most_links` carry nothing
        followers = np.bincount(followed, minlength=words.size) - 1  # every document is its own
        names = document_names(self.doc_ids_, words.size)
        order = np.argsort(-words, kind="stable")[:top]
        return [
            InfluentialDocument(str(names[row]), float(words[row]), int(followers[row]))
            for row in order
            if followers[row] > 0
        ]

    @available_if(follows_links)
    def strongest_links(self, top: int = 10, *, source: Any = None) -> list[InfluenceLink]:
        """Return the links along which most words are drawn.

        Parameters
        ----------
        top
            At most so many.
        source
            Only links to this training document, by its id or the number of its row: who draws from it? None for all.
        """
        check_is_fitted(self)
        check_whole("top", top, least=1)
        n_documents = self.influence_.shape[0]
        links = self.influence_.tocoo()
        followed = (links.row != links.col) & (links.data > 0)  # links beyond `most_links` carry nothing
        if source is not None:
            followed &= links.col == find_rows([source], self.doc_ids_, n_documents)[0]
        rows, columns, shares = links.row[followed], links.col[followed], links.data[followed]
        words = shares * self._doc_lengths[rows]
        names = document_names(self.doc_ids_, n_documents)
        return [
            InfluenceLink(str(names[rows[at]]), str(names[columns[at]]), float(shares[at]), float(words[at]))
            for at in np.argsort(-words, kind="stable")[:top]
        ]

    def transform(self, X: Any, *, links: Any = None) -> np.ndarray:
        """Return the share of each topic in each document (documents × topics).

        Documents are folded in one by one: the model stays as it is, and a document's topics do not
        depend on the documents beside it, unless these are linked with it, directly or through others.

        Parameters
        ----------
        X
            Documents: a Corpus or counts.
        links
            A matrix new documents × training documents, above 0 where a new document may draw from a training
            document (as `direction` says): how often or how strongly they are linked. Where new documents may draw from
            each other, it has a column for each of them, too, after the training documents. None: they draw from
            themselves only.
        """
        check_is_fitted(self)
        words = new_words(self, X, self._real, "transform")
        known = self._new_links(links, words.counts.shape[0])
        fold_ins = [
            self._fold_in(chain) if known is None else self._new_fold_in(self._chain_samples[chain], known)
            for chain in self._first_chains()
        ]
        return self._doc_topic(words.counts, fold_ins)

    @available_if(follows_links)
    def infer_influence(self, X: Any, links: Any) -> sparse.csr_array:
        """Return which share of a new document's words is drawn from each document that it is linked with.

        Parameters
        ----------
        X, links
            As in `transform`.

        Returns
        -------
        csr_array of the shape of `links`
            χ, averaged over samples; what is missing to 1 is drawn from the document itself.
        """
        check_is_fitted(self)
        words = new_words(self, X, self._real, "infer_influence")
        known = self._new_links(links, words.counts.shape[0])
        if known is None:
            raise PlaitError("without links there is no influence to infer: give links=, new × training documents")
        samples = [sample for samples in self._chain_samples for sample in samples]
        with Threads(self.n_jobs) as executor:
            return self._source_fold_in(samples, known).influence(words.counts, self.fold_in_sweeps, executor)

    def perplexity(self, X: Any, method: str = "completion", *, links: Any = None) -> float:
        """Return the perplexity of documents' words; lower is better.

        Parameters
        ----------
        X
            Documents, best ones that the model was not fitted to.
        method
            As for `LDA`; with links, "fold_in" is eq. (9) of Bíró and Szabó (2009).
        links
            As in `transform`.
        """
        return self._predict_words(X, method, links).perplexity

    def score(self, X: Any, y: Any = None, *, links: Any = None) -> float:
        """Return the mean log probability of a word, by document completion; higher is better.

        Parameters
        ----------
        X
            Documents.
        y
            Not used; scikit-learn's pipelines pass it.
        links
            As in `transform`.
        """
        return self._predict_words(X, "completion", links).log_likelihood

    def _new_links(self, links: Any, n_new: int) -> sparse.csr_array | None:
        if links is None or not isinstance(self._make_mixing(), LinkedDocuments):
            return super()._new_links(links, n_new)
        return read_followed_links(links, n_new, self.influence_.shape[0])

    def _drawn_along(self, given: Any) -> sparse.csr_array | None:
        mixing, links = self._make_mixing(), self._source_links(given)
        return mixing.orient(links) if mixing.uses_links and links is not None else None

    def _new_fold_in(
        self, samples: list[Sample], links: sparse.csr_array | None, vocabulary: np.ndarray | None = None
    ) -> FoldIn:
        if links is None:
            return super()._new_fold_in(samples, links, vocabulary)
        return self._source_fold_in(samples, links, vocabulary)

    def _source_fold_in(
        self, samples: list[Sample], links: sparse.csr_array, vocabulary: np.ndarray | None = None
    ) -> FoldIn:
        mixing: Any = self._make_mixing()
        return FoldIn(samples, self._real, self.seed_, vocabulary, mixing, links)

    def _take_over(self, fit: Fit, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        mixing: Any = self._make_mixing()
        if not isinstance(mixing, LinkedDocuments):
            return
        self._doc_lengths = np.asarray(fit.words.counts.sum(axis=1), dtype=np.float64).ravel()
        links, drawn_along = self._source_links(fit.given), self._drawn_along(fit.given)
        assert links is not None
        assert drawn_along is not None
        candidates = mixing.candidates(links, self._doc_lengths)
        # Topics have other numbers in other chains, documents have not.
        shares = np.mean([run.influence_mean() for run in fit.kept], axis=0)
        self.influence_ = aligned_influence(candidates, shares, drawn_along)
        self.source_topic_ = fit.kept[0].source_topic_mean()
        self.n_self_links_ = int(np.count_nonzero(links.diagonal()))
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
