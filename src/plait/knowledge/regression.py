"""Regression of topics on features of words: a log-linear Dirichlet prior on the words of each topic.

    φ_k ~ Dirichlet(β_k),   log β_kw = g · s_w + l_k · v_w,   g, l_k ~ Gaussian

s_w are shared features and v_w the vector of word w. With φ_k integrated out, the counts n_k of a topic have a
Dirichlet-multinomial likelihood, which is maximised over g and l_k. If all weights but the constant are 0, β is the
learned symmetric prior. After Mimno and McCallum (2008), *Topic models conditioned on arbitrary features with
Dirichlet-multinomial regression*, and Petterson, Smola, Caetano, Buntine and Narayanamurthy (2010), *Word features for
latent Dirichlet allocation*.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, gammaln

from plait.knowledge.vectors import WordFeatures

_SHARED_PRECISION, _VECTOR_PRECISION = 1.0, 15.0  # of the Gaussian priors of the weights
_MIN_LOG, _MAX_LOG = -12.0, 5.0  # of β
_MOST_STEPS = 60  # topics change before more would matter


def fit_word_regression(counts: np.ndarray, features: WordFeatures, beta: float) -> np.ndarray:
    """Return the pseudo-counts β of each topic and word that explain topic–word counts best.

    Parameters
    ----------
    counts : ndarray of shape (n_topics, n_words)
        Topic–word counts.
    features : WordFeatures
        Features of the words.
    beta : float
        Symmetric pseudo-count to begin with.

    Returns
    -------
    ndarray of shape (n_topics, n_words)
        β.

    Examples
    --------
    >>> vectors = np.array([[1.0], [1.0], [1.0], [-1.0], [-1.0], [-1.0]])
    >>> features = WordFeatures(np.ones((6, 1)), vectors)
    >>> beta = fit_word_regression(np.array([[9, 4, 0, 0, 0, 0], [0, 0, 0, 7, 7, 0]]), features, 0.1)
    >>> bool(beta[0, 2] > beta[0, 5]), bool(beta[1, 5] > beta[1, 2])  # words that the topics have not seen
    (True, True)
    """
    n_shared = features.shared.shape[1]
    start = np.zeros(n_shared + counts.shape[0] * features.vectors.shape[1])
    start[0] = np.log(beta)
    objective = _Objective(counts, features)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": _MOST_STEPS})
    return np.exp(objective.log_beta(found.x))


class _Objective:
    """The negative log-posterior of the weights, and its gradient."""

    def __init__(self, counts: np.ndarray, features: WordFeatures) -> None:
        self._shared, self._vectors = features
        self._topics, self._words = np.nonzero(counts)
        self._counts = counts[self._topics, self._words].astype(np.float64)
        self._totals = counts.sum(axis=1, dtype=np.float64)
        self._precision = np.full(self._shared.shape[1], _SHARED_PRECISION)
        self._precision[0] = 0.0  # the constant is free

    def _split(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the shared weights and those of topics × dimensions."""
        n_shared = self._shared.shape[1]
        return weights[:n_shared], weights[n_shared:].reshape(self._totals.size, -1)

    def log_beta(self, weights: np.ndarray) -> np.ndarray:
        """Return log β, topics × words."""
        shared, own = self._split(weights)
        return np.clip(self._shared @ shared + own @ self._vectors.T, _MIN_LOG, _MAX_LOG)

    def __call__(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        shared, own = self._split(weights)
        beta = np.exp(self.log_beta(weights))
        sums, seen = beta.sum(axis=1), beta[self._topics, self._words]
        likelihood = np.sum(gammaln(sums) - gammaln(self._totals + sums))
        likelihood += np.sum(gammaln(self._counts + seen) - gammaln(seen))
        slope = beta * (digamma(sums) - digamma(self._totals + sums))[:, None]  # by log β
        slope[self._topics, self._words] += seen * (digamma(self._counts + seen) - digamma(seen))
        penalty = self._precision @ shared**2 + _VECTOR_PRECISION * np.sum(own**2)
        by_shared = self._shared.T @ slope.sum(axis=0) - self._precision * shared
        by_own = slope @ self._vectors - _VECTOR_PRECISION * own
        return -(likelihood - penalty / 2), -np.concatenate([by_shared, by_own.ravel()])
