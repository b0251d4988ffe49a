"""Link-PLSA-LDA compared with its definition in plain loops; monotonicity of the bound; planted citations."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.special import digamma, gammaln

from plait.baselines import LinkPLSALDA, link_plsa_lda, link_plsa_lda_sides
from plait.baselines.variational import initial_topics
from plait.corpus import Corpus
from plait.errors import PlaitError

pytestmark = pytest.mark.slow  # compiles a baseline

ALPHA, SMOOTHING, N_TOPICS = 0.4, 0.2, 3


@pytest.fixture(scope="module")
def small():
    """Documents that cite, are cited, both or neither; a citation that stands twice; documents without words."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.8, (14, 9)).astype(float)
    links = (rng.random((14, 14)) < 0.2).astype(float)
    links[:, [0, 1, 2, 5, 13]] = 0
    links[9:] = 0
    links[13, 13] = 1.0  # by itself: left out, so that document 13 has no citations
    links[3, 4] = 2.0
    counts[[2, 6]] = 0
    np.fill_diagonal(links[:13, :13], 0)
    return counts, links


class Naive:
    """The model of the module's docstring, one token kind after the other, nothing shared with the fast one."""

    def __init__(self, counts, links, seed):
        self.counts, self.links = counts, links - np.diag(np.diag(links))
        self.cited = [c for c in range(len(counts)) if self.links[:, c].any()]
        self.citing = [d for d in range(len(counts)) if self.links[d].any() or d not in self.cited]
        self.beta = initial_topics(sparse.csr_array(counts), N_TOPICS, seed).T
        self.omega = np.zeros((N_TOPICS, len(counts)))
        self.omega[:, self.cited] = 1 / len(self.cited)
        self.pi = np.full(N_TOPICS, 1 / N_TOPICS)
        lengths = counts.sum(axis=1) + self.links.sum(axis=1)
        self.gamma = ALPHA + np.outer(lengths / N_TOPICS, np.ones(N_TOPICS))

    def share(self, document, table, column):
        """φ or λ."""
        weights = np.exp(digamma(self.gamma[document])) * table[:, column]
        return weights / weights.sum()

    def draws(self, document):
        """The table, column and number of each kind of draw of a citing document."""
        for word in np.flatnonzero(self.counts[document]):
            yield self.beta, word, self.counts[document, word]
        for cited in np.flatnonzero(self.links[document]):
            yield self.omega, cited, self.links[document, cited]

    def iterate(self, n_steps):
        """Do one EM iteration and return the bound after the E step."""
        beta, omega, pi = np.full_like(self.beta, SMOOTHING), np.zeros_like(self.omega), np.zeros(N_TOPICS)
        omega[:, self.cited] = SMOOTHING
        bound = SMOOTHING * (np.log(self.beta).sum() + np.log(self.omega[:, self.cited]).sum())
        for document in self.citing:
            for _ in range(n_steps):
                shares = [(*draw, self.share(document, *draw[:2])) for draw in self.draws(document)]
                self.gamma[document] = ALPHA + sum(number * share for *_, number, share in shares)
            gamma = self.gamma[document]
            log_theta = digamma(gamma) - digamma(gamma.sum())
            bound += gammaln(N_TOPICS * ALPHA) - N_TOPICS * gammaln(ALPHA) + (ALPHA - 1) * log_theta.sum()
            bound -= gammaln(gamma.sum()) - gammaln(gamma).sum() + (gamma - 1) @ log_theta
            for table, column, number, share in shares:
                bound += number * share @ (log_theta + np.log(table[:, column]) - np.log(share))
                (beta if table is self.beta else omega)[:, column] += number * share
        for document in self.cited:
            for word in np.flatnonzero(self.counts[document]):
                joint = self.pi * self.omega[:, document] * self.beta[:, word]
                number = self.counts[document, word]
                bound += number * np.log(joint.sum())
                share = number * joint / joint.sum()
                beta[:, word] += share
                omega[:, document] += share
                pi += share
        self.beta = beta / beta.sum(axis=1, keepdims=True)
        self.omega = omega / omega.sum(axis=1, keepdims=True)
        self.pi = pi / pi.sum()
        return bound


