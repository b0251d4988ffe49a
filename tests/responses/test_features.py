"""Features of documents as a second part of a response's value, m = η · z̄ + v · f: sums, offsets, and the posterior."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.errors import PlaitError
from plait.executors import Threads
from plait.mixing import OwnDocument
from plait.priors import as_prior
from plait.responses import Hinge, Logistic, Squared
from plait.responses.base import DocTopics, serial_map
from plait.responses.linear import regression
from plait.responses.linear.feature_sums import FeatureRows, sum_squares
from plait.responses.linear.targets import ChainTargets, check_size
from plait.samplers import Plain
from tests import naive
from tests.responses.definitions import Labels, batch_errors, chance_of, log_augmented, mean_topics, posterior
from tests.responses.test_posterior import ALPHA, BETA, COSTS, DOCUMENTS, LENGTHS, N_WORDS, REALS, SIGNS, draw_words
from tests.responses.test_regression import random_case
from tests.samplers.small import Inline, SmallChain, matrix

FEATURES = np.array([[0.8, 0.0, -0.5], [0.0, 1.2, 0.3], [-1.1, 0.4, 0.0]])
NU, FEATURE_NU = 0.9, 0.7


def rows_of(features):
    return FeatureRows.of(sparse.csr_array(features))


@pytest.mark.parametrize("n_labels", [1, 5, 11])
@pytest.mark.parametrize("known_squares", [False, True])
def test_sums_are_those_of_a_regression_on_topics_and_features(n_labels, known_squares):
    documents, topics, pull, precision, dense_pull, dense_precision, mean, _ = random_case(0, n_labels=n_labels)
    rng = np.random.default_rng(1)
    features = np.where(rng.random((700, 4)) < 0.6, rng.normal(size=(700, 4)), 0.0)
    rows = rows_of(features)
    squares = sum_squares(documents, rows, precision, serial_map) if known_squares else None
    sums = regression.sum_statistics(documents, topics, pull, precision, serial_map, rows, squares)
    design = np.concatenate([mean, features], axis=1)  # an empty document has features
    np.testing.assert_allclose(sums.moments, design.T @ dense_pull, atol=1e-10)
    later, earlier = np.tril_indices(design.shape[1])
    for label in range(n_labels):
        expected = (design * dense_precision[:, [label]]).T @ design
        np.testing.assert_allclose(sums.products[:, label], expected[later, earlier], atol=1e-10)
    with Threads(3) as threads:
        again = regression.sum_statistics(documents, topics, pull, precision, threads.map, rows, squares)
    assert [one.tobytes() for one in sums] == [one.tobytes() for one in again]
    topics_alone = regression.sum_statistics(documents, topics, pull, precision, serial_map)
    n_topics = mean.shape[1]
    np.testing.assert_allclose(sums.products[: len(topics_alone.products)], topics_alone.products, rtol=1e-12)
    np.testing.assert_allclose(sums.moments[:n_topics], topics_alone.moments, rtol=1e-12)


@pytest.mark.parametrize("loss", [Hinge(1.0), Logistic(), Squared(0.5)], ids=lambda loss: loss.name)
def test_weights_have_the_mean_and_spread_of_the_joint_gaussian(loss):
    response = Labels(REALS if isinstance(loss, Squared) else SIGNS, loss, nu=NU, features=rows_of(FEATURES),
                      feature_nu=FEATURE_NU)  # fmt: skip
    response.begin(2, np.uint64(0))
    counts = np.array([[2, 1], [0, 2], [1, 2]])
    topics = DocTopics(counts, counts.sum(axis=1).astype(float))
    response.draw_auxiliaries(topics, np.uint64(5))
    design = np.concatenate([mean_topics(counts), FEATURES], axis=1)
    starts, numbers, _ = response.documents
    documents = np.repeat(np.arange(3), np.diff(starts))
    prior = np.diag(1 / np.repeat([NU, FEATURE_NU], [2, 3]) ** 2)
    draws = []
    for key in range(4000):
        response.draw_from(topics, np.uint64(key))
        draws.append(response.weights)
    for label in range(2):
        own = numbers == label
        x = design[documents[own]]
        covariance = np.linalg.inv(prior + x.T @ (response.pseudo.precision[own, np.newaxis] * x))
        expected = covariance @ (x.T @ response.pseudo.pull[own])
        np.testing.assert_allclose(response.expect_from(topics)[label], expected, atol=1e-12)
        drawn = np.array(draws)[:, label]
        spread = np.sqrt(np.diag(covariance))
        assert (np.abs(drawn.mean(axis=0) - expected) < 4 * spread / np.sqrt(len(drawn))).all()
        errors = np.sqrt((np.outer(spread, spread) ** 2 + covariance**2) / len(drawn))
        assert (np.abs(np.cov(drawn.T) - covariance) < 4.5 * errors).all()


def with_loss(loss, **options):
    targets = REALS if isinstance(loss, Squared) else SIGNS
    return Labels(targets, loss, costs=COSTS, features=rows_of(FEATURES), feature_nu=FEATURE_NU, **options)


@pytest.mark.slow
@pytest.mark.parametrize("loss", [Hinge(1.0), Logistic(), Squared(0.5)], ids=lambda loss: loss.name)
def test_topics_are_drawn_from_the_joint_with_the_whole_value(loss):
    response = with_loss(loss)
    response.begin(2, np.uint64(0))
    response.weights = np.array([[1.4, -0.9, 0.8, -1.0, 0.4], [-0.6, 0.8, -1.2, 0.3, 1.5]])
    topics = DocTopics(np.array([[2, 1], [0, 2], [1, 2]]), np.array([3.0, 2.0, 3.0]))
    response.draw_auxiliaries(topics, np.uint64(5))
    starts, numbers, _ = response.documents

    def log_response(doc_topic):
        values = np.concatenate([mean_topics(doc_topic), FEATURES], axis=1) @ response.weights.T
        documents = np.repeat(np.arange(3), np.diff(starts))
        return sum(
            log_augmented(loss, target, cost, values[document, label], precision)
            for document, label, target, cost, precision in zip(
                documents, numbers, response.targets, response.costs, response.pseudo.precision, strict=True
            )
        )

    exact = posterior(DOCUMENTS, ALPHA, BETA, log_response)
    chain = SmallChain(DOCUMENTS, Plain(), ALPHA, BETA, seed=3)
    chain.observe(response.observations(topics, 16))
    seen = dict.fromkeys(exact, 0)
    for _ in range(20_000):
        for _ in range(3):
            chain.sweep()
        seen[tuple(chain.topics.tolist())] += 1
    assert chance_of(exact, seen) > 0.001


# ---------------------------------------------------------------- the posterior of everything, in closed form


def exact_moments(sigma):
    """Moments of (topics, η, v) with the squared loss: topics are listed, the Gaussian is integrated in closed form."""
    prior = np.repeat([NU, FEATURE_NU], [2, 3]) ** 2
    targets = REALS[:, 0]
    weights, moments = [], []
    for topics in naive.all_assignments(DOCUMENTS, 2):
        doc_topic, _ = naive.count(DOCUMENTS, topics, 2, N_WORDS)
        x = np.concatenate([mean_topics(doc_topic), FEATURES], axis=1)
        marginal = (x * prior) @ x.T + sigma**2 * np.eye(3)
        _, log_determinant = np.linalg.slogdet(marginal)
        log_evidence = -0.5 * (targets @ np.linalg.solve(marginal, targets) + log_determinant)
        weights.append(naive.log_joint(DOCUMENTS, topics, ALPHA, BETA) + log_evidence)
        covariance = np.linalg.inv(np.diag(1 / prior) + x.T @ x / sigma**2)
        mean = covariance @ x.T @ targets / sigma**2
        moments.append([*doc_topic[:, 0], *mean, *(np.diag(covariance) + mean**2), *(mean[2:] * doc_topic[0, 0])])
    chances = np.exp(np.array(weights) - np.max(weights))
    return (chances / chances.sum()) @ np.array(moments)


def make_chain(response, n_shards=1, seed=1):
    return Chain(
        matrix(DOCUMENTS, N_WORDS), 2, mixing=OwnDocument(ALPHA), prior=as_prior(0.5), sampler=Plain(), seed=seed,
        n_shards=n_shards, responses=[response],
    )  # fmt: skip


def chain_moments(response, n_sweeps):
    chain = make_chain(response)
    chain.start(Inline())
    seen = []
    for _ in range(n_sweeps):
        chain.sweep()
        doc_topic, own = chain.doc_topic().toarray(), response.weights[0]
        seen.append([*doc_topic[:, 0], *own, *(own**2), *(own[2:] * doc_topic[0, 0])])
    return np.array(seen, dtype=float)


@pytest.mark.slow
def test_topics_and_weights_have_the_moments_of_the_posterior():
    sigma = 0.6
    response = ChainTargets(REALS[:, :1], Squared(sigma), nu=NU, features=rows_of(FEATURES), feature_nu=FEATURE_NU)
    means, errors = batch_errors(chain_moments(response, 16_000), 80)
    z_scores = (means - exact_moments(sigma)) / errors
    assert np.abs(z_scores).max() < 3.7, z_scores


@pytest.mark.slow
def test_features_of_zeros_leave_the_distribution_of_the_model_without_features():
    sigma, settings = 0.6, {"nu": NU}
    plain = ChainTargets(REALS[:, :1], Squared(sigma), **settings)
    zeros = ChainTargets(REALS[:, :1], Squared(sigma), features=rows_of(np.zeros((3, 3))), **settings)
    found = [batch_errors(chain_moments(one, 12_000)[:, [0, 1, 2, 3, 4]], 80) for one in (plain, zeros)]
    z_scores = (found[0][0] - found[1][0]) / np.sqrt(found[0][1] ** 2 + found[1][1] ** 2)
    assert np.abs(z_scores).max() < 3.7, z_scores


# ---------------------------------------------------------------- Geweke


def values_of(weights, topics):
    doc_topic, _ = naive.count(topics, topics, 2, 2)
    return np.concatenate([mean_topics(doc_topic), FEATURES], axis=1) @ weights.T


def draw_targets(rng, loss, values):
    if isinstance(loss, Squared):
        return values + loss.sigma * rng.normal(size=values.shape)
    return np.where(rng.random(values.shape) < 1 / (1 + np.exp(-values)), 1.0, -1.0)


def forward(rng, loss):
    topics = [rng.choice(2, size=length, p=rng.dirichlet(ALPHA)).tolist() for length in LENGTHS]
    weights = np.repeat([NU, FEATURE_NU], [2, 3]) * rng.normal(size=(2, 5))
    return draw_words(rng, topics), topics, weights, draw_targets(rng, loss, values_of(weights, topics))


def statistics(words, topics, weights, targets):
    doc_topic, topic_word = naive.count(words, topics, 2, N_WORDS)
    values = values_of(weights, topics)
    return [
        doc_topic[:, 0].sum(), (doc_topic**2).sum(), (topic_word**2).sum(), weights[0, 0] ** 2, weights[0, 2],
        weights[1, 3] ** 2, weights[0, 0] * weights[0, 2], weights[1, 2] * weights[1, 4], values[0, 0] ** 2,
        (values * targets).sum(), weights[0, 2] * targets[0, 0], weights[1, 4] * doc_topic[0, 0] * targets[0, 1],
    ]  # fmt: skip


def chain_step(rng, loss, state, pseudo, step):
    """One sweep as a chain makes it: weights, topics, auxiliary variables; then draw words and targets."""
    words, topics, _, targets = state
    order = [np.argsort(row, kind="stable") for row in words]
    sorted_words = [[row[i] for i in turn] for row, turn in zip(words, order, strict=True)]
    topics = [[row[i] for i in turn] for row, turn in zip(topics, order, strict=True)]
    response = Labels(targets, loss, nu=NU, features=rows_of(FEATURES), feature_nu=FEATURE_NU)
    response.begin(2, np.uint64(0))
    if pseudo is not None and isinstance(loss, Logistic):  # the auxiliary variables did not change
        response.pseudo = response.pseudo._replace(precision=pseudo.precision)
    doc_topic, _ = naive.count(words, topics, 2, N_WORDS)
    lengths = np.array(LENGTHS, dtype=float)
    before = DocTopics(doc_topic.astype(np.int32), lengths)
    response.draw_from(before, np.uint64(10 * step))
    chain = SmallChain(sorted_words, Plain(), ALPHA, BETA, seed=step)
    chain.observe(response.observations(before, 16))
    chain.set_topics(np.concatenate(topics))
    chain.sweep()
    topics = [row.tolist() for row in np.split(chain.topics.astype(int), np.cumsum(LENGTHS)[:-1])]
    doc_topic, _ = naive.count(sorted_words, topics, 2, N_WORDS)
    response.draw_auxiliaries(DocTopics(doc_topic.astype(np.int32), lengths), np.uint64(10 * step + 1))
    targets = draw_targets(rng, loss, values_of(response.weights, topics))
    return (draw_words(rng, topics), topics, response.weights, targets), response.pseudo


@pytest.mark.slow
@pytest.mark.parametrize("loss", [Squared(0.6), Logistic()], ids=lambda loss: loss.name)
def test_chain_over_words_topics_weights_and_targets_has_the_models_own_moments(loss):
    rng, n_steps = np.random.default_rng(8), 6000
    drawn = np.array([statistics(*forward(rng, loss)) for _ in range(5000)])
    state, pseudo = forward(rng, loss), None
    chain = []
    for step in range(n_steps):
        state, pseudo = chain_step(rng, loss, state, pseudo, step)
        chain.append(statistics(*state))
    means, errors = batch_errors(np.array(chain), n_steps // 100)
    z_scores = (means - drawn.mean(axis=0)) / np.sqrt(drawn.var(axis=0) / len(drawn) + errors**2)
    assert np.abs(z_scores).max() < 3.7, z_scores


# ---------------------------------------------------------------- chains


@pytest.mark.parametrize("loss", [Hinge(1.0), Squared(0.5)], ids=lambda loss: loss.name)
@pytest.mark.parametrize("n_shards", [1, 3])
def test_a_restored_chain_continues_to_the_same_bits(loss, n_shards):
    straight, other = (make_chain(with_loss(loss), n_shards) for _ in range(2))
    straight.start(Inline())
    for _ in range(3):
        straight.sweep()
    other.restore({name: array.copy() for name, array in straight.state().items()}, Inline())
    for _ in range(4):
        assert straight.sweep() == other.sweep()
    for name, array in straight.state().items():
        assert array.tobytes() == other.state()[name].tobytes(), name


def test_a_state_with_other_features_is_refused():
    chain, other = make_chain(with_loss(Hinge(1.0))), make_chain(Labels(SIGNS, Hinge(1.0), costs=COSTS))
    chain.start(Inline())
    with pytest.raises(PlaitError, match="damaged: it has 5 weights per row, not 2"):
        other.restore(chain.state(), Inline())


def test_sums_that_would_fill_the_memory_are_refused_with_the_size():
    check_size(1, 40, 1000)
    with pytest.raises(PlaitError, match=r"1,000 features with weights for 1,000 labels need 4.0 GiB .* at most 478"):
        check_size(1000, 40, 1000)
