"""Geweke (2004), *Getting it right*: draws of (words, topics) from the model itself against a chain over both."""

from __future__ import annotations

import numpy as np
import pytest

from plait.samplers import Plain
from tests import naive
from tests.samplers.small import SmallChain

pytestmark = pytest.mark.slow

LENGTHS = [5, 3, 6]
N_WORDS = 4


def draw_words(rng, topics, beta):
    """Draw words given topics: each topic's words from its prior, then each word from its topic."""
    phi = np.array([rng.dirichlet(row) for row in beta])
    return [[int(rng.choice(N_WORDS, p=phi[topic])) for topic in row] for row in topics]


def draw_forward(rng, alpha, beta):
    topics = [rng.choice(alpha.size, size=length, p=rng.dirichlet(alpha)).tolist() for length in LENGTHS]
    return draw_words(rng, topics, beta), topics


def statistics(words, topics, n_topics):
    doc_topic, topic_word = naive.count(words, topics, n_topics, N_WORDS)
    return [
        doc_topic[:, 0].sum(),
        doc_topic[0, 1],
        (doc_topic**2).sum(),
        (topic_word**2).sum(),
        topic_word[0, 0],
        (topic_word.sum(axis=1) ** 2).sum(),
        (topic_word.sum(axis=0) ** 2).sum(),
    ]


def chain_step(rng, words, topics, alpha, beta, seed):
    """Draw topics given words by one sweep of the sampler, then words given topics."""
    order = [np.argsort(row, kind="stable") for row in words]
    sorted_words = [[row[i] for i in turn] for row, turn in zip(words, order, strict=True)]
    chain = SmallChain(sorted_words, Plain(), alpha, beta, seed=seed)
    kept = np.concatenate([np.array(row)[turn] for row, turn in zip(topics, order, strict=True)])
    chain.set_topics(kept)
    chain.sweep()
    topics = [row.tolist() for row in np.split(chain.topics.astype(int), np.cumsum(LENGTHS)[:-1])]
    return draw_words(rng, topics, beta), topics


@pytest.mark.parametrize("n_topics", [3, 18])
def test_chain_over_words_and_topics_has_the_models_own_moments(n_topics):
    rng = np.random.default_rng(5)
    alpha = rng.uniform(0.3, 1.0, size=n_topics)
    beta = rng.uniform(0.3, 1.0, size=(n_topics, N_WORDS))
    forward = np.array([statistics(*draw_forward(rng, alpha, beta), n_topics) for _ in range(4000)])
    words, topics = draw_forward(rng, alpha, beta)
    chain = []
    for step in range(8000):
        words, topics = chain_step(rng, words, topics, alpha, beta, seed=step)
        chain.append(statistics(words, topics, n_topics))
    batches = np.array(chain).reshape(80, 100, -1).mean(axis=1)
    error = np.sqrt(forward.var(axis=0) / len(forward) + batches.var(axis=0, ddof=1) / len(batches))
    z_scores = (batches.mean(axis=0) - forward.mean(axis=0)) / error
    assert np.abs(z_scores).max() < 3.5, z_scores
