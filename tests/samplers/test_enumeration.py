"""Each sampler, run long on a corpus so small that every assignment can be listed, against the exact posterior."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from plait.samplers import SAMPLERS, AggregatedSparse, Plain, Sparse
from tests import naive
from tests.samplers.small import SmallChain

pytestmark = pytest.mark.slow

# Words of a document are sorted, as the samplers keep them; words repeat, so that aggregated sampling shows its bias.
DOCUMENTS = [[0, 0, 0, 1], [1, 2, 2]]
N_WORDS = 3
ALPHA = np.array([0.4, 0.9])
SYMMETRIC = np.full((2, N_WORDS), 0.5)
TABLE = np.array([[0.2, 1.5, 0.4], [0.9, 0.3, 0.6]])
# A factor for every word that says the same whatever the others do, and two projections that depend on all words.
LINEAR = naive.linear_observations(np.array([[1.0, 2.5], [0.7, 0.4]]), DOCUMENTS)
PULLED = [
    [(2.0, 5.0, np.array([1.5, -0.5])), (-1.0, 9.0, np.array([0.4, 1.1]))],
    [(-3.0, 12.0, np.array([-0.8, 0.9]))],
]
CASES = {
    "symmetric": (SYMMETRIC, None),
    "table": (TABLE, None),
    "linear": (SYMMETRIC, LINEAR),
    "pulled": (SYMMETRIC, PULLED),
    "table and pulled": (TABLE, PULLED),
}

# Total variation distance from the exact posterior, as docs/samplers.md states it: over whole assignments where
# occurrences hold topics, and over the topic of one word (mean over words) where words are spread.
STATED_DISTANCE = {
    "plain": 0.0, "auto": 0.0, "aggregated": 0.14, "aggregated_sparse": 0.14, "limit": 0.12, "sparse": 0.12,
    "synchronous": 0.23,
}  # fmt: skip
# Where words are spread, responses are cached: short documents, of whose words one moves a mean by a quarter
# and more, show it most.
SHARES_PULLED_DISTANCE = 0.18


def frequencies(sampler, beta, observations, alpha=ALPHA, documents=DOCUMENTS, n_kept=40_000, every=3, exact=True):
    chain = SmallChain(documents, sampler, alpha, beta, observations, seed=11, exact=exact)
    seen = Counter()
    for _ in range(n_kept):
        for _ in range(every):
            chain.sweep()
        seen[tuple(chain.topics.tolist())] += 1
    return seen


@pytest.mark.parametrize("case", CASES)
def test_plain_draws_from_the_exact_posterior(case):
    beta, observations = CASES[case]
    exact = naive.posterior(DOCUMENTS, ALPHA, beta, observations)
    seen = frequencies(Plain(), beta, observations)
    n_kept = seen.total()
    # Rare assignments are put together, so that each cell is expected at least ten times.
    common = [state for state, probability in exact.items() if probability * n_kept >= 10]
    observed = [seen[state] for state in common] + [n_kept - sum(seen[state] for state in common)]
    expected = [exact[state] * n_kept for state in common]
    expected.append(n_kept - sum(expected))
    assert chisquare(observed, expected).pvalue > 0.001


@pytest.mark.parametrize("pulled", [False, True])
def test_plain_draws_from_the_exact_posterior_with_topics_in_two_blocks(pulled):
    rng = np.random.default_rng(0)
    alpha = rng.uniform(0.1, 1.5, size=19)
    beta = rng.uniform(0.1, 1.5, size=(19, 2))
    documents = [[0, 1]]
    observations = [[(2.0, 6.0, rng.normal(size=19)), (-1.0, 3.0, rng.normal(size=19))]] if pulled else None
    exact = naive.posterior(documents, alpha, beta, observations)
    seen = frequencies(Plain(), beta, observations, alpha, documents)
    probabilities = np.array([exact[state] for state in exact])
    observed = np.array([seen[state] for state in exact])
    enough = probabilities * observed.sum() >= 10
    expected = np.append(probabilities[enough], probabilities[~enough].sum()) * observed.sum()
    assert chisquare(np.append(observed[enough], observed[~enough].sum()), expected).pvalue > 0.001


def assignment_distance(exact, seen):
    """Total variation from the exact posterior, and what it would be on average for as many exact draws."""
    distance = 0.5 * sum(abs(exact[state] - seen[state] / seen.total()) for state in exact)
    chance = 0.5 * sum(np.sqrt(2 / np.pi * p / seen.total()) for p in exact.values())
    return distance, chance


def share_distance(sampler, beta, observations, n_starts=200):
    """Mean difference between words' shares, over many starts, and the exact probabilities of their topics."""
    exact = naive.posterior(DOCUMENTS, ALPHA, beta, observations)
    marginal = np.sum([probability * np.array(state) for state, probability in exact.items()], axis=0)
    entries = [0, 3, 4, 5]  # the first occurrence of each distinct word of each document
    shares = []
    for seed in range(n_starts):  # a fixed point depends on the start, so many starts are averaged
        chain = SmallChain(DOCUMENTS, sampler, ALPHA, beta, observations, seed=seed)
        for _ in range(300 if sampler.name == "sparse" else 30):
            chain.sweep()
        shares.append(chain.shares()[:, 1])
    return np.abs(np.mean(shares, axis=0) - marginal[entries]).mean()


