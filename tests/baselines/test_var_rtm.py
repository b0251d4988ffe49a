"""VarRTM: terms of the objective compared with their definitions; monotonicity; predictions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.special import digamma, expit, gammaln
from sklearn.decomposition import LatentDirichletAllocation

from plait.baselines import VarRTM
from plait.baselines.network import draw_unlinked
from plait.baselines.var_rtm_documents import count_word_topics, update_documents
from plait.errors import PlaitError
from plait.metrics import score_word_ranks, undirected_links

pytestmark = pytest.mark.slow  # compiles a baseline

N_TOPICS = 3


@pytest.fixture(params=["links", "links and other pairs"])
def state(request):
    """Documents, links, parameters, and memory for q."""
    rng = np.random.default_rng(0)
    counts = sparse.csr_array(rng.poisson(0.8, (15, 9)).astype(float))
    network = undirected_links(rng.random((15, 15)) < 0.15)
    if request.param != "links":
        first, second = draw_unlinked(network, 0.3, rng)
        others = sparse.csr_array((-np.ones(first.size), (first, second)), shape=(15, 15))
        network = sparse.csr_array(network + others + others.T)
    return {
        "counts": counts,
        "network": network,
        "weights": np.array([6.0, -4.0, 30.0]),
        "intercept": -1.5,
        "word_topic": rng.dirichlet(np.ones(9), N_TOPICS).T.copy(),
        "alpha": np.array([0.3, 0.5, 0.7]),
        "tilts": rng.normal(size=(15, N_TOPICS)),
        "means": np.full((15, N_TOPICS), 1 / N_TOPICS),
    }


def update(state, n_steps, tolerance=0.0):
    counts, network = state["counts"], state["network"]
    arrays = (counts.indptr.astype(np.int64), counts.indices.astype(np.int64), counts.data)
    links = (network.indptr.astype(np.int64), network.indices.astype(np.int64), network.data.astype(float))
    names = ("weights", "intercept", "word_topic", "alpha")
    room = np.zeros((5, N_TOPICS))
    rest = (n_steps, tolerance, state["tilts"], state["means"], room)
    return update_documents(*arrays, *links, *(state[name] for name in names), *rest)


def shares(state, document):
    """q(topic) of each word (words × topics)."""
    weighed = np.exp(state["tilts"][document]) * state["word_topic"]
    return weighed / weighed.sum(axis=1, keepdims=True)


def evidence_bound(state):
    """The bound from its definition, without link terms."""
    total, alpha = 0.0, state["alpha"]
    for document, row in enumerate(state["counts"].toarray()):
        q = shares(state, document)
        gamma = alpha + row @ q
        log_theta = digamma(gamma) - digamma(gamma.sum())
        total += row @ (q * (log_theta + np.log(state["word_topic"]) - np.log(q))).sum(axis=1)
        total += gammaln(alpha.sum()) - gammaln(alpha).sum() + (alpha - 1) @ log_theta
        total -= gammaln(gamma.sum()) - gammaln(gamma).sum() + (gamma - 1) @ log_theta
    return total


def links_part(state):
    first, second = sparse.triu(state["network"], 1).nonzero()
    values = (state["means"][first] * state["means"][second]) @ state["weights"] + state["intercept"]
    return np.log(expit(state["network"][first, second] * values)).sum()


def test_document_terms_equal_the_evidence_bound(state):
    value = update(state, n_steps=2)
    assert value == pytest.approx(evidence_bound(state))
    for document, row in enumerate(state["counts"].toarray()):
        np.testing.assert_allclose(state["means"][document], row @ shares(state, document) / row.sum())


def test_every_sweep_increases_the_objective(state):
    update(state, n_steps=0)  # means that belong to the tilts
    values = [update(state, n_steps=1) + links_part(state) for _ in range(40)]
    assert values[-1] > values[0] + 1
    assert np.diff(values).min() > -1e-9


def test_the_result_is_stationary(state):
    for _ in range(300):
        update(state, n_steps=5)
    lengths = state["counts"].sum(axis=1)
    for document in range(15):
        mean, start, end = state["means"][document], *state["network"].indptr[document : document + 2]
        others = state["means"][state["network"].indices[start:end]]
        signs = state["network"].data[start:end]
        missing = signs * (1 - expit(signs * ((mean * others) @ state["weights"] + state["intercept"])))
        target = digamma(state["alpha"] + lengths[document] * mean)
        target += state["weights"] * (missing @ others) / lengths[document]
        expected, found = np.exp(target), np.exp(state["tilts"][document])
        np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), atol=1e-4)


def test_expected_tokens(state):
    update(state, n_steps=3)
    counts, totals = state["counts"], np.full((9, N_TOPICS), 0.25)
    arrays = (counts.indptr.astype(np.int64), counts.indices.astype(np.int64), counts.data)
    count_word_topics(*arrays, state["word_topic"], state["tilts"], np.zeros(N_TOPICS), totals)
    expected = sum(row[:, None] * shares(state, document) for document, row in enumerate(counts.toarray()))
    np.testing.assert_allclose(totals, expected + 0.25)


@pytest.fixture(scope="module")
def network():
    """Four groups of documents with different words, linked within their group."""
    rng = np.random.default_rng(1)
    kinds = np.arange(120) % 4
    means = np.full((4, 40), 0.2)
    for kind in range(4):
        means[kind, 10 * kind : 10 * kind + 10] = 1.0
    links = np.triu((kinds[:, None] == kinds) & (rng.random((120, 120)) < 0.2), 1)
    return sparse.csr_array(rng.poisson(means[kinds])), sparse.csr_array(links.astype(float)), kinds


def test_the_objective_never_decreases(network):
    counts, links, _ = network
    model = VarRTM(4, tolerance=1e-9).fit(counts, links)
    rises = np.diff(model.objective_)
    assert len(rises) > 5
    assert rises.min() > -1e-6
    assert model.objective_[-1] > model.objective_[0] + 100


def test_weights_maximise_the_objective(network):
    counts, links, _ = network
    model = VarRTM(4, tolerance=1e-12, n_iterations=300, pseudo_non_links=3.0).fit(counts, links)
    first, second = sparse.triu(links, 1).nonzero()
    products = model.doc_topic_[first] * model.doc_topic_[second]
    missing = 1 - expit(products @ model.weights_ + model.intercept_)
    pseudo = np.full(4, 1 / 16)
    excess = 3 * links.nnz * expit(pseudo @ model.weights_ + model.intercept_)
    np.testing.assert_allclose(missing @ products - excess * pseudo, 0.01 * model.weights_, atol=1e-3)
    assert missing.sum() == pytest.approx(excess, abs=1e-3)


def test_new_documents_get_the_topics_of_variational_lda(network):
    """scikit-learn's q, given its own table of exp E log p(w | k)."""
    counts, links, _ = network
    reference = LatentDirichletAllocation(
        4, doc_topic_prior=0.5, max_iter=5, max_doc_update_iter=1000, mean_change_tol=1e-9, random_state=0
    ).fit(counts)
    gamma = reference._unnormalized_transform(counts.astype(np.float64))
    model = VarRTM(4, alpha=0.5, n_iterations=1).fit(counts, links)
    model._word_topic = np.ascontiguousarray(reference.exp_dirichlet_component_.T)
    np.testing.assert_allclose(model.transform(counts), (gamma - 0.5) / counts.sum(axis=1)[:, None], atol=2e-3)


