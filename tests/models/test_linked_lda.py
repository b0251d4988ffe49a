"""LinkedLDA: what it learns of planted influence, what its attributes mean, and what it answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone

import plait
from plait import LDA, Corpus, LinkedDocuments, LinkedLDA, PlaitError
from plait.engine.fold_in import FoldIn
from plait.engine.run import Run
from plait.executors import Threads
from plait.mixing.linked_documents import heaviest_links, orient_links
from plait.samplers import SAMPLERS
from plait.samplers.random import stream_key
from tests import naive
from tests.models.linked import of_links
from tests.models.small import WORDS, of_classes, press_ctrl_c_in_sweep
from tests.store.small import same

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "shares", "synchronous")

QUICK = {
    "n_topics": 4,
    "n_sweeps": 10,
    "n_samples": 2,
    "sample_every": 2,
    "tolerance": 0.0,
    "fold_in_sweeps": 6,
    "random_state": 0,
    "verbose": False,
}
COUNTS, LINKS = of_links(60)
NEW = of_classes(9, 3, seed=1)[0]
NEW_LINKS = sparse.csr_array(LINKS[:9])
ARRAYS = ("topic_word_", "doc_topic_", "source_topic_")


def fitted(X=COUNTS, links=LINKS, **changes):
    return LinkedLDA(**(QUICK | changes)).fit(X, links=links)


def as_corpus(counts=COUNTS, links=LINKS):
    ids = [f"doc {row}" for row in range(counts.shape[0])]
    return Corpus.from_matrix(sparse.csr_array(counts), vocabulary=WORDS, ids=ids, links=links)


def same_bits(one, other):
    """Assert that two models have learned and answer the same, to the bit."""
    for name in ARRAYS:
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    assert same(one.influence_, other.influence_)
    assert one.transform(NEW).tobytes() == other.transform(NEW).tobytes()
    assert one.transform(NEW, links=NEW_LINKS).tobytes() == other.transform(NEW, links=NEW_LINKS).tobytes()
    assert same(one.infer_influence(NEW, NEW_LINKS), other.infer_influence(NEW, NEW_LINKS))
    assert one.perplexity(NEW, links=NEW_LINKS) == other.perplexity(NEW, links=NEW_LINKS)
    assert [found.share for found in one.influencers(3)] == [found.share for found in other.influencers(3)]
    assert [found[1:] for found in one.most_influential()] == [found[1:] for found in other.most_influential()]


# What is learned.


def planted(n_cited=30, n_citing=60, strength=0.8, seed=0):
    """Documents on one of five subjects each, and others that take most of their words from one of three they cite."""
    rng = np.random.default_rng(seed)
    subjects = np.arange(n_cited) % 5
    rows = [20 * subject + rng.integers(0, 20, size=60) for subject in subjects]
    links = np.zeros((n_cited + n_citing, n_cited + n_citing))
    sources = []
    for number in range(n_citing):
        chosen = rng.permutation(5)[:3]
        cited = [int(rng.choice(np.flatnonzero(subjects == subject))) for subject in chosen]
        links[n_cited + number, cited] = 1
        sources.append(cited[0])
        subject = np.where(rng.random(60) < strength, chosen[0], rng.integers(0, 5, size=60))
        rows.append(20 * subject + rng.integers(0, 20, size=60))
    counts = np.array([np.bincount(row, minlength=100) for row in rows])
    return counts, links, n_cited + np.arange(n_citing), np.array(sources)


@pytest.mark.slow
@pytest.mark.parametrize("sampler", [*SAMPLERS, "sparse(2)"])
def test_planted_influence_is_found(sampler):
    counts, links, citing, sources = planted()
    sweeps = 200 if sampler in ("sparse", "aggregated_sparse") else 60
    model = fitted(counts, links, n_topics=5, n_sweeps=sweeps, sampler=sampler, n_samples=4)
    right = [
        model.influencers(int(row))[0].document == str(source) for row, source in zip(citing, sources, strict=True)
    ]
    assert np.mean(right) > 0.65  # by chance one in three
    # Of new documents, whose links are given, it is found, too.
    new, new_links, _, new_sources = planted(seed=1)
    inferred = model.infer_influence(new[30:], new_links[30:, :30] @ np.eye(30, 90))
    # The cited documents of another draw are on the same subjects in the same order.
    assert np.mean(inferred.toarray().argmax(axis=1) == new_sources) > 0.65


def test_links_help_to_predict_words():
    """A half of a document's words is told better by the other half and the documents that it cites."""
    counts, links, *_ = planted()
    new, new_links, *_ = planted(seed=1)
    linked = fitted(counts, links, n_topics=5, n_sweeps=60)
    known = new_links[30:, :30] @ np.eye(30, 90)
    few = np.random.default_rng(2).binomial(new[30:], 0.1)  # six words a document
    assert linked.perplexity(few, links=known) < 0.95 * linked.perplexity(few)


