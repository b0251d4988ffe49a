"""Thresholds of labels: the best F1 of held-out values, and shrinkage of those of rare labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from plait.metrics import choose_thresholds
from plait.metrics.thresholds import best_threshold, mean_f1


@pytest.mark.parametrize("seed", range(5))
def test_the_best_threshold_is_that_of_all_possible_ones(seed):
    rng = np.random.default_rng(seed)
    values, signs = rng.normal(size=40).round(1), rng.choice([-1, 0, 1], 40)
    known = signs != 0

    def f1(threshold):
        return f1_score(signs[known] > 0, values[known] > threshold, zero_division=0)

    tried = np.concatenate([[-10.0], np.unique(values) + 0.01])
    assert f1(best_threshold(values, signs)) == pytest.approx(max(map(f1, tried)))


def test_a_label_without_documents_has_the_common_threshold():
    values = np.array([[0.9, 0.3], [0.2, 0.1], [-0.4, 0.2]])
    signs = np.array([[1, -1], [1, -1], [-1, -1]])
    common = best_threshold(values.ravel(), signs.ravel())
    assert choose_thresholds(values, signs)[1] == common
    assert best_threshold(values[:, 1], signs[:, 1]) == 0.0


def test_thresholds_of_rare_labels_are_drawn_to_the_common_one():
    rng = np.random.default_rng(0)
    signs = np.where(rng.random((2000, 2)) < [0.5, 0.01], 1, -1)
    values = signs + rng.normal(size=signs.shape) + [0.0, 3.0]
    own = [best_threshold(values[:, label], signs[:, label]) for label in (0, 1)]
    common = best_threshold(values.ravel(), signs.ravel())
    chosen = choose_thresholds(values, signs)
    n_rare = (signs[:, 1] > 0).sum()
    assert abs(chosen[0] - own[0]) < 0.05 * abs(own[0] - common) + 1e-9
    assert chosen[1] == pytest.approx(common + (own[1] - common) * n_rare / (n_rare + 20))
    assert choose_thresholds(values, signs, strength=0.0) == pytest.approx(own)


def test_mean_f1_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    signs, predicted = rng.choice([-1, 1], (30, 4)), rng.random((30, 4)) < 0.5
    both = [f1_score(signs > 0, predicted, average=way) for way in ("micro", "macro")]
    assert mean_f1(predicted, signs) == pytest.approx(np.mean(both))


@pytest.mark.parametrize("seed", range(5))
def test_sorting_the_highest_values_alone_finds_the_same_threshold(seed):
    rng = np.random.default_rng(seed)
    signs = np.where(rng.random(5000) < 0.01 * (seed + 1), 1, -1)
    values = rng.normal(size=5000).round(2) + (seed * 0.7 * (signs > 0)).round(2)
    order = np.argsort(-values, kind="stable")
    f1 = 2.0 * np.cumsum(signs[order] > 0) / (np.arange(1, 5001) + np.sum(signs > 0))
    ends = np.flatnonzero(np.diff(values[order]) != 0)  # of equal values
    last = ends[f1[ends].argmax()]
    assert best_threshold(values, signs) == values[order][last : last + 2].mean()