def test_links_learn_weights_and_words(network):
    counts, links, kinds = network
    model = VarRTM(4).fit(counts, links)
    assert (model.weights_ > 0).all()
    scores = model.score_links(counts)
    same = kinds[:, None] == kinds
    assert scores[same].mean() > 2 * scores[~same].mean()
    given = undirected_links(links)
    predicted = model.predict_words(given)
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0)
    plain = np.tile(counts.sum(axis=0) / counts.sum(), (120, 1))
    assert score_word_ranks(predicted, counts) < 0.85 * score_word_ranks(plain, counts)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1.0)


def test_another_seed_gives_another_start(network):
    counts, links, _ = network
    one, same, other = (VarRTM(4, n_iterations=3, random_state=seed).fit(counts, links) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.topic_word_, same.topic_word_)
    np.testing.assert_array_equal(one.weights_, same.weights_)
    assert not np.array_equal(one.topic_word_, other.topic_word_)


def test_weights_are_finite_if_all_links_agree():
    counts = np.kron(np.eye(2, dtype=int), np.full((3, 2), 5))
    model = VarRTM(2).fit(counts, np.kron(np.eye(2), np.ones((3, 3))))
    assert np.abs(model.weights_).max() < 100


def test_invalid_input_is_rejected(network):
    counts, links, _ = network
    with pytest.raises(PlaitError, match="none of the documents has a word"):
        VarRTM(4).fit(np.zeros((120, 3)), links)
    with pytest.raises(PlaitError, match="links has 7 columns, and there are 120 training documents"):
        VarRTM(4, n_iterations=1).fit(counts, links).predict_words(np.ones((2, 7)))
    for name, value in {"n_topics": 0, "n_iterations": 0, "alpha": 0.0, "smoothing": -1.0}.items():
        with pytest.raises(PlaitError, match=f"{name} must"):
            VarRTM(**{name: value}).fit(counts, links)


@pytest.mark.parametrize("share", [1e-9, 0.2, 1.0])
def test_pairs_without_a_link_are_drawn_once_and_evenly(share):
    links = undirected_links(np.random.default_rng(1).random((9, 9)) < 0.2)
    n_unlinked = 36 - links.nnz // 2
    seen = np.zeros((9, 9))
    for seed in range(600):
        first, second = draw_unlinked(links, share, np.random.default_rng(seed))
        assert first.size == max(1, round(share * n_unlinked))
        assert (first < second).all()
        assert np.unique(9 * first + second).size == first.size
        seen[first, second] += 1
    assert not (seen * links.toarray()).any()
    drawn = seen[np.triu(links.toarray() == 0, 1)]
    expected = 600 * max(1, round(share * n_unlinked)) / n_unlinked
    assert np.abs(drawn - expected).max() < 4.5 * np.sqrt(expected) + 1e-9


def test_observed_pairs_without_a_link_take_the_place_of_pseudo_observations(network):
    counts, links, _ = network
    model = VarRTM(4, negative_share=0.2, n_iterations=30).fit(counts, links)
    assert np.diff(model.objective_).min() > -1e-6
    values = (model.doc_topic_ * model.weights_) @ model.doc_topic_.T + model.intercept_
    linked = undirected_links(links).toarray() > 0
    assert values[linked].mean() > values[~linked].mean() + 1
    with pytest.raises(PlaitError, match="negative_share is a share of pairs, above 0 and at most 1, not 2"):
        VarRTM(4, negative_share=2).fit(counts, links)
