"""A vocabulary that grows from slice to slice: slices are aligned with the known words, followed by their new words."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.words import Words
from plait.models.inputs import read_training_words
from plait.models.online.record import KnownWords


def holds_no_words(X: Any) -> bool:
    """Return whether there is nothing to learn from: no documents, or only documents without words."""
    if isinstance(X, Corpus):
        return int(X.word_counts.nnz) == 0
    if sparse.issparse(X):
        return X.count_nonzero() == 0
    counts = np.asarray(X)
    # Anything but a matrix of numbers, and NaN, is rejected when the slice is read.
    return counts.ndim == 2 and counts.dtype.kind in "biuf" and not counts.any()


def align_slice(reader: Any, X: Any, real: bool, known: KnownWords | None) -> tuple[Words, bool]:
    """Return the documents of a slice over the known words, followed by its new words.

    Words of a Corpus that none of its documents has do not become known. Columns of a matrix without names keep their
    places: additional columns are new words.

    Parameters
    ----------
    reader : TopicEstimator
        A copy of the estimator, whose scikit-learn attributes are overwritten.
    X : Corpus, or matrix of shape (documents, words)
        The slice.
    real : bool
        Whether counts may be real numbers.
    known : KnownWords or None
        Words of the slices so far.

    Returns
    -------
    Words
        Counts, vocabulary and ids.
    bool
        Whether the columns of the input had names, as scikit-learn defines them.
    """
    if known is not None and known.names is None:
        _reject_fewer_columns(reader, X, known)
    words = read_training_words(reader, X, real)
    words = words._replace(counts=words.counts.tocsr())  # a slice of a prepared corpus is small
    if isinstance(X, Corpus):
        words = _without_unused(words)
    if known is not None:
        if (words.vocabulary is None) != (known.names is None):
            raise PlaitError(
                "this slice has names of words and those before had none, or the other way round; give all slices as a "
                "Corpus (or data frames), or all as matrices with the same columns"
            )
        if known.names is not None:
            words = _by_name(words, known.names)
    return words, hasattr(reader, "feature_names_in_")


def seen_in(words: Words, known: KnownWords | None, number: int) -> KnownWords:
    """Return the known words after a slice.

    Parameters
    ----------
    words : Words
        Words of the slice, aligned with the known ones.
    known : KnownWords or None
        Known words before the slice.
    number : int
        Number of the slice.

    Returns
    -------
    KnownWords
        All words, each with the last slice that has it.
    """
    last_seen = np.full(words.counts.shape[1], number, dtype=np.int64)
    if known is not None:
        last_seen[: known.size] = known.last_seen
        last_seen[np.unique(words.counts.indices)] = number
    return KnownWords(words.vocabulary, last_seen)


def _reject_fewer_columns(estimator: Any, X: Any, known: KnownWords) -> None:
    shape = np.shape(X) if not sparse.issparse(X) else X.shape
    if not isinstance(X, Corpus) and len(shape) == 2 and shape[1] < known.size:
        raise PlaitError(
            f"X has {shape[1]} features, but {type(estimator).__name__} is expecting {known.size} features as input: "
            "columns stand for words, so a later slice has the same columns, or more"
        )


def _without_unused(words: Words) -> Words:
    used = np.zeros(words.counts.shape[1], dtype=bool)
    used[words.counts.indices] = True
    if used.all():
        return words
    assert words.vocabulary is not None
    return words._replace(counts=sparse.csr_array(words.counts[:, used]), vocabulary=words.vocabulary[used])


def _by_name(words: Words, names: np.ndarray) -> Words:
    assert words.vocabulary is not None
    column_of = {name: column for column, name in enumerate(names)}
    new = [name for name in words.vocabulary if name not in column_of]
    column_of |= {name: len(names) + number for number, name in enumerate(new)}
    columns = np.array([column_of[name] for name in words.vocabulary], dtype=np.int32)
    shape = (words.counts.shape[0], len(column_of))
    aligned = sparse.csr_array((words.counts.data, columns[words.counts.indices], words.counts.indptr), shape=shape)
    aligned.sort_indices()
    return words._replace(counts=aligned, vocabulary=np.array([*names, *new], dtype=object))
