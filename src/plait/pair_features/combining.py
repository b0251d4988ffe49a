"""Weights of topics and pair features, learned from documents whose links were hidden.

The value of a pair is v = a · t − b · min(t, 0)² + Σ_f (c_f · x_f / μ_f + d_f · log(1 + 10 x_f / μ_f)), where t is the
value of the topics, x_f is a feature, and μ_f the mean of its values above 0. A feature of 0 adds 0. The square is
there because documents of foreign topics are linked even less often than the log-odds of the topics say. The weights
maximise Σ log(exp v_ij / Σ_j' exp v_ij') over the hidden links of each document i: links are ranked against the other
documents of the same source, which is what suggestions do. A logistic regression on v and on the level of the source
(the log of the mean of exp v over all documents) turns values into probabilities without changing that order.

What separates a link from all documents is not what separates it from the best ones. So second weights are learned in
the same way from the 30 documents with the highest v of each source, and order these 30 among themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

_STEEPNESS = 10.0  # of the logarithm
N_FIRST = 30  # documents of each source that are ordered by the second weights
_RIDGE = 1.0  # penalty of the squared weights of standardised columns
_MOST_STEPS = 50  # of Newton's method; it takes about ten


class PairExamples(NamedTuple):
    """Pairs of hidden documents with known documents, sorted by source."""

    starts: np.ndarray  # source number s has pairs starts[s] up to starts[s + 1]
    linked: np.ndarray  # bool
    costs: np.ndarray  # number of pairs that each pair stands for; 1 unless unlinked pairs were sampled
    topics: np.ndarray  # value of the topics: mean of z̄ᵀ U z̄ over samples
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
    weights : ndarray of shape (2, 2, features)
        Weights of each feature and of its logarithm: those for all documents, and those for the first ones.
    topic_weights : ndarray of shape (2, 2)
        Weights of the value of the topics and of −min(value, 0)², likewise.
    topic_means : ndarray of shape (2,)
        Means of both over all pairs, which are subtracted.
    slope, level, intercept : float
        Of the log-odds of a link: slope × v + level × log(mean of exp v over the documents) + intercept.
    n_documents : int
        Documents whose links were hidden to learn the weights.
    n_links : int
        Their hidden links.

    Examples
    --------
    >>> from plait import RelationalTopicModel
    >>> counts = np.tile(np.repeat(np.eye(4, dtype=int), 2, axis=1) * 3, (15, 1))
    >>> links = np.equal.outer(np.arange(60) % 4, np.arange(60) % 4) & (np.arange(60) % 3 == 0)
    >>> model = RelationalTopicModel(4, pair_features=["text"], n_sweeps=5, n_chains=1, random_state=0, verbose=False)
    >>> model.fit(counts, links=links).pair_weights_.labels
    ['text']
    """

    labels: list[str]
    scales: np.ndarray
    weights: np.ndarray
    topic_weights: np.ndarray
    topic_means: np.ndarray
    slope: float
    level: float
    intercept: float
    n_documents: int
    n_links: int

    def log_odds(self, values: np.ndarray) -> np.ndarray:
        """Return the log-odds of links from values v of sources with all documents.

        Parameters
        ----------
        values : ndarray of shape (sources, documents)
            Sums of the parts.
        """
        n_sources, n_documents = values.shape
        if not values.size:
            return values
        starts = np.arange(n_sources + 1) * n_documents
        levels = source_levels(values.ravel(), starts, np.ones(values.size))
        return self.slope * values + (self.level * levels + self.intercept)[:, np.newaxis]

    def topic_part(self, topics: np.ndarray, *, first: bool = False) -> np.ndarray:
        """Return the contribution of the topics to v; 0 on average.

        Parameters
        ----------
        topics : ndarray
            Values of the topics, of any shape.
        first : bool, default False
            Whether to use the weights that order the first documents.
        """
        weights = self.topic_weights[int(first)]
        return weights[0] * topics - weights[1] * np.minimum(topics, 0) ** 2 - float(weights @ self.topic_means)

    def feature_part(self, number: int, values: np.ndarray, *, first: bool = False) -> np.ndarray:
        """Return the contribution of a feature to v; 0 where the feature is 0.

        Parameters
        ----------
        number : int
            Number of the feature.
        values : ndarray
            Its values, of any shape.
        first : bool, default False
            Whether to use the weights that order the first documents.
        """
        scaled, (linear, logarithmic) = values / self.scales[number], self.weights[int(first), :, number]
        return linear * scaled + logarithmic * np.log1p(_STEEPNESS * scaled)


