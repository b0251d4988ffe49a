"""Methods of models with a mixing that uses links; `LinkedLDA` documents the fitted attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.errors import PlaitError
from plait.models.answers.influence import Influence, InfluenceLink, Influencer, InfluentialDocument
from plait.models.answers.listing import Listing, frame_kind
from plait.models.methods.availability import follows_links
from plait.models.methods.output import with_ids
from plait.models.shared_docs import shared_docs


def influence_of(model: Any) -> Influence:
    """Return the influence between the training documents of a fitted model."""
    check_is_fitted(model)
    return Influence(model.influence_, model._doc_lengths, model.documents_)


@available_if(follows_links)
@shared_docs
def influencers(self: Any, document: Any, top: int = 10, *, as_frame: bool = False) -> list[Influencer] | Any:
    """Return the source documents of a training document, largest share first.

    Parameters
    ----------
    document : str or int
        Its id or row number.
    top : int, default 10
        Maximum number of source documents.
    <as_frame>

    Returns
    -------
    list of Influencer, or data frame
        Documents, shares and titles.
    """
    found = Listing(influence_of(self).influencers(document, top), ("document", "title", "share"))
    return found.to_frame(frame_kind(self)) if as_frame else found


@available_if(follows_links)
@shared_docs
def most_influential(self: Any, top: int = 10, *, as_frame: bool = False) -> list[InfluentialDocument] | Any:
    """Return the training documents from which most tokens of other documents are drawn.

    Parameters
    ----------
    top : int, default 10
        Maximum number of documents.
    <as_frame>

    Returns
    -------
    list of InfluentialDocument, or data frame
        Largest number of tokens first.
    """
    found = Listing(influence_of(self).most_influential(top), ("document", "title", "words", "documents"))
    return found.to_frame(frame_kind(self)) if as_frame else found


@available_if(follows_links)
@shared_docs
def strongest_links(
    self: Any, top: int = 10, *, source: Any = None, as_frame: bool = False
) -> list[InfluenceLink] | Any:
    """Return the links along which most tokens are drawn.

    Parameters
    ----------
    top : int, default 10
        Maximum number of links.
    source : str or int, optional
        Only links to this training document, by its id or row number; None for all.
    <as_frame>

    Returns
    -------
    list of InfluenceLink, or data frame
        Largest number of tokens first.
    """
    columns = ("document", "title", "source", "source_title", "share", "words")
    found = Listing(influence_of(self).strongest_links(top, source), columns)
    return found.to_frame(frame_kind(self)) if as_frame else found


@available_if(follows_links)
def infer_influence(self: Any, X: Any, links: Any) -> sparse.csr_array:
    """Return the share of a new document's tokens that is drawn from each document that it is linked with.

    Parameters
    ----------
    X : Corpus, or matrix of shape (documents, words)
        New documents.
    links : matrix
        As in `transform`.

    Returns
    -------
    csr_array of the shape of `links`
        χ, averaged over samples. The rest of a row, up to 1, is drawn from the document itself.
    """
    documents = self._documents(X, "infer_influence", links)
    if documents.links is None:
        raise PlaitError("without links there is no influence to infer: give links=, new × training documents")
    return self._chains().influence(documents)


@shared_docs
def transform(self: Any, X: Any, *, links: Any = None) -> np.ndarray:
    """Return the topic proportions of documents.

    Every document is folded in by itself: the model does not change, and the result for a document does not depend on
    the other documents, unless they are linked with it, directly or through others.

    <Parameters: documents>
    links : matrix of shape (new documents, training documents [+ new documents]), optional
        Above 0 where a new document may draw from a training document (in the direction of `direction`): the weight
        of the link. Columns for the new documents may follow, where new documents may draw from each other. None: every
        document draws from itself only.

    Returns
    -------
    ndarray of shape (documents, topics)
        Rows sum to 1.
    """
    return with_ids(self, X, self._chains().doc_topic(self._documents(X, "transform", links)))


@shared_docs
def perplexity(self: Any, X: Any, method: str = "completion", *, links: Any = None) -> float:
    """Return the perplexity of the words of documents; lower is better.

    <Parameters: perplexity_documents>
    method : {"completion", "fold_in"}, default "completion"
        As in `LDA.perplexity`; with links, "fold_in" is eq. (9) of Bíró and Szabó (2009).
    links : matrix, optional
        As in `transform`.

    Returns
    -------
    float
        Perplexity per token.
    """
    return self._word_likelihood(X, method, links).perplexity


@shared_docs
def score(self: Any, X: Any, y: Any = None, *, links: Any = None) -> float:
    """Return the mean log-likelihood per token, by document completion; higher is better.

    <Parameters: documents, ignored_y>
    links : matrix, optional
        As in `transform`.

    Returns
    -------
    float
        Log-likelihood per token.
    """
    return self._word_likelihood(X, "completion", links).log_likelihood
