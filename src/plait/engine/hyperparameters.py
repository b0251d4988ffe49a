"""Fitting α and β to the current topics: the fixed point of Minka (2000), *Estimating a Dirichlet distribution*."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import scipy  # its submodules are imported when they are used
import scipy.sparse as sparse

# Whether α is learned: one number per topic, one for all, or one for all in burn-in and then one per topic.
LearnAlpha = bool | Literal["symmetric", "late"]
SYMMETRIC: Literal["symmetric"] = "symmetric"
LATE: Literal["late"] = "late"
STEPS = 5  # of the fixed-point iteration; topics change before it could converge
LATE_STEPS = 20  # before a sample; more change nothing
LATE_FLOOR = 0.1  # smallest α of a topic, as a share of the mean
_MIN, _MAX = 1e-6, 1e6


def fit_alpha(
    doc_topic: sparse.csr_array | np.ndarray,
    lengths: np.ndarray,
    alpha: np.ndarray,
    *,
    symmetric: bool = False,
    n_steps: int = STEPS,
) -> np.ndarray:
    """Return α, one number per topic, after some steps towards its maximum-likelihood estimate.

    Parameters
    ----------
    doc_topic : csr_array or ndarray of shape (documents, topics)
        Document–topic counts.
    lengths : ndarray of shape (documents,)
        Tokens per document.
    alpha : ndarray of shape (topics,)
        Current α.
    symmetric : bool, default False
        Estimate one number for all topics; it starts at the mean of the current α.
    n_steps : int, default 5
        Steps for one number per topic.

    Returns
    -------
    ndarray of shape (topics,)
        New α.

    Examples
    --------
    >>> counts = np.array([[9, 1], [8, 2], [10, 0]])
    >>> bool(np.greater(*fit_alpha(counts, counts.sum(axis=1), np.array([1.0, 1.0]))))
    True
    >>> bool(np.equal(*fit_alpha(counts, counts.sum(axis=1), np.array([1.0, 1.0]), symmetric=True)))
    True
    """
    documents = _distinct(lengths)
    if symmetric:
        counts = np.asarray(doc_topic.data) if sparse.issparse(doc_topic) else doc_topic.ravel()
        return np.full(alpha.size, _fit_symmetric(_distinct(counts), documents, alpha.size, float(alpha.mean())))
    by_topic = sparse.csc_array(doc_topic)
    topics = [_distinct(by_topic.data[slice(*by_topic.indptr[place : place + 2])]) for place in range(alpha.size)]
    together = _Distinct(
        np.concatenate([topic.values for topic in topics]),
        None if topics[0].times is None else np.concatenate([topic.times for topic in topics]),
    )
    sizes = np.array([topic.values.size for topic in topics])
    for _ in range(n_steps):
        per_topic = _sum_by_topic(together, sizes, alpha)
        per_document = _sum_digamma_differences(*documents, alpha.sum())
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
    totals = np.asarray(word_topic.sum(axis=0, dtype=np.float64)).ravel()
    counts = np.asarray(word_topic.data) if sparse.issparse(word_topic) else word_topic.ravel()
    return _fit_symmetric(_distinct(counts), _distinct(totals), word_topic.shape[0], beta)


class _Distinct(NamedTuple):
    """Positive counts, and how often each occurs; integers are listed once."""

    values: np.ndarray
    times: np.ndarray | None  # None for real counts, which are listed as they are


def _distinct(counts: np.ndarray) -> _Distinct:
    positive = counts[counts > 0]
    if not np.issubdtype(counts.dtype, np.integer):
        return _Distinct(positive, None)
    times = np.bincount(positive)
    values = np.flatnonzero(times)
    return _Distinct(values, times[values])


def _fit_symmetric(counts: _Distinct, totals: _Distinct, size: int, parameter: float) -> float:
    """Return the parameter of a symmetric Dirichlet prior of `size` proportions after some steps.

    Parameters
    ----------
    counts : _Distinct
        Counts of all draws.
    totals : _Distinct
        Sums of the counts of each draw.
    size : int
        Number of proportions.
    parameter : float
        Current parameter.
    """
    for _ in range(STEPS):
        per_draw = _sum_digamma_differences(*totals, size * parameter)
        if per_draw <= 0:
            return parameter
        per_count = _sum_digamma_differences(*counts, parameter)
        parameter = float(np.clip(parameter * per_count / (size * per_draw), _MIN, _MAX))
    return parameter


def _sum_by_topic(counts: _Distinct, sizes: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return Σ ψ(n + α_k) − ψ(α_k) over the counts n of every topic k; the first `sizes[0]` counts are of topic 0."""
    digamma = scipy.special.digamma
    differences = digamma(counts.values + np.repeat(alpha, sizes)) - np.repeat(digamma(alpha), sizes)
    if counts.times is not None:
        differences *= counts.times
    sums, filled = np.zeros(alpha.size), sizes > 0
    if filled.any():
        sums[filled] = np.add.reduceat(differences, (np.cumsum(sizes) - sizes)[filled])
    return sums


def _sum_digamma_differences(values: np.ndarray, times: np.ndarray | None, parameter: float) -> float:
    """Return Σ ψ(n + parameter) − ψ(parameter) over the counts n."""
    differences = scipy.special.digamma(values + parameter) - scipy.special.digamma(parameter)
    # Not by a product of vectors: the order of additions of BLAS depends on the machine.
    return float(np.sum(differences if times is None else times * differences))
