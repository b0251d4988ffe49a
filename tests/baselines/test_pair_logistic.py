"""Pair weights compared with scikit-learn; full and diagonal weights."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.linear_model import LogisticRegression

from plait.baselines import LdaLogistic
from plait.baselines.network import link_ends
from plait.baselines.pair_logistic import draw_unlinked_pairs, fit_pair_weights
from plait.metrics import score_link_ranks, undirected_links


@pytest.fixture
def network():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(40, 4))
    links = undirected_links(rng.random((40, 40)) < 0.3 / (1 + np.exp(-vectors @ vectors.T)))
    return vectors, links


@pytest.mark.parametrize("full", [True, False])
def test_weights_equal_scikit_learn(network, full):
    vectors, links = network
    found = fit_pair_weights(vectors, links, full=full, c=0.7, negatives_per_link=2, seed=3)
    first, second = link_ends(links)
    unlinked = draw_unlinked_pairs(links, 2 * len(first), seed=3)
    left, right = vectors[np.r_[first, unlinked[:, 0]]], vectors[np.r_[second, unlinked[:, 1]]]
    truth = np.repeat([1, 0], [len(first), len(unlinked)])
    if full:
        # A pair in both orders, each with half its weight, makes scikit-learn's weights symmetric too.
        products = np.einsum("pk,pl->pkl", np.r_[left, right], np.r_[right, left]).reshape(-1, 16)
        reference = LogisticRegression(C=0.7, tol=1e-8, max_iter=1000).fit(
            products, np.r_[truth, truth], sample_weight=np.full(2 * len(truth), 0.5)
        )
        expected = reference.coef_.reshape(4, 4)
    else:
        reference = LogisticRegression(C=0.7, tol=1e-8, max_iter=1000).fit(left * right, truth)
        expected = np.diag(reference.coef_[0])
    np.testing.assert_allclose(found.weights, expected, atol=2e-3)
    assert found.intercept == pytest.approx(reference.intercept_[0], abs=2e-3)
    np.testing.assert_allclose(found.weights, found.weights.T)
    values = vectors[:3] @ found.weights @ vectors.T + found.intercept
    np.testing.assert_allclose(found.probabilities(vectors[:3], vectors), 1 / (1 + np.exp(-values)))


def test_drawn_pairs_cover_all_unlinked_pairs_and_no_others(network):
    _, links = network
    pairs = draw_unlinked_pairs(links, 20_000, seed=1)
    drawn = sparse.coo_array((np.ones(len(pairs)), tuple(pairs.T)), shape=links.shape).toarray() > 0
    np.testing.assert_array_equal(drawn, (links.toarray() == 0) & ~np.eye(40, dtype=bool))


def test_a_full_matrix_fits_links_between_different_groups():
    """Two of three groups link to each other, the third within itself."""
    from plait import LDA

    rng = np.random.default_rng(2)
    kinds = np.arange(90) % 3
    counts = rng.poisson(np.where(kinds[:, None] == np.arange(30) // 10, 2.0, 0.2))
    partners = np.array([1, 0, 2])[kinds]
    links = undirected_links((partners[:, None] == kinds) & (rng.random((90, 90)) < 0.1))
    topics = LDA(n_topics=3, n_sweeps=30, n_samples=3, random_state=0)
    aucs = []
    for full in (True, False):
        model = LdaLogistic(topics, full=full)
        aucs.append(score_link_ranks(model.fit(counts, links).score_links(counts), links).auc)
    assert not hasattr(topics, "doc_topic_")
    assert aucs[0] > 0.8
    assert aucs[0] > aucs[1] + 0.05
