"""Predicted values, and explanations of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.models.answers.explanation import Explainer, Explanation
from plait.models.answers.tasks import task_values
from plait.models.explained.values import unit_of
from plait.models.folding import FittedChains
from plait.models.inputs import Documents

# Attributes of a fitted model that explains values.
VALUE_ATTRIBUTES = ("_center", "_scale", "n_without_value_", "value_weights_")


@dataclass(frozen=True)
class ValuePredictions:
    """Predicts the values of new documents.

    Parameters
    ----------
    explainer : Explainer
        The chains of the model and its explanations.
    center, scale : float
        Mean and standard deviation of the training values.
    """

    explainer: Explainer
    center: float
    scale: float

    def predict(self, documents: Documents) -> np.ndarray:
        """Return the predicted value of every document, averaged over samples (documents,)."""
        return self.center + self.scale * self._scaled(documents)

    def explain(self, document: Documents, top: int) -> Explanation:
        """Return the contributions of topics and words to the value of one document, relative to the training mean."""
        score = float(self._scaled(document)[0])
        return self.explainer.explain(document, 0, None, score, top).scaled(self.scale, self.center)

    def _scaled(self, documents: Documents) -> np.ndarray:
        return task_values(self.explainer.chains, documents, self.explainer.place, 1, self.explainer.layout)[:, 0]


def value_attributes(values: np.ndarray, chains: FittedChains, place: int) -> dict[str, Any]:
    """Return the fitted attributes of a model that explains values; `values` are NaN where unknown."""
    center, scale = unit_of(values)
    return {
        "_center": center,
        "_scale": scale,
        "n_without_value_": int(np.isnan(values).sum()),
        "value_weights_": center + scale * chains.mean_weights(place)[0],
    }
