"""Links as a response: how its forms hang together, when it draws what, and that it goes on where it stopped."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait.errors import PlaitError
from plait.inputs.links import GivenLinks
from plait.responses import LinkResponse, Logistic
from plait.responses.base import DocTopics
from plait.responses.linear.pairs import FORMS, Negatives, Network
from plait.responses.losses import Pseudo
from tests.responses.definitions import Links, link_chain, list_pairs, mean_topics
from tests.samplers.small import Inline

N_DOCUMENTS, N_TOPICS, N_WORDS, WIDTH = 12, 3, 6, 16
ALPHA = np.full(N_TOPICS, 0.4)
NU = 0.8
TOPICS = np.random.default_rng(0).poisson(1.2, size=(N_DOCUMENTS, N_TOPICS))
TOPICS[7] = 0  # a document without words
DOC_TOPICS = DocTopics(TOPICS, TOPICS.sum(axis=1).astype(float))
MEANS = {
    "full": np.array([[1.5, -0.7, 0.3], [2.0, -0.4, 1.1], [-1.3, 0.6, 2.0]]),
    "symmetric": np.array([[1.5, -0.7, 0.3], [-0.7, -0.4, 1.1], [0.3, 1.1, 2.0]]),
    "diagonal": np.diag([1.5, -0.4, 2.0]),
}


def make_network(directed=True, seed=1):
    """Fourteen links between documents 0 to 10; the last document has none."""
    codes = np.random.default_rng(seed).permutation(11 * 11)
    sources, targets = codes // 11, codes % 11
    there = sources != targets if directed else sources < targets
    sources, targets = sources[there][:14], targets[there][:14]
    if not directed:  # a link without direction may name either end first
        sources, targets = np.where(np.arange(14) % 2, sources, targets), np.where(np.arange(14) % 2, targets, sources)
    return Network(N_DOCUMENTS, sources, targets, np.full(14, 4.0), directed)


def make_links(form="full", directed=True, **options):
    number, every = options.pop("number", 20), options.pop("fresh_every", 0)
    return Links(make_network(directed), Negatives(number, 1.0, every), Logistic(), form=form, nu=NU, **options)


def given(form, weights=None, seed=2, **options):
    """Links with pseudo-observations by chance; the same for every form."""
    links = make_links(form, **options)
    links.begin(N_TOPICS, np.uint64(3))
    rng = np.random.default_rng(seed)
    links.pseudo = Pseudo(rng.normal(size=links.signs.size), rng.gamma(2.0, size=links.signs.size))
    links.weights = links.weights if weights is None else weights
    return links


def said(observations, document):
    """Pull, precision and direction of a document's observations, a row for each."""
    own = slice(observations.starts[document], observations.starts[document + 1])
    directions = observations.directions.reshape(-1, WIDTH)[observations.rows[own]]
    return np.column_stack([observations.pull[own], observations.precision[own], directions])


# ---------------------------------------------------------------- forms


def dense_posterior(links):
    """Mean and covariance of all weights, row by row, from the definition: Chen et al. (2013), eq. (8)."""
    mean = mean_topics(TOPICS)
    designs = np.array([np.outer(mean[i], mean[j]).ravel() for i, j, _, _ in list_pairs(links)])
    precision = np.eye(N_TOPICS**2) / NU**2 + designs.T @ (links.pseudo.precision[:, np.newaxis] * designs)
    covariance = np.linalg.inv(precision)
    return covariance @ designs.T @ links.pseudo.pull, covariance


def without_the_rest(mean, covariance):
    """Mean and covariance of the diagonal's weights where all others are known to be 0."""
    own = np.arange(N_TOPICS) * (N_TOPICS + 1)
    others = np.setdiff1d(np.arange(N_TOPICS**2), own)
    slope = covariance[np.ix_(own, others)] @ np.linalg.inv(covariance[np.ix_(others, others)])
    return mean[own] - slope @ mean[others], covariance[np.ix_(own, own)] - slope @ covariance[np.ix_(others, own)]


def test_expected_weights_are_those_of_the_full_gaussian_and_of_its_diagonal():
    mean, covariance = dense_posterior(given("full"))
    np.testing.assert_allclose(given("full").expect_from(DOC_TOPICS).ravel(), mean, atol=1e-10)
    diagonal = given("diagonal").expect_from(DOC_TOPICS)
    np.testing.assert_allclose(diagonal, np.diag(without_the_rest(mean, covariance)[0]), atol=1e-10)


def test_diagonal_weights_are_drawn_from_the_full_gaussian_with_all_others_held_at_0():
    mean, covariance = without_the_rest(*dense_posterior(given("full")))
    links, n_draws = given("diagonal"), 4000
    draws = []
    for key in range(n_draws):
        links.draw_from(DOC_TOPICS, np.uint64(key))
        draws.append(links.weights)
    draws = np.array(draws)
    assert (draws[:, ~np.eye(N_TOPICS, dtype=bool)] == 0).all()
    draws = np.diagonal(draws, axis1=1, axis2=2)
    spread = np.sqrt(np.diag(covariance))
    assert (np.abs(draws.mean(axis=0) - mean) < 4 * spread / np.sqrt(n_draws)).all()
    # A sample covariance has about this standard error.
    errors = np.sqrt((np.outer(spread, spread) ** 2 + covariance**2) / n_draws)
    assert (np.abs(np.cov(draws.T) - covariance) < 4 * errors).all()


