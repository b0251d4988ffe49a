"""Columns of features as compiled code reads them, and linear machines on them: one per label."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.responses.base import Map
from plait.samplers.kernels.compiled import kernel


class Columns(NamedTuple):
    """Rows of features."""

    starts: np.ndarray  # int64, of the rows
    columns: np.ndarray  # int32
    data: np.ndarray  # float64
    squares: np.ndarray  # squared length of every row, with the constant 1 of the intercept
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.starts.size - 1


_LABELS_AT_ONCE = 64  # that a task learns: rows of features are read once for all of them

# Returns the weights of some labels, the intercept last, from features, signs of the documents and the task's number.
Learner = Callable[[Columns, np.ndarray, int], np.ndarray]


def as_columns(matrix: sparse.csr_array) -> Columns:
    """Return a sparse matrix as `Columns`.

    Parameters
    ----------
    matrix : csr_array
        Documents × features.

    Returns
    -------
    Columns
        The same.
    """
    starts, data = matrix.indptr.astype(np.int64), matrix.data.astype(np.float64)
    row_of = np.repeat(np.arange(matrix.shape[0]), np.diff(starts))
    squares = np.bincount(row_of, weights=data**2, minlength=matrix.shape[0]) + 1.0
    return Columns(starts, matrix.indices.astype(np.int32), data, squares, matrix.shape[1])


def fit_machines(learner: Learner, features: Columns, signs: np.ndarray, map: Map) -> np.ndarray:
    """Return the weights of one machine per label.

    Parameters
    ----------
    learner : callable
        Learns one machine.
    features : Columns
        Features of the documents.
    signs : ndarray of shape (documents, tasks)
        +1, −1, or 0 for unknown.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    float32 array of shape (tasks, features + 1)
        Weights, the intercept last.
    """
    machines = np.zeros((signs.shape[1], features.n_columns + 1), np.float32)

    def solve(task: int) -> None:
        own = _labels_of(task)
        machines[own] = learner(features, signs[:, own], task)

    map(solve, range(_n_tasks(signs)))
    return machines


def held_out_scores(learner: Learner, features: Columns, signs: np.ndarray, folds: np.ndarray, map: Map) -> np.ndarray:
    """Return the scores of documents by machines that did not learn from their fold.

    Parameters
    ----------
    learner : callable
        Learns one machine.
    features : Columns
        Features of the documents.
    signs : ndarray of shape (documents, tasks)
        +1, −1, or 0 for unknown.
    folds : ndarray of shape (documents,)
        Fold of each document, −1 for documents without labels, which are not scored.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    ndarray of shape (documents, tasks)
        Scores; 0 for documents without a fold.
    """
    scores = np.zeros(signs.shape)
    numbers = [int(fold) for fold in np.unique(folds) if fold >= 0]

    def solve(item: int) -> None:
        task, fold = divmod(item, len(numbers))
        held_out, own = folds == numbers[fold], _labels_of(task)
        machines = learner(features, np.where(held_out[:, np.newaxis], 0, signs[:, own]), item)
        rows = np.flatnonzero(held_out)
        found = np.empty((len(machines), rows.size))
        for machine, one in zip(machines, found, strict=True):
            _score(rows, features.starts, features.columns, features.data, machine, one)
        scores[rows, own] = found.T

    map(solve, range(_n_tasks(signs) * len(numbers)))
    return scores


def _n_tasks(signs: np.ndarray) -> int:
    return -(-signs.shape[1] // _LABELS_AT_ONCE)


def _labels_of(task: int) -> slice:
    return slice(task * _LABELS_AT_ONCE, (task + 1) * _LABELS_AT_ONCE)


def machine_scores(features: Columns, machines: np.ndarray, map: Map) -> np.ndarray:
    """Return the scores of documents.

    Parameters
    ----------
    features : Columns
        Features of the documents.
    machines : ndarray of shape (tasks, features + 1)
        Weights of the machines.
    map : callable
        Runs the tasks, as `Executor.map`.

    Returns
    -------
    ndarray of shape (documents, tasks)
        Scores.
    """
    rows = np.arange(features.n_rows)
    scores = np.empty((machines.shape[0], features.n_rows))

    def score(task: int) -> None:
        machine = machines[task].astype(np.float64)
        _score(rows, features.starts, features.columns, features.data, machine, scores[task])

    map(score, range(machines.shape[0]))
    return np.ascontiguousarray(scores.T)


@kernel
def _score(rows, starts, columns, data, weights, scores):
    intercept = weights[weights.size - 1]
    for place in range(rows.size):
        total = intercept
        for entry in range(starts[rows[place]], starts[rows[place] + 1]):
            total += weights[columns[entry]] * data[entry]
        scores[place] = total
