"""Candidates of suggested links: with many training documents, the ones whose scores are computed.

A score is a mean over samples, and with 200,000 training documents and 40 samples there are too many values to compute.
Candidates are the documents with the highest mean over chains of z̄ᵀ U z̄_j, where z̄, U and z̄_j are means over the
samples of a chain. Their scores are then computed as all scores are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sparse

from plait.engine.sample import Sample
from plait.responses.base import Map
from plait.responses.linear.partners import BestPartners, add_mean_topics

_BLOCK = 2048  # training documents per block
_FILLED = 256  # training documents per task when their mean topics are computed


def orient_weights(weights: np.ndarray, direction: str) -> np.ndarray:
    """Return the weights for links "to" training documents, "from" them, or of "either" direction."""
    if direction == "to":
        return weights
    return weights.T if direction == "from" else 0.5 * (weights + weights.T)


def find_candidates(
    chains: Sequence[Sequence[Sample]],
    place: int,
    topics: Sequence[Sequence[np.ndarray]],
    direction: str,
    number: int,
    left_out: sparse.csr_array | None,
    map: Map,
) -> list[np.ndarray]:
    """Return the training documents with the highest mean values for each document.

    Parameters
    ----------
    chains : sequence of sequence of Sample
        The samples of every chain.
    place : int
        Index of the link response among those of the model.
    topics : sequence of sequence of ndarray
        For every chain and sample, z̄ of the documents (documents × topics).
    direction : {"either", "to", "from"}
        Direction of the links.
    number : int
        Candidates per document.
    left_out : csr_array of shape (documents, training documents) or None
        Nonzero entries are no candidates.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    list of ndarray of int64
        Candidates of every document, by number.
    """
    queries = []
    for samples, own in zip(chains, topics, strict=True):
        weights = np.mean([orient_weights(sample.weights[place], direction) for sample in samples], axis=0)
        queries.append(np.einsum("dk,kl->dl", np.mean(own, axis=0), weights))
    best = BestPartners(np.concatenate(queries, axis=1), number, left_out)
    n_topics = queries[0].shape[1]
    counted = [[_arrays(sample) for sample in samples] for samples in chains]
    n_known = counted[0][0][0].size - 1
    for first in range(0, n_known, _BLOCK):
        last = min(first + _BLOCK, n_known)
        block = np.zeros((last - first, len(queries) * n_topics), np.float32)
        _fill_block(first, last, counted, n_topics, block, map)
        best.add(first, block, map)
    return best.documents()


def _fill_block(
    begin: int, end: int, counted: Sequence[Sequence[tuple]], n_topics: int, block: np.ndarray, map: Map
) -> None:
    """Fill a block with the mean topics of the documents `begin` to `end` under every chain."""

    def fill(first: int) -> None:
        last = min(first + _FILLED, end)
        for chain, tables in enumerate(counted):
            for doc_topic in tables:
                rows = block[first - begin : last - begin]
                add_mean_topics(first, last, doc_topic, 1.0 / len(tables), chain * n_topics, rows)

    map(fill, range(begin, end, _FILLED))


def _arrays(sample: Sample) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    assert sample.doc_topic is not None
    return sample.doc_topic.indptr, sample.doc_topic.indices, sample.doc_topic.data