# ---------------------------------------------------------------- a mean of the prior

FREE = {  # entries of U that are drawn; of a symmetric U, those above the diagonal follow
    "full": [(i, j) for i in range(N_TOPICS) for j in range(N_TOPICS)],
    "symmetric": [(i, j) for i in range(N_TOPICS) for j in range(i + 1)],
    "diagonal": [(i, i) for i in range(N_TOPICS)],
}


def expecting_posterior(links, form):
    """Mean and covariance of the weights that are drawn, each with the prior N(its entry of the mean, ν²)."""
    mean, designs = mean_topics(TOPICS), []
    for i, j, _, _ in list_pairs(links):
        both = np.outer(mean[i], mean[j])
        folded = both + both.T - np.diag(np.diag(both)) if form == "symmetric" else both
        designs.append([folded[entry] for entry in FREE[form]])
    designs = np.array(designs)
    prior = np.array([MEANS[form][entry] for entry in FREE[form]])
    precision = np.eye(prior.size) / NU**2 + designs.T @ (links.pseudo.precision[:, np.newaxis] * designs)
    covariance = np.linalg.inv(precision)
    return covariance @ (designs.T @ links.pseudo.pull + prior / NU**2), covariance


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_drawn_around_what_their_prior_expects(form):
    links, n_draws = given(form, mean=MEANS[form]), 4000
    np.testing.assert_array_equal(links.weights, MEANS[form])  # as a chain starts
    mean, covariance = expecting_posterior(links, form)
    rows, columns = np.transpose(FREE[form])
    np.testing.assert_allclose(links.expect_from(DOC_TOPICS)[rows, columns], mean, atol=1e-10)
    draws = np.empty((n_draws, N_TOPICS, N_TOPICS))
    for key in range(n_draws):
        links.draw_from(DOC_TOPICS, np.uint64(key))
        draws[key] = links.weights
    if form != "full":
        np.testing.assert_array_equal(draws, draws.transpose(0, 2, 1))
    if form == "diagonal":
        assert (draws[:, ~np.eye(N_TOPICS, dtype=bool)] == 0).all()
    draws, spread = draws[:, rows, columns], np.sqrt(np.diag(covariance))
    assert (np.abs(draws.mean(axis=0) - mean) < 4 * spread / np.sqrt(n_draws)).all()
    errors = np.sqrt((np.outer(spread, spread) ** 2 + covariance**2) / n_draws)
    assert (np.abs(np.cov(draws.T) - covariance) < 4.5 * errors).all()


def test_a_mean_that_is_symmetric_but_for_rounding_is_taken_as_symmetric():
    tilted = MEANS["symmetric"].copy()
    tilted[0, 1] += 1e-12
    links = given("symmetric", mean=tilted)
    np.testing.assert_array_equal(links.weights, links.weights.T)


@pytest.mark.parametrize(
    ("form", "mean", "message"),
    [
        ("symmetric", MEANS["full"], "is not symmetric, but the weights are"),
        ("diagonal", MEANS["symmetric"], "is not diagonal, but the weights are"),
        ("full", np.zeros((2, 3)), r"has the shape \(2, 3\); give topics × topics"),
        ("full", np.zeros(3), r"has the shape \(3,\); give topics × topics"),
        ("full", np.full((3, 3), np.nan), "contains NaN or infinite numbers"),
        ("full", np.zeros((4, 4)), "has 4 topics, but the chain has 3"),
    ],
)
def test_a_mean_that_does_not_fit_is_refused(form, mean, message):
    with pytest.raises(PlaitError, match=f"the prior mean of the weights {message}"):
        make_links(form, mean=mean).begin(N_TOPICS, np.uint64(0))


@pytest.mark.parametrize("form", ["symmetric", "diagonal"])
def test_other_forms_say_what_the_full_one_says_with_the_same_weights(form):
    full, other = (given(kind, MEANS[form]).observations(DOC_TOPICS, WIDTH) for kind in ("full", form))
    assert full.moving.n_rows == 2 * other.moving.n_rows
    for document in range(N_DOCUMENTS):
        np.testing.assert_array_equal(said(full, document), said(other, document))


@pytest.mark.parametrize("form", FORMS)
def test_both_ends_of_a_pair_see_it_with_the_other_ones_topics(form):
    weights = np.random.default_rng(4).normal(size=(N_TOPICS, N_TOPICS))
    weights = {"full": weights, "symmetric": weights + weights.T, "diagonal": np.diag(np.diag(weights))}[form]
    links, mean = given(form, weights), mean_topics(TOPICS)
    expected = [[] for _ in range(N_DOCUMENTS)]
    for (i, j, _, _), *strength in zip(list_pairs(links), *links.pseudo, strict=True):
        expected[i].append([*strength, *(weights @ mean[j])])
        expected[j].append([*strength, *(weights.T @ mean[i])])
    found = links.observations(DOC_TOPICS, WIDTH)
    assert found.pull.size == 2 * links.signs.size
    for document in range(N_DOCUMENTS):
        rows = said(found, document)
        assert (rows[:, 2 + N_TOPICS :] == 0).all()
        rows = rows[:, : 2 + N_TOPICS]
        wanted = np.array(expected[document]).reshape(-1, 2 + N_TOPICS)
        np.testing.assert_allclose(rows[rows[:, 0].argsort()], wanted[wanted[:, 0].argsort()], atol=1e-6)


