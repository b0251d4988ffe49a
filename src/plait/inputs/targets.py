"""Targets of supervised models: labels in any common form as signs, values as floats."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.corpus import Corpus
from plait.corpus.values import is_missing, shown
from plait.errors import PlaitError
from plait.inputs.label_types import (
    NO_SIGN,
    check_discrete,
    column_labels,
    document_name,
    indicator_signs,
    labels_of_one_type,
)

_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray)
_NAMED_AT_MOST = 5
_MAX_VALUE, _MIN_RANGE = 1e100, 1e-100  # squares of values and of their differences stay finite and above 0
_COLUMN_WARNING = (
    "A column-vector y was passed when a 1d array was expected. "
    "Its entries are read as one label per document; pass y.ravel() to avoid this warning."
)


@dataclass(frozen=True, eq=False)
class Targets:
    """Labels as binary tasks.

    Parameters
    ----------
    kind : {"binary", "multiclass", "multilabel"}
        Two classes; several classes, one per document; or any number of labels per document.
    classes : 1-d array
        The labels in the type in which they were given (an object array for text): sorted, or in the order of the
        columns of an indicator matrix.
    signs : int8 array of shape (documents, tasks)
        1 for yes, -1 for no, 0 for unknown. Binary: one column, where 1 means ``classes[1]``; otherwise one column
        per class.
    """

    kind: Literal["binary", "multiclass", "multilabel"]
    classes: np.ndarray
    signs: np.ndarray

    @property
    def n_unlabelled(self) -> int:
        """Number of documents without any known label."""
        return int((self.signs == 0).all(axis=1).sum())

    def names(self, scores: Any) -> list[tuple[Any, ...]]:
        """Return the labels that scores or signs stand for.

        Parameters
        ----------
        scores : array of shape (documents, tasks) or (documents,)
            Scores or signs. Binary and multi-label: scores above 0 mean yes. Multi-class: the highest score is the
            label.

        Returns
        -------
        list of tuple
            The labels of each document.

        Examples
        --------
        >>> read_targets([["a", "b"], ["a"], ["b"], []], 4).names([[0.5, -2.0], [1.0, 3.0]])
        [('a',), ('a', 'b')]
        """
        values = np.asarray(scores, dtype=np.float64)
        if values.ndim == 1:
            values = values[:, np.newaxis]
        labels = self.classes.tolist()
        if self.kind == "binary":
            return [(labels[int(value > 0)],) for value in values[:, 0]]
        if self.kind == "multiclass":
            return [(labels[best],) for best in values.argmax(axis=1)]
        return [tuple(labels[task] for task in np.flatnonzero(row > 0)) for row in values]


def read_targets(y: Any, n_documents: int, corpus: Corpus | None = None, *, min_documents: int = 2) -> Targets:
    """Return labels in any common form as binary tasks.

    Parameters
    ----------
    y : array-like or None
        One of

        - None: the labels of `corpus`. They are multi-label if any document has more than one label. A document
          without labels is unlabelled, in a multi-label corpus too.
        - One label per document, all of one type: text, integers or booleans. None, NaN, pandas' NA and, as in
          scikit-learn's semi-supervised estimators, the number -1 mean unlabelled. If there is at most one other
          number, as in labels of -1 and 1, -1 is a class.
        - A list, tuple or set of labels per document. None means unlabelled; an empty collection means that the
          document has none of the labels.
        - An indicator matrix of 0 and 1: dense, sparse, or a DataFrame whose columns name the labels. NaN means that
          the label of the document is unknown. Nested lists of 0 and 1 are a matrix too if all have the same length
          of at least 2. A matrix of one column of 0 and 1 is multi-label with one label.
    n_documents : int
        Number of documents.
    corpus : Corpus, optional
        Provides the labels if y is None, and the ids for error messages.
    min_documents : int, default 2
        Minimum number of documents per label; a label with fewer raises an error.

    Returns
    -------
    Targets
        Kind, classes and signs.

    Examples
    --------
    >>> targets = read_targets(["tea", "milk", None, "tea", "milk"], 5)
    >>> targets.kind, targets.classes.tolist(), targets.signs.ravel().tolist(), targets.n_unlabelled
    ('binary', ['milk', 'tea'], [1, -1, 0, 1, -1], 1)
    """
    least = check_whole("min_documents", min_documents, least=0)
    ids = None if corpus is None else corpus.ids
    if y is None:
        targets = _from_corpus(corpus, ids)
    elif hasattr(y, "columns") or sparse.issparse(y):
        targets = _from_matrix(y, n_documents, ids)
    else:
        targets = _from_sequence(_sequence(y, "labels"), n_documents, ids)
    _check_enough(targets, least, ids)
    return targets


def read_values(y: Any, n_documents: int, name: str = "y") -> np.ndarray:
    """Return the target of a regression.

    Parameters
    ----------
    y : array-like of shape (documents,)
        One number per document; a missing value where it is unknown.
    n_documents : int
        Number of documents.
    name : str, default "y"
        Name of the argument for error messages.

    Returns
    -------
    float64 array of shape (documents,)
        The numbers, NaN where they are unknown.

    Examples
    --------
    >>> read_values([1, None, 2.5], 3)
    array([1. , nan, 2.5])
    """
    if y is None:
        raise PlaitError(
            f"fit requires {name} to be passed, but the target {name} is None; give one number per document"
        )
    values = np.asarray(_sequence(y, "numbers", name), dtype=object)
    if values.ndim == 2 and values.shape[1] == 1:
        _warn_of_column(_COLUMN_WARNING.replace("label", "value"), stacklevel=4)
        values = values.ravel()
    if values.ndim != 1:
        raise PlaitError(f"{name} has {values.ndim} dimensions; give one number per document")
    _check_length(len(values), n_documents, "values", name)
    numbers = np.full(n_documents, np.nan)
    for row, value in enumerate(values):
        if not is_missing(value):
            if not isinstance(value, Real | np.bool_):
                raise PlaitError(f"{name}: {document_name(row, None)} has {shown(value)}; a regression needs numbers")
            numbers[row] = value
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise PlaitError(
            f"{name}: {document_name(infinite[0], None)} has an infinite value; give finite numbers, or NaN"
        )
    far = np.flatnonzero(np.abs(numbers) > _MAX_VALUE)
    if far.size:
        raise PlaitError(
            f"{name}: {document_name(far[0], None)} has {numbers[far[0]]:g}; values must lie between "
            f"{-_MAX_VALUE:g} and {_MAX_VALUE:g}: scale them",
            parameter=name,
        )
    n_known = int(n_documents - np.isnan(numbers).sum())
    if n_known < 2:
        samples = "no sample" if n_known == 0 else "1 sample"
        raise PlaitError(f"{name} has {samples} with a known value; a regression needs at least 2")
    range_of_values = np.nanmax(numbers) - np.nanmin(numbers)
    if 0 < range_of_values < _MIN_RANGE:
        raise PlaitError(
            f"{name}: the values differ by {range_of_values:g} at most, less than {_MIN_RANGE:g}; scale them",
            parameter=name,
        )
    return numbers


def _warn_of_column(message: str, stacklevel: int) -> None:
    from sklearn.exceptions import DataConversionWarning  # here: workers that only hold shards do without scikit-learn

    warnings.warn(message, DataConversionWarning, stacklevel=stacklevel)


def _sequence(y: Any, what: str, name: str = "y") -> list[Any] | np.ndarray:
    """Return y as a list or an array; raise an error if it is neither."""
    if isinstance(y, list | tuple):
        return list(y)
    values = np.asarray(y) if hasattr(y, "__array__") else None
    if values is None or values.ndim == 0:
        raise PlaitError(
            f"{name} is {shown(y)} ({type(y).__name__}); give a list or an array of {what}, one per document"
        )
    return values


def _from_corpus(corpus: Corpus | None, ids: np.ndarray | None) -> Targets:
    if corpus is None or corpus.labels is None:
        where = "" if corpus is None else ", and the corpus has no labels (name their field with label= to read them)"
        raise PlaitError(f"fit requires y to be passed, but the target y is None{where}; give one label per document")
    if corpus.is_multilabel:
        return _from_lists([names or None for names in corpus.labels], ids)
    return _from_vector([names[0] if names else None for names in corpus.labels], ids)


def _from_sequence(y: list[Any] | np.ndarray, n_documents: int, ids: np.ndarray | None) -> Targets:
    # Not type_of_target, which rejects missing values and lists of labels, and names no document.
    _check_length(len(y), n_documents)
    if isinstance(y, np.ndarray) and (y.ndim > 1 or y.dtype.kind != "O"):
        return _from_vector(y, ids) if y.ndim == 1 else _from_matrix(y, n_documents, ids)
    if not any(isinstance(item, _COLLECTIONS) for item in y):
        return _from_vector(list(y), ids)
    if _is_nested_indicator(y):
        return _from_matrix(np.array([list(item) for item in y], dtype=object), n_documents, ids)
    return _from_lists(list(y), ids)


def _is_nested_indicator(y: list[Any] | np.ndarray) -> bool:
    """Return whether nested lists are rows of an indicator matrix: as label lists, they would repeat labels."""
    if any(not isinstance(item, list | tuple | np.ndarray) for item in y) or len({len(item) for item in y}) > 1:
        return False
    return len(y[0]) > 1 and all(
        is_missing(value) or (isinstance(value, Real | np.bool_) and value in (0, 1)) for item in y for value in item
    )


def _from_vector(values: list[Any] | np.ndarray, ids: np.ndarray | None) -> Targets:
    """Return the tasks of one label per document."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
        labels = values[known]
        check_discrete(labels, np.flatnonzero(known), ids)
    else:
        known = np.array([not is_missing(value) for value in values], dtype=bool)
        labels = labels_of_one_type([value for value in values if not is_missing(value)], np.flatnonzero(known), ids)
    classes, number_of = np.unique(labels, return_inverse=True)
    if classes.dtype.kind in "if" and len(classes) > 2 and (classes == -1).any():
        known[known] = labels != -1
        labels = labels[labels != -1]
        classes, number_of = np.unique(labels, return_inverse=True)
    if not len(classes):
        raise PlaitError(f"all {len(values):,} documents are unlabelled; give labels of at least 2 classes")
    if len(classes) == 1:
        raise PlaitError(
            f"the labels have 1 class only: every labelled document ({len(labels):,}) has "
            f"{shown(classes.tolist()[0])}; give documents of at least 2 classes"
        )
    if len(classes) == 2:
        signs = np.zeros((len(values), 1), dtype=np.int8)
        signs[known, 0] = 2 * number_of - 1
        return Targets("binary", classes, signs)
    signs = np.zeros((len(values), len(classes)), dtype=np.int8)
    signs[known] = -1
    signs[np.flatnonzero(known), number_of] = 1
    return Targets("multiclass", classes, signs)


