"""LDA first, then a logistic regression on products of topic proportions: topics that have not heard of links."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from plait.baselines.network import read_linked, read_new
from plait.baselines.pair_logistic import fit_pair_weights


class TopicTransformer(Protocol):
    """What learns topics: `plait.LDA` or any other transformer in scikit-learn's manner."""

    def fit(self, X: Any) -> Any:
        """Learn topics from counts."""

    def transform(self, X: Any) -> np.ndarray:
        """Return topic proportions (documents × topics)."""


class LdaLogistic:
    """Topics learnt from words alone, and a logistic regression on the products of two documents' proportions.

    Parameters
    ----------
    topics : estimator
        What learns topics, such as `plait.LDA(n_topics=30)`; a copy of it is trained, it is left as it is.
    full : bool
        Whether every topic of one document meets every one of the other, or only itself.
    c : float
        How far weights may go: 1 / the ridge.
    negatives_per_link : int
        How many non-links are drawn for each link.
    random_state : int
        Draws non-links.

    Examples
    --------
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> counts = np.kron(np.eye(2, dtype=int), np.ones((4, 3), dtype=int))
    >>> links = np.kron(np.eye(2), np.ones((4, 4)))
    >>> machine = LdaLogistic(LatentDirichletAllocation(2, random_state=0)).fit(counts, links)
    >>> (machine.score_links([[1, 1, 1, 0, 0, 0]]) > 0.5).astype(int).tolist()
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
        """Learn topics from counts (documents × words), then weights from links (documents × documents)."""
        from sklearn.base import clone

        words, network = read_linked(counts, links)
        self.n_words_ = words.shape[1]
        self.topics_ = clone(self.topics).fit(words)
        # Proportions of training documents are inferred like those of new ones, so that both are alike.
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
        """Return the probability of a link of each new document (row) with each document of training (column)."""
        words = read_new(counts, self.n_words_)
        return self._pair_weights.probabilities(np.asarray(self.topics_.transform(words)), self.doc_topic_)
