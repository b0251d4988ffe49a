"""Votes of similar documents as pair features: the links of the k nearest documents, weighted by cosine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.pair_features.base import PairFeature
from plait.pair_features.network import PairBlock


@dataclass(frozen=True)
class _Voting(PairFeature):
    """A feature whose values are votes of the k known documents whose words are most similar to the source."""

    k: int

    needs_words: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """Name and number of voters."""
        return f"{self.name}({self.k})"

    def check(self) -> None:
        """Reject a number of voters below 1."""
        check_whole("k", self.k, least=1)


@dataclass(frozen=True)
class NeighbourVotes(_Voting):
    """Votes of the k known documents whose words are most similar to the source, each for the documents it links with.

    A vote weighs the cosine similarity of the voter and the source. The links of the source itself are not used.

    Parameters
    ----------
    k : int, default 50
        Number of voters.
    itself : bool, default False
        Whether a voter also votes for itself.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), sparse.csr_array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
    >>> NeighbourVotes(1).values(network.new(sparse.csr_array([[3, 0, 0]]))).toarray().tolist()
    [[0.0, 1.0, 0.0]]
    """

    k: int = 50
    itself: bool = False

    name: ClassVar[str] = "votes"

    @property
    def label(self) -> str:
        """Name and number of voters."""
        return f"{self.name}({self.k}{', itself' if self.itself else ''})"

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the sums of the votes."""
        nearest = keep_largest(pairs.cosines, self.k)
        votes = nearest @ pairs.network.either
        return sparse.csr_array(votes + nearest if self.itself else votes)


@dataclass(frozen=True)
class SharpVotes(_Voting):
    """Votes that favour the nearest documents, and documents that few others are linked with.

    As `NeighbourVotes`, but a vote weighs the square of the similarity, and the sum is divided by the root of the
    number of links of the document that the votes are for.

    Parameters
    ----------
    k : int, default 50
        Number of voters.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> links = sparse.csr_array([[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), links)
    >>> SharpVotes(1).values(network.new(sparse.csr_array([[3, 0, 0]]))).toarray().round(2).tolist()
    [[0.0, 0.71, 0.0]]
    """

    k: int = 50

    name: ClassVar[str] = "sharp_votes"

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the sums of the votes."""
        nearest = keep_largest(pairs.cosines, self.k)
        nearest.data **= 2
        votes = sparse.csr_array(nearest @ pairs.network.either)
        votes.data /= np.sqrt(pairs.network.degrees)[votes.indices]
        return votes


@dataclass(frozen=True)
class BestVote(_Voting):
    """Similarity of the source with the nearest document that is linked with the known document.

    Only the k nearest documents are voters; the value is 0 where none of them is linked with the known document.

    Parameters
    ----------
    k : int, default 200
        Number of voters.

    Examples
    --------
    >>> from plait.pair_features import KnownNetwork
    >>> network = KnownNetwork(sparse.csr_array(np.eye(3)), sparse.csr_array([[0, 1, 0], [0, 0, 0], [0, 1, 0]]))
    >>> BestVote().values(network.new(sparse.csr_array([[4, 0, 3]]))).toarray().round(2).tolist()
    [[0.0, 0.8, 0.0]]
    """

    k: int = 200

    name: ClassVar[str] = "best_vote"

    def values(self, pairs: PairBlock) -> sparse.csr_array:
        """Return the largest similarities."""
        nearest, either = keep_largest(pairs.cosines, self.k), pairs.network.either
        largest = np.zeros(pairs.shape)
        for row, (first, last) in enumerate(zip(nearest.indptr[:-1], nearest.indptr[1:], strict=True)):
            linked = either[nearest.indices[first:last]]
            np.maximum.at(largest[row], linked.indices, np.repeat(nearest.data[first:last], np.diff(linked.indptr)))
        return sparse.csr_array(largest)


def keep_largest(matrix: sparse.csr_array, number: int) -> sparse.csr_array:
    """Return a matrix with only the largest entries above 0 of each row; of equal ones, the first.

    Parameters
    ----------
    matrix : csr_array
        Any matrix with sorted columns.
    number : int
        Entries to keep per row.

    Returns
    -------
    csr_array
        The kept entries.

    Examples
    --------
    >>> keep_largest(sparse.csr_array([[0.1, 0.5, 0.5, 0.7]]), 2).toarray().tolist()
    [[0.0, 0.5, 0.0, 0.7]]
    """
    kept, sizes = [], []
    for first, last in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        values = matrix.data[first:last]
        places = np.flatnonzero(values > 0)
        if places.size > number:
            least = -np.partition(-values[places], number - 1)[number - 1]
            above = places[values[places] > least]
            places = np.sort(np.concatenate([above, places[values[places] == least][: number - above.size]]))
        kept.append(first + places)
        sizes.append(places.size)
    chosen = np.concatenate(kept) if kept else np.empty(0, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return sparse.csr_array((matrix.data[chosen], matrix.indices[chosen], starts), shape=matrix.shape)
