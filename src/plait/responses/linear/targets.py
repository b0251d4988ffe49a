"""Chain and shard responses of labels and values: each task has weights η, and its value for a document is η · z̄_d.

Zhu, Zheng, Zhou and Zhang (2013) with the hinge loss; the same with any other loss. All tasks share the topics. Labels
have one task per label; values are one task.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from plait.errors import PlaitError
from plait.responses.auxiliaries import draw_pseudo, load_pseudo
from plait.responses.base import ChainResponse, DocTopics, Map, ShardResponse
from plait.responses.linear import regression
from plait.responses.linear.label_parts import LabelPart
from plait.responses.losses import Loss, Pseudo
from plait.responses.prior_mean import check_mean, initial_weights
from plait.samplers.base import Observations
from plait.samplers.random import generator

_MOST_CODES = 256  # different numbers that one byte can name
_SAMPLE = 4096  # numbers that usually tell whether there are more
_RELEASED = Pseudo(np.zeros(0), np.zeros(0))  # pseudo-observations that only the shards have


class _KnownTargets(NamedTuple):
    """Known targets of some documents, in the order of the documents."""

    documents: regression.LabelledDocuments
    targets: np.ndarray
    costs: np.ndarray
    pseudo: Pseudo

    def cut(self, first: int, last: int) -> _KnownTargets:
        """Return the known targets of documents `first` up to `last`."""
        starts = self.documents.starts[first : last + 1]
        own = slice(starts[0], starts[-1])
        documents = regression.LabelledDocuments(
            starts - starts[0], self.documents.labels[own], self.documents.n_labels
        )
        pseudo = Pseudo(self.pseudo.pull[own], self.pseudo.precision[own])
        return _KnownTargets(documents, self.targets[own], self.costs[own], pseudo)


class _Coded(NamedTuple):
    """Real numbers of which at most 256 are different: these, and the number of each entry."""

    different: np.ndarray
    numbers: np.ndarray


def _encode(values: np.ndarray) -> np.ndarray | _Coded:
    """Return real numbers in an eighth of the memory if few of them are different, otherwise as they are.

    Targets, costs and the pseudo-observations of the beginning are such numbers, and the largest part of a shard that
    is sent to a worker.
    """
    bits = np.ascontiguousarray(values).view(np.int64)  # so that 0 and -0 stay different
    if np.unique(bits[:_SAMPLE]).size > _MOST_CODES:
        return values
    different = np.unique(bits)
    if different.size > _MOST_CODES:
        return values
    return _Coded(different.view(np.float64), np.searchsorted(different, bits).astype(np.uint8))


def _decode(values: np.ndarray | _Coded) -> np.ndarray:
    """Return the numbers that `_encode` was given."""
    return values.different[values.numbers] if isinstance(values, _Coded) else values


class ChainTargets(ChainResponse):
    """Weights of every task over topics.

    Parameters
    ----------
    targets : ndarray of shape (documents, tasks)
        ±1 or real numbers, depending on the loss; NaN for unknown.
    loss : Loss
        Turns targets and values into pseudo-observations.
    costs : float or ndarray of shape (documents, tasks), default 1.0
        c for each target.
    nu : float, default 1.0
        Prior standard deviation of the weights.
    mean : ndarray of shape (tasks, topics) or None, default None
        Prior mean of the weights; None for 0.
    exact : bool, default True
        Whether τ is updated after every token; otherwise it is computed once per document.
    """

    divides_labels = True

    def __init__(
        self,
        targets: np.ndarray,
        loss: Loss,
        *,
        costs: float | np.ndarray = 1.0,
        nu: float = 1.0,
        mean: np.ndarray | None = None,
        exact: bool = True,
    ) -> None:
        known = ~np.isnan(targets)
        starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int64)
        labels = np.broadcast_to(np.arange(targets.shape[1], dtype=np.int32), targets.shape)[known]
        documents = regression.LabelledDocuments(starts, labels, targets.shape[1])
        values = targets[known].astype(np.float64, copy=False)
        all_costs = np.broadcast_to(costs, targets.shape)[known].astype(np.float64, copy=False)
        self._known = _KnownTargets(documents, values, all_costs, Pseudo(values, values))
        self.loss = loss
        self.nu = nu
        self.mean = check_mean(mean, targets.shape[1])
        self.exact = exact

    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Set the initial pseudo-observations of the loss and the weights to their prior mean."""
        self._known = self._known._replace(pseudo=self.loss.begin(self._known.targets, self._known.costs))
        self.weights = initial_weights(self.mean, (self._known.documents.n_labels, n_topics))

    def cut(self, runs: Sequence[tuple[int, int]]) -> tuple[list[ShardTargets], None]:
        """Return the shard responses; shards do not depend on each other."""
        known = self._known
        if known.pseudo is _RELEASED:
            known = known._replace(pseudo=self.loss.begin(known.targets, known.costs))
        halves = [
            ShardTargets(number, known.cut(first, last), self.loss, self.exact)
            for number, (first, last) in enumerate(runs)
        ]
        return halves, None

    def release(self) -> None:
        """Forget the pseudo-observations; a chain that is cut again has loaded them or starts over."""
        self._known = self._known._replace(pseudo=_RELEASED)

    def message(self) -> np.ndarray:
        """Return the weights, tasks × topics."""
        return self.weights

    def draw_weights(self, sums: tuple[np.ndarray, ...], key: np.uint64, map: Map) -> None:
        """Draw the weights of every task."""
        normals = generator(key).standard_normal(self.weights.shape)
        self.weights = regression.draw_weights(regression.Sums(*sums), self.nu, normals, map, self.mean)

    def label_parts(self, ranges: Sequence[tuple[int, int]], key: np.uint64 | None) -> list[LabelPart]:
        """Return what the weights of ranges of tasks need besides sums: the numbers that `draw_weights` would use.

        Parameters
        ----------
        ranges : sequence of (int, int)
            First and last task (exclusive) of each range.
        key : np.uint64 or None
            Key of the random numbers; None for expected weights.

        Returns
        -------
        list of LabelPart
            One per range.
        """
        normals = None if key is None else generator(key).standard_normal(self.weights.shape)
        return [
            LabelPart(self.nu, None if normals is None else normals[first:last], self._mean_of(first, last))
            for first, last in ranges
        ]

    def _mean_of(self, first: int, last: int) -> np.ndarray | None:
        return None if self.mean is None else self.mean[first:last]

    def mean_weights(self, sums: tuple[np.ndarray, ...], map: Map) -> np.ndarray:
        """Return the expected weights of every task, tasks × topics."""
        return regression.draw_weights(regression.Sums(*sums), self.nu, None, map, self.mean)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the weights."""
        return {"weights": self.weights}

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore weights and pseudo-observations."""
        self.weights = np.array(arrays["weights"])
        if self.weights.ndim != 2 or self.weights.shape[0] != self._known.documents.n_labels:
            raise PlaitError(f"the checkpoint is damaged: it has weights of {len(self.weights)} labels; fit again")
        self._known = self._known._replace(pseudo=load_pseudo(arrays, self._known.targets.size))


