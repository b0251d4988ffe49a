"""Methods of models that explain links; `RelationalTopicModel` documents the fitted attributes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.inputs.links import read_new_links
from plait.inputs.words import new_words
from plait.models.answers.links import LinkPredictions
from plait.models.answers.suggestions import Suggestion
from plait.models.answers.topic_links import TopicLink
from plait.models.inputs import warn_of_empty
from plait.models.methods.availability import explains
from plait.models.methods.docs import shared_docs

if TYPE_CHECKING:
    import polars as pl


def link_predictions(model: Any) -> LinkPredictions:
    """Return the predictions of a fitted model that explains links."""
    check_is_fitted(model)
    return LinkPredictions(
        model._chains(),
        model._response("links"),
        model._place("links"),
        model.links_,
        model.directed_,
        model.doc_ids_,
    )


@available_if(explains("links"))
@shared_docs
def score_links(self: Any, new: Any, direction: str = "either") -> np.ndarray:
    """Return the scores of links between new documents and training documents.

    <Parameters: new>
    direction : {"either", "to", "from"}, default "either"
        "to": links from the new documents to the training documents; "from": the reverse; "either": with the mean of U
        and Uᵀ as weights. It makes no difference where links have no direction.

    Returns
    -------
    ndarray of shape (new documents, training documents)
        Averaged over samples. With the logistic loss a probability: that of a link among as many pairs without a link
        as the model was trained with, links weighted by their cost. With the hinge loss the value; above 0 speaks for
        a link.
    """
    return link_predictions(self).score(warn_of_empty(self._documents(new, "score_links")), direction)


@available_if(explains("links"))
@shared_docs
def suggest_links(self: Any, new: Any, top: int = 10, direction: str = "either") -> list[list[Suggestion]]:
    """Return the training documents that each new document should be linked with, highest score first.

    <Parameters: new, suggestions>

    Returns
    -------
    list of list of Suggestion
        One list per document.
    """
    return link_predictions(self).suggest(warn_of_empty(self._documents(new, "suggest_links")), top, direction)


@available_if(explains("links"))
@shared_docs
def suggest_missing_links(
    self: Any, documents: Iterable[Any] | None = None, top: int = 10, direction: str = "either"
) -> list[list[Suggestion]]:
    """Return, for training documents, the unlinked documents that they should be linked with, highest score first.

    Parameters
    ----------
    documents : iterable of str or int, optional
        Ids or row numbers; None for all training documents.
    <suggestions>

    Returns
    -------
    list of list of Suggestion
        One list per document.
    """
    return link_predictions(self).suggest_missing(documents, top, direction)


@available_if(explains("links"))
@shared_docs
def score_pairs(self: Any, pairs: Iterable[tuple[Any, Any]]) -> np.ndarray:
    """Return the scores of links for pairs of training documents.

    Parameters
    ----------
    pairs : iterable of (source, target)
        Ids or row numbers.

    Returns
    -------
    ndarray of shape (pairs,)
        Scores, as in `score_links`.
    """
    return link_predictions(self).score_pairs(pairs)


@available_if(explains("links"))
@shared_docs
def predict_words(self: Any, new: Any, links: Any) -> np.ndarray:
    """Return the word probabilities of new documents, predicted from their links.

    Parameters
    ----------
    new : Corpus, matrix of shape (new documents, words), or None
        Known words of the documents, which are used, too; None if no words are known.
    links : matrix of shape (new documents, training documents)
        Above 0 where documents are linked, in either direction.

    Returns
    -------
    ndarray of shape (new documents, words)
        Averaged over samples; rows sum to 1.
    """
    predictions = link_predictions(self)
    counts = None if new is None else new_words(self, new, False, "predict_words").counts
    linked = read_new_links(links, None if counts is None else counts.shape[0], predictions.n_documents)
    return predictions.predict_words(counts, linked, self.n_features_in_, self.n_negatives_)


@available_if(explains("links"))
@shared_docs
def topic_links(self: Any, top: int = 10) -> list[TopicLink]:
    """Return the pairs of topics with the highest link weights, with the words of the topics.

    Parameters
    ----------
    top : int, default 10
        Number of pairs.

    Returns
    -------
    list of TopicLink
        Highest weight first.
    """
    return link_predictions(self).topic_links(top, self._topics())


@available_if(explains("links"))
@shared_docs
def weights_table(self: Any) -> pl.DataFrame:
    """Return the link weights U as a table, with the words of the topics.

    Returns
    -------
    polars.DataFrame
        One row per topic that links, one column per topic that is linked to.
    """
    return link_predictions(self).weights_table(self._topics())
