"""LDA as a user meets it: it finds planted topics, says what it found, stops, resumes, and refuses nonsense."""

from __future__ import annotations

import functools
import operator
import os
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import linear_sum_assignment

import plait
from plait import LDA, Corpus, PlaitError
from plait.metrics import unigram_perplexity

# AlSumait, Wang, Domeniconi and Barbará (2010), Table 10.1: words of three topics (columns sum to 1.1 there).
WORDS = ["river", "stream", "bank", "money", "loan", "debt", "factory", "product", "labor", "news", "reporter"]
TOPICS = np.array(
    [
        [0.37, 0.41, 0.22, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.05, 0.05],
        [0.0, 0.0, 0.28, 0.3, 0.2, 0.12, 0.0, 0.0, 0.0, 0.05, 0.05],
        [0.0, 0.0, 0.0, 0.07, 0.0, 0.0, 0.33, 0.25, 0.25, 0.05, 0.05],
    ]
)
TOPICS = TOPICS / TOPICS.sum(axis=1, keepdims=True)


def simulated(rng, n_documents=16, length=16):
    """Documents of about 16 words, each mostly about one of the three topics."""
    counts = np.zeros((n_documents, len(WORDS)), dtype=int)
    for row in counts:
        mixture = rng.dirichlet([0.1, 0.1, 0.1]) @ TOPICS
        row += rng.multinomial(max(rng.poisson(length), 1), mixture)
    return counts


def cosine(first, second):
    return first @ second.T / np.outer(np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1))


@pytest.mark.parametrize("sampler", ["plain", "aggregated", "limit"])
def test_the_simulated_topics_are_found(sampler):
    rng = np.random.default_rng(10)
    found = np.zeros_like(TOPICS)
    shares = np.zeros(3)
    for seed in range(6):  # six sets of documents, 50 sweeps, as in Table 10.2
        counts = simulated(rng)
        model = LDA(3, alpha=0.1, beta=0.1, sampler=sampler, n_sweeps=50, n_samples=1, tolerance=0, random_state=seed)
        model.fit(counts)
        similar = cosine(TOPICS, model.topic_word_)
        order = linear_sum_assignment(-similar)[1]
        found += model.topic_word_[order] / 6
        shares += model.topic_share_[order] / 6
    assert np.diag(cosine(TOPICS, found)).min() > 0.95
    assert np.abs(shares - 1 / 3).max() < 0.12


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(1)
    return Corpus.from_matrix(
        sparse.csr_array(simulated(rng, 80, 30)), vocabulary=WORDS, ids=[f"doc {i}" for i in range(80)]
    )


@pytest.fixture(scope="module")
def model(corpus):
    return LDA(3, alpha=0.1, n_sweeps=60, random_state=0).fit(corpus)


def test_topics_are_described_by_the_users_words(model):
    topics = model.topics(top=3)
    assert {"river", "stream"} < set(functools.reduce(operator.iadd, (t.words for t in topics), []))
    assert all(t.weights == sorted(t.weights, reverse=True) for t in topics)
    assert sum(t.share for t in topics) == pytest.approx(1)
    assert topics[0].words[0] in str(topics[0])


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_the_counts_of_the_training_words_are_known_and_saved(corpus, tmp_path, sampler):
    parts = 1 if sampler == "plain" else 0.3
    counts = np.hstack([corpus.counts.toarray() * parts, np.zeros((80, 1))])  # the last word never occurs
    fitted = LDA(2, sampler=sampler, n_sweeps=2, n_samples=1, random_state=0).fit(counts)
    for known in (fitted, plait.load(plait.save(fitted, tmp_path / "model.plait"))):
        assert known.word_counts_.shape == (len(WORDS) + 1,)
        np.testing.assert_allclose(known.word_counts_, counts.sum(axis=0), rtol=1e-12)


def test_relevance_prefers_words_that_tell_topics_apart(model):
    by_relevance = {word for topic in model.topics(3, by="relevance", relevance_weight=0.1) for word in topic.words}
    assert "news" not in by_relevance
    assert model.topics(4, by="relevance", relevance_weight=1.0) == model.topics(4)


def test_typical_documents_are_named_by_their_ids(model, corpus):
    for topic, documents in enumerate(model.typical_documents(2)):
        (first, weight), _ = documents
        row = corpus.ids.tolist().index(first)
        assert model.doc_topic_[:, topic].max() == model.doc_topic_[row, topic] == weight


def test_perplexity_beats_word_frequencies_and_flatters_when_folded_in(model, corpus):
    new = sparse.csr_array(simulated(np.random.default_rng(7), 60, 30))
    completion = model.perplexity(new)
    unigram = unigram_perplexity(np.asarray(corpus.counts.sum(axis=0)).ravel(), new).perplexity
    assert completion < 0.75 * unigram
    assert model.perplexity(new, "fold_in") < completion
    assert model.score(new) == pytest.approx(-np.log(completion))


