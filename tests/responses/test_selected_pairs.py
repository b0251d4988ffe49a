"""Values of selected pairs and the topics that explain them, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.sample import Sample
from plait.executors import Threads
from plait.models.answers.known_documents import known_topics, list_topics, mean_topics
from plait.responses.base import serial_map
from plait.responses.linear import selected_pairs
from plait.responses.linear.bilinear import all_values
from plait.responses.linear.selected_pairs import SelectedPairs
from plait.responses.linear.strongest import strongest_topics

N_NEW, N_KNOWN, N_TOPICS = 70, 90, 6


def make_sample(rng, empty=True):
    """A sample whose fourth training document may be empty; the others are not."""
    counts = rng.integers(0, 4, (N_KNOWN, N_TOPICS)) * (rng.random((N_KNOWN, N_TOPICS)) < 0.5)
    counts[:, 0] += 1
    if empty:
        counts[3] = 0
    weights = (rng.normal(size=(N_TOPICS, N_TOPICS)),)
    words = sparse.csr_array(np.ones((2, N_TOPICS), np.int32))
    return Sample(words, rng.random(N_TOPICS) + 0.1, 0.1, weights, sparse.csr_array(counts))


def make_pairs(rng):
    """Training documents of each document: none of the first, all of the second."""
    sizes = rng.integers(1, 20, N_NEW)
    sizes[:2] = 0, N_KNOWN
    return [np.sort(rng.choice(N_KNOWN, size, replace=False)).astype(np.int64) for size in sizes]


@pytest.mark.parametrize("empty", [False, True])
def test_values_are_those_of_all_pairs(empty, monkeypatch):
    rng = np.random.default_rng(0)
    sample, columns = make_sample(rng, empty), make_pairs(rng)
    topics = rng.dirichlet(np.ones(N_TOPICS), N_NEW) * (rng.random((N_NEW, N_TOPICS)) < 0.7)
    every = all_values(topics, list_topics(sample), sample.weights[0])
    pairs = SelectedPairs(columns)
    assert pairs.size == sum(own.size for own in columns)
    monkeypatch.setattr(selected_pairs, "_PAIRS", 37)  # several tasks, which cut the pairs of a training document
    with Threads(3) as executor:
        for run in (serial_map, executor.map):
            found = pairs.by_document(pairs.values(topics, known_topics(sample), sample.weights[0], run))
            assert len(found) == N_NEW
            for row, (own, values) in enumerate(zip(columns, found, strict=True)):
                if empty:  # with empty documents, topics are listed in another order
                    np.testing.assert_allclose(values, every[row, own], rtol=1e-12)
                else:
                    np.testing.assert_array_equal(values, every[row, own])


def test_no_pairs_have_no_values():
    pairs = SelectedPairs([])
    sample = make_sample(np.random.default_rng(1))
    found = pairs.values(np.zeros((0, N_TOPICS)), known_topics(sample), sample.weights[0], serial_map)
    assert pairs.size == found.size == 0
    assert pairs.by_document(found) == []


@pytest.mark.parametrize("number", [1, 3, N_TOPICS**2])
def test_strongest_topics_are_those_of_the_definition(number):
    rng = np.random.default_rng(number)
    samples, columns = [make_sample(rng) for _ in range(3)], make_pairs(rng)
    own = np.array([rng.dirichlet(np.ones(N_TOPICS), N_NEW) for _ in samples])
    others = np.array([mean_topics(sample).toarray() for sample in samples])
    weights = np.array([sample.weights[0] for sample in samples])
    weights[:, 0] = weights[:, 1] = 0.0  # contribute nothing: not listed
    weights[:, 2] = weights[:, 3]
    own[:, :, 2] = own[:, :, 3]  # equal contributions: the first pair of topics comes first
    starts = np.concatenate([[0], np.cumsum([one.size for one in columns])])
    rows = np.concatenate(columns)
    with Threads(3) as executor:
        found, again = (
            strongest_topics(own, weights, others, starts, rows, number, run) for run in (serial_map, executor.map)
        )
    for one, other in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, other)
    documents = np.repeat(np.arange(N_NEW), np.diff(starts))
    for place, (document, row) in enumerate(zip(documents, rows, strict=True)):
        terms = own[:, document, :, np.newaxis] * weights * others[:, row, np.newaxis, :]
        pushes = (terms[0] + terms[1] + terms[2]).ravel() / 3
        best = np.argsort(-pushes, kind="stable")[:number]
        best = best[pushes[best] > 0]
        np.testing.assert_array_equal(found.pairs[place][: best.size], best)
        np.testing.assert_allclose(found.pushes[place][: best.size], pushes[best], rtol=1e-12)
        assert (found.pairs[place][best.size :] == -1).all()
