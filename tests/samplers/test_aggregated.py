"""Aggregated sampling of words that stand often: all occurrences are independent draws from one conditional."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, chisquare

from plait.samplers import Aggregated, as_sampler
from tests import naive
from tests.samplers.small import SmallChain

N_WORDS = 3


def redrawn(documents, topics, alpha, beta, observations, n_seeds):
    """Return the topics of the first document after one sweep from a given state, a row per seed."""
    chain = SmallChain(documents, Aggregated(), alpha, beta, observations)
    drawn = []
    for seed in range(n_seeds):
        chain.seed, chain.n_sweeps = seed, 0
        chain.set_topics(np.concatenate(topics))
        chain.sweep()
        kept = chain.word_topic()
        chain.recount()
        assert chain.word_topic().tobytes() == kept.tobytes()
        drawn.append(chain.topics[: len(documents[0])].astype(int))
    return np.array(drawn)


# Few, many, and more than are prepared at a time; with topics in one and in two blocks; spread and in one topic.
@pytest.mark.slow
@pytest.mark.parametrize("occurrences", [2, 23, 24, 40, 300])
@pytest.mark.parametrize("n_topics", [3, 19])
@pytest.mark.parametrize("clear", [False, True])
@pytest.mark.parametrize("pulled", [False, True])
@pytest.mark.parametrize("varied", [False, True])
def test_occurrences_are_drawn_from_the_conditional_of_the_first(occurrences, n_topics, clear, pulled, varied):
    rng = np.random.default_rng(occurrences + n_topics)
    documents = [[0] * occurrences, sorted(rng.integers(N_WORDS, size=30).tolist())]
    topics = [rng.integers(n_topics, size=len(words)).tolist() for words in documents]
    alpha = rng.uniform(0.2, 1.0, n_topics)
    beta = rng.uniform(0.2, 1.0, (n_topics, N_WORDS))
    if not varied:
        beta = np.full_like(beta, 0.5)
    if clear:  # nearly all of the weight in the last topic
        topics[0] = [n_topics - 1] * occurrences
    observations = naive.linear_observations(rng.uniform(0.5, 2.0, (2, n_topics)), documents)
    if pulled:
        observations[0].append((3.0, 8.0, rng.normal(size=n_topics)))
    expected = naive.conditional(documents, topics, 0, 0, alpha, beta, observations)
    drawn = redrawn(documents, topics, alpha, beta, observations, max(60, 6000 // occurrences)).ravel()
    observed = np.bincount(drawn, minlength=n_topics)
    often = expected * drawn.size >= 5
    observed = np.append(observed[often], observed[~often].sum())
    expected = np.append(expected[often], expected[~often].sum()) * drawn.size
    present = expected > 0
    assert observed[~present].sum() == 0
    assert chisquare(observed[present], expected[present]).pvalue > 0.001


def test_occurrences_of_a_frequent_word_do_not_depend_on_each_other():
    documents, n_topics = [[0] * 100, [0, 1, 2]], 3
    alpha, beta = np.ones(n_topics), np.full((n_topics, N_WORDS), 0.5)
    topics = [[0, 1, 2] * 33 + [0], [0, 1, 2]]
    draws = (redrawn(documents, topics, alpha, beta, None, 600) == 0).astype(float)
    totals = draws.sum(axis=1)
    p = draws.mean()
    # A binomial count has this variance; dependence among occurrences would change it.
    assert totals.var(ddof=1) == pytest.approx(100 * p * (1 - p), rel=0.25)
    assert draws[:, 0].mean() == pytest.approx(p, abs=0.08)


def test_words_of_a_batch_are_drawn_from_their_conditionals_before_it():
    n_words, n_topics, n_seeds = 130, 3, 1500
    rng = np.random.default_rng(4)
    document = list(range(n_words))  # all occur once; 130 tokens make batches of four words
    documents, topics = [document, [0, 1, 2, 3]], [rng.integers(n_topics, size=size).tolist() for size in (n_words, 4)]
    alpha, beta = rng.uniform(0.2, 1.0, n_topics), np.full((n_topics, n_words), 0.5)
    draws = redrawn(documents, topics, alpha, beta, None, n_seeds)
    for word in range(4):
        expected = naive.conditional(documents, topics, 0, word, alpha, beta, None) * n_seeds
        assert chisquare(np.bincount(draws[:, word], minlength=n_topics), expected).pvalue > 0.001
    # In the first batch, draws do not depend on each other.
    together = np.zeros((n_topics, n_topics))
    np.add.at(together, (draws[:, 0], draws[:, 3]), 1)
    expected = np.outer(together.sum(axis=1), together.sum(axis=0)) / n_seeds
    assert ((together - expected) ** 2 / expected).sum() < chi2.ppf(0.999, (n_topics - 1) ** 2)


@pytest.mark.parametrize("sampler", ["aggregated", "aggregated_sparse(2)"])
@pytest.mark.parametrize("n_topics", [20, 200])
def test_counts_are_those_of_the_assignments_after_words_of_all_numbers_of_tokens(sampler, n_topics):
    rng = np.random.default_rng(n_topics)
    sizes = [1] * 90 + [2, 3, 4, 5, 16, 17, 22, 23, 24, 25] * 2
    words = [word for word, size in enumerate(sizes) for _ in range(size)]
    documents = [words, words[:70], [], words[85:]]
    chain = SmallChain(documents, as_sampler(sampler), np.full(n_topics, 0.1), np.full((n_topics, len(sizes)), 0.1))
    chain.set_topics(np.concatenate([rng.integers(n_topics, size=len(one)) for one in documents]))
    for _ in range(3):
        before = chain.topics.copy()
        chain.sweep()
        kept = chain.word_topic()
        chain.recount()
        assert chain.word_topic().tobytes() == kept.tobytes()
        assert (chain.topics != before).mean() > 0.1
