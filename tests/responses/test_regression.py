"""Weights given pseudo-observations, against NumPy."""

from __future__ import annotations

import functools
from itertools import pairwise

import numpy as np
import pytest

from plait.executors import Threads
from plait.responses.base import DocTopics, serial_map
from plait.responses.joining import join_observations
from plait.responses.linear import regression
from plait.responses.linear.cholesky import factor, factor_upper
from plait.responses.linear.regression import LabelledDocuments
from plait.samplers.base import Observations


def random_case(seed, n_documents=700, n_topics=7, n_labels=5):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, size=(n_documents, n_topics)).astype(np.int32)
    counts[3] = 0  # an empty document with labels
    known = rng.random((n_documents, n_labels)) < 0.7
    known[5] = False  # one without any
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int64)
    labels = np.nonzero(known)[1].astype(np.int32)
    documents = LabelledDocuments(starts, labels, n_labels)
    topics = DocTopics(counts, counts.sum(axis=1).astype(float))
    pull, precision = rng.normal(size=labels.size), rng.gamma(1.0, size=labels.size)
    dense_pull, dense_precision = np.zeros((n_documents, n_labels)), np.zeros((n_documents, n_labels))
    dense_pull[known], dense_precision[known] = pull, precision
    mean = counts / np.maximum(topics.lengths, 1)[:, np.newaxis]
    return documents, topics, pull, precision, dense_pull, dense_precision, mean, known


def test_sums_are_those_of_the_definition():
    documents, topics, pull, precision, dense_pull, dense_precision, mean, _ = random_case(0)
    sums = regression.sum_statistics(documents, topics, pull, precision, serial_map)
    np.testing.assert_allclose(sums.moments, mean.T @ dense_pull, atol=1e-10)
    later, earlier = np.tril_indices(mean.shape[1])
    for label in range(documents.n_labels):
        expected = (mean * dense_precision[:, [label]]).T @ mean
        np.testing.assert_allclose(sums.products[:, label], expected[later, earlier], atol=1e-10)


def test_sums_have_the_same_bits_for_any_number_of_threads():
    documents, topics, pull, precision, *_ = random_case(1, n_documents=3000)
    alone = regression.sum_statistics(documents, topics, pull, precision, serial_map)
    with Threads(3) as executor:
        together = regression.sum_statistics(documents, topics, pull, precision, executor.map)
    np.testing.assert_array_equal(alone.products, together.products)
    np.testing.assert_array_equal(alone.moments, together.moments)


def sums_in_order_of_documents(documents, topics, pull, precision, edges):
    """The order of the additions: the documents of a chunk, then the chunks."""
    n_topics = topics.counts.shape[1]
    chunks = []
    for first, last in pairwise(edges):
        products = np.zeros((n_topics * (n_topics + 1) // 2, documents.n_labels))
        moments = np.zeros((n_topics, documents.n_labels))
        for document in range(first, last):
            own = slice(*documents.starts[document : document + 2])
            labels, present = documents.labels[own], np.flatnonzero(topics.counts[document])
            shares = topics.counts[document] / max(topics.lengths[document], 1)
            for later in present:
                moments[later, labels] += shares[later] * pull[own]
                for earlier in present[present <= later]:
                    row = later * (later + 1) // 2 + earlier
                    products[row, labels] += shares[later] * shares[earlier] * precision[own]
        chunks.append((products, moments))
    return tuple(functools.reduce(np.add, sums) for sums in zip(*chunks, strict=True))


@pytest.mark.parametrize(("n_documents", "n_topics", "n_labels"), [(700, 7, 5), (600, 40, 20), (300, 9, 150)])
def test_topics_labels_and_chunks_do_not_change_the_order_of_additions(n_documents, n_topics, n_labels):
    documents, topics, pull, precision, *_ = random_case(7, n_documents, n_topics, n_labels)
    edges = regression.chunk_edges(n_documents, n_topics, n_labels)
    expected = sums_in_order_of_documents(documents, topics, pull, precision, edges)
    room = regression.Sums(*(np.full_like(one, np.nan) for one in expected))
    for given in (None, room):
        found = regression.sum_statistics(documents, topics, pull, precision, serial_map, room=given)
        np.testing.assert_array_equal(found.products, expected[0])
        np.testing.assert_array_equal(found.moments, expected[1])
    assert found is room


def test_values_are_projections():
    documents, topics, _, _, _, _, mean, known = random_case(2)
    weights = np.random.default_rng(3).normal(size=(5, 7))
    np.testing.assert_allclose(
        regression.project_documents(documents, topics, weights, serial_map), (mean @ weights.T)[known], atol=1e-12
    )


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 17, 50, 101])
def test_the_factor_is_choleskys(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size + 2))
    matrix = root @ root.T
    upper = matrix.copy()
    factor_upper(upper)
    np.testing.assert_allclose(np.triu(upper), np.linalg.cholesky(matrix).T, rtol=1e-8, atol=1e-8)


