"""What models with any responses share: the methods of scikit-learn that depend on the responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils import ClassifierTags

from plait.errors import PlaitError
from plait.models.explained import Explained
from plait.models.inputs import Documents
from plait.models.methods.labels import label_predictions
from plait.models.methods.values import value_predictions


def predict_targets(model: Any, documents: Documents) -> np.ndarray:
    """Return the predicted labels of documents, or their values for a model that does not explain labels."""
    answer = label_predictions if model._explains("labels") else value_predictions
    return answer(model).predict(documents)


def score_labels(y: Any, predict: Callable[[], np.ndarray]) -> float:
    """Return the accuracy of predicted labels; raise an error if `y` is None."""
    if y is None:
        raise PlaitError("score compares predicted labels with y; give y, or use perplexity(X) to score words")
    return float(accuracy_score(y, predict()))


def with_classifier_tags(tags: Any, is_classifier: bool) -> Any:
    """Return scikit-learn's tags of an estimator, those of a classifier if it predicts labels."""
    if is_classifier:
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_label=True, poor_score=True)  # as MedLDA, which says why
        tags.target_tags.required = True
    return tags


def valid_responses(responses: Any) -> tuple[Explained, ...]:
    """Return the specifications among the elements of a parameter `responses`, which may not be checked yet."""
    given = responses if isinstance(responses, (list, tuple)) else ()
    return tuple(one for one in given if isinstance(one, Explained))
