"""Word vectors of articles, the regression of topics on them, and the prior that is learned from both."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from scipy.optimize import check_grad

import plait
from plait import LDA, Corpus, KnowledgePrior
from plait.engine.hyperparameters import fit_beta
from plait.errors import PlaitError
from plait.knowledge import learning
from plait.knowledge.learning import fit_model, fit_most_coherent, limit_unseen
from plait.knowledge.regression import _Objective, fit_word_regression
from plait.knowledge.vectors import WordFeatures, word_features
from plait.metrics import coherence
from tests.store.small import same

THEMES = [[f"{name}{number}" for number in range(60)] for name in ("water", "money", "music")]
OPTIONS = {"model": LDA(n_sweeps=40, n_samples=3), "n_topics": 3, "verbose": False}


def made(n_documents=30, n_articles=90, seed=0):
    """Few short documents of three themes, and many articles of the same themes."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(THEMES[number % 3], size=15)) for number in range(n_documents)]
    articles = [" ".join(rng.choice(THEMES[number % 3], size=40)) for number in range(n_articles)]
    vocabulary = sorted(word for theme in THEMES for word in theme)
    ids = [f"d{number}" for number in range(n_documents)]
    return Corpus.from_texts(texts, ids=ids).with_vocabulary(vocabulary), Corpus.from_texts(articles)


def test_the_gradient_is_that_of_the_objective():
    rng = np.random.default_rng(0)
    features = WordFeatures(np.column_stack([np.ones(7), rng.normal(size=7)]), rng.normal(size=(7, 3)))
    objective = _Objective(rng.integers(0, 5, size=(2, 7)), features)
    point = rng.normal(size=2 + 6) / 3
    assert check_grad(lambda x: objective(x)[0], lambda x: objective(x)[1], point) < 1e-4


def test_without_features_it_is_the_learned_symmetric_prior():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(60, rng.dirichlet(np.full(40, 0.3)), size=4)
    features = WordFeatures(np.ones((40, 1)), np.zeros((40, 1)))
    found = fit_word_regression(counts, features, 0.05)
    beta = 0.05
    for _ in range(300):
        beta = fit_beta(counts.T, beta)
    np.testing.assert_allclose(found, beta, rtol=1e-3)


def test_unseen_words_have_at_most_the_mean_pseudo_count_of_the_tokens_of_a_topic():
    counts = np.array([[3, 0, 1, 0], [0, 0, 2, 0], [0, 0, 0, 0]])
    beta = np.array([[3.0, 4.0, 1.0, 0.2], [9.0, 0.3, 5.0, 7.0], [1.0, 8.0, 1.0, 1.0]])
    limited = [[3.0, 2.5, 1.0, 0.2], [9.0, 0.3, 5.0, 5.0], [1.0, 8.0, 1.0, 1.0]]
    np.testing.assert_allclose(limit_unseen(beta, counts), limited)


def test_words_of_the_same_articles_have_similar_vectors():
    _, articles = made()
    vectors = word_features(articles.counts).vectors
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    theme = np.array([word[:3] for word in articles.vocabulary])
    cosines = unit @ unit.T
    same_theme = theme[:, None] == theme[None, :]
    assert cosines[same_theme].mean() > 3 * abs(cosines[~same_theme].mean())


def test_articles_without_words_or_a_single_one_have_no_vectors():
    assert not word_features(sparse.csr_array((3, 4), dtype=np.int64)).vectors.any()
    assert word_features(sparse.csr_array(np.array([[1, 2, 0]]))).vectors.shape == (3, 1)


def test_a_prior_from_vectors_lowers_the_perplexity_of_new_documents():
    documents, articles = made()
    new, _ = made(n_documents=60, seed=9)
    prior = KnowledgePrior.from_articles(articles, documents, **OPTIONS)
    assert prior.strength == min(prior.trials, key=lambda trial: trial.perplexity).strength > 0
    assert prior.articles is None  # the articles have no titles
    plain = LDA(3, learn_beta=True, n_sweeps=40, random_state=0, verbose=False).fit(documents).perplexity(new)
    model = LDA(3, beta=prior, n_sweeps=40, random_state=0, verbose=False).fit(documents)
    assert model.perplexity(new) < 0.95 * plain


def test_it_is_the_same_for_any_number_of_threads_and_comes_back_from_a_file(tmp_path):
    documents, articles = made()
    one, two = (
        KnowledgePrior.from_articles(articles, documents, strengths=[1.0], n_jobs=jobs, **OPTIONS) for jobs in (1, 2)
    )
    assert same(one, two)
    assert same(plait.load(plait.save(one, tmp_path / "prior.plait")), one)


def test_knowledge_that_does_not_help_gives_the_learned_symmetric_prior(monkeypatch):
    documents, articles = made()
    from plait.knowledge import build

    trials = (build.StrengthTrial(0.0, 1.0), build.StrengthTrial(1.0, 2.0))
    monkeypatch.setattr(build, "try_strengths", lambda *_: trials)
    with pytest.warns(UserWarning, match="does not lower"):
        prior = KnowledgePrior.from_articles(articles, documents, **OPTIONS)
    beta = prior.for_vocabulary(documents.vocabulary, 3).pseudo_counts(3, documents.n_words)
    assert prior.strength == 0
    assert beta.min() == beta.max() > 0.01


def test_too_few_documents_for_a_choice():
    documents, articles = made(n_documents=4)
    with pytest.raises(PlaitError, match="give a number"):
        KnowledgePrior.from_articles(articles, documents, **OPTIONS)


def test_articles_of_other_words_are_an_error():
    documents, _ = made()
    with pytest.raises(PlaitError, match="none of the words of the corpus"):
        KnowledgePrior.from_articles(Corpus.from_texts(["zinc tin", "tin"]), documents, strength=1.0, **OPTIONS)


def planted_documents(n_documents=60):
    rng = np.random.default_rng(5)
    topics = rng.dirichlet(np.full(40, 0.1), 5)
    counts = [rng.multinomial(20, topics[rng.integers(5)]) for _ in range(n_documents)]
    return Corpus.from_matrix(sparse.csr_array(np.array(counts)), vocabulary=[f"word{number}" for number in range(40)])


def mean_coherence(model, corpus):
    top = [list(topic.words) for topic in model.topics(10)]
    return coherence(top, corpus).mean()


def test_the_most_coherent_of_several_chains_is_taken(monkeypatch):
    corpus, model = planted_documents(), LDA(5, n_sweeps=3, random_state=0, verbose=False)
    monkeypatch.setattr(learning, "_MOST_CHAINS", 4)
    fitted = []
    monkeypatch.setattr(
        learning, "fit_model", lambda *given, **named: fitted.append(fit_model(*given, **named)) or fitted[-1]
    )
    chosen = fit_most_coherent(model, corpus, 0.05)
    found = [mean_coherence(one, corpus) for one in fitted]
    assert len(fitted) == 4
    assert len({one.seed_ for one in fitted}) == 4
    assert max(found) > min(found)
    assert fitted.index(chosen) == int(np.argmax(found))


def test_many_tokens_have_one_chain(monkeypatch):
    corpus, model = planted_documents(), LDA(5, n_sweeps=3, random_state=0, verbose=False)
    monkeypatch.setattr(learning, "_MOST_TOKENS", corpus.counts.sum() + 1)
    chosen = fit_most_coherent(model, corpus, 0.05)
    assert same(chosen.topic_word_, fit_model(model, corpus, 0.05).topic_word_)
