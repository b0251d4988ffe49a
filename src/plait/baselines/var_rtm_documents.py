"""Compiled E step of the variational relational topic model: coordinate ascent, one document after another.

The tokens of a word w in a document share one distribution over topics, q(k) = φ_wk ∝ exp(tilt_k) · p(w | k). So the
state of a document is its tilt, and φ is recomputed when needed. With m = mean of φ over the N tokens and γ = α + N m,
which is the optimal q(θ), the document's term of the objective is

    Σ_w n_w log Z_w  −  N m·tilt  +  log B(γ) − log B(α)  +  Σ_j log σ(y_j (η·(m ∘ m_j) + ν))

where Z_w = Σ_k exp(tilt_k) p(w | k), and j runs over linked documents (y_j = 1) and observed pairs without a link
(y_j = −1). Its stationary points have

    tilt_k = ψ(γ_k) + (1/N) Σ_j y_j (1 − σ_j) η_k m_jk,    σ_j = σ(y_j (η·(m ∘ m_j) + ν))

which is the update of Chang and Blei (2009). A step towards it is halved until the term does not decrease.
"""

from __future__ import annotations

import math

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel, kernel

_HALVINGS = 6
_SHIFT = 6.0  # above it the error of the asymptotic series of ψ is below 1e-10


@kernel
def update_documents(
    starts: np.ndarray,
    words: np.ndarray,
    counts: np.ndarray,
    link_starts: np.ndarray,
    neighbours: np.ndarray,
    signs: np.ndarray,
    weights: np.ndarray,
    intercept: float,
    word_topic: np.ndarray,
    alpha: np.ndarray,
    n_steps: int,
    tolerance: float,
    tilts: np.ndarray,
    means: np.ndarray,
    workspace: np.ndarray,
) -> float:
    """Update tilts and means of all documents in place, and return their terms of the objective without link terms.

    Each update uses the latest means of linked documents.

    Parameters
    ----------
    starts, words, counts : ndarray
        CSR rows of the word counts.
    link_starts, neighbours : ndarray of int
        CSR rows of the links, and of observed pairs without a link.
    signs : ndarray of float
        Of every entry of these rows: 1 linked, −1 not linked.
    weights : ndarray of shape (n_topics,)
        η.
    intercept : float
        ν.
    word_topic : ndarray of shape (n_words, n_topics)
        p(w | k).
    alpha : ndarray of shape (n_topics,)
        Dirichlet parameters.
    n_steps : int
        Maximum number of updates per document.
    tolerance : float
        Stop when the term of a document increases by less, per token.
    tilts : ndarray of shape (n_documents, n_topics)
        Tilts; changed in place.
    means : ndarray of shape (n_documents, n_topics)
        Means of φ; changed in place.
    workspace : ndarray of shape (5, n_topics)
        Scratch memory.

    Returns
    -------
    float
        Sum of the documents' terms.
    """
    n_topics = alpha.size
    old_tilt, old_mean, target = workspace[0], workspace[1], workspace[2]
    factors, link_sums = workspace[3], workspace[4]
    total = 0.0
    for document in range(starts.size - 1):
        first, last = starts[document], starts[document + 1]
        linked_first, linked_last = link_starts[document], link_starts[document + 1]
        tilt, mean = tilts[document], means[document]
        length = 0.0
        for entry in range(first, last):
            length += counts[entry]
        if length == 0.0:
            continue  # a document without words keeps the prior mean
        own = _fit_words(first, last, words, counts, word_topic, tilt, length, mean, factors)
        own += _proportions_term(tilt, mean, length, alpha)
        linked = _links_term(linked_first, linked_last, neighbours, signs, weights, intercept, mean, means)
        for _ in range(n_steps):
            for topic in range(n_topics):
                old_tilt[topic], old_mean[topic] = tilt[topic], mean[topic]
                link_sums[topic] = 0.0
            for entry in range(linked_first, linked_last):
                other = means[neighbours[entry]]
                value = intercept
                for topic in range(n_topics):
                    value += weights[topic] * mean[topic] * other[topic]
                missing = signs[entry] / (1.0 + math.exp(signs[entry] * value))  # y (1 − σ)
                for topic in range(n_topics):
                    link_sums[topic] += missing * other[topic]
            for topic in range(n_topics):
                prior = _digamma(alpha[topic] + length * mean[topic])
                target[topic] = prior + weights[topic] * link_sums[topic] / length
            step, before = 1.0, own + linked
            for _ in range(_HALVINGS):
                for topic in range(n_topics):
                    tilt[topic] = (1.0 - step) * old_tilt[topic] + step * target[topic]
                own = _fit_words(first, last, words, counts, word_topic, tilt, length, mean, factors)
                own += _proportions_term(tilt, mean, length, alpha)
                linked = _links_term(linked_first, linked_last, neighbours, signs, weights, intercept, mean, means)
                if own + linked >= before:
                    break
                step /= 2
            if own + linked < before:
                for topic in range(n_topics):
                    tilt[topic], mean[topic] = old_tilt[topic], old_mean[topic]
                own = before - _links_term(
                    linked_first, linked_last, neighbours, signs, weights, intercept, mean, means
                )
                break
            if own + linked - before <= tolerance * length:
                break
        total += own
    return total


