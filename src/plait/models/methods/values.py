"""Methods of models that explain values; `SupervisedLDA` documents the fitted attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.models.answers.explanation import Explanation
from plait.models.answers.values import ValuePredictions
from plait.models.inputs import read_one_document
from plait.models.methods.availability import explains
from plait.models.shared_docs import shared_docs


def value_predictions(model: Any) -> ValuePredictions:
    """Return the predictions of a fitted model that explains values."""
    check_is_fitted(model)
    place, layout = model._place("values"), model._task_layout()
    scaling = vars(model).get("_value_features")
    return ValuePredictions(model._chains(), place, layout, model._center, model._scale, scaling)


@available_if(explains("values"))
@shared_docs
def predict_values(self: Any, X: Any, *, links: Any = None, features: Any = None) -> np.ndarray:
    """Return the predicted value of every document, averaged over samples.

    <Parameters: documents, links, value_features>

    Returns
    -------
    ndarray of shape (documents,)
        Values.
    """
    return value_predictions(self).predict(self._documents(X, "predict_values", links, features))


@available_if(explains("values"))
@shared_docs
def explain_value(self: Any, document: Any, top: int = 10, *, features: Any = None) -> Explanation:
    """Return the topics, words and features of a document that raise or lower its value, relative to the mean.

    <Parameters: document, top, value_features>

    Returns
    -------
    Explanation
        The largest contributions.
    """
    check_is_fitted(self)
    one = read_one_document(self, document, self._real)._replace(features=features)
    return value_predictions(self).explain(one, top, self._topics())
