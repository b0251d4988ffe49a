"""Labels as a response: each label has weights over topics, and its value for a document is η · z̄_d.

Zhu, Zheng, Zhou and Zhang (2013) with the hinge loss; the same with any other loss. All labels share the topics.
"""

from __future__ import annotations

import numpy as np

from plait.executors import Threads
from plait.responses.auxiliaries import draw_pseudo
from plait.responses.base import DocTopics, Response, check_mean, expected_weights
from plait.responses.linear import regression
from plait.responses.losses import Loss, Pseudo
from plait.samplers.base import Observations
from plait.samplers.random import generator


class Labels(Response):
    """Targets of documents, one for each label or NaN where it is not known.

    Parameters
    ----------
    targets
        Documents × labels: what the loss wants (±1, real numbers); NaN for unknown.
    loss
        How targets and values become pseudo-observations.
    costs
        c for each target, documents × labels, or one number.
    nu
        Standard deviation of the weights' prior.
    mean
        Mean of the weights' prior, labels × topics; None for 0.
    exact
        Whether topics' pull follows every drawn topic; else it is computed once a document.
    """

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
        labels = np.nonzero(known)[1].astype(np.int32)
        self.documents = regression.LabelledDocuments(starts, labels, targets.shape[1])
        self.targets = targets[known].astype(np.float64)
        self.costs = np.broadcast_to(costs, targets.shape)[known].astype(np.float64)
        self.loss = loss
        self.nu = nu
        self.mean = check_mean(mean, targets.shape[1])
        self.exact = exact

    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Take the state that a chain starts with: the loss's own, and the weights that are expected."""
        self.pseudo = self.loss.begin(self.targets, self.costs)
        self.weights = expected_weights(self.mean, (self.documents.n_labels, n_topics))

    def draw_weights(self, topics: DocTopics, key: np.uint64, executor: Threads) -> None:
        """Draw every label's weights."""
        sums = regression.add_up(self.documents, topics, *self.pseudo, executor)
        normals = generator(key).standard_normal(self.weights.shape)
        self.weights = regression.draw_weights(sums, self.nu, normals, executor, self.mean)

    def draw_auxiliaries(self, topics: DocTopics, key: np.uint64, executor: Threads) -> None:
        """Draw every known target's auxiliary variable."""
        values = regression.project_documents(self.documents, topics, self.weights)
        self.pseudo = draw_pseudo(self.loss, self.targets, values, self.costs, key, executor)

    def observations(self, topics: DocTopics, width: int) -> Observations:
        """Return the pseudo-observations; the directions are the labels' weights."""
        directions = np.zeros((self.documents.n_labels, width), np.float32)
        directions[:, : self.weights.shape[1]] = self.weights
        starts, labels, _ = self.documents
        return Observations(starts, labels, *self.pseudo, directions.ravel(), self.exact)

    def mean_weights(self, topics: DocTopics, executor: Threads) -> np.ndarray:
        """Return every label's expected weights, labels × topics."""
        sums = regression.add_up(self.documents, topics, *self.pseudo, executor)
        return regression.draw_weights(sums, self.nu, None, executor, self.mean)

    def state(self) -> dict[str, np.ndarray]:
        """Return the weights and the pseudo-observations."""
        return {"weights": self.weights, "pull": self.pseudo.pull, "precision": self.pseudo.precision}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go back to a state that `state` gave."""
        self.weights = np.array(arrays["weights"])
        self.pseudo = Pseudo(np.array(arrays["pull"]), np.array(arrays["precision"]))
