"""The paper's classifiers: naive Bayes over bins equals its formula; all three work alone and as base classifiers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier

from plait.graph import StackedGraphClassifier, bayes_net, entropy_tree, svm


@pytest.fixture(scope="module")
def topics():
    """Topic proportions of three classes."""
    rng = np.random.default_rng(2)
    classes = np.repeat([0, 1, 2], 60)
    return np.vstack([rng.dirichlet(0.3 + 2 * np.eye(5)[c]) for c in classes]), classes


def test_naive_bayes_equals_its_formula():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [0.8], [0.9], [1.0]])
    y = np.array([0, 0, 0, 1, 1, 1, 1])  # cut at 0.25: bins of 3 and 4
    model = bayes_net().fit(X, y)
    # p(class) = 3/7, 4/7; p(bin 0 | class) = (3 + ½)/(3 + 1) and ½/(4 + 1)
    joint = np.array([3 / 7 * 3.5 / 4, 4 / 7 * 0.5 / 5])
    assert model.predict_proba([[0.0]])[0] == pytest.approx(joint / joint.sum())


@pytest.mark.parametrize("make", [bayes_net, svm, entropy_tree])
def test_all_classifiers_predict_the_classes(make, topics):
    X, y = topics
    held_out = np.arange(len(y)) % 3 == 0
    for model in (make(), OneVsRestClassifier(make()), StackedGraphClassifier(make(), random_state=0)):
        model.fit(X[~held_out], y[~held_out])
        assert model.score(X[held_out], y[held_out]) > 0.7


def test_trees_have_two_samples_per_leaf_and_are_pruned(topics):
    X, y = topics
    grown, pruned = (
        entropy_tree(pruning=0, random_state=0).fit(X, y),
        entropy_tree(pruning=0.05, random_state=0).fit(X, y),
    )
    assert pruned.get_n_leaves() < grown.get_n_leaves()
    assert np.bincount(grown.apply(X))[np.unique(grown.apply(X))].min() >= 2
