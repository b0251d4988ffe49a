"""Linear support vector machines: squared hinge loss, by dual coordinate descent.

Hsieh, Chang, Lin, Keerthi and Sundararajan (2008). The solution is that of scikit-learn's `LinearSVC`. Here labels are
independent tasks for any number of threads, and the order of the documents is drawn from a key of the task.
"""

from __future__ import annotations

import numpy as np

from plait.models.labelling.columns import Columns
from plait.samplers.kernels.compiled import kernel

_COST = 1.0  # of an error; rows of features have lengths of about 1
_TOLERANCE = 1e-2  # of the projected gradient; with a smaller one the scores differ in the third digit
_MOST_PASSES = 300


def support_vectors(features: Columns, signs: np.ndarray, number: int) -> np.ndarray:
    """Return the weights of a support vector machine, the intercept last.

    Parameters
    ----------
    features : Columns
        Features of the documents.
    signs : ndarray of shape (documents,)
        +1, −1, or 0 for unknown. If all known ones are equal, the intercept is their sign.
    number : int
        Number of the task, the key of its random numbers.

    Returns
    -------
    ndarray of shape (features + 1,)
        Weights.
    """
    weights = np.zeros(features.n_columns + 1)
    known = signs[signs != 0]
    if known.size == 0 or (known == known[0]).all():
        weights[-1] = float(known[0]) if known.size else -1.0
        return weights
    duals, order = np.zeros(signs.size), np.empty(signs.size, np.int64)
    state = np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(number + 1)
    _descend(
        features.starts, features.columns, features.data, features.squares, signs.astype(np.int8), _COST, _TOLERANCE,
        _MOST_PASSES, state, weights, duals, order,
    )  # fmt: skip
    return weights


@kernel
def _descend(starts, columns, data, squares, signs, c, tolerance, most, state, weights, duals, order):
    n_known = 0
    for row in range(signs.size):
        if signs[row] != 0:
            order[n_known] = row
            n_known += 1
    intercept = weights.size - 1
    diagonal = 0.5 / c
    active = n_known
    upper = np.inf  # documents beyond it, whose dual variable is 0, are passed over
    for _ in range(most):
        largest, smallest = -np.inf, np.inf
        for place in range(active):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            other = place + np.int64(state % np.uint64(active - place))
            order[place], order[other] = order[other], order[place]
        place = 0
        while place < active:
            row = order[place]
            sign = np.float64(signs[row])
            value = weights[intercept]
            for entry in range(starts[row], starts[row + 1]):
                value += weights[columns[entry]] * data[entry]
            gradient = sign * value - 1.0 + duals[row] * diagonal
            projected = gradient
            if duals[row] == 0.0:
                if gradient > upper:
                    active -= 1
                    order[place], order[active] = order[active], order[place]
                    continue
                projected = min(gradient, 0.0)
            largest, smallest = max(largest, projected), min(smallest, projected)
            if abs(projected) > 1e-12:
                before = duals[row]
                duals[row] = max(before - gradient / (squares[row] + diagonal), 0.0)
                step = (duals[row] - before) * sign
                weights[intercept] += step
                for entry in range(starts[row], starts[row + 1]):
                    weights[columns[entry]] += step * data[entry]
            place += 1
        if largest - smallest <= tolerance:
            if active == n_known:
                break
            active = n_known
            upper = np.inf
        else:
            upper = largest if largest > 0.0 else np.inf
