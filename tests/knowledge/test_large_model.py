"""KnowledgePrior.from_model: words by name, sizes, other numbers of topics, and what is rejected."""

from __future__ import annotations

import numpy as np
import pytest

from plait import LDA, Corpus, KnowledgePrior
from plait.errors import PlaitError
from tests.knowledge.test_vectors import THEMES, made

SETTINGS = {"settings": LDA(n_sweeps=30, n_samples=2), "verbose": False}


@pytest.fixture(scope="module")
def large():
    _, articles = made(n_articles=300, seed=3)
    return LDA(3, n_sweeps=60, random_state=0, verbose=False).fit(articles)


def test_topics_of_the_large_model_weigh_as_much_as_the_documents(large):
    documents, _ = made()
    prior = KnowledgePrior.from_model(large, documents, strength=1.0, **SETTINGS)
    assert prior.n_topics == 3
    np.testing.assert_allclose(prior.counts.sum(), documents.n_tokens)
    known = [large.vocabulary_.tolist().index(word) for word in prior.words]
    phi = large.topic_word_[:, known]
    np.testing.assert_allclose(prior.counts / prior.counts.sum(axis=1, keepdims=True), phi / phi.sum(1, keepdims=True))


def test_words_are_matched_by_name_and_others_have_the_base(large):
    documents = Corpus.from_texts([f"{THEMES[n % 3][n % 60]} zinc {THEMES[n % 3][(n + 5) % 60]}" for n in range(30)])
    prior = KnowledgePrior.from_model(large, documents, strength=1.0, base=0.2, **SETTINGS)
    assert "zinc" not in prior.words
    beta = prior.for_vocabulary(documents.vocabulary, 3).pseudo_counts(3, documents.n_words)
    assert (beta[:, documents.vocabulary.tolist().index("zinc")] == 0.2).all()


def test_fewer_topics_are_those_of_the_documents_and_more_have_the_symmetric_prior(large):
    rng = np.random.default_rng(5)
    money = Corpus.from_texts([" ".join(rng.choice(THEMES[1], size=12)) for _ in range(20)])
    prior = KnowledgePrior.from_model(large, money, n_topics=1, strength=1.0, **SETTINGS)
    assert prior.n_topics == 1
    assert all(word.startswith("money") for word in prior.topics(5)[0].words)
    five = KnowledgePrior.from_model(large, money, n_topics=5, strength=1.0, **SETTINGS)
    beta = five.for_vocabulary(money.vocabulary, 5).pseudo_counts(5, money.n_words)
    assert (beta[3:] == five.base).all()


def test_the_strength_is_chosen_and_new_documents_are_predicted_better(large):
    documents, _ = made()
    new, _ = made(n_documents=60, seed=9)
    prior = KnowledgePrior.from_model(large, documents, **SETTINGS)
    assert prior.strength == min(prior.trials, key=lambda trial: trial.perplexity).strength > 0
    plain = LDA(3, learn_beta=True, n_sweeps=40, random_state=0, verbose=False).fit(documents).perplexity(new)
    assert LDA(3, beta=prior, n_sweeps=40, random_state=0, verbose=False).fit(documents).perplexity(new) < 0.9 * plain


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda large: (LDA(), made()[0]), "must be a fitted model"),
        (lambda large: (LDA(2, n_sweeps=2, verbose=False).fit(made()[0].counts), made()[0]), "no vocabulary"),
        (lambda large: (large, Corpus.from_texts(["zinc tin", "tin"])), "none of the 2 words"),
        (lambda large: (large, made()[0].counts), "corpus must be a Corpus"),
    ],
)
def test_invalid_input_is_rejected_with_a_remedy(large, make, message):
    model, corpus = make(large)
    with pytest.raises(PlaitError, match=message):
        KnowledgePrior.from_model(model, corpus, **SETTINGS)
