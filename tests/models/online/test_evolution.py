"""Drift, what chance brings of it, and the words that no topics of a window account for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from plait.models.online.evolution import compare, find_risen

N_WORDS = 400


def zipfian(n_topics, seed=0):
    rng = np.random.default_rng(seed)
    frequency = 1 / (np.arange(N_WORDS) + 5)
    return rng.dirichlet(0.05 * N_WORDS * frequency / frequency.sum(), n_topics)


def drawn(words, sizes, rng):
    """Counts topics × words: so many of each topic."""
    return np.array([rng.multinomial(size, row) for size, row in zip(sizes, words, strict=True)], dtype=np.float64)


def once_a_document(counts):
    """Σ_d n_dw² where no document repeats a word."""
    return counts.sum(axis=0)


def naive_compare(now, past, weights):
    drifts, noises = [], []
    for topic in range(len(now)):
        before = [0.0] * now.shape[1]
        for counts, weight in zip(past, weights, strict=True):
            for word in range(counts.shape[1]):
                before[word] += weight * counts[topic, word]
        n, held = sum(now[topic]), sum(before)
        m = held**2 / sum(weight**2 * sum(counts[topic]) for counts, weight in zip(past, weights, strict=True))
        drift = noise = 0.0
        for word in range(now.shape[1]):
            p, q = now[topic, word] / n, before[word] / held
            mean = (n * p + m * q) / (n + m)
            drift += abs(p - q) / 2
            noise += min(np.sqrt(2 / np.pi * mean * (1 - mean) * (1 / n + 1 / m)), 2 * mean) / 2
        drifts.append(drift)
        noises.append(noise)
    return drifts, noises


def test_compare_is_its_definition():
    rng = np.random.default_rng(1)
    now = rng.poisson(2.0, (3, 8)) + 1.0
    past = [rng.poisson(2.0, (3, 5)) + 1.0, rng.poisson(2.0, (3, 7)) + 0.5]
    drift, noise = compare(now, past, [0.3, 0.9])
    expected = naive_compare(now, past, [0.3, 0.9])
    assert np.allclose(drift, expected[0])
    assert np.allclose(noise, expected[1])


@pytest.mark.parametrize("weights", [[1.0], [0.2, 0.8]], ids=["one slice", "two weighted"])
@pytest.mark.parametrize(("size", "before"), [(10, 12000), (60, 120), (600, 600), (6000, 3000)])
def test_noise_is_the_drift_that_draws_from_one_distribution_have(size, before, weights):
    words = zipfian(2)
    rng = np.random.default_rng(2)
    drifts, noises = [], []
    for _ in range(60):
        past = [drawn(words, [before, 2 * before], rng) for _ in weights]
        drift, noise = compare(drawn(words, [size, size], rng), past, weights)
        drifts.append(drift)
        noises.append(noise)
    # The formula knows the words only by the draws, in which half of the rare ones are missing.
    assert np.mean(noises, axis=0) == pytest.approx(np.mean(drifts, axis=0), rel=0.12)


def test_a_topic_that_changes_drifts_by_the_share_that_changed():
    words = np.zeros((1, 10))
    words[0, :5] = 200
    now = np.zeros((1, 10))
    now[0, :5], now[0, 5:] = 140, 60
    drift, noise = compare(now, [words], [1.0])
    assert drift == pytest.approx([0.3])
    assert noise[0] < 0.05


@pytest.mark.parametrize(("past", "weights"), [([], []), ([np.ones((2, 3))], [0.0])], ids=["none", "weight 0"])
def test_without_a_past_there_is_nothing_to_compare(past, weights):
    drift, noise = compare(np.ones((2, 3)), past, weights)
    assert np.isnan(drift).all()
    assert np.isnan(noise).all()
    assert find_risen(np.ones((2, 3)), past, weights, np.ones(3)) is None


def test_a_topic_without_words_has_no_drift_and_nothing_risen():
    now, past = np.array([[5.0, 5.0], [0.0, 0.0]]), np.array([[5.0, 5.0], [4.0, 4.0]])
    drift, _ = compare(now, [past], [1.0])
    assert drift[0] == 0
    assert np.isnan(drift[1])
    assert not find_risen(now, [past], [1.0], once_a_document(now)).any()


def naive_risen(now, past, weights, squares):
    """The definition, with proportions found by a general optimiser."""
    n_topics, n_words = now.shape
    before = np.zeros((n_topics, n_words))
    for counts, weight in zip(past, weights, strict=True):
        before[:, : counts.shape[1]] += weight * counts
    q = before / before.sum(axis=1, keepdims=True)
    held = now.sum(axis=0)
    known = q.sum(axis=0) > 0

    def loss(logits):
        shares = np.exp(logits) / np.exp(logits).sum()
        return -(held[known] * np.log(shares @ q[:, known])).sum()

    logits = minimize(loss, np.zeros(n_topics), tol=1e-12).x
    expected = held.sum() * (np.exp(logits) / np.exp(logits).sum()) @ q
    size = before.sum() ** 2 / sum(weight**2 * counts.sum() for counts, weight in zip(past, weights, strict=True))
    risen = np.zeros((n_topics, n_words))
    for word in range(n_words):
        repeats = squares[word] / held[word]
        error = np.sqrt(repeats * expected[word] * (1 + held.sum() / size) + repeats**2)
        above = held[word] - expected[word] - 2 * error
        for topic in range(n_topics):
            own = now[topic, word] - now[topic].sum() * q[topic, word]
            risen[topic, word] = max(min(own, above), 0)
    return risen


def test_risen_words_are_their_definition():
    rng = np.random.default_rng(3)
    past = [rng.poisson(rng.gamma(0.3, 60.0, (3, 10))) + 0.2 for _ in range(2)]
    now = np.zeros((3, 12))
    now[:, :10] = past[1][[0, 2, 1]] * [[1.0], [0.5], [2.0]]
    now[1, 9:] += 80
    now[2, 3] += 50
    squares = now.sum(axis=0) * rng.uniform(1, 3, 12)
    expected = naive_risen(now, past, [0.4, 0.6], squares)
    assert expected[1, 10] > 20
    assert find_risen(now, past, [0.4, 0.6], squares) == pytest.approx(expected, abs=0.5)


def novelty(now, past, squares=None):
    risen = find_risen(now, [past], [1.0], once_a_document(now) if squares is None else squares)
    return risen.sum(axis=1) / now.sum(axis=1)


def test_topics_that_exchange_split_merge_or_grow_hold_nothing_new():
    words = zipfian(4)
    rng = np.random.default_rng(4)
    past = drawn(words, [3000] * 4, rng)
    assert novelty(drawn(words, [1000] * 4, rng), past).max() < 0.03
    swapped = drawn(words[[1, 0, 2, 3]], [1000] * 4, rng)
    assert compare(swapped, [past], [1.0])[0][:2].min() > 0.4  # drift alone would call it new
    assert novelty(swapped, past).max() < 0.03
    assert novelty(drawn(words, [4000, 100, 1000, 300], rng), past).max() < 0.03
    # Topic 0 keeps half of its words, and topic 1 takes the others; what topic 1 held goes to topic 2.
    now = drawn(words, [1000] * 4, rng)
    split = now.copy()
    split[0, ::2], split[1] = 0, 0
    split[1, ::2], split[2] = now[0, ::2], now[2] + now[1]
    assert compare(split, [past], [1.0])[0][:3].min() > 0.3
    assert novelty(split, past).max() < 0.03


@pytest.mark.parametrize("idle", [0, 3], ids=["idle", "nearly idle"])
def test_an_idle_topic_that_takes_up_a_new_theme_is_new(idle):
    words = zipfian(5)
    rng = np.random.default_rng(5)
    past = drawn(words, [3000, 3000, 3000, 3000, 0], rng)
    past[4] = rng.multinomial(idle, words[0])
    now = drawn(words, [1000, 1000, 1000, 1000, 400], rng)
    found = novelty(now, past)
    assert found[4] > 0.3
    assert found[:4].max() < 0.03


def test_a_theme_in_an_old_topic_is_new_by_its_words():
    words = zipfian(4)
    rng = np.random.default_rng(6)
    past = drawn(words[:3], [3000] * 3, rng)
    now = drawn(words[:3], [1000, 1000, 500], rng)
    now[2] += rng.multinomial(500, words[3])
    risen = find_risen(now, [past], [1.0], once_a_document(now))
    assert risen[2].sum() > 100
    assert risen[:2].sum() < 60
    first = np.argsort(-risen[2])[:5]
    assert (words[3, first] > words[:3, first].sum(axis=0)).all()


def test_a_word_that_one_document_repeats_is_no_theme():
    words = zipfian(3)
    rng = np.random.default_rng(7)
    past, now = drawn(words, [3000] * 3, rng), drawn(words, [1000] * 3, rng)
    past[:, -1], now[:, -1] = 0, 0
    now[1, -1] = 60
    by_many, by_one = once_a_document(now), once_a_document(now)
    by_one[-1] = 60**2
    assert find_risen(now, [past], [1.0], by_many)[1, -1] > 50
    assert find_risen(now, [past], [1.0], by_one)[1, -1] == 0


@pytest.mark.parametrize(("factor", "sure"), [(0.2, False), (20.0, True)])
def test_a_small_window_is_not_sure_of_what_to_expect(factor, sure):
    past = factor * np.array([[100.0, 400.0, 500.0]])
    now = np.array([[130.0, 400.0, 470.0]])
    assert bool(find_risen(now, [past], [1.0], once_a_document(now))[0, 0] > 0) == sure
