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
    by_label = zip(np.ascontiguousarray(values.T), np.ascontiguousarray(signs.T), strict=True)
    own = np.array([best_threshold(*one) for one in by_label])
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

    Only the highest values are sorted, so the time is linear in the number of values.

    Parameters
    ----------
    values, signs : ndarray of shape (documents,)
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
    own, yes = (values, signs > 0) if known.all() else (values[known], signs[known] > 0)
    n_yes = int(yes.sum())
    if n_yes == 0:
        return 0.0
    n_top = 2 * n_yes + 8
    while True:
        best, threshold = _best_of_top(own, yes, n_yes, n_top)
        # With n documents above the threshold, F1 is at most 2 · n_yes / (n + n_yes).
        if n_top >= own.size or best * (n_top + n_yes) >= 2.0 * n_yes:
            return threshold
        n_top *= 4


def _best_of_top(values: np.ndarray, yes: np.ndarray, n_yes: int, n_top: int) -> tuple[float, float]:
    """Return the highest F1 of thresholds with at most about n_top values above them, and the threshold."""
    if n_top < values.size:
        least = np.partition(values, values.size - n_top - 1)[values.size - n_top - 1]
        top = np.flatnonzero(values >= least)  # at least one value more, and all that are equal to the least one
    else:
        top = np.arange(values.size)
    order = top[np.argsort(-values[top], kind="stable")]
    sorted_values, found = values[order], np.cumsum(yes[order])
    f1 = 2.0 * found / (np.arange(1, order.size + 1) + n_yes)
    f1[:-1][sorted_values[:-1] == sorted_values[1:]] = -1.0  # equal values are all above the threshold, or none is
    if order.size < values.size:
        f1[-1] = -1.0  # the next value is not known
    last = int(f1.argmax())
    if last + 1 == values.size:
        return float(f1[last]), float(sorted_values[last]) - 1e-6
    return float(f1[last]), float(sorted_values[last] + sorted_values[last + 1]) / 2.0
