"""Pair features compared with their definitions, written as loops over dense arrays."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import cosine_similarity

from plait.corpus import KnownDocuments
from plait.errors import PlaitError
from plait.pair_features import (
    AUTO,
    FEATURES,
    BestVote,
    CommonNeighbours,
    DateNearness,
    KnownNetwork,
    LatentCosine,
    LatentLabels,
    LatentVotes,
    LinkWords,
    NeighbourCosine,
    NeighbourVotes,
    PairMatrix,
    Popularity,
    PreferentialAttachment,
    QueryLikelihood,
    RareWords,
    RelativeCosine,
    SameField,
    SharpVotes,
    TextCosine,
    fitted_features,
    read_features,
)
from plait.pair_features.base import at_pairs, dense_values

N = 12


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(3)
    counts = rng.poisson(0.6, (N, 20))
    counts[5] = 0  # a document without words
    links = (rng.random((N, N)) < 0.2) & ~np.eye(N, dtype=bool)
    links[7] = links[:, 7] = False  # one without links
    return counts, links


@pytest.fixture(scope="module")
def network(made):
    counts, links = made
    times = np.array(["2000-01-01", "2001-06-01", "NaT"] * 4, dtype="datetime64[s]")
    venues = np.array(["a", "b", ""] * 4, dtype=object)
    labels = (("red",), ("blue",), ("red", "blue"), ()) * 3
    known = KnownDocuments(N, times=times, labels=labels, metadata={"venue": venues})
    matrices = {"own": sparse.csr_array(np.arange(N * N, dtype=float).reshape(N, N))}
    return KnownNetwork(sparse.csr_array(counts), sparse.csr_array(links), known, matrices)


def cosines(made, sources):
    counts, _ = made
    tfidf = TfidfTransformer().fit(counts)
    return cosine_similarity(tfidf.transform(sources).toarray(), tfidf.transform(counts).toarray())


def either(made):
    return made[1] | made[1].T


def values(feature, pairs):
    return np.array(dense_values(feature, pairs))


def test_text(made, network):
    new = sparse.csr_array(made[0][:3])
    np.testing.assert_allclose(values(TextCosine(), network.new(new)), cosines(made, made[0][:3]), atol=1e-12)


@pytest.mark.parametrize("hops", [1, 2])
def test_words_of_neighbours(made, network, hops):
    around = either(made) | np.eye(N, dtype=bool)
    scale = 1 / np.sqrt(around.sum(axis=1))
    tfidf = TfidfTransformer().fit(made[0])
    averaged = tfidf.transform(made[0]).toarray()
    for _ in range(hops):
        averaged = (scale[:, None] * around * scale) @ averaged
    new = made[0][:3]
    expected = cosine_similarity(tfidf.transform(new).toarray(), averaged)
    np.testing.assert_allclose(values(NeighbourCosine(hops), network.new(sparse.csr_array(new))), expected, atol=1e-12)


@pytest.mark.parametrize("itself", [False, True])
def test_votes(made, network, itself):
    new = np.random.default_rng(1).poisson(0.6, (4, 20))
    similar = cosines(made, new)
    expected = np.zeros((4, N))
    for row in range(4):
        for voter in np.argsort(-similar[row])[:3]:
            expected[row] += similar[row, voter] * either(made)[voter]
            expected[row, voter] += similar[row, voter] * itself
    found = values(NeighbourVotes(3, itself), network.new(sparse.csr_array(new)))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_votes_that_favour_the_nearest(made, network):
    new = np.random.default_rng(1).poisson(0.6, (4, 20))
    similar, linked = cosines(made, new), either(made)
    sharp, best = np.zeros((2, 4, N))
    for row in range(4):
        for voter in np.argsort(-similar[row])[:3]:
            sharp[row] += similar[row, voter] ** 2 * linked[voter] / np.sqrt(np.maximum(linked.sum(axis=0), 1))
            best[row] = np.maximum(best[row], similar[row, voter] * linked[voter])
    pairs = network.new(sparse.csr_array(new))
    np.testing.assert_allclose(values(SharpVotes(3), pairs), sharp, atol=1e-12)
    np.testing.assert_allclose(values(BestVote(3), pairs), best, atol=1e-12)
    assert values(BestVote(N), pairs).sum() > best.sum()


def test_rare_words(made, network):
    counts, new = made[0], np.random.default_rng(1).poisson(0.6, (4, 20))
    weights = np.log((1 + N) / (1 + (counts > 0).sum(axis=0))) ** 2
    expected = cosine_similarity(new * weights, counts * weights)
    np.testing.assert_allclose(values(RareWords(2.0), network.new(sparse.csr_array(new))), expected, atol=1e-12)


def test_words_that_linked_documents_share(made, network):
    occurs, new = made[0] > 0, np.random.default_rng(1).poisson(0.6, (4, 20))
    pairs = [(one, other) for one in range(N) for other in range(one) if either(made)[one, other]]
    shared = sum((occurs[one] & occurs[other]).astype(float) for one, other in pairs)
    weights = np.maximum(np.log((shared + 1) / (len(pairs) * occurs.mean(axis=0) ** 2 + 1)), 0)
    assert 0 < np.count_nonzero(weights) < 20
    expected = cosine_similarity((new > 0) * np.sqrt(weights), occurs * np.sqrt(weights))
    np.testing.assert_allclose(values(LinkWords(), network.new(sparse.csr_array(new))), expected, atol=1e-12)


@pytest.mark.parametrize("most", [300, 5])
def test_likelihood_of_the_words_of_the_source(made, network, most, monkeypatch):
    monkeypatch.setattr("plait.pair_features.likelihood._MOST_WORDS", most)
    monkeypatch.setattr("plait.pair_features.likelihood._ROWS", 5)
    occurs, new = made[0] > 0, np.random.default_rng(1).poisson(0.6, (4, 20))
    new[3] = 0
    share = occurs.sum(axis=0) / occurs.sum()
    expected = np.zeros((4, N))
    for known in range(N):
        around = np.flatnonzero(either(made)[known])
        seen = occurs[known] + (10 * occurs[around].mean(axis=0) if around.size else 0)
        ratio = (seen + 30 * share) / (seen.sum() + 30) / share
        lowest = 30 / (seen.sum() + 30)
        ratio[np.argsort(-ratio, kind="stable")[most:]] = lowest
        for row in range(4):
            if new[row].any():
                expected[row, known] = np.exp(np.log(ratio[new[row] > 0]).mean())
    again = KnownNetwork(network.counts, network.links)  # nothing derived yet
    found = values(QueryLikelihood(), again.new(sparse.csr_array(new)))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found[3].tolist() == [0] * N


def test_similarity_relative_to_the_nearest_document(made, network):
    new = np.random.default_rng(1).poisson(0.6, (4, 20))
    similar = cosines(made, new)
    expected = (similar / similar.max(axis=1, keepdims=True)) ** 3
    np.testing.assert_allclose(values(RelativeCosine(), network.new(sparse.csr_array(new))), expected, atol=1e-12)
    without_words = values(RelativeCosine(), network.new(sparse.csr_array((1, 20))))
    assert without_words.tolist() == [[0.0] * N]


def latent_positions(made, new, dimensions):
    """Return new and known documents, and known documents with the words of neighbours, in latent dimensions."""
    around = either(made) | np.eye(N, dtype=bool)
    scale = 1 / np.sqrt(around.sum(axis=1))
    tfidf = TfidfTransformer().fit(made[0])
    known = tfidf.transform(made[0]).toarray()
    averaged = (around * np.outer(scale, scale)) @ known
    words = np.linalg.svd(averaged)[2][:dimensions].T
    return tfidf.transform(new).toarray() @ words, known @ words, averaged @ words


def test_latent_similarity(made, network):
    new = np.random.default_rng(1).poisson(0.6, (4, 20))
    positions, _, averaged = latent_positions(made, new, 3)
    expected = np.maximum(cosine_similarity(positions, averaged), 0)
    np.testing.assert_allclose(values(LatentCosine(3), network.new(sparse.csr_array(new))), expected, atol=1e-9)


def test_latent_votes(made, network):
    new = np.random.default_rng(1).poisson(0.6, (4, 20))
    positions, known, _ = latent_positions(made, new, 3)
    regression = Ridge(alpha=0.3, fit_intercept=False).fit(known, either(made) + np.eye(N))
    expected = np.maximum(regression.predict(positions), 0)
    np.testing.assert_allclose(values(LatentVotes(3), network.new(sparse.csr_array(new))), expected, atol=1e-9)


def test_latent_labels(made, network):
    rng = np.random.default_rng(6)
    new = rng.poisson(0.7, (4, 20))
    positions, known, _ = latent_positions(made, new, 3)
    shares = np.array([[0, 1], [1, 0], [0.5, 0.5], [0, 0]] * 3)  # of blue and red
    labelled = shares.any(axis=1)
    weights = Ridge(alpha=0.3, fit_intercept=False).fit(known[labelled], shares[labelled]).coef_.T
    linked = either(made) + np.eye(N)
    near = linked @ shares / linked.sum(axis=1, keepdims=True)
    expected = np.maximum(positions @ weights, 0) @ near.T
    np.testing.assert_allclose(values(LatentLabels(3), network.new(sparse.csr_array(new))), expected, atol=1e-9)
    own = np.array([0, 2, 3])  # labels of known documents are known; the last one has none
    expected = np.vstack([shares[own[:2]], np.maximum(known[own[2:]] @ weights, 0)]) @ near.T
    expected[np.arange(3), own] = 0
    np.testing.assert_allclose(values(LatentLabels(3), network.known(own)), expected, atol=1e-9)


def test_labels_are_left_out_of_auto_where_there_are_none(made, network):
    counts, links = (sparse.csr_array(one) for one in made)
    assert read_features("auto", network) == AUTO
    for documents in (None, KnownDocuments(N), KnownDocuments(N, labels=((),) * N)):
        unlabelled = KnownNetwork(counts, links, documents)
        assert read_features(["auto"], unlabelled) == AUTO[:-1]
        with pytest.raises(PlaitError, match=r"latent_labels\(100\) needs labels"):
            read_features([LatentLabels()], unlabelled)


@pytest.mark.parametrize("feature", [LatentCosine(), LatentVotes(), RelativeCosine(), QueryLikelihood()])
@pytest.mark.parametrize("shape", [(1, 5), (2, 1), (3, 4)])
def test_networks_without_words_or_with_one_document(feature, shape):
    network = KnownNetwork(sparse.csr_array(shape), sparse.csr_array((shape[0], shape[0])))
    assert not values(feature, network.new(sparse.csr_array((2, shape[1])))).any()


def test_auto_of_a_fitted_model_is_what_it_was():
    assert fitted_features("auto", ["text", "votes(20, itself)"]) == (TextCosine(), NeighbourVotes(20, itself=True))
    assert fitted_features("auto", [feature.label for feature in AUTO]) == AUTO
    own = PairMatrix("own")
    assert fitted_features(["auto", own], ["text", own.label]) == (TextCosine(), own)
    assert fitted_features(["auto", own], ["text"]) == (*AUTO, own)  # the parameter was changed
    assert fitted_features(["text"], ["popularity"]) == (TextCosine(),)


def test_a_known_document_is_not_its_own_voter(network):
    rows = np.arange(N)
    assert np.all(network.known(rows).cosines.toarray()[rows, rows] == 0)
    for feature in (RareWords(), LinkWords(), QueryLikelihood(), RelativeCosine(), LatentCosine(3), LatentVotes(3)):
        assert np.all(values(feature, network.known(rows))[rows, rows] == 0)


def test_degrees(made, network):
    rows = np.array([0, 4])
    assert values(Popularity(), network.known(rows))[1].tolist() == either(made).sum(axis=0).tolist()
    assert values(Popularity("in"), network.known(rows))[0].tolist() == made[1].sum(axis=0).tolist()
    assert values(Popularity("out"), network.known(rows))[0].tolist() == made[1].sum(axis=1).tolist()
    common = (either(made)[rows].astype(int) @ either(made)).astype(float)
    common[np.arange(2), rows] = 0
    assert values(CommonNeighbours(), network.known(rows)).tolist() == common.tolist()
    product = np.outer(either(made).sum(axis=1)[rows], either(made).sum(axis=1))
    assert values(PreferentialAttachment(), network.known(rows)).tolist() == product.tolist()


@pytest.mark.parametrize("feature", [CommonNeighbours(), PreferentialAttachment()])
def test_links_of_a_new_document_are_not_known(network, feature):
    assert not values(feature, network.new(network.counts[:4])).any()


def test_fields(network):
    same = values(SameField("venue"), network.known(np.array([0, 2])))
    assert same.tolist() == [[1.0, 0.0, 0.0] * 4, [0.0] * N]
    near = values(DateNearness(100), network.known(np.array([0, 2])))
    assert near[0, :3].tolist() == [1.0, pytest.approx(1 / (1 + 517 / 100)), 0.0]
    assert not near[1].any()


def test_own_matrices(network):
    assert values(PairMatrix("own"), network.known(np.array([2]))).tolist() == [list(range(2 * N, 3 * N))]
    with pytest.raises(PlaitError, match="no matrix of the new documents"):
        PairMatrix("own").values(network.new(network.counts[:1]))
    with pytest.raises(PlaitError, match="to fit"):
        PairMatrix("other").check_network(network)


@pytest.mark.parametrize("feature", [*AUTO, PreferentialAttachment(), SameField("venue")], ids=lambda one: one.label)
def test_some_pairs_are_those_of_the_whole_block(network, feature):
    pairs = network.known(np.array([1, 3, 8]))
    rows, columns = np.array([0, 2, 2, 1]), np.array([5, 0, 11, 3])
    np.testing.assert_array_equal(at_pairs(feature.values(pairs), rows, columns), values(feature, pairs)[rows, columns])


@pytest.mark.parametrize("feature", [*AUTO, PreferentialAttachment()], ids=lambda one: one.label)
def test_a_network_without_a_link_is_as_if_it_were_never_there(made, network, feature):
    """What leaves a pair's own link out of its features: nothing that was derived with it may stay."""
    sources, targets = made[1].nonzero()
    pair = sources[:1], targets[:1]
    values(feature, network.known(np.arange(N)))  # everything is derived, with the link
    links = made[1].copy()
    links[pair] = links[pair[::-1]] = False
    expected = KnownNetwork(sparse.csr_array(made[0]), sparse.csr_array(links), network.documents)
    rows = np.arange(N)
    found = values(feature, network.without(*pair).known(rows))
    np.testing.assert_allclose(found, values(feature, expected.known(rows)), atol=1e-12)


def test_texts_of_features():
    assert [feature.label for feature in read_features("auto")] == [feature.label for feature in AUTO]
    for feature in [
        *AUTO,
        NeighbourVotes(5, True),
        Popularity("in"),
        SameField("venue"),
        DateNearness(30.0),
        RareWords(2.0),
        BestVote(7),
    ]:
        assert read_features([feature.label]) == (feature,)
    assert {type(feature) for feature in read_features([name for name in FEATURES if name != "matrix"])} == {
        kind for name, kind in FEATURES.items() if name != "matrix"
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["texts"], "there is no pair feature 'texts'; the features are auto, text"),
        (["votes(x)"], "cannot be read"),
        (["votes(0)"], "k must be a whole number, 1 or more"),
        (["text", TextCosine()], "has text twice"),
        ([TextCosine], "give TextCosine()"),
        (5, "pair_features is 5"),
        ([5], "contains 5"),
        (["matrix"], "needs the key"),
        (["popularity(up)"], "must be one of 'either', 'in', 'out'"),
    ],
)
def test_features_that_do_not_exist(given, message):
    with pytest.raises(PlaitError, match=message.replace("(", r"\(").replace(")", r"\)")):
        read_features(given)
