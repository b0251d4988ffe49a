"""Low-rank weights of links: U = A Bᵀ, where A and B have one row per topic and r columns.

The value of a link from i to j is z̄_iᵀ A Bᵀ z̄_j. Given B it is linear in A, with x = z̄_i ⊗ g_j and g_j = Bᵀ z̄_j; given
A it is linear in B, with x = z̄_j ⊗ Aᵀ z̄_i. So each half is a Gaussian regression of topics × r weights, and its sums
have the structure of bilinear.py with r columns in place of the topics of the other document:

    Σ_ij λ_ij x xᵀ  =  Σ_i (z̄_i z̄_iᵀ) ⊗ Σ_j λ_ij g_j g_jᵀ

A and B have the prior N(0, ν / √r), so that the entries of A Bᵀ have the standard deviation ν. If links have no
direction, U = ½ (A Bᵀ + B Aᵀ) and x = ½ (z̄_i ⊗ g_j + z̄_j ⊗ g_i). With every pair listed at both ends,

    Σ λ x xᵀ  =  ¼ Σ_i (z̄_i z̄_iᵀ) ⊗ Σ_j λ_ij g_j g_jᵀ  +  ¼ Σ_i Σ_j λ_ij (z̄_i ⊗ g_j) (z̄_j ⊗ g_i)ᵀ

whose last sum is made of C_i = Σ_j λ_ij z̄_j g_jᵀ. A prior mean M of U is an offset: U = M + A Bᵀ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.base import Map
from plait.responses.linear import bilinear
from plait.responses.linear.cholesky import factor, solve
from plait.responses.linear.link_sums import Pairs, Sums, TopicLists, sum_statistics
from plait.samplers.kernels.compiled import kernel

_MAX_BYTES = 256 << 20  # of the partial sums of all chunks
_MAX_CHUNKS = 4
_MIN_SOURCES = 256  # minimum number of sources per chunk


class Factors(NamedTuple):
    """The factors of U and what else it is made of."""

    halves: tuple[np.ndarray, np.ndarray]  # A and B, topics × r each
    symmetric: bool  # U = ½ (A Bᵀ + B Aᵀ)
    mean: np.ndarray | None  # M, topics × topics; None for 0
    turn: int = 0  # the half that is drawn next: 0 for A

    def weights(self) -> np.ndarray:
        """Return U."""
        product = np.einsum("kr,lr->kl", *self.halves)  # without BLAS, whose order of additions depends on the machine
        if self.symmetric:
            product = 0.5 * (product + product.T)
        return product if self.mean is None else self.mean + product

    def with_half(self, half: np.ndarray) -> Factors:
        """Return the factors with the half that was due; the other one is due next."""
        halves = (half, self.halves[1]) if self.turn == 0 else (self.halves[0], half)
        return self._replace(halves=halves, turn=1 - self.turn)


def prior_spread(nu: float, rank: int) -> float:
    """Return the prior standard deviation of the factors with which the entries of A Bᵀ have that of ν."""
    return float(np.sqrt(nu / np.sqrt(rank)))


def half_sums(
    factors: Factors, pairs: Pairs, lists: TopicLists, pull: np.ndarray, precision: np.ndarray, map: Map
) -> tuple[np.ndarray, ...]:
    """Return the sums over pairs that the half depends on that is due.

    Parameters
    ----------
    factors : Factors
        Current factors.
    pairs : Pairs
        Pairs by the document whose topics x has as they are: sources of links for A, targets for B. If U is symmetric,
        every pair is listed at both ends.
    lists : TopicLists
        Topics of all documents; those with pairs come first.
    pull, precision : ndarray of shape (pairs,)
        Pseudo-observations.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    tuple of ndarray
        `Sums`; if U is symmetric, followed by Σ λ (z̄_i ⊗ g_j) (z̄_j ⊗ g_i)ᵀ.
    """
    other = factors.halves[1 - factors.turn]
    if factors.mean is not None:
        mean = factors.mean if factors.turn == 0 else factors.mean.T
        pull = pull - precision * bilinear.pair_values(pairs, lists, mean, map)
    columns = bilinear.map_topics(lists, other, map)  # g of all documents
    sums = sum_statistics(pairs, lists, len(other), pull, precision, map, columns)
    return (*sums, _cross_sums(pairs, lists, columns, precision, len(other), map)) if factors.symmetric else sums


def draw_half(
    factors: Factors, sums: tuple[np.ndarray, ...], nu: float, random: np.random.Generator | None, map: Map
) -> Factors:
    """Draw the half that is due, or set it to its mean.

    Parameters
    ----------
    factors : Factors
        Current factors.
    sums : tuple of ndarray
        What `half_sums` returned, added over the shards.
    nu : float
        Prior standard deviation of the entries of A Bᵀ.
    random : np.random.Generator or None
        Source of random numbers; None for the mean.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    Factors
        Factors whose other half is due.
    """
    shape = factors.halves[0].shape
    size = shape[0] * shape[1]
    precision, moments, drawn = np.empty((size, size)), np.empty(size), np.empty(size)
    bilinear.fill_full(*Sums(*sums[:2]), 0.0, precision, moments)
    if factors.symmetric:
        precision = 0.25 * (precision + sums[2])
        moments *= 0.5
    precision[np.diag_indices(size)] += 1.0 / prior_spread(nu, shape[1]) ** 2
    factor(precision, map)
    solve(precision, moments, np.zeros(size) if random is None else random.standard_normal(size), drawn)
    return factors.with_half(drawn.reshape(shape))


def _cross_sums(
    pairs: Pairs, lists: TopicLists, columns: np.ndarray, precision: np.ndarray, n_topics: int, map: Map
) -> np.ndarray:
    """Return Σ_i Σ_j λ_ij (z̄_i ⊗ g_j) (z̄_j ⊗ g_i)ᵀ."""
    n_sources, size = pairs.starts.size - 1, n_topics * columns.shape[1]
    n_chunks = int(np.clip(min(n_sources // _MIN_SOURCES, _MAX_BYTES // (8 * size * size)), 1, _MAX_CHUNKS))
    edges = np.searchsorted(pairs.starts, np.linspace(0, pairs.targets.size, n_chunks + 1), side="left")
    edges[0], edges[-1] = 0, n_sources

    def sum_chunk(number: int) -> np.ndarray:
        sums, room = np.zeros((size, size)), np.zeros((n_topics, columns.shape[1]))
        _sum_crosses(edges[number], edges[number + 1], pairs, lists, columns, precision, sums, room)
        return sums

    first, *others = map(sum_chunk, range(n_chunks))
    for other in others:
        first += other
    return first


@kernel
def _sum_crosses(first, last, pairs, lists, columns, precision, sums, by_topic):
    n_topics, rank = by_topic.shape
    for source in range(first, last):
        if pairs.starts[source] == pairs.starts[source + 1]:
            continue
        for topic in range(n_topics):
            for column in range(rank):
                by_topic[topic, column] = 0.0
        for number in range(pairs.starts[source], pairs.starts[source + 1]):
            target = pairs.targets[number]
            for entry in range(lists.starts[target], lists.starts[target + 1]):
                share = precision[number] * lists.shares[entry]
                for column in range(rank):
                    by_topic[lists.topics[entry], column] += share * columns[target, column]
        for entry in range(lists.starts[source], lists.starts[source + 1]):
            share, row = lists.shares[entry], lists.topics[entry] * rank
            for topic in range(n_topics):
                for one in range(rank):
                    factor = share * by_topic[topic, one]
                    if factor != 0.0:
                        for other in range(rank):
                            sums[row + one, topic * rank + other] += factor * columns[source, other]
