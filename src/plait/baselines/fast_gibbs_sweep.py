"""Compiled sweep of fast Gibbs sampling; fast_gibbs.py has the bounds."""

from __future__ import annotations

import math

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.random import document_key, uniform64

_SLACK = 1e-9  # bounds are this much larger, so that rounding cannot make one too small


@kernel
def sweep(
    starts: np.ndarray,
    words: np.ndarray,
    topics: np.ndarray,
    doc_topic: np.ndarray,
    word_topic: np.ndarray,
    totals: np.ndarray,
    word_squares: np.ndarray,
    alpha: float,
    beta: float,
    key: int,
    order: np.ndarray,
    places: np.ndarray,
    sums: np.ndarray,
) -> float:
    """Resample the topics of all tokens in place and return the number of visited topics.

    Parameters
    ----------
    starts, words : ndarray of int
        Document d has the tokens starts[d] up to starts[d + 1].
    topics : ndarray of int
        Topic of every token; changed in place.
    doc_topic, word_topic, totals : ndarray
        n_dk, n_wk and n_k; changed in place.
    word_squares : ndarray of shape (n_words,)
        Σ_k (n_wk + β)²; changed in place.
    alpha, beta : float
        Dirichlet parameters.
    key : uint64
        Key of the random numbers of the sweep.
    order, places, sums : ndarray of shape (n_topics,)
        Scratch memory.

    Returns
    -------
    float
        Sum over tokens of the number of visited topics.
    """
    n_topics = totals.size
    sum_beta = beta * word_squares.size
    visited = 0.0
    least = totals[0]  # at most the smallest total, so that 1 / (least + Σβ) is at least every c
    for topic in range(1, n_topics):
        least = min(least, totals[topic])
    for document in range(starts.size - 1):
        own = doc_topic[document]
        random_key = document_key(key, document)
        squares = _sort_topics(own, order, places, alpha)
        for token in range(starts[document], starts[document + 1]):
            word, topic = words[token], int(topics[token])
            row = word_topic[word]
            squares += _change(own[topic] + alpha, -1.0)
            word_squares[word] += _change(row[topic] + beta, -1.0)
            own[topic] -= 1.0
            row[topic] -= 1.0
            totals[topic] -= 1.0
            least = min(least, totals[topic])
            _move_back(own, order, places, topic)
            draw = uniform64(random_key, token - starts[document])
            place, number = _draw(own, row, totals, order, sums, squares, word_squares[word], alpha, beta, sum_beta,
                                  1.0 / (least + sum_beta), draw)  # fmt: skip
            visited += number
            topic = int(order[place])
            topics[token] = topic
            squares += _change(own[topic] + alpha, 1.0)
            word_squares[word] += _change(row[topic] + beta, 1.0)
            own[topic] += 1.0
            row[topic] += 1.0
            totals[topic] += 1.0
            _move_forward(own, order, places, topic)
    return visited


@inline_kernel
def _draw(
    own: np.ndarray,
    row: np.ndarray,
    totals: np.ndarray,
    order: np.ndarray,
    sums: np.ndarray,
    squares: float,
    word_squares: float,
    alpha: float,
    beta: float,
    sum_beta: float,
    largest: float,
    draw: float,
) -> tuple[int, int]:
    """Return the place of the drawn topic in the order, and the number of visited topics."""
    n_topics = totals.size
    total, bound = 0.0, math.inf
    for place in range(n_topics):
        topic = order[place]
        left, right = own[topic] + alpha, row[topic] + beta
        weight = left * right / (totals[topic] + sum_beta)
        before, last_bound = total, bound
        total += weight
        sums[place] = total
        squares -= left * left
        word_squares -= right * right
        if place == n_topics - 1:
            bound = total
        else:
            rest = math.sqrt(max(squares, 0.0) * max(word_squares, 0.0)) * largest
            bound = min(last_bound, (total + rest) * (1.0 + _SLACK))
        if draw * bound <= total:
            # Decided after this topic: it, or what the last bound kept back of the topics before.
            found = place
            if draw * bound <= before:
                begin = 0.0 if place == 0 else before / last_bound
                chosen = (draw - begin) / (before / bound - begin) * before
                found = 0
                while found < place - 1 and sums[found] < chosen:
                    found += 1
            return found, place + 1
    return n_topics - 1, n_topics  # rounding


@inline_kernel
def _change(value: float, step: float) -> float:
    """Return the change of a square when its root changes by a step of ±1."""
    return 2.0 * step * value + 1.0


@inline_kernel
def _sort_topics(own: np.ndarray, order: np.ndarray, places: np.ndarray, alpha: float) -> float:
    """Sort the topics of a document, largest count first, and return Σ_k (n_dk + α)²."""
    squares = 0.0
    for topic in range(own.size):
        squares += (own[topic] + alpha) ** 2
        place = topic
        while place > 0 and own[order[place - 1]] < own[topic]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = topic
    for place in range(own.size):
        places[order[place]] = place
    return squares


@inline_kernel
def _move_back(own: np.ndarray, order: np.ndarray, places: np.ndarray, topic: int) -> None:
    """Restore the order after the count of a topic fell."""
    place = places[topic]
    while place < own.size - 1 and own[order[place + 1]] > own[topic]:
        order[place] = order[place + 1]
        places[order[place]] = place
        place += 1
    order[place] = topic
    places[topic] = place


@inline_kernel
def _move_forward(own: np.ndarray, order: np.ndarray, places: np.ndarray, topic: int) -> None:
    """Restore the order after the count of a topic rose."""
    place = places[topic]
    while place > 0 and own[order[place - 1]] < own[topic]:
        order[place] = order[place - 1]
        places[order[place]] = place
        place -= 1
    order[place] = topic
    places[topic] = place