def test_perplexity_of_one_topic_is_that_of_its_words():
    counts = np.array([[4, 0, 2], [1, 3, 2]])
    one = LDA(1, beta=0.5, n_sweeps=2, random_state=0).fit(counts)
    phi = (counts.sum(axis=0) + 0.5) / (counts.sum() + 1.5)
    expected = np.exp(-(counts * np.log(phi)).sum() / counts.sum())
    assert one.perplexity(counts, "fold_in") == pytest.approx(expected, rel=1e-5)


def test_coherence_of_planted_topics_beats_that_of_mixed_words(model, corpus):
    mixed = plait.coherence([["river", "factory", "loan"]], corpus)
    assert model.coherence(corpus, top=3).mean() > mixed[0] + 0.3
    assert model.coherence(corpus, "c_v", top=3).shape == (3,)


def test_a_new_corpus_is_laid_onto_the_models_words(model):
    new = Corpus.from_texts(["stream stream river zebra", "labor factory factory"])
    with pytest.warns(UserWarning, match=r"1 of 7 tokens .* not in the model's vocabulary"):
        shares = model.transform(new)
    columns = {word: i for i, word in enumerate(WORDS)}
    counts = np.zeros((2, len(WORDS)), int)
    counts[0, [columns["stream"], columns["river"]]] = [2, 1]
    counts[1, [columns["labor"], columns["factory"]]] = [1, 2]
    np.testing.assert_array_equal(shares, model.transform(counts))


def test_a_document_without_words_has_the_priors_proportions(model):
    np.testing.assert_allclose(model.transform(np.zeros((1, len(WORDS)), int))[0], 1 / 3)


def test_learning_alpha_finds_the_rare_topic_and_helps():
    rng = np.random.default_rng(3)
    phi = np.repeat(np.eye(3), 5, axis=1) / 5
    theta = rng.dirichlet([1.0, 1.0, 0.05], size=300)
    counts = np.array([rng.multinomial(40, row @ phi) for row in theta])
    learned = LDA(3, alpha=1.0, learn_alpha=True, learn_beta=True, n_sweeps=100, tolerance=0, random_state=0).fit(
        counts
    )
    rare = np.argmin(learned.alpha_)
    assert learned.alpha_[rare] < 0.3 * np.median(learned.alpha_)
    assert learned.topic_share_[rare] == learned.topic_share_.min()
    assert learned.beta_ != 0.01


def test_no_alpha_is_far_below_the_others():
    counts = np.tile(np.kron(np.eye(3, dtype=int), np.ones((1, 8), dtype=int)) * 4, (24, 1))
    model = LDA(5, random_state=0, verbose=False).fit(counts)  # two topics too many
    assert model.alpha_.min() >= 0.09 * model.alpha_.mean()  # a tenth of the mean before the limit
    unlimited = LDA(5, learn_alpha=True, random_state=0, verbose=False).fit(counts)
    assert unlimited.alpha_.min() < 0.05 * unlimited.alpha_.mean()


def test_alpha_and_beta_are_learned_unless_they_are_given(corpus):
    short = {"n_sweeps": 10, "n_samples": 1, "random_state": 0}
    learned = LDA(3, learn_alpha="symmetric", **short).fit(corpus)
    assert np.ptp(learned.alpha_) == 0
    assert learned.alpha_[0] not in (0.1, 0.0)
    late = LDA(3, **short).fit(corpus)
    assert np.ptp(late.alpha_) > 0
    # With one sample both have the same topics: α per topic is fitted just before it.
    assert late.topic_word_.tobytes() == learned.topic_word_.tobytes()
    assert learned.beta_ != 0.01
    numbers = LDA(3, alpha=0.1, beta=0.01, **short).fit(corpus)
    assert (numbers.alpha_.tolist(), numbers.beta_) == ([0.1] * 3, 0.01)
    switched_off = LDA(3, learn_alpha=False, learn_beta=False, **short).fit(corpus)
    assert switched_off.topic_word_.tobytes() == numbers.topic_word_.tobytes()
    started = LDA(3, alpha=0.1, beta=0.01, learn_alpha="symmetric", learn_beta=True, **short).fit(corpus)
    assert (started.alpha_.tolist(), started.beta_) == (learned.alpha_.tolist(), learned.beta_)
    per_topic = LDA(3, learn_alpha=True, **short).fit(corpus)
    assert np.ptp(per_topic.alpha_) > 0
    table = LDA(3, beta=np.full((3, len(WORDS)), 0.3), **short).fit(corpus)  # a table is not learned
    assert np.unique(table.beta_).tolist() == [0.3]