# What the attributes are.


@pytest.mark.parametrize("direction", ["out", "in", "both"])
@pytest.mark.parametrize("most_links", [2, None])
@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_influence_has_an_entry_for_every_link_and_rows_that_add_up(sampler, most_links, direction):
    looped = sparse.csr_array(LINKS + sparse.diags_array((np.arange(60) < 5).astype(float)))
    model = fitted(links=looped, most_links=most_links, direction=direction, sampler=sampler)
    influence = model.influence_
    np.testing.assert_allclose(influence.sum(axis=1), 1, rtol=1e-4)
    whom = orient_links(LINKS, direction).toarray() > 0
    stored = np.zeros((60, 60), dtype=bool)
    stored[np.repeat(np.arange(60), np.diff(influence.indptr)), influence.indices] = True
    np.testing.assert_array_equal(stored, whom | np.eye(60, dtype=bool))
    assert influence.has_sorted_indices
    followed = (influence.toarray() > 0).sum(axis=1) - 1
    most = 60 if most_links is None else most_links
    np.testing.assert_array_equal(followed, np.minimum(whom.sum(axis=1), most))
    assert model.n_cut_links_ == np.maximum(whom.sum(axis=1) - most, 0).sum()
    assert model.n_self_links_ == 5
    assert np.abs(influence.diagonal() - 1).max() > 0.1


def counts_of(chain):
    """Return smoothed counts of the topics of documents' tokens, and of what is drawn from them."""
    return chain.doc_topic().toarray() + 0.5, chain.drawn_topics().toarray() + 0.5


@pytest.mark.parametrize(
    "sampler", [pytest.param(one, marks=[pytest.mark.slow] * ("aggregated_sparse" in one)) for one in SAMPLERS]
)
def test_topics_behind_documents_words_and_topics_drawn_from_documents(sampler, monkeypatch):
    chains = []
    keep_sample = Run.keep_sample
    monkeypatch.setattr(
        Run, "keep_sample", lambda run, chain: [chains.append(counts_of(chain)), keep_sample(run, chain)]
    )
    model = fitted(sampler=sampler, n_samples=1)
    ((own, drawn),) = chains
    theta = drawn / drawn.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.source_topic_, theta)
    for document in range(len(COUNTS)):  # every document that it draws from counts as much as it draws
        row = model.influence_[[document]].tocoo()
        behind = sum(share * theta[source] for source, share in zip(row.col, row.data, strict=True))
        np.testing.assert_allclose(model.doc_topic_[document], behind)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
    assert np.abs(model.doc_topic_ - model.source_topic_).max() > 0.05
    # What is drawn from documents is all words, though not as many from each as it has.
    assert drawn.sum() == pytest.approx(own.sum(), rel=1e-4)
    np.testing.assert_allclose(own.sum(axis=1) - 4 * 0.5, COUNTS.sum(axis=1), rtol=1e-4)
    assert np.abs(drawn.sum(axis=1) - own.sum(axis=1)).max() >= 1
    (sample,) = model._chain_samples[0]
    np.testing.assert_allclose(sample.drawn_topics.toarray() + 0.5, drawn)


