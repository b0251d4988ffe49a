"""Predicted values, and explanations of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.inputs.features import FeatureScaling
from plait.models.answers.explanation import Explainer, Explanation
from plait.models.answers.tasks import TaskLayout, split_weights, task_values
from plait.models.answers.topics import TopicDescriptions
from plait.models.folding import FittedChains
from plait.models.inputs import Documents
from plait.responses.values import center_and_scale

# Attributes of a fitted model that explains values.
VALUE_ATTRIBUTES = (
    "_center", "_scale", "n_without_value_", "value_weights_", "_value_features", "value_feature_weights_",
)  # fmt: skip


@dataclass(frozen=True)
class ValuePredictions:
    """Predicts the values of new documents."""

    chains: FittedChains  # of the fitted model
    place: int  # of the response among those of the model
    layout: TaskLayout
    center: float  # mean of the training values
    scale: float  # their standard deviation
    scaling: FeatureScaling | None = None  # of features beside topics

    def predict(self, documents: Documents) -> np.ndarray:
        """Return the predicted value of every document, averaged over samples (documents,)."""
        return self.center + self.scale * self._scaled(documents)

    def explain(self, document: Documents, top: int, topics: TopicDescriptions) -> Explanation:
        """Return the contributions of topics, words and features to the value of one document."""
        explainer = Explainer(self.chains, self.place, self.layout, topics, scaling=self.scaling)
        score = float(self._scaled(document)[0])
        return explainer.explain(document, 0, None, score, top).scaled(self.scale, self.center)

    def _scaled(self, documents: Documents) -> np.ndarray:
        return task_values(self.chains, documents, self.place, 1, self.layout, self.scaling)[:, 0]


def value_attributes(
    values: np.ndarray, chains: FittedChains, place: int, layout: TaskLayout, scaling: FeatureScaling | None
) -> dict[str, Any]:
    """Return the fitted attributes of a model that explains values; `values` are NaN where unknown."""
    center, scale = center_and_scale(values)
    of_topics, of_features = split_weights(chains.mean_weights(place), layout.n_topics)
    attributes = {
        "_center": center,
        "_scale": scale,
        "n_without_value_": int(np.isnan(values).sum()),
        "value_weights_": center + scale * of_topics[0],
    }
    if scaling is None:
        return attributes
    return attributes | {"_value_features": scaling, "value_feature_weights_": scale * of_features[0] * scaling.factors}