def _from_lists(items: list[Any], ids: np.ndarray | None) -> Targets:
    """Return the tasks of a collection of labels per document."""
    rows: list[int] = []
    flat: list[Any] = []
    known = np.zeros(len(items), dtype=bool)
    for row, item in enumerate(items):
        if isinstance(item, _COLLECTIONS):
            known[row] = True
            rows.extend([row] * len(item))
            flat.extend(item)
        elif not is_missing(item):
            raise PlaitError(
                f"y: {document_name(row, ids)} has {shown(item)} where others have a list of labels; "
                "give a list for every document, or one label for every document"
            )
    for row, label in zip(rows, flat, strict=True):
        if not isinstance(label, _COLLECTIONS) and is_missing(label):
            raise PlaitError(
                f"y: {document_name(row, ids)} has {shown(label)} among its labels; remove it from the list"
            )
    classes = np.unique(labels_of_one_type(flat, rows, ids))
    if known.any() and not len(classes):
        raise PlaitError("no document has any label: every list of labels is empty; give documents that have labels")
    signs = np.zeros((len(items), len(classes)), dtype=np.int8)
    from sklearn.preprocessing import MultiLabelBinarizer

    binarizer = MultiLabelBinarizer(classes=classes)
    signs[known] = 2 * binarizer.fit_transform([item for item in items if isinstance(item, _COLLECTIONS)]) - 1
    return Targets("multilabel", classes, signs)