def test_attributes_are_averages_over_samples():
    model = fitted(n_samples=3)
    means = [
        (sample.drawn_topics.toarray() + sample.alpha)
        / (sample.drawn_topics.toarray() + sample.alpha).sum(axis=1, keepdims=True)
        for sample in model._chain_samples[0]
    ]
    assert len(means) == 3
    np.testing.assert_allclose(model.source_topic_, np.mean(means, axis=0))


@pytest.mark.slow
def test_many_samples_average_over_every_assignment():
    """Topics behind documents' words, ϑ and χ against their exact means over the posterior."""
    counts, links = np.array([[2, 0, 0], [0, 1, 1], [0, 0, 1]]), np.array([[0, 1, 2], [1, 0, 0], [0, 0, 0]])
    alpha, beta = np.array([0.4, 0.9]), np.array([[0.2, 1.5, 0.4], [0.9, 0.3, 0.6]])
    gamma = [{0: 4.0, 1: 1.0, 2: 2.0}, {1: 2.0, 0: 1.0}, {2: 1.0}]
    gamma = [
        {source: share * length / 2 / sum(row.values()) for source, share in row.items()}
        for row, length in zip(gamma, counts.sum(axis=1), strict=True)
    ]
    exact = [np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 3))]
    for state, probability in naive.linked_posterior([[0, 0], [1, 2], [2]], gamma, alpha, beta).items():
        drawn, chi = np.tile(alpha, (3, 1)), np.zeros((3, 3))
        for owner, row in enumerate(gamma):
            chi[owner, list(row)] = list(row.values())
        for owner, (source, topic) in zip((0, 0, 1, 1, 2), state, strict=True):
            drawn[source, topic] += 1
            chi[owner, source] += 1
        theta, chi = (table / table.sum(axis=1, keepdims=True) for table in (drawn, chi))
        for total, value in zip(exact, (chi @ theta, theta, chi), strict=True):
            total += probability * value
    settings = {"n_topics": 2, "alpha": alpha, "beta": beta, "p": 2.0, "n_samples": 2000, "sample_every": 3}
    seen = []
    for seed in range(8):
        model = fitted(counts, links, **settings, random_state=seed)
        seen.append([model.doc_topic_, model.source_topic_, model.influence_.toarray()])
    for tables, expected in zip(zip(*seen, strict=True), exact, strict=True):
        error = np.std(tables, axis=0, ddof=1) / np.sqrt(len(seen)) + 1e-6
        assert (error < 0.003).all()
        assert (np.abs(np.mean(tables, axis=0) - expected) < 5 * error).all()


def test_influence_is_averaged_over_chains_and_topics_are_the_first_ones():
    one, three = fitted(), fitted(n_chains=3)
    assert (one.n_sweeps_, three.n_sweeps_) == (12, 36)
    for name in ARRAYS:
        assert getattr(one, name).tobytes() == getattr(three, name).tobytes()
    np.testing.assert_allclose(three.influence_.sum(axis=1), 1)
    np.testing.assert_array_equal(three.influence_.indices, one.influence_.indices)
    by_chain = [one.influence_.data]
    for chain in (1, 2):
        seed = int(stream_key(0, "chain", chain))
        by_chain.append(fitted(random_state=seed).influence_.data)
    np.testing.assert_allclose(three.influence_.data, np.mean(by_chain, axis=0))
    assert three.transform(NEW).tobytes() == one.transform(NEW).tobytes()


