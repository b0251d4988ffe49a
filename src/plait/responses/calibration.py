"""Calibrated probabilities: sigmoid curves fitted to labels that were set aside in training (Platt, 1999)."""

from __future__ import annotations

import numpy as np

from plait.errors import PlaitError
from plait.samplers.random import generator, stream_key

_TASKS_AT_ONCE = 16  # of `fit_many_sigmoids`
_SOFTMAX = 30.0  # with this offset, below 0, σ(x) is e^x to 13 digits
_MIN_DOCUMENTS = 10  # minimum number of documents to fit a curve to


def set_aside_labels(signs: np.ndarray, share: float) -> np.ndarray:
    """Return the signs with those of a fraction of the labelled documents set to 0.

    Parameters
    ----------
    signs : ndarray of shape (documents, tasks)
        +1, −1, or 0 for unknown.
    share : float
        Fraction of the labelled documents to set aside. The choice of documents is reproducible.

    Returns
    -------
    ndarray of shape (documents, tasks)
        The remaining signs.
    """
    if share == 0:
        return signs
    labelled = np.flatnonzero((signs != 0).any(axis=1))
    n_hidden = round(share * labelled.size)
    if n_hidden < _MIN_DOCUMENTS:
        raise PlaitError(
            f"calibrate={share} sets aside {n_hidden} of {labelled.size:,} labelled documents, too few to fit "
            f"probabilities; at least {_MIN_DOCUMENTS} are needed"
        )
    seen = signs.copy()
    seen[generator(stream_key(0, "calibration")).permutation(labelled)[:n_hidden]] = 0
    return seen


def fit_sigmoids(values: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and offset of each task's curve 1 / (1 + exp(−slope · value − offset)).

    Targets are smoothed as in Platt (1999), so that a perfect separation gives a finite slope. A task whose documents
    all have one sign gets a constant probability, their smoothed frequency.

    Parameters
    ----------
    values, signs : ndarray of shape (documents, tasks)
        Scores, and +1, −1, or 0 for unknown.

    Returns
    -------
    tuple of ndarray
        Slopes and offsets, one per task.
    """
    slopes, offsets = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    for task in range(values.shape[1]):
        known = (signs[:, task] != 0) & np.isfinite(values[:, task])
        yes = signs[known, task] > 0
        targets = np.where(yes, (yes.sum() + 1) / (yes.sum() + 2), 1 / ((~yes).sum() + 2))
        if 0 < yes.sum() < yes.size:
            slopes[task], offsets[task] = _fit_curve(values[known, task], targets)
        else:
            offsets[task] = np.log((yes.sum() + 1) / ((~yes).sum() + 1))
    return slopes, offsets


def fit_many_sigmoids(values: np.ndarray, signs: np.ndarray, n_steps: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and offset of each task's curve, as `fit_sigmoids`; a few tasks at once, by Newton's method.

    Parameters
    ----------
    values, signs : ndarray of shape (documents, tasks)
        Finite scores, and +1, −1, or 0 for unknown.
    n_steps : int, default 30
        Maximum number of steps.

    Returns
    -------
    tuple of ndarray
        Slopes and offsets, one per task.
    """
    blocks = range(0, max(values.shape[1], 1), _TASKS_AT_ONCE)
    found = [_fit_block(values[:, i : i + _TASKS_AT_ONCE], signs[:, i : i + _TASKS_AT_ONCE], n_steps) for i in blocks]
    slopes, offsets = (np.concatenate(part) for part in zip(*found, strict=True))
    return slopes, offsets


def _fit_block(values: np.ndarray, signs: np.ndarray, n_steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return slopes and offsets of some tasks, whose arrays stay in the processor's cache."""
    known, yes = signs != 0, signs > 0
    n_yes, n_known = yes.sum(axis=0), known.sum(axis=0)
    n_no = n_known - n_yes
    targets = np.where(yes, (n_yes + 1) / (n_yes + 2), 1.0 / (n_no + 2))
    center, scale = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-12)
    scaled = (values - center) / scale
    slopes, offsets = np.zeros(values.shape[1]), np.log((n_yes + 1) / (n_no + 1))
    usable = (n_yes > 0) & (n_no > 0)
    for _ in range(n_steps):
        chances = 1.0 / (1.0 + np.exp(-np.clip(slopes * scaled + offsets, -500, 500)))
        error = np.where(known, chances - targets, 0.0)
        weight = np.where(known, chances * (1.0 - chances), 0.0)
        first, second = (error * scaled).sum(axis=0), error.sum(axis=0)
        weighted = weight * scaled
        a, b, d = (weighted * scaled).sum(axis=0) + 1e-6, weighted.sum(axis=0), weight.sum(axis=0) + 1e-6
        determinant = a * d - b * b
        steps = np.clip(np.stack([d * first - b * second, a * second - b * first]) / determinant, -2.0, 2.0)
        steps = np.where(usable, steps, 0.0)
        slopes, offsets = slopes - steps[0], offsets - steps[1]
        if np.abs(steps).max(initial=0.0) < 1e-6:
            break
    return slopes / scale, offsets - slopes * center / scale


def _fit_curve(values: np.ndarray, targets: np.ndarray) -> tuple[float, float]:
    """Return slope and offset of the maximum-likelihood curve."""
    from scipy.optimize import minimize

    scale = max(float(np.abs(values).std()), 1e-12)
    scaled = values / scale

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        exponent = parameters[0] * scaled + parameters[1]
        error = 1.0 / (1.0 + np.exp(-np.maximum(exponent, -700.0))) - targets
        return float(np.sum(np.logaddexp(0.0, exponent) - targets * exponent)), np.array([error @ scaled, error.sum()])

    found = minimize(loss, np.array([1.0, 0.0]), jac=True, method="BFGS")
    return float(found.x[0]) / scale, float(found.x[1])


def fit_shared_sigmoid(values: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Return slope and offset of the curve of all classes, whose values are divided by their sum over the classes.

    Both maximise the likelihood of the right classes. With a very negative offset, the probabilities are a softmax.

    Parameters
    ----------
    values : ndarray of shape (documents, classes)
        Scores of documents whose labels were not used to compute them.
    right : ndarray of int of shape (documents,)
        Number of the class that a document has.

    Returns
    -------
    tuple of float
        Slope, above 0, and offset.

    Examples
    --------
    >>> values = np.array([[1.0, 0.0]] * 4 + [[0.0, 1.0]] * 4)
    >>> slope, offset = fit_shared_sigmoid(values, np.array([0, 0, 0, 1, 1, 1, 1, 0]))
    >>> curves = 1 / (1 + np.exp(-slope * np.array([1.0, 0.0]) - offset))
    >>> bool(0.7 < curves[0] / curves.sum() < 0.8)
    True
    """
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    scale = max(float((values - values.mean(axis=1, keepdims=True)).std()), 1e-12)
    scaled, here = values / scale, np.arange(right.size)

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        logs = log_expit(parameters[0] * scaled + parameters[1])
        highest = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - highest)
        totals = shares.sum(axis=1, keepdims=True)
        error = shares / totals
        total = float(np.sum(np.log(totals[:, 0]) + highest[:, 0] - logs[here, right]))
        error[here, right] -= 1.0
        error *= expit(-parameters[0] * scaled - parameters[1])
        return total + 1e-6 * float(parameters @ parameters), np.array(
            [np.sum(error * scaled), np.sum(error)]
        ) + 2e-6 * parameters

    bounds = [(1e-3, 1e3), (-_SOFTMAX, _SOFTMAX)]
    found = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=bounds)
    return float(found.x[0]) / scale, float(found.x[1])