def test_alpha_of_each_sample_is_fitted_to_its_topics(corpus):
    short = {"n_sweeps": 20, "n_samples": 3, "sample_every": 2, "tolerance": 0, "random_state": 0}
    model = LDA(3, learn_alpha="late", **short).fit(corpus)
    alphas = [sample.alpha for sample in model._chain_samples[0]]
    assert all(np.ptp(alpha) > 0 for alpha in alphas)
    assert len({alpha.tobytes() for alpha in alphas}) == 3
    np.testing.assert_array_equal(model.alpha_, alphas[-1])
    symmetric = LDA(3, learn_alpha="symmetric", **short).fit(corpus)
    assert len({sample.alpha.tobytes() for sample in symmetric._chain_samples[0]}) == 1  # not learned after burn-in
    common = np.argmax(model.topic_share_)
    assert np.argmax(alphas[-1]) == common


def test_alpha_per_topic_predicts_documents_with_common_topics_better():
    rng = np.random.default_rng(5)
    topics = rng.dirichlet(np.full(40, 0.1), size=6)
    shares = np.array([3.0, 1.0, 0.3, 0.1, 0.1, 0.1])
    counts = np.array([rng.multinomial(30, rng.dirichlet(shares) @ topics) for _ in range(600)])
    given = {"n_sweeps": 60, "tolerance": 0, "random_state": 0}
    late, symmetric = (LDA(6, learn_alpha=each, **given).fit(counts[:300]) for each in ("late", "symmetric"))
    assert late.perplexity(counts[300:]) < symmetric.perplexity(counts[300:])


def test_learned_numbers_are_those_that_made_the_documents():
    rng = np.random.default_rng(3)
    topics = rng.dirichlet(np.full(60, 0.2), size=4)
    counts = np.array([rng.multinomial(80, rng.dirichlet(np.full(4, 0.3)) @ topics) for _ in range(400)])
    model = LDA(4, random_state=0).fit(counts)
    assert model.settled_
    np.testing.assert_allclose(model.alpha_, 0.3, rtol=0.3)
    assert model.beta_ == pytest.approx(0.2, rel=0.3)


def test_a_prior_table_names_the_topics():
    rng = np.random.default_rng(4)
    beta = np.full((3, len(WORDS)), 0.05)
    beta[0, WORDS.index("factory")] = beta[1, WORDS.index("river")] = beta[2, WORDS.index("money")] = 20
    model = LDA(3, beta=beta, n_sweeps=30, random_state=0).fit(simulated(rng, 60, 20))
    assert np.diag(cosine(TOPICS[[2, 0, 1]], model.topic_word_)).min() > 0.85


def test_it_stops_when_it_has_settled(corpus):
    settled = LDA(3, n_sweeps=500, random_state=0).fit(corpus)
    assert settled.settled_
    assert settled.n_sweeps_ < 200
    patient = LDA(3, n_sweeps=30, n_samples=3, sample_every=4, tolerance=0, random_state=0).fit(corpus)
    assert not patient.settled_
    assert patient.n_sweeps_ == 30 + 2 * 4
    assert [record.sweep for record in patient.history_] == list(range(1, 39))


class StopAfter:
    """Press Ctrl-C during a given sweep."""

    def __init__(self, sweep):
        self.sweep = sweep

    def __enter__(self):
        from plait.engine import chain

        self.original = chain.Chain.sweep
        stop_at = self.sweep
        original = self.original

        def sweep(chain_):
            if chain_.n_sweeps == stop_at:
                os.kill(os.getpid(), signal.SIGINT)
            return original(chain_)

        chain.Chain.sweep = sweep

    def __exit__(self, *error):
        from plait.engine import chain

        chain.Chain.sweep = self.original


@pytest.mark.parametrize("sampler", ["plain", "sparse(2)"])
@pytest.mark.parametrize("stop_at", [0, 7, 33])
@pytest.mark.parametrize("learn_alpha", [True, "late"])
def test_ctrl_c_leaves_a_model_that_resumes_to_the_same_bits(corpus, sampler, stop_at, learn_alpha):
    settings = {"n_sweeps": 30, "n_samples": 4, "sample_every": 3, "tolerance": 0, "random_state": 5}
    straight = LDA(3, sampler=sampler, learn_alpha=learn_alpha, **settings).fit(corpus)
    with StopAfter(stop_at):
        stopped = LDA(3, sampler=sampler, learn_alpha=learn_alpha, **settings).fit(corpus)
    assert stopped.interrupted_
    assert stopped.n_sweeps_ == stop_at + 1
    assert stopped.transform(corpus).shape == (80, 3)
    assert len(stopped.topics()) == 3
    stopped.resume(corpus)
    assert not stopped.interrupted_
    assert stopped.topic_word_.tobytes() == straight.topic_word_.tobytes()
    assert stopped.doc_topic_.tobytes() == straight.doc_topic_.tobytes()
    assert stopped.transform(corpus).tobytes() == straight.transform(corpus).tobytes()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_checkpoint_resumes_to_the_same_bits(corpus, tmp_path):
    settings = {"n_sweeps": 30, "n_samples": 3, "sample_every": 3, "tolerance": 0, "random_state": 5}
    path = tmp_path / "model.plait"
    straight = LDA(3, **settings).fit(corpus, checkpoint=path, checkpoint_every=8)
    kept = plait.load(path)  # the last checkpoint before the end
    assert kept.interrupted_
    assert kept.n_sweeps_ == 32
    assert kept.resume(corpus).doc_topic_.tobytes() == straight.doc_topic_.tobytes()


