"""Tasks: the linear predictors of labels and values, and the chains and topics that each of them uses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError
from plait.inputs.features import FeatureScaling
from plait.models.folding import FittedChains
from plait.models.inputs import Documents


class TaskLayout(NamedTuple):
    """Which tasks the chains of a group learn.

    Usually the chains of one group learn all tasks with shared topics. One-vs-all models have one group per task, each
    with topics of its own. Of very many labels, chains learn some, and features score the others.
    """

    n_topics: int  # per group
    one_vs_all: bool = False
    tasks: tuple[int, ...] | None = None  # that chains learn, in order; None for all

    def of_group(self, group: int) -> slice | list[int]:
        """Return the tasks that the chains of a group learn."""
        if self.tasks is not None:
            return list(self.tasks)
        return slice(group, group + 1) if self.one_vs_all else slice(None)

    def learns(self, group: int, task: int) -> bool:
        """Return whether the chains of a group learn a task."""
        return task in self.tasks if self.tasks is not None else not self.one_vs_all or group == task

    def row(self, task: int) -> int:
        """Return the row of a task in the weights of a sample."""
        return self.tasks.index(task) if self.tasks is not None else 0 if self.one_vs_all else task

    def n_rows(self, n_tasks: int) -> int:
        """Return the number of rows of the weights of a sample."""
        return len(self.tasks) if self.tasks is not None else 1 if self.one_vs_all else n_tasks

    def first_topic(self, task: int) -> int:
        """Return the number of the first topic of a task, among the topics that the model shows."""
        return task * self.n_topics if self.one_vs_all else 0


def task_values(
    chains: FittedChains,
    documents: Documents,
    place: int,
    n_tasks: int,
    layout: TaskLayout,
    scaling: FeatureScaling | None = None,
) -> np.ndarray:
    """Return the value η · z̄ + v · f of every document and task, averaged over all samples of all chains.

    Parameters
    ----------
    chains : FittedChains
        Chains of the fitted model.
    documents : Documents
        New documents.
    place : int
        Index of the response among those of the model.
    n_tasks : int
        Number of tasks.
    layout : TaskLayout
        Which group learns which tasks.
    scaling : FeatureScaling or None, default None
        How features were standardised, for a response with features; None for one without.

    Returns
    -------
    ndarray of shape (documents, tasks)
        Values; 0 for tasks that chains do not learn, −∞ for those that an interrupted fit did not reach.
    """
    features = read_new_features(documents, scaling)
    total = np.zeros((documents.counts.shape[0], n_tasks))
    n_samples = np.zeros(n_tasks)
    for group, sample, mean_topics in chains.mean_topics(documents):
        tasks = layout.of_group(group)
        # Not by BLAS, whose last bits depend on the number of documents.
        of_topics, of_features = split_weights(sample.weights[place], layout.n_topics)
        total[:, tasks] += np.einsum("dk,lk->dl", mean_topics, of_topics)
        if features is not None:
            total[:, tasks] += features @ of_features.T
        n_samples[tasks] += 1
    return np.where(n_samples > 0, total / np.maximum(n_samples, 1), -np.inf if layout.tasks is None else 0.0)


def split_weights(weights: np.ndarray, n_topics: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of topics and those of features.

    Parameters
    ----------
    weights : ndarray of shape (tasks, topics + features)
        Weights of a sample.
    n_topics : int
        Number of topics.
    """
    return weights[:, :n_topics], weights[:, n_topics:]


def read_new_features(documents: Documents, scaling: FeatureScaling | None) -> sparse.csr_array | None:
    """Return the standardised features of new documents; None for a response without features.

    Parameters
    ----------
    documents : Documents
        New documents.
    scaling : FeatureScaling or None
        How the features of the training documents were standardised.
    """
    if scaling is not None:
        return scaling.read(documents.features, documents.counts.shape[0])
    if documents.features is not None:
        raise PlaitError("features= is given, but this model was fitted without features; leave features out")
    return None
