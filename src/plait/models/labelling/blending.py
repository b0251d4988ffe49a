"""Weights of topics and features in the score of a label, learned from held-out values of both.

The score is a · η · z̄ + Σ b · f, with the scores f of the machines on features. The weights are shared by all labels,
not negative, as in stacked regressions (Breiman, 1996), and add up to 1. Where a document has one class, they maximise
the likelihood of the held-out labels under a logistic model of the score (softmax). Where it may have several, most
labels of most documents are "no", and the likelihood says little about F1: topics then get the share of the score with
the highest F1 of held-out documents, by thresholds of the other folds, and none if that gains too little.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.metrics.thresholds import choose_thresholds, mean_f1

_SHARES = (0.0, 0.1, 0.2, 0.35, 0.5)  # of topics in the standard deviation of a score
_LEAST_GAIN, _CHANCE = 0.003, 0.3  # gain in F1 below which topics get no share: at least, and times 1 / √(labels)


def blend_by_f1(topics: np.ndarray, features: np.ndarray, signs: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Return the weights of topics and features where a document may have several labels.

    Parameters
    ----------
    topics, features : ndarray of shape (documents, labels)
        Held-out values of both.
    signs : ndarray of shape (documents, labels)
        +1, −1, or 0 for unknown.
    folds : ndarray of shape (documents,)
        Fold of each document: thresholds of a fold are chosen on the others.

    Returns
    -------
    ndarray of shape (2,)
        Weights that add up to 1.

    Examples
    --------
    >>> signs = np.array([[1, -1], [-1, 1]] * 10)
    >>> noise = np.random.default_rng(0).normal(size=signs.shape)
    >>> blend_by_f1(noise, signs + 0.1 * noise, signs, np.arange(20) % 2).tolist()
    [0.0, 1.0]
    """
    spreads = np.array([max(float(part.std()), 1e-12) for part in (topics, features)])
    pairs = [np.array([share, 1.0 - share]) / spreads for share in _SHARES]
    pairs = [pair / pair.sum() for pair in pairs]
    scores = []
    for pair in pairs:
        values = pair[0] * topics + pair[1] * features
        predicted = np.zeros(signs.shape, bool)
        for fold in np.unique(folds):
            own = folds == fold
            predicted[own] = values[own] > choose_thresholds(values[~own], signs[~own])
        scores.append(mean_f1(predicted, signs))
    best = int(np.argmax(scores))
    least_gain = max(_LEAST_GAIN, _CHANCE / float(np.sqrt(max(int((signs > 0).sum()), 1))))
    return pairs[best] if scores[best] >= scores[0] + least_gain else pairs[0]


def blend_weights(parts: Sequence[np.ndarray], signs: np.ndarray, kind: str) -> np.ndarray:
    """Return the weights of parts of a score.

    Parameters
    ----------
    parts : sequence of ndarray of shape (documents, tasks)
        Held-out values of every part.
    signs : ndarray of shape (documents, tasks)
        +1, −1, or 0 for unknown.
    kind : {"binary", "multiclass", "multilabel"}
        Kind of the labels.

    Returns
    -------
    ndarray
        Weights that add up to 1.

    Examples
    --------
    >>> signs = np.array([[1], [-1], [1], [-1]] * 5)
    >>> noise = np.random.default_rng(0).normal(size=signs.shape)
    >>> topics, features = blend_weights([noise, signs + noise], signs, "binary")
    >>> bool(topics < features)
    True
    """
    from scipy.optimize import minimize

    if kind == "multiclass":
        rows = np.flatnonzero((signs > 0).any(axis=1))
        own, right, loss = [part[rows] for part in parts], signs[rows].argmax(axis=1), _softmax_loss
    else:
        known = signs != 0
        own, right, loss = [part[known] for part in parts], signs[known] > 0, _sigmoid_loss
    scales = np.array([max(float(part.std()), 1e-12) for part in own])
    own = [part / scale for part, scale in zip(own, scales, strict=True)]
    start = np.append(np.full(len(own), 1.0 / len(own)), 0.0)  # the offset last, which softmax does not use
    bounds = [(0.0, None)] * len(own) + [(None, None)]
    found = minimize(loss, start, args=(own, right), jac=True, method="L-BFGS-B", bounds=bounds)
    weights = np.maximum(found.x[:-1], 0.0) / scales
    if not np.isfinite(weights).all() or weights.sum() <= 0.0:
        return np.full(len(own), 1.0 / len(own))
    return np.asarray(weights / weights.sum())


def _softmax_loss(x: np.ndarray, parts: list[np.ndarray], right: np.ndarray) -> tuple[float, np.ndarray]:
    exponents = sum(weight * part for weight, part in zip(x, parts, strict=False))
    exponents -= exponents.max(axis=1, keepdims=True)
    chances = np.exp(exponents)
    totals = chances.sum(axis=1, keepdims=True)
    here = np.arange(right.size)
    loss = float(np.sum(np.log(totals[:, 0]) - exponents[here, right]))
    error = chances / totals
    error[here, right] -= 1.0
    return loss, np.array([*(np.sum(error * part) for part in parts), 0.0])


def _sigmoid_loss(x: np.ndarray, parts: list[np.ndarray], right: np.ndarray) -> tuple[float, np.ndarray]:
    exponents = sum(weight * part for weight, part in zip(x, parts, strict=False)) + x[-1]
    loss = float(np.sum(np.logaddexp(0.0, exponents) - right * exponents))
    error = 1.0 / (1.0 + np.exp(-exponents)) - right
    return loss, np.array([*(np.sum(error * part) for part in parts), np.sum(error)])
