"""Samples: states of a chain, as far as predictions need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse


@dataclass(frozen=True)
class Sample:
    """One state of a chain, as far as predictions need it."""

    word_topic: sparse.csr_array  # words × topics: topic–word counts
    alpha: np.ndarray
    beta: float | np.ndarray  # one number, or topics × words
    weights: Sequence[np.ndarray] = ()  # expected weights of each response
    doc_topic: sparse.csr_array | None = None  # documents × topics: counts, where predictions need them
    drawn_topics: sparse.csr_array | None = None  # the same of what is drawn from documents, with linked mixing

    def topic_word(self, words: np.ndarray | None = None) -> np.ndarray:
        """Return φ, topics × words, or some of its columns: eq. (2) of Bíró and Szabó (2009)."""
        if words is None:
            smoothed = self.word_topic.T.toarray().astype(np.float64)
            smoothed += self.beta
            smoothed /= smoothed.sum(axis=1, keepdims=True)
            return smoothed
        per_word = self.beta if isinstance(self.beta, float) else self.beta[:, words]
        mass = self.word_topic.shape[0] * self.beta if isinstance(self.beta, float) else self.beta.sum(axis=1)
        totals = np.asarray(self.word_topic.sum(axis=0), dtype=np.float64).ravel() + mass
        return (self.word_topic[words].T.toarray() + per_word) / totals[:, np.newaxis]


def mean_topic_word(samples: Sequence[Sample]) -> np.ndarray:
    """Return φ averaged over samples, topics × words, without holding all of them at once."""
    total = samples[0].topic_word()
    for sample in samples[1:]:
        total += sample.topic_word()
    total /= len(samples)
    return total
