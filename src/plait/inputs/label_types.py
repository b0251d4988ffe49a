"""Single labels and entries of label matrices as callers give them: missing or not, their type, sign and order."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from plait.corpus.values import is_missing, shown
from plait.errors import PlaitError

# What an entry of an indicator matrix gives that is neither yes (1), no (-1) nor not known (0).
NO_SIGN = 2
_WAY_OUT = "give text, whole numbers or booleans, all of one type"


def document_name(row: int, ids: np.ndarray | None) -> str:
    """Name a document in an error: by its id, or by its position where it has none."""
    return f"document {row} (counted from 0)" if ids is None else f"document {shown(ids[row])}"


def labels_of_one_type(labels: Sequence[Any], rows: Sequence[int] | np.ndarray, ids: np.ndarray | None) -> np.ndarray:
    """Return labels as an array of their type (objects for text), or name the document that spoils it.

    Parameters
    ----------
    labels
        Labels that are not missing.
    rows
        The document of each label.
    ids
        The documents' names, where they have any.
    """
    first = _type_name(labels[0]) if len(labels) else "text"
    for row, label in zip(rows, labels, strict=True):
        name = _type_name(label)
        if name == "":
            kind = type(label).__name__
            raise PlaitError(f"y: the label of {document_name(row, ids)} is {shown(label)} ({kind}); {_WAY_OUT}")
        if name != first:
            raise PlaitError(
                f"y: {document_name(row, ids)} has {shown(label)} ({name}), but {document_name(rows[0], ids)} has "
                f"{shown(labels[0])} ({first}); {_WAY_OUT}"
            )
    if first == "text":
        texts = np.empty(len(labels), dtype=object)
        texts[:] = [str(label) for label in labels]
        return texts
    numbers = np.array(labels)
    if numbers.dtype.kind not in "biuf":
        raise PlaitError(f"y: labels as large as {shown(max(labels))} are too large for numbers; give them as text")
    check_discrete(numbers, rows, ids)
    return numbers


def check_discrete(numbers: np.ndarray, rows: Sequence[int] | np.ndarray, ids: np.ndarray | None) -> None:
    """Refuse numbers that are no names of classes: fractions and infinite ones."""
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
            f"Unknown label type: continuous. y has numbers that are not whole ({int(fractions.sum()):,} of "
            f"{len(numbers):,}; {document_name(int(rows[entry]), ids)} has {numbers[entry]}), so it looks like the "
            "target of a regression: use SupervisedLDA for that, or turn the numbers into classes"
        )


def indicator_signs(values: np.ndarray) -> np.ndarray:
    """Return 1 for yes, -1 for no, 0 for not known, and `NO_SIGN` for what is none of these."""
    if values.dtype.kind not in "biuf":
        # Entry by entry, because pandas' NA cannot be compared inside an array.
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
    """Return the labels that the columns of an indicator matrix stand for: their names, or their numbers."""
    if columns is None:
        return np.arange(n_columns)
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise PlaitError(f"y has several columns with the name {shown(twice)}; give each label one column")
    if all(isinstance(name, int | np.integer) for name in columns):
        return np.array(columns)
    labels = np.empty(n_columns, dtype=object)
    labels[:] = [str(name) for name in columns]
    return labels


def _type_name(label: Any) -> str:
    """What type a label is of, for users; "" for none that can be a label."""
    if isinstance(label, str):
        return "text"
    if isinstance(label, bool | np.bool_):
        return "boolean"
    return "number" if isinstance(label, Integral | Real) else ""
