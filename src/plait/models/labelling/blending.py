"""Weights of topics and features in the score of a label, learned from held-out values of both.

The score is a · η · z̄ + Σ b · f, with the scores f of the machines on features. The weights maximise the likelihood of
the held-out labels under a logistic model of the score, softmax where a document has one class. They are shared by all
labels and not negative, as in stacked regressions (Breiman, 1996), and add up to 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


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
