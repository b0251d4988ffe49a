"""MedLDA with an expected classifier: the dual of a support vector machine, topics by enumeration, predictions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare
from sklearn.svm import LinearSVC

from plait.baselines import ExpectedMedLDA
from plait.baselines.expected_medlda_kernels import solve_dual, sweep
from plait.errors import PlaitError
from plait.samplers.random import stream_key
from tests import naive
from tests.models.small import of_classes

pytestmark = pytest.mark.slow  # compiles sweeps for a baseline

DOCUMENTS = [[0, 0, 1], [1, 2, 2]]
WORDS, STARTS = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 3, 6])


@pytest.mark.parametrize("box", [0.5, 8.0])
def test_weights_are_those_of_a_support_vector_machine(box):
    rng = np.random.default_rng(0)
    means = rng.dirichlet(np.ones(5), size=60)
    signs = np.where(means @ rng.normal(size=(5, 2)) + 0.1 * rng.normal(size=(60, 2)) > 0, 1.0, -1.0)
    duals, weights = np.zeros((60, 2)), np.zeros((2, 5))
    solve_dual(means, signs, box, 1.0, 1.0, 3000, duals, weights)
    for label in range(2):
        machine = LinearSVC(C=box, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=200_000)
        machine.fit(means, signs[:, label])
        np.testing.assert_allclose(weights[label], machine.coef_[0], rtol=0.02, atol=0.02)
    np.testing.assert_allclose(weights, (duals * signs).T @ means)
    assert (duals >= 0).all()
    assert (duals <= box).all()


@pytest.mark.slow
def test_topics_are_drawn_with_the_factors_of_documents():
    factors = np.array([[1.0, 2.5], [0.7, 0.4]])
    alpha, beta, n_kept = 0.4, 0.5, 30_000
    observations = naive.linear_observations(factors, DOCUMENTS)
    exact = naive.posterior(DOCUMENTS, np.full(2, alpha), np.full((2, 3), beta), observations)
    topics = np.zeros(6, np.int64)
    doc_topic, word_topic = np.zeros((2, 2)), np.zeros((3, 2))
    np.add.at(doc_topic, (np.repeat([0, 1], 3), topics), 1)
    np.add.at(word_topic, (WORDS, topics), 1)
    totals, seen = word_topic.sum(axis=0), Counter()
    for number in range(3 * n_kept):
        key = stream_key(0, "test", number)
        sweep(STARTS, WORDS, topics, doc_topic, word_topic, totals, factors, alpha, beta, key, np.zeros(2))
        if number % 3 == 0:
            seen[tuple(topics.tolist())] += 1
    states = [state for state, probability in exact.items() if probability * n_kept >= 10]
    observed = [seen[state] for state in states] + [n_kept - sum(seen[state] for state in states)]
    expected = [exact[state] * n_kept for state in states]
    expected.append(n_kept - sum(expected))
    assert chisquare(observed, expected).pvalue > 0.001


def test_labels_of_new_documents_are_predicted():
    counts, classes = of_classes(90, 3, seed=0)
    signs = np.where(classes[:, np.newaxis] == np.arange(3), 1.0, -1.0)
    signs[::7, 1] = 0.0  # not known
    model = ExpectedMedLDA(6, random_state=0).fit(counts, signs)
    new, true = of_classes(60, 3, seed=5)
    assert np.mean(model.decision_function(new).argmax(axis=1) == true) > 0.85
    assert (model.duals_[signs == 0] == 0).all()
    again = ExpectedMedLDA(6, random_state=0).fit(counts, signs)
    assert again.weights_.tobytes() == model.weights_.tobytes()


def test_input_that_cannot_be_learned():
    with pytest.raises(PlaitError, match="signs must be 1, −1 or 0, documents × labels, with 2 rows"):
        ExpectedMedLDA(2).fit(np.ones((2, 3)), np.ones((3, 1)))
    with pytest.raises(PlaitError, match="counts must be whole numbers"):
        ExpectedMedLDA(2).fit(np.full((2, 3), 0.5), np.ones((2, 1)))
