"""Chain and shard responses of labels and values: each task has weights η, and its value for a document is η · z̄_d.

With features f_d of documents the value is η · z̄_d + v · f_d, and (η, v) are drawn together. For the sampler, v · f_d
is an offset.

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
from plait.responses.linear.feature_sums import FeatureRows, add_offsets, sum_squares
from plait.responses.linear.label_parts import LabelPart
from plait.responses.linear.target_rows import KnownSigns, SignRows, TargetRows, ValueRows
from plait.responses.losses import Hinge, Loss, Pseudo
from plait.responses.prior_mean import check_mean, initial_weights
from plait.samplers.base import Observations
from plait.samplers.random import generator

_MAX_BYTES = 1 << 30  # of sums per shard, with features


class HingeSigns(NamedTuple):
    """Targets of the hinge loss."""

    signs: np.ndarray  # int8, ±1, of every known target
    costs: np.ndarray  # float64, 2 × tasks: cost of a no and of a yes
    ell: float  # margin


def check_size(n_tasks: int, n_topics: int, n_features: int) -> None:
    """Raise an error if the sums of a regression on features need more memory than is sensible.

    Parameters
    ----------
    n_tasks, n_topics, n_features : int
        Sizes of the response.
    """
    size = 4 * (n_topics + n_features) ** 2 * n_tasks
    if n_features and size > _MAX_BYTES:
        raise PlaitError(
            f"{n_features:,} features with weights for {n_tasks:,} labels need {size / 2**30:.1f} GiB of sums per "
            f"shard; give at most {int((_MAX_BYTES / (4 * n_tasks)) ** 0.5) - n_topics:,} columns, such as the "
            "principal components",
            parameter="features",
        )


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
    features : FeatureRows or None, default None
        Features f_d of all documents, whose value is then η · z̄_d + v · f_d; None for none.
    feature_nu : float, default 1.0
        Prior standard deviation of the weights v of features.
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
        features: FeatureRows | None = None,
        feature_nu: float = 1.0,
    ) -> None:
        if isinstance(targets, SignRows) and costs is not None:
            raise TypeError("costs= is for an array of targets; SignRows have their own")
        self._rows: TargetRows = targets if isinstance(targets, SignRows) else _value_rows(targets, costs)
        self._pseudo: Pseudo | None = None  # of a state that was loaded; None: those of the beginning
        self.loss = loss
        self.nu = nu
        self.mean = check_mean(mean, self._rows.n_tasks)
        self.exact = exact
        self._features = features
        self.n_features = 0 if features is None else features.n_columns
        self.feature_nu = feature_nu

    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Set the weights to their prior mean; reject costs that the loss does not take."""
        self.loss.begin(*self._rows.different())
        self._pseudo = None
        n_tasks = self._rows.n_tasks
        check_size(n_tasks, n_topics, self.n_features)
        own = initial_weights(self.mean, (n_tasks, n_topics))
        self.weights = np.concatenate([own, np.zeros((n_tasks, self.n_features))], axis=1)

    def cut(self, runs: Sequence[tuple[int, int]]) -> tuple[list[ShardTargets], None]:
        """Return the shard responses; shards do not depend on each other."""
        halves, begin = [], 0
        for number, (first, last) in enumerate(runs):
            rows, pseudo = self._rows.cut(first, last), None
            if self._pseudo is not None:
                own = slice(begin, begin + rows.count_known())
                pseudo, begin = Pseudo(self._pseudo.pull[own], self._pseudo.precision[own]), own.stop
            features = None if self._features is None else self._features.cut(first, last)
            halves.append(ShardTargets(number, rows, self.loss, self.exact, pseudo, features))
        return halves, None

    def release(self) -> None:
        """Forget the pseudo-observations; a chain that is cut again has loaded them or starts over."""
        self._pseudo = None

    def message(self) -> np.ndarray:
        """Return the weights, tasks × topics; those of features come after those of topics."""
        return self.weights

    def draw_weights(self, sums: tuple[np.ndarray, ...], key: np.uint64, map: Map) -> None:
        """Draw the weights of every task."""
        normals = generator(key).standard_normal(self.weights.shape)
        self.weights = regression.draw_weights(regression.Sums(*sums), self._deviations(), normals, map, self._means())

    def _deviations(self) -> float | np.ndarray:
        """Return the prior standard deviation of the weights: one number, or one per topic and feature."""
        if not self.n_features:
            return self.nu
        n_topics = self.weights.shape[1] - self.n_features
        return np.repeat([float(self.nu), float(self.feature_nu)], [n_topics, self.n_features])

    def _means(self) -> np.ndarray | None:
        """Return the prior mean of the weights, 0 for features; None for 0."""
        if self.mean is None or not self.n_features:
            return self.mean
        return np.concatenate([self.mean, np.zeros((len(self.mean), self.n_features))], axis=1)

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
        nu, mean = self._deviations(), self._means()
        return [
            LabelPart(
                nu,
                None if normals is None else normals[first:last],
                None if mean is None else mean[first:last],
            )
            for first, last in ranges
        ]

    def mean_weights(self, sums: tuple[np.ndarray, ...], map: Map) -> np.ndarray:
        """Return the expected weights of every task, tasks × topics."""
        return regression.draw_weights(regression.Sums(*sums), self._deviations(), None, map, self._means())

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
    features : FeatureRows or None, default None
        Features of its documents; None for none.
    """

    observes_topics = False

    def __init__(
        self,
        number: int,
        rows: TargetRows,
        loss: Loss,
        exact: bool,
        pseudo: Pseudo | None = None,
        features: FeatureRows | None = None,
    ) -> None:
        self._features = features
        self._number = number
        self._rows = rows
        self._loss = loss
        self._exact = exact
        self._given = pseudo
        self._squares: np.ndarray | None = None  # Σ precision f fᵀ, where it does not change
        self._sums: regression.Sums | None = None  # the last ones, whose memory is used again

    @property
    def regresses_documents(self) -> bool:  # type: ignore[override]
        """Whether topics are the only regressors; an executor that computes sums itself does not know features."""
        return self._features is None

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
        squares = None
        if self._features is not None and self._loss.fixed_precision:
            if self._squares is None:
                self._squares = sum_squares(self._documents, self._features, self._pseudo.precision, map)
            squares = self._squares
        self._sums = regression.sum_statistics(
            self._documents, topics, *self._pseudo, map, self._features, squares, self._sums
        )
        return self._sums

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
        values = regression.project_documents(self._documents, topics, message, map)
        self._add_offsets(message, values, map)
        self.draw_given(values, key, map)

    def _add_offsets(self, weights: np.ndarray, values: np.ndarray, map: Map) -> None:
        """Add v · f_d to values of the known targets."""
        if self._features is not None:
            own = np.ascontiguousarray(weights[:, weights.shape[1] - self._features.n_columns :])
            add_offsets(self._documents, self._features, own, values, map)

    def draw_given(self, values: np.ndarray, key: np.uint64, map: Map) -> None:
        """Draw the auxiliary variable of every known target given its value u · z̄_d + v · f_d.

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
        """Return the pseudo-observations; the directions are the weights of the tasks.

        Features add the offset o = v · f_d to a value, so that it is u · z̄_d + o. As a function of the topics,
        pull (m + o) − precision (m + o)² / 2 is (pull − precision o) m − precision m² / 2, and a constant.
        """
        starts, labels, n_labels = self._documents
        pull, precision = self._pseudo
        n_topics = message.shape[1]
        if self._features is not None:
            n_topics -= self._features.n_columns
            offsets = np.zeros(pull.size)
            self._add_offsets(message, offsets, map)
            pull = pull - precision * offsets
        directions = np.zeros((n_labels, width), np.float32)
        directions[:, :n_topics] = message[:, :n_topics]
        return Observations(starts, labels, pull, precision, directions.ravel(), self._exact)

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
