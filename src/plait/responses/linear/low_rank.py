"""Low-rank weights of links: U = A Bᵀ + diag(d) + b, where A and B have one row per topic and r columns.

Topics link to themselves most, and a matrix of low rank cannot say that of many topics: so U has a diagonal beside it,
and b, the same number for all pairs of topics. The value of a link from i to j is

    m_ij  =  z̄_iᵀ A Bᵀ z̄_j + Σ_k d_k z̄_ik z̄_jk + b

Each of A, B and (d, b) is drawn given the others, which make an offset of the value: pull − precision · offset takes
the place of pull. Given B, the rest is linear in A, with x = z̄_i ⊗ g_j and g_j = Bᵀ z̄_j; given A it is linear in B,
with x = z̄_j ⊗ Aᵀ z̄_i. So each factor is a Gaussian regression of topics × r weights, and its sums have the structure
of bilinear.py with r columns in place of topics; (d, b) is a regression on z̄_i ∘ z̄_j and 1.

    Σ_ij λ_ij x xᵀ  =  Σ_i (z̄_i z̄_iᵀ) ⊗ Σ_j λ_ij g_j g_jᵀ

d and b have the prior N(0, ν²). A and B have the prior N(0, ν / √r), so that the entries of A Bᵀ have the standard
deviation ν. If links have no direction, the symmetric part ½ (A Bᵀ + B Aᵀ) takes the place of A Bᵀ, and x is
½ (z̄_i ⊗ g_j + z̄_j ⊗ g_i). With every pair listed at both ends,

    Σ λ x xᵀ  =  ¼ Σ_i (z̄_i z̄_iᵀ) ⊗ Σ_j λ_ij g_j g_jᵀ  +  ¼ Σ_i Σ_j λ_ij (z̄_i ⊗ g_j) (z̄_j ⊗ g_i)ᵀ

whose last sum is made of C_i = Σ_j λ_ij z̄_j g_jᵀ. A prior mean M of U is one more offset: M is added to U.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.base import Map
from plait.responses.linear import bilinear, diagonal, regression
from plait.responses.linear.cholesky import factor, solve
from plait.responses.linear.link_sums import Pairs, Sums, TopicLists, sum_statistics
from plait.samplers.kernels.compiled import kernel

_MAX_BYTES = 256 << 20  # of the partial sums of all chunks
_MAX_CHUNKS = 4
_MIN_SOURCES = 256  # minimum number of sources per chunk
_BLOCK = 512  # sources per task when values are computed
LEFT, RIGHT, DIAGONAL = range(3)  # the parts, in the order in which they are drawn


class Parts(NamedTuple):
    """What U is made of."""

    values: tuple[np.ndarray, np.ndarray, np.ndarray]  # A and B, topics × r each; d, with b at the end
    symmetric: bool  # ½ (A Bᵀ + B Aᵀ) in place of A Bᵀ
    mean: np.ndarray | None  # M, topics × topics; None for 0
    turn: int = LEFT  # the part that is drawn next

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.values[LEFT])

    def weights(self) -> np.ndarray:
        """Return U."""
        left, right, own = self.values
        product = np.einsum("kr,lr->kl", left, right)  # without BLAS, whose order of additions depends on the machine
        if self.symmetric:
            product = 0.5 * (product + product.T)
        product += own[-1]
        product[np.diag_indices(len(product))] += own[:-1]
        return product if self.mean is None else self.mean + product

    def with_part(self, part: np.ndarray) -> Parts:
        """Return the parts with the one that was due; the next one is due now."""
        values = list(self.values)
        values[self.turn] = part
        return self._replace(values=(values[LEFT], values[RIGHT], values[DIAGONAL]), turn=(self.turn + 1) % 3)

    def offsets(self, pairs: Pairs, lists: TopicLists, map: Map) -> np.ndarray:
        """Return the values of pairs, without those of the part that is due.

        Pairs of B are listed by their targets; only M differs from its transpose.
        """
        if self.turn == DIAGONAL:
            total = self._factor_values(pairs, lists, map)
        else:
            total = diagonal.pair_values(pairs, with_ones(lists, self.n_topics), self.values[DIAGONAL], map)
        if self.mean is not None:
            total += bilinear.pair_values(pairs, lists, self.mean.T if self.turn == RIGHT else self.mean, map)
        return total

    def pair_values(self, pairs: Pairs, lists: TopicLists, map: Map) -> np.ndarray:
        """Return z̄_iᵀ U z̄_j of every pair."""
        return self._replace(turn=LEFT).offsets(pairs, lists, map) + self._factor_values(pairs, lists, map)

    def _factor_values(self, pairs: Pairs, lists: TopicLists, map: Map) -> np.ndarray:
        """Return z̄_iᵀ A Bᵀ z̄_j of every pair, or its symmetric part."""
        left, right, _ = self.values
        ends = bilinear.map_topics(lists, left, map), bilinear.map_topics(lists, right, map)
        if self.symmetric:
            ends = 0.5 * np.concatenate(ends, axis=1), np.concatenate(ends[::-1], axis=1)
        values, n_sources = np.zeros(pairs.targets.size), pairs.starts.size - 1
        map(
            lambda first: _multiply_ends(first, min(first + _BLOCK, n_sources), pairs, *ends, values),
            range(0, n_sources, _BLOCK),
        )
        return values


def prior_spread(nu: float, rank: int) -> float:
    """Return the prior standard deviation of the factors with which the entries of A Bᵀ have that of ν."""
    return float(np.sqrt(nu / np.sqrt(rank)))


def with_ones(lists: TopicLists, n_topics: int) -> TopicLists:
    """Return the topics of all documents, with a 1 after the topics of every document that has words."""
    there = np.diff(lists.starts) > 0
    ends = lists.starts[1:][there]
    return TopicLists(
        lists.starts + np.concatenate([[0], np.cumsum(there)]),
        np.insert(lists.topics, ends, n_topics),
        np.insert(lists.shares, ends, 1.0),
    )


def part_sums(
    parts: Parts, pairs: Pairs, lists: TopicLists, pull: np.ndarray, precision: np.ndarray, map: Map
) -> tuple[np.ndarray, ...]:
    """Return the sums over pairs that the part depends on that is due.

    Parameters
    ----------
    parts : Parts
        Current parts.
    pairs : Pairs
        Pairs by their sources for A and (d, b), by their targets for B. For A and B of a symmetric U, every pair is
        listed at both ends.
    lists : TopicLists
        Topics of all documents; those with pairs come first.
    pull, precision : ndarray of shape (pairs,)
        Pseudo-observations.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    tuple of ndarray
        `Sums`; for A and B of a symmetric U, followed by Σ λ (z̄_i ⊗ g_j) (z̄_j ⊗ g_i)ᵀ.
    """
    n_topics = parts.n_topics
    pull = pull - precision * parts.offsets(pairs, lists, map)
    if parts.turn == DIAGONAL:
        return diagonal.sum_statistics(pairs, with_ones(lists, n_topics), n_topics + 1, pull, precision, map)
    columns = bilinear.map_topics(lists, parts.values[RIGHT if parts.turn == LEFT else LEFT], map)  # g of all documents
    sums = sum_statistics(pairs, lists, n_topics, pull, precision, map, columns)
    return (*sums, _cross_sums(pairs, lists, columns, precision, n_topics, map)) if parts.symmetric else sums


def draw_part(
    parts: Parts, sums: tuple[np.ndarray, ...], nu: float, random: np.random.Generator | None, map: Map
) -> Parts:
    """Draw the part that is due, or set it to its mean.

    Parameters
    ----------
    parts : Parts
        Current parts.
    sums : tuple of ndarray
        What `part_sums` returned, added over the shards.
    nu : float
        Prior standard deviation of d, b and the entries of A Bᵀ.
    random : np.random.Generator or None
        Source of random numbers; None for the mean.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    Parts
        Parts whose next one is due.
    """
    shape = parts.values[parts.turn].shape
    if parts.turn == DIAGONAL:
        normals = None if random is None else random.standard_normal((1, *shape))
        return parts.with_part(regression.draw_weights(regression.Sums(*sums), nu, normals, map)[0])
    size = shape[0] * shape[1]
    precision, moments, drawn = np.empty((size, size)), np.empty(size), np.empty(size)
    bilinear.fill_full(*Sums(*sums[:2]), 0.0, precision, moments)
    if parts.symmetric:
        precision = 0.25 * (precision + sums[2])
        moments *= 0.5
    precision[np.diag_indices(size)] += 1.0 / prior_spread(nu, shape[1]) ** 2
    factor(precision, map)
    solve(precision, moments, np.zeros(size) if random is None else random.standard_normal(size), drawn)
    return parts.with_part(drawn.reshape(shape))


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
def _multiply_ends(first, last, pairs, of_source, of_target, values):
    for source in range(first, last):
        for number in range(pairs.starts[source], pairs.starts[source + 1]):
            target, total = pairs.targets[number], 0.0
            for column in range(of_source.shape[1]):
                total += of_source[source, column] * of_target[target, column]
            values[number] = total


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
