"""The compiled conditional against the one from the definition, for any number of topics and blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.samplers.base import padded_width
from plait.samplers.conditional import draw, fill_mixture, mixture_of, sum_across, weigh_share, weigh_token
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.lanes import LANES, lane_at
from tests import naive
from tests.samplers.small import make_factors


@kernel
def token_weights(word_topic, row, factors, table, mixture, own, own_mixture, sums, below):
    running = weigh_token(word_topic, row, factors.prior_value, table, mixture, own, own_mixture, np.float32(1.0), sums)
    return lane_at(sum_across(running, below), LANES - 1)


@kernel
def draw_at(word_topic, row, factors, table, mixture, own, own_mixture, sums, below, uniforms, drawn):
    running = weigh_token(word_topic, row, factors.prior_value, table, mixture, own, own_mixture, np.float32(1.0), sums)
    across = sum_across(running, below)
    for i in range(uniforms.size):
        target = uniforms[i] * lane_at(across, LANES - 1)
        drawn[i] = draw(sums, across, below, target, factors.n_topics)


@kernel
def own_mixture_of(doc_topic, alpha, totals, prior_sums, tilt, own):
    return mixture_of(np.float32(doc_topic[own] - 1), alpha[own], totals, 1, prior_sums, tilt, own)


@kernel
def mixture_array(mixture, doc_topic, factors, totals, tilt):
    fill_mixture(mixture, doc_topic, factors.alpha, totals, factors.prior_sums, tilt)


@kernel
def share_weights(word_topic, row, factors, table, doc_topic, doc_row, totals, tilt, shares, unit, weights):
    return weigh_share(
        word_topic, row, factors.prior_value, table, doc_topic, doc_row, factors.alpha, totals, factors.prior_sums,
        tilt, shares, 0, unit, weights,
    )  # fmt: skip


def random_state(n_topics, seed, with_table, with_tilt):
    """A corpus with topics at random; document 1 and its second word are looked at."""
    rng = np.random.default_rng(seed)
    documents = [rng.integers(5, size=9).tolist() for _ in range(3)]
    topics = [rng.integers(n_topics, size=9).tolist() for _ in range(3)]
    alpha = rng.uniform(0.05, 2.0, n_topics)
    beta = rng.uniform(0.05, 2.0, (n_topics, 5)) if with_table else np.full((n_topics, 5), 0.3)
    tilt = rng.uniform(0.2, 3.0, (3, n_topics)) if with_tilt else None
    return documents, topics, alpha, beta, tilt


def padded_tilt(tilt, width):
    """The tilt of document 1 as the compiled code takes it."""
    if tilt is None:
        return None
    padded = np.zeros(width, np.float32)
    padded[: tilt.shape[1]] = tilt[1]
    return padded


def expected_conditional(documents, topics, alpha, beta, tilt):
    observations = None if tilt is None else naive.linear_observations(tilt, documents)
    return naive.conditional(documents, topics, 1, 2, alpha, beta, observations)


def prepared(documents, topics, alpha, beta, tilt):
    n_topics = alpha.size
    width = padded_width(n_topics)
    factors, table = make_factors(alpha, beta)
    doc_topic, topic_word = naive.count(documents, topics, *beta.shape)
    word_topic = np.zeros((beta.shape[1], width), np.int32)
    word_topic[:, :n_topics] = topic_word.T
    in_document = np.zeros(width, np.float32)
    in_document[:n_topics] = doc_topic[1]
    flat_table = None if table is None else table.ravel()
    return factors, flat_table, word_topic, word_topic.sum(axis=0).astype(np.int64), in_document, width


def compiled_setting(case):
    documents, topics, _alpha, _beta, tilt = case
    factors, table, word_topic, totals, in_document, width = prepared(*case)
    own, word = topics[1][2], documents[1][2]
    mixture = np.zeros(width, np.float32)
    mixture_array(mixture, in_document, factors, totals, padded_tilt(tilt, width))
    factor = np.float32(1.0 if tilt is None else tilt[1, own])
    own_mixture = own_mixture_of(in_document, factors.alpha, totals, factors.prior_sums, factor, own)
    sums, below = np.zeros(LANES + width, np.float32), np.zeros(1 + LANES, np.float32)
    return (word_topic.ravel(), word * width, factors, table, mixture, own, own_mixture, sums, below), width


@settings(max_examples=60, deadline=None)
@given(n_topics=st.integers(1, 70), seed=st.integers(0, 10**6), with_table=st.booleans(), with_tilt=st.booleans())
def test_weights_are_the_conditional(n_topics, seed, with_table, with_tilt):
    case = random_state(n_topics, seed, with_table, with_tilt)
    arguments, _width = compiled_setting(case)
    total = token_weights(*arguments)
    sums = arguments[-2].reshape(-1, LANES)
    weights = np.diff(sums, axis=0).ravel()
    expected = expected_conditional(*case)
    np.testing.assert_allclose(weights[:n_topics] / total, expected, rtol=2e-5, atol=2e-6)
    assert (weights[n_topics:] == 0).all()


@settings(max_examples=30, deadline=None)
@given(n_topics=st.integers(1, 70), seed=st.integers(0, 10**6))
def test_draws_take_up_the_space_of_their_weights(n_topics, seed):
    case = random_state(n_topics, seed, with_table=True, with_tilt=True)
    arguments, _ = compiled_setting(case)
    n = 20_000
    uniforms = ((np.arange(n) + 0.5) / n).astype(np.float32)
    drawn = np.zeros(n, np.int64)
    draw_at(*arguments, uniforms, drawn)
    expected = expected_conditional(*case)
    np.testing.assert_allclose(np.bincount(drawn, minlength=n_topics) / n, expected, atol=3 / n + 2e-6)


@pytest.mark.parametrize("n_topics", [1, 5, 16, 17, 40])
def test_the_largest_uniform_still_draws_a_topic(n_topics):
    case = random_state(n_topics, 3, with_table=False, with_tilt=False)
    arguments, _ = compiled_setting(case)
    drawn = np.full(2, -1, np.int64)
    draw_at(*arguments, np.array([0.0, 1.0 - 2.0**-24], np.float32), drawn)
    assert ((drawn >= 0) & (drawn < n_topics)).all()


@settings(max_examples=40, deadline=None)
@given(n_topics=st.integers(1, 40), seed=st.integers(0, 10**6), with_table=st.booleans(), with_tilt=st.booleans())
def test_a_word_with_all_its_share_in_one_topic_weighs_as_a_token(n_topics, seed, with_table, with_tilt):
    case = random_state(n_topics, seed, with_table, with_tilt)
    documents, topics, _, _, tilt = case
    factors, table, word_topic, totals, in_document, width = prepared(*case)
    own, word = topics[1][2], documents[1][2]
    shares = np.zeros(width, np.float32)
    shares[own] = 1.0
    doc_rows = np.tile(in_document, (3, 1))
    weights = np.zeros(width, np.float32)
    total = share_weights(
        word_topic.ravel().astype(np.float32), word * width, factors, table, doc_rows.ravel(), width,
        totals.astype(np.float32), padded_tilt(tilt, width), shares, np.float32(1.0), weights,
    )  # fmt: skip
    expected = expected_conditional(*case)
    np.testing.assert_allclose(weights[:n_topics] / total, expected, rtol=2e-5, atol=2e-6)
