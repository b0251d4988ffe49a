"""How well labels are predicted: accuracy, micro and macro F1, a row for each label, and who is taken for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plait.corpus.values import shown
from plait.errors import PlaitError
from plait.metrics.class_auc import mean_area


@dataclass(frozen=True)
class LabelScore:
    """How well one label is predicted; a share of nothing counts as 0.

    Parameters
    ----------
    label
        The label.
    precision
        The share of right ones among the documents that were given this label.
    recall
        The share of found ones among the documents that have this label.
    f1
        The harmonic mean of both.
    n_true, n_predicted
        How many documents have this label, and how many were given it.
    """

    label: Any
    precision: float
    recall: float
    f1: float
    n_true: int
    n_predicted: int


class Confusion(NamedTuple):
    """How many documents of each true label (row) were given each label (column)."""

    labels: tuple[Any, ...]
    matrix: np.ndarray


@dataclass(frozen=True, eq=False)
class LabelScores:
    """How well labels are predicted.

    Parameters
    ----------
    n_documents
        How many documents the figures are about.
    n_unlabelled
        How many documents were left out because their label is not known; 0 for multi-label.
    accuracy
        The share of documents whose label is right; multi-label: whose whole set of labels is right.
    micro_f1
        F1 over all pairs of document and label; for one label a document it equals the accuracy.
    macro_f1
        The mean F1 of the labels in `per_label`.
    auc
        The mean over labels of the area under the ROC curve, where scores were given and some label was both
        present and absent; else None.
    per_label
        One row for each label that occurs or was predicted, in the order of the classes, unseen ones last.
    confusion
        Who is taken for whom; None for multi-label.
    unseen
        Labels of documents that the model was not trained on, and how many documents have each: all are misses.
    absent
        Labels that the model was trained on and no document here has. Those never predicted either are in no figure.
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
    """Compare predicted labels with true ones.

    Parameters
    ----------
    true : sequence of collections of labels
        The labels of each document. An empty collection means: label not known (the document is left out and
        counted), or with `multilabel` a document that has no labels, which counts like any other.
    predicted : sequence of collections of labels
        The labels that each document was given: exactly one, or with `multilabel` any number.
    classes : collection of labels
        The labels that the model was trained on.
    multilabel : bool
        Whether a document may have several labels.
    scores : array of shape (documents, classes), optional
        How strongly each document was held to have each label, for the AUC. For two classes of which a document has
        one, also of shape (documents,): how strongly it was held to be of the second.

    Returns
    -------
    LabelScores
        All figures.

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
        _check_single(truths, guesses)
        known = np.array([bool(labels) for labels in truths], dtype=bool)
        truths = [labels for labels in truths if labels]
        guesses = [labels for labels, keep in zip(guesses, known, strict=True) if keep]
        columns = None if columns is None else columns[known]
    if not truths:
        raise PlaitError(f"none of the {n_all:,} documents has a known label, so there is nothing to compare with")
    n_true = Counter(label for labels in truths for label in labels)
    n_predicted = Counter(label for labels in guesses for label in labels)
    n_right = Counter(label for one, other in zip(truths, guesses, strict=True) for label in one & other)
    in_training = set(trained)
    invented = [label for label in n_predicted if label not in in_training]
    if invented:
        raise PlaitError(f"{shown(invented[0])} was predicted and is not one of the classes; give all classes")
    unseen = {label: n_true[label] for label in _in_order(n_true.keys() - in_training)}
    per_label = tuple(
        _score(label, n_right[label], n_true[label], n_predicted[label])
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


def _check_single(truths: list[frozenset[Any]], guesses: list[frozenset[Any]]) -> None:
    for row, (truth, guess) in enumerate(zip(truths, guesses, strict=True)):
        if len(truth) > 1:
            raise PlaitError(f"true: document {row} has {len(truth)} labels; pass multilabel=True for several")
        if len(guess) != 1:
            raise PlaitError(f"predicted: document {row} was given {len(guess)} labels; give one, or multilabel=True")


def _score_columns(scores: Any, n_documents: int, n_classes: int, multilabel: bool) -> np.ndarray:
    """Return scores with a column a class."""
    columns = np.asarray(scores, dtype=np.float64)
    if columns.ndim == 1 and n_classes == 2 and not multilabel:
        columns = np.column_stack([-columns, columns])
    if columns.ndim == 1 and n_classes == 1:
        columns = columns[:, np.newaxis]
    if columns.shape != (n_documents, n_classes):
        raise PlaitError(f"scores are of shape {columns.shape}; give {n_documents:,} documents × {n_classes:,} classes")
    return columns


def _mean_auc(truths: list[frozenset[Any]], columns: np.ndarray, trained: list[Any]) -> float | None:
    """Return the mean area over the labels that some documents have and others have not."""
    present = np.array([[label in labels for label in trained] for labels in truths], dtype=bool)
    return mean_area(present, columns)


def _score(label: Any, n_right: int, n_true: int, n_predicted: int) -> LabelScore:
    precision = n_right / n_predicted if n_predicted else 0.0
    recall = n_right / n_true if n_true else 0.0
    return LabelScore(label, precision, recall, _f1(n_right, n_true, n_predicted), n_true, n_predicted)


def _f1(n_right: int, n_true: int, n_predicted: int) -> float:
    return 2 * n_right / (n_true + n_predicted) if n_true + n_predicted else 0.0


def _in_order(labels: Collection[Any]) -> list[Any]:
    """Return labels sorted; labels of several types, which cannot be compared, by type and text."""
    return sorted(labels, key=lambda label: (type(label).__name__, label if isinstance(label, str) else "", label))


def _confusion(truths: list[frozenset[Any]], guesses: list[frozenset[Any]], labels: list[Any]) -> Confusion:
    number_of = {label: number for number, label in enumerate(labels)}
    matrix = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for truth, guess in zip(truths, guesses, strict=True):
        matrix[number_of[next(iter(truth))], number_of[next(iter(guess))]] += 1
    return Confusion(tuple(labels), matrix)
