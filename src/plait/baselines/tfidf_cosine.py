"""Link prediction by the cosine similarity of TF-IDF vectors, optionally averaged over neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.baselines.network import read_network, read_new


class TfidfCosine:
    """Cosine similarity of TF-IDF vectors as the score of a link.

    With `hops`, the vectors of training documents are averaged h times over their neighbours by
    S = D^(-1/2) (I + A) D^(-1/2), where A are the links and D the row sums of I + A. It has no fitted weights, and is
    the strongest of the simple baselines on citation networks.

    Parameters
    ----------
    hops : int, default 0
        Number of averaging steps; 0 ignores the links.

    Examples
    --------
    >>> counts, links = [[2, 0, 0], [0, 1, 1], [0, 0, 3]], [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    >>> TfidfCosine().fit(counts, links).score_links([[1, 0, 0]]).round(2).tolist()
    [[1.0, 0.0, 0.0]]
    >>> TfidfCosine(hops=1).fit(counts, links).score_links([[1, 0, 0]]).round(2).tolist()
    [[0.71, 0.71, 0.0]]
    """

    def __init__(self, *, hops: int = 0) -> None:
        self.hops = hops

    def fit(self, counts: Any, links: Any) -> TfidfCosine:
        """Compute the vectors of the training documents.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts.
        links : array-like or sparse matrix of shape (n_documents, n_documents)
            Nonzero entries are links; directions are ignored.

        Returns
        -------
        TfidfCosine
            This object.
        """
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.preprocessing import normalize

        n_hops = check_whole("hops", self.hops, least=0)
        words, network = read_network(counts, links)
        self._tfidf = TfidfTransformer()
        vectors = sparse.csr_array(self._tfidf.fit_transform(words))
        scale = 1 / np.sqrt(1 + network.sum(axis=1))
        average = sparse.diags_array(scale) @ (network + sparse.eye_array(network.shape[0])) @ sparse.diags_array(scale)
        for _ in range(n_hops):
            vectors = sparse.csr_array(average @ vectors)
        self._vectors = sparse.csr_array(normalize(vectors))
        return self

    def score_links(self, counts: Any) -> np.ndarray:
        """Return the cosine similarities of new and training documents.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_new, n_words)
            Word counts of new documents.

        Returns
        -------
        ndarray of shape (n_new, n_documents)
            Cosine similarities.
        """
        words = read_new(counts, self._vectors.shape[1])
        return np.asarray((sparse.csr_array(self._tfidf.transform(words)) @ self._vectors.T).todense())
