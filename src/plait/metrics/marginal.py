"""Probability of whole documents, topic proportions and topics integrated out: the p(w) of a perplexity.

log p(w) = log ∫ p(θ | α) Π_n Σ_k θ_k φ_kw_n dθ has no closed form. It is estimated by the left-to-right method of
Wallach, Murray, Salakhutdinov and Mimno (2009), section 3.4, with a product per particle instead of a product of means
over particles, which makes the estimate of p(w) unbiased (sequential importance sampling, Buntine, 2009).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError


def marginal_likelihoods(
    counts: Any, topic_word: np.ndarray, alpha: np.ndarray, *, n_particles: int = 20, random_state: int = 0
) -> np.ndarray:
    """Return estimates of log p(w) of whole documents under LDA with known topics.

    Time grows with the square of the length of a document. More particles are more accurate; p(w) is estimated without
    bias, so that log p(w) is too low on average, by less with more particles.

    Parameters
    ----------
    counts : array-like or sparse matrix of shape (documents, words)
        Word counts, whole numbers.
    topic_word : ndarray of shape (topics, words)
        φ; rows sum to 1.
    alpha : ndarray of shape (topics,)
        Dirichlet prior on topic proportions.
    n_particles : int, default 20
        Number of particles per document.
    random_state : int, default 0
        Seed.

    Returns
    -------
    ndarray of shape (documents,)
        Log-likelihood of each document; 0 for one without words.

    Examples
    --------
    >>> round(float(marginal_likelihoods([[2, 0]], np.array([[0.5, 0.5]]), np.ones(1))[0]), 3)  # log(1/4)
    -1.386
    """
    from plait.metrics.marginal_kernels import left_to_right
    from plait.samplers.random import stream_key

    check_whole("n_particles", n_particles, least=1)
    matrix = sparse.csr_array(counts)
    matrix.sort_indices()
    whole = matrix.data.astype(np.int64)
    if (whole != matrix.data).any() or (whole < 0).any():
        raise PlaitError("counts must be whole numbers of at least 0")
    topic_word, alpha = np.asarray(topic_word, np.float64), np.asarray(alpha, np.float64)
    if topic_word.shape != (alpha.size, matrix.shape[1]):
        raise PlaitError(
            f"topic_word is {topic_word.shape}, and must be topics × words: {alpha.size} × {matrix.shape[1]}"
        )
    words = np.repeat(matrix.indices, whole).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(whole)])[matrix.indptr].astype(np.int64)
    longest = int(np.diff(starts).max(initial=0))
    found = np.zeros((matrix.shape[0], n_particles))
    key = stream_key(random_state, "left to right")
    room = np.zeros(longest, np.int64), np.zeros(alpha.size), np.zeros(alpha.size)
    left_to_right(starts, words, np.ascontiguousarray(topic_word.T), alpha, key, *room, found)
    highest = found.max(axis=1)
    return highest + np.log(np.exp(found - highest[:, np.newaxis]).mean(axis=1))
