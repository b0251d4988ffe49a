"""Link prediction by votes: the links of the k most similar training documents, weighted by cosine similarity."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait._utils.validation import check_whole
from plait.baselines.network import read_network, read_new
from plait.pair_features import KnownNetwork, NeighbourVotes

_OF_COSINE = 1e-6  # weight of the similarity itself, which orders documents without a vote


class KnnVotes:
    """Votes of the k nearest training documents as the score of a link.

    Each of the k training documents with the most similar words (cosine of TF-IDF vectors) votes for the documents
    that it is linked with, and its vote weighs its similarity. Documents without a vote are ordered by similarity.

    Parameters
    ----------
    k : int, default 20
        Number of voters.
    itself : bool, default False
        Whether a voter also votes for itself.

    Examples
    --------
    >>> counts, links = [[2, 0, 0], [0, 1, 1], [0, 0, 3]], [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    >>> KnnVotes(k=1).fit(counts, links).score_links([[1, 0, 0]]).round(2).tolist()
    [[0.0, 1.0, 0.0]]
    >>> KnnVotes(k=1, itself=True).fit(counts, links).score_links([[1, 0, 0]]).round(2).tolist()
    [[1.0, 1.0, 0.0]]
    """

    def __init__(self, *, k: int = 20, itself: bool = False) -> None:
        self.k = k
        self.itself = itself

    def fit(self, counts: Any, links: Any) -> KnnVotes:
        """Compute the vectors of the training documents.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts.
        links : array-like or sparse matrix of shape (n_documents, n_documents)
            Nonzero entries are links; directions are ignored.

        Returns
        -------
        KnnVotes
            This object.
        """
        check_whole("k", self.k, least=1)
        self._network = KnownNetwork(*read_network(counts, links))
        return self

    def score_links(self, counts: Any) -> np.ndarray:
        """Return the votes for training documents.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_new, n_words)
            Word counts of new documents.

        Returns
        -------
        ndarray of shape (n_new, n_documents)
            Sums of similarities.
        """
        pairs = self._network.new(read_new(counts, self._network.counts.shape[1]))
        votes = NeighbourVotes(self.k, self.itself).values(pairs).toarray()
        return votes + _OF_COSINE * pairs.cosines.toarray()
