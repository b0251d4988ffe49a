"""Predicted values, and explanations of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.models.answers.explanation import Explainer, Explanation
from plait.models.answers.tasks import TaskLayout, task_values
from plait.models.answers.topics import TopicDescriptions
from plait.models.folding import FittedChains
from plait.models.inputs import Documents
from plait.responses.values import center_and_scale

# Attributes of a fitted model that explains values.
VALUE_ATTRIBUTES = ("_center", "_scale", "n_without_value_", "value_weights_")


@dataclass(frozen=True)
class ValuePredictions:
    """Predicts the values of new documents."""

    chains: FittedChains  # of the fitted model
    place: int  # of the response among those of the model
    layout: TaskLayout
    center: float  # mean of the training values
    scale: float  # their standard deviation

    def predict(self, documents: Documents) -> np.ndarray:
        """Return the predicted value of every document, averaged over samples (documents,)."""
        return self.center + self.scale * self._scaled(documents)

    def explain(self, document: Documents, top: int, topics: TopicDescriptions) -> Explanation:
        """Return the contributions of topics and words to the value of one document, relative to the training mean."""
        explainer = Explainer(self.chains, self.place, self.layout, topics)
        score = float(self._scaled(document)[0])
        return explainer.explain(document, 0, None, score, top).scaled(self.scale, self.center)

    def _scaled(self, documents: Documents) -> np.ndarray:
        return task_values(self.chains, documents, self.place, 1, self.layout)[:, 0]


def value_attributes(values: np.ndarray, chains: FittedChains, place: int) -> dict[str, Any]:
    """Return the fitted attributes of a model that explains values; `values` are NaN where unknown."""
    center, scale = center_and_scale(values)
    return {
        "_center": center,
        "_scale": scale,
        "n_without_value_": int(np.isnan(values).sum()),
        "value_weights_": center + scale * chains.mean_weights(place)[0],
    }
