"""Naive Bayes as a linear machine: the log ratio of the word distributions of documents with and without a label.

Rennie, Shih, Teevan and Karger (2003) count TF-IDF of rows of equal length in place of words. The machine needs one
pass over the documents. Of one class per document, the mean of both predicts better than either; of several labels,
which have different frequencies, the ratios are not comparable and it does not help.
"""

from __future__ import annotations

import numpy as np

from plait.models.labelling.columns import Columns
from plait.samplers.kernels.compiled import kernel

_SMOOTHING = 0.01  # added to the sum of every column


def naive_bayes(features: Columns, signs: np.ndarray, number: int) -> np.ndarray:
    """Return the weights of naive Bayes, the intercept last.

    Parameters
    ----------
    features : Columns
        Features of the documents, 0 or more.
    signs : ndarray of shape (documents, labels)
        +1, −1, or 0 for unknown.
    number : int
        Number of the task; nothing is drawn.

    Returns
    -------
    ndarray of shape (labels, features + 1)
        Weights; the intercepts are 0.
    """
    weights = np.zeros((signs.shape[1], features.n_columns + 1))
    for label in range(signs.shape[1]):
        sums = np.full((2, features.n_columns), _SMOOTHING)
        own = np.ascontiguousarray(signs[:, label], np.int8)
        _sum_columns(features.starts, features.columns, features.data, own, sums)
        logs = np.log(sums) - np.log(sums.sum(axis=1, keepdims=True))
        weights[label, :-1] = logs[1] - logs[0]
    return weights


@kernel
def _sum_columns(starts, columns, data, signs, sums):
    for row in range(signs.size):
        if signs[row] != 0:
            side = 1 if signs[row] > 0 else 0
            for entry in range(starts[row], starts[row + 1]):
                sums[side, columns[entry]] += data[entry]
