"""Labels as a response: the chain against the joint from its definition.

Topics alone with weights and auxiliary variables held fixed (enumeration); everything together where the loss is a
likelihood (Geweke); and topics with weights against numerical integration where it is not.
"""

from __future__ import annotations

import numpy as np
import pytest

from plait.engine.chain import Chain
from plait.errors import PlaitError
from plait.mixing import OwnDocument
from plait.priors import as_prior
from plait.responses import Hinge, Logistic, Probit, Squared
from plait.responses.base import DocTopics
from plait.samplers import Plain
from tests import naive
from tests.responses.definitions import Labels, batch_errors, chance_of, log_labels, posterior
from tests.samplers.small import Inline, SmallChain, matrix

pytestmark = pytest.mark.slow

DOCUMENTS = [[0, 0, 1], [1, 2], [0, 2, 2]]
N_WORDS = 3
ALPHA = np.array([0.6, 1.1])
BETA = np.full((2, N_WORDS), 0.5)
SIGNS = np.array([[1.0, -1.0], [-1.0, -1.0], [1.0, np.nan]])
REALS = np.array([[0.7, -1.2], [-0.4, 0.1], [1.5, np.nan]])
LOSSES = [(Hinge(1.0), SIGNS), (Logistic(), SIGNS), (Squared(0.5), REALS)]
COSTS = np.array([[1.0, 2.0], [3.0, 1.5], [0.5, 1.0]])
WEIGHTS = np.array([[1.4, -0.9], [-0.6, 0.8]])


@pytest.mark.parametrize(("loss", "targets"), LOSSES, ids=lambda item: getattr(item, "name", ""))
@pytest.mark.parametrize("n_labels", [1, 2])
def test_topics_given_weights_and_auxiliaries_are_drawn_from_the_joint(loss, targets, n_labels):
    response = Labels(targets[:, :n_labels], loss, costs=COSTS[:, :n_labels])
    response.begin(2, np.uint64(0))
    response.weights = WEIGHTS[:n_labels]
    topics = DocTopics(np.array([[2, 1], [0, 2], [1, 2]]), np.array([3.0, 2.0, 3.0]))
    response.draw_auxiliaries(topics, np.uint64(5))
    exact = posterior(DOCUMENTS, ALPHA, BETA, lambda doc_topic: log_labels(response, doc_topic))
    chain = SmallChain(DOCUMENTS, Plain(), ALPHA, BETA, seed=3)
    chain.observe(response.observations(topics, 16))
    n_kept = 30_000
    seen = dict.fromkeys(exact, 0)
    for _ in range(n_kept):
        for _ in range(3):
            chain.sweep()
        seen[tuple(chain.topics.tolist())] += 1
    assert chance_of(exact, seen) > 0.001


# ---------------------------------------------------------------- Geweke

LENGTHS = [4, 3, 5]
NU = 0.9
MEAN = np.array([[0.8, -0.5], [-1.1, 0.3]])


def values_of(weights, topics):
    doc_topic, _ = naive.count(topics, topics, 2, 2)
    return (doc_topic / doc_topic.sum(axis=1, keepdims=True)) @ weights.T


def draw_targets(rng, loss, values):
    if isinstance(loss, Squared):
        return values + loss.sigma * rng.normal(size=values.shape)
    return np.where(rng.random(values.shape) < 1 / (1 + np.exp(-values)), 1.0, -1.0)


def draw_words(rng, topics):
    phi = np.array([rng.dirichlet(row) for row in BETA])
    return [[int(rng.choice(N_WORDS, p=phi[topic])) for topic in row] for row in topics]


def forward(rng, loss, mean):
    topics = [rng.choice(2, size=length, p=rng.dirichlet(ALPHA)).tolist() for length in LENGTHS]
    weights = (0.0 if mean is None else mean) + NU * rng.normal(size=(2, 2))
    return draw_words(rng, topics), topics, weights, draw_targets(rng, loss, values_of(weights, topics))


def statistics(words, topics, weights, targets):
    doc_topic, topic_word = naive.count(words, topics, 2, N_WORDS)
    values = values_of(weights, topics)
    return [
        doc_topic[:, 0].sum(),
        (doc_topic**2).sum(),
        (topic_word**2).sum(),
        weights[0, 0],
        weights[0, 0] ** 2,
        weights[1, 0] * weights[1, 1],
        values[0, 0] ** 2,
        (values * targets).sum(),
        targets[1, 1],
        weights[0, 0] * doc_topic[0, 0] * targets[0, 0],
    ]


