"""LDA followed by a logistic regression of links on products of topic proportions."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from plait.baselines.network import read_linked, read_new
from plait.baselines.pair_logistic import fit_pair_weights


class TopicTransformer(Protocol):
    """A scikit-learn transformer that returns topic proportions, such as `plait.LDA`."""

    def fit(self, X: Any) -> Any:
        """Fit topics to counts.

        Parameters
        ----------
        X : sparse array of shape (n_documents, n_words)
            Word counts.

        Returns
        -------
        TopicTransformer
            This object.
        """

    def transform(self, X: Any) -> np.ndarray:
        """Return topic proportions.

        Parameters
        ----------
        X : sparse array of shape (n_documents, n_words)
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents, n_topics)
            Topic proportions.
        """


class LdaLogistic:
    """Link prediction from topics that are fitted to words only.

    A logistic regression predicts links from the products of the topic proportions of two documents.

    Parameters
    ----------
    topics : estimator
        Topic model, such as `plait.LDA(n_topics=30)`; it is cloned.
    full : bool, default True
        Whether the weights are a full topics × topics matrix, or a diagonal one.
    c : float, default 20.0
        Inverse strength of the ridge penalty on the weights.
    negatives_per_link : int, default 5
        Number of pairs without a link drawn per link.
    random_state : int, default 0
        Seed of these draws.

    Examples
    --------
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> counts = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int))
    >>> links = np.kron(np.eye(2), np.ones((4, 4)))
    >>> model = LdaLogistic(LatentDirichletAllocation(2, random_state=0)).fit(counts, links)
    >>> (model.score_links([[1, 1, 1, 0, 0, 0]]) > 0.5).astype(int).tolist()
    [[1, 1, 1, 1, 0, 0, 0, 0]]
    """

    def __init__(
        self,
        topics: TopicTransformer,
        *,
        full: bool = True,
        c: float = 20.0,
        negatives_per_link: int = 5,
        random_state: int = 0,
    ) -> None:
        self.topics = topics
        self.full = full
        self.c = c
        self.negatives_per_link = negatives_per_link
        self.random_state = random_state

    def fit(self, counts: Any, links: Any) -> LdaLogistic:
        """Fit topics to counts, then weights to links.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts.
        links : array-like or sparse matrix of shape (n_documents, n_documents)
            Nonzero entries are links; directions are ignored.

        Returns
        -------
        LdaLogistic
            This object.
        """
        from sklearn.base import clone

        words, network = read_linked(counts, links)
        self.n_words_ = words.shape[1]
        self.topics_ = clone(self.topics).fit(words)
        # Infer the proportions of training documents like those of new documents, so that they are comparable.
        self.doc_topic_ = np.asarray(self.topics_.transform(words))
        self.weights_, self.intercept_ = self._pair_weights = fit_pair_weights(
            self.doc_topic_,
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
        words = read_new(counts, self.n_words_)
        return self._pair_weights.probabilities(np.asarray(self.topics_.transform(words)), self.doc_topic_)
