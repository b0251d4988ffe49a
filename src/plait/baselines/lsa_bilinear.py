"""Latent semantic analysis and a bilinear logistic regression: the simple counterpart of a relational topic model."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait._utils.validation import check_whole
from plait.baselines.network import read_linked, read_new
from plait.baselines.pair_logistic import fit_pair_weights


class LsaBilinear:
    """Documents in few dimensions of TF-IDF, and a logistic regression on the products of two documents' vectors.

    Parameters
    ----------
    n_dimensions : int
        How many dimensions; fewer where there are fewer words or documents.
    full : bool
        Whether every dimension of one document meets every one of the other, or only itself.
    c : float
        How far weights may go: 1 / the ridge.
    negatives_per_link : int
        How many non-links are drawn for each link.
    random_state : int
        Draws non-links, and starts the decomposition.

    Examples
    --------
    >>> counts = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int))
    >>> links = np.kron([[0, 1], [1, 0]], np.ones((4, 4)))  # documents link to those of the other kind
    >>> machine = LsaBilinear(n_dimensions=2).fit(counts, links)
    >>> (machine.score_links([[1, 1, 1, 0, 0, 0]]) > 0.5).astype(int).tolist()
    [[0, 0, 0, 0, 1, 1, 1, 1]]
    """

    def __init__(
        self,
        n_dimensions: int = 50,
        *,
        full: bool = True,
        c: float = 2.0,
        negatives_per_link: int = 5,
        random_state: int = 0,
    ) -> None:
        self.n_dimensions = n_dimensions
        self.full = full
        self.c = c
        self.negatives_per_link = negatives_per_link
        self.random_state = random_state

    def fit(self, counts: Any, links: Any) -> LsaBilinear:
        """Learn dimensions from counts (documents × words), then weights from links (documents × documents)."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfTransformer

        words, network = read_linked(counts, links)
        self._tfidf = TfidfTransformer()
        weighed = self._tfidf.fit_transform(words)
        n_dimensions = min(check_whole("n_dimensions", self.n_dimensions, least=1), *weighed.shape)
        self._svd = TruncatedSVD(n_dimensions, random_state=self.random_state).fit(weighed)
        self._vectors = self._reduce(words)
        self.weights_, self.intercept_ = self._pair_weights = fit_pair_weights(
            self._vectors,
            network,
            full=self.full,
            c=self.c,
            negatives_per_link=self.negatives_per_link,
            seed=self.random_state,
        )
        return self

    def score_links(self, counts: Any) -> np.ndarray:
        """Return the probability of a link of each new document (row) with each document of training (column)."""
        words = read_new(counts, self._svd.components_.shape[1])
        return self._pair_weights.probabilities(self._reduce(words), self._vectors)

    def _reduce(self, words: Any) -> np.ndarray:
        from sklearn.preprocessing import normalize

        return normalize(self._svd.transform(self._tfidf.transform(words)))
