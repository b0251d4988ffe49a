"""Compiled parts of MedLDA with an expected classifier; expected_medlda.py has the model."""

from __future__ import annotations

import numpy as np

from plait.samplers.kernels.compiled import kernel
from plait.samplers.random import document_key, uniform64


@kernel
def sweep(
    starts: np.ndarray,
    words: np.ndarray,
    topics: np.ndarray,
    doc_topic: np.ndarray,
    word_topic: np.ndarray,
    totals: np.ndarray,
    factors: np.ndarray,
    alpha: float,
    beta: float,
    key: int,
    sums: np.ndarray,
) -> None:
    """Resample the topics of all tokens in place.

    Parameters
    ----------
    starts, words : ndarray of int
        Document d has the tokens starts[d] up to starts[d + 1].
    topics : ndarray of int
        Topic of every token; changed in place.
    doc_topic, word_topic, totals : ndarray
        n_dk, n_wk and n_k; changed in place.
    factors : ndarray of shape (documents, topics)
        Factor of a topic for every token of a document.
    alpha, beta : float
        Dirichlet parameters.
    key : uint64
        Key of the random numbers of the sweep.
    sums : ndarray of shape (topics,)
        Scratch memory.
    """
    n_topics = totals.size
    sum_beta = beta * word_topic.shape[0]
    for document in range(starts.size - 1):
        own, factor, random_key = doc_topic[document], factors[document], document_key(key, document)
        for token in range(starts[document], starts[document + 1]):
            row, topic = word_topic[words[token]], topics[token]
            own[topic] -= 1.0
            row[topic] -= 1.0
            totals[topic] -= 1.0
            total = 0.0
            for other in range(n_topics):
                total += (own[other] + alpha) * (row[other] + beta) / (totals[other] + sum_beta) * factor[other]
                sums[other] = total
            wanted = uniform64(random_key, token - starts[document]) * total
            topic = 0
            while topic < n_topics - 1 and sums[topic] <= wanted:
                topic += 1
            topics[token] = topic
            own[topic] += 1.0
            row[topic] += 1.0
            totals[topic] += 1.0


@kernel
def solve_dual(
    means: np.ndarray,
    signs: np.ndarray,
    box: float,
    variance: float,
    margin: float,
    n_passes: int,
    duals: np.ndarray,
    weights: np.ndarray,
) -> None:
    """Improve the dual variables of all labels by coordinate ascent, and set the weights.

    Parameters
    ----------
    means : ndarray of shape (documents, topics)
        z̄.
    signs : ndarray of shape (documents, labels)
        1, −1, or 0 for a label that is not known.
    box : float
        Largest dual variable, 2c.
    variance : float
        ν².
    margin : float
        ℓ.
    n_passes : int
        Number of passes over the documents.
    duals : ndarray of shape (documents, labels)
        a; changed in place.
    weights : ndarray of shape (labels, topics)
        μ = ν² Σ a y z̄; changed in place.
    """
    n_documents, n_topics = means.shape
    for label in range(signs.shape[1]):
        own = weights[label]
        for topic in range(n_topics):
            own[topic] = 0.0
        for document in range(n_documents):
            for topic in range(n_topics):
                own[topic] += variance * duals[document, label] * signs[document, label] * means[document, topic]
        for _ in range(n_passes):
            for document in range(n_documents):
                sign, mean = signs[document, label], means[document]
                value, square = 0.0, 0.0
                for topic in range(n_topics):
                    value += own[topic] * mean[topic]
                    square += mean[topic] * mean[topic]
                if sign == 0.0 or square == 0.0:
                    continue
                before = duals[document, label]
                after = min(max(before + (margin - sign * value) / (variance * square), 0.0), box)
                duals[document, label] = after
                for topic in range(n_topics):
                    own[topic] += variance * (after - before) * sign * mean[topic]