def fit(counts, links, **settings):
    settings = {"alpha": ALPHA, "smoothing": SMOOTHING, "random_state": 5, "tolerance": 0.0} | settings
    return LinkPLSALDA(N_TOPICS, **settings).fit(counts, links=links)


def test_results_equal_the_definition(small):
    naive = Naive(*small, seed=5)
    assert len(naive.citing) < 14
    assert len(naive.cited) < 14
    bounds = [naive.iterate(link_plsa_lda._STEPS + 1) for _ in range(12)]
    model = fit(*small, n_iterations=12)
    np.testing.assert_allclose(model.bounds_, bounds, rtol=1e-9)
    np.testing.assert_allclose(model.topic_word_, naive.beta, rtol=1e-6)
    np.testing.assert_allclose(model.topic_document_, naive.omega, rtol=1e-6)
    np.testing.assert_allclose(model.topic_shares_, naive.pi, rtol=1e-6)


def test_proportions_are_stationary_and_influence_follows_from_them(small):
    counts, links = small
    model = fit(counts, links, n_iterations=20)
    naive = Naive(counts, links, seed=5)
    naive.beta, naive.omega = model.topic_word_, model.topic_document_
    for document in range(14):
        total = N_TOPICS * ALPHA + counts[document].sum() + naive.links[document].sum()
        naive.gamma[document] = total * model.doc_topic_[document]
        shares = [number * naive.share(document, *where) for *where, number in naive.draws(document)]
        np.testing.assert_allclose(ALPHA + sum(shares), naive.gamma[document], atol=1e-2)
    assert (model.influence_.toarray() > 0).tolist() == (naive.links > 0).tolist()
    for document in np.flatnonzero(naive.links.any(axis=1)):
        weights = {
            c: model.doc_topic_[document] @ model.topic_document_[:, c] for c in naive.links[document].nonzero()[0]
        }
        for cited, weight in weights.items():
            assert model.influence_[document, cited] == pytest.approx(weight / sum(weights.values()))


@pytest.mark.parametrize("settings", [{}, {"alpha": 0.01, "smoothing": 0.01}, {"alpha": 5.0, "smoothing": 1.0}])
def test_the_bound_never_decreases(planted, settings):
    model = fit(planted.counts, planted.links, n_iterations=80, **settings)
    rises = np.diff(model.bounds_)
    assert rises.min() > -1e-7
    assert rises.sum() > 100


class Planted:
    """Documents of three topics; the first 30 are cited, each for one topic, the rest cite by their proportions."""

    def __init__(self):
        rng = np.random.default_rng(3)
        self.topic_word = np.kron(np.eye(3), np.full(10, 0.9)) / 10 + 0.1 / 30
        self.kinds = np.arange(30) % 3
        topic_document = np.zeros((3, 150))
        topic_document[self.kinds, np.arange(30)] = 0.1
        self.theta = rng.dirichlet(np.full(3, 0.4), 150)
        self.theta[:30] = np.eye(3)[self.kinds]
        self.counts = rng.poisson(60 * self.theta @ self.topic_word)
        self.links = np.zeros((150, 150))
        for document in range(30, 150):
            cited = rng.choice(150, size=8, p=self.theta[document] @ topic_document)
            np.add.at(self.links[document], cited, 1.0)


@pytest.fixture(scope="module")
def planted():
    return Planted()


def test_planted_topics_and_citations_are_found(planted):
    model = fit(planted.counts, planted.links, n_iterations=100)
    order = model.topic_word_.reshape(3, 3, 10).sum(axis=2).argmax(axis=0)  # the topic of each third of the words
    assert sorted(order) == [0, 1, 2]
    np.testing.assert_allclose(model.topic_word_[order], planted.topic_word, atol=0.03)
    assert (model.topic_document_[order][:, :30].argmax(axis=0) == planted.kinds).all()
    assert (model.topic_document_[:, 30:] == 0).all()
    assert np.abs(model.doc_topic_[:, order] - planted.theta).mean() < 0.06
    # A citing document's main topic must be what its citations are weighed by.
    off = []
    for document in range(30, 150):
        cited = model.influence_[[document]].indices
        true = planted.theta[document, planted.kinds[cited]]
        off.append(np.abs(model.influence_[[document]].data - true / true.sum()).sum())
    assert np.mean(off) < 0.2