class ShardTargets(ShardResponse):
    """Targets and auxiliary variables of a shard's documents."""

    def __init__(self, number: int, known: _KnownTargets, loss: Loss, exact: bool) -> None:
        self._number = number
        self._known = known
        self._loss = loss
        self._exact = exact

    def __getstate__(self) -> dict[str, Any]:
        documents, targets, costs, pseudo = self._known
        narrow = np.min_scalar_type(max(documents.n_labels - 1, 0))
        numbers = [_encode(values) for values in (targets, costs, *pseudo)]
        packed = (documents._replace(labels=documents.labels.astype(narrow)), *numbers)
        return vars(self) | {"_known": packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        documents, targets, costs, pull, precision = state["_known"]
        documents = documents._replace(labels=documents.labels.astype(np.int32))
        pseudo = Pseudo(_decode(pull), _decode(precision))
        known = _KnownTargets(documents, _decode(targets), _decode(costs), pseudo)
        self.__dict__.update(state | {"_known": known})

    def statistics(self, topics: DocTopics, map: Map) -> tuple[np.ndarray, ...]:
        """Return Σ precision x xᵀ and Σ pull x of every task."""
        return regression.sum_statistics(self._known.documents, topics, *self._known.pseudo, map)

    def draw_auxiliaries(self, topics: DocTopics, message: np.ndarray, key: np.uint64, map: Map) -> None:
        """Draw the auxiliary variable of every known target."""
        known = self._known
        values = regression.project_documents(known.documents, topics, message, map)
        pseudo = draw_pseudo(self._loss, known.targets, values, known.costs, key, self._number, map)
        self._known = known._replace(pseudo=pseudo)

    def observations(self, topics: DocTopics, message: np.ndarray, width: int, map: Map) -> Observations:
        """Return the pseudo-observations; the directions are the weights of the tasks."""
        starts, labels, n_labels = self._known.documents
        directions = np.zeros((n_labels, width), np.float32)
        directions[:, : message.shape[1]] = message
        return Observations(starts, labels, *self._known.pseudo, directions.ravel(), self._exact)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the pseudo-observations, in the order of the documents."""
        return {"pull": self._known.pseudo.pull, "precision": self._known.pseudo.precision}
