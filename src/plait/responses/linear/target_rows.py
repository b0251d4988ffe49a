"""Targets and costs of documents in their smallest form: what a chain keeps, and what is sent to a worker.

Signs take one byte per document and label, targets and costs as losses take them 8 each. Shards expand their own
documents when they use them, some observations at a time, so that no process holds these arrays.
"""

from __future__ import annotations

from typing import NamedTuple, Self, TypeAlias

import numpy as np

from plait._utils.arrays import lasting_array, scratch_array
from plait.responses.auxiliaries import KnownTargets, KnownValues
from plait.responses.linear.regression import LabelledDocuments
from plait.samplers.kernels.compiled import kernel


class KnownSigns(NamedTuple):
    """Known labels as signs, with the costs of both signs of every label."""

    signs: np.ndarray  # int8, ±1
    labels: np.ndarray
    costs: np.ndarray  # as in SignRows

    def block(self, own: slice) -> tuple[np.ndarray, np.ndarray]:
        """Return the targets and the costs of some observations; the next call of the thread overwrites them."""
        signs = self.signs[own]
        targets, costs = (scratch_array(name, signs.size, np.float64) for name in ("targets", "costs"))
        _expand_signs(signs, self.labels[own], self.costs, targets, costs)
        return targets, costs


class SignRows(NamedTuple):
    """Labels of documents as signs.

    Examples
    --------
    >>> rows = SignRows(np.array([[1, -1], [0, 1]], np.int8), np.array([[0.5, 0.5], [3.0, 4.0]]))
    >>> rows.labelled().labels.tolist()
    [0, 1, 1]
    >>> [array.tolist() for array in rows.known(rows.labelled()).block(slice(None))]
    [[1.0, -1.0, 1.0], [3.0, 0.5, 4.0]]
    """

    signs: np.ndarray  # int8, documents × tasks: 1 for yes, -1 for no, 0 for unknown
    costs: np.ndarray  # float64, 2 × tasks: cost of a no and of a yes

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return int(self.signs.shape[1])

    def cut(self, first: int, last: int) -> Self:
        """Return the rows of documents `first` up to `last`."""
        return self._replace(signs=self.signs[first:last])

    def count_known(self) -> int:
        """Return the number of known targets."""
        return int(np.count_nonzero(self.signs))

    def labelled(self) -> LabelledDocuments:
        """Return which targets of each document are known."""
        return _labelled(self.signs != 0)

    def known(self, labelled: LabelledDocuments) -> KnownTargets:
        """Return the known targets and their costs."""
        complete = labelled.labels.size == self.signs.size
        return KnownSigns(self.signs.ravel() if complete else self.signs[self.signs != 0], labelled.labels, self.costs)

    def different(self) -> tuple[np.ndarray, np.ndarray]:
        """Return each pair of a target and a cost that occurs."""
        found = [(self.signs == sign).any(axis=0) for sign in (-1, 1)]
        targets = np.repeat([-1.0, 1.0], [one.sum() for one in found])
        return targets, np.concatenate([own[one] for own, one in zip(self.costs, found, strict=True)])


class ValueRows(NamedTuple):
    """Real targets of documents.

    Examples
    --------
    >>> rows = ValueRows(np.array([[0.5], [np.nan]]), 1.0)
    >>> rows.known(rows.labelled()).block(slice(None))
    (array([0.5]), array([1.]))
    """

    values: np.ndarray  # float64, documents × tasks; NaN for unknown
    costs: float | np.ndarray  # one number, or documents × tasks

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return int(self.values.shape[1])

    def cut(self, first: int, last: int) -> Self:
        """Return the rows of documents `first` up to `last`."""
        costs = self.costs[first:last] if isinstance(self.costs, np.ndarray) else self.costs
        return self._replace(values=self.values[first:last], costs=costs)

    def count_known(self) -> int:
        """Return the number of known targets."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    def labelled(self) -> LabelledDocuments:
        """Return which targets of each document are known."""
        return _labelled(~np.isnan(self.values))

    def known(self, labelled: LabelledDocuments) -> KnownTargets:
        """Return the known targets and their costs."""
        known = ~np.isnan(self.values)
        values = self.values[known]
        costs = self.costs[known].astype(np.float64, copy=False) if isinstance(self.costs, np.ndarray) else self.costs
        return KnownValues(values, np.broadcast_to(costs, values.shape))

    def different(self) -> tuple[np.ndarray, np.ndarray]:
        """Return targets and costs; those that are equal are not joined."""
        return self.known(self.labelled()).block(slice(None))


TargetRows: TypeAlias = SignRows | ValueRows


@kernel
def _expand_signs(signs, labels, costs, targets, target_costs):
    for place in range(signs.size):
        targets[place] = signs[place]
        target_costs[place] = costs[1 if signs[place] > 0 else 0, labels[place]]


def _labelled(known: np.ndarray) -> LabelledDocuments:
    """Return the known targets of each document."""
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int64)
    labels = lasting_array(int(starts[-1]), np.int32)
    labels[:] = np.broadcast_to(np.arange(known.shape[1], dtype=np.int32), known.shape)[known]
    return LabelledDocuments(starts, labels, known.shape[1])
