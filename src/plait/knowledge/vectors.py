"""Word vectors of articles: words that occur in the same articles have similar vectors.

Latent semantic analysis (Deerwester, Dumais, Furnas, Landauer and Harshman, 1990): a singular value decomposition of
TF-IDF weights, articles × words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.extmath import randomized_svd

_MOST_DIMENSIONS = 100
_SHORT = 20  # percentile of lengths below which vectors keep their length: little is known of rare words


class WordFeatures(NamedTuple):
    """What articles tell about the words of a corpus.

    Attributes
    ----------
    shared : ndarray of shape (n_words, n_shared)
        Features whose weights all topics share: a constant, the frequency in the articles, its square, and whether the
        word is missing there.
    vectors : ndarray of shape (n_words, n_dimensions)
        Word vectors; a topic has its own weights for them.
    """

    shared: np.ndarray
    vectors: np.ndarray


def word_features(counts: sparse.csr_array, weights: np.ndarray | None = None, seed: int = 0) -> WordFeatures:
    """Return the features of words from the articles they occur in.

    Parameters
    ----------
    counts : sparse array of shape (n_articles, n_words)
        Word counts of the articles.
    weights : ndarray of shape (n_articles,) or None, default None
        Weight of each article; None for equal weights.
    seed : int, default 0
        Seed of the decomposition.

    Returns
    -------
    WordFeatures
        Features of each word.

    Examples
    --------
    >>> counts = sparse.csr_array(np.array([[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1], [0, 0, 1, 1]]))
    >>> river, stream, loan, money = word_features(counts).vectors
    >>> bool(river @ stream > river @ loan)
    True
    """
    counts = sparse.csr_array(counts, dtype=np.float64, copy=True)
    frequency = np.log1p(np.asarray(counts.sum(axis=0)).ravel())
    spread = frequency.std()
    scaled = (frequency - frequency.mean()) / spread if spread > 0 else np.zeros_like(frequency)
    shared = np.column_stack([np.ones_like(scaled), scaled, scaled**2, frequency == 0])
    return WordFeatures(shared, _decompose(_tf_idf(counts, weights), seed))


def _tf_idf(counts: sparse.csr_array, weights: np.ndarray | None) -> sparse.csr_array:
    """Return log-scaled TF-IDF weights; rows have unit length times the weight of the article."""
    n_articles = counts.shape[0]
    document_frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    scaled = counts.copy()
    scaled.data = np.log1p(scaled.data) * np.log((n_articles + 1) / (document_frequency[scaled.indices] + 0.5))
    length = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
    scale = np.divide(1.0 if weights is None else weights, length, out=np.zeros(n_articles), where=length > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ scaled)


def _decompose(weights: sparse.csr_array, seed: int) -> np.ndarray:
    """Return the word vectors, about √dimensions / 2 long; those of rare words are shorter."""
    n_dimensions = min(_MOST_DIMENSIONS, *(size - 1 for size in weights.shape))
    if n_dimensions < 1 or not weights.nnz:
        return np.zeros((weights.shape[1], 1))
    _, values, words = randomized_svd(weights, n_components=n_dimensions, n_iter=3, random_state=seed)
    vectors = words.T * np.sqrt(values)
    length = np.linalg.norm(vectors, axis=1)
    least = max(float(np.percentile(length, _SHORT)), 1e-3 * float(length.max()), 1e-12)
    return np.asarray(vectors / np.maximum(length, least)[:, None] * (np.sqrt(n_dimensions) / 2))
