"""Weights of topics and pair features: found again from planted ones, and the probabilities that they give."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.special import expit

from plait.pair_features import KnownNetwork, Popularity, TextCosine
from plait.pair_features.combining import PairExamples, join_examples, learn_pair_weights, source_levels
from plait.pair_features.examples import make_examples

N_SOURCES, N_DOCUMENTS = 600, 60


def planted(random, n_sources=N_SOURCES):
    """Pairs whose links depend on the topics and the first of two features."""
    shape = n_sources, N_DOCUMENTS
    topics = random.normal(1.0, 1.0, shape)
    features = random.uniform(0.0, 2.0, (*shape, 2))
    linked = random.random(shape) < expit(-5.5 + 1.0 * topics + 1.2 * features[:, :, 0])
    return PairExamples(
        np.arange(n_sources + 1) * N_DOCUMENTS,
        linked.ravel(),
        np.ones(linked.size),
        topics.ravel(),
        features.reshape(-1, 2),
    )


def values_of(weights, examples):
    parts = [weights.feature_part(number, examples.features[:, number]) for number in range(2)]
    return (weights.topic_part(examples.topics) + sum(parts)).reshape(-1, N_DOCUMENTS)


def test_what_speaks_for_links_has_the_weight():
    weights = learn_pair_weights(planted(np.random.default_rng(0)), ["one", "noise"])
    spread = [np.ptp(weights.feature_part(number, np.linspace(0, 2, 50))) for number in range(2)]
    assert spread[0] > 10 * spread[1]
    topics = weights.topic_part(np.linspace(-2, 4, 50))
    assert np.all(np.diff(topics) > 0)
    assert 0.4 * N_SOURCES < weights.n_documents <= N_SOURCES
    assert weights.feature_part(0, np.zeros(1)) == 0


def test_probabilities_are_calibrated():
    weights = learn_pair_weights(planted(np.random.default_rng(0)), ["one", "noise"])
    fresh = planted(np.random.default_rng(1))
    found = expit(weights.log_odds(values_of(weights, fresh))).ravel()
    for low, high in ((0, 0.02), (0.02, 0.1), (0.1, 1)):
        some = (found >= low) & (found < high)
        assert some.sum() > 200
        assert fresh.linked[some].mean() == pytest.approx(found[some].mean(), rel=0.25)


def test_the_level_of_a_source_does_not_change_its_order():
    weights = learn_pair_weights(planted(np.random.default_rng(0)), ["one", "noise"])
    values = values_of(weights, planted(np.random.default_rng(2), 5))
    np.testing.assert_array_equal(np.argsort(weights.log_odds(values)), np.argsort(values))
    naive = [np.log(np.mean(np.exp(row))) for row in values]
    starts = np.arange(6) * N_DOCUMENTS
    np.testing.assert_allclose(source_levels(values.ravel(), starts, np.ones(values.size)), naive)


def test_drawn_pairs_stand_for_all(monkeypatch):
    """Weights from a quarter of the unlinked pairs are near those of all pairs."""
    random = np.random.default_rng(0)
    counts = sparse.csr_array(random.poisson(0.4, (400, 30)))
    links = sparse.csr_array(np.triu(random.random((400, 400)) < 0.05, 1).astype(float))
    network = KnownNetwork(counts, links)
    topics = random.normal(size=(100, 400))
    hidden = sparse.csr_array((random.random((100, 400)) < expit(topics - 4)).astype(float))
    features = [TextCosine(), Popularity()]

    def examples(most):
        block = lambda rows: (network.new(counts[:100][rows]), topics[rows])  # noqa: E731
        none = sparse.csr_array((100, 400))
        return make_examples(100, hidden, none, block, features, np.random.default_rng(1), most)

    whole = examples(1_000_000)
    with_links = int(np.count_nonzero(np.diff(hidden.indptr)))
    assert whole.linked.sum() == hidden.nnz
    assert whole.linked.size == with_links * 400
    monkeypatch.setattr("plait.pair_features.examples._FEWEST_UNLINKED", 100)
    drawn = examples(100 * with_links)
    assert drawn.linked.size < 0.4 * whole.linked.size
    assert drawn.costs.sum() == pytest.approx(whole.costs.sum())
    one, other = (learn_pair_weights(given, ["text", "popularity"]) for given in (whole, drawn))
    grid = np.linspace(-2, 2, 20)
    np.testing.assert_allclose(
        np.diff(one.slope * one.topic_part(grid)), np.diff(other.slope * other.topic_part(grid)), atol=0.12
    )


def test_known_links_are_no_examples():
    network = KnownNetwork(sparse.csr_array(np.eye(4)), sparse.csr_array((4, 4)))
    hidden, known = np.zeros((2, 2, 4))
    hidden[0, 1] = 1
    known[0, 2] = known[0, 0] = 1
    found = make_examples(
        2, sparse.csr_array(hidden), sparse.csr_array(known),
        lambda rows: (network.known(np.array([0, 1])[rows]), np.arange(8.0).reshape(2, 4)[rows]),
        [TextCosine()], np.random.default_rng(0),
    )  # fmt: skip
    assert found.topics.tolist() == [1.0, 3.0]  # neither known link nor itself; the second source has no hidden link
    assert found.linked.tolist() == [True, False]
    joined = join_examples([found, found])
    assert joined.starts.tolist() == [0, 2, 4]
