"""What estimators are given: a Corpus, or a matrix of counts as in scikit-learn; both become one thing."""

from __future__ import annotations

import hashlib
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.validation import check_non_negative, validate_data

from plait.corpus import Corpus
from plait.errors import PlaitError


class Words(NamedTuple):
    """Counts documents × words, with the names of words and documents where the input has them."""

    counts: sparse.csr_array
    vocabulary: np.ndarray | None
    ids: np.ndarray | None


def training_words(estimator: Any, X: Any, real: bool) -> Words:
    """Check what a model is fitted to."""
    if isinstance(X, Corpus):
        estimator.n_features_in_ = X.n_words
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        words = Words(_whole(X.counts, real, "fit", estimator), X.vocabulary, X.ids)
    else:
        checked = validate_data(estimator, X, accept_sparse="csr", dtype="numeric", reset=True)
        check_non_negative(checked, f"{type(estimator).__name__}.fit")
        names = getattr(estimator, "feature_names_in_", None)
        words = Words(_whole(sparse.csr_array(checked), real, "fit", estimator), names, None)
    if words.counts.nnz == 0:
        raise PlaitError("the documents hold no words: every count is 0")
    return words


def new_words(estimator: Any, X: Any, real: bool, method: str) -> Words:
    """Check documents that a fitted model is to be applied to; a Corpus is laid onto the model's vocabulary."""
    if isinstance(X, Corpus):
        if estimator.vocabulary_ is None:
            raise PlaitError(
                "the model was fitted to a matrix without names of words, so it cannot match a corpus's words; "
                "give a matrix with the same columns, or fit the model to a Corpus"
            )
        return Words(_whole(_align(estimator.vocabulary_, X), real, method, estimator), X.vocabulary, X.ids)
    checked = validate_data(estimator, X, accept_sparse="csr", dtype="numeric", reset=False)
    check_non_negative(checked, f"{type(estimator).__name__}.{method}")
    return Words(_whole(sparse.csr_array(checked), real, method, estimator), None, None)


def _align(vocabulary: np.ndarray, corpus: Corpus) -> sparse.csr_array:
    """Return a corpus's counts in the columns of a model's vocabulary; say how much falls outside."""
    if corpus.vocabulary is vocabulary or np.array_equal(corpus.vocabulary, vocabulary):
        return corpus.counts
    column_of = {word: column for column, word in enumerate(vocabulary)}
    columns = np.array([column_of.get(word, -1) for word in corpus.vocabulary], dtype=np.int64)
    counts = corpus.counts.tocoo()
    known = columns[counts.col] >= 0
    lost = counts.data[~known].sum()
    if lost:
        share = lost / counts.data.sum()
        warnings.warn(
            f"{lost:,} of {counts.data.sum():,} words ({share:.1%}) are not in the model's vocabulary and are left out",
            stacklevel=4,
        )
    shape = (corpus.n_documents, len(vocabulary))
    aligned = sparse.csr_array((counts.data[known], (counts.row[known], columns[counts.col[known]])), shape=shape)
    aligned.sort_indices()
    return aligned


def _whole(counts: sparse.csr_array, real: bool, method: str, estimator: Any) -> sparse.csr_array:
    """Return counts as a tidy int32 matrix (float64 for samplers that take real numbers), or refuse fractions."""
    counts = sparse.csr_array(counts, copy=not counts.has_canonical_format or not counts.data.flags.writeable)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    if real:
        return counts.astype(np.float64)
    if not np.issubdtype(counts.dtype, np.integer):
        rounded = np.rint(counts.data)
        if (rounded != counts.data).any():
            entry = int(np.flatnonzero(rounded != counts.data)[0])
            row = int(np.searchsorted(counts.indptr, entry, side="right") - 1)
            raise PlaitError(
                f"{type(estimator).__name__}.{method}: document {row} holds word {counts.indices[entry]} "
                f"{counts.data[entry]} times; sampler='{estimator_sampler_name(estimator)}' draws a topic for every "
                "occurrence and needs whole numbers: round the counts, or use sampler='limit' or 'sparse(10)', "
                "which take real-valued ones",
                parameter="sampler",
            )
        counts = sparse.csr_array((rounded, counts.indices, counts.indptr), shape=counts.shape)
    if counts.nnz and counts.data.max() > np.iinfo(np.int32).max:
        raise PlaitError(f"a count of {counts.data.max():,} is more than {np.iinfo(np.int32).max:,}")
    return counts.astype(np.int32)


def estimator_sampler_name(estimator: Any) -> str:
    """Return the name of the sampler that an estimator uses."""
    from plait.samplers import as_sampler

    return as_sampler(estimator.sampler).name


def fingerprint(counts: sparse.csr_array, *more: np.ndarray) -> str:
    """Return a short text that only the same counts (and further arrays of numbers) have."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (counts.indptr.astype(np.int64), counts.indices.astype(np.int64), counts.data.astype(np.float64)):
        digest.update(part.tobytes())
    for part in more:
        digest.update(repr(part.shape).encode() + np.ascontiguousarray(part, dtype=np.float64).tobytes())
    return digest.hexdigest()