def test_influence_is_what_gamma_expects_and_what_was_drawn():
    """χ of one sample is (m_dc + γ_dc) / (N_d + Σγ) with m whole numbers: eq. (8)."""
    model = fitted(n_samples=1, p=4.0)
    candidates = LinkedDocuments(p=4.0).candidates(LINKS, COUNTS.sum(axis=1).astype(float))
    lengths = np.repeat(COUNTS.sum(axis=1), np.diff(candidates.starts))
    rows = np.repeat(np.arange(60), np.diff(candidates.starts))
    shares = model.influence_.toarray()[rows, candidates.documents]
    drawn = shares * lengths * (1 + 1 / 4) - candidates.gamma
    np.testing.assert_allclose(drawn, drawn.round(), atol=1e-6)
    assert (drawn.round() >= 0).all()
    assert (drawn.round() > 0).sum() > 100


def test_learning_alpha_counts_what_is_drawn_from_documents():
    model = fitted(learn_alpha=True, learn_beta=True, n_sweeps=30)
    assert np.ptp(model.alpha_) > 0
    assert model.beta_ != 0.01
    assert np.isfinite(model.transform(NEW, links=NEW_LINKS)).all()


# What it is given.


def test_a_corpus_brings_its_links():
    same_bits(fitted(as_corpus(), None), fitted())
    other = sparse.csr_array(LINKS.T)
    same_bits(fitted(as_corpus(), other), fitted(links=other))  # links= before the corpus's own
    same_bits(fitted(links=other), fitted(direction="in"))


def test_links_in_every_form_are_the_same_model():
    model = fitted()
    dense = LINKS.toarray()
    coo = LINKS.tocoo()
    halves = sparse.coo_array((np.tile(coo.data / 2, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2))), shape=LINKS.shape)
    for form in (dense, dense.tolist(), dense > 0, sparse.lil_array(LINKS), sparse.csc_array(LINKS), halves):
        same_bits(fitted(links=form), model)
    heavier = fitted(links=5 * LINKS)
    assert heavier.doc_topic_.tobytes() != model.doc_topic_.tobytes()  # multiplicities are in γ
    before = LINKS.copy()
    fitted(links=LINKS, most_links=1, direction="both")
    assert same(before, LINKS)


@pytest.mark.slow  # compiles the sweep of a sampler other than plain
def test_documents_without_links_or_words_do_no_harm():
    counts, links = COUNTS.copy(), LINKS.toarray()
    links[:20] = 0
    links[:, 40:] = 0
    counts[[0, 25, 59]] = 0
    for sampler in SAMPLERS:
        model = fitted(counts, links, sampler=sampler)
        assert np.isfinite(model.doc_topic_).all()
        np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1, rtol=1e-4)
        assert np.diff(model.influence_.indptr)[:20].tolist() == [1] * 20
        np.testing.assert_allclose(model.influence_.diagonal()[:20], 1)
        assert model.influencers(3) == []


def test_without_links_that_lead_anywhere_words_draw_as_in_lda():
    """One link, from a document without words: all others are as without links."""
    counts = COUNTS.copy()
    counts[59] = 0
    links = np.zeros((60, 60))
    links[59, 0] = 1
    model = fitted(counts, links, alpha=0.3)
    alone = LDA(**(QUICK | {"alpha": 0.3, "beta": model.beta})).fit(counts)
    assert model.topic_word_.tobytes() == alone.topic_word_.tobytes()
    np.testing.assert_allclose(model.doc_topic_[:59], alone.doc_topic_[:59])
    np.testing.assert_allclose(model.transform(NEW), alone.transform(NEW))


@pytest.mark.parametrize("sampler", ["plain", "limit"])
@pytest.mark.parametrize("p", [1e-6, 1e6])
def test_the_ends_of_the_range_of_p_work_with_documents_of_one_word(p, sampler):
    one_word = np.eye(len(WORDS), dtype=int)[np.arange(60) % len(WORDS)]
    model = fitted(one_word, p=p, sampler=sampler)
    np.testing.assert_allclose(model.influence_.sum(axis=1), 1)
    assert np.isfinite([record.perplexity for record in model.history_]).all()
    assert np.isfinite(model.transform(NEW, links=NEW_LINKS)).all()


