"""Methods about the training documents: topics of groups of them, and documents found by words or topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.validation import check_is_fitted

from plait._utils.text import short
from plait._utils.warn import warn_caller
from plait.errors import PlaitError
from plait.models.answers.groups import GroupShares, TopicSlice, shares_by_field, shares_over_time
from plait.models.answers.known_documents import find_rows
from plait.models.answers.listing import frame_kind, make_frame
from plait.models.answers.search import FoundDocument, best_documents, query_likelihoods, topic_similarities
from plait.models.inputs import Documents, read_one_document
from plait.models.shared_docs import shared_docs

_NAME_WORDS = 4  # of a topic without a name
_WHY_UNKNOWN = (
    "words that are stop words, or too rare or too frequent in the training documents (min_df, max_df), are not in its "
    "vocabulary; give other words"
)


def topics_per(self: Any, field: str) -> Any:
    """Return the mean topic proportions of the training documents with each value of a field.

    Parameters
    ----------
    field : str
        "label", "split", or a field of the metadata, such as "party".

    Returns
    -------
    polars.DataFrame, or pandas.DataFrame after `set_output(transform="pandas")`
        One row per value and topic: the field, documents (their number), topic, name (or first words), share.
        A document with several labels counts for each. Documents without a value are in rows with a missing value.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> texts = ["river stream", "stream river water", "money loan", "loan money bank"] * 5
    >>> corpus = Corpus.from_texts(texts, metadata={"party": ["green", "green", "blue", "blue"] * 5})
    >>> frame = LDA(n_topics=2, random_state=0, verbose=False).fit(corpus).topics_per("party")
    >>> frame.columns, frame.height
    (['party', 'documents', 'topic', 'name', 'share'], 4)
    """
    check_is_fitted(self)
    return _frame(self, shares_by_field(self.doc_topic_, self.documents_, field))


def topics_over(self: Any, by: Any) -> Any:
    """Return the mean topic proportions of the training documents of each time slice.

    Parameters
    ----------
    by : {"day", "week", "month", "year"}, int or sequence of times
        Calendar unit of a slice, a number of slices with about equal numbers of documents, or the boundaries of the
        slices, as in `Corpus.slice_by_time`.

    Returns
    -------
    polars.DataFrame, or pandas.DataFrame after `set_output(transform="pandas")`
        One row per slice and topic: slice, documents (their number), topic, name (or first words), share. The share
        is missing in a slice without documents.
    """
    check_is_fitted(self)
    return _frame(self, shares_over_time(self.doc_topic_, self.documents_, by))


def topic_slices(model: Any, by: Any) -> list[TopicSlice]:
    """Return the time slices of a model that was fitted to all documents at once, for plots of trends.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model whose documents have times.
    by : str, int or sequence of times
        As in `topics_over`.

    Returns
    -------
    list of TopicSlice
        Oldest slice first.
    """
    check_is_fitted(model)
    found = shares_over_time(model.doc_topic_, model.documents_, by)
    words = np.array([topic.words for topic in model.topics(min(20, model.topic_word_.shape[1]))], dtype=object)
    rows = zip(found.labels, found.n_documents.tolist(), found.shares, strict=True)
    return [TopicSlice(str(label), number, shares, words) for label, number, shares in rows]


def _frame(model: Any, found: GroupShares) -> Any:
    return make_frame(found.columns(model.topics(_NAME_WORDS)), frame_kind(model))


@shared_docs
def find_documents(
    self: Any, query: str | Iterable[str], top: int = 10, *, as_frame: bool = False
) -> list[FoundDocument] | Any:
    """Return the training documents whose topics make some words most likely.

    A document need not contain the words: it is found if it has topics in which they are frequent.

    Parameters
    ----------
    query : str or iterable of str
        A text, or a list of words.
    <n_found, as_frame>

    Returns
    -------
    list of FoundDocument, or data frame
        Highest score first: id, title, score, excerpt. The score is the mean log-likelihood per token of the query.
    """
    check_is_fitted(self)
    counts = _query_counts(self, query)
    found = best_documents(query_likelihoods(self.doc_topic_, self.topic_word_, counts), self.documents_, top)
    return found.to_frame(frame_kind(self)) if as_frame else found


@shared_docs
def similar_documents(self: Any, document: Any, top: int = 10, *, as_frame: bool = False) -> list[FoundDocument] | Any:
    """Return the training documents with the most similar topics.

    Parameters
    ----------
    document : str, int, Corpus or array-like
        Id or row number of a training document, which is then left out; or a new document: a text, a Corpus of one
        document, or a row of counts.
    <n_found, as_frame>

    Returns
    -------
    list of FoundDocument, or data frame
        Highest score first: id, title, score, excerpt. The score is 1 − the Hellinger distance of the topic
        proportions: 1 for the same topics, 0 for none in common.
    """
    check_is_fitted(self)
    row = _known_row(self, document)
    if row is not None:
        proportions = self.doc_topic_[row]
    else:
        proportions = self._chains().doc_topic(_one_document(self, document))[0]
    found = best_documents(topic_similarities(self.doc_topic_, proportions), self.documents_, top, row)
    return found.to_frame(frame_kind(self)) if as_frame else found


def _known_row(model: Any, document: Any) -> int | None:
    """Return the row of a training document that is given by its id or row number; None for a new document."""
    if isinstance(document, (int, np.integer)) and not isinstance(document, bool):
        return int(find_rows([document], None, len(model.documents_))[0])
    if not isinstance(document, str) or model.doc_ids_ is None:
        return None
    rows = np.flatnonzero(model.doc_ids_ == document)
    return int(rows[0]) if rows.size else None


def _one_document(model: Any, document: Any) -> Documents:
    """Return a new document; an unknown id is named in the error."""
    try:
        return read_one_document(model, document, model._real)
    except PlaitError as error:
        if not isinstance(document, str) or model.vocabulary_ is None:
            raise
        raise PlaitError(
            f"{short(repr(document))} is neither the id of a training document nor a text with a word that the model "
            "knows; give an id of the training corpus, or more words"
        ) from error


def _query_counts(model: Any, query: Any) -> sparse.csr_array:
    """Return the counts of the words of a query in the columns of a model; warn of unknown words."""
    if isinstance(query, str) and model.vocabulary_ is not None:
        try:
            return read_one_document(model, query, model._real).counts
        except PlaitError as error:
            raise PlaitError(f"the model knows no word of {short(repr(query))}: {_WHY_UNKNOWN}") from error
    words = query.split() if isinstance(query, str) else list(query)
    if not words or not all(isinstance(word, str) for word in words):
        raise PlaitError(f"query must be a text or a list of words, not {short(repr(query))}")
    if model.vocabulary_ is None:
        raise PlaitError("the model has no vocabulary, so words cannot be looked up; fit it to a Corpus")
    column_of = {word: column for column, word in enumerate(model.vocabulary_)}
    unknown = [word for word in words if word not in column_of]
    if len(unknown) == len(words):
        raise PlaitError(f"the model knows none of the words {short(' '.join(words))}: {_WHY_UNKNOWN}")
    if unknown:
        warn_caller(f"the model does not know {short(' '.join(unknown))}; the other words are used")
    columns = [column_of[word] for word in words if word in column_of]
    shape = (1, len(model.vocabulary_))
    counts = sparse.coo_array((np.ones(len(columns)), (np.zeros(len(columns), np.int64), columns)), shape=shape)
    return sparse.csr_array(counts)