# ---------------------------------------------------------------- when what is drawn


def make_chain(links, seed=0, started=True):
    rng = np.random.default_rng(6)
    documents = [sorted(rng.integers(N_WORDS, size=size).tolist()) for size in TOPICS.sum(axis=1)]
    return link_chain(documents, [links], alpha=ALPHA, n_words=N_WORDS, seed=seed, started=started)


def unlinked(links):
    return {(i, j) for i, j, sign, _ in list_pairs(links) if sign < 0}


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("fresh_every", [0, 3])
def test_other_pairs_without_a_link_are_drawn_at_their_time_and_are_never_linked(directed, fresh_every):
    links = make_links("full" if directed else "symmetric", directed, fresh_every=fresh_every)
    linked = set(zip(links.network.sources.tolist(), links.network.targets.tolist(), strict=True))
    forbidden = linked if directed else linked | {(j, i) for i, j in linked}
    chain = make_chain(links)
    seen = [unlinked(links)]
    for _ in range(12):
        chain.sweep()
        seen.append(unlinked(links))
        assert {(i, j) for i, j, sign, _ in list_pairs(links) if sign > 0} == linked
        np.testing.assert_array_equal(links.costs, np.where(links.signs > 0, 4.0, 1.0))
        np.testing.assert_array_equal(links.pseudo.pull, 0.5 * links.costs * links.signs)
    assert all(len(pairs) == 20 and not pairs & forbidden for pairs in seen)
    changed = [number + 1 for number in range(12) if seen[number] != seen[number + 1]]
    assert changed == ([3, 6, 9, 12] if fresh_every else [])
    assert len(set(map(frozenset, seen))) == (5 if fresh_every else 1)


def test_the_first_pairs_without_a_link_depend_on_the_seed():
    first, again, other = (make_links() for _ in range(3))
    for links, seed in ((first, 0), (again, 0), (other, 1)):
        make_chain(links, seed)
    assert unlinked(first) == unlinked(again) != unlinked(other)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weights_every", [1, 3])
def test_weights_are_drawn_in_every_so_many_sweeps(form, weights_every):
    links = make_links(form, weights_every=weights_every)
    chain = make_chain(links)
    for number in range(7):
        weights, precision = links.weights, links.pseudo.precision
        chain.sweep()
        assert (links.weights != weights).any() == (number % weights_every == 0)
        assert (links.pseudo.precision != precision).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_before", [4, 5, 7])  # weights are due, other pairs without a link are due, neither is
@pytest.mark.parametrize("expects", [False, True], ids=["0", "a mean"])  # which is given again, and is no state
def test_a_restored_chain_goes_on_to_the_same_bits(form, n_before, expects):
    options = {"weights_every": 2, "fresh_every": 3, "mean": MEANS[form] if expects else None}
    straight, other = (make_chain(make_links(form, **options), started=started) for started in (True, False))
    for _ in range(n_before):
        straight.sweep()
    other.restore({name: array.copy() for name, array in straight.state().items()}, Inline())
    for _ in range(8):
        infos = [chain.sweep() for chain in (straight, other)]
        assert infos[0] == infos[1]
        states = [chain.state() for chain in (straight, other)]
        assert states[0].keys() == states[1].keys()
        for name in states[0]:
            assert states[0][name].tobytes() == states[1][name].tobytes(), name


def test_documents_with_many_links_have_fewer_pairs_without_a_link():
    """Ten per link; at most 50 per document or 100,000, at least one per link. A number that is given is kept."""
    random = np.random.default_rng(0)
    for n_links, number in ((500, 5_000), (2_000, 20_000), (12_000, 200 * 199 - 12_000)):
        places = random.choice(200 * 199, n_links, replace=False)
        rows, others = np.divmod(places, 199)
        ends = rows, others + (others >= rows)
        given = GivenLinks(sparse.csr_array((np.ones(n_links), ends), shape=(200, 200)), True, 0)
        assert LinkResponse().n_negatives(given) == number
        assert LinkResponse(negatives_per_link=2).n_negatives(given) == min(2 * n_links, 200 * 199 - n_links)
    for n_links, number in ((5_000, 50_000), (30_000, 150_000), (200_000, 200_000)):  # 3,000 documents
        rows, others = np.divmod(random.choice(3000 * 2999, n_links, replace=False), 2999)
        ends = rows, others + (others >= rows)
        given = GivenLinks(sparse.csr_array((np.ones(n_links), ends), shape=(3000, 3000)), True, 0)
        assert LinkResponse().n_negatives(given) == number
