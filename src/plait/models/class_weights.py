"""Class weights: factors of c that make up for rare labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plait.errors import PlaitError
from plait.models.targets import Targets


def weigh_classes(signs: np.ndarray, class_weight: Any, targets: Targets) -> np.ndarray:
    """Return the factor of every sign (documents × tasks).

    "balanced" gives the documents with a label and those without it the same total, for every task, as
    scikit-learn does: half the number of documents divided by the number with that sign. A dict gives the documents
    with a label its factor, and those without it 1.
    """
    factors = np.ones(signs.shape)
    if class_weight is None:
        return factors
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise PlaitError(f"class_weight must be None, 'balanced' or a dict from labels, not {class_weight!r}")
        known = (signs != 0).sum(axis=0)
        for sign in (1, -1):
            here = signs == sign
            factors = np.where(here, known / (2.0 * np.maximum(here.sum(axis=0), 1)), factors)
        return factors
    if not isinstance(class_weight, Mapping):
        raise PlaitError(f"class_weight must be None, 'balanced' or a dict from labels, not {class_weight!r}")
    places = {label: place for place, label in enumerate(targets.classes.tolist())}
    for label, factor in class_weight.items():
        if label not in places:
            raise PlaitError(f"class_weight names {label!r}, which no document has as a label")
        if not isinstance(factor, (int, float, np.number)) or not 0 < factor < np.inf:
            raise PlaitError(f"class_weight of {label!r} must be a number above 0, not {factor!r}")
        if targets.kind == "binary":
            factors[signs[:, 0] == (1 if places[label] else -1), 0] = factor
        else:
            column = places[label]
            factors[signs[:, column] == 1, column] = factor
    return factors