def _from_matrix(y: Any, n_documents: int, ids: np.ndarray | None) -> Targets:
    """Return the tasks of an indicator matrix; one column of anything else is one label per document."""
    columns = list(y.columns) if hasattr(y, "columns") else None
    matrix: Any = sparse.coo_array(y) if sparse.issparse(y) else np.asarray(y)
    if matrix.ndim != 2:
        raise PlaitError(f"y has {matrix.ndim} dimensions; give one label per document, or documents × labels")
    _check_length(matrix.shape[0], n_documents)
    if sparse.issparse(matrix):
        signs = np.full(matrix.shape, -1, dtype=np.int8)
        matrix.sum_duplicates()
        signs[matrix.row, matrix.col] = indicator_signs(matrix.data)
    else:
        signs = indicator_signs(matrix)
    invalid = np.argwhere(signs == NO_SIGN)
    if len(invalid) and matrix.shape[1] == 1:
        _warn_of_column(_COLUMN_WARNING, stacklevel=5)
        return _from_vector((matrix.toarray() if sparse.issparse(matrix) else matrix).ravel(), ids)
    if len(invalid):
        row, label = (int(index) for index in invalid[0])
        dense = matrix.toarray() if sparse.issparse(matrix) else matrix
        value = dense[row].tolist()[label]
        fraction = isinstance(value, float) and not value.is_integer()
        raise PlaitError(
            f"{'Unknown label type: continuous-multioutput. ' if fraction else ''}y: {document_name(row, ids)} has "
            f"{shown(value)} in column {shown(columns[label]) if columns else label}; a matrix of labels contains 1 "
            "for yes, 0 for no and NaN for unknown (for several columns of classes, fit one model per column)"
        )
    return Targets("multilabel", column_labels(columns, matrix.shape[1]), signs)


