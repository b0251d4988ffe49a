"""Samples: states of a chain, as far as predictions need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.arrays import check_array, check_counts
from plait.errors import PlaitError

_LEAST, _MOST = 1e-30, 1e30  # of α and β, which are added to counts in float32
_MOST_WEIGHT = 1e100  # of a response: squares of larger weights overflow


@dataclass(frozen=True)
class Sample:
    """One state of a chain, as far as predictions need it."""

    word_topic: sparse.csr_array  # words × topics: topic–word counts
    alpha: np.ndarray
    beta: float | np.ndarray  # one number, or topics × words
    weights: Sequence[np.ndarray] = ()  # expected weights of each response; features come after topics
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
        totals = self._n_tokens + mass
        return (self._counts_of(words) + per_word) / totals[:, np.newaxis]

    def _counts_of(self, words: np.ndarray) -> np.ndarray:
        """Return the topic–word counts of some words as a dense array, topics × words."""
        return self.word_topic[words].toarray().T

    @cached_property
    def _n_tokens(self) -> np.ndarray:
        """Number of tokens of each topic: predictions of single documents ask for it again and again."""
        return np.asarray(self.word_topic.sum(axis=0), dtype=np.float64).ravel()

    def check_sizes(self, n_words: int, n_topics: int, n_documents: int | None = None) -> None:
        """Raise an error unless the arrays have these sizes and finite numbers: the sample may come from a file.

        Parameters
        ----------
        n_words, n_topics : int
            Sizes of the model.
        n_documents : int or None, default None
            Number of training documents; None for any.
        """
        check_counts("word_topic of a sample", self.word_topic, (n_words, n_topics))
        check_priors(self.alpha, self.beta, n_words, n_topics)
        for number, weights in enumerate(self.weights):
            check_weights(f"weights[{number}] of a sample", weights, n_topics)
        for name in ("doc_topic", "drawn_topics"):
            if getattr(self, name) is not None:
                check_counts(f"{name} of a sample", getattr(self, name), (n_documents, n_topics))


def check_weights(what: str, weights: Any, n_topics: int) -> None:
    """Raise an error unless an array has finite weights of a response: topics, and features, on its last axis.

    Parameters
    ----------
    what : str
        Name of the array, for error messages.
    weights : object
        Weights from a file.
    n_topics : int
        Number of topics.
    """
    n_columns = max(n_topics, *np.shape(weights)[-1:])
    check_array(what, weights, (*np.shape(weights)[:-1], n_columns), least=-_MOST_WEIGHT, most=_MOST_WEIGHT)


def check_priors(alpha: Any, beta: Any, n_words: int, n_topics: int) -> None:
    """Raise an error unless α has one positive number per topic, and β is one number or one per topic and word.

    Parameters
    ----------
    alpha, beta : object
        α and β from a file.
    n_words, n_topics : int
        Sizes of the model.
    """
    check_array("alpha", alpha, (n_topics,), least=_LEAST, most=_MOST)
    if not isinstance(beta, float) and not (isinstance(beta, np.ndarray) and beta.ndim == 0):
        check_array("beta", beta, (n_topics, n_words), least=_LEAST, most=_MOST)
    elif not _LEAST <= float(beta) <= _MOST:
        raise PlaitError(f"beta is {beta}, and must be above 0")


def mean_alpha(samples: Sequence[Sample]) -> np.ndarray:
    """Return α averaged over samples; where all have the same α, its very bits."""
    alphas = np.array([sample.alpha for sample in samples])
    return alphas[-1] if (alphas == alphas[-1]).all() else alphas.mean(axis=0)


def mean_topic_word(samples: Sequence[Sample]) -> np.ndarray:
    """Return φ averaged over samples, topics × words, without holding all of them at once."""
    total = samples[0].topic_word()
    for sample in samples[1:]:
        total += sample.topic_word()
    total /= len(samples)
    return total
