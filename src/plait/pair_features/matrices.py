"""The user's own numbers of pairs as a pair feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import scipy.sparse as sparse

from plait.errors import PlaitError
from plait.pair_features.base import PairFeature
from plait.pair_features.network import KnownNetwork, PairBlock


@dataclass(frozen=True)
class PairMatrix(PairFeature):
    """A matrix of the user's own with one number per pair, such as common authors or co-downloads.

    The matrix of the training documents is given to `fit`, that of new documents to `score_links` and `suggest_links`,
    as `pair_matrices={key: matrix}`. A link must not be part of its own number.

    Parameters
    ----------
    key : str
        Key of the matrix in `pair_matrices`.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.pair_features import KnownNetwork
    >>> links = sparse.csr_array((2, 2))
    >>> network = KnownNetwork(sparse.csr_array(np.eye(2)), links, matrices={"authors": links})
    >>> new = network.new(sparse.csr_array([[1, 0]]), matrices={"authors": sparse.csr_array([[0, 3.0]])})
    >>> PairMatrix("authors").values(new).toarray().tolist()
    [[0.0, 3.0]]
    """

    key: str

    name: ClassVar[str] = "matrix"

    @property
    def label(self) -> str:
        """Name and key."""
        return f"{self.name}({self.key})"

    def check_network(self, network: KnownNetwork) -> None:
        """Reject documents without the matrix."""
        if self.key not in network.matrices:
            raise PlaitError(
                f"the pair feature {self.label} has no matrix; give pair_matrices={{{self.key!r}: matrix}} to fit"
            )

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the numbers of the matrix."""
        if self.key not in pairs.matrices:
            raise PlaitError(
                f"the pair feature {self.label} has no matrix of the new documents; give "
                f"pair_matrices={{{self.key!r}: matrix}}, new documents × training documents"
            )
        matrix = pairs.matrices[self.key]
        if matrix.shape != pairs.shape:
            raise PlaitError(
                f"the matrix {self.key!r} of pair_matrices has the shape {matrix.shape}; give one of {pairs.shape}"
            )
        return matrix
