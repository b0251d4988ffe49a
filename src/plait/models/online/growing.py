"""A vocabulary that grows from slice to slice: documents are laid onto the known words, new words come after these."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.words import Words, training_words
from plait.models.online.record import KnownWords


def holds_no_words(X: Any) -> bool:
    """Whether there is nothing to learn from: no documents, or none that holds a word."""
    if isinstance(X, Corpus):
        return X.counts.nnz == 0
    if sparse.issparse(X):
        return X.count_nonzero() == 0
    counts = np.asarray(X)
    # What is no table of numbers, or has NaN in it, is refused when it is read.
    return counts.ndim == 2 and counts.dtype.kind in "biuf" and not counts.any()


def lay_onto(estimator: Any, X: Any, real: bool, known: KnownWords | None) -> Words:
    """Return a slice's documents over the known words and, after these, its new ones.

    Of a Corpus, words that none of its documents holds do not count as known. Columns of a matrix without names keep
    their places: more columns than before are new words.
    """
    if known is not None and known.names is None:
        _refuse_fewer_columns(estimator, X, known)
    words = training_words(estimator, X, real)
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
    estimator.n_features_in_ = words.counts.shape[1]
    if hasattr(estimator, "feature_names_in_"):
        estimator.feature_names_in_ = words.vocabulary
    return words


def seen_in(words: Words, known: KnownWords | None, number: int) -> KnownWords:
    """Return the known words after a slice."""
    last_seen = np.full(words.counts.shape[1], number, dtype=np.int64)
    if known is not None:
        last_seen[: known.size] = known.last_seen
        last_seen[np.unique(words.counts.indices)] = number
    return KnownWords(words.vocabulary, last_seen)


def _refuse_fewer_columns(estimator: Any, X: Any, known: KnownWords) -> None:
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
    return Words(sparse.csr_array(words.counts[:, used]), words.vocabulary[used], words.ids)


def _by_name(words: Words, names: np.ndarray) -> Words:
    assert words.vocabulary is not None
    column_of = {name: column for column, name in enumerate(names)}
    new = [name for name in words.vocabulary if name not in column_of]
    column_of |= {name: len(names) + number for number, name in enumerate(new)}
    columns = np.array([column_of[name] for name in words.vocabulary], dtype=np.int32)
    shape = (words.counts.shape[0], len(column_of))
    laid = sparse.csr_array((words.counts.data, columns[words.counts.indices], words.counts.indptr), shape=shape)
    laid.sort_indices()
    return Words(laid, np.array([*names, *new], dtype=object), words.ids)
