"""Models with any responses: the methods of labels, values and links, each there if the model has the response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import ClassifierTags
from sklearn.utils.metaestimators import available_if

from plait.models.base import TopicEstimator
from plait.models.methods import labels, links, values
from plait.models.methods.availability import explains
from plait.models.shared_docs import shared_docs
from plait.responses import Response


class AnyResponses(TopicEstimator):
    """A model whose parameter `responses` lists its responses; `TopicModel` documents it."""

    responses: Sequence[Response]

    decision_function, predict_proba = labels.decision_function, labels.predict_proba
    predict_labels, explain = labels.predict_labels, labels.explain
    predict_values, explain_value = values.predict_values, values.explain_value
    score_links, score_pairs = links.score_links, links.score_pairs
    suggest_links, suggest_missing_links = links.suggest_links, links.suggest_missing_links
    topic_links, weights_table, predict_words = links.topic_links, links.weights_table, links.predict_words

    @available_if(explains("labels", "values"))
    @shared_docs
    def predict(self, X: Any, *, features: Any = None) -> np.ndarray:
        """Return the predicted labels of documents as `MedLDA` does; without a LabelResponse, their values.

        <Parameters: documents, value_features>

        Returns
        -------
        ndarray
            Labels or values.
        """
        return self._predict(X, None, features)

    @shared_docs
    def score(self, X: Any, y: Any = None, *, features: Any = None) -> float:
        """Return the accuracy of the predicted labels; without a LabelResponse, the log-likelihood per token.

        <Parameters: documents>
        y : array-like, optional
            With a LabelResponse: their labels. Otherwise ignored.
        <value_features>

        Returns
        -------
        float
            Higher is better.
        """
        return self._score(X, y, None, features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._explains("labels"):
            tags.estimator_type = "classifier"
            tags.classifier_tags = ClassifierTags(multi_label=True, poor_score=True)  # as MedLDA, which says why
            tags.target_tags.required = True
        return tags

    def _make_responses(self) -> tuple[Response, ...]:
        # The parameter may not be checked yet: scikit-learn asks for tags of any estimator.
        given = self.responses if isinstance(self.responses, (list, tuple)) else ()
        return tuple(one for one in given if isinstance(one, Response))

    def _predict(self, X: Any, links: Any = None, features: Any = None) -> np.ndarray:
        """Return predicted labels, or values for a model that does not explain labels."""
        documents = self._documents(X, "predict", links, features)
        if self._explains("labels"):
            return labels.label_predictions(self).predict(documents)
        return values.value_predictions(self).predict(documents)

    def _score(self, X: Any, y: Any, links: Any = None, features: Any = None) -> float:
        """Return the accuracy of predicted labels, or the log-likelihood for a model that does not explain labels."""
        if not self._explains("labels"):
            return self._word_likelihood(X, "completion", links).log_likelihood
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(labels.true_labels(self, X, y), self._predict(X, links, features)))
