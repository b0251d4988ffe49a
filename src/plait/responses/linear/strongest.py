"""The pairs of topics that contribute most to the value z̄_iᵀ U z̄_j of a pair of documents, averaged over samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.base import Map
from plait.samplers.kernels.compiled import inline_kernel, kernel


class Strongest(NamedTuple):
    """Pairs of topics with the largest contributions, largest first; of equal ones, the first pair."""

    pairs: np.ndarray  # int64, pairs of documents × number: topic · n_topics + other topic; −1 for none
    pushes: np.ndarray  # mean contributions; only those above 0 are listed


def strongest_topics(
    own: np.ndarray,
    weights: np.ndarray,
    others: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    number: int,
    map: Map,
) -> Strongest:
    """Return the pairs of topics with the largest mean contributions z̄_ik U_kl z̄_jl.

    Parameters
    ----------
    own : ndarray of shape (samples, documents, topics)
        z̄ of the documents.
    weights : ndarray of shape (samples, topics, topics)
        U.
    others : ndarray of shape (samples, others, topics)
        z̄ of the other documents.
    starts, rows : ndarray of int64
        Document d is paired with the other documents rows[starts[d]] up to rows[starts[d + 1]].
    number : int
        Pairs of topics per pair of documents.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    Strongest
        Pairs of topics and their contributions, for every pair of documents.
    """
    n_samples, n_documents, n_topics = own.shape
    found = Strongest(np.full((rows.size, number), -1, np.int64), np.zeros((rows.size, number)))
    # Of both tables, the other topic is the first axis, so that only the rows of topics that occur are read.
    turned = np.ascontiguousarray(weights.transpose(0, 2, 1))

    def fill(document: int) -> None:
        space = np.empty((n_samples, n_topics, n_topics)), np.empty((n_topics, n_topics))
        _fill_strongest(document, own, turned, others, starts, rows, *found, *space)

    map(fill, range(n_documents))
    return found


@kernel
def _fill_strongest(document, own, weights, others, starts, rows, pairs, pushes, pulled, total):
    """Fill in the strongest pairs of topics of one document; `pulled` and `total` are working memory."""
    n_samples, n_topics = own.shape[0], own.shape[2]
    for sample in range(n_samples):
        for other in range(n_topics):
            for topic in range(n_topics):
                pulled[sample, other, topic] = own[sample, document, topic] * weights[sample, other, topic]
    for place in range(starts[document], starts[document + 1]):
        row = rows[place]
        total[:] = 0.0
        for sample in range(n_samples):
            for other in range(n_topics):
                share = others[sample, row, other]
                if share != 0:
                    for topic in range(n_topics):
                        total[other, topic] += pulled[sample, other, topic] * share
        for other in range(n_topics):
            for topic in range(n_topics):
                push = total[other, topic] / n_samples
                pair = topic * n_topics + other
                if push > 0:
                    _insert(pairs[place], pushes[place], pair, push)


@inline_kernel
def _insert(pairs, pushes, pair, push):
    """Insert a pair of topics into a list of the strongest if it is stronger than the last one."""
    here = pushes.size
    while here > 0 and (push > pushes[here - 1] or (push == pushes[here - 1] and pair < pairs[here - 1])):
        here -= 1
    for later in range(pushes.size - 1, here, -1):
        pairs[later], pushes[later] = pairs[later - 1], pushes[later - 1]
    if here < pushes.size:
        pairs[here], pushes[here] = pair, push
