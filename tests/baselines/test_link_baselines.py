"""Tests of all baselines for links: planted links, reproducibility, invalid input."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.decomposition import LatentDirichletAllocation

from plait.baselines import KnnVotes, LdaLogistic, LsaBilinear, TfidfCosine, VarRTM
from plait.errors import PlaitError
from plait.metrics import score_link_ranks, split_documents, undirected_links

pytestmark = pytest.mark.slow  # fits every baseline again and again

MAKERS = {
    "tfidf": TfidfCosine,
    "tfidf, neighbours": lambda: TfidfCosine(hops=2),
    "votes": lambda: KnnVotes(k=3),
    "lsa, full": lambda: LsaBilinear(5),
    "lsa, diagonal": lambda: LsaBilinear(5, full=False),
    "lda, full": lambda: LdaLogistic(LatentDirichletAllocation(5, max_iter=5, random_state=0)),
    "lda, diagonal": lambda: LdaLogistic(LatentDirichletAllocation(5, max_iter=5, random_state=0), full=False),
    "var-rtm": lambda: VarRTM(5),
}
LEARNERS = {name: make for name, make in MAKERS.items() if name != "votes" and "tfidf" not in name}
SAMPLERS = {name: make for name, make in LEARNERS.items() if name != "var-rtm"}


@pytest.fixture(params=MAKERS.values(), ids=MAKERS.keys())
def make(request):
    return request.param


@pytest.fixture(scope="module")
def network():
    """Documents of five groups with their own and common words, linked within their group."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 5, 150)
    means = np.full((5, 60), 0.1)
    for kind in range(5):
        means[kind, 8 * kind : 8 * kind + 8] = 1.5
    same = kinds[:, None] == kinds
    links = np.triu(rng.random((150, 150)) < np.where(same, 0.15, 0.005), 1)
    return sparse.csr_array(rng.poisson(means[kinds])), sparse.csr_array(links.astype(float))


def test_planted_links_are_found(make, network):
    counts, links = network
    training, held_out = split_documents(150)[0]
    model = make()
    assert model.fit(counts[training], links[training][:, training]) is model
    scores = model.score_links(counts[held_out])
    found = score_link_ranks(scores, undirected_links(links)[held_out][:, training])
    assert scores.shape == (30, 120)
    assert found.auc > 0.75
    assert found.link_rank < 0.3 * 120


def test_directions_weights_and_self_links_are_ignored(make, network):
    counts, links = network
    first, again = (make().fit(counts, links).score_links(counts[:9]) for _ in range(2))
    other = make().fit(counts, 3 * links.T + sparse.eye_array(150)).score_links(counts[:9])
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first, other)


def test_scores_of_a_document_do_not_depend_on_the_others(make, network):
    counts, links = network
    model = make().fit(counts, links)
    np.testing.assert_allclose(model.score_links(counts[4:5]), model.score_links(counts[:9])[4:5], atol=1e-6)


def test_documents_without_words_or_links(make, network):
    counts, links = network
    words, network_with_holes = counts.toarray(), links.toarray()
    words[3] = 0
    network_with_holes[7], network_with_holes[:, 7] = 0, 0
    scores = make().fit(words, network_with_holes).score_links(words[:5])
    assert np.isfinite(scores).all()


def test_arguments_are_not_changed(make, network):
    counts, links = network
    before = counts.toarray(), links.toarray()
    make().fit(counts, links).score_links(counts)
    np.testing.assert_array_equal(counts.toarray(), before[0])
    np.testing.assert_array_equal(links.toarray(), before[1])


def test_wrong_shapes(make, network):
    counts, links = network
    with pytest.raises(PlaitError, match="links has 150 documents, and counts has 140"):
        make().fit(counts[:140], links)
    with pytest.raises(PlaitError, match=r"links are of shape \(150, 10\)"):
        make().fit(counts, links[:, :10])
    with pytest.raises(PlaitError, match="the documents have 59 words, the training documents had 60"):
        make().fit(counts, links).score_links(counts[:, 1:])


@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS.keys())
def test_a_corpus_without_links_is_rejected(make, network):
    with pytest.raises(PlaitError, match="no two documents are linked"):
        make().fit(network[0], np.eye(150))
    with pytest.raises(PlaitError, match="no two documents are linked"):
        make().fit(network[0][:1], [[1]])


@pytest.mark.parametrize("make", SAMPLERS.values(), ids=SAMPLERS.keys())
def test_a_complete_network_is_rejected(make, network):
    with pytest.raises(PlaitError, match="every document is linked with every other"):
        make().fit(network[0][:20], np.ones((20, 20)))


@pytest.mark.parametrize("make", SAMPLERS.values(), ids=SAMPLERS.keys())
def test_parameters_are_checked(make, network):
    for name, value in {"c": 0.0, "negatives_per_link": 0}.items():
        model = make()
        setattr(model, name, value)
        with pytest.raises(PlaitError, match=f"{name} must be"):
            model.fit(*network)
