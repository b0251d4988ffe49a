"""Calibrated probabilities: sigmoid curves fitted to labels that were set aside in training (Platt, 1999)."""

from __future__ import annotations

import numpy as np

from plait.errors import PlaitError
from plait.samplers.random import generator, stream_key

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


def _fit_curve(values: np.ndarray, targets: np.ndarray) -> tuple[float, float]:
    """Return slope and offset of the maximum-likelihood curve."""
    from scipy.optimize import minimize

    scale = max(float(np.abs(values).std()), 1e-12)
    scaled = values / scale

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        exponent = parameters[0] * scaled + parameters[1]
        error = 1.0 / (1.0 + np.exp(-exponent)) - targets
        return float(np.sum(np.logaddexp(0.0, exponent) - targets * exponent)), np.array([error @ scaled, error.sum()])

    found = minimize(loss, np.array([1.0, 0.0]), jac=True, method="BFGS")
    return float(found.x[0]) / scale, float(found.x[1])