def chain_step(rng, loss, mean, state, pseudo, step):
    """One sweep as a chain makes it: weights, topics, auxiliary variables; then draw words and targets."""
    words, topics, weights, targets = state
    order = [np.argsort(row, kind="stable") for row in words]
    sorted_words = [[row[i] for i in turn] for row, turn in zip(words, order, strict=True)]
    topics = [[row[i] for i in turn] for row, turn in zip(topics, order, strict=True)]
    response = Labels(targets, loss, nu=NU, mean=mean)
    response.begin(2, np.uint64(0))
    # The target changed and the auxiliary variables did not: they set the precision, and the pull follows from both.
    if pseudo is not None and isinstance(loss, Logistic):
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
    weights = response.weights
    targets = draw_targets(rng, loss, values_of(weights, topics))
    return (draw_words(rng, topics), topics, weights, targets), response.pseudo


@pytest.mark.parametrize("loss", [Squared(0.6), Logistic()], ids=["squared", "logistic"])
@pytest.mark.parametrize(("mean", "n_steps"), [(None, 9000), (MEAN, 3000)], ids=["0", "a mean"])
def test_chain_over_words_topics_weights_and_targets_has_the_models_own_moments(loss, mean, n_steps):
    rng = np.random.default_rng(8)
    drawn = np.array([statistics(*forward(rng, loss, mean)) for _ in range(5000)])
    state, pseudo = forward(rng, loss, mean), None
    chain = []
    for step in range(n_steps):
        state, pseudo = chain_step(rng, loss, mean, state, pseudo, step)
        chain.append(statistics(*state))
    means, errors = batch_errors(np.array(chain), n_steps // 100)
    z_scores = (means - drawn.mean(axis=0)) / np.sqrt(drawn.var(axis=0) / len(drawn) + errors**2)
    assert np.abs(z_scores).max() < 3.7, z_scores


# ---------------------------------------------------------------- pseudo-likelihoods

SHORT = [[0, 0, 1], [1, 2]]
SHORT_SIGNS = np.array([[1.0], [-1.0]])


def integrated_moments(loss, cost, nu, mean):
    """Moments of (topics, weights) by listing topics and integrating over a grid of weights."""
    axis = np.linspace(-6 * nu, 6 * nu, 301)
    first, second = np.meshgrid(mean[0] + axis, mean[1] + axis, indexing="ij")
    prior = np.exp(-((first - mean[0]) ** 2 + (second - mean[1]) ** 2) / (2 * nu**2))
    total, moments = 0.0, 0.0
    for topics in naive.all_assignments(SHORT, 2):
        doc_topic, _ = naive.count(SHORT, topics, 2, N_WORDS)
        density = prior * np.exp(naive.log_joint(SHORT, topics, ALPHA, BETA))
        for row, (sign,) in zip(doc_topic, SHORT_SIGNS, strict=True):
            value = (first * row[0] + second * row[1]) / row.sum()
            density = density * np.exp(loss.log_likelihood(sign, value, cost))
        total = total + density.sum()
        a, b = doc_topic[0, 0], doc_topic[1, 0]
        parts = [1.0 * (a == 0), 1.0 * (a == 3), 1.0 * (b == 0), 1.0 * (b == 2), 1.0 * (a == 3 and b == 0),
                 first, second, first**2, first * second, first * a, second * b, 1.0 * (first > 0.5)]  # fmt: skip
        moments = moments + np.array([(density * part).sum() for part in parts])
    return moments / total


def make_chain(response):
    return Chain(
        matrix(SHORT, N_WORDS), 2, mixing=OwnDocument(ALPHA), prior=as_prior(0.5), sampler=Plain(), seed=1,
        n_shards=1, responses=[response],
    )  # fmt: skip


def chain_moments(response, n_sweeps):
    chain = make_chain(response)
    chain.start(Inline())
    seen = []
    for _ in range(n_sweeps):
        chain.sweep()
        (a, _), (b, _) = chain.doc_topic().toarray()
        first, second = response.weights[0]
        seen.append([a == 0, a == 3, b == 0, b == 2, a == 3 and b == 0,
                     first, second, first**2, first * second, first * a, second * b, first > 0.5])  # fmt: skip
    return np.array(seen, dtype=float)


@pytest.mark.parametrize(
    ("loss", "cost", "mean"),
    [
        (Hinge(1.0), 1.0, None),
        (Hinge(0.7), 2.5, None),
        (Logistic(), 3.0, None),
        (Probit(), 3.0, None),
        (Hinge(0.7), 2.5, np.array([[-0.6, 1.0]])),
    ],
    ids=["hinge", "hinge c", "logistic c", "probit c", "hinge c, a mean"],
)
def test_topics_and_weights_have_the_moments_of_the_pseudo_posterior(loss, cost, mean):
    nu = 1.3
    exact = integrated_moments(loss, cost, nu, np.zeros(2) if mean is None else mean[0])
    seen = chain_moments(Labels(SHORT_SIGNS, loss, costs=cost, nu=nu, mean=mean), 16_000)
    means, errors = batch_errors(seen, 80)
    z_scores = (means - exact) / errors
    assert np.abs(z_scores).max() < 3.7, z_scores


# ---------------------------------------------------------------- a mean of the prior


def expecting_labels(mean=MEAN):
    response = Labels(SIGNS, Logistic(), costs=COSTS, nu=NU, mean=mean)
    response.begin(2, np.uint64(0))
    return response


def test_weights_are_drawn_around_what_their_prior_expects():
    response, n_draws = expecting_labels(), 6000
    np.testing.assert_array_equal(response.weights, MEAN)  # as a chain starts
    counts = np.array([[2, 1], [0, 2], [1, 2]])
    topics = DocTopics(counts, counts.sum(axis=1).astype(float))
    response.draw_auxiliaries(topics, np.uint64(5))
    starts, numbers, _ = response.documents
    documents = np.repeat(np.arange(3), np.diff(starts))
    draws = np.empty((n_draws, 2, 2))
    for key in range(n_draws):
        response.draw_from(topics, np.uint64(key))
        draws[key] = response.weights
    for label in range(2):
        own = numbers == label
        designs = (counts / counts.sum(axis=1, keepdims=True))[documents[own]]
        precision = np.eye(2) / NU**2 + designs.T @ (response.pseudo.precision[own, np.newaxis] * designs)
        covariance = np.linalg.inv(precision)
        expected = covariance @ (designs.T @ response.pseudo.pull[own] + MEAN[label] / NU**2)
        np.testing.assert_allclose(response.expect_from(topics)[label], expected, atol=1e-12)
        spread = np.sqrt(np.diag(covariance))
        assert (np.abs(draws[:, label].mean(axis=0) - expected) < 4 * spread / np.sqrt(n_draws)).all()
        errors = np.sqrt((np.outer(spread, spread) ** 2 + covariance**2) / n_draws)
        assert (np.abs(np.cov(draws[:, label].T) - covariance) < 4 * errors).all()


def test_a_chain_changes_no_mean():
    mean = MEAN.copy()
    response = expecting_labels(mean)
    response.weights += 1.0
    mean += 5.0
    response.begin(2, np.uint64(0))
    np.testing.assert_array_equal(response.weights, MEAN)


@pytest.mark.parametrize(
    ("mean", "message"),
    [
        (np.zeros((3, 2)), r"has the shape \(3, 2\); give 2 × topics"),
        (np.zeros(2), r"has the shape \(2,\); give 2 × topics"),
        (np.full((2, 2), np.inf), "contains NaN or infinite numbers"),
        (np.zeros((2, 4)), "has 4 topics, but the chain has 2"),
    ],
)
def test_a_mean_that_does_not_fit_is_refused(mean, message):
    with pytest.raises(PlaitError, match=f"the prior mean of the weights {message}"):
        expecting_labels(mean)


def test_a_mean_of_0_is_as_good_as_none():
    seen = [
        chain_moments(Labels(SHORT_SIGNS, Hinge(1.0), nu=NU, mean=mean), 30).tobytes()
        for mean in (None, np.zeros((1, 2)))
    ]
    assert seen[0] == seen[1]


def test_a_restored_chain_that_is_given_its_mean_again_goes_on_to_the_same_bits():
    straight, other = (make_chain(Labels(SHORT_SIGNS, Hinge(1.0), nu=NU, mean=MEAN[:1])) for _ in range(2))
    straight.start(Inline())
    for _ in range(3):
        straight.sweep()
    other.restore({name: array.copy() for name, array in straight.state().items()}, Inline())
    for _ in range(5):
        assert straight.sweep() == other.sweep()
    for name, array in straight.state().items():
        assert array.tobytes() == other.state()[name].tobytes(), name
