"""Cuts of Fayyad and Irani (1993), compared with results by hand and with a naive implementation."""

from __future__ import annotations

from math import log2

import hypothesis.strategies as some
import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from sklearn.utils.estimator_checks import parametrize_with_checks

from plait.graph import MDLDiscretizer


def entropy(classes):
    shares = [classes.count(one) / len(classes) for one in set(classes)]
    return -sum(share * log2(share) for share in shares)


def slow_cuts(pairs):
    """All cuts of sorted (value, class) pairs: a direct implementation of the paper's section 3."""
    n, classes = len(pairs), [one for _, one in pairs]
    candidates = []
    for place in range(1, n):
        if pairs[place - 1][0] < pairs[place][0]:
            left, right = classes[:place], classes[place:]
            candidates.append((len(left) / n * entropy(left) + len(right) / n * entropy(right), place))
    if not candidates:
        return []
    lowest = min(candidates)[0]
    mixed, place = next(candidate for candidate in candidates if candidate[0] < lowest + 1e-10)
    left, right = classes[:place], classes[place:]
    k, k_left, k_right = len(set(classes)), len(set(left)), len(set(right))
    delta = log2(3**k - 2) - (k * entropy(classes) - k_left * entropy(left) - k_right * entropy(right))
    if entropy(classes) - mixed <= log2(n - 1) / n + delta / n:
        return []
    cut = (pairs[place - 1][0] + pairs[place][0]) / 2
    return [*slow_cuts(pairs[:place]), cut, *slow_cuts(pairs[place:])]


@pytest.mark.parametrize(
    ("classes", "cuts"),
    [
        ("aaaabbbb", [3.5]),  # saves 8 bits, needs log2(7) + log2(7) - 2 = 3.6
        ("aab", [1.5]),  # saves 2.75 bits, needs 1 + 2.81 - 1.84 = 1.97
        ("aba", []),  # saves 0.75 bits, needs 1 + 2.81 - 1.84 + 2 = 3.97
        ("abababab", []),
        ("aaaabbbbcccc", [3.5, 7.5]),  # either first: 11.0 bits against 5.35
        ("aaaaaa", []),
        ("a", []),
    ],
)
def test_cuts_by_hand(classes, cuts):
    values = np.arange(len(classes), dtype=float)[:, np.newaxis]
    assert MDLDiscretizer().fit(values, list(classes)).cuts_[0].tolist() == cuts


@settings(max_examples=300)
@given(some.lists(some.tuples(some.integers(0, 12), some.sampled_from("aaabc")), min_size=1, max_size=60))
def test_cuts_equal_the_naive_implementation(pairs):
    values = np.array([[value] for value, _ in pairs], dtype=float)
    found = MDLDiscretizer().fit(values, [one for _, one in pairs])
    assert found.cuts_[0].tolist() == slow_cuts(sorted(pairs))


def test_cuts_of_many_values_and_classes_equal_the_naive_implementation():
    rng = np.random.default_rng(0)
    classes = rng.integers(5, size=400)
    values = np.round(classes + rng.normal(scale=0.6, size=400), 2)
    found = MDLDiscretizer().fit(values[:, np.newaxis], classes)
    assert found.cuts_[0].tolist() == slow_cuts(sorted(zip(values.tolist(), classes.tolist(), strict=True)))
    assert len(found.cuts_[0]) >= 3


def test_values_outside_the_training_range_are_in_the_first_and_last_bin():
    values = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]])
    bins = MDLDiscretizer().fit(np.hstack([values, np.zeros((8, 1))]), [0] * 4 + [1] * 4)
    assert bins.n_bins_.tolist() == [2, 1]
    assert bins.transform([[-99, 5], [6.5, 0], [6.6, 0], [99, -5]]).tolist() == [[0, 0], [0, 0], [1, 0], [1, 0]]


def test_sparse_features_have_the_same_cuts():
    rng = np.random.default_rng(1)
    classes = rng.integers(3, size=200)
    X = rng.poisson(np.eye(3)[classes] * 2 + 0.2).astype(float)
    dense, thin = MDLDiscretizer().fit(X, classes), MDLDiscretizer().fit(sparse.csr_array(X), classes)
    assert dense.n_bins_.max() > 1
    assert all(np.array_equal(one, other) for one, other in zip(dense.cuts_, thin.cuts_, strict=True))
    assert np.array_equal(dense.transform(X), thin.transform(sparse.csr_array(X)))


def test_adjacent_floating_point_numbers_are_separated():
    low = 1.0
    high = np.nextafter(low, 2.0)
    X = np.array([[low]] * 6 + [[high]] * 6)
    bins = MDLDiscretizer().fit(X, [0] * 6 + [1] * 6)
    assert bins.transform(X).ravel().tolist() == [0] * 6 + [1] * 6


@parametrize_with_checks([MDLDiscretizer()])
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
