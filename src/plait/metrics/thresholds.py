"""Decision thresholds of labels where a document may have several: by the F1 of held-out values."""

from __future__ import annotations

import numpy as np

_STRENGTH = 20.0  # documents with a label at which its own threshold has half of the weight


def choose_thresholds(values: np.ndarray, signs: np.ndarray, strength: float = _STRENGTH) -> np.ndarray:
    """Return one threshold per label: the best one for the label, drawn towards the best one for all labels.

    The threshold with the highest F1 of a label depends on few documents if the label is rare. It is therefore averaged
    with the threshold that has the highest micro F1 over all labels: the weight of its own is n / (n + strength), with
    n documents that have the label.

    Parameters
    ----------
    values : ndarray of shape (documents, labels)
        Scores of documents whose labels were not used to compute them.
    signs : ndarray of shape (documents, labels)
        +1, −1, or 0 for unknown.
    strength : float, default 20.0
        Weight of the common threshold, in documents.

    Returns
    -------
    ndarray of shape (labels,)
        Scores above the threshold stand for the label.

    Examples
    --------
    >>> values = np.array([[0.9, 0.1], [0.4, 0.2], [-0.2, -0.6], [-0.5, -0.9]])
    >>> signs = np.array([[1, -1], [1, 1], [-1, -1], [-1, -1]])
    >>> choose_thresholds(values, signs).round(3).tolist()
    [0.145, 0.15]
    """
    common = best_threshold(values.ravel(), signs.ravel())
    own = np.array([best_threshold(values[:, label], signs[:, label]) for label in range(values.shape[1])])
    n_having = (signs > 0).sum(axis=0)
    own = np.where(n_having > 0, own, common)
    return common + (own - common) * n_having / (n_having + strength)


def mean_f1(predicted: np.ndarray, signs: np.ndarray) -> float:
    """Return the mean of micro and macro F1 of predicted labels.

    Parameters
    ----------
    predicted : ndarray of bool of shape (documents, labels)
        Whether a label is predicted.
    signs : ndarray of shape (documents, labels)
        +1, −1, or 0 for unknown, which does not count.

    Returns
    -------
    float
        The mean; a label that no document has, and that is never predicted, has 0.

    Examples
    --------
    >>> mean_f1(np.array([[True, False], [True, True]]), np.array([[1, -1], [-1, 1]]))
    0.8166666666666667
    """
    predicted = predicted & (signs != 0)
    hits, n_each = (predicted & (signs > 0)).sum(axis=0), predicted.sum(axis=0) + (signs > 0).sum(axis=0)
    micro = 2.0 * float(hits.sum()) / max(int(n_each.sum()), 1)
    return (micro + float(np.mean(2.0 * hits / np.maximum(n_each, 1)))) / 2.0


def best_threshold(values: np.ndarray, signs: np.ndarray) -> float:
    """Return the threshold with the highest F1, in the middle between two values.

    Parameters
    ----------
    values, signs : ndarray
        Scores, and +1, −1, or 0 for unknown.

    Returns
    -------
    float
        The threshold; 0 if no document has the label.

    Examples
    --------
    >>> best_threshold(np.array([0.5, 0.1, -0.3]), np.array([1, -1, -1]))
    0.3
    """
    known = signs != 0
    order = np.argsort(-values[known], kind="stable")
    sorted_values, yes = values[known][order], signs[known][order] > 0
    if not yes.any():
        return 0.0
    found = np.cumsum(yes)
    f1 = 2.0 * found / (np.arange(1, yes.size + 1) + found[-1])
    f1[:-1][sorted_values[:-1] == sorted_values[1:]] = -1.0  # equal values are all above the threshold, or none is
    last = int(f1.argmax())
    if last + 1 == yes.size:
        return float(sorted_values[last]) - 1e-6
    return float(sorted_values[last] + sorted_values[last + 1]) / 2.0
