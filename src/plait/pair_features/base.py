"""The contract of pair features: numbers that are known of a pair of documents beside their topics.

A feature is a frozen data class with the parameters that users write, and one method, `values`, which returns one
number per pair of a `PairBlock`: source documents × known documents. Larger values speak for a link; 0 is nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sparse

from plait.pair_features.network import KnownNetwork, PairBlock

Values: TypeAlias = sparse.csr_array | np.ndarray  # sources × documents, or one number per document for all sources


class PairFeature(ABC):
    """A number that is known of each pair of documents.

    Examples
    --------
    >>> from plait.pair_features import TextCosine
    >>> isinstance(TextCosine(), PairFeature), TextCosine().label
    (True, 'text')
    """

    name: ClassVar[str]  # in lists of features, on the command line and in tables
    needs_words: ClassVar[bool] = False  # reads the words of the known documents, which a model must keep
    needs_source_links: ClassVar[bool] = False  # reads the links of the source, which a new document does not have

    @property
    def label(self) -> str:
        """Name of the feature with its parameters; unique in a list of features."""
        return self.name

    def check(self) -> None:  # noqa: B027 (most features have nothing to reject)
        """Reject invalid parameters."""

    def check_network(self, network: KnownNetwork) -> None:  # noqa: B027 (as above)
        """Reject a network that lacks what the feature reads."""

    @abstractmethod
    def values(self, pairs: PairBlock) -> Values:
        """Return the values of all pairs of a block.

        Parameters
        ----------
        pairs : PairBlock
            Source documents and known documents.

        Returns
        -------
        csr_array or ndarray
            Sources × known documents, or one number per known document that holds for every source.
        """


def dense_values(feature: PairFeature, pairs: PairBlock) -> np.ndarray:
    """Return the values of a feature as an array of shape (sources, known documents)."""
    return as_dense(feature.values(pairs), pairs.shape)


def as_dense(values: Values, shape: tuple[int, int]) -> np.ndarray:
    """Return values of a feature as an array of shape (sources, known documents)."""
    return np.broadcast_to(values, shape) if isinstance(values, np.ndarray) else values.toarray()


def at_pairs(values: Values, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return values of a feature at some pairs.

    Parameters
    ----------
    values : csr_array or ndarray
        Result of `PairFeature.values`.
    rows, columns : ndarray of int
        Sources and known documents of the pairs, of one shape.

    Returns
    -------
    ndarray
        One value per pair, of the same shape.
    """
    if not isinstance(values, np.ndarray):
        return np.asarray(values[rows.ravel(), columns.ravel()]).reshape(rows.shape)
    return values[columns] if values.ndim == 1 else values[rows, columns]


def labels_of(features: Sequence[PairFeature]) -> list[str]:
    """Return the labels of features.

    Examples
    --------
    >>> from plait.pair_features import Popularity, TextCosine
    >>> labels_of([TextCosine(), Popularity()])
    ['text', 'popularity']
    """
    return [feature.label for feature in features]
