"""Class weights: factors of the cost c that give rare labels more weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plait._utils.validation import check_above_zero
from plait.errors import PlaitError
from plait.inputs.targets import Targets


def weigh_classes(signs: np.ndarray, class_weight: Any, targets: Targets) -> np.ndarray:
    """Return the class weights of every task.

    Parameters
    ----------
    signs : array of shape (documents, tasks)
        1 for yes, -1 for no, 0 for unknown.
    class_weight : None, "balanced", number or mapping of label to number
        None gives 1. A number is the weight of documents with a label in the task of the label; a mapping has one
        such number per label. "balanced" computes the weights:

        - one label per document: as in scikit-learn, the mean size of a class divided by the size of this class;
        - several labels per document: √(documents without the label / documents with it) for documents with it. The
          full ratio would give labels with few documents too much weight.
    targets : Targets
        The labels.

    Returns
    -------
    float64 array of shape (2, tasks)
        The weight of a no and of a yes.
    """
    factors = np.ones((2, signs.shape[1]))
    if class_weight is None:
        return factors
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise _unknown(class_weight)
        return _balanced(signs, targets.kind)
    if _is_number(class_weight):
        factors[1] = _checked("class_weight", class_weight)
        return factors
    if not isinstance(class_weight, Mapping):
        raise _unknown(class_weight)
    column_of = {label: column for column, label in enumerate(targets.classes.tolist())}
    for label, factor in class_weight.items():
        if label not in column_of:
            raise PlaitError(
                f"class_weight has the label {label!r}, which no document has; the labels are "
                f"{', '.join(map(repr, list(column_of)[:5]))}" + ", …" * (len(column_of) > 5)
            )
        _checked(f"class_weight of {label!r}", factor)
        if targets.kind == "binary":
            factors[column_of[label], 0] = factor
        else:
            factors[1, column_of[label]] = factor
    return factors


def _balanced(signs: np.ndarray, kind: str) -> np.ndarray:
    # Not compute_class_weight, which fails for a class that is hidden for calibration.
    known = (signs != 0).sum(axis=0)
    yes, no = np.maximum((signs == 1).sum(axis=0), 1), np.maximum((signs == -1).sum(axis=0), 1)
    if kind == "binary":
        return known / (2.0 * np.stack([no, yes]))
    factors = np.ones((2, signs.shape[1]))
    factors[1] = known / (signs.shape[1] * yes) if kind == "multiclass" else np.sqrt(no / yes)
    return factors


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _checked(name: str, factor: Any) -> float:
    check_above_zero(name, factor)
    return float(factor)


def _unknown(class_weight: Any) -> PlaitError:
    return PlaitError(
        f"class_weight must be None, 'balanced', a number or a dict from label to number, not {class_weight!r}"
    )
