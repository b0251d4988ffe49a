"""Predictions of numbers, and what in a document pushes its number up or down."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.inputs.words import new_words
from plait.models.answers.availability import explains
from plait.models.answers.explanation import Explanation, explain_document
from plait.models.answers.weighed import WeighedPredictions
from plait.responses.values import unit_of


class ValuePredictions(WeighedPredictions):
    """A model whose topics explain a number says what number new documents have."""

    @available_if(explains("values"))
    def predict_values(self, X: Any, *, links: Any = None) -> np.ndarray:
        """Return the number of every document, averaged over samples.

        Parameters
        ----------
        X
            Documents: a Corpus or counts.
        links
            Their links, where the model follows links: as in `LinkedLDA.transform`.
        """
        return self._numbers(X, "predict_values", links)

    @available_if(explains("values"))
    def explain_value(self, document: Any, top: int = 10) -> Explanation:
        """Say which topics and words of a document push its number up, and which down, from the training mean.

        Parameters
        ----------
        document
            A text, a Corpus of one document, or a row of counts.
        top
            How many topics and words to name.
        """
        counts = self._one_document(document)
        score = float(self._values(counts, "values", 1)[0, 0])
        return explain_document(self, counts, "values", 0, None, score, top).scaled(self._scale, self._center)

    def _numbers(self, X: Any, method: str, links: Any = None) -> np.ndarray:
        check_is_fitted(self)
        words = new_words(self, X, self._real, method)
        known = self._new_links(links, words.counts.shape[0])
        return self._center + self._scale * self._values(words.counts, "values", 1, known)[:, 0]

    def _take_over(self, fit: Any, *chain_and_plans: Any, finished: bool) -> None:
        super()._take_over(fit, *chain_and_plans, finished=finished)
        if self._explains("values"):
            self._center, self._scale = unit_of(fit.given["values"])

    def _mean_value_weights(self) -> np.ndarray:
        """Return what each topic says of the number, in its own unit, averaged over the first chain's samples."""
        here = self._place("values")
        means = np.mean([sample.weights[here][0] for sample in self._chain_samples[0]], axis=0)
        return self._center + self._scale * means
