"""Documents that estimators are given, as counts: from texts, a Corpus, a matrix or a data frame."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sparse

from plait._utils.warn import warn_caller
from plait.corpus import Corpus, TextOptions
from plait.corpus.known_documents import KnownDocuments
from plait.corpus.prepared.counts import StoredCounts
from plait.corpus.text.counting import count_texts, number_words
from plait.errors import PlaitError
from plait.inputs.texts import as_documents, check_same_reading, is_texts, text_list, text_options_of
from plait.inputs.vocabulary import column_words, pipeline_words

_MAX_TOKENS = 1 << 24  # topic counts of a document are float32, which has all whole numbers up to this one
_MIN_COUNT = 1e-12

# Columns of words of fitted models, made when a text is first counted; they are not part of a model's state.
_COLUMNS: WeakKeyDictionary[Any, tuple[np.ndarray, dict[str, int]]] = WeakKeyDictionary()


class Words(NamedTuple):
    """Counts of documents, with words and ids where the input has them.

    Parameters
    ----------
    counts : csr_array or StoredCounts of shape (documents, words)
        The counts; those of a prepared corpus stay in its files.
    vocabulary : object array of str or None
        The words of the columns.
    ids : object array of str or None
        The ids of the documents.
    documents : KnownDocuments or None, default None
        Ids, titles and other fields of training documents; None if nothing but the ids is known.
    text_options : TextOptions or None, default None
        How the texts were read; None if the words did not come from text.
    """

    counts: Any
    vocabulary: np.ndarray | None
    ids: np.ndarray | None
    documents: KnownDocuments | None = None
    text_options: TextOptions | None = None

    def known_documents(self) -> KnownDocuments:
        """Return what is known of the documents.

        Returns
        -------
        KnownDocuments
            One entry per row of the counts.
        """
        return KnownDocuments(self.counts.shape[0], self.ids) if self.documents is None else self.documents


def training_words(estimator: Any, X: Any, real: bool, vocabulary: Any = None) -> Words:
    """Return the counts that a model is fitted to, checked; set `n_features_in_` and `feature_names_in_`.

    Parameters
    ----------
    estimator : topic model
        The model that is fitted.
    X : Corpus, matrix or data frame
        The documents: a Corpus, or counts of shape (documents, words).
    real : bool
        Whether counts may be fractions.
    vocabulary : sequence of str, fitted vectorizer or None, default None
        The words of the columns of a matrix, as in `column_words`; None: of a data frame, its columns; in a Pipeline,
        the names of the features of the steps before. It does not set `feature_names_in_`, because later matrices
        have no names either.

    Returns
    -------
    Words
        Counts, words and ids.
    """
    if isinstance(X, Corpus):
        if vocabulary is not None:
            raise PlaitError("vocabulary= is for a matrix; a Corpus has its own words, so leave vocabulary out")
        estimator.n_features_in_ = X.n_words
        estimator.feature_names_in_ = X.vocabulary
        counts = _stored_counts(X, real, estimator) if isinstance(X.word_counts, StoredCounts) else None
        if counts is None:
            counts = _as_counts(X.counts, real, "fit", estimator)
        words = Words(counts, X.vocabulary, X.ids)
        words = words._replace(documents=KnownDocuments.from_corpus(X), text_options=X.text_options)
    else:
        checked = _checked_matrix(estimator, X, "fit", reset=True)
        names = getattr(estimator, "feature_names_in_", None)
        if vocabulary is not None:
            names = column_words(vocabulary, checked.shape[1])
        elif names is None:
            names = pipeline_words(estimator, checked.shape[1])
        words = Words(_as_counts(sparse.csr_array(checked), real, "fit", estimator), names, None)
    if words.counts.nnz == 0:
        raise PlaitError("the documents have no words: every count is 0; give documents with words")
    return words


def new_words(estimator: Any, X: Any, real: bool, method: str) -> Words:
    """Return the counts of new documents, checked; the columns of a Corpus are aligned with the model's vocabulary.

    Parameters
    ----------
    estimator : topic model
        The fitted model.
    X : texts, Corpus, matrix or data frame
        The new documents. Texts are read as those of the model were; a text without known words is an empty row.
    real : bool
        Whether counts may be fractions.
    method : str
        Name of the method that is called, for error messages.

    Returns
    -------
    Words
        Counts in the model's columns, the words of the Corpus, and ids.
    """
    if not isinstance(X, Corpus) and is_texts(X):
        return Words(_count_new_texts(estimator, text_list(X), real), None, None)
    X = as_documents(X, like=estimator)
    if isinstance(X, Corpus):
        check_same_reading(estimator, X)
        if estimator.vocabulary_ is None:
            raise PlaitError(
                "the model was fitted to a matrix without words, so the words of a Corpus cannot be matched; give a "
                "matrix with the same columns, call plait.name_words, or fit the model to a Corpus"
            )
        return Words(_as_counts(_align(estimator.vocabulary_, X), real, method, estimator), X.vocabulary, X.ids)
    with warnings.catch_warnings():
        if sparse.issparse(X):  # its columns never have names, so scikit-learn's warning about missing ones is noise
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
        checked = _checked_matrix(estimator, X, method, reset=False)
    return Words(_as_counts(sparse.csr_array(checked), real, method, estimator), None, None)


def _checked_matrix(estimator: Any, X: Any, method: str, *, reset: bool) -> Any:
    """Return a matrix that scikit-learn accepts, without negative numbers."""
    # Imported here: workers that only hold shards start in half the time without scikit-learn.
    from sklearn.utils.validation import check_non_negative, validate_data

    checked = validate_data(estimator, X, accept_sparse="csr", dtype="numeric", reset=reset)
    check_non_negative(checked, f"{type(estimator).__name__}.{method}")
    return checked


def _count_new_texts(estimator: Any, texts: list[str], real: bool) -> sparse.csr_array:
    """Return the counts of new texts in the columns of a model; warn about texts and tokens that it does not know."""
    counted = count_texts(texts, text_options_of(estimator), _columns_of(estimator))
    n_known, n_empty = int(counted.counts.sum()), int((np.diff(counted.counts.indptr) == 0).sum())
    if counted.n_outside > n_known:  # some are always outside, because rare words are not in the vocabulary
        total = n_known + counted.n_outside
        warn_caller(
            f"{counted.n_outside:,} of {total:,} tokens ({counted.n_outside / total:.1%}) are not in the model's "
            "vocabulary and are ignored: words of other languages, stop words, and words that are too rare or too "
            "frequent in the training documents (min_df, max_df)"
        )
    if n_empty:
        warn_caller(f"{describe_empty(n_empty, len(texts))}; topic proportions are those of the prior")
    return counted.counts.astype(np.float64) if real else counted.counts


def describe_empty(n_empty: int, n_documents: int) -> str:
    """Return how many documents have no known word, for a warning.

    Parameters
    ----------
    n_empty : int
        Number of documents without a known word, 1 or more.
    n_documents : int
        Number of documents.

    Examples
    --------
    >>> describe_empty(1, 1), describe_empty(1, 5)
    ('the document has no word that the model knows', '1 of 5 documents has no word that the model knows')
    """
    if n_documents == 1:
        return "the document has no word that the model knows"
    return f"{n_empty:,} of {n_documents:,} documents {'has' if n_empty == 1 else 'have'} no word that the model knows"


def _columns_of(estimator: Any) -> dict[str, int]:
    """Return the column of each word of a fitted model; it is made once per vocabulary."""
    vocabulary, columns = _COLUMNS.get(estimator, (None, {}))
    if vocabulary is not estimator.vocabulary_:
        columns = number_words(estimator.vocabulary_)
        _COLUMNS[estimator] = (estimator.vocabulary_, columns)
    return columns


def _align(vocabulary: np.ndarray, corpus: Corpus) -> sparse.csr_array:
    """Return the counts of a corpus in the columns of a model's vocabulary; warn about words outside it."""
    if corpus.vocabulary is vocabulary or np.array_equal(corpus.vocabulary, vocabulary):
        return corpus.counts
    column_of = {word: column for column, word in enumerate(vocabulary)}
    columns = np.array([column_of.get(word, -1) for word in corpus.vocabulary], dtype=np.int64)
    counts = corpus.counts.tocoo()
    known = columns[counts.col] >= 0
    n_outside = counts.data[~known].sum()
    if n_outside:
        share = n_outside / counts.data.sum()
        warn_caller(
            f"{n_outside:,} of {counts.data.sum():,} tokens ({share:.1%}) are not in the model's vocabulary and are "
            "ignored"
        )
    shape = (corpus.n_documents, len(vocabulary))
    aligned = sparse.csr_array((counts.data[known], (counts.row[known], columns[counts.col[known]])), shape=shape)
    aligned.sort_indices()
    return aligned


