"""Fitting α and β to the current topics: the fixed point of Minka (2000), *Estimating a Dirichlet distribution*."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sparse
from scipy.special import digamma

_STEPS = 5  # of the fixed-point iteration; topics change before it could converge
_MIN, _MAX = 1e-6, 1e6


def fit_alpha(doc_topic: sparse.csr_array | np.ndarray, lengths: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return α, one number per topic, after some steps towards its maximum-likelihood estimate.

    Parameters
    ----------
    doc_topic : csr_array or ndarray of shape (documents, topics)
        Document–topic counts.
    lengths : ndarray of shape (documents,)
        Tokens per document.
    alpha : ndarray of shape (topics,)
        Current α.

    Returns
    -------
    ndarray of shape (topics,)
        New α.

    Examples
    --------
    >>> counts = np.array([[9, 1], [8, 2], [10, 0]])
    >>> bool(np.greater(*fit_alpha(counts, counts.sum(axis=1), np.array([1.0, 1.0]))))
    True
    """
    by_topic = sparse.csc_array(doc_topic)
    columns = [by_topic.data[by_topic.indptr[topic] : by_topic.indptr[topic + 1]] for topic in range(alpha.size)]
    for _ in range(_STEPS):
        total = alpha.sum()
        per_topic = np.array([_sum_digamma_differences(counts, alpha[topic]) for topic, counts in enumerate(columns)])
        per_document = _sum_digamma_differences(lengths, total)
        if per_document <= 0:
            return alpha
        alpha = np.clip(alpha * per_topic / per_document, _MIN, _MAX)
    return alpha


def fit_beta(word_topic: np.ndarray | sparse.csr_array, beta: float) -> float:
    """Return β, one number for all words and topics, after some steps towards its maximum-likelihood estimate.

    Parameters
    ----------
    word_topic : ndarray or csr_array of shape (words, topics)
        Topic–word counts.
    beta : float
        Current β.

    Returns
    -------
    float
        New β.
    """
    n_words = word_topic.shape[0]
    totals = np.asarray(word_topic.sum(axis=0, dtype=np.float64)).ravel()
    counts = np.asarray(word_topic.data) if sparse.issparse(word_topic) else word_topic.ravel()
    for _ in range(_STEPS):
        per_topic = _sum_digamma_differences(totals, n_words * beta)
        if per_topic <= 0:
            return beta
        beta = float(np.clip(beta * _sum_digamma_differences(counts, beta) / (n_words * per_topic), _MIN, _MAX))
    return beta


def _sum_digamma_differences(counts: np.ndarray, parameter: float) -> float:
    """Return Σ ψ(n + parameter) − ψ(parameter); equal integer counts are computed once."""
    if np.issubdtype(counts.dtype, np.integer):
        times = np.bincount(counts[counts > 0])
        values = np.flatnonzero(times)
        return float(times[values] @ (digamma(values + parameter) - digamma(parameter)))
    values = counts[counts > 0]
    return float(np.sum(digamma(values + parameter) - digamma(parameter)))
