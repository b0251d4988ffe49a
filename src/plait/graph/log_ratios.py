"""Shares of topics with most of the document's length taken out: centred log ratios (Aitchison, 1986).

A topic that hardly occurs in a document of N words has a share near α / (N + Kα), so shares of many topics say above
all how long the document is. A learner that takes features one by one, as naive Bayes does, then counts the length
many times. The logarithm of a share over the geometric mean of the document's shares is without the common factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import validate_data

from plait.errors import PlaitError


class LogRatios(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Turn each row of shares into the logarithms of what each is to the row's geometric mean.

    Rows need not add up to 1: multiplying a row by a number changes nothing.

    Examples
    --------
    >>> shares = [[0.8, 0.1, 0.1], [0.08, 0.01, 0.01]]
    >>> LogRatios().fit_transform(shares).round(2).tolist()
    [[1.39, -0.69, -0.69], [1.39, -0.69, -0.69]]
    """

    def fit(self, X: Any, y: Any = None) -> LogRatios:
        """Note how many features there are; nothing is learnt.

        Parameters
        ----------
        X : array of shape (documents, topics)
            Shares, all above zero.
        y : ignored
            As scikit-learn wants it.

        Returns
        -------
        LogRatios
            This object.
        """
        self._read(X, reset=True)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the log ratios (documents × topics); each row adds up to zero."""
        logarithms = np.log(self._read(X, reset=False))
        return logarithms - logarithms.mean(axis=1, keepdims=True)

    def _read(self, X: Any, *, reset: bool) -> np.ndarray:
        shares: np.ndarray = validate_data(self, X, reset=reset, dtype=np.float64)
        wrong = np.argwhere(shares <= 0)
        if len(wrong):
            row, column = wrong[0]
            raise PlaitError(
                f"shares must be above zero, but row {row}, column {column} has {shares[row, column]:g}; the topics of "
                "documents (doc_topic_) are; to counts of words add a little first"
            )
        return shares
