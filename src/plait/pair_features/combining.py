"""Weights of topics and pair features, learned from documents whose links were hidden.

The value of a pair is v = a · t + b · s + Σ_f (c_f · x_f / μ_f + d_f · log(1 + 10 x_f / μ_f)), where t and s are value
and score of the topics, x_f is a feature, and μ_f the mean of its values above 0. A feature of 0 adds 0. The weights
maximise Σ log(exp v_ij / Σ_j' exp v_ij') over the hidden links of each document i: links are ranked against the other
documents of the same source, which is what suggestions do. A logistic regression then turns values into probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

_STEEPNESS = 10.0  # of the logarithm
_RIDGE = 1.0  # penalty of the squared weights of standardised columns


class TopicScores(NamedTuple):
    """What topics say of pairs: arrays of one shape."""

    values: np.ndarray  # mean of z̄ᵀ U z̄ over samples
    scores: np.ndarray  # mean of the score of the loss over samples


class PairExamples(NamedTuple):
    """Pairs of hidden documents with known documents, sorted by source."""

    starts: np.ndarray  # source number s has pairs starts[s] up to starts[s + 1]
    linked: np.ndarray  # bool
    costs: np.ndarray  # number of pairs that each pair stands for; 1 unless unlinked pairs were sampled
    topics: TopicScores
    features: np.ndarray  # pairs × features


@dataclass(frozen=True)
class PairWeights:
    """Learned weights of topics and pair features.

    Parameters
    ----------
    labels : list of str
        Labels of the features.
    scales : ndarray of shape (features,)
        μ, the mean of the values above 0 of each feature.
    weights : ndarray of shape (2, features)
        Weights of each feature and of its logarithm.
    topic_weights : ndarray of shape (2,)
        Weights of value and score of the topics.
    topic_means : ndarray of shape (2,)
        Their means over all pairs, which are subtracted.
    intercept : float
        Log-odds of a link between documents of mean topics and without any feature.
    n_documents : int
        Documents whose links were hidden to learn the weights.
    n_links : int
        Their hidden links.
    """

    labels: list[str]
    scales: np.ndarray
    weights: np.ndarray
    topic_weights: np.ndarray
    topic_means: np.ndarray
    intercept: float
    n_documents: int
    n_links: int

    def topic_part(self, topics: TopicScores) -> np.ndarray:
        """Return the contribution of the topics to the log-odds of links."""
        values, scores = (given - mean for given, mean in zip(topics, self.topic_means, strict=True))
        return self.topic_weights[0] * values + self.topic_weights[1] * scores

    def feature_part(self, number: int, values: np.ndarray) -> np.ndarray:
        """Return the contribution of a feature to the log-odds of links; 0 where the feature is 0.

        Parameters
        ----------
        number : int
            Number of the feature.
        values : ndarray
            Its values, of any shape.
        """
        scaled = values / self.scales[number]
        return self.weights[0, number] * scaled + self.weights[1, number] * np.log1p(_STEEPNESS * scaled)


def join_examples(parts: Sequence[PairExamples]) -> PairExamples:
    """Return the pairs of several sets of hidden documents as one set."""
    offsets = np.cumsum([0, *(part.linked.size for part in parts)])
    starts = [part.starts[1:] + offset for part, offset in zip(parts, offsets[:-1], strict=True)]
    return PairExamples(
        np.concatenate([[0], *starts]).astype(np.int64),
        np.concatenate([part.linked for part in parts]),
        np.concatenate([part.costs for part in parts]),
        TopicScores(*(np.concatenate([part.topics[number] for part in parts]) for number in range(2))),
        np.concatenate([part.features for part in parts]),
    )


def learn_pair_weights(examples: PairExamples, labels: list[str]) -> PairWeights:
    """Return the weights that rank hidden links highest.

    Parameters
    ----------
    examples : PairExamples
        Pairs of documents whose links were hidden; at least one is linked.
    labels : list of str
        Labels of the features.

    Returns
    -------
    PairWeights
        The weights.
    """
    n_features = len(labels)
    positive = examples.features > 0
    sums = np.where(positive, examples.features, 0).sum(axis=0)
    scales = np.where(sums > 0, sums / np.maximum(positive.sum(axis=0), 1), 1.0)
    scaled = examples.features / scales
    topic_means = np.array([np.average(column, weights=examples.costs) for column in examples.topics])
    columns = np.concatenate(
        [np.column_stack(examples.topics) - topic_means, scaled, np.log1p(_STEEPNESS * scaled)], axis=1
    )
    centres = np.average(columns, axis=0, weights=examples.costs)
    spreads = np.sqrt(np.average((columns - centres) ** 2, axis=0, weights=examples.costs))
    spreads = np.where(spreads > 1e-12, spreads, 1.0)
    standardised = (columns - centres) / spreads
    found = _fit_ranking(standardised, examples) / spreads
    slope, intercept = _fit_sigmoid(columns @ found, examples)
    found = found * slope
    return PairWeights(
        labels,
        scales,
        found[2:].reshape(2, n_features),
        found[:2],
        topic_means,
        intercept,
        int(np.count_nonzero(np.add.reduceat(examples.linked, examples.starts[:-1]))),
        int(examples.linked.sum()),
    )


def _fit_ranking(columns: np.ndarray, examples: PairExamples) -> np.ndarray:
    """Return the weights that maximise the share of the links in the sums of exp v of their sources."""
    from scipy.optimize import minimize

    linked, starts = examples.linked, examples.starts[:-1]
    sizes = np.diff(examples.starts)
    n_links = np.add.reduceat(linked.astype(np.float64), starts)
    log_costs = np.log(examples.costs)
    links_total = columns[linked].sum(axis=0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        values = columns @ weights + log_costs
        highest = np.maximum.reduceat(values, starts)
        shares = np.exp(values - np.repeat(highest, sizes))
        sums = np.add.reduceat(shares, starts)
        shares *= np.repeat(n_links / sums, sizes)
        total = n_links @ (highest + np.log(sums)) - links_total @ weights
        slope = columns.T @ shares - links_total
        return float(total + 0.5 * _RIDGE * weights @ weights), slope + _RIDGE * weights

    return minimize(loss, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B").x


def _fit_sigmoid(values: np.ndarray, examples: PairExamples) -> tuple[float, float]:
    """Return slope and intercept of the log-odds of a link as a function of the value; the slope is above 0."""
    from scipy.optimize import minimize
    from scipy.special import expit

    linked, costs = examples.linked.astype(np.float64), examples.costs
    centre, spread = float(np.average(values, weights=costs)), float(values.std()) or 1.0
    standardised = (values - centre) / spread
    share = float(linked.sum() / costs.sum())

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        odds = parameters[0] * standardised + parameters[1]
        total = costs @ np.logaddexp(0, odds) - linked @ odds
        residual = costs * expit(odds) - linked
        return float(total), np.array([residual @ standardised, residual.sum()])

    start = np.array([1.0, np.log(share / (1 - share)) if share < 1 else 0.0])
    slope, level = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(1e-6, None), (None, None)]).x
    return float(slope / spread), float(level - slope * centre / spread)
