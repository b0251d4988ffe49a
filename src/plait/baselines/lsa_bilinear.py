"""Latent semantic analysis (LSA) followed by a bilinear logistic regression of links."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait._utils.validation import check_whole
from plait.baselines.network import read_linked, read_new
from plait.baselines.pair_logistic import fit_pair_weights


class LsaBilinear:
    """Link prediction from LSA vectors.

    TF-IDF vectors are reduced by a truncated SVD. A logistic regression predicts links from the products of the vectors
    of two documents.

    Parameters
    ----------
    n_dimensions : int, default 50
        Number of dimensions, at most the number of words and of documents.
    full : bool, default True
        Whether the weights are a full matrix, or a diagonal one.
    c : float, default 2.0
        Inverse strength of the ridge penalty on the weights.
    negatives_per_link : int, default 5
        Number of pairs without a link drawn per link.
    random_state : int, default 0
        Seed of these draws and of the SVD.

    Examples
    --------
    >>> counts = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int))
    >>> links = np.kron([[0, 1], [1, 0]], np.ones((4, 4)))  # documents link to the other group
    >>> model = LsaBilinear(n_dimensions=2).fit(counts, links)
    >>> (model.score_links([[1, 1, 1, 0, 0, 0]]) > 0.5).astype(int).tolist()
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
        """Fit the SVD to counts, then the weights to links.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts.
        links : array-like or sparse matrix of shape (n_documents, n_documents)
            Nonzero entries are links; directions are ignored.

        Returns
        -------
        LsaBilinear
            This object.
        """
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfTransformer

        words, network = read_linked(counts, links)
        self._tfidf = TfidfTransformer()
        weighted = self._tfidf.fit_transform(words)
        n_dimensions = min(check_whole("n_dimensions", self.n_dimensions, least=1), *weighted.shape)
        self._svd = TruncatedSVD(n_dimensions, random_state=self.random_state).fit(weighted)
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
        """Return the predicted probability of links.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_new, n_words)
            Word counts of new documents.

        Returns
        -------
        ndarray of shape (n_new, n_documents)
            Probability of a link between each new document and each training document.
        """
        words = read_new(counts, self._svd.components_.shape[1])
        return self._pair_weights.probabilities(self._reduce(words), self._vectors)

    def _reduce(self, words: Any) -> np.ndarray:
        """Return the normalised LSA vectors of documents."""
        from sklearn.preprocessing import normalize

        return normalize(self._svd.transform(self._tfidf.transform(words)))
