"""Links as a response: topics and weights against numerical integration, where c makes the loss no likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from plait.responses import Hinge, Logistic
from plait.responses.linear.pairs import ChainPairs, Negatives, Network
from tests import naive
from tests.responses.definitions import batch_errors, link_chain

pytestmark = pytest.mark.slow

ALPHA = np.array([0.6, 1.1])
N_WORDS = 3
BETA = 0.5
DOCUMENTS = [[0, 1], [0, 2], [0]]
LINKS = {(0, 1), (1, 0), (2, 1)}
COST = 4.0  # of a link; a pair without one has 1
ALL_OTHERS = 1000  # pairs without a link: more than there are


def pseudo_density(loss, doc_topic, first, second):
    """Return the pseudo-likelihood of all pairs for two weights on the diagonal: Chen et al. (2013), eq. (6)."""
    mean = doc_topic / doc_topic.sum(axis=1, keepdims=True)
    total = 0.0
    for i, j in np.argwhere(~np.eye(3, dtype=bool)):
        sign, cost = (1.0, COST) if (i, j) in LINKS else (-1.0, 1.0)
        value = first * mean[i, 0] * mean[j, 0] + second * mean[i, 1] * mean[j, 1]
        if isinstance(loss, Hinge):
            total = total - 2 * cost * np.maximum(0.0, loss.ell - sign * value)
        else:
            total = total - cost * np.logaddexp(0.0, -sign * value)
    return np.exp(total)


def moments_of(doc_topic, first, second):
    (a, _), (b, _), (c, _) = doc_topic
    return [
        1.0 * (a == 0), 1.0 * (a == 2), 1.0 * (b == 1), 1.0 * (c == 1), 1.0 * (a == 2 and b == 2 and c == 1),
        1.0 * (a == b == c == 0), first, second, first**2, second**2, first * second, first * a, second * b * c,
        1.0 * (first > 1.0),
    ]  # fmt: skip


def integrated_moments(loss, nu):
    """Moments of (topics, weights) by listing topics and integrating over a grid of weights."""
    axis = np.linspace(-6 * nu, 6 * nu, 201)
    first, second = np.meshgrid(axis, axis, indexing="ij")
    prior = np.exp(-(first**2 + second**2) / (2 * nu**2))
    total, moments = 0.0, 0.0
    for topics in naive.all_assignments(DOCUMENTS, 2):
        doc_topic, _ = naive.count(DOCUMENTS, topics, 2, N_WORDS)
        words = np.exp(naive.log_joint(DOCUMENTS, topics, ALPHA, np.full((2, N_WORDS), BETA)))
        density = words * prior * pseudo_density(loss, doc_topic, first, second)
        total = total + density.sum()
        moments = moments + np.array([(density * part).sum() for part in moments_of(doc_topic, first, second)])
    return moments / total


def chain_moments(loss, nu, n_sweeps):
    sources, targets = np.array(sorted(LINKS)).T
    network = Network(3, sources, targets, np.full(sources.size, COST), directed=True)
    links = ChainPairs(network, Negatives(ALL_OTHERS, 1.0), loss, form="diagonal", nu=nu)
    chain = link_chain(DOCUMENTS, [links], alpha=ALPHA, n_words=N_WORDS, beta=BETA, seed=1)
    seen = []
    for _ in range(n_sweeps):
        chain.sweep()
        seen.append(moments_of(chain.doc_topic().toarray(), *np.diag(links.weights)))
    return np.array(seen)


@pytest.mark.parametrize("loss", [Logistic(), Hinge(0.8)], ids=["logistic", "hinge"])
def test_topics_and_weights_have_the_moments_of_the_pseudo_posterior(loss):
    nu = 1.3
    exact = integrated_moments(loss, nu)
    means, errors = batch_errors(chain_moments(loss, nu, 8000), 50)
    z_scores = (means - exact) / errors
    assert np.abs(z_scores).max() < 4, z_scores
