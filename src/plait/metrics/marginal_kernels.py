"""Compiled left-to-right estimates of the probability of documents; marginal.py has the method."""

from __future__ import annotations

import math

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.random import document_key, uniform64


@kernel
def left_to_right(
    starts: np.ndarray,
    words: np.ndarray,
    word_topic: np.ndarray,
    alpha: np.ndarray,
    key: int,
    topics: np.ndarray,
    counts: np.ndarray,
    sums: np.ndarray,
    found: np.ndarray,
) -> None:
    """Fill `found` with the log weight of every particle of every document.

    Parameters
    ----------
    starts, words : ndarray of int
        Document d has the tokens starts[d] up to starts[d + 1].
    word_topic : ndarray of shape (words, topics)
        φ.
    alpha : ndarray of shape (topics,)
        Dirichlet prior.
    key : uint64
        Key of the random numbers.
    topics, counts, sums : ndarray
        Scratch memory: tokens of the longest document, topics, topics.
    found : ndarray of shape (documents, particles)
        Log weights; changed in place.
    """
    sum_alpha = 0.0
    for topic in range(alpha.size):
        sum_alpha += alpha[topic]
    for document in range(starts.size - 1):
        first = starts[document]
        for particle in range(found.shape[1]):
            random_key = document_key(document_key(key, document), particle)
            number = 0
            counts[:] = 0.0
            log_weight = 0.0
            for token in range(starts[document + 1] - first):
                for earlier in range(token):  # these moves leave p(topics so far | words so far) invariant
                    counts[topics[earlier]] -= 1.0
                    _weigh(word_topic[words[first + earlier]], counts, alpha, sums)
                    topics[earlier] = _pick(sums, uniform64(random_key, number))
                    number += 1
                    counts[topics[earlier]] += 1.0
                total = _weigh(word_topic[words[first + token]], counts, alpha, sums)
                log_weight += math.log(total / (token + sum_alpha))
                topics[token] = _pick(sums, uniform64(random_key, number))
                number += 1
                counts[topics[token]] += 1.0
            found[document, particle] = log_weight


@inline_kernel
def _weigh(row: np.ndarray, counts: np.ndarray, alpha: np.ndarray, sums: np.ndarray) -> float:
    """Fill `sums` with the cumulative weights φ_kw (n_k + α_k) of the topics, and return the last."""
    total = 0.0
    for topic in range(alpha.size):
        total += row[topic] * (counts[topic] + alpha[topic])
        sums[topic] = total
    return total


@inline_kernel
def _pick(sums: np.ndarray, draw: float) -> int:
    """Return the topic of a uniform number."""
    wanted = draw * sums[sums.size - 1]
    topic = 0
    while topic < sums.size - 1 and sums[topic] <= wanted:
        topic += 1
    return topic