def factor_in_fours(matrix):
    """The order of the additions: four rows at a time are eliminated from every row below them."""
    for first in range(0, len(matrix), 4):
        four = matrix[first : first + 4]
        for number, row in enumerate(four, first):
            for above in four[: number - first]:
                row[number:] -= above[number] * above[number:]
            row[number:] /= np.sqrt(row[number])
        for number, row in enumerate(matrix[first + 4 :], first + 4):
            one, two, three, last = four
            row[number:] -= (
                one[number] * one[number:]
                + two[number] * two[number:]
                + three[number] * three[number:]
                + last[number] * last[number:]
            )


@pytest.mark.parametrize("size", [3, 33, 70, 603])
def test_panels_and_threads_do_not_change_the_order_of_additions(size):
    root = np.random.default_rng(size).normal(size=(size, size + 2))
    matrix = root @ root.T
    expected, alone, together = matrix.copy(), matrix.copy(), matrix.copy()
    factor_in_fours(expected)
    factor_upper(alone)
    with Threads(3) as threads:
        factor(together, threads.map)
    np.testing.assert_array_equal(np.triu(alone), np.triu(expected))
    np.testing.assert_array_equal(np.triu(together), np.triu(expected))


def test_a_huge_precision_does_not_break_the_factor():
    direction = np.array([0.3, 0.5, 0.2])
    matrix = np.eye(3) + 1e18 * np.outer(direction, direction)
    factor_upper(matrix)
    assert np.isfinite(np.triu(matrix)).all()


@pytest.mark.parametrize("prior", [None, np.array([[9.0, 9.0, 9.0], [1.5, -0.8, 0.3]])], ids=["0", "a mean"])
def test_weights_have_the_posterior_mean_and_covariance(prior):
    documents, topics, pull, precision, dense_pull, dense_precision, mean, _ = random_case(4, n_topics=3, n_labels=2)
    sums = regression.sum_statistics(documents, topics, pull, precision, serial_map)
    nu = 0.8
    inverse = np.linalg.inv(np.eye(3) / nu**2 + (mean * dense_precision[:, [1]]).T @ mean)
    expected = inverse @ (mean.T @ dense_pull[:, 1] + (0 if prior is None else prior[1] / nu**2))
    np.testing.assert_allclose(regression.draw_weights(sums, nu, None, serial_map, prior)[1], expected, atol=1e-10)
    rng = np.random.default_rng(5)
    normals = rng.normal(size=(6000, 2, 3))
    draws = np.array([regression.draw_weights(sums, nu, row, serial_map, prior)[1] for row in normals])
    np.testing.assert_allclose(draws.mean(axis=0), expected, atol=4 * np.sqrt(inverse.max() / 6000))
    np.testing.assert_allclose(np.cov(draws.T), inverse, atol=0.08 * inverse.max())


@pytest.mark.parametrize("n_labels", [1, 2])
def test_weights_may_be_drawn_from_the_same_sums_again(n_labels):
    documents, topics, pull, precision, *_ = random_case(6, n_topics=3, n_labels=n_labels)
    sums = regression.sum_statistics(documents, topics, pull, precision, serial_map)
    first, again = (regression.draw_weights(sums, 0.8, None, serial_map) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def random_observations(seed, sizes, width=16):
    rng = np.random.default_rng(seed)
    total = int(np.sum(sizes))
    return Observations(
        starts=np.cumsum([0, *sizes]).astype(np.int64),
        rows=rng.integers(3, size=total).astype(np.int32),
        pull=rng.normal(size=total),
        precision=rng.random(total),
        directions=rng.normal(size=3 * width).astype(np.float32),
        exact=True,
    )


def test_joined_observations_are_those_of_each_document_in_turn():
    first, second = random_observations(0, [2, 0, 3]), random_observations(1, [1, 4, 0])
    joined = join_observations([first, second], 16)

    def said(observations, document):
        own = slice(observations.starts[document], observations.starts[document + 1])
        directions = observations.directions.reshape(-1, 16)[observations.rows[own]]
        return np.column_stack([observations.pull[own], observations.precision[own], directions])

    for document in range(3):
        expected = np.concatenate([said(first, document), said(second, document)])
        np.testing.assert_array_equal(said(joined, document), expected)
    assert join_observations([], 16) is None
    assert join_observations([first], 16) is first
