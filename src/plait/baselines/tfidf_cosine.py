"""Cosine of TF-IDF vectors: what any model of links must stand beside, plainly or over neighbours' words."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.baselines.network import read_network, read_new


class TfidfCosine:
    """A link is as likely as two documents' words are alike, words weighed by TF-IDF.

    With `hops`, a document of training is known by its neighbours' words too: its vector is averaged h times over its
    links, by S = D^(-1/2) (I + A) D^(-1/2), where A are the links and D holds the row sums of I + A. No parameter is
    learnt, and yet this is the strongest simple method on citation networks.

    Parameters
    ----------
    hops : int
        How many links away words still count; 0 leaves links aside.

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
        """Weigh words.

        Parameters
        ----------
        counts : array or sparse matrix of shape (documents, words)
            How often each word stands in each document.
        links : array or sparse matrix of shape (documents, documents)
            What is not zero is a link; directions do not matter.

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
        around = sparse.diags_array(scale) @ (network + sparse.eye_array(network.shape[0])) @ sparse.diags_array(scale)
        for _ in range(n_hops):
            vectors = sparse.csr_array(around @ vectors)
        self._vectors = sparse.csr_array(normalize(vectors))
        return self

    def score_links(self, counts: Any) -> np.ndarray:
        """Return the cosine of each new document (row) and document of training (column)."""
        words = read_new(counts, self._vectors.shape[1])
        return np.asarray((sparse.csr_array(self._tfidf.transform(words)) @ self._vectors.T).todense())
