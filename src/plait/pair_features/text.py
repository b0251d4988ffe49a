"""Text as a pair feature: cosine of TF-IDF vectors, also relative to the nearest, or with the words of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.pair_features.base import PairFeature
from plait.pair_features.network import PairBlock


@dataclass(frozen=True)
class TextCosine(PairFeature):
    """Cosine similarity of the TF-IDF vectors of two documents.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(2)), sparse.csr_array((2, 2)))
    >>> TextCosine().values(network.new(sparse.csr_array([[3, 0]]))).toarray().tolist()
    [[1.0, 0.0]]
    """

    name: ClassVar[str] = "text"
    needs_words: ClassVar[bool] = True

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the cosine similarities."""
        return pairs.cosines


@dataclass(frozen=True)
class RelativeCosine(PairFeature):
    """Cube of the cosine similarity divided by that of the most similar known document.

    It tells documents that are nearly as similar as the nearest one from the rest, whatever the level of similarity.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(2)), sparse.csr_array((2, 2)))
    >>> RelativeCosine().values(network.new(sparse.csr_array([[4, 2]]))).toarray().round(3).tolist()
    [[1.0, 0.125]]
    """

    name: ClassVar[str] = "relative_text"
    needs_words: ClassVar[bool] = True

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the powers of the relative similarities."""
        found = pairs.cosines.copy()
        largest = found.max(axis=1).toarray().ravel()
        found.data = (found.data / np.repeat(np.where(largest > 0, largest, 1), np.diff(found.indptr))) ** 3
        return found


@dataclass(frozen=True)
class NeighbourCosine(PairFeature):
    """Cosine similarity of the source with the words of a document and of the documents around it.

    The vectors of known documents are averaged `hops` times over their neighbours by D^(-1/2) (I + A) D^(-1/2), where
    A are the links and D the row sums of I + A. The words of the source itself are not averaged, because a new
    document has no links.

    Parameters
    ----------
    hops : int, default 2
        Number of averaging steps.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(2)), sparse.csr_array([[0, 1], [0, 0]]))
    >>> NeighbourCosine(1).values(network.new(sparse.csr_array([[3, 0]]))).round(2).tolist()
    [[0.71, 0.71]]
    """

    hops: int = 2

    name: ClassVar[str] = "neighbours"
    needs_words: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """Name and number of averaging steps."""
        return f"{self.name}({self.hops})"

    def check(self) -> None:
        """Reject a number of steps below 1."""
        check_whole("hops", self.hops, least=1)

    def values(self, pairs: PairBlock) -> np.ndarray:
        """Return the cosine similarities with averaged vectors."""
        found = pairs.smoothed_cosines(self.hops)
        lengths = pairs.network.smoothed_lengths(self.hops)
        return found / np.where(lengths > 0, lengths, 1)