@kernel
def count_word_topics(
    starts: np.ndarray,
    words: np.ndarray,
    counts: np.ndarray,
    word_topic: np.ndarray,
    tilts: np.ndarray,
    factors: np.ndarray,
    totals: np.ndarray,
) -> None:
    """Add the expected tokens of each word and topic to `totals`.

    Parameters
    ----------
    starts, words, counts : ndarray
        CSR rows of the word counts.
    word_topic : ndarray of shape (n_words, n_topics)
        p(w | k).
    tilts : ndarray of shape (n_documents, n_topics)
        Tilts.
    factors : ndarray of shape (n_topics,)
        Scratch memory.
    totals : ndarray of shape (n_words, n_topics)
        Expected tokens; changed in place.
    """
    n_topics = tilts.shape[1]
    for document in range(starts.size - 1):
        _exponentials(tilts[document], factors)
        for entry in range(starts[document], starts[document + 1]):
            row, sums = word_topic[words[entry]], totals[words[entry]]
            normaliser = 0.0
            for topic in range(n_topics):
                normaliser += factors[topic] * row[topic]
            scale = counts[entry] / normaliser
            for topic in range(n_topics):
                sums[topic] += scale * factors[topic] * row[topic]


@inline_kernel
def _fit_words(
    first: int,
    last: int,
    words: np.ndarray,
    counts: np.ndarray,
    word_topic: np.ndarray,
    tilt: np.ndarray,
    length: float,
    mean: np.ndarray,
    factors: np.ndarray,
) -> float:
    """Set `mean` to the mean of φ under a tilt, and return Σ_w n_w log Z_w."""
    highest = _exponentials(tilt, factors)
    for topic in range(tilt.size):
        mean[topic] = 0.0
    total = length * highest
    for entry in range(first, last):
        row = word_topic[words[entry]]
        normaliser = 0.0
        for topic in range(tilt.size):
            normaliser += factors[topic] * row[topic]
        total += counts[entry] * math.log(normaliser)
        scale = counts[entry] / (normaliser * length)
        for topic in range(tilt.size):
            mean[topic] += scale * factors[topic] * row[topic]
    return total


@inline_kernel
def _exponentials(tilt: np.ndarray, factors: np.ndarray) -> float:
    """Set `factors` to exp(tilt), scaled so that the maximum is 1, and return the logarithm of the scale."""
    highest = tilt[0]
    for topic in range(1, tilt.size):
        highest = max(highest, tilt[topic])
    for topic in range(tilt.size):
        factors[topic] = math.exp(tilt[topic] - highest)
    return highest


@inline_kernel
def _proportions_term(tilt: np.ndarray, mean: np.ndarray, length: float, alpha: np.ndarray) -> float:
    """Return log B(γ) − log B(α) − N m·tilt."""
    total, sum_alpha = 0.0, 0.0
    for topic in range(tilt.size):
        tokens = length * mean[topic]
        sum_alpha += alpha[topic]
        total += math.lgamma(alpha[topic] + tokens) - math.lgamma(alpha[topic]) - tokens * tilt[topic]
    return total - math.lgamma(sum_alpha + length) + math.lgamma(sum_alpha)


@inline_kernel
def _links_term(
    first: int,
    last: int,
    neighbours: np.ndarray,
    signs: np.ndarray,
    weights: np.ndarray,
    intercept: float,
    mean: np.ndarray,
    means: np.ndarray,
) -> float:
    """Return Σ_j log σ(y_j (η·(m ∘ m_j) + ν)) over the pairs of a document."""
    total = 0.0
    for entry in range(first, last):
        other = means[neighbours[entry]]
        value = intercept
        for topic in range(weights.size):
            value += weights[topic] * mean[topic] * other[topic]
        value *= signs[entry]
        total += min(value, 0.0) - math.log1p(math.exp(-abs(value)))
    return total


@inline_kernel
def _digamma(value: float) -> float:
    """Return ψ(value): the recurrence up to 6, then the asymptotic series."""
    result = 0.0
    while value < _SHIFT:
        result -= 1.0 / value
        value += 1.0
    square = 1.0 / (value * value)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return result + math.log(value) - 0.5 / value - series
