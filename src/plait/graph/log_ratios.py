"""Centred log-ratios of topic proportions (Aitchison, 1986), which depend little on document length.

The proportion of a topic that is absent from a document of N tokens is about α / (N + Kα), so the proportions of many
topics mainly reflect the document length. A classifier that treats features as independent, such as naive Bayes, then
counts the length many times. The log-ratio of a proportion to the geometric mean of its document has no common factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import validate_data

from plait.errors import PlaitError


class LogRatios(TransformerMixin, BaseEstimator):
    """Transform each row of proportions to logarithms of their ratios to the geometric mean of the row.

    Rows need not sum to 1: the result does not depend on the scale of a row.

    Examples
    --------
    >>> shares = [[0.8, 0.1, 0.1], [0.08, 0.01, 0.01]]
    >>> LogRatios().fit_transform(shares).round(2).tolist()
    [[1.39, -0.69, -0.69], [1.39, -0.69, -0.69]]
    """

    get_feature_names_out = OneToOneFeatureMixin.get_feature_names_out

    def fit(self, X: Any, y: Any = None) -> LogRatios:
        """Check the input; the transformer has no fitted parameters.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_topics)
            Proportions, all above 0.
        y : None
            Ignored.

        Returns
        -------
        LogRatios
            This object.
        """
        self._check(X, reset=True)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the log-ratios.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_topics)
            Proportions, all above 0.

        Returns
        -------
        ndarray of shape (n_documents, n_topics)
            Log-ratios; rows sum to 0.
        """
        logarithms = np.log(self._check(X, reset=False))
        return logarithms - logarithms.mean(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _check(self, X: Any, *, reset: bool) -> np.ndarray:
        """Return X as float64; raise an error if a number is not above 0."""
        shares: np.ndarray = validate_data(self, X, reset=reset, dtype=np.float64)
        wrong = np.argwhere(shares <= 0)
        if len(wrong):
            row, column = wrong[0]
            # scikit-learn's check of the tag positive_only demands these words.
            negative = "Negative values in data: " if (shares < 0).any() else ""
            raise PlaitError(
                f"{negative}proportions must be above 0, but row {row}, column {column} is {shares[row, column]:g}; "
                "use topic proportions (doc_topic_), or add a small number to counts first"
            )
        return shares
