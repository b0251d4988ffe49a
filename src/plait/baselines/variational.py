"""Helpers of the baselines fitted by variational EM: CSR rows for compiled code, initial topics, normalisation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

_DOCUMENTS_PER_TOPIC = 10  # documents that initialise a topic


class Rows(NamedTuple):
    """Rows of a CSR matrix of counts.

    Attributes
    ----------
    starts : ndarray of int64
        Start of each row in `words` and `counts`, and the end of the last one.
    words : ndarray of int64
        Columns.
    counts : ndarray of float64
        Counts.
    """

    starts: np.ndarray
    words: np.ndarray
    counts: np.ndarray


def csr_rows(matrix: sparse.csr_array) -> Rows:
    """Return the rows of a matrix of counts for compiled code.

    Parameters
    ----------
    matrix : csr_array of shape (n_documents, n_words)
        Counts.

    Returns
    -------
    Rows
        Its rows.
    """
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data.astype(np.float64))


def initial_topics(words: sparse.csr_array, n_topics: int, random_state: int | None) -> np.ndarray:
    """Return initial topics, each from the words of ten random documents.

    Parameters
    ----------
    words : csr_array of shape (n_documents, n_words)
        Word counts.
    n_topics : int
        Number of topics.
    random_state : int or None
        Seed.

    Returns
    -------
    ndarray of shape (n_words, n_topics)
        Columns sum to 1.
    """
    rng = np.random.default_rng(random_state)
    counts = np.zeros((n_topics, words.shape[1]))
    for topic in range(n_topics):
        counts[topic] = words[rng.integers(words.shape[0], size=_DOCUMENTS_PER_TOPIC)].sum(axis=0)
    return normalise_columns(counts.T + 1.0)


def normalise_columns(totals: np.ndarray) -> np.ndarray:
    """Return columns divided by their sums.

    Parameters
    ----------
    totals : ndarray
        Non-negative numbers.

    Returns
    -------
    ndarray
        Columns sum to 1.
    """
    return totals / totals.sum(axis=0)
