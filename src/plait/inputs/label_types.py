"""Types of single labels, and signs of the entries of label matrices."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from plait.corpus.container.validate import check_texts
from plait.corpus.values import is_missing, shown
from plait.errors import PlaitError

# Sign of an invalid entry of an indicator matrix; valid signs are yes (1), no (-1) and unknown (0).
NO_SIGN = 2
_FORMS = "give text, integers or booleans, all of one type"


def document_name(row: int, ids: np.ndarray | None) -> str:
    """Return a document's name for error messages: its id, or its position if there are no ids.

    Parameters
    ----------
    row : int
        Row of the document, from 0.
    ids : object array of str or None
        Ids of the documents.

    Returns
    -------
    str
        The name.
    """
    return f"document {row} (counted from 0)" if ids is None else f"document {shown(ids[row])}"


def labels_of_one_type(labels: Sequence[Any], rows: Sequence[int] | np.ndarray, ids: np.ndarray | None) -> np.ndarray:
    """Return labels as an array; raise an error that names the document if they have different types.

    Parameters
    ----------
    labels : sequence
        Labels that are not missing.
    rows : sequence of int
        Row of the document of each label.
    ids : object array of str or None
        Ids of the documents.

    Returns
    -------
    array
        The labels; an object array for text.
    """
    first = _type_name(labels[0]) if len(labels) else "text"
    for row, label in zip(rows, labels, strict=True):
        name = _type_name(label)
        if name == "":
            kind = type(label).__name__
            raise PlaitError(f"y: the label of {document_name(row, ids)} is {shown(label)} ({kind}); {_FORMS}")
        if name != first:
            raise PlaitError(
                f"y: {document_name(row, ids)} has {shown(label)} ({name}), but {document_name(rows[0], ids)} has "
                f"{shown(labels[0])} ({first}); {_FORMS}"
            )
    if first == "text":
        check_texts("y", labels)
        texts = np.empty(len(labels), dtype=object)
        texts[:] = [str(label) for label in labels]
        return texts
    numbers = np.array(labels)
    if numbers.dtype.kind not in "biuf":
        raise PlaitError(f"y: the label {shown(max(labels))} is too large for a number; give labels as text")
    check_discrete(numbers, rows, ids)
    return numbers


def check_discrete(numbers: np.ndarray, rows: Sequence[int] | np.ndarray, ids: np.ndarray | None) -> None:
    """Reject numbers that cannot be class labels: fractions and infinity.

    Parameters
    ----------
    numbers : array
        The labels.
    rows : sequence of int
        Row of the document of each label.
    ids : object array of str or None
        Ids of the documents.
    """
    if numbers.dtype.kind != "f":
        return
    finite = np.isfinite(numbers)
    if not finite.all():
        row = int(rows[np.flatnonzero(~finite)[0]])
        raise PlaitError(f"y: the label of {document_name(row, ids)} is infinite; give a label, or NaN for unlabelled")
    fractions = numbers != np.rint(numbers)
    if fractions.any():
        entry = int(np.flatnonzero(fractions)[0])
        raise PlaitError(
            f"Unknown label type: continuous. y has numbers that are not integers ({int(fractions.sum()):,} of "
            f"{len(numbers):,}; {document_name(int(rows[entry]), ids)} has {numbers[entry]}); use SupervisedLDA for "
            "regression, or convert the numbers to classes"
        )


def indicator_signs(values: np.ndarray) -> np.ndarray:
    """Return the signs of the entries of an indicator matrix.

    Parameters
    ----------
    values : array
        Entries: 1 for yes, 0 for no, a missing value for unknown.

    Returns
    -------
    int8 array
        1 for yes, -1 for no, 0 for unknown, and `NO_SIGN` for anything else.
    """
    if values.dtype.kind not in "biuf":
        # One entry at a time, because pandas' NA cannot be compared inside an array.
        flat = [_sign(value) for value in values.ravel()]
        return np.array(flat, dtype=np.int8).reshape(values.shape)
    signs = np.full(values.shape, NO_SIGN, dtype=np.int8)
    signs[values == 0] = -1
    signs[values == 1] = 1
    signs[values != values] = 0
    return signs


def _sign(value: Any) -> int:
    if is_missing(value):
        return 0
    if not isinstance(value, Real | np.bool_) or value not in (0, 1):
        return NO_SIGN
    return 1 if value else -1


def column_labels(columns: list[Any] | None, n_columns: int) -> np.ndarray:
    """Return the labels of the columns of an indicator matrix.

    Parameters
    ----------
    columns : list or None
        Names of the columns; None if they have no names.
    n_columns : int
        Number of columns.

    Returns
    -------
    array
        The names, or the numbers of the columns from 0.
    """
    if columns is None:
        return np.arange(n_columns)
    if len(set(columns)) < len(columns):
        duplicate = next(name for name in columns if columns.count(name) > 1)
        raise PlaitError(f"y has several columns with the name {shown(duplicate)}; give each label one column")
    if all(isinstance(name, int | np.integer) for name in columns):
        return np.array(columns)
    labels = np.empty(n_columns, dtype=object)
    labels[:] = [str(name) for name in columns]
    check_texts("the names of the columns of y", labels)
    return labels


def _type_name(label: Any) -> str:
    """Return the type of a label in words, or "" if it cannot be a label."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool | np.bool_):
        return "boolean"
    return "number" if isinstance(label, Integral | Real) else ""