def test_citations_alone_separate_topics(planted):
    counts = planted.counts.copy()
    counts[30:] = 0
    model = fit(counts, planted.links, n_iterations=100)
    order = model.topic_word_.reshape(3, 3, 10).sum(axis=2).argmax(axis=0)
    clear = planted.theta.max(axis=1) > 0.9
    clear[:30] = False
    found = model.doc_topic_[clear][:, order].argmax(axis=1)
    assert (found == planted.theta[clear].argmax(axis=1)).mean() > 0.9


def test_results_do_not_depend_on_threads_or_blocks(planted, monkeypatch):
    whole = fit(planted.counts, planted.links, n_iterations=5)
    monkeypatch.setattr(link_plsa_lda_sides, "_ENTRIES_PER_BLOCK", 300)
    one, three = (fit(planted.counts, planted.links, n_iterations=5, n_jobs=n) for n in (None, 3))
    assert one.bounds_ == three.bounds_
    for name in ("topic_word_", "topic_document_", "doc_topic_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
        np.testing.assert_allclose(getattr(one, name), getattr(whole, name), rtol=1e-7)
    np.testing.assert_array_equal(one.influence_.data, three.influence_.data)


# New documents.


def slow_proportions(model, words):
    """E θ of one document: φ and γ in turns from φ = 1 / K on, until the bound rises by less than 1e-7 a word."""
    length = sum(words)
    gamma, last = np.full(N_TOPICS, ALPHA + length / N_TOPICS), -np.inf
    for _ in range(101):
        new, value = np.full(N_TOPICS, ALPHA), 0.0
        shares = []
        for word, number in enumerate(words):
            weights = np.exp(digamma(gamma)) * model.topic_word_[:, word]
            shares.append(weights / weights.sum())
            new += number * shares[-1]
        gamma = new
        log_theta = digamma(gamma) - digamma(gamma.sum())
        for word, number in enumerate(words):
            beta = model.topic_word_[:, word]
            value += number * sum(shares[word] * (log_theta + np.log(beta) - np.log(shares[word])))
        value += gammaln(N_TOPICS * ALPHA) - N_TOPICS * gammaln(ALPHA) + (ALPHA - 1) * log_theta.sum()
        value -= gammaln(gamma.sum()) - gammaln(gamma).sum() + (gamma - 1) @ log_theta
        if value - last <= 1e-7 * length:
            break
        last = value
    return gamma / gamma.sum()


def test_proportions_of_new_documents_equal_the_definition(small):
    model = fit(*small, n_iterations=12)
    new = np.random.default_rng(1).poisson(0.9, (20, 9)).astype(float)
    new[3] = 0
    new[4] *= 0.37  # weights in place of counts
    found = model.transform(new)
    np.testing.assert_allclose(found, [slow_proportions(model, words) for words in new], rtol=1e-7)
    np.testing.assert_array_equal(found[3], 1 / 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_copies_of_training_documents_have_their_topics(planted):
    model = fit(planted.counts, planted.links, n_iterations=100)
    order = model.topic_word_.reshape(3, 3, 10).sum(axis=2).argmax(axis=0)
    theta = np.random.default_rng(5).dirichlet(np.full(3, 0.4), 60)
    new = np.random.default_rng(6).poisson(60 * theta @ planted.topic_word)
    assert np.abs(model.transform(new)[:, order] - theta).mean() < 0.06
    # The proportions of documents without citations follow from their words in training, too.
    lonely = ~planted.links.any(axis=1)
    np.testing.assert_allclose(model.transform(planted.counts[lonely]), model.doc_topic_[lonely], atol=1e-2)


def test_new_documents_are_independent_of_each_other(planted, monkeypatch):
    model = fit(planted.counts, planted.links, n_iterations=5)
    before = model.topic_word_.tobytes(), model.doc_topic_.tobytes()
    whole = model.transform(planted.counts)
    np.testing.assert_array_equal(model.transform(planted.counts[::-1])[::-1], whole)
    np.testing.assert_array_equal(model.transform(sparse.csr_array(planted.counts[[40]])), whole[[40]])
    monkeypatch.setattr(link_plsa_lda_sides, "_ENTRIES_PER_BLOCK", 300)
    model.n_jobs = 3
    np.testing.assert_array_equal(model.transform(planted.counts), whole)
    assert (model.topic_word_.tobytes(), model.doc_topic_.tobytes()) == before


def test_a_new_corpus_is_aligned_with_the_training_vocabulary():
    texts = ["river stream bank", "money loan bank", "river bank river", "loan money credit"]
    links = [("0", "2"), ("1", "3")]
    corpus = Corpus.from_texts(texts, ids=list("0123"), links=links)
    model = fit(corpus, None)
    new = Corpus.from_texts(["loan zebra", "stream river stream"])  # words in other columns, and one that is unknown
    column_of = {word: column for column, word in enumerate(corpus.vocabulary)}
    counts = np.zeros((2, len(column_of)))
    counts[0, column_of["loan"]] = counts[1, column_of["river"]] = 1
    counts[1, column_of["stream"]] = 2
    np.testing.assert_array_equal(model.transform(new), model.transform(counts))
    with pytest.raises(PlaitError, match="the documents have 4 words, the training documents had 6"):
        model.transform(counts[:, :4])
    with pytest.raises(PlaitError, match=r"counts\[1, \d\] is -2.0"):
        model.transform(np.where(counts == 2, -2, counts))
    with pytest.raises(PlaitError, match="is not fitted; call fit"):
        LinkPLSALDA(2).transform(counts)


def test_another_seed_gives_another_start(small):
    one, same, other = (fit(*small, n_iterations=2, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.topic_word_, same.topic_word_)
    assert not np.allclose(one.topic_word_, other.topic_word_)


def test_the_links_of_a_corpus_are_used_and_arguments_are_not_changed(small):
    counts, links = small
    corpus = Corpus.from_matrix(counts, links=sparse.csr_array((links > 0) & ~np.eye(14, dtype=bool)))
    before = counts.copy(), links.copy()
    model = fit(corpus, None, n_iterations=3)
    np.testing.assert_array_equal(model.topic_word_, fit(counts, links > 0, n_iterations=3).topic_word_)
    assert not np.allclose(model.topic_word_, fit(corpus, links, n_iterations=3).topic_word_)
    assert fit(counts, links, n_iterations=1).n_self_links_ == 1
    np.testing.assert_array_equal(counts, before[0])
    np.testing.assert_array_equal(links, before[1])


def test_it_stops_at_convergence(planted):
    assert len(fit(planted.counts, planted.links, n_iterations=50, tolerance=1e-3).bounds_) < 50
    assert len(fit(planted.counts, planted.links, n_iterations=7).bounds_) == 7


def test_cited_documents_without_words(planted):
    counts = planted.counts.copy()
    counts[:30] = 0
    model = fit(counts, planted.links, n_iterations=30)
    np.testing.assert_allclose(model.topic_shares_, 1 / 3)
    assert np.isfinite(model.doc_topic_).all()
    np.testing.assert_allclose(model.doc_topic_[:30], 1 / 3)


def test_invalid_input_is_rejected(small):
    counts, links = small
    plain = LinkPLSALDA(N_TOPICS)
    wrong = {
        "counts alone have no links": (counts, None),
        "the corpus has no links": (Corpus.from_texts(["apple banana", "banana cherry"]), None),
        r"there are no citations except 14 self-citations": (counts, np.eye(14)),
        "there are no citations;": (counts, np.zeros((14, 14))),
        "links is 14 × 13 but there are 14 documents": (counts, links[:, 1:]),
        "none of the documents has a word": (np.zeros((14, 9)), links),
        r"links\[3, 4\] is -1.0": (counts, np.where(links == 2, -1, links)),
        r"counts\[0, \d\] is nan": (counts * np.nan, links),
        "counts must be a matrix; this has 1 dimension": (counts[0], links),
        "links must be a matrix of numbers, not str": (counts, "cites"),
        "links must be a matrix of real numbers": (counts, links * 1j),
    }
    for message, given in wrong.items():
        with pytest.raises(PlaitError, match=message):
            plain.fit(*given)
    settings = {"n_topics": 0, "n_iterations": 0, "alpha": 0.0, "smoothing": [0.1, 0.2], "tolerance": -1.0}
    for name, value in {**settings, "random_state": -1, "n_jobs": 0}.items():
        with pytest.raises(PlaitError, match=f"{name} must"):
            LinkPLSALDA(**{name: value}).fit(counts, links)


def test_importing_compiles_nothing():
    code = "import sys, plait.baselines; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
