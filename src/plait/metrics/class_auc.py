"""Mean area under the ROC curve (AUC) of each class against the rest, and its cross-validation.

Bíró and Szabó (2009) compare features this way: a classifier on fixed features, ten folds, mean AUC over classes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plait._utils.validation import check_whole
from plait.errors import PlaitError


class LabelFolds(NamedTuple):
    """Result of `cross_validate_labels`: the metrics of each fold and the scores of held-out documents.

    Attributes
    ----------
    accuracies : ndarray of shape (n_folds,)
        Accuracy of each fold.
    aucs : ndarray of shape (n_folds,)
        Mean AUC over classes of each fold.
    scores : ndarray of shape (n_documents, n_classes)
        Predicted score of each class for held-out documents; NaN for documents with an unknown class.
    classes : ndarray of shape (n_classes,)
        Classes, in column order.

    Examples
    --------
    >>> folds = LabelFolds(np.array([0.8, 0.9]), np.array([0.9, 1.0]), np.zeros((2, 2)), np.array(["a", "b"]))
    >>> round(folds.accuracy, 2), round(folds.auc, 2)
    (0.85, 0.95)
    """

    accuracies: np.ndarray
    aucs: np.ndarray
    scores: np.ndarray
    classes: np.ndarray

    @property
    def accuracy(self) -> float:
        """Mean accuracy over folds."""
        return float(self.accuracies.mean())

    @property
    def auc(self) -> float:
        """Mean AUC over folds."""
        return float(self.aucs.mean())


def mean_auc(y: Any, scores: Any, classes: Any) -> float:
    """Return the AUC of each class against the rest, averaged over classes.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        True classes.
    scores : array-like of shape (n_documents, n_classes)
        Predicted score of each class.
    classes : array-like of shape (n_classes,)
        Classes, in column order. Classes that no document or all documents have are left out.

    Returns
    -------
    float
        Mean AUC.

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
    auc = mean_column_auc(truths[:, np.newaxis] == np.asarray(classes)[np.newaxis], columns)
    if auc is None:
        raise PlaitError("all documents are of one class, so the AUC is undefined; give documents of several classes")
    return auc


def mean_column_auc(present: np.ndarray, scores: np.ndarray) -> float | None:
    """Return the AUC of each label, averaged over the labels that some but not all documents have.

    Parameters
    ----------
    present : ndarray of bool of shape (n_documents, n_labels)
        Whether each document has each label.
    scores : ndarray of shape (n_documents, n_labels)
        Predicted score of each label.

    Returns
    -------
    float or None
        Mean AUC; None if no label is both present and absent.
    """
    from sklearn.metrics import roc_auc_score

    mixed = present.any(axis=0) & ~present.all(axis=0)
    aucs = [roc_auc_score(present[:, column], scores[:, column]) for column in np.flatnonzero(mixed)]
    return float(np.mean(aucs)) if aucs else None


def cross_validate_labels(
    classifier: Any, X: Any, y: Any, *, edges: Any = None, n_folds: int = 10, seed: int = 0
) -> LabelFolds:
    """Cross-validate a classifier: accuracy and mean AUC of each fold.

    Parameters
    ----------
    classifier : estimator
        A scikit-learn classifier with `predict_proba` or `decision_function`; it is cloned for each fold. With `edges`,
        a classifier whose `fit(X, y, edges=...)` accepts None for unknown labels and sets `label_distributions_`, such
        as `plait.StackedGraphClassifier`. The labels of a fold are then hidden; its features and edges are not.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        Features.
    y : sequence of length n_documents
        One class per document, or None if it is unknown. Such documents are never held out.
    edges : matrix or sequence of matrices, default None
        Edges among all documents.
    n_folds : int, default 10
        Number of folds, stratified by class.
    seed : int, default 0
        Seed of the folds.

    Returns
    -------
    LabelFolds
        Accuracy and AUC of each fold, and the scores of all held-out documents.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = np.arange(40.0).reshape(-1, 1), ["low"] * 20 + ["high"] * 20
    >>> cross_validate_labels(LogisticRegression(), X, y, n_folds=4).accuracy > 0.9
    True
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
            f"{len(classes)} classes of {sizes.tolist()} documents cannot be held out in {n_folds} folds; give at "
            f"least two classes, two documents of each class, and {n_folds} documents of the largest class"
        )
    scores = np.full((len(labels), len(classes)), np.nan)
    accuracies, aucs = [], []
    for training, held_out in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(truths, truths):
        inside, outside = rows[training], rows[held_out]
        fitted = clone(classifier)
        if edges is None:
            fitted.fit(features[inside], truths[training])
            columns = _class_scores(fitted, features[outside])
        else:
            given = labels.copy()
            given[outside] = None
            fitted.fit(features, given, edges=edges)
            columns = fitted.label_distributions_[outside]
        fold = np.full((len(outside), len(classes)), columns.min() - 1.0)
        fold[:, np.searchsorted(classes, fitted.classes_)] = columns  # a class may be missing in training
        scores[outside] = fold
        accuracies.append(np.mean(classes[fold.argmax(axis=1)] == truths[held_out]))
        aucs.append(mean_auc(truths[held_out], fold, classes))
    return LabelFolds(np.array(accuracies), np.array(aucs), scores, classes)


def _class_scores(classifier: Any, features: Any) -> np.ndarray:
    """Return the probabilities or decision values of a fitted classifier, one column per class."""
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(features))
    scores = np.asarray(classifier.decision_function(features))
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
