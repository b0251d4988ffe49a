"""How well classifiers tell classes apart: the area under the ROC curve of each class against the rest, over folds.

This is how Bíró and Szabó (2009) compare features: a classifier on fixed features, ten folds, the mean over classes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plait._utils.validation import check_whole
from plait.errors import PlaitError


class LabelFolds(NamedTuple):
    """What a classifier got right on documents that it was not trained on, fold by fold.

    Parameters
    ----------
    accuracies
        The share of documents whose class is right, in each fold.
    areas
        The mean area under the ROC curve over classes, in each fold.
    scores
        How strongly each document was held to be of each class, when it was held out (documents × classes); NaN for
        documents whose class is not known.
    classes
        The classes, in the order of the columns.
    """

    accuracies: np.ndarray
    areas: np.ndarray
    scores: np.ndarray
    classes: np.ndarray

    @property
    def accuracy(self) -> float:
        """The mean accuracy of the folds."""
        return float(self.accuracies.mean())

    @property
    def auc(self) -> float:
        """The mean area of the folds."""
        return float(self.areas.mean())


def mean_auc(y: Any, scores: Any, classes: Any) -> float:
    """Return the mean over classes of the area under the ROC curve of each class against the rest.

    Parameters
    ----------
    y : sequence of length documents
        The true classes.
    scores : array of shape (documents, classes)
        How strongly each document is held to be of each class.
    classes : sequence
        The classes, in the order of the columns. Classes that no document or all documents have are left out.

    Examples
    --------
    >>> mean_auc(["a", "b", "b"], [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]], ["a", "b"])
    1.0
    """
    truths, columns = np.asarray(y), np.asarray(scores, dtype=np.float64)
    if columns.shape != (len(truths), len(classes)):
        raise PlaitError(
            f"scores are of shape {columns.shape}; give {len(truths):,} documents × {len(classes):,} classes"
        )
    area = mean_area(truths[:, np.newaxis] == np.asarray(classes)[np.newaxis], columns)
    if area is None:
        raise PlaitError("all documents are of one class, so there is nothing to tell apart; give documents of several")
    return area


def mean_area(present: np.ndarray, scores: np.ndarray) -> float | None:
    """Return the mean area over the labels (columns) that some documents have and others have not; None without any."""
    from sklearn.metrics import roc_auc_score

    some = present.any(axis=0) & ~present.all(axis=0)
    areas = [roc_auc_score(present[:, column], scores[:, column]) for column in np.flatnonzero(some)]
    return float(np.mean(areas)) if areas else None


def cross_validate_labels(
    classifier: Any, X: Any, y: Any, *, edges: Any = None, n_folds: int = 10, seed: int = 0
) -> LabelFolds:
    """Train a classifier on all folds but one and predict that one, for each fold in turn.

    Parameters
    ----------
    classifier : estimator
        Any of scikit-learn's with `predict_proba` or `decision_function`; a copy is trained for each fold. With
        `edges`, one whose `fit(X, y, edges=...)` takes None for labels that are not known and leaves
        `label_distributions_`, such as `plait.StackedGraphClassifier`: the labels of a fold are hidden, its documents
        and links are not.
    X : array or sparse matrix of shape (documents, features)
        Features.
    y : sequence of length documents
        One class a document; None where it is not known: such documents are never held out.
    edges : matrix or sequence of matrices, optional
        Edges among all documents.
    n_folds : int
        How many folds; each has its share of every class.
    seed : int
        The same seed makes the same folds.

    Returns
    -------
    LabelFolds
        Accuracy and area of each fold, and all scores.
    """
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    features = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    labels = np.empty(len(y), dtype=object)
    labels[:] = list(y)
    known = np.array([label is not None for label in labels])
    rows = np.flatnonzero(known)
    truths = np.array(labels[known].tolist())
    classes, sizes = np.unique(truths, return_counts=True)
    check_whole("n_folds", n_folds, least=2)
    if len(classes) < 2 or sizes.min() < 2 or sizes.max() < n_folds:
        raise PlaitError(
            f"{len(classes)} classes of {sizes.tolist()} documents cannot be held out in {n_folds} folds; give two "
            "classes or more, two documents of each or more, and as many as there are folds of one"
        )
    scores = np.full((len(labels), len(classes)), np.nan)
    accuracies, areas = [], []
    for training, held_out in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(truths, truths):
        inside, outside = rows[training], rows[held_out]
        machine = clone(classifier)
        if edges is None:
            machine.fit(features[inside], truths[training])
            columns = _class_scores(machine, features[outside])
        else:
            given = labels.copy()
            given[outside] = None
            machine.fit(features, given, edges=edges)
            columns = machine.label_distributions_[outside]
        fold = np.full((len(outside), len(classes)), columns.min() - 1.0)
        fold[:, np.searchsorted(classes, machine.classes_)] = columns  # a class may be missing in training
        scores[outside] = fold
        accuracies.append(np.mean(classes[fold.argmax(axis=1)] == truths[held_out]))
        areas.append(mean_auc(truths[held_out], fold, classes))
    return LabelFolds(np.array(accuracies), np.array(areas), scores, classes)


def _class_scores(machine: Any, features: Any) -> np.ndarray:
    """Return probabilities or other scores with a column for each class."""
    if hasattr(machine, "predict_proba"):
        return np.asarray(machine.predict_proba(features))
    scores = np.asarray(machine.decision_function(features))
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
