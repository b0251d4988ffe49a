"""Word vectors of articles: words that occur in articles with the same other words have similar vectors.

Levy, Goldberg and Dagan (2015), *Improving distributional similarity with lessons learned from word embeddings*: a
singular value decomposition of positive pointwise mutual information, words × context words, with smoothed context
frequencies. Two words co-occur if an article has both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.utils.extmath import randomized_svd

_MOST_DIMENSIONS = 200
_LENGTH = 5.0  # of vectors with 100 dimensions or more; the regression's precision of weights goes with it
_MOST_CONTEXTS = 3_000  # the most frequent words; more of them change nothing
_MOST_ENTRIES = 150_000_000  # of words × contexts, 4 bytes each
_SMOOTHING = 0.75  # power of the context frequencies, so that rare contexts do not weigh too much
_SHORT = 20  # percentile of lengths below which vectors keep their length: little is known of rare words
_BLOCK = 2_000  # words whose co-occurrences are counted at a time


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


def word_features(counts: sparse.csr_array, seed: int = 0) -> WordFeatures:
    """Return the features of words from the articles they occur in.

    Parameters
    ----------
    counts : sparse array of shape (n_articles, n_words)
        Word counts of the articles.
    seed : int, default 0
        Seed of the decomposition.

    Returns
    -------
    WordFeatures
        Features of each word.

    Examples
    --------
    >>> articles = np.array([[2, 1, 1, 0, 0, 0], [1, 2, 3, 0, 0, 0], [0, 0, 0, 3, 1, 1], [0, 0, 0, 1, 1, 2]])
    >>> river, stream, _, loan, money, _ = word_features(sparse.csr_array(articles)).vectors
    >>> bool(river @ stream > river @ loan)
    True
    """
    frequency = np.log1p(np.asarray(counts.sum(axis=0), np.float64).ravel())
    spread = frequency.std()
    scaled = (frequency - frequency.mean()) / spread if spread > 0 else np.zeros_like(frequency)
    shared = np.column_stack([np.ones_like(scaled), scaled, scaled**2, frequency == 0])
    return WordFeatures(shared, _decompose(_mutual_information(counts), seed))


def _mutual_information(counts: sparse.csr_array) -> np.ndarray:
    """Return the positive pointwise mutual information of words and context words, words × contexts."""
    n_words = counts.shape[1]
    present = sparse.csr_array(counts > 0).astype(np.float32)
    n_articles = np.bincount(present.indices, minlength=n_words)
    n_contexts = min(_MOST_CONTEXTS, max(_MOST_ENTRIES // max(n_words, 1), 1), int(np.count_nonzero(n_articles)))
    contexts = np.argsort(-n_articles, kind="stable")[:n_contexts]
    columns, rows = sparse.csc_array(present[:, contexts]), sparse.csr_array(present.T)
    together = np.empty((n_words, n_contexts), np.float32)
    for first in range(0, n_words, _BLOCK):
        together[first : first + _BLOCK] = (rows[first : first + _BLOCK] @ columns).toarray()
    together[contexts, np.arange(n_contexts)] = 0  # a word is no context of itself
    of_words, of_contexts = together.sum(axis=1), together.sum(axis=0) ** _SMOOTHING
    expected = of_contexts / max(float(of_contexts.sum()), 1e-30)
    with np.errstate(divide="ignore", invalid="ignore"):
        np.divide(together, of_words[:, np.newaxis], out=together)
        np.divide(together, expected, out=together)
        np.log(together, out=together)
    np.nan_to_num(together, copy=False, nan=0.0, neginf=0.0, posinf=0.0)
    return np.maximum(together, 0, out=together)


def _decompose(information: np.ndarray, seed: int) -> np.ndarray:
    """Return the word vectors, √dimensions / 2 and at most 5 long; those of rare words are shorter."""
    n_dimensions = min(_MOST_DIMENSIONS, *(size - 1 for size in information.shape))
    if n_dimensions < 1 or not information.any():
        return np.zeros((information.shape[0], 1))
    words, values, _ = randomized_svd(information, n_components=n_dimensions, n_iter=3, random_state=seed)
    vectors = np.asarray(words * np.sqrt(values), np.float64)
    length = np.linalg.norm(vectors, axis=1)
    least = max(float(np.percentile(length, _SHORT)), 1e-3 * float(length.max()), 1e-12)
    return vectors / np.maximum(length, least)[:, np.newaxis] * min(np.sqrt(n_dimensions) / 2, _LENGTH)
