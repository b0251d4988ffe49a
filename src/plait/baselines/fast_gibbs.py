"""Fast Gibbs sampling of LDA: Porteous, Newman, Ihler, Asuncion, Smyth and Welling (2008), the baseline of a sampler.

A token draws topic k with a weight w_k = a_k b_k c_k, a = n_dk + α, b = n_kw + β and c = 1 / (n_k + Σβ), its own topic
taken out. Topics are visited in the order of n_dk, largest first. After k topics, with their sum s_k, the normaliser is
at most

    Z_k = s_k + |a|₂ |b|₂ max c    over the topics that were not visited (Hölder's inequality)

and falls with k to the exact one. Of a uniform u, the part between s_{k−1} / Z_{k−1} and s_k / Z_k is decided after k
topics: above s_{k−1} / Z_k it is topic k, below one of the earlier topics in proportion to their weights, which makes
up for the mass that the looser bound kept back. So topics are drawn from the exact conditional, mostly without visiting
all of them. The norms of a and b are kept up to date; they need no pass over the topics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_positive, check_whole
from plait.errors import PlaitError


class FastGibbsLDA:
    """LDA by fast Gibbs sampling, an exact sampler whose time per token grows more slowly than the number of topics.

    A baseline: it measures the time of a sweep. It has one thread and no predictions; `plait.LDA` draws from the same
    posterior.

    Parameters
    ----------
    n_topics : int, default 20
        Number of topics.
    alpha : float, default 0.1
        Symmetric Dirichlet prior on document–topic distributions.
    beta : float, default 0.01
        Symmetric Dirichlet prior on topic–word distributions.
    random_state : int, default 0
        Seed.

    Attributes
    ----------
    topics_ : ndarray of int32, shape (tokens,)
        Topic of every token; the tokens of a document follow each other, sorted by word.
    doc_topic_counts_ : ndarray of shape (n_documents, n_topics)
        Tokens of each document and topic.
    word_topic_counts_ : ndarray of shape (n_words, n_topics)
        Tokens of each word and topic.
    visited_ : float
        Mean number of topics visited per token in the last sweep.

    Examples
    --------
    >>> model = FastGibbsLDA(n_topics=3).start(np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int)))
    >>> int(model.sweep(10).doc_topic_counts_.sum())
    24
    >>> bool(1 <= model.visited_ <= 3)
    True
    """

    def __init__(self, n_topics: int = 20, *, alpha: float = 0.1, beta: float = 0.01, random_state: int = 0) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.beta = beta
        self.random_state = random_state

    def start(self, counts: Any) -> FastGibbsLDA:
        """Assign a random topic to every token.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts, whole numbers.

        Returns
        -------
        FastGibbsLDA
            This object.
        """
        check_whole("n_topics", self.n_topics, least=1)
        check_positive("alpha", self.alpha)
        check_positive("beta", self.beta)
        matrix = sparse.csr_array(counts)
        matrix.sort_indices()
        whole = matrix.data.astype(np.int64)
        if (whole != matrix.data).any() or (whole < 0).any():
            raise PlaitError("counts must be whole numbers of at least 0; use LDA(sampler='limit') for other counts")
        self._words = np.repeat(matrix.indices, whole).astype(np.int64)
        lengths = np.add.reduceat(np.append(whole, 0), matrix.indptr[:-1]) if matrix.nnz else np.zeros(matrix.shape[0])
        lengths = np.where(np.diff(matrix.indptr) > 0, lengths, 0).astype(np.int64)
        self._starts = np.concatenate([[0], np.cumsum(lengths)])
        random = np.random.default_rng(self.random_state)
        self.topics_ = random.integers(self.n_topics, size=self._words.size).astype(np.int32)
        self.doc_topic_counts_ = np.zeros((matrix.shape[0], self.n_topics))
        self.word_topic_counts_ = np.zeros((matrix.shape[1], self.n_topics))
        documents = np.repeat(np.arange(matrix.shape[0]), lengths)
        np.add.at(self.doc_topic_counts_, (documents, self.topics_), 1)
        np.add.at(self.word_topic_counts_, (self._words, self.topics_), 1)
        self._totals = self.word_topic_counts_.sum(axis=0)
        self._n_sweeps, self.visited_ = 0, float(self.n_topics)
        return self

    def sweep(self, n_sweeps: int = 1) -> FastGibbsLDA:
        """Resample the topics of all tokens.

        Parameters
        ----------
        n_sweeps : int, default 1
            Number of sweeps.

        Returns
        -------
        FastGibbsLDA
            This object.
        """
        from plait.baselines.fast_gibbs_sweep import sweep
        from plait.samplers.random import stream_key

        for _ in range(n_sweeps):
            self._n_sweeps += 1
            visited = sweep(
                self._starts,
                self._words,
                self.topics_,
                self.doc_topic_counts_,
                self.word_topic_counts_,
                self._totals,
                np.square(self.word_topic_counts_ + self.beta).sum(axis=1),
                float(self.alpha),
                float(self.beta),
                stream_key(self.random_state, "fast Gibbs", self._n_sweeps),
                np.zeros(self.n_topics, np.int64),
                np.zeros(self.n_topics, np.int64),
                np.zeros(self.n_topics),
            )
            self.visited_ = visited / max(1, self._words.size)
        return self
