"""Perplexity of unseen words: how many words a model is, in effect, choosing from at each place.

Lower is better. Document completion is the fair figure: half of each document's words say what it is
about, the other half is predicted. Eq. (4) of Bíró and Szabó (2009) predicts the very words that the
document's topics were inferred from, so it flatters; it is here because papers report it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.engine.fold_in import FoldIn
from plait.errors import PlaitError
from plait.executors import Threads


class Perplexity(NamedTuple):
    """A perplexity, the mean log probability a word that it comes from, and the number of words predicted."""

    perplexity: float
    log_likelihood: float
    n_words: float


def completion_perplexity(fold_in: FoldIn, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> Perplexity:
    """Predict one half of each document's words from the other half."""
    observed, held_out = fold_in.halve(counts)
    proportions = fold_in.proportions(_without_zeros(observed), n_sweeps, executor)
    return _score(fold_in, _without_zeros(held_out), proportions)


def fold_in_perplexity(fold_in: FoldIn, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> Perplexity:
    """Predict each document's words from all of them: eq. (4) of Bíró and Szabó (2009)."""
    return _score(fold_in, counts, fold_in.proportions(counts, n_sweeps, executor))


def unigram_perplexity(train: np.ndarray, counts: sparse.csr_array, smoothing: float = 0.01) -> Perplexity:
    """Predict words by how often each stood in the training documents: what a topic model must beat.

    Parameters
    ----------
    train
        How often each word stood in the training documents.
    smoothing
        What is added to each of these counts.

    Examples
    --------
    >>> held_out = sparse.csr_array(np.array([[1, 1]]))
    >>> round(unigram_perplexity(np.array([1, 1]), held_out).perplexity, 6)
    2.0
    """
    smoothed = np.asarray(train, dtype=np.float64) + smoothing
    log_probability = np.log(smoothed / smoothed.sum())
    return _summary(counts.data, log_probability[counts.indices])


def _score(fold_in: FoldIn, counts: sparse.csr_array, proportions: list[np.ndarray]) -> Perplexity:
    return _summary(counts.data, np.log(fold_in.word_probabilities(counts, proportions)))


def _summary(weights: np.ndarray, log_probability: np.ndarray) -> Perplexity:
    n_words = float(weights.sum())
    if n_words == 0:
        raise PlaitError("there are no words to predict: give documents with at least two words that the model knows")
    mean = float(weights @ log_probability) / n_words
    return Perplexity(float(np.exp(-mean)), mean, n_words)


def _without_zeros(counts: sparse.csr_array) -> sparse.csr_array:
    counts = counts.copy()
    counts.eliminate_zeros()
    return counts
