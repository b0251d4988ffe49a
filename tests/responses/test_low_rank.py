"""Low-rank weights of links: each part given the others against NumPy, and a chain against numerical integration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.engine.messages import LinkedTopics
from plait.errors import PlaitError
from plait.executors import Threads
from plait.responses import Logistic
from plait.responses.base import DocTopics, serial_map
from plait.responses.joining import add_sums
from plait.responses.linear import bilinear, low_rank
from plait.responses.linear.link_sums import Pairs
from plait.responses.linear.pairs import ChainPairs, Negatives, Network
from plait.responses.losses import Pseudo
from tests import naive
from tests.responses.definitions import Links, batch_errors, link_chain, list_pairs, mean_topics
from tests.samplers.small import Inline

N_DOCUMENTS, N_TOPICS, RANK, NU = 12, 3, 2, 0.8
TOPICS = np.random.default_rng(0).poisson(1.2, size=(N_DOCUMENTS, N_TOPICS))
TOPICS[7] = 0  # a document without words
DOC_TOPICS = DocTopics(TOPICS, TOPICS.sum(axis=1).astype(float))
FORMS = ["full", "symmetric"]
MEAN = np.array([[1.5, -0.7, 0.3], [-0.7, -0.4, 1.1], [0.3, 1.1, 2.0]])


def make_links(form, **options):
    codes = np.random.default_rng(1).permutation(11 * 11)
    sources, targets = codes // 11, codes % 11
    there = sources != targets if form == "full" else sources < targets
    sources, targets = sources[there][:14], targets[there][:14]
    network = Network(N_DOCUMENTS, sources, targets, np.full(14, 4.0), form == "full")
    negatives = Negatives(20, 1.0, options.pop("fresh_every", 0))
    return Links(network, negatives, Logistic(), form=form, rank=RANK, nu=NU, **options)


def given(form, turn=0, **options):
    """Links with pseudo-observations and parts by chance."""
    links, rng = make_links(form, **options), np.random.default_rng(2)
    links.begin(N_TOPICS, np.uint64(3))
    links.pseudo = Pseudo(rng.normal(size=links.signs.size), rng.gamma(2.0, size=links.signs.size))
    left, right = rng.normal(size=(2, N_TOPICS, RANK))
    links._parts = links._parts._replace(values=(left, right, rng.normal(size=N_TOPICS + 1)), turn=turn)
    return links


def posterior(links):
    """Mean and covariance of the part that is due given the others, row by row, from the definition."""
    mean, parts = mean_topics(TOPICS), links._parts
    rest = parts._replace(values=tuple(np.zeros_like(part) if n == parts.turn else part
                                       for n, part in enumerate(parts.values))).weights()  # fmt: skip
    designs, offsets = [], []
    for i, j, _, _ in list_pairs(links):
        if parts.turn == low_rank.DIAGONAL:
            designs.append(np.append(mean[i] * mean[j], mean[i].sum() * mean[j].sum()))
        else:
            other = parts.values[1 - parts.turn]
            one, two = np.outer(mean[i], other.T @ mean[j]), np.outer(mean[j], other.T @ mean[i])
            designs.append((0.5 * (one + two) if parts.symmetric else (one, two)[parts.turn]).ravel())
        offsets.append(mean[i] @ rest @ mean[j])
    designs, pseudo = np.array(designs), links.pseudo
    variance = NU**2 if parts.turn == low_rank.DIAGONAL else NU / np.sqrt(RANK)
    precision = np.eye(designs.shape[1]) / variance + designs.T @ (pseudo.precision[:, np.newaxis] * designs)
    covariance = np.linalg.inv(precision)
    return covariance @ designs.T @ (pseudo.pull - pseudo.precision * np.array(offsets)), covariance


class Units:
    """Random numbers that are one unit vector."""

    def __init__(self, place):
        self.place = place

    def standard_normal(self, size):
        """Return the unit vector."""
        return np.eye(np.prod(size, dtype=int))[self.place].reshape(size)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("turn", [low_rank.LEFT, low_rank.RIGHT, low_rank.DIAGONAL])
@pytest.mark.parametrize("expects", [False, True], ids=["0", "a mean"])
@pytest.mark.parametrize("runs", [[(0, 12)], [(0, 3), (3, 9), (9, 12)]], ids=["one shard", "three shards"])
def test_each_part_has_the_posterior_mean_and_covariance_given_the_others(form, turn, expects, runs):
    links = given(form, turn, mean=MEAN if expects else None)
    mean, covariance = posterior(links)
    links.cut(runs)
    sums = three_shards(links, runs) if len(runs) > 1 else links._sums(DOC_TOPICS)
    before = links._parts
    found = low_rank.draw_part(before, sums, NU, None, serial_map)
    np.testing.assert_allclose(found.values[turn].ravel(), mean, atol=1e-10)
    for other in {0, 1, 2} - {turn}:
        np.testing.assert_array_equal(found.values[other], before.values[other])
    assert found.turn == (turn + 1) % 3
    roots = [low_rank.draw_part(before, sums, NU, Units(place), serial_map) for place in range(mean.size)]
    root = np.array([one.values[turn].ravel() - mean for one in roots]).T
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-10)


def three_shards(links, runs):
    """Sums of a chain whose documents have the topics above."""
    counts = {run: TOPICS[slice(*run)] for run in runs}
    halves, exported = links.cut(runs)
    rows = np.concatenate([run[0] + own for run, own in zip(runs, exported, strict=True)])
    outside = LinkedTopics(sparse.csr_array(TOPICS[rows]), np.maximum(DOC_TOPICS.lengths[rows], 1e-30))
    message = links.message()
    return add_sums(
        [
            half.statistics(DocTopics(counts[run], counts[run].sum(axis=1).astype(float), outside), message, serial_map)
            for half, run in zip(halves, runs, strict=True)
        ]
    )


@pytest.mark.parametrize("symmetric", [False, True])
def test_sums_have_the_same_bits_for_any_number_of_threads(symmetric):
    rng = np.random.default_rng(5)
    n_documents, n_pairs, n_topics = 3000, 9000, 7
    counts = rng.poisson(0.8, size=(n_documents, n_topics))
    lists = bilinear.list_topics(DocTopics(counts, np.maximum(counts.sum(axis=1), 1).astype(float)))
    starts = np.searchsorted(np.sort(rng.integers(n_documents, size=n_pairs)), np.arange(n_documents + 1))
    pairs = Pairs(starts.astype(np.int64), rng.integers(n_documents, size=n_pairs).astype(np.int32))
    left, right = rng.normal(size=(2, n_topics, 3))
    parts = low_rank.Parts((left, right, rng.normal(size=n_topics + 1)), symmetric, None)
    pull, precision = rng.normal(size=n_pairs), rng.gamma(1.0, size=n_pairs)
    with Threads(3) as executor:
        for turn in range(3):
            due = parts._replace(turn=turn)
            alone = low_rank.part_sums(due, pairs, lists, pull, precision, serial_map)
            together = low_rank.part_sums(due, pairs, lists, pull, precision, executor.map)
            for one, other in zip(alone, together, strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("expects", [False, True], ids=["0", "a mean"])
def test_values_are_those_of_the_weights(form, expects):
    links = given(form, mean=MEAN if expects else None)
    lists = bilinear.list_topics(DOC_TOPICS)
    pairs = links.halves[0]._layout.pairs
    expected = bilinear.pair_values(pairs, lists, links._parts.weights())
    np.testing.assert_allclose(links._parts.pair_values(pairs, lists, serial_map), expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_weights_without_pairs_have_the_spread_of_their_prior(form):
    links = make_links(form)
    links.begin(N_TOPICS, np.uint64(3))
    assert (links.weights == 0).all()
    nothing = Pseudo(np.zeros(links.signs.size), np.zeros(links.signs.size))
    links.pseudo = nothing
    squares = []
    for key in range(3000):
        for _ in range(links.n_rounds()):
            links.draw_from(DOC_TOPICS, np.uint64(key))
        squares.append(links.weights**2)
    expected = NU**2 * (2 + np.eye(3) if form == "full" else 1.5 + 1.5 * np.eye(3))
    errors = np.std(squares, axis=0) / np.sqrt(len(squares))
    assert (np.abs(np.mean(squares, axis=0) - expected) < 4 * errors).all()


# ---------------------------------------------------------------- a chain


def make_chain(links, started=True):
    rng = np.random.default_rng(6)
    documents = [sorted(rng.integers(6, size=size).tolist()) for size in TOPICS.sum(axis=1)]
    return link_chain(documents, [links], alpha=np.full(N_TOPICS, 0.4), n_words=6, started=started)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_before", [4, 5])
def test_a_restored_chain_goes_on_to_the_same_bits(form, n_before):
    options = {"weights_every": 2, "fresh_every": 3, "mean": MEAN}
    straight, other = (make_chain(make_links(form, **options), started) for started in (True, False))
    for _ in range(n_before):
        straight.sweep()
    other.restore({name: array.copy() for name, array in straight.state().items()}, Inline())
    for _ in range(5):
        assert straight.sweep() == other.sweep()
        states = [chain.state() for chain in (straight, other)]
        for name in states[0]:
            assert states[0][name].tobytes() == states[1][name].tobytes(), name


def test_parts_of_another_rank_are_refused():
    chain = make_chain(make_links("full"))
    state = dict(chain.state())
    state["response 0 left"] = np.zeros((N_TOPICS, RANK + 1))
    with pytest.raises(PlaitError, match="parts of the weights have the shapes"):
        make_chain(make_links("full"), started=False).restore(state, Inline())


DOCUMENTS = [[0, 1], [0, 2], [0]]
LINKS = {(0, 1), (1, 0), (2, 1)}
COST = 4.0  # of a link; a pair without one has 1
ALPHA, BETA, N_WORDS = np.array([0.6, 1.1]), 0.5, 3


def moments_of(doc_topic, weights):
    (a, _), (b, _), (c, _) = doc_topic
    return [
        1.0 * (a == 0), 1.0 * (a == 2), 1.0 * (b == 1), 1.0 * (c == 1), 1.0 * (a == b == c == 0), weights[0, 0],
        weights[0, 1], weights[0, 0] ** 2, weights[1, 0] ** 2, weights[0, 0] * weights[1, 1],
        weights[0, 0] * a, weights[1, 0] * b * c,
    ]  # fmt: skip


def integrated_moments(symmetric, nu, n_draws=200_000, n_batches=50):
    """Moments of (topics, weights) by listing topics and integrating over draws from the prior; and their errors."""
    rng = np.random.default_rng(9)
    a_0, a_1, b_0, b_1 = np.sqrt(nu) * rng.normal(size=(4, n_draws))
    d_0, d_1, everywhere = nu * rng.normal(size=(3, n_draws))
    weights = np.array([[a_0 * b_0 + d_0, a_0 * b_1], [a_1 * b_0, a_1 * b_1 + d_1]]) + everywhere
    if symmetric:
        weights[0, 1] = weights[1, 0] = 0.5 * (weights[0, 1] + weights[1, 0])
    total, moments = 0.0, 0.0
    for topics in naive.all_assignments(DOCUMENTS, 2):
        doc_topic, _ = naive.count(DOCUMENTS, topics, 2, N_WORDS)
        mean = doc_topic / doc_topic.sum(axis=1, keepdims=True)
        said = 0.0
        for i, j in itertools.permutations(range(3), 2):
            if symmetric and i > j:
                continue
            sign, cost = (1.0, COST) if (i, j) in LINKS or (symmetric and (j, i) in LINKS) else (-1.0, 1.0)
            value = sum(mean[i, k] * mean[j, m] * weights[k, m] for k in range(2) for m in range(2))
            said = said - cost * np.logaddexp(0.0, -sign * value)
        words = np.exp(naive.log_joint(DOCUMENTS, topics, ALPHA, np.full((2, N_WORDS), BETA)))
        density = words * np.exp(said)
        total = total + density.reshape(n_batches, -1).sum(axis=1)
        parts = [np.reshape(density * part, (n_batches, -1)).sum(axis=1) for part in moments_of(doc_topic, weights)]
        moments = moments + np.array(parts)
    means = moments.sum(axis=1) / total.sum()
    # Of a ratio of two means: the spread of numerator − ratio · denominator over the batches.
    return means, np.std(moments - means[:, np.newaxis] * total, axis=1) / total.mean() / np.sqrt(n_batches)


@pytest.mark.slow
@pytest.mark.parametrize("symmetric", [False, True])
def test_topics_and_weights_have_the_moments_of_the_pseudo_posterior(symmetric):
    nu, loss = 1.3, Logistic()
    ends = sorted({(min(link), max(link)) for link in LINKS} if symmetric else LINKS)
    sources, targets = np.array(ends).T
    network = Network(3, sources, targets, np.full(sources.size, COST), directed=not symmetric)
    form = "symmetric" if symmetric else "full"
    links = ChainPairs(network, Negatives(1000, 1.0), loss, form=form, rank=1, nu=nu)
    chain = link_chain(DOCUMENTS, [links], alpha=ALPHA, n_words=N_WORDS, beta=BETA, seed=1)
    seen = []
    for _ in range(12_000):
        chain.sweep()
        seen.append(moments_of(chain.doc_topic().toarray(), links.weights))
    means, errors = batch_errors(np.array(seen), 50)
    exact, own_errors = integrated_moments(symmetric, nu)
    z_scores = (means - exact) / np.hypot(errors, own_errors)
    assert np.abs(z_scores).max() < 4, z_scores
