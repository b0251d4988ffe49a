"""Linear support vector machines: squared hinge loss, by dual coordinate descent.

Hsieh, Chang, Lin, Keerthi and Sundararajan (2008). The solution is that of scikit-learn's `LinearSVC`. Here the
machines of several labels visit the documents together: a row of features is read once for all of them, and products
with neighbouring weights are vectorised. The order of the documents is drawn from a key of the task.
"""

from __future__ import annotations

import numpy as np

from plait.models.labelling.columns import Columns
from plait.samplers.kernels.compiled import kernel

_COST = 1.0  # of an error; rows of features have lengths of about 1
_TOLERANCE = 1e-2  # of the projected gradient; with a smaller one the scores differ in the third digit
_MOST_PASSES = 300


def support_vectors(features: Columns, signs: np.ndarray, number: int) -> np.ndarray:
    """Return the weights of support vector machines, the intercept last.

    Parameters
    ----------
    features : Columns
        Features of the documents.
    signs : ndarray of shape (documents, labels)
        +1, −1, or 0 for unknown. If all known ones of a label are equal, the intercept is their sign.
    number : int
        Number of the task, the key of its random numbers.

    Returns
    -------
    ndarray of shape (labels, features + 1)
        Weights.
    """
    has_yes, has_no = (signs > 0).any(axis=0), (signs < 0).any(axis=0)
    weights = np.zeros((features.n_columns + 1, signs.shape[1]))
    both = np.flatnonzero(has_yes & has_no)
    if both.size:
        learned, duals = np.zeros((features.n_columns + 1, both.size)), np.zeros((len(signs), both.size))
        state = np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(number + 1)
        _descend(
            features.starts, features.columns, features.data, features.squares,
            np.ascontiguousarray(signs[:, both], np.int8), _COST, _TOLERANCE, _MOST_PASSES, state, learned, duals,
            np.arange(len(signs)), np.empty((4, both.size)), np.empty(both.size, np.int64),
        )  # fmt: skip
        weights[:, both] = learned
    weights[-1] = np.where(has_yes & has_no, weights[-1], np.where(has_yes, 1.0, -1.0))
    return np.ascontiguousarray(weights.T)


@kernel
def _descend(
    starts, columns, data, squares, signs, c, tolerance, most, state, weights, duals, order, of_labels, changed
):
    n_rows, n_labels = signs.shape
    intercept = weights.shape[0] - 1
    diagonal = 0.5 / c
    values, steps, largest, smallest = of_labels[0], of_labels[1], of_labels[2], of_labels[3]
    for _ in range(most):
        largest[:] = -np.inf
        smallest[:] = np.inf
        for place in range(n_rows):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = place + np.int64(state % np.uint64(n_rows - place))
            row = order[other]
            order[other] = order[place]
            order[place] = row
            for label in range(n_labels):
                values[label] = weights[intercept, label]
            for entry in range(starts[row], starts[row + 1]):
                value, column = data[entry], columns[entry]
                for label in range(n_labels):
                    values[label] += weights[column, label] * value
            n_changed = 0
            for label in range(n_labels):
                sign = np.float64(signs[row, label])
                before = duals[row, label]
                gradient = sign * values[label] - 1.0 + before * diagonal
                if sign == 0.0:
                    continue
                if before == 0.0 and gradient > 0.0:
                    gradient = 0.0  # projected: the dual variable stays at its bound
                largest[label] = max(largest[label], gradient)
                smallest[label] = min(smallest[label], gradient)
                if abs(gradient) > 1e-12:
                    duals[row, label] = max(before - gradient / (squares[row] + diagonal), 0.0)
                    steps[n_changed] = (duals[row, label] - before) * sign
                    changed[n_changed] = label
                    n_changed += 1
            for step in range(n_changed):
                weights[intercept, changed[step]] += steps[step]
            if n_changed > 0:
                for entry in range(starts[row], starts[row + 1]):
                    value, column = data[entry], columns[entry]
                    for step in range(n_changed):
                        weights[column, changed[step]] += steps[step] * value
        widest = -np.inf
        for label in range(n_labels):
            widest = max(widest, largest[label] - smallest[label])
        if widest <= tolerance:
            break