def _as_counts(counts: sparse.csr_array, real: bool, method: str, estimator: Any) -> sparse.csr_array:
    """Return counts as a canonical matrix: float64 if `real`, otherwise int32; reject fractions there."""
    counts = sparse.csr_array(counts, copy=not counts.has_canonical_format or not counts.data.flags.writeable)
    if not counts.has_canonical_format and counts.dtype.kind in "iu":
        counts = counts.astype(np.int64)  # sums of duplicates may be large
    counts.sum_duplicates()
    counts.eliminate_zeros()
    _check_range(counts)
    if real:
        return counts.astype(np.float64)
    if not np.issubdtype(counts.dtype, np.integer):
        rounded = np.rint(counts.data)
        if (rounded != counts.data).any():
            entry = int(np.flatnonzero(rounded != counts.data)[0])
            row = int(np.searchsorted(counts.indptr, entry, side="right") - 1)
            raise PlaitError(
                f"{type(estimator).__name__}.{method}: the count of word {counts.indices[entry]} in document {row} is "
                f"{counts.data[entry]}; sampler='{estimator_sampler_name(estimator)}' draws one topic per token and "
                "needs integer counts: round the counts, or use sampler='limit' or 'sparse(10)', which accept "
                "fractions",
                parameter="sampler",
            )
        counts = sparse.csr_array((rounded, counts.indices, counts.indptr), shape=counts.shape)
    return counts.astype(np.int32)