@pytest.mark.slow  # a sweep over sources of two bytes is compiled
def test_a_document_may_draw_from_more_documents_than_a_byte_counts():
    counts = np.random.default_rng(0).poisson(1.0, size=(300, 20))
    counts[0] *= 200
    links = np.zeros((300, 300))
    links[0, 1:] = 1
    # Sources in two bytes need a sweep of their own; this sampler's is compiled fastest.
    model = fitted(counts, links, most_links=None, n_samples=1, sampler="aggregated_sparse(1)")
    shares = model.influence_.toarray()[0]
    drawn = (
        shares * counts[0].sum() * 1.1
        - LinkedDocuments(most_links=None)
        .candidates(sparse.csr_array(links), counts.sum(axis=1).astype(float))
        .gamma[:300]
    )
    np.testing.assert_allclose(drawn, drawn.round(), atol=1e-6)
    assert (drawn[260:].round() > 0).sum() > 20
    assert len(model.influencers(0, top=1000)) == 299


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (None, "a matrix of counts has no links; give links="),
        (np.zeros((60, 60)), "there are no links; give links= or a Corpus with links, or use LDA"),
        (np.eye(60), "there are no links other than 60 self-links, which are ignored"),
        (LINKS[:5], "links is 5 × 60 but there are 60 documents"),
        (LINKS[:, :5], "links is 60 × 5"),
        (-LINKS, r"links\[0, \d+\] is -1.0; the weight of a link must be a finite number of at least 0"),
        (LINKS * np.nan, r"links\[0, \d+\] is nan"),
        (LINKS * np.inf, r"links\[0, \d+\] is inf"),
        (LINKS * 1j, "complex numbers"),
        ("cites", "links must be a matrix documents × documents"),
        ([1, 2], "this has 1 dimension"),
    ],
)
def test_links_that_cannot_be_used_are_refused(links, message):
    with pytest.raises(PlaitError, match=message):
        fitted(links=links)


def test_a_corpus_without_links_says_so():
    with pytest.raises(PlaitError, match="the corpus has no links; give links=, or use LDA"):
        fitted(as_corpus(links=None), None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"p": 0}, "p, by which a document's length is divided"),
        ({"most_links": 0}, "most_links must be a whole number"),
        ({"direction": "up"}, "direction must be one of"),
        ({"alpha": -1}, "alpha must lie between"),
        ({"alpha": [1, 2]}, "give one number, or one for each of 4 topics"),
        ({"sampler": "fast"}, "fast"),
    ],
)
def test_settings_that_cannot_work_are_refused(changes, message):
    with pytest.raises(PlaitError, match=message):
        fitted(**changes)


# What it answers.


def test_influencers_by_id_and_by_row():
    model = fitted(as_corpus(), None)
    row = int(np.diff(LINKS.indptr).argmax())
    by_id = model.influencers(f"doc {row}", top=100)
    assert by_id == model.influencers(row, top=100) == model.influencers(np.int64(row), top=100)
    assert model.influencers(row, top=2) == by_id[:2]
    followed = heaviest_links(LINKS, 10)[[row]].indices
    assert sorted(one.document for one in by_id) == sorted(f"doc {other}" for other in followed)
    shares = [one.share for one in by_id]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) + model.influence_[row, row] == pytest.approx(1)
    for one in by_id:
        assert one.share == model.influence_[row, int(one.document.removeprefix("doc "))]
    numbered = fitted().influencers(row)
    assert [one.document for one in numbered] == [one.document.removeprefix("doc ") for one in by_id[:10]]


def test_links_that_were_cut_are_no_influence():
    model = fitted(most_links=1)
    row = int(np.diff(LINKS.indptr).argmax())
    assert model.n_cut_links_ > 0
    assert [one.document for one in model.influencers(row)] == [str(heaviest_links(LINKS, 1)[[row]].indices[0])]
    followed = model.influence_.toarray() > 0
    for one in model.most_influential(top=60):
        assert one.documents == followed[:, int(one.document)].sum() - 1


