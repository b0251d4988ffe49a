"""Supervised LDA: topics that also predict a number; own-document mixing, a prior on words, a value as response.

Blei and McAuliffe (2007), *Supervised topic models*, with collapsed Gibbs sampling in place of variational inference.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin

from plait.inputs.words import Words
from plait.mixing import OwnDocument
from plait.models.base import TopicEstimator
from plait.models.inputs import Inputs
from plait.models.methods import values
from plait.models.parameters import declare_parameters
from plait.models.specification import response_of
from plait.models.supervised import supervised_mixing
from plait.responses import ValueResponse


@declare_parameters
class SupervisedLDA(RegressorMixin, TopicEstimator):
    """Topics that explain the words of documents and predict a number: a rating, a year, a price.

    Every topic has a weight, and the value of a document is the mean weight of its tokens plus Gaussian noise. Values
    are scaled to mean 0 and standard deviation 1 for learning, so that `sigma` and `nu` do not depend on their unit.

    Parameters
    ----------
    sigma : float, default 0.25
        Standard deviation of the noise, relative to that of the values. Smaller values bind topics to the values.
    nu : float, default 2.0
        Prior standard deviation of the weights, in the same unit.
    alpha : float, array-like of shape (n_topics,) or None, default None
        Dirichlet prior on the topic proportions of a document: one number, or one per topic; None for 4 / n_topics.

    Attributes
    ----------
    weights_ : ndarray of shape (topics,)
        Value of a document that has only this topic, averaged over the samples of the first chain.
    n_unlabelled_ : int
        Training documents without a value (NaN or None); they are used for the topics only.

    `LDA` documents the other attributes (`topic_word_`, `doc_topic_` …).

    Examples
    --------
    >>> from plait import Corpus, SupervisedLDA
    >>> corpus = Corpus.from_texts(["good great film", "bad awful film", "good fine plot", "bad dull plot"] * 9)
    >>> model = SupervisedLDA(n_topics=4, random_state=0).fit(corpus, [9, 2, 8, 1] * 9)
    >>> good, bad = model.predict(Corpus.from_texts(["great", "awful"]))
    >>> bool(good > 7 and bad < 3)
    True
    """

    sigma: float = 0.25
    nu: float = 2.0
    cached: bool | None = None
    alpha: Any = None
    beta: Any = 0.01
    n_chains: int = 4
    n_sweeps: int = 60
    tolerance: float = 0.0
    learn_beta: bool = False
    fold_in_sweeps: int = 12

    _y_kind: ClassVar = "values"
    _own_names: ClassVar = {"value_weights_": "weights_", "n_without_value_": "n_unlabelled_"}

    predict_values = values.predict_values
    explain = explain_value = values.explain_value

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted value of every document, averaged over samples.

        Parameters
        ----------
        X : Corpus, or matrix of shape (documents, words)
            Documents.

        Returns
        -------
        ndarray of shape (documents,)
            Values.
        """
        return values.value_predictions(self).predict(self._documents(X, "predict"))

    def _make_mixing(self) -> OwnDocument:
        return supervised_mixing(self.alpha, self.n_topics)

    def _make_responses(self) -> tuple[ValueResponse]:
        return (response_of(self, ValueResponse),)

    def _read_targets(self, X: Any, inputs: Inputs, words: Words) -> dict[str, Any]:
        (response,) = self._make_responses()
        return {"values": response.read(X, inputs.values, words, self.n_topics, name="y")}
