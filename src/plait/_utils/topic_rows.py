"""Rows of topics after an edit: added up, divided or left out.

`origins` says of every new topic which of the topics before it is made of: several for merged topics, the same one for
the parts of a split topic. A topic that no new topic names is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Origins = Sequence[Sequence[int]]


def sum_rows(values: np.ndarray, origins: Origins) -> np.ndarray:
    """Return the rows of the new topics: sums for merged topics, equal parts for split ones.

    Parameters
    ----------
    values : ndarray of shape (topics, ...)
        Numbers that add up, such as counts or α.
    origins : sequence of sequence of int
        Topics that each new topic is made of.

    Returns
    -------
    ndarray of shape (new topics, ...)
        Sums.

    Examples
    --------
    >>> sum_rows(np.array([1.0, 2.0, 4.0]), [(0, 1), (2,), (2,)])
    array([3., 2., 2.])
    """
    n_parts = np.bincount([topic for own in origins for topic in own], minlength=len(values))
    return np.stack([sum(values[topic] / n_parts[topic] for topic in own) for own in origins])


def largest_rows(values: np.ndarray, origins: Origins) -> np.ndarray:
    """Return the rows of the new topics: the largest numbers for merged topics, copies for split ones.

    Parameters
    ----------
    values : ndarray of shape (topics, ...)
        Numbers that do not add up, such as β.
    origins : sequence of sequence of int
        Topics that each new topic is made of.

    Returns
    -------
    ndarray of shape (new topics, ...)
        Maxima.

    Examples
    --------
    >>> largest_rows(np.array([0.1, 0.2, 0.4]), [(0, 1), (2,), (2,)])
    array([0.2, 0.4, 0.4])
    """
    return np.stack([np.max([values[topic] for topic in own], axis=0) for own in origins])


def mean_rows(values: np.ndarray, origins: Origins) -> np.ndarray:
    """Return the rows of the new topics: means for merged topics, copies for split ones.

    Parameters
    ----------
    values : ndarray of shape (topics, ...)
        Numbers per token, such as weights of a response.
    origins : sequence of sequence of int
        Topics that each new topic is made of.

    Returns
    -------
    ndarray of shape (new topics, ...)
        Means.

    Examples
    --------
    >>> mean_rows(np.array([1.0, 2.0, 4.0]), [(0, 1), (2,), (2,)])
    array([1.5, 4. , 4. ])
    """
    return np.stack([np.mean([values[topic] for topic in own], axis=0) for own in origins])
