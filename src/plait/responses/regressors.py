"""Features of documents as regressors of a response: its parameters `features` and `feature_nu`."""

from __future__ import annotations

from typing import Any

from plait._utils.validation import check_above_zero
from plait.errors import PlaitError
from plait.inputs.features import FeatureMatrix, FeatureScaling, check_features, read_features, standardise
from plait.responses.linear.feature_sums import FeatureRows
from plait.responses.losses import SCALE_RANGE

_MOST_COLUMNS = 10_000  # the weights of one label need a triangle of them


def check_regressors(features: Any, feature_nu: Any) -> None:
    """Raise an error for parameters of a response that cannot work.

    Parameters
    ----------
    features, feature_nu : object
        Parameters.
    """
    check_features(features)
    check_above_zero("feature_nu, the standard deviation of the features' prior,", feature_nu, *SCALE_RANGE)


def scale_regressors(features: FeatureMatrix, n_documents: int) -> tuple[Any, FeatureScaling]:
    """Return the features of the training documents, checked, and how they are standardised.

    Parameters
    ----------
    features : FeatureMatrix
        Parameter of a response.
    n_documents : int
        Number of training documents.
    """
    given = read_features(features, n_documents)
    if given.shape[1] > _MOST_COLUMNS:
        raise PlaitError(
            f"features have {given.shape[1]:,} columns, and their weights are drawn together; give at most "
            f"{_MOST_COLUMNS:,}, such as their principal components",
            parameter="features",
        )
    return given, standardise(given, features.names)


def read_regressors(features: FeatureMatrix | None, n_documents: int) -> FeatureRows | None:
    """Return the standardised features of the training documents; None for None.

    Parameters
    ----------
    features : FeatureMatrix or None
        Parameter of a response.
    n_documents : int
        Number of training documents.
    """
    if features is None:
        return None
    given, scaling = scale_regressors(features, n_documents)
    return FeatureRows.of(scaling.apply(given))
