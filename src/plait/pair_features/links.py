"""Links as pair features: popularity, common neighbours, preferential attachment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError
from plait.pair_features.base import PairFeature
from plait.pair_features.network import PairBlock

_WAYS = ("either", "in", "out")


@dataclass(frozen=True)
class Popularity(PairFeature):
    """Number of links of the known document.

    Parameters
    ----------
    links : {"either", "in", "out"}, default "either"
        Which links are counted: all, those to the document, or those from it.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), sparse.csr_array([[0, 1, 0], [0, 0, 0], [0, 1, 0]]))
    >>> Popularity("in").values(network.new(sparse.csr_array([[3, 0, 0]]))).tolist()
    [0.0, 2.0, 0.0]
    """

    links: str = "either"

    name: ClassVar[str] = "popularity"

    @property
    def label(self) -> str:
        """Name, and which links are counted."""
        return self.name if self.links == "either" else f"{self.name}({self.links})"

    def check(self) -> None:
        """Reject an unknown direction."""
        if self.links not in _WAYS:
            raise PlaitError(f"links of Popularity must be one of {', '.join(map(repr, _WAYS))}, not {self.links!r}")

    def values(self, pairs: PairBlock) -> np.ndarray:
        """Return the number of links of each known document."""
        network = pairs.network
        if self.links == "either":
            return network.degrees
        return np.asarray(network.links.sum(axis=0 if self.links == "in" else 1), dtype=np.float64).ravel()


@dataclass(frozen=True)
class CommonNeighbours(PairFeature):
    """Number of documents that both documents are linked with. A new document has no links, so it is 0 there.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), sparse.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    >>> CommonNeighbours().values(network.known(np.array([0]))).toarray().tolist()
    [[0.0, 0.0, 1.0]]
    """

    name: ClassVar[str] = "common_neighbours"
    needs_source_links: ClassVar[bool] = True

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the numbers of common neighbours."""
        found = sparse.csr_array(pairs.links @ pairs.network.either)
        if pairs.rows is not None:
            found.data[np.repeat(pairs.rows, np.diff(found.indptr)) == found.indices] = 0
        return found


@dataclass(frozen=True)
class PreferentialAttachment(PairFeature):
    """Product of the numbers of links of both documents. A new document has no links, so it is 0 there.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), sparse.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    >>> PreferentialAttachment().values(network.known(np.array([1]))).tolist()
    [[2.0, 4.0, 2.0]]
    """

    name: ClassVar[str] = "preferential_attachment"
    needs_source_links: ClassVar[bool] = True

    def values(self, pairs: PairBlock) -> np.ndarray:
        """Return the products of the numbers of links."""
        return np.outer(np.diff(pairs.links.indptr), pairs.network.degrees)