def test_most_influential_documents():
    model = fitted(as_corpus(), None)
    found = model.most_influential(top=60)
    shares = model.influence_.toarray()
    np.fill_diagonal(shares, 0)
    words = COUNTS.sum(axis=1) @ shares
    assert [one.words for one in found] == sorted((one.words for one in found), reverse=True)
    for one in found:
        column = int(one.document.removeprefix("doc "))
        assert one.words == pytest.approx(words[column])
        assert one.documents == (shares[:, column] > 0).sum() > 0
    assert len(found) == (shares.sum(axis=0) > 0).sum()
    assert model.most_influential(top=3) == found[:3]


def test_links_along_which_most_words_are_drawn():
    model = fitted(as_corpus(), None)
    shares = model.influence_.toarray()
    np.fill_diagonal(shares, 0)
    words = shares * COUNTS.sum(axis=1)[:, np.newaxis]
    found = model.strongest_links(top=10_000)
    assert len(found) == (shares > 0).sum() > 60
    assert [one.words for one in found] == sorted((one.words for one in found), reverse=True)
    for one in found:
        row, column = (int(name.removeprefix("doc ")) for name in (one.document, one.source))
        assert (one.share, one.words) == (shares[row, column], pytest.approx(words[row, column]))
    assert model.strongest_links(top=3) == found[:3]
    source = model.most_influential(top=1)[0].document
    own = [one for one in found if one.source == source]
    assert model.strongest_links(top=100, source=source) == own
    assert sum(one.words for one in own) == pytest.approx(model.most_influential(top=1)[0].words)
    row = int(source.removeprefix("doc "))
    assert model.strongest_links(top=2, source=row) == own[:2]
    assert all(one.share > 0 for one in fitted(most_links=1).strongest_links(top=10_000))


def test_unknown_documents_are_refused():
    model, numbered = fitted(as_corpus(), None), fitted()
    for unknown in ("doc 60", "60", None, 1.5, True):
        with pytest.raises(PlaitError, match="is not the id of a training document"):
            model.influencers(unknown)
    with pytest.raises(PlaitError, match="'doc 60' is not the id of a training document"):
        model.strongest_links(source="doc 60")
    for row in (60, -1):
        with pytest.raises(PlaitError, match=f"row {row} is not one of the model's 60 training documents"):
            model.influencers(row)
    with pytest.raises(PlaitError, match=r"fitted to a matrix or with keep='nothing'.*, so give rows"):
        numbered.influencers("doc 1")
    for wrong in (0, -1, 2.5):
        with pytest.raises(PlaitError, match="top must be a whole number"):
            model.influencers(0, top=wrong)
        with pytest.raises(PlaitError, match="top must be a whole number"):
            model.most_influential(top=wrong)
        with pytest.raises(PlaitError, match="top must be a whole number"):
            model.strongest_links(top=wrong)


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_new_documents_without_links_are_folded_in_as_in_lda(sampler):
    model = fitted(sampler=sampler)
    fold_in = FoldIn(model._chain_samples[0], sampler == "limit", model.seed_)
    expected = np.mean(fold_in.proportions(sparse.csr_array(NEW), 6, Threads(1)), axis=0)
    assert model.transform(NEW).tobytes() == expected.tobytes()
    assert model.transform(NEW, links=NEW_LINKS).tobytes() != expected.tobytes()


