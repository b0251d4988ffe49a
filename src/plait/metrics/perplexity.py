"""Perplexity of new documents; lower is better.

Document completion predicts one half of the tokens of each document from the other half. Eq. (4) of Bíró and Szabó
(2009) predicts the same tokens that the topics of the document were inferred from, so it is too optimistic; it is here
because papers report it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.engine.fold_in import FoldIn
from plait.errors import PlaitError
from plait.executors import Executor


class Perplexity(NamedTuple):
    """A perplexity.

    Attributes
    ----------
    perplexity : float
        exp(−log_likelihood).
    log_likelihood : float
        Mean log-likelihood per token.
    n_words : float
        Number of predicted tokens.

    Examples
    --------
    >>> Perplexity(100.0, -4.605, 2_000).perplexity
    100.0
    """

    perplexity: float
    log_likelihood: float
    n_words: float


def completion_perplexity(fold_in: FoldIn, counts: sparse.csr_array, n_sweeps: int, executor: Executor) -> Perplexity:
    """Return the document-completion perplexity: one half of the tokens is predicted from the other half.

    Parameters
    ----------
    fold_in : FoldIn
        Inference for new documents.
    counts : sparse array of shape (n_documents, n_words)
        Word counts of the new documents.
    n_sweeps : int
        Number of sweeps per document.
    executor : Threads
        Executor that runs the inference.

    Returns
    -------
    Perplexity
        Perplexity of the predicted half.

    Examples
    --------
    >>> from plait import LDA
    >>> from plait.engine.fold_in import FoldIn
    >>> from plait.executors import Threads
    >>> counts = sparse.csr_array(np.array([[4, 4, 0, 0], [0, 0, 4, 4]] * 5))
    >>> model = LDA(2, random_state=0, verbose=False).fit(counts)
    >>> fold_in = FoldIn(model._chain_samples[0], real=False, seed=model.seed_)
    >>> result = completion_perplexity(fold_in, counts, 5, Threads(1))
    >>> 1 < result.perplexity < 4
    True
    """
    observed, held_out = fold_in.halve(counts)
    proportions = fold_in.proportions(_without_zeros(observed), n_sweeps, executor)
    return _score(fold_in, _without_zeros(held_out), proportions)


def completion_likelihoods(
    fold_in: FoldIn, observed: sparse.csr_array, predicted: sparse.csr_array, n_sweeps: int, executor: Executor
) -> np.ndarray:
    """Return the log-likelihood of some tokens of each document, predicted from its other tokens.

    Parameters
    ----------
    fold_in : FoldIn
        Inference for new documents.
    observed : sparse array of shape (n_documents, n_words)
        Counts of the tokens that the topics of the documents are inferred from.
    predicted : sparse array of shape (n_documents, n_words)
        Counts of the predicted tokens.
    n_sweeps : int
        Number of sweeps per document.
    executor : Threads
        Executor that runs the inference.

    Returns
    -------
    ndarray of shape (n_documents,)
        Sum over the predicted tokens of each document.

    Examples
    --------
    >>> from plait import LDA
    >>> from plait.engine.fold_in import FoldIn
    >>> from plait.executors import Threads
    >>> counts = sparse.csr_array(np.array([[4, 4, 0, 0], [0, 0, 4, 4]] * 5))
    >>> model = LDA(2, random_state=0, verbose=False).fit(counts)
    >>> fold_in = FoldIn(model._chain_samples[0], real=False, seed=model.seed_)
    >>> observed = predicted = sparse.csr_array(counts[:2])
    >>> completion_likelihoods(fold_in, observed, predicted, 5, Threads(1)).shape
    (2,)
    """
    observed, predicted = _without_zeros(observed), _without_zeros(predicted)
    proportions = fold_in.proportions(observed, n_sweeps, executor)
    log_probability = np.log(fold_in.word_probabilities(predicted, proportions))
    rows = np.repeat(np.arange(predicted.shape[0]), np.diff(predicted.indptr))
    return np.bincount(rows, predicted.data * log_probability, minlength=predicted.shape[0])


def fold_in_perplexity(fold_in: FoldIn, counts: sparse.csr_array, n_sweeps: int, executor: Executor) -> Perplexity:
    """Return the perplexity of tokens predicted from the same tokens: eq. (4) of Bíró and Szabó (2009).

    Parameters
    ----------
    fold_in : FoldIn
        Inference for new documents.
    counts : sparse array of shape (n_documents, n_words)
        Word counts of the new documents.
    n_sweeps : int
        Number of sweeps per document.
    executor : Threads
        Executor that runs the inference.

    Returns
    -------
    Perplexity
        Perplexity of all tokens.

    Examples
    --------
    >>> from plait import LDA
    >>> from plait.engine.fold_in import FoldIn
    >>> from plait.executors import Threads
    >>> counts = sparse.csr_array(np.array([[4, 4, 0, 0], [0, 0, 4, 4]] * 5))
    >>> model = LDA(2, random_state=0, verbose=False).fit(counts)
    >>> fold_in = FoldIn(model._chain_samples[0], real=False, seed=model.seed_)
    >>> 1 < fold_in_perplexity(fold_in, counts, 5, Threads(1)).perplexity < 4
    True
    """
    return _score(fold_in, counts, fold_in.proportions(counts, n_sweeps, executor))


def unigram_perplexity(train: np.ndarray, counts: sparse.csr_array, smoothing: float = 0.01) -> Perplexity:
    """Return the perplexity of the unigram model, which predicts words by their frequency in training.

    Parameters
    ----------
    train : array-like of shape (n_words,)
        Number of training tokens of each word.
    counts : sparse array of shape (n_documents, n_words)
        Word counts of the new documents.
    smoothing : float, default 0.01
        Pseudo-count of each word.

    Returns
    -------
    Perplexity
        Perplexity of all tokens.

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
    """Return the perplexity of counts, given the topic proportions of each document."""
    return _summary(counts.data, np.log(fold_in.word_probabilities(counts, proportions)))


def _summary(weights: np.ndarray, log_probability: np.ndarray) -> Perplexity:
    """Return the perplexity from the number of tokens and the log-probability of each word."""
    n_words = float(weights.sum())
    if n_words == 0:
        raise PlaitError("there are no tokens to predict; give documents with at least two words of the vocabulary")
    mean = float(weights @ log_probability) / n_words
    return Perplexity(float(np.exp(-mean)), mean, n_words)


def _without_zeros(counts: sparse.csr_array) -> sparse.csr_array:
    """Return a copy without stored zeros."""
    counts = counts.copy()
    counts.eliminate_zeros()
    return counts
