"""Features of documents: a matrix documents × features that the user gives, checked and standardised."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.arrays import check_array, check_texts
from plait.errors import PlaitError

_MOST_COLUMNS = 100_000


class FeatureMatrix:
    """A matrix documents × features as the parameter of a response: comparable, short to print, saved with a model.

    Parameters
    ----------
    given : data frame, array-like or sparse matrix of shape (documents, features)
        The features, as the user gave them.
    names : ndarray of str or None, default None
        Names of the columns; None for those of a data frame.

    Examples
    --------
    >>> FeatureMatrix([[1.0, 2.0], [3.0, 4.0]])
    FeatureMatrix(2 × 2)
    >>> FeatureMatrix([[1, 2]]) == FeatureMatrix(np.array([[1.0, 2.0]]))
    True
    """

    def __init__(self, given: Any, names: np.ndarray | None = None) -> None:
        columns = getattr(given, "columns", None)
        if names is None and columns is not None:
            names = np.array([str(name) for name in columns], dtype=object)
        self.given = given
        self.names = names

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of documents and features."""
        return np.shape(self.given)

    @property
    def values(self) -> Any:
        """The features as float64, an ndarray or a csr_array."""
        try:
            if sparse.issparse(self.given):
                found = sparse.csr_array(self.given).astype(np.float64)
                found.sum_duplicates()
                return found
            return np.asarray(self.given, np.float64, order="C")  # sums of another order have other rounding errors
        except (TypeError, ValueError) as error:
            raise PlaitError(f"features must be numbers: {error}", parameter="features") from error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FeatureMatrix):
            return NotImplemented
        if self.given is other.given:
            return True
        one, another = self.values, other.values
        if sparse.issparse(one) != sparse.issparse(another) or one.shape != another.shape:
            return False
        return (one != another).nnz == 0 if sparse.issparse(one) else bool(np.array_equal(one, another))

    def __hash__(self) -> int:
        return hash(self.shape)

    def __repr__(self) -> str:
        return f"FeatureMatrix({' × '.join(f'{size:,}' for size in self.shape)})"


class FeatureScaling(NamedTuple):
    """How the columns of features were standardised, for new documents.

    Examples
    --------
    >>> scaling = standardise(np.array([[1.0, 7.0], [3.0, 7.0]]))
    >>> scaling.apply(np.array([[5.0, 7.0]])).toarray().tolist()  # 3 standard deviations above the mean; a constant
    [[3.0, 0.0]]
    """

    factors: np.ndarray  # 1 / standard deviation, / √(number of columns that vary); 0 for a constant column
    centers: np.ndarray  # means of dense columns; 0 for sparse ones
    names: np.ndarray | None = None  # of the columns, where a data frame gave them

    @property
    def n_columns(self) -> int:
        """Number of features."""
        return int(self.factors.size)

    def name(self, column: int) -> str:
        """Return the name of a column, or its number."""
        return str(column) if self.names is None else str(self.names[column])

    def apply(self, given: Any) -> sparse.csr_array:
        """Return checked features, standardised."""
        if sparse.issparse(given):
            return sparse.csr_array(given @ sparse.diags_array(self.factors))
        return sparse.csr_array((given - self.centers) * self.factors)

    def read(self, given: Any, n_documents: int) -> sparse.csr_array:
        """Return the features of new documents, standardised.

        Parameters
        ----------
        given : data frame, array-like, sparse matrix or None
            Features as the user gave them. Columns of a data frame are found by name if the training documents' had
            names.
        n_documents : int
            Number of documents.
        """
        if given is None:
            raise PlaitError(
                f"this model was fitted with {self.n_columns:,} features of each document beside its words; give those "
                "of the new documents by features="
            )
        return self.apply(read_features(_in_order(given, self.names), n_documents, self.n_columns))

    def check_sizes(self) -> None:
        """Raise an error unless the arrays agree with each other: they may come from a file."""
        check_array("factors of features", self.factors, (None,))
        check_array("centers of features", self.centers, self.factors.shape)
        if self.names is not None:
            check_texts("names of features", self.names, self.factors.size)


