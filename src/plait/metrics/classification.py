"""Metrics of predicted labels: accuracy, micro and macro F1, AUC, metrics per label and the confusion matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plait.corpus.values import shown
from plait.errors import PlaitError
from plait.metrics.class_auc import mean_column_auc


@dataclass(frozen=True)
class LabelScore:
    """Metrics of one label; 0 where the denominator is 0.

    Attributes
    ----------
    label : Any
        The label.
    precision : float
        Share of the documents with this predicted label that have it.
    recall : float
        Share of the documents with this label for which it is predicted.
    f1 : float
        Harmonic mean of precision and recall.
    n_true : int
        Number of documents with this label.
    n_predicted : int
        Number of documents with this predicted label.

    Examples
    --------
    >>> true, predicted = [["a"], ["b"], ["b"]], [["a"], ["b"], ["a"]]
    >>> first, second = score_labels(true, predicted, ["a", "b"], multilabel=False).per_label
    >>> first.label, first.precision, first.recall
    ('a', 0.5, 1.0)
    """

    label: Any
    precision: float
    recall: float
    f1: float
    n_true: int
    n_predicted: int


class Confusion(NamedTuple):
    """Confusion matrix.

    Attributes
    ----------
    labels : tuple
        Labels of the rows and columns.
    matrix : ndarray of int of shape (n_labels, n_labels)
        Number of documents by true label (row) and predicted label (column).

    Examples
    --------
    >>> true, predicted = [["a"], ["b"], ["b"]], [["a"], ["b"], ["a"]]
    >>> score_labels(true, predicted, ["a", "b"], multilabel=False).confusion.matrix.tolist()
    [[1, 0], [1, 1]]
    """

    labels: tuple[Any, ...]
    matrix: np.ndarray


@dataclass(frozen=True, eq=False)
class LabelScores:
    """Metrics of predicted labels.

    Attributes
    ----------
    n_documents : int
        Number of documents scored.
    n_unlabelled : int
        Number of documents left out because their label is unknown; 0 for multi-label.
    accuracy : float
        Share of documents with the correct label; multi-label: with exactly the correct set of labels.
    micro_f1 : float
        F1 over all pairs of document and label; with one label per document it equals the accuracy.
    macro_f1 : float
        Mean F1 of the labels in `per_label`.
    auc : float or None
        Mean AUC over labels; None without scores, or if no label is both present and absent.
    per_label : tuple of LabelScore
        One entry per label that occurs or was predicted, in the order of the classes, unseen labels last.
    confusion : Confusion or None
        Confusion matrix; None for multi-label.
    unseen : dict of Any to int
        Labels that the model was not trained on, and the number of documents with each. All count as errors.
    absent : tuple
        Labels that the model was trained on and no document has. Labels that are not predicted either enter no metric.

    Examples
    --------
    >>> true, predicted = [["a", "b"], ["b"], []], [["a"], ["b"], []]
    >>> scores = score_labels(true, predicted, ["a", "b"], multilabel=True)
    >>> round(scores.accuracy, 3), round(scores.micro_f1, 3)
    (0.667, 0.8)
    """

    n_documents: int
    n_unlabelled: int
    accuracy: float
    micro_f1: float
    macro_f1: float
    auc: float | None
    per_label: tuple[LabelScore, ...]
    confusion: Confusion | None
    unseen: dict[Any, int]
    absent: tuple[Any, ...]


def score_labels(
    true: Sequence[Collection[Any]],
    predicted: Sequence[Collection[Any]],
    classes: Collection[Any],
    *,
    multilabel: bool,
    scores: Any = None,
) -> LabelScores:
    """Return the metrics of predicted labels.

    Parameters
    ----------
    true : sequence of collections of labels
        True labels of each document. An empty collection means an unknown label: the document is left out and counted.
        With `multilabel` it means that the document has no labels.
    predicted : sequence of collections of labels
        Predicted labels of each document: exactly one, or with `multilabel` any number.
    classes : collection of labels
        Labels that the model was trained on.
    multilabel : bool
        Whether a document may have several labels.
    scores : array-like of shape (n_documents, n_classes) or (n_documents,), default None
        Predicted score of each label, for the AUC. With two classes and one label per document, one column with the
        score of the second class is enough.

    Returns
    -------
    LabelScores
        All metrics.

    Examples
    --------
    >>> scored = score_labels([["tea"], ["milk"], ["tea"], []], [["tea"], ["tea"], ["tea"], ["milk"]],
    ...                       ["milk", "tea"], multilabel=False)
    >>> round(scored.accuracy, 3), round(scored.macro_f1, 3), scored.n_documents, scored.n_unlabelled
    (0.667, 0.4, 3, 1)
    >>> scored.confusion.matrix.tolist()
    [[0, 1], [0, 2]]
    """
    trained = np.asarray(classes).tolist() if isinstance(classes, np.ndarray) else list(classes)
    truths, guesses = _label_sets(true, "true"), _label_sets(predicted, "predicted")
    if len(truths) != len(guesses):
        raise PlaitError(f"true has {len(truths):,} documents, predicted has {len(guesses):,}; give the same documents")
    columns = None if scores is None else _score_columns(scores, len(truths), len(trained), multilabel)
    n_all = len(truths)
    if not multilabel:
        _check_single_labels(truths, guesses)
        known = np.array([bool(labels) for labels in truths], dtype=bool)
        truths = [labels for labels in truths if labels]
        guesses = [labels for labels, keep in zip(guesses, known, strict=True) if keep]
        columns = None if columns is None else columns[known]
    if not truths:
        raise PlaitError(f"none of the {n_all:,} documents has a known label; give documents with labels")
    n_true = Counter(label for labels in truths for label in labels)
    n_predicted = Counter(label for labels in guesses for label in labels)
    n_right = Counter(label for one, other in zip(truths, guesses, strict=True) for label in one & other)
    in_training = set(trained)
    unknown = [label for label in n_predicted if label not in in_training]
    if unknown:
        raise PlaitError(f"{shown(unknown[0])} was predicted and is not one of the classes; give all classes")
    unseen = {label: n_true[label] for label in _sort_labels(n_true.keys() - in_training)}
    per_label = tuple(
        _score_label(label, n_right[label], n_true[label], n_predicted[label])
        for label in [*trained, *unseen]
        if n_true[label] or n_predicted[label]
    )
    return LabelScores(
        n_documents=len(truths),
        n_unlabelled=n_all - len(truths),
        accuracy=float(np.mean([one == other for one, other in zip(truths, guesses, strict=True)])),
        micro_f1=_f1(n_right.total(), n_true.total(), n_predicted.total()),
        macro_f1=float(np.mean([row.f1 for row in per_label])) if per_label else 0.0,
        auc=None if columns is None else _mean_auc(truths, columns, trained),
        per_label=per_label,
        confusion=None if multilabel else _confusion(truths, guesses, [row.label for row in per_label]),
        unseen=unseen,
        absent=tuple(label for label in trained if not n_true[label]),
    )


def _label_sets(documents: Sequence[Collection[Any]], which: str) -> list[frozenset[Any]]:
    """Return the labels of each document as a set."""
    sets = []
    for row, labels in enumerate(documents):
        if isinstance(labels, str | bytes) or not isinstance(labels, Collection | np.ndarray):
            raise PlaitError(f"{which}: document {row} has {shown(labels)}; give a list of its labels, such as ['a']")
        sets.append(frozenset(labels.tolist() if isinstance(labels, np.ndarray) else labels))
    return sets


def _check_single_labels(truths: list[frozenset[Any]], guesses: list[frozenset[Any]]) -> None:
    """Raise an error unless each document has at most one true label and exactly one predicted label."""
    for row, (truth, guess) in enumerate(zip(truths, guesses, strict=True)):
        if len(truth) > 1:
            raise PlaitError(f"true: document {row} has {len(truth)} labels; pass multilabel=True for several")
        if len(guess) != 1:
            raise PlaitError(f"predicted: document {row} has {len(guess)} labels; give one, or pass multilabel=True")


def _score_columns(scores: Any, n_documents: int, n_classes: int, multilabel: bool) -> np.ndarray:
    """Return scores with one column per class."""
    columns = np.asarray(scores, dtype=np.float64)
    if columns.ndim == 1 and n_classes == 2 and not multilabel:
        columns = np.column_stack([-columns, columns])
    if columns.ndim == 1 and n_classes == 1:
        columns = columns[:, np.newaxis]
    if columns.shape != (n_documents, n_classes):
        raise PlaitError(f"scores are of shape {columns.shape}; give {n_documents:,} documents × {n_classes:,} classes")
    return columns


def _mean_auc(truths: list[frozenset[Any]], columns: np.ndarray, trained: list[Any]) -> float | None:
    """Return the mean AUC over the labels that some but not all documents have."""
    present = np.array([[label in labels for label in trained] for labels in truths], dtype=bool)
    return mean_column_auc(present, columns)


def _score_label(label: Any, n_right: int, n_true: int, n_predicted: int) -> LabelScore:
    """Return the metrics of one label from its counts."""
    precision = n_right / n_predicted if n_predicted else 0.0
    recall = n_right / n_true if n_true else 0.0
    return LabelScore(label, precision, recall, _f1(n_right, n_true, n_predicted), n_true, n_predicted)


def _f1(n_right: int, n_true: int, n_predicted: int) -> float:
    """Return the F1 score, 0 if there are neither true nor predicted labels."""
    return 2 * n_right / (n_true + n_predicted) if n_true + n_predicted else 0.0


def _sort_labels(labels: Collection[Any]) -> list[Any]:
    """Return sorted labels; labels of different types, which cannot be compared, are sorted by type first."""
    return sorted(labels, key=lambda label: (type(label).__name__, label if isinstance(label, str) else "", label))


def _confusion(truths: list[frozenset[Any]], guesses: list[frozenset[Any]], labels: list[Any]) -> Confusion:
    """Return the confusion matrix of documents with one label each."""
    from sklearn.metrics import confusion_matrix

    code_of = {label: code for code, label in enumerate(labels)}
    true, predicted = ([code_of[label] for (label,) in documents] for documents in (truths, guesses))
    return Confusion(tuple(labels), confusion_matrix(true, predicted, labels=np.arange(len(labels))))
