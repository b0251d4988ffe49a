"""Topics of two models matched with each other, and the stability of topics between several fits.

Greene, O'Callaghan and Cunningham (2014), *How many topics? Stability analysis for topic models*, use it to choose the
number of topics. Here topics are compared by all their words: the cosine of their word distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import scipy  # its submodules are imported when they are used

from plait.errors import PlaitError


def match_topics(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the topic of a second model that matches each topic of a first one, and their similarities.

    Each topic has one partner (Hungarian assignment), so that the sum of the similarities is the largest possible.

    Parameters
    ----------
    first, second : ndarray of shape (topics, words)
        Topic–word distributions over the same words.

    Returns
    -------
    tuple of ndarray of shape (topics,)
        Number of the matching topic, and the cosine similarity of both, from 0 to 1.

    Examples
    --------
    >>> first = np.array([[0.9, 0.1, 0.0], [0.0, 0.5, 0.5]])
    >>> match_topics(first, first[::-1])
    (array([1, 0]), array([1., 1.]))
    """
    if first.shape != second.shape:
        raise PlaitError(f"the models have {first.shape} and {second.shape} topics × words; compare equal shapes")
    similarity = _unit_rows(first) @ _unit_rows(second).T
    rows, partners = scipy.optimize.linear_sum_assignment(similarity, maximize=True)
    return partners, np.clip(similarity[rows, partners], 0.0, 1.0)


def topic_stability(fits: Sequence[np.ndarray]) -> float:
    """Return how alike the topics of several fits are: the mean similarity of matched topics over pairs of fits.

    Parameters
    ----------
    fits : sequence of ndarray of shape (topics, words)
        Topic–word distributions of fits that differ in their seed, at least two.

    Returns
    -------
    float
        From 0 to 1; 1 if all fits found the same topics.

    Examples
    --------
    >>> first = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    >>> second = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    >>> round(topic_stability([first, second]), 3)
    0.854
    """
    if len(fits) < 2:
        raise PlaitError(f"stability compares at least 2 fits, not {len(fits)}")
    return float(np.mean([match_topics(one, other)[1].mean() for one, other in combinations(fits, 2)]))


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    """Return rows of length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
