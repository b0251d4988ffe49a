"""Features beside topics: scores of labels by linear machines on TF-IDF of words, or on columns of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError
from plait.inputs.features import FeatureScaling, read_features, standardise
from plait.models.labelling.bayes import naive_bayes
from plait.models.labelling.columns import (
    Columns,
    Learner,
    as_columns,
    fit_machines,
    held_out_scores,
    machine_scores,
)
from plait.models.labelling.svm import support_vectors
from plait.responses.base import Map

TEXT = "text"


@dataclass(frozen=True)
class LabelFeatures:
    """Linear machines that score labels by features of documents.

    Parameters
    ----------
    kind : str
        "text": the features are TF-IDF of the words. "columns": those that the user gave.
    machines : ndarray of shape (tasks, columns + 1)
        Weights, the intercept last.
    factors : ndarray of shape (columns,)
        Factors of the columns: inverse document frequencies, or 1 / standard deviation.
    centers : ndarray of shape (columns,)
        What is subtracted from dense columns first; 0 otherwise.
    """

    kind: str
    machines: np.ndarray
    factors: np.ndarray
    centers: np.ndarray

    def scores(self, counts: Any, given: Any, map: Map) -> np.ndarray:
        """Return the scores of new documents (documents × tasks).

        Parameters
        ----------
        counts : csr_array
            Word counts of the documents.
        given : array-like or sparse matrix or None
            Their features, for columns of the user's own.
        map : callable
            Runs the tasks, as `Executor.map`.

        Returns
        -------
        ndarray
            Scores.
        """
        return machine_scores(self.columns(counts, given), self.machines, map)

    def columns(self, counts: Any, given: Any) -> Columns:
        """Return the features of new documents as the machines take them."""
        if self.kind == TEXT:
            if given is not None:
                raise PlaitError("features= is given, but this model uses features='text', which it computes itself")
            return as_columns(_tfidf(in_memory(counts), self.factors))
        return as_columns(FeatureScaling(self.factors, self.centers).read(given, counts.shape[0]))

    def check_sizes(self, n_tasks: int, n_words: int) -> None:
        """Raise an error unless the arrays have the sizes of a model: they may come from a file."""
        from plait._utils.arrays import check_array

        n_columns = n_words if self.kind == TEXT else self.factors.size
        if self.kind not in (TEXT, "columns"):
            raise PlaitError(f"features of the kind {self.kind!r}")
        check_array("machines of features", self.machines, (n_tasks, n_columns + 1))
        for name in ("factors", "centers"):
            check_array(f"{name} of features", getattr(self, name), (n_columns,))


@dataclass(frozen=True)
class Learned:
    """Machines of every learner, fitted to the training documents.

    Parameters
    ----------
    kind : str
        As in `LabelFeatures`.
    machines : list of ndarray of shape (tasks, columns + 1)
        One per learner.
    factors, centers : ndarray of shape (columns,)
        As in `LabelFeatures`.
    held_out : list of ndarray of shape (documents, tasks)
        Scores of the training documents by machines that did not learn from their fold; empty without folds.
    """

    kind: str
    machines: list[np.ndarray]
    factors: np.ndarray
    centers: np.ndarray
    held_out: list[np.ndarray]

    def joined(self, weights: Sequence[float]) -> LabelFeatures:
        """Return one machine per label, the weighted sum of those of all learners; the weights add up to 1."""
        total = sum(weight * one.astype(np.float64) for weight, one in zip(weights, self.machines, strict=True))
        return LabelFeatures(self.kind, np.asarray(total, np.float32), self.factors, self.centers)


def learn_features(
    features: Any, counts: Any, signs: np.ndarray, folds: np.ndarray | None, map: Map, *, several: bool
) -> Learned:
    """Fit machines to features of the training documents.

    Parameters
    ----------
    features : "text", array-like or sparse matrix
        Parameter of the model.
    counts : csr_array or StoredCounts of shape (documents, words)
        Word counts.
    signs : ndarray of shape (documents, tasks)
        +1, −1, or 0 for unknown.
    folds : ndarray of shape (documents,) or None
        Fold of each document, −1 for none; None if no held-out scores are needed.
    map : callable
        Runs the tasks, as `Executor.map`.
    several : bool
        Whether a document may have several labels. If it has one class, naive Bayes scores words, too.

    Returns
    -------
    Learned
        Machines of every learner.
    """
    if isinstance(features, str):
        words = in_memory(counts)
        factors, centers = _inverse_frequencies(words), np.zeros(words.shape[1])
        columns, kind = as_columns(_tfidf(words, factors)), TEXT
    else:
        given = read_features(features, counts.shape[0])
        scaling = standardise(given)
        factors, centers = scaling.factors, scaling.centers
        columns, kind = as_columns(scaling.apply(given)), "columns"
    learners: tuple[Learner, ...] = (support_vectors,)
    if kind == TEXT and not several:
        learners = (support_vectors, naive_bayes)
    machines = [fit_machines(learner, columns, signs, map) for learner in learners]
    held_out = [] if folds is None else [held_out_scores(one, columns, signs, folds, map) for one in learners]
    return Learned(kind, machines, factors, centers, held_out)


def in_memory(counts: Any) -> sparse.csr_array:
    """Return word counts as a sparse matrix, read from files if they are there."""
    return counts if sparse.issparse(counts) else sparse.csr_array(counts[np.arange(counts.shape[0])])


def _inverse_frequencies(counts: sparse.csr_array) -> np.ndarray:
    frequency = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
    return np.log((1.0 + counts.shape[0]) / (1.0 + frequency)) + 1.0


def _tfidf(counts: sparse.csr_array, factors: np.ndarray) -> sparse.csr_array:
    """Return (1 + log n) idf with rows of length 1; real-valued counts below 1 are used as they are."""
    data = counts.data.astype(np.float64)
    data = np.where(data > 1.0, 1.0 + np.log(np.maximum(data, 1.0)), data) * factors[counts.indices]
    row_of = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(row_of, weights=data**2, minlength=counts.shape[0]))
    data /= np.maximum(lengths, 1e-300)[row_of]
    return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