def test_new_documents_with_links_and_their_influence():
    model = fitted()
    topics, influence = model.transform(NEW, links=NEW_LINKS), model.infer_influence(NEW, NEW_LINKS)
    np.testing.assert_allclose(topics.sum(axis=1), 1, rtol=1e-12)
    assert influence.shape == (9, 60)
    followed = heaviest_links(NEW_LINKS, 10, np.zeros(NEW_LINKS.shape[0], int)).toarray() > 0
    assert followed.sum() < NEW_LINKS.nnz
    assert ((influence.toarray() > 0) == followed).all()
    for form in (NEW_LINKS.toarray(), NEW_LINKS.toarray().tolist(), sparse.coo_array(NEW_LINKS)):
        assert model.transform(NEW, links=form).tobytes() == topics.tobytes()
    assert model.transform(NEW[3:4], links=NEW_LINKS[[3]])[0].tolist() == topics[3].tolist()


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_new_documents_that_link_to_each_other(sampler):
    model = fitted(sampler=sampler)
    among = np.zeros((9, 9))
    among[0, 1], among[1, 2], among[5, 5] = 2, 1, 7  # 5 links to itself, which says nothing
    links = np.hstack([NEW_LINKS.toarray(), among])
    topics, influence = model.transform(NEW, links=links), model.infer_influence(NEW, links)
    assert influence.shape == (9, 69)
    assert [*zip(*influence[:, 60:].nonzero(), strict=True)] == [(0, 1), (1, 2)]
    assert (influence.sum(axis=1) < 1).all()
    to_known = model.transform(NEW, links=NEW_LINKS)
    np.testing.assert_array_equal(topics[3:], to_known[3:])  # linked with no new document: as if alone
    assert (np.abs(topics[:3] - to_known[:3]).max(axis=1) > 1e-4).all()
    apart = model.transform(NEW[:3], links=np.hstack([NEW_LINKS.toarray()[:3], among[:3, :3]]))
    np.testing.assert_array_equal(apart, topics[:3])
    assert model.perplexity(NEW, links=links) != model.perplexity(NEW, links=NEW_LINKS)
    assert model.score(NEW, links=links) == pytest.approx(-np.log(model.perplexity(NEW, links=links)))


@pytest.mark.slow  # compiles the sweep of a sampler other than plain
def test_a_new_document_without_words_has_topics_through_another_new_one():
    model = fitted(n_samples=1, sampler="limit")
    counts, links = NEW[:2].copy(), np.zeros((2, 62))
    counts[0], links[0, 61] = 0, 1
    topics = model.transform(counts, links=links)
    np.testing.assert_allclose(topics[0], 2 / 3 * 0.25 + 1 / 3 * topics[1], rtol=1e-4)


def test_new_documents_without_words_have_topics_of_those_that_they_link_to():
    model = fitted(n_samples=1)
    links = np.zeros((2, 60))
    links[0, [7, 20]] = [3, 1]
    expected = np.array([5, 3, 1]) / 9 @ np.vstack([[0.25] * 4, model.source_topic_[[7, 20]]])
    topics = model.transform(0 * NEW[:2], links=links)
    np.testing.assert_allclose(topics[0], expected, rtol=1e-5)
    np.testing.assert_allclose(topics[1], [0.25] * 4, rtol=1e-5)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (LINKS, "links is 60 × 60 but must be 9 × 60 or, with links between the new documents, 9 × 69"),
        (np.zeros((9, 59)), "links is 9 × 59 but must be 9 × 60"),
        (-NEW_LINKS, r"links\[0, \d+\] is -1.0"),
        (NEW_LINKS * np.nan, r"links\[0, \d+\] is nan"),
        ("some", "links must be a matrix new documents × training documents"),
    ],
)
def test_links_of_new_documents_that_cannot_be_used_are_refused(links, message):
    model = fitted()
    for answer in (
        lambda: model.transform(NEW, links=links),
        lambda: model.infer_influence(NEW, links),
        lambda: model.perplexity(NEW, links=links),
    ):
        with pytest.raises(PlaitError, match=message):
            answer()


def test_influence_of_new_documents_needs_links():
    with pytest.raises(PlaitError, match="without links there is no influence to infer"):
        fitted().infer_influence(NEW, None)


