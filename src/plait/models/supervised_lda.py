"""Supervised LDA: topics that also predict a number; own-document mixing, a prior on words, a value as response.

Blei and McAuliffe (2007), *Supervised topic models*, with collapsed Gibbs sampling in place of variational inference.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin

from plait.errors import PlaitError
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
    features : None or matrix of shape (documents, features), default None
        What is known of the documents beside their words: a dense or sparse matrix or a data frame of numbers, up to
        about 1,000 columns. The value of a document is then the mean weight of its tokens plus v · f plus noise; the
        weights v of features are drawn together with those of the topics. Columns are scaled to unit variance, and
        dense ones to mean 0; a constant column has no effect. Features of new documents are given to `predict`.
    feature_nu : float, default 1.0
        Prior standard deviation of v · f, in the unit of `nu`; it does not depend on the number of features.
    alpha : float, array-like of shape (n_topics,) or None, default None
        Dirichlet prior on the topic proportions of a document: one number, or one per topic; None for 4 / n_topics.

    Attributes
    ----------
    weights_ : ndarray of shape (topics,)
        Value of a document that has only this topic, averaged over the samples of the first chain. With features:
        where these have their means (dense columns) or are 0 (sparse ones).
    feature_weights_ : ndarray of shape (features,)
        With features: change of the value per unit of a feature, in the units that you gave, averaged over the samples
        of the first chain.
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
    features: Any = None
    feature_nu: float = 1.0
    cached: bool | None = None
    alpha: Any = None
    beta: Any = 0.01
    n_chains: int = 4
    n_sweeps: int = 60
    tolerance: float = 0.0
    learn_beta: bool = False
    fold_in_sweeps: int = 12

    _y_kind: ClassVar = "values"
    _own_names: ClassVar = {
        "value_weights_": "weights_",
        "n_without_value_": "n_unlabelled_",
        "value_feature_weights_": "feature_weights_",
    }

    predict_values = values.predict_values
    explain = explain_value = values.explain_value

    def predict(self, X: Any, *, features: Any = None) -> np.ndarray:
        """Return the predicted value of every document, averaged over samples.

        Parameters
        ----------
        X : Corpus, or matrix of shape (documents, words)
            Documents.
        features : matrix of shape (documents, features), optional
            Their features, for a model that was fitted with features; not standardised.

        Returns
        -------
        ndarray of shape (documents,)
            Values.
        """
        return values.value_predictions(self).predict(self._documents(X, "predict", None, features))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, features: Any = None) -> float:
        """Return R² of the predicted values.

        Parameters
        ----------
        X : Corpus, or matrix of shape (documents, words)
            Documents.
        y : array-like of shape (documents,)
            Their values; required.
        sample_weight : array-like or None, default None
            Weights of the documents.
        features : matrix of shape (documents, features), optional
            Their features, for a model that was fitted with features.

        Returns
        -------
        float
            1 − residual / total sum of squares.
        """
        from sklearn.metrics import r2_score

        if y is None:
            raise PlaitError("score compares predicted values with y; give y (perplexity(X) scores the words)")
        return float(r2_score(y, self.predict(X, features=features), sample_weight=sample_weight))

    def _make_mixing(self) -> OwnDocument:
        return supervised_mixing(self.alpha, self.n_topics)

    def _make_responses(self) -> tuple[ValueResponse]:
        return (response_of(self, ValueResponse),)

    def _read_targets(self, X: Any, inputs: Inputs, words: Words) -> dict[str, Any]:
        (response,) = self._make_responses()
        return {"values": response.read(X, inputs.values, words, self.n_topics, name="y")}