@pytest.mark.parametrize("name", [name for name, kind in SAMPLERS.items() if kind.state_form == "tokens"])
@pytest.mark.parametrize("case", CASES)
def test_token_samplers_keep_their_stated_distance(name, case):
    beta, observations = CASES[case]
    exact = naive.posterior(DOCUMENTS, ALPHA, beta, observations)
    distance, chance = assignment_distance(exact, frequencies(SAMPLERS[name](), beta, observations, n_kept=15_000))
    assert distance < STATED_DISTANCE[name] + 1.3 * chance


@pytest.mark.parametrize("name", [name for name, kind in SAMPLERS.items() if kind.state_form == "shares"])
@pytest.mark.parametrize("case", CASES)
def test_share_samplers_keep_their_stated_distance(name, case):
    stated = SHARES_PULLED_DISTANCE if "pulled" in case else STATED_DISTANCE[name]
    assert share_distance(SAMPLERS[name](), *CASES[case]) < stated


def test_sparse_sampling_per_token_keeps_the_distance_of_sparse_sampling():
    assert share_distance(Sparse(per="tokens"), *CASES["symmetric"]) < STATED_DISTANCE["sparse"]
    distance, chance = assignment_distance(
        naive.posterior(DOCUMENTS, ALPHA, SYMMETRIC),
        frequencies(AggregatedSparse(2, per="tokens"), SYMMETRIC, None, n_kept=15_000),
    )
    assert distance < STATED_DISTANCE["aggregated_sparse"] + 1.3 * chance


def test_what_is_cached_is_exact_where_nothing_depends_on_other_words():
    exact = naive.posterior(DOCUMENTS, ALPHA, SYMMETRIC, LINEAR)
    distance, chance = assignment_distance(exact, frequencies(Plain(), SYMMETRIC, LINEAR, exact=False))
    assert distance < 1.3 * chance


LONGER = [[0] * 4 + [1] * 4 + [2] * 4]
# docs/samplers.md states it, by how strongly one word of twelve moves the others (precision u² / N²).
# All words follow what the document was before the sweep, so that together they go too far.
CACHED_DISTANCE = {0.01: 0.04, 0.1: 0.3}


def count_distance(strength):
    """Total variation of the number of a document's words in topic 1, cached responses against exact posterior."""
    direction = np.array([1.0, -1.0])
    observations = [[(20 * strength, 144 * strength, direction)]]
    exact = np.zeros(13)
    for state, probability in naive.posterior(LONGER, ALPHA, SYMMETRIC, observations).items():
        exact[sum(state)] += probability
    seen = frequencies(Plain(), SYMMETRIC, observations, documents=LONGER, n_kept=20_000, exact=False)
    observed = np.zeros(13)
    for state, times in seen.items():
        observed[sum(state)] += times / seen.total()
    return 0.5 * np.abs(exact - observed).sum()


@pytest.mark.parametrize("strength", CACHED_DISTANCE)
def test_cached_responses_keep_their_stated_distance(strength):
    assert count_distance(strength) < CACHED_DISTANCE[strength]
