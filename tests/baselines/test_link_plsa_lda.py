"""Link-PLSA-LDA against its definition: updates in plain loops, the bound that they climb, planted citations."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.special import digamma, gammaln

from plait.baselines import LinkPLSALDA, link_plsa_lda, link_plsa_lda_sides
from plait.baselines.variational import first_topics
from plait.corpus import Corpus
from plait.errors import PlaitError

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
        self.beta = first_topics(sparse.csr_array(counts), N_TOPICS, seed).T
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


def test_the_same_numbers_as_from_the_definition(small):
    naive = Naive(*small, seed=5)
    assert len(naive.citing) < 14
    assert len(naive.cited) < 14
    bounds = [naive.iterate(link_plsa_lda._STEPS + 1) for _ in range(12)]
    machine = fit(*small, n_iterations=12)
    np.testing.assert_allclose(machine.bounds_, bounds, rtol=1e-9)
    np.testing.assert_allclose(machine.topic_word_, naive.beta, rtol=1e-6)
    np.testing.assert_allclose(machine.topic_document_, naive.omega, rtol=1e-6)
    np.testing.assert_allclose(machine.topic_shares_, naive.pi, rtol=1e-6)


def test_proportions_are_stationary_and_make_the_influence(small):
    counts, links = small
    machine = fit(counts, links, n_iterations=20)
    naive = Naive(counts, links, seed=5)
    naive.beta, naive.omega = machine.topic_word_, machine.topic_document_
    for document in range(14):
        total = N_TOPICS * ALPHA + counts[document].sum() + naive.links[document].sum()
        naive.gamma[document] = total * machine.doc_topic_[document]
        shares = [number * naive.share(document, *where) for *where, number in naive.draws(document)]
        np.testing.assert_allclose(ALPHA + sum(shares), naive.gamma[document], atol=1e-2)
    assert (machine.influence_.toarray() > 0).tolist() == (naive.links > 0).tolist()
    for document in np.flatnonzero(naive.links.any(axis=1)):
        weights = {
            c: machine.doc_topic_[document] @ machine.topic_document_[:, c] for c in naive.links[document].nonzero()[0]
        }
        for cited, weight in weights.items():
            assert machine.influence_[document, cited] == pytest.approx(weight / sum(weights.values()))


@pytest.mark.parametrize("settings", [{}, {"alpha": 0.01, "smoothing": 0.01}, {"alpha": 5.0, "smoothing": 1.0}])
def test_the_bound_never_falls(planted, settings):
    machine = fit(planted.counts, planted.links, n_iterations=80, **settings)
    rises = np.diff(machine.bounds_)
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
    machine = fit(planted.counts, planted.links, n_iterations=100)
    order = machine.topic_word_.reshape(3, 3, 10).sum(axis=2).argmax(axis=0)  # the topic of each third of the words
    assert sorted(order) == [0, 1, 2]
    np.testing.assert_allclose(machine.topic_word_[order], planted.topic_word, atol=0.03)
    assert (machine.topic_document_[order][:, :30].argmax(axis=0) == planted.kinds).all()
    assert (machine.topic_document_[:, 30:] == 0).all()
    assert np.abs(machine.doc_topic_[:, order] - planted.theta).mean() < 0.06
    # A citing document's main topic must be what its citations are weighed by.
    off = []
    for document in range(30, 150):
        cited = machine.influence_[[document]].indices
        true = planted.theta[document, planted.kinds[cited]]
        off.append(np.abs(machine.influence_[[document]].data - true / true.sum()).sum())
    assert np.mean(off) < 0.2


def test_citations_alone_tell_topics_apart(planted):
    counts = planted.counts.copy()
    counts[30:] = 0
    machine = fit(counts, planted.links, n_iterations=100)
    order = machine.topic_word_.reshape(3, 3, 10).sum(axis=2).argmax(axis=0)
    clear = planted.theta.max(axis=1) > 0.9
    clear[:30] = False
    found = machine.doc_topic_[clear][:, order].argmax(axis=1)
    assert (found == planted.theta[clear].argmax(axis=1)).mean() > 0.9


def test_threads_change_no_bit_and_blocks_nothing_else(planted, monkeypatch):
    whole = fit(planted.counts, planted.links, n_iterations=5)
    monkeypatch.setattr(link_plsa_lda_sides, "_ENTRIES_A_BLOCK", 300)
    one, three = (fit(planted.counts, planted.links, n_iterations=5, n_jobs=n) for n in (None, 3))
    assert one.bounds_ == three.bounds_
    for name in ("topic_word_", "topic_document_", "doc_topic_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
        np.testing.assert_allclose(getattr(one, name), getattr(whole, name), rtol=1e-7)
    np.testing.assert_array_equal(one.influence_.data, three.influence_.data)


# New documents.


def slow_proportions(machine, words):
    """E θ of one document: φ and γ in turns from φ = 1 / K on, until the bound rises by less than 1e-7 a word."""
    length = sum(words)
    gamma, last = np.full(N_TOPICS, ALPHA + length / N_TOPICS), -np.inf
    for _ in range(101):
        new, value = np.full(N_TOPICS, ALPHA), 0.0
        shares = []
        for word, number in enumerate(words):
            weights = np.exp(digamma(gamma)) * machine.topic_word_[:, word]
            shares.append(weights / weights.sum())
            new += number * shares[-1]
        gamma = new
        log_theta = digamma(gamma) - digamma(gamma.sum())
        for word, number in enumerate(words):
            beta = machine.topic_word_[:, word]
            value += number * sum(shares[word] * (log_theta + np.log(beta) - np.log(shares[word])))
        value += gammaln(N_TOPICS * ALPHA) - N_TOPICS * gammaln(ALPHA) + (ALPHA - 1) * log_theta.sum()
        value -= gammaln(gamma.sum()) - gammaln(gamma).sum() + (gamma - 1) @ log_theta
        if value - last <= 1e-7 * length:
            break
        last = value
    return gamma / gamma.sum()


def test_new_documents_have_the_proportions_of_the_definition(small):
    machine = fit(*small, n_iterations=12)
    new = np.random.default_rng(1).poisson(0.9, (20, 9)).astype(float)
    new[3] = 0
    new[4] *= 0.37  # weights in place of counts
    found = machine.transform(new)
    np.testing.assert_allclose(found, [slow_proportions(machine, words) for words in new], rtol=1e-7)
    np.testing.assert_array_equal(found[3], 1 / 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_new_documents_like_those_of_training_have_their_topics(planted):
    machine = fit(planted.counts, planted.links, n_iterations=100)
    order = machine.topic_word_.reshape(3, 3, 10).sum(axis=2).argmax(axis=0)
    theta = np.random.default_rng(5).dirichlet(np.full(3, 0.4), 60)
    new = np.random.default_rng(6).poisson(60 * theta @ planted.topic_word)
    assert np.abs(machine.transform(new)[:, order] - theta).mean() < 0.06
    # Documents that cite nobody are told from their words in training, too.
    lonely = ~planted.links.any(axis=1)
    np.testing.assert_allclose(machine.transform(planted.counts[lonely]), machine.doc_topic_[lonely], atol=1e-2)


def test_order_and_company_of_new_documents_do_not_matter(planted, monkeypatch):
    machine = fit(planted.counts, planted.links, n_iterations=5)
    learnt = machine.topic_word_.tobytes(), machine.doc_topic_.tobytes()
    whole = machine.transform(planted.counts)
    np.testing.assert_array_equal(machine.transform(planted.counts[::-1])[::-1], whole)
    np.testing.assert_array_equal(machine.transform(sparse.csr_array(planted.counts[[40]])), whole[[40]])
    monkeypatch.setattr(link_plsa_lda_sides, "_ENTRIES_A_BLOCK", 300)
    machine.n_jobs = 3
    np.testing.assert_array_equal(machine.transform(planted.counts), whole)
    assert (machine.topic_word_.tobytes(), machine.doc_topic_.tobytes()) == learnt


def test_a_new_corpus_is_laid_onto_the_words_of_training():
    texts = ["river stream bank", "money loan bank", "river bank river", "loan money credit"]
    links = [("0", "2"), ("1", "3")]
    corpus = Corpus.from_texts(texts, ids=list("0123"), links=links)
    machine = fit(corpus, None)
    new = Corpus.from_texts(["loan zebra", "stream river stream"])  # words in other columns, and one that is unknown
    column_of = {word: column for column, word in enumerate(corpus.vocabulary)}
    counts = np.zeros((2, len(column_of)))
    counts[0, column_of["loan"]] = counts[1, column_of["river"]] = 1
    counts[1, column_of["stream"]] = 2
    np.testing.assert_array_equal(machine.transform(new), machine.transform(counts))
    with pytest.raises(PlaitError, match="the documents have 4 words, those of training had 6"):
        machine.transform(counts[:, :4])
    with pytest.raises(PlaitError, match=r"counts\[1, \d\] is -2.0"):
        machine.transform(np.where(counts == 2, -2, counts))
    with pytest.raises(PlaitError, match="has learnt nothing yet; fit it"):
        LinkPLSALDA(2).transform(counts)


def test_another_seed_starts_elsewhere(small):
    one, same, other = (fit(*small, n_iterations=2, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.topic_word_, same.topic_word_)
    assert not np.allclose(one.topic_word_, other.topic_word_)


def test_a_corpus_has_links_of_its_own_and_nothing_given_is_changed(small):
    counts, links = small
    corpus = Corpus.from_matrix(counts, links=sparse.csr_array((links > 0) & ~np.eye(14, dtype=bool)))
    before = counts.copy(), links.copy()
    machine = fit(corpus, None, n_iterations=3)
    np.testing.assert_array_equal(machine.topic_word_, fit(counts, links > 0, n_iterations=3).topic_word_)
    assert not np.allclose(machine.topic_word_, fit(corpus, links, n_iterations=3).topic_word_)
    assert fit(counts, links, n_iterations=1).n_self_links_ == 1
    np.testing.assert_array_equal(counts, before[0])
    np.testing.assert_array_equal(links, before[1])


def test_it_stops_where_it_settles(planted):
    assert len(fit(planted.counts, planted.links, n_iterations=50, tolerance=1e-3).bounds_) < 50
    assert len(fit(planted.counts, planted.links, n_iterations=7).bounds_) == 7


def test_cited_documents_without_words(planted):
    counts = planted.counts.copy()
    counts[:30] = 0
    machine = fit(counts, planted.links, n_iterations=30)
    np.testing.assert_allclose(machine.topic_shares_, 1 / 3)
    assert np.isfinite(machine.doc_topic_).all()
    np.testing.assert_allclose(machine.doc_topic_[:30], 1 / 3)


def test_wrong_input(small):
    counts, links = small
    plain = LinkPLSALDA(N_TOPICS)
    wrong = {
        "counts alone have no links": (counts, None),
        "the corpus has no links": (Corpus.from_texts(["apple banana", "banana cherry"]), None),
        r"there are no citations but 14 by documents of themselves": (counts, np.eye(14)),
        "there are no citations, so": (counts, np.zeros((14, 14))),
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