def test_a_fit_that_is_resumed_ends_burn_in_at_the_same_sweep(corpus):
    straight = LDA(3, random_state=5).fit(corpus)
    assert straight.settled_
    with StopAfter(45):
        stopped = LDA(3, random_state=5).fit(corpus)
    assert stopped.interrupted_
    stopped.resume(corpus)
    assert stopped.n_sweeps_ == straight.n_sweeps_
    assert stopped.topic_word_.tobytes() == straight.topic_word_.tobytes()
    assert (stopped.alpha_.tolist(), stopped.beta_) == (straight.alpha_.tolist(), straight.beta_)


def test_resume_refuses_what_it_cannot_do(model, corpus):
    with pytest.raises(PlaitError, match="finished"):
        model.resume(corpus)
    with StopAfter(2):
        stopped = LDA(3, random_state=0).fit(corpus)
    with pytest.raises(PlaitError, match="not the documents"):
        stopped.resume(corpus.select(slice(0, 40)))


def test_fits_outside_the_main_thread(corpus):
    results = []
    thread = threading.Thread(target=lambda: results.append(LDA(2, n_sweeps=5, random_state=0).fit(corpus)))
    thread.start()
    thread.join()
    assert results[0].n_sweeps_ >= 5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_topics": 0}, "n_topics must be a whole number, 1 or more"),
        ({"n_topics": 2.5}, "n_topics"),
        ({"n_topics": True}, "n_topics"),
        ({"n_topics": 70_000}, "65,535"),
        ({"alpha": -1}, "alpha must"),
        ({"alpha": [0.1, 0.2]}, "alpha has the shape"),
        ({"beta": 0}, "beta must"),
        ({"beta": np.ones((4, 2))}, "beta has the shape"),
        ({"sampler": "fast"}, "sampler must be one of"),
        ({"n_sweeps": 0}, "n_sweeps"),
        ({"n_samples": 0}, "n_samples"),
        ({"tolerance": 2}, "tolerance"),
        ({"learn_alpha": "each"}, "learn_alpha must be None, False, True, 'symmetric' or 'late', not 'each'"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"n_shards": 0}, "n_shards"),
        ({"random_state": -3}, "random_state"),
        ({"beta": np.ones((3, 11)), "learn_beta": True}, "learn_beta"),
    ],
)
def test_nonsense_is_refused_with_its_name(corpus, parameters, message):
    with pytest.raises(PlaitError, match=message):
        LDA(**({"n_topics": 3, "n_sweeps": 2} | parameters)).fit(corpus)


def test_fractions_are_refused_with_the_way_out_or_taken():
    counts = np.array([[1.0, 0.5], [2.0, 1.0]])
    with pytest.raises(PlaitError, match=r"the count of word 1 in document 0 is 0\.5;.*sampler='limit'"):
        LDA(2).fit(counts)
    taken = LDA(2, sampler="limit", n_sweeps=5, random_state=0).fit(counts)
    assert taken.topic_word_.shape == (2, 2)
    whole = LDA(2, n_sweeps=5, random_state=0).fit(np.array([[1.0, 2.0]]))
    with pytest.raises(PlaitError, match=r"LDA\.transform: the count of word 1 in document 0"):
        whole.transform(counts)


def test_documents_without_any_word_are_refused():
    with pytest.raises(PlaitError, match="no words"):
        LDA(2).fit(np.zeros((3, 4), int))


def test_one_word_one_document_one_topic():
    model = LDA(1, n_sweeps=2, random_state=0).fit(np.array([[1]]))
    np.testing.assert_array_equal(model.topic_word_, [[1.0]])
    assert model.topics()[0].words == ["x0"]


def test_a_corpus_meets_a_model_without_words():
    nameless = LDA(2, n_sweeps=2, random_state=0).fit(np.array([[1, 2]]))
    with pytest.raises(PlaitError, match="fitted to a matrix without words"):
        nameless.transform(Corpus.from_texts(["river"]))


def test_more_topics_than_words_and_two_byte_topics(corpus):
    model = LDA(300, n_sweeps=3, n_samples=1, random_state=0).fit(corpus)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