def _check_length(n_given: int, n_documents: int, what: str = "labels", name: str = "y") -> None:
    if n_given != n_documents:
        raise PlaitError(
            f"{name} has {what} for {n_given:,} documents, but there are {n_documents:,} documents; give one per "
            "document"
        )


def _check_enough(targets: Targets, least: int, ids: np.ndarray | None) -> None:
    """Reject labels that no model can learn from."""
    known = targets.signs != 0
    if not known.any():
        raise PlaitError(f"all {len(targets.signs):,} documents are unlabelled; give some of them labels")
    if not (targets.signs > 0).any():
        raise PlaitError("no document has any label: y has one class only, 'no'; give documents that have labels")
    if targets.kind == "multilabel" and not (targets.signs < 0).any():
        raise PlaitError(
            "every labelled document has every label: y has one class only, 'yes'; give documents without some labels"
        )
    having = [targets.signs[:, task] > 0 for task in range(targets.signs.shape[1])]
    if targets.kind == "binary":
        having.insert(0, targets.signs[:, 0] < 0)
    n_having = np.array([column.sum() for column in having])
    rare = np.flatnonzero(n_having < least)
    if not rare.size:
        return
    named = []
    for number in rare[:_NAMED_AT_MOST]:
        first = document_name(int(having[number].argmax()), ids) if n_having[number] else "no document"
        named.append(f"{shown(targets.classes.tolist()[number])} ({first})")
    more = f" and {len(rare) - _NAMED_AT_MOST:,} more" if len(rare) > _NAMED_AT_MOST else ""
    raise PlaitError(
        f"{len(rare):,} of {len(having):,} labels {'has' if len(rare) == 1 else 'have'} fewer than {least} "
        f"document{'s' if least != 1 else ''}: {', '.join(named)}{more}; leave these labels or documents out "
        f"(corpus.select keeps the documents you choose), or allow them with min_documents={n_having.min()}",
        parameter="min_documents",
    )
