"""Input of baselines for citations: counts, and links with direction and weight."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.baselines.network import read_new
from plait.errors import PlaitError
from plait.inputs.link_matrix import as_matrix

_FORM = "a documents × documents matrix whose entry (i, j) is the number of citations of document j by document i"


class Citations(NamedTuple):
    """Word counts and citations.

    Attributes
    ----------
    counts : sparse array of shape (n_documents, n_words)
        Word counts.
    links : sparse array of shape (n_documents, n_documents)
        Number of citations of the column's document by the row's document, without self-citations.
    n_self_links : int
        Number of documents that cite themselves.
    """

    counts: sparse.csr_array
    links: sparse.csr_array
    n_self_links: int


def read_citations(X: Any, links: Any = None) -> Citations:
    """Return the checked counts and citations of a Corpus, or of counts and links.

    Parameters
    ----------
    X : Corpus, or array-like or sparse matrix of shape (n_documents, n_words)
        The documents.
    links : array-like or sparse matrix of shape (n_documents, n_documents), default None
        Citations; None for the links of the Corpus.

    Returns
    -------
    Citations
        Counts and citations.
    """
    from plait.corpus import Corpus

    if isinstance(X, Corpus):
        counts, given = X.counts, X.links if links is None else links
        if given is None:
            raise PlaitError("the corpus has no links; pass links=")
    else:
        counts, given = X, links
        if given is None:
            raise PlaitError(f"counts alone have no links; pass links=, {_FORM}, or a Corpus with links")
    words, network = _check_matrix("counts", counts), _check_matrix("links", as_matrix(given))
    if network.shape != (words.shape[0], words.shape[0]):
        raise PlaitError(
            f"links is {network.shape[0]:,} × {network.shape[1]:,} but there are {words.shape[0]:,} documents; "
            f"give {_FORM}"
        )
    if words.nnz == 0:
        raise PlaitError("none of the documents has a word; give documents with words")
    own = network.diagonal()
    network = _canonical(network - sparse.diags_array(own, format="csr"))
    n_self_links = int(np.count_nonzero(own))
    if network.nnz == 0:
        also = f" except {n_self_links:,} self-citations" * (n_self_links > 0)
        raise PlaitError(f"there are no citations{also}; give links, or use LDA")
    return Citations(words, network, n_self_links)


def read_new_words(X: Any, n_words: int, vocabulary: Any) -> sparse.csr_array:
    """Return the counts of new documents in the columns of training.

    Parameters
    ----------
    X : Corpus, or array-like or sparse matrix of shape (n_documents, n_words)
        New documents. A Corpus is aligned with the vocabulary.
    n_words : int
        Number of words in training.
    vocabulary : ndarray of str or None
        Vocabulary of training, if known.

    Returns
    -------
    sparse array of shape (n_documents, n_words)
        Word counts.
    """
    from plait.corpus import Corpus

    if isinstance(X, Corpus):
        X = (X if vocabulary is None else X.with_vocabulary(vocabulary)).counts
    return read_new(_check_matrix("counts", X), n_words)


def _check_matrix(name: str, values: Any) -> sparse.csr_array:
    """Return a canonical sparse matrix; raise an error unless all its numbers are finite and 0 or more."""
    if np.iscomplexobj(values):
        raise PlaitError(f"{name} must be a matrix of real numbers; these are complex")
    try:
        matrix = _canonical(sparse.csr_array(values, dtype=np.float64, copy=True))
    except (TypeError, ValueError):
        raise PlaitError(f"{name} must be a matrix of numbers, not {type(values).__name__}") from None
    if matrix.ndim != 2:
        raise PlaitError(f"{name} must be a matrix; this has {matrix.ndim} dimension")
    bad = np.flatnonzero(~np.isfinite(matrix.data) | (matrix.data < 0))
    if bad.size:
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right") - 1)
        raise PlaitError(
            f"{name}[{row}, {matrix.indices[bad[0]]}] is {matrix.data[bad[0]]}; it must be a finite number, 0 or more"
        )
    return matrix


def _canonical(matrix: Any) -> sparse.csr_array:
    """Return a sparse matrix without duplicates and stored zeros."""
    canonical = sparse.csr_array(matrix)
    if canonical.ndim == 2:
        canonical.sum_duplicates()
        canonical.eliminate_zeros()
    return canonical