def test_unknown_words_of_new_documents_are_said_once():
    model = fitted(as_corpus(), None)
    new = Corpus.from_texts(["river money zebra"])
    for given in ({}, {"links": np.eye(1, 60)}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.transform(new, **given)
        assert len(caught) == 1


# Threads, stopping, saving.


@pytest.mark.parametrize("sampler", [*SAMPLERS, "sparse(2)"])
def test_same_bits_for_any_number_of_threads(sampler):
    models = [fitted(n_shards=4, n_jobs=jobs, sampler=sampler) for jobs in (1, 2, 3)]
    for other in models[1:]:
        same_bits(models[0], other)
    assert models[0].doc_topic_.tobytes() != fitted(random_state=1, sampler=sampler).doc_topic_.tobytes()


STOPPED = {
    "plain": {},
    "shards": {"n_shards": 3},
    "shares": {"sampler": "limit", "n_shards": 2},
    "sparse": {"sampler": "sparse(2)", "learn_alpha": True},
    "two chains": {"n_chains": 2, "n_sweeps": 5},
    "aggregated sparse": {"sampler": "aggregated_sparse(2)", "most_links": 2, "direction": "both"},
}


@pytest.mark.parametrize("case", STOPPED)
def test_a_fit_stopped_at_any_sweep_resumes_to_the_same_bits(case, tmp_path, monkeypatch):
    settings = {"n_sweeps": 11, "sample_every": 1} | STOPPED[case]  # α is learned after ten, sums are added up anew
    straight = fitted(**settings)
    assert straight.n_sweeps_ == 12
    for sweep in (0, 4, 9, 10):
        with monkeypatch.context() as patched:
            press_ctrl_c_in_sweep(sweep, patched)
            stopped = fitted(**settings)
        assert stopped.interrupted_
        assert stopped.n_sweeps_ == sweep + 1
        np.testing.assert_allclose(stopped.influence_.sum(axis=1), 1, rtol=1e-4)
        loaded = plait.load(plait.save(stopped, tmp_path / "model.plait"))
        same_bits(stopped, loaded)
        same_bits(loaded.resume(COUNTS, links=LINKS), straight)
        same_bits(stopped.resume(COUNTS, links=LINKS), straight)
    assert not stopped.interrupted_


def test_resume_refuses_other_links(monkeypatch):
    with monkeypatch.context() as patched:
        press_ctrl_c_in_sweep(3, patched)
        stopped = fitted()
    for other in (LINKS.T, 2 * LINKS, LINKS[::-1]):
        with pytest.raises(PlaitError, match="not the documents that the fit began with"):
            stopped.resume(COUNTS, links=other)
    with pytest.raises(PlaitError, match="a matrix of counts has no links"):
        stopped.resume(COUNTS)
    same_bits(stopped.resume(COUNTS, links=LINKS), fitted())


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_a_checkpoint_resumes_to_the_same_bits(sampler, tmp_path):
    corpus, path = as_corpus(), tmp_path / "model.plait"
    straight = LinkedLDA(**QUICK, sampler=sampler).fit(corpus, checkpoint=path, checkpoint_every=5)
    kept = plait.load(path)
    assert (kept.interrupted_, kept.n_sweeps_, straight.n_sweeps_) == (True, 10, 12)
    same_bits(kept.resume(corpus), straight)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_model_comes_back_as_it_was(sampler, tmp_path):
    model = fitted(as_corpus(), None, sampler=sampler, p=np.float64(4), most_links=3, direction="both")
    loaded = plait.load(plait.save(model, tmp_path / "model.plait"))
    assert type(loaded) is LinkedLDA
    assert loaded.get_params() == model.get_params()
    assert same(vars(model), vars(loaded))
    same_bits(loaded, model)
    assert loaded.influencers("doc 3") == model.influencers("doc 3")


def test_a_second_fit_forgets_the_first():
    model = fitted()
    twin = clone(model)
    assert not hasattr(twin, "influence_")
    twin.fit(COUNTS[:30], links=LINKS[:30, :30])
    same_bits(twin.fit(COUNTS, links=LINKS), model)
