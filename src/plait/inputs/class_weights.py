"""Class weights: factors of c that make up for rare labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plait._utils.validation import check_above_zero
from plait.errors import PlaitError
from plait.inputs.targets import Targets


def weigh_classes(signs: np.ndarray, class_weight: Any, targets: Targets) -> np.ndarray:
    """Return the factor of every sign (documents × tasks).

    None gives all 1, a number or a dict from labels gives the documents with a label that factor in its task, and
    "balanced" finds the factors by how rare labels are:

    - one class a document: as in scikit-learn, the mean size of a class divided by the size of this one;
    - several labels: √(documents without the label / documents with it) for those with it. The full ratio would give
      a label with a handful of documents more weight than its topics can bear.
    """
    factors = np.ones(signs.shape)
    if class_weight is None:
        return factors
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise _unknown(class_weight)
        return _balanced(signs, targets.kind)
    if _is_number(class_weight):
        return np.where(signs == 1, _checked("class_weight", class_weight), factors)
    if not isinstance(class_weight, Mapping):
        raise _unknown(class_weight)
    places = {label: place for place, label in enumerate(targets.classes.tolist())}
    for label, factor in class_weight.items():
        if label not in places:
            raise PlaitError(f"class_weight names {label!r}, which no document has as a label")
        _checked(f"class_weight of {label!r}", factor)
        if targets.kind == "binary":
            factors[signs[:, 0] == (1 if places[label] else -1), 0] = factor
        else:
            column = places[label]
            factors[signs[:, column] == 1, column] = factor
    return factors


def _balanced(signs: np.ndarray, kind: str) -> np.ndarray:
    known = (signs != 0).sum(axis=0)
    yes, no = np.maximum((signs == 1).sum(axis=0), 1), np.maximum((signs == -1).sum(axis=0), 1)
    if kind == "binary":
        return np.where(signs == 1, known / (2.0 * yes), np.where(signs == -1, known / (2.0 * no), 1.0))
    factor = known / (signs.shape[1] * yes) if kind == "multiclass" else np.sqrt(no / yes)
    return np.where(signs == 1, factor, 1.0)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _checked(name: str, factor: Any) -> float:
    check_above_zero(name, factor)
    return float(factor)


def _unknown(class_weight: Any) -> PlaitError:
    return PlaitError(f"class_weight must be None, 'balanced', a number or a dict from labels, not {class_weight!r}")
