"""Weights of links given pseudo-observations, against NumPy with x = vec(z̄_i z̄_jᵀ) written out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from plait.executors import Threads
from plait.responses.base import DocTopics, serial_map
from plait.responses.linear import bilinear, link_sums, regression
from plait.responses.linear.link_sums import Pairs

NU = 0.8


class Case(NamedTuple):
    pairs: Pairs
    sources: np.ndarray
    topics: DocTopics
    pull: np.ndarray
    precision: np.ndarray
    mean: np.ndarray

    @property
    def n_topics(self):
        return self.mean.shape[1]

    def sums(self, map=serial_map):
        listed = bilinear.list_topics(self.topics)
        return link_sums.sum_statistics(self.pairs, listed, self.n_topics, self.pull, self.precision, map)

    def designs(self):
        """vec(z̄_i z̄_jᵀ) of every pair, row by row as the paper has it: pairs × topics²."""
        of_source, of_target = self.mean[self.sources], self.mean[self.pairs.targets]
        return (of_source[:, :, np.newaxis] * of_target[:, np.newaxis, :]).reshape(-1, self.n_topics**2)

    def posterior(self, basis, prior=0.0):
        """Precision and moments of the weights θ, where vec(U) = basis θ and the prior is N(prior, ν² I)."""
        designs = self.designs() @ basis
        precision = np.eye(designs.shape[1]) / NU**2 + designs.T @ (self.precision[:, np.newaxis] * designs)
        return precision, designs.T @ self.pull + prior / NU**2


def random_case(seed, n_documents=600, n_topics=4, sources=None, n_pairs=2000):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.8, size=(n_documents, n_topics)).astype(np.int32)
    counts[3:6] = 0  # documents without words
    if sources is None:
        sources = rng.integers(n_documents, size=n_pairs)
        sources[sources == 8] = 9  # a document from which no link goes out
        sources[:2] = 4
    sources = np.sort(sources)
    targets = rng.integers(n_documents, size=sources.size).astype(np.int32)
    targets[::50] = 5
    starts = np.searchsorted(sources, np.arange(n_documents + 1)).astype(np.int64)
    topics = DocTopics(counts, counts.sum(axis=1).astype(float))
    mean = counts / np.maximum(topics.lengths, 1)[:, np.newaxis]
    pull, precision = rng.normal(size=sources.size), rng.gamma(1.0, size=sources.size)
    return Case(Pairs(starts, targets), sources, topics, pull, precision, mean)


def symmetric_basis(n_topics):
    """Columns: the symmetric matrices with a one in (high, low) and (low, high), low half read row by row."""
    columns = []
    for high in range(n_topics):
        for low in range(high + 1):
            matrix = np.zeros((n_topics, n_topics))
            matrix[high, low] = matrix[low, high] = 1.0
            columns.append(matrix.ravel())
    return np.array(columns).T


def diagonal_basis(n_topics):
    return np.array([np.diag(row).ravel() for row in np.eye(n_topics)]).T


@pytest.mark.parametrize("n_topics", [4, 9])
def test_sums_are_those_of_the_definition(n_topics):
    case = random_case(0, n_topics=n_topics)
    sums = case.sums()
    np.testing.assert_allclose(sums.moments.ravel(), case.designs().T @ case.pull, atol=1e-10)
    full = (case.designs().T @ (case.precision[:, np.newaxis] * case.designs())).reshape([n_topics] * 4)
    later, earlier = np.tril_indices(n_topics)
    for row, (source, other_source) in enumerate(zip(later, earlier, strict=True)):
        for column, (target, other_target) in enumerate(zip(later, earlier, strict=True)):
            expected = full[source, target, other_source, other_target]
            assert sums.products[row, column] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("where", ["from one document", "from the last document", "nowhere"])
def test_sums_of_uneven_networks(where):
    sources = {"from one document": [700] * 900, "from the last document": [1299] * 30, "nowhere": []}[where]
    case = random_case(1, n_documents=1300, sources=np.array(sources, dtype=np.int64))
    sums = case.sums()
    np.testing.assert_allclose(sums.moments.ravel(), case.designs().T @ case.pull, atol=1e-10)
    ones = case.precision @ (case.designs().sum(axis=1) ** 2)
    doubled = np.where(np.equal(*np.tril_indices(case.n_topics)), 1.0, 2.0)
    assert doubled @ sums.products @ doubled == pytest.approx(ones, abs=1e-9)


def test_sums_have_the_same_bits_for_any_number_of_threads():
    case = random_case(2, n_documents=3000, n_pairs=9000)
    alone = case.sums()
    for n_jobs in (2, 3):
        with Threads(n_jobs) as executor:
            together = case.sums(executor.map)
        np.testing.assert_array_equal(alone.products, together.products)
        np.testing.assert_array_equal(alone.moments, together.moments)


def test_values_are_bilinear_and_0_without_words():
    case = random_case(3)
    weights = np.random.default_rng(4).normal(size=(case.n_topics, case.n_topics))
    values = bilinear.pair_values(case.pairs, bilinear.list_topics(case.topics), weights)
    np.testing.assert_allclose(values, case.designs() @ weights.ravel(), atol=1e-12)
    empty = (case.topics.lengths[case.sources] == 0) | (case.topics.lengths[case.pairs.targets] == 0)
    assert empty.sum() > 2
    assert (values[empty] == 0).all()


@pytest.mark.parametrize("n_topics", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("expects", [False, True], ids=["0", "a mean"])
def test_weights_have_the_posterior_mean_and_covariance(n_topics, symmetric, expects):
    case = random_case(5, n_topics=n_topics)
    basis = symmetric_basis(n_topics) if symmetric else np.eye(n_topics**2)
    prior = np.random.default_rng(n_topics).normal(size=basis.shape[1]) * expects
    precision, moments = case.posterior(basis, prior)
    covariance = np.linalg.inv(precision)
    sums, size = case.sums(), basis.shape[1]
    assert bilinear.n_weights(n_topics, symmetric) == size
    expected = (basis @ prior).reshape(n_topics, n_topics) if expects else None
    mean = bilinear.draw_weights(sums, NU, symmetric, None, expected)
    np.testing.assert_allclose(mean.ravel(), basis @ covariance @ moments, atol=1e-10)
    # A draw is the mean plus a matrix times standard normals; one unit vector after the other shows that matrix.
    root = np.array([bilinear.draw_weights(sums, NU, symmetric, unit, expected) - mean for unit in np.eye(size)])
    root = root.reshape(size, -1).T
    np.testing.assert_allclose(root @ root.T, basis @ covariance @ basis.T, atol=1e-10)


@pytest.mark.parametrize("symmetric", [False, True])
def test_draws_have_the_posterior_moments(symmetric):
    case = random_case(6, n_topics=2, n_pairs=60)
    basis = symmetric_basis(2) if symmetric else np.eye(4)
    precision, moments = case.posterior(basis)
    covariance = basis @ np.linalg.inv(precision) @ basis.T
    expected = basis @ np.linalg.solve(precision, moments)
    rng, sums, n_draws = np.random.default_rng(7), case.sums(), 8000
    normals = rng.normal(size=(n_draws, basis.shape[1]))
    draws = np.array([bilinear.draw_weights(sums, NU, symmetric, row).ravel() for row in normals])
    assert (np.abs(draws.mean(axis=0) - expected) < 4 * np.sqrt(np.diag(covariance) / n_draws)).all()
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=5 * covariance.max() / np.sqrt(n_draws))


def test_without_pairs_weights_have_their_prior():
    case = random_case(8, n_documents=20, sources=np.empty(0, np.int64))
    normals = np.random.default_rng(9).normal(size=16)
    np.testing.assert_allclose(bilinear.draw_weights(case.sums(), NU, False, normals).ravel(), NU * normals)
    assert (bilinear.draw_weights(case.sums(), NU, True, None) == 0).all()
    mean = np.arange(16.0).reshape(4, 4)
    drawn = bilinear.draw_weights(case.sums(), NU, False, normals, mean)
    np.testing.assert_allclose(drawn.ravel(), mean.ravel() + NU * normals)


def full_precision(sums):
    """Σ⁻¹ − I/ν² of the full matrix, topics⁴, as the sums hold it."""
    n_topics = sums.moments.shape[0]
    place = np.empty((n_topics, n_topics), int)
    rows, columns = np.tril_indices(n_topics)
    place[rows, columns] = place[columns, rows] = np.arange(rows.size)
    products = sums.products[place[:, :, np.newaxis, np.newaxis], place]  # source, other source, target, other target
    return products.transpose(0, 2, 1, 3).reshape(n_topics**2, n_topics**2)


def test_the_diagonal_is_the_full_matrix_with_all_else_held_at_0():
    case = random_case(10, n_topics=5)
    sums, basis = case.sums(), diagonal_basis(5)
    n_pairs = case.sources.size
    both = DocTopics(case.mean[case.sources] * case.mean[case.pairs.targets], np.ones(n_pairs))
    one_each = regression.LabelledDocuments(np.arange(n_pairs + 1), np.zeros(n_pairs, np.int32), 1)
    linear = regression.sum_statistics(one_each, both, case.pull, case.precision, serial_map)
    restricted = basis.T @ full_precision(sums) @ basis
    np.testing.assert_allclose(linear.products[:, 0], restricted[np.tril_indices(5)], atol=1e-10)
    np.testing.assert_allclose(linear.moments[:, 0], basis.T @ sums.moments.ravel(), atol=1e-10)


def test_the_symmetric_matrix_is_the_full_one_with_both_halves_held_equal():
    case = random_case(11, n_topics=5)
    sums, basis = case.sums(), symmetric_basis(5)
    precision = np.eye(basis.shape[1]) / NU**2 + basis.T @ full_precision(sums) @ basis
    expected = basis @ np.linalg.solve(precision, basis.T @ sums.moments.ravel())
    drawn = bilinear.draw_weights(sums, NU, True, None)
    np.testing.assert_array_equal(drawn, drawn.T)
    np.testing.assert_allclose(drawn.ravel(), expected, atol=1e-10)
