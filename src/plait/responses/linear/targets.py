"""Chain and shard responses of labels and values: each task has weights η, and its value for a document is η · z̄_d.

Zhu, Zheng, Zhou and Zhang (2013) with the hinge loss; the same with any other loss. All tasks share the topics. Labels
have one task per label; values are one task.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from plait.errors import PlaitError
from plait.responses.auxiliaries import KnownTargets, begin_pseudo, draw_pseudo, load_pseudo
from plait.responses.base import ChainResponse, DocTopics, Map, ShardResponse
from plait.responses.linear import regression
from plait.responses.linear.label_parts import LabelPart
from plait.responses.linear.target_rows import KnownSigns, SignRows, TargetRows, ValueRows
from plait.responses.losses import Hinge, Loss, Pseudo
from plait.responses.prior_mean import check_mean, initial_weights
from plait.samplers.base import Observations
from plait.samplers.random import generator


class HingeSigns(NamedTuple):
    """Targets of the hinge loss."""

    signs: np.ndarray  # int8, ±1, of every known target
    costs: np.ndarray  # float64, 2 × tasks: cost of a no and of a yes
    ell: float  # margin


class ChainTargets(ChainResponse):
    """Weights of every task over topics.

    Parameters
    ----------
    targets : ndarray of shape (documents, tasks) or SignRows
        ±1 or real numbers, depending on the loss; NaN for unknown. `SignRows` bring their costs.
    loss : Loss
        Turns targets and values into pseudo-observations.
    costs : float, ndarray of shape (documents, tasks) or None, default None
        c for each target; None for 1, or for the costs of `SignRows`.
    nu : float, default 1.0
        Prior standard deviation of the weights.
    mean : ndarray of shape (tasks, topics) or None, default None
        Prior mean of the weights; None for 0.
    exact : bool, default True
        Whether τ is updated after every token; otherwise it is computed once per document.
    """

    divides_labels = True
    shards_load = True

    def __init__(
        self,
        targets: np.ndarray | SignRows,
        loss: Loss,
        *,
        costs: float | np.ndarray | None = None,
        nu: float = 1.0,
        mean: np.ndarray | None = None,
        exact: bool = True,
    ) -> None:
        if isinstance(targets, SignRows) and costs is not None:
            raise TypeError("costs= is for an array of targets; SignRows have their own")
        self._rows: TargetRows = targets if isinstance(targets, SignRows) else _value_rows(targets, costs)
        self._pseudo: Pseudo | None = None  # of a state that was loaded; None: those of the beginning
        self.loss = loss
        self.nu = nu
        self.mean = check_mean(mean, self._rows.n_tasks)
        self.exact = exact

    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Set the weights to their prior mean; reject costs that the loss does not take."""
        self.loss.begin(*self._rows.different())
        self._pseudo = None
        self.weights = initial_weights(self.mean, (self._rows.n_tasks, n_topics))

    def cut(self, runs: Sequence[tuple[int, int]]) -> tuple[list[ShardTargets], None]:
        """Return the shard responses; shards do not depend on each other."""
        halves, begin = [], 0
        for number, (first, last) in enumerate(runs):
            rows, pseudo = self._rows.cut(first, last), None
            if self._pseudo is not None:
                own = slice(begin, begin + rows.count_known())
                pseudo, begin = Pseudo(self._pseudo.pull[own], self._pseudo.precision[own]), own.stop
            halves.append(ShardTargets(number, rows, self.loss, self.exact, pseudo))
        return halves, None

    def release(self) -> None:
        """Forget the pseudo-observations; a chain that is cut again has loaded them or starts over."""
        self._pseudo = None

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
        self.load_own(arrays)
        self._pseudo = load_pseudo(arrays, self._rows.count_known())

    def load_own(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore the weights."""
        self.weights = np.array(arrays["weights"])
        if self.weights.ndim != 2 or self.weights.shape[0] != self._rows.n_tasks:
            raise PlaitError(f"the checkpoint is damaged: it has weights of {len(self.weights)} labels; fit again")
        self._pseudo = None


class ShardTargets(ShardResponse):
    """Targets and auxiliary variables of a shard's documents.

    Parameters
    ----------
    number : int
        Number of the shard.
    rows : SignRows or ValueRows
        Targets and costs of its documents.
    loss : Loss
        Draws the auxiliary variables.
    exact : bool
        Whether τ is updated after every token.
    pseudo : Pseudo or None, default None
        Pseudo-observations of a saved state; None for those that the loss begins with.
    """

    observes_topics = False
    regresses_documents = True

    def __init__(self, number: int, rows: TargetRows, loss: Loss, exact: bool, pseudo: Pseudo | None = None) -> None:
        self._number = number
        self._rows = rows
        self._loss = loss
        self._exact = exact
        self._given = pseudo

    # Made where the shard lives, when they are first used: together they are much larger than the rows.

    @cached_property
    def _documents(self) -> regression.LabelledDocuments:
        return self._rows.labelled()

    @cached_property
    def _pseudo(self) -> Pseudo:
        if self._given is not None:
            return self._given
        return begin_pseudo(self._loss, self._known, self._documents.labels.size)

    @cached_property
    def _known(self) -> KnownTargets:
        return self._rows.known(self._documents)

    def hinge_signs(self) -> HingeSigns | None:
        """Return the targets for an executor that draws auxiliary variables of the hinge loss; None: another loss."""
        if type(self._loss) is not Hinge or not isinstance(self._known, KnownSigns):
            return None
        return HingeSigns(self._known.signs, self._known.costs, float(self._loss.ell))

    def n_known(self) -> int:
        """Return the number of known targets."""
        return self._documents.labels.size

    def prepare(self) -> None:
        """List the labels of the documents."""
        _ = self._known

    def statistics(self, topics: DocTopics, message: np.ndarray, map: Map) -> tuple[np.ndarray, ...]:
        """Return Σ precision x xᵀ and Σ pull x of every task."""
        return regression.sum_statistics(self._documents, topics, *self._pseudo, map)

    def chunk_edges(self, n_documents: int, n_topics: int) -> np.ndarray:
        """Return the first document of each chunk whose sums are computed apart, and the number of documents.

        Parameters
        ----------
        n_documents, n_topics : int
            Sizes of a shard of the same chain.
        """
        return regression.chunk_edges(n_documents, n_topics, self._documents.n_labels)

    def make_sums(self, products: np.ndarray, moments: np.ndarray) -> regression.Sums:
        """Return sums that were computed elsewhere as `statistics` does.

        Parameters
        ----------
        products : ndarray of shape (pairs of topics, labels)
            Σ precision x xᵀ.
        moments : ndarray of shape (topics, labels)
            Σ pull x.
        """
        return regression.Sums(products, moments)

    def draw_auxiliaries(self, topics: DocTopics, message: np.ndarray, key: np.uint64, map: Map) -> None:
        """Draw the auxiliary variable of every known target."""
        self.draw_given(regression.project_documents(self._documents, topics, message, map), key, map)

    def draw_given(self, values: np.ndarray, key: np.uint64, map: Map) -> None:
        """Draw the auxiliary variable of every known target given its value u · z̄_d.

        Parameters
        ----------
        values : ndarray of shape (known targets,)
            Values, in the order of the documents.
        key : np.uint64
            Key of the random numbers.
        map : callable
            Runs the tasks, as `Executor.map`.
        """
        draw_pseudo(self._loss, self._known, values, key, self._number, map, self._pseudo)

    def observations(self, topics: DocTopics, message: np.ndarray, width: int, map: Map) -> Observations:
        """Return the pseudo-observations; the directions are the weights of the tasks."""
        starts, labels, n_labels = self._documents
        directions = np.zeros((n_labels, width), np.float32)
        directions[:, : message.shape[1]] = message
        return Observations(starts, labels, *self._pseudo, directions.ravel(), self._exact)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the pseudo-observations, in the order of the documents."""
        return {"pull": self._pseudo.pull, "precision": self._pseudo.precision}

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore the pseudo-observations."""
        self._pseudo = load_pseudo(arrays, self._rows.count_known())


def _value_rows(targets: np.ndarray, costs: float | np.ndarray | None) -> ValueRows:
    """Return real targets with their costs."""
    values = targets.astype(np.float64, copy=False)
    if costs is None or np.ndim(costs) == 0:
        return ValueRows(values, 1.0 if costs is None else float(costs))
    return ValueRows(values, np.broadcast_to(costs, values.shape))