def _stored_counts(corpus: Corpus, real: bool, estimator: Any) -> Any:
    """Return the counts of a prepared corpus, checked; they stay in their files."""
    counts = corpus.word_counts
    _check_lengths(counts.lengths)
    if corpus.fractional:  # whole numbers need no pass: they are at least 1, which is checked when they are read
        for first, block in counts.blocks():
            _check_smallest(block, first)
            if not real:
                _as_counts(block, real, "fit", estimator)
    return counts.as_real() if real else counts


def _check_range(counts: sparse.csr_array) -> None:
    """Reject documents whose topic counts would lose tokens by rounding, and counts that would be rounded to 0."""
    _check_lengths(np.asarray(counts.sum(axis=1, dtype=np.float64)).ravel())
    _check_smallest(counts, 0)


def _check_lengths(lengths: np.ndarray) -> None:
    long = np.flatnonzero(~(lengths <= _MAX_TOKENS))
    if long.size:
        raise PlaitError(
            f"document {long[0]} has {lengths[long[0]]:.12g} tokens, more than the maximum of {_MAX_TOKENS:,}; split "
            "the document, or scale the counts"
        )


def _check_smallest(counts: sparse.csr_array, first: int) -> None:
    tiny = np.flatnonzero(counts.data < _MIN_COUNT)
    if tiny.size:
        row = first + int(np.searchsorted(counts.indptr, tiny[0], side="right") - 1)
        raise PlaitError(
            f"the count of word {counts.indices[tiny[0]]} in document {row} is {counts.data[tiny[0]]:g}, below the "
            f"minimum of {_MIN_COUNT:g}; scale the counts, or set it to 0"
        )


def estimator_sampler_name(estimator: Any) -> str:
    """Return the name of the sampler of an estimator.

    Parameters
    ----------
    estimator : topic model
        The model.

    Returns
    -------
    str
        The name, such as "plain".
    """
    from plait.samplers import as_sampler

    return as_sampler(estimator.sampler).name
