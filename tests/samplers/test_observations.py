"""What responses say of a word's topic: the compiled draws against the definition, also where exponents are huge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from plait.samplers import Plain
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.lanes import LANES, exponential, load, store
from plait.samplers.kernels.tilt import open_exact_tilt, pairs_row, update_tilt
from plait.samplers.kernels.token_state import new_scratch
from tests import naive
from tests.samplers.small import SmallChain, flat_observations


@kernel
def exponentials(numbers, result):
    for place in range(0, numbers.size, LANES):
        store(result, place, exponential(load(numbers, place)))


def test_exponentials_are_right_to_the_last_place():
    numbers = np.linspace(-86.9, 88.0, 1_600_000).astype(np.float32)
    result = np.zeros_like(numbers)
    exponentials(numbers, result)
    exact = np.exp(numbers.astype(np.float64))
    assert np.abs(result / exact - 1).max() < 2.0**-23


def test_exponentials_stay_within_the_range_of_numbers():
    numbers = np.array([-np.inf, -1e30, -88.0, -87.0, 0.0, 88.0, 1e30, np.inf] * 2, np.float32)
    result = np.zeros_like(numbers)
    exponentials(numbers, result)
    np.testing.assert_array_equal(result[:3], 0.0)
    assert result[4] == 1.0
    assert np.isfinite(result).all()


@kernel
def exact_exponents(exact_tilt, observations, document, doc_topic, length, n_topics, moves, own, result):
    open_exact_tilt(exact_tilt, observations, document, doc_topic, length, n_topics)
    for i in range(moves.shape[0]):
        update_tilt(exact_tilt, observations, moves[i, 0], moves[i, 1])
    row = pairs_row(exact_tilt, observations, own)
    for topic in range(n_topics):
        result[topic] = exact_tilt.log_tilt[topic] + exact_tilt.pairs[row + topic]


@settings(max_examples=60, deadline=None)
@given(n_topics=st.integers(2, 70), seed=st.integers(0, 10**6), n_said=st.integers(0, 6))
def test_exponents_follow_every_move(n_topics, seed, n_said):
    rng = np.random.default_rng(seed)
    said = [(rng.normal(0, 5), rng.gamma(1.0, 8.0), rng.normal(size=n_topics)) for _ in range(n_said)]
    topics = rng.integers(n_topics, size=12)
    moves = np.array([[topics[i], rng.integers(n_topics)] for i in range(6)])
    width = 16 * ((n_topics + 15) // 16)
    observations = flat_observations([[], said], width, exact=True)
    doc_topic = np.bincount(topics, minlength=width).astype(np.float32)
    exact_tilt = new_scratch(width, observations).exact_tilt
    found = np.zeros(n_topics)
    topics[:6] = moves[:, 1]
    own = int(topics[0])
    exact_exponents(exact_tilt, observations, 1, doc_topic, np.float32(12), n_topics, moves, own, found)
    without = np.bincount(topics, minlength=n_topics).astype(float)
    without[own] -= 1
    exact = []
    for topic in range(n_topics):
        row = without.copy()
        row[topic] += 1
        exact.append(naive.log_response(row, said))
    expected = np.array(exact) - exact[0]
    np.testing.assert_allclose(found - found[0], expected, atol=2e-4 * (1 + np.abs(expected).max()))


def topics_after_one_sweep(said, n_seeds):
    """The topic of the first word after its draw; all others hold topic 1 and are drawn later."""
    drawn = []
    for seed in range(n_seeds):
        chain = SmallChain([[0, 1, 1, 1]], Plain(), np.full(3, 0.5), np.full((3, 2), 0.5), [said], seed=seed)
        chain.set_topics([0, 1, 1, 1])
        info = chain.sweep()
        assert np.isfinite(info.log_likelihood)
        drawn.append(int(chain.topics[0]))
    return np.array(drawn)


# From nothing to exponents that are thousands apart, with either sign.
@pytest.mark.slow
@pytest.mark.parametrize("strength", [0.1, 3.0, 300.0, 3e4, 3e6])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_draws_are_right_where_exponents_are_huge(strength, sign):
    said = [(sign * strength, strength, np.array([1.0, -0.5, 0.5]))]
    drawn = topics_after_one_sweep(said, 600)
    exact = naive.conditional([[0, 1, 1, 1]], [[0, 1, 1, 1]], 0, 0, np.full(3, 0.5), np.full((3, 2), 0.5), [said])
    expected = exact * drawn.size
    observed = np.bincount(drawn, minlength=3)
    possible = expected > 1e-3
    assert observed[~possible].sum() == 0
    if possible.sum() > 1:
        assert (
            chisquare(observed[possible], expected[possible] * observed.sum() / expected[possible].sum()).pvalue > 0.001
        )


def test_a_document_without_words_says_nothing():
    said = [[(5.0, 2.0, np.array([1.0, -1.0]))], [(5.0, 2.0, np.array([1.0, -1.0]))]]
    for exact in (True, False):
        chain = SmallChain([[], [0, 1]], Plain(), np.ones(2), np.full((2, 2), 0.5), said, exact=exact)
        for _ in range(5):
            assert np.isfinite(chain.sweep().log_likelihood)
