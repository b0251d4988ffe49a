"""Methods of models that explain links; `RelationalTopicModel` documents the fitted attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.corpus import Corpus, KnownDocuments
from plait.engine.pair_fold_in import EITHER, FROM, TO
from plait.errors import PlaitError
from plait.inputs.links import read_new_links
from plait.inputs.pair_matrices import read_pair_matrices
from plait.inputs.texts import as_documents, is_text_frame
from plait.inputs.words import new_words
from plait.models.answers.known_documents import as_list, find_rows
from plait.models.answers.links import LinkPredictions
from plait.models.answers.listing import GroupedListing, Listing, frame_kind
from plait.models.answers.pairs import NewFields, pair_scorer
from plait.models.answers.suggestions import Suggestion
from plait.models.answers.topic_links import TopicLink
from plait.models.inputs import warn_of_empty
from plait.models.methods.availability import explains
from plait.models.shared_docs import shared_docs

if TYPE_CHECKING:
    import polars as pl

_SIDES = {"links": EITHER, "links_to": TO, "links_from": FROM}


def link_predictions(model: Any) -> LinkPredictions:
    """Return the predictions of a fitted model that explains links."""
    check_is_fitted(model)
    return LinkPredictions(
        model._chains(),
        model._response("links"),
        model._place("links"),
        model.links_,
        model.directed_,
        model.documents_,
        pair_scorer(model, model._response("links").pair_features, model.links_, model.documents_),
    )


def _new_fields(model: Any, new: Any, pair_matrices: Any, n_new: int) -> NewFields:
    """Return what pair features read of new documents beside their words."""
    documents = KnownDocuments.from_corpus(new) if isinstance(new, Corpus) else None
    return NewFields(documents, read_pair_matrices(pair_matrices, (n_new, model.links_.shape[0])))


@available_if(explains("links"))
@shared_docs
def score_links(
    self: Any, new: Any, direction: str = "either", *, pair_matrices: Mapping[str, Any] | None = None
) -> np.ndarray:
    """Return the scores of links between new documents and training documents.

    <Parameters: new>
    direction : {"either", "to", "from"}, default "either"
        "to": links from the new documents to the training documents; "from": the reverse; "either": with the mean of U
        and Uᵀ as weights. It makes no difference where links have no direction.
    <pair_matrices>

    Returns
    -------
    ndarray of shape (new documents, training documents)
        Averaged over samples. With the logistic loss a probability: that of a link among as many pairs without a link
        as the model was trained with, links weighted by their cost. With the hinge loss the value; above 0 speaks for
        a link. With pair features always a probability: that of a link between a new document and this one.
    """
    if is_text_frame(new):  # with fields
        new = as_documents(new, like=self)
    documents = warn_of_empty(self._documents(new, "score_links"))
    fields = _new_fields(self, new, pair_matrices, documents.counts.shape[0])
    return link_predictions(self).score(documents, direction, fields)


@available_if(explains("links"))
@shared_docs
def suggest_links(
    self: Any,
    new: Any,
    top: int = 10,
    direction: str = "either",
    *,
    pair_matrices: Mapping[str, Any] | None = None,
    as_frame: bool = False,
) -> list[list[Suggestion]] | Any:
    """Return the training documents that each new document should be linked with, highest score first.

    <Parameters: new, suggestions, pair_matrices, as_frame>

    Returns
    -------
    list of list of Suggestion, or data frame
        One list per document.
    """
    if is_text_frame(new):  # with ids and titles
        new = as_documents(new, like=self)
    documents = warn_of_empty(self._documents(new, "suggest_links"))
    fields = _new_fields(self, new, pair_matrices, documents.counts.shape[0])
    suggestions = link_predictions(self).suggest(documents, top, direction, fields)
    known = KnownDocuments.from_corpus(new) if isinstance(new, Corpus) else KnownDocuments(len(suggestions))
    return _listed(self, suggestions, known, range(len(suggestions)), as_frame)


@available_if(explains("links"))
@shared_docs
def suggest_missing_links(
    self: Any,
    documents: Iterable[Any] | None = None,
    top: int = 10,
    direction: str = "either",
    *,
    as_frame: bool = False,
) -> list[list[Suggestion]] | Any:
    """Return, for training documents, the unlinked documents that they should be linked with, highest score first.

    Parameters
    ----------
    documents : iterable of str or int, optional
        Ids or row numbers; None for all training documents.
    <suggestions>
    <as_frame>

    Returns
    -------
    list of list of Suggestion, or data frame
        One list per document.
    """
    predictions = link_predictions(self)
    given = None if documents is None else as_list(documents)
    suggestions = predictions.suggest_missing(given, top, direction)
    rows = range(len(suggestions)) if given is None else find_rows(given, predictions.ids, predictions.n_documents)
    return _listed(self, suggestions, predictions.linked_documents, rows, as_frame)


def _listed(
    model: Any, suggestions: list[list[Suggestion]], known: KnownDocuments, rows: Iterable[int], as_frame: bool
) -> Any:
    """Return suggestions for documents as a list that prints as a table, or as a data frame."""
    named = {"document": [known.id(row) for row in rows], "document_title": [known.title(row) for row in rows]}
    with_parts = any(one.parts for row in suggestions for one in row)
    columns = ("id", "title", "score", "value", *(("part",) if with_parts else ()), "topics")
    found = GroupedListing(suggestions, columns, named)
    return found.to_frame(frame_kind(model)) if as_frame else found


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
def predict_words(
    self: Any, new: Any, links: Any = None, *, links_to: Any = None, links_from: Any = None
) -> np.ndarray:
    """Return the word probabilities of new documents, predicted from their links.

    Give `links` if the direction of the links is not known; otherwise `links_to`, `links_from` or both.

    Parameters
    ----------
    new : list of str, Corpus, data frame, matrix of shape (new documents, words), or None
        Known words of the documents, which are used, too; None if no words are known.
    links : matrix of shape (new documents, training documents), optional
        Above 0 where documents are linked, in either direction; the mean of U and Uᵀ weights such a link.
    links_to : matrix of shape (new documents, training documents), optional
        Above 0 where a new document links to a training document. None: such links are not known.
    links_from : matrix of shape (new documents, training documents), optional
        Above 0 where a training document links to a new document. None: such links are not known.

    Returns
    -------
    ndarray of shape (new documents, words)
        Averaged over samples; rows sum to 1.
    """
    predictions = link_predictions(self)
    counts = None if new is None else new_words(self, new, False, "predict_words").counts
    linked = _read_directions(
        {"links": links, "links_to": links_to, "links_from": links_from},
        None if counts is None else counts.shape[0],
        predictions.n_documents,
    )
    return predictions.predict_words(counts, linked, self.n_features_in_, self.n_negatives_)


def _read_directions(given: dict[str, Any], n_new: int | None, n_known: int) -> dict[int, sparse.csr_array]:
    """Return the links of new documents by direction."""
    known = {name: matrix for name, matrix in given.items() if matrix is not None}
    if not known or ("links" in known and len(known) > 1):
        raise PlaitError(
            "give links (of unknown direction), or links_to and links_from, one or both; "
            + (f"{' and '.join(known)} are given" if known else "none of them is given"),
            parameter="links",
        )
    linked = {}
    for name, matrix in known.items():
        linked[_SIDES[name]] = read_new_links(matrix, n_new, n_known, name)
        n_new = linked[_SIDES[name]].shape[0]
    return linked


@available_if(explains("links"))
@shared_docs
def topic_links(self: Any, top: int = 10, *, as_frame: bool = False) -> list[TopicLink] | Any:
    """Return the pairs of topics with the highest link weights, with the words of the topics.

    Parameters
    ----------
    top : int, default 10
        Number of pairs.
    <as_frame>

    Returns
    -------
    list of TopicLink, or data frame
        Highest weight first.
    """
    columns = ("source", "target", "weight", "source_words", "target_words")
    found = Listing(link_predictions(self).topic_links(top, self._topics()), columns)
    return found.to_frame(frame_kind(self)) if as_frame else found


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