def order_first(values: np.ndarray, columns: np.ndarray, order: np.ndarray) -> None:
    """Order some documents of each source in another way: they exchange their values.

    Parameters
    ----------
    values : ndarray of shape (sources, documents)
        Values, which are changed.
    columns : ndarray of shape (sources, number)
        The documents of each source.
    order : ndarray of shape (sources, number)
        Numbers that they are ordered by.

    Examples
    --------
    >>> values = np.array([[5.0, 1.0, 4.0]])
    >>> order_first(values, np.array([[0, 2]]), np.array([[1.0, 2.0]]))
    >>> values.tolist()
    [[4.0, 1.0, 5.0]]
    """
    kept = -np.sort(-np.take_along_axis(values, columns, axis=1), axis=1)
    ordered = np.take_along_axis(columns, np.argsort(-order, axis=1, kind="stable"), axis=1)
    np.put_along_axis(values, ordered, kept, axis=1)


def join_examples(parts: Sequence[PairExamples]) -> PairExamples:
    """Return the pairs of several sets of hidden documents as one set."""
    offsets = np.cumsum([0, *(part.linked.size for part in parts)])
    starts = [part.starts[1:] + offset for part, offset in zip(parts, offsets[:-1], strict=True)]
    return PairExamples(
        np.concatenate([[0], *starts]).astype(np.int64),
        np.concatenate([part.linked for part in parts]),
        np.concatenate([part.costs for part in parts]),
        np.concatenate([part.topics for part in parts]),
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
    topics = np.column_stack([examples.topics, -(np.minimum(examples.topics, 0) ** 2)])
    topic_means = np.average(topics, axis=0, weights=examples.costs)
    columns = np.concatenate([topics - topic_means, scaled, np.log1p(_STEEPNESS * scaled)], axis=1)
    centres = np.average(columns, axis=0, weights=examples.costs)
    spreads = np.sqrt(np.average((columns - centres) ** 2, axis=0, weights=examples.costs))
    spreads = np.where(spreads > 1e-12, spreads, 1.0)
    standardised = (columns - centres) / spreads
    found = _fit_ranking(standardised, examples) / spreads
    slope, level, intercept = _fit_sigmoid(columns @ found, examples)
    chosen = _first_examples(columns @ found, examples)
    first = found
    if chosen.any():
        first = _fit_ranking(standardised[chosen], _select(examples, chosen)) / spreads
    return PairWeights(
        labels,
        scales,
        np.array([found[2:], first[2:]]).reshape(2, 2, n_features),
        np.array([found[:2], first[:2]]),
        topic_means,
        slope,
        level,
        intercept,
        int(np.count_nonzero(np.add.reduceat(examples.linked, examples.starts[:-1]))),
        int(examples.linked.sum()),
    )


def _fit_ranking(columns: np.ndarray, examples: PairExamples) -> np.ndarray:
    """Return the weights that maximise the share of the links in the sums of exp v of their sources (Newton)."""
    linked, starts, sizes = examples.linked, examples.starts[:-1], np.diff(examples.starts)
    n_links = np.add.reduceat(linked.astype(np.float64), starts)
    log_costs = np.log(examples.costs)
    links_total = columns[linked].sum(axis=0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        values = columns @ weights + log_costs
        highest = np.maximum.reduceat(values, starts)
        shares = np.exp(values - np.repeat(highest, sizes))
        sums = np.add.reduceat(shares, starts)
        total = n_links @ (highest + np.log(sums)) - links_total @ weights
        return float(total + 0.5 * _RIDGE * weights @ weights), shares / np.repeat(sums, sizes)

    weights = np.zeros(columns.shape[1])
    total, shares = loss(weights)
    for _ in range(_MOST_STEPS):
        weighted = columns * shares[:, np.newaxis]
        means = np.add.reduceat(weighted, starts, axis=0)
        slope = n_links @ means - links_total + _RIDGE * weights
        curvature = weighted.T @ (columns * np.repeat(n_links, sizes)[:, np.newaxis])
        curvature += _RIDGE * np.eye(weights.size) - (means * n_links[:, np.newaxis]).T @ means
        step = np.linalg.solve(curvature, slope)
        size = 1.0
        while (after := loss(weights - size * step))[0] > total and size > 1e-6:
            size /= 2
        if after[0] >= total - 1e-8 * abs(total):
            break
        weights, (total, shares) = weights - size * step, after
    return weights


def _first_examples(values: np.ndarray, examples: PairExamples) -> np.ndarray:
    """Return which pairs are among the N_FIRST of their source, for sources with a link among them."""
    sizes = np.diff(examples.starts)
    source_of = np.repeat(np.arange(sizes.size), sizes)
    order = np.lexsort((-values, source_of))
    places = np.empty(values.size)
    through = np.cumsum(examples.costs[order])
    before = np.concatenate([[0.0], through])[examples.starts[:-1]]
    places[order] = through - np.repeat(before, sizes)
    first = places <= N_FIRST
    found = np.bincount(source_of[first & examples.linked], minlength=sizes.size) > 0
    return first & found[source_of]


def _select(examples: PairExamples, chosen: np.ndarray) -> PairExamples:
    """Return some pairs; sources without any are left out."""
    sizes = np.add.reduceat(chosen.astype(np.int64), examples.starts[:-1])
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    return PairExamples(starts, *(array[chosen] for array in examples[1:]))


def _fit_sigmoid(values: np.ndarray, examples: PairExamples) -> tuple[float, float, float]:
    """Return slope, weight of the source's level, and intercept of the log-odds of a link; the slope is above 0.

    The level of a source is the log of its mean exp v. It does not change the order of the documents of a source.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    linked, costs = examples.linked.astype(np.float64), examples.costs
    sizes = np.diff(examples.starts)
    levels = np.repeat(source_levels(values, examples.starts, costs), sizes)
    columns = np.column_stack([values, levels])
    centres = np.average(columns, axis=0, weights=costs)
    spreads = np.maximum(np.sqrt(np.average((columns - centres) ** 2, axis=0, weights=costs)), 1e-9)
    standardised = np.column_stack([(columns - centres) / spreads, np.ones(values.size)])
    share = float(linked.sum() / costs.sum())

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        odds = standardised @ parameters
        total = costs @ np.logaddexp(0, odds) - linked @ odds + 0.5 * _RIDGE * parameters[1] ** 2
        slope = standardised.T @ (costs * expit(odds) - linked)
        slope[1] += _RIDGE * parameters[1]
        return float(total), slope

    start = np.array([1.0, 0.0, np.log(share / (1 - share)) if share < 1 else 0.0])
    bounds = [(1e-6, None), (None, None), (None, None)]
    slope, level, constant = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    slope, level = slope / spreads[0], level / spreads[1]
    return float(slope), float(level), float(constant - slope * centres[0] - level * centres[1])


def source_levels(values: np.ndarray, starts: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Return the log of the mean of exp v over the pairs of each source.

    Parameters
    ----------
    values : ndarray of shape (pairs,)
        Values of the pairs, sorted by source.
    starts : ndarray of shape (sources + 1,)
        Source number s has pairs starts[s] up to starts[s + 1].
    costs : ndarray of shape (pairs,)
        Number of pairs that each pair stands for.
    """
    sizes = np.diff(starts)
    highest = np.maximum.reduceat(values, starts[:-1])
    sums = np.add.reduceat(costs * np.exp(values - np.repeat(highest, sizes)), starts[:-1])
    return highest + np.log(sums / np.add.reduceat(costs, starts[:-1]))
