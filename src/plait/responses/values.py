"""Values as a response: their noise, and how they are read and scaled.

Blei and McAuliffe (2007), *Supervised topic models*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait._utils.validation import check_above_zero
from plait.inputs.features import as_matrix
from plait.inputs.targets import read_values
from plait.inputs.words import Words
from plait.responses.base import Response
from plait.responses.carried import Carried
from plait.responses.linear.targets import ChainTargets
from plait.responses.losses import SCALE_RANGE, Squared
from plait.responses.regressors import check_regressors, read_regressors


@dataclass(frozen=True)
class ValueResponse(Response):
    """Topics predict a number per document: a rating, a year, a price.

    Values are scaled to mean 0 and standard deviation 1 for learning, so that `sigma` and `nu` do not depend on their
    unit.

    Parameters
    ----------
    sigma : float, default 0.25
        Standard deviation of the noise, relative to that of the values. Smaller values bind topics to the values.
    nu : float, default 2.0
        Prior standard deviation of the weights, in the same unit.
    features : None or matrix of shape (documents, features), default None
        What is known of the documents beside their words: a dense or sparse matrix or a data frame of numbers, up to
        about 1,000 columns. The value of a document is then η · z̄ + v · f plus noise, and the weights η of topics and
        v of features are drawn together in the chain. Columns are scaled to unit variance, and dense ones to mean 0;
        a constant column has no effect. Features of new documents are given to `predict`.
    feature_nu : float, default 1.0
        Prior standard deviation of v · f, in the unit of `nu`; it does not depend on the number of features.

    Examples
    --------
    >>> ValueResponse(sigma=0.5)
    ValueResponse(sigma=0.5, nu=2.0, features=None, feature_nu=1.0)
    >>> ValueResponse(features=[[1.0], [0.5], [2.0]]).features
    FeatureMatrix(3 × 1)
    """

    sigma: float = 0.25
    nu: float = 2.0
    features: Any = None
    feature_nu: float = 1.0

    kind = "values"

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", as_matrix(self.features))

    def check(self) -> None:
        """Reject invalid parameters."""
        check_above_zero("nu, the standard deviation of the weights' prior,", self.nu, *SCALE_RANGE)
        check_above_zero("sigma, the standard deviation of the noise,", self.sigma, *SCALE_RANGE)
        check_regressors(self.features, self.feature_nu)

    def read(self, X: Any, given: Any, words: Words, n_topics: int, name: str = "values") -> np.ndarray:
        """Return one number per document, NaN if it is unknown; error messages refer to them as `name`."""
        values = read_values(given, words.counts.shape[0], name)
        read_regressors(self.features, values.size)  # errors come before any work
        return values

    def arrays(self, given: np.ndarray) -> list[np.ndarray]:
        """Return the values."""
        return [given]

    def make(self, given: np.ndarray, *, exact: bool, mean: np.ndarray | None = None) -> ChainTargets:
        """Return the chain response of the values, scaled to mean 0 and standard deviation 1."""
        center, scale = center_and_scale(given)
        values = (given - center) / scale
        return ChainTargets(
            values[:, np.newaxis],
            Squared(self.sigma),
            nu=self.nu,
            mean=mean,
            exact=exact,
            features=read_regressors(self.features, given.size),
            feature_nu=self.feature_nu,
        )

    def carry(self, given: np.ndarray, weights: np.ndarray, before: Carried | None = None) -> Carried:
        """Return the weights in the unit of the values.

        A slice predicts center + scale · η · z̄. Topic proportions sum to 1, so this is w · z̄ with
        w = center + scale · η, which does not depend on the scaling of the slice.
        """
        center, scale = center_and_scale(given)
        return Carried(center + scale * weights)

    def expected(self, carried: Carried, given: np.ndarray) -> np.ndarray:
        """Return the prior mean of the weights in the unit of this slice, (w − center) / scale.

        `nu` has the same unit: it is relative to the standard deviation of the slice's values.
        """
        center, scale = center_and_scale(given)
        return np.asarray((carried.weights - center) / scale)


def center_and_scale(values: np.ndarray) -> tuple[float, float]:
    """Return mean and standard deviation of the known values (1 if all are equal).

    Parameters
    ----------
    values : ndarray
        Values, NaN for unknown.

    Returns
    -------
    tuple of float
        Mean and standard deviation.

    Examples
    --------
    >>> center_and_scale(np.array([1.0, 3.0, np.nan]))
    (2.0, 1.0)
    """
    spread = float(np.nanstd(values))
    return float(np.nanmean(values)), spread if spread > 0 else 1.0