def check_features(features: Any, *, words: str = "") -> None:
    """Raise an error for a value of the parameter that cannot work.

    Parameters
    ----------
    features : object
        Parameter of a model.
    words : str, default ""
        The text that stands for features of the words, such as "text"; "" for none.
    """
    if features is None or (words and isinstance(features, str) and features == words):
        return
    if isinstance(features, str) or len(np.shape(features)) != 2:
        given = features.given if isinstance(features, FeatureMatrix) else features
        shown = repr(given) if isinstance(given, (str, int, float)) else type(given).__name__
        choice = f"None, {words!r}" if words else "None"
        raise PlaitError(
            f"features must be {choice} or a matrix documents × features, not {shown}", parameter="features"
        )


def as_matrix(features: Any) -> Any:
    """Return a matrix as a `FeatureMatrix`; None and texts as they are."""
    return features if features is None or isinstance(features, (str, FeatureMatrix)) else FeatureMatrix(features)


def read_features(features: Any, n_documents: int, n_columns: int | None = None) -> Any:
    """Return features of documents, checked.

    Parameters
    ----------
    features : data frame, array-like, sparse matrix or FeatureMatrix of shape (documents, features)
        Features as the user gave them.
    n_documents : int
        Number of documents.
    n_columns : int, optional
        Number of features of the fitted model.

    Returns
    -------
    ndarray or csr_array
        Finite numbers.
    """
    found = as_matrix(features).values
    if found.ndim != 2 or found.shape[0] != n_documents:
        raise PlaitError(
            f"features have the shape {found.shape}, but there are {n_documents:,} documents; give a row per document",
            parameter="features",
        )
    if n_columns is not None and found.shape[1] != n_columns:
        raise PlaitError(
            f"features have {found.shape[1]:,} columns, but the model was fitted with {n_columns:,}",
            parameter="features",
        )
    if not 1 <= found.shape[1] <= _MOST_COLUMNS:
        raise PlaitError(f"features have {found.shape[1]:,} columns; give 1 to {_MOST_COLUMNS:,}", parameter="features")
    values = found.data if sparse.issparse(found) else found
    if not np.isfinite(values).all():
        raise PlaitError("features have NaN or infinite values; replace them first", parameter="features")
    return found


def standardise(given: Any, names: np.ndarray | None = None) -> FeatureScaling:
    """Return the scaling of columns: unit variance, rows of lengths of about 1; a constant column has 0.

    Parameters
    ----------
    given : ndarray or csr_array of shape (documents, features)
        What `read_features` returned.
    names : ndarray of str or None, default None
        Names of the columns.
    """
    n_rows, n_columns = given.shape
    if sparse.issparse(given):  # not centred, to stay sparse: an intercept, or the topics' weights, stand in for it
        centers = np.zeros(n_columns)
        means = np.asarray(given.sum(axis=0)).ravel() / n_rows
        spread = np.sqrt(np.maximum(np.asarray(given.power(2).sum(axis=0)).ravel() / n_rows - means**2, 0.0))
    else:
        centers, spread = given.mean(axis=0), given.std(axis=0)
    usable = spread > 1e-12 * np.maximum(1.0, np.abs(centers))
    factors = np.where(usable, 1.0 / np.where(usable, spread, 1.0), 0.0) / np.sqrt(max(int(usable.sum()), 1))
    return FeatureScaling(factors, centers, names)


def _in_order(given: Any, names: np.ndarray | None) -> Any:
    """Return the columns of a data frame in the order of the fitted ones; anything else as it is."""
    columns = getattr(given, "columns", None)
    if columns is None or names is None:
        return given
    found = [str(name) for name in columns]
    missing = [name for name in names if name not in found]
    if missing:
        raise PlaitError(
            f"features have no column {missing[0]!r}; the model was fitted with {', '.join(map(str, names[:5]))}"
            f"{' …' if names.size > 5 else ''}",
            parameter="features",
        )
    return np.column_stack([np.asarray(given[columns[found.index(name)]]) for name in names])
