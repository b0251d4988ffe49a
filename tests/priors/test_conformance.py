"""Tests that every prior must pass; a new one in plait.priors or plait.knowledge is found by discovery."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.base import clone

import plait
import plait.knowledge
import plait.priors
from plait.engine.chain import Chain
from plait.errors import PlaitError
from plait.models import LDA, MODELS, TopicModel
from plait.priors import (
    HistoryPrior,
    Prior,
    SeedPrior,
    SymmetricPrior,
    TablePrior,
    WordCountsPrior,
    align_prior,
    as_prior,
    is_prior,
)
from plait.responses import LabelResponse
from tests.store.small import same

WORDS = np.array(["red", "sea", "fox", "ant", "oak"], dtype=object)
COUNTS = np.array([[3.0, 0.0, 1.5], [0.0, 4.0, 0.25]])
EXAMPLES = {
    "HistoryPrior": HistoryPrior([np.arange(8).reshape(2, 4)], [0.5]),
    "SymmetricPrior": SymmetricPrior(0.3),
    "TablePrior": TablePrior(np.full((2, 5), 0.7)),
    "SeedPrior": SeedPrior({"colours": ["red"], "animals": ["fox", "ant"]}),
    "WordCountsPrior": WordCountsPrior(["fox", "red", "cat"], COUNTS, 0.5, 0.1),
    "KnowledgePrior": plait.KnowledgePrior(["fox", "red", "cat"], COUNTS, 0.5, 0.1),
}
CONTRACTS = ("Prior", "WordPrior", "AnyPrior")
FOUND = sorted(
    {
        name
        for home in (plait.priors, plait.knowledge)
        for name in home.__all__
        if name.endswith("Prior") and name not in CONTRACTS
    }
)
DEFINED_ON_WORDS = [name for name in FOUND if not isinstance(EXAMPLES[name], Prior)]


def pseudo_counts(prior, words=WORDS, n_topics=2):
    return np.asarray(align_prior(prior, words, n_topics).pseudo_counts(n_topics, len(words)))


@pytest.mark.parametrize("name", FOUND)
def test_a_prior_gives_positive_pseudo_counts_of_the_right_shape(name):
    prior = EXAMPLES[name]  # a new prior needs an example here
    assert is_prior(prior)
    assert not is_prior(type(prior))
    assert as_prior(prior) is prior
    assert isinstance(align_prior(prior, WORDS, 2), Prior)
    assert pseudo_counts(prior).shape in ((), (2, 5))
    assert (pseudo_counts(prior) > 0).all()


@pytest.mark.parametrize("name", FOUND)
def test_a_prior_cannot_be_changed(name):
    assert dataclasses.is_dataclass(EXAMPLES[name])
    with pytest.raises(AttributeError):
        EXAMPLES[name].anything = 1


@pytest.mark.parametrize("name", FOUND)
def test_a_prior_comes_back_from_a_file(name, tmp_path):
    prior = EXAMPLES[name]
    again = plait.load(plait.save(prior, tmp_path / "prior.plait"))
    assert same(again, prior)
    assert same(pseudo_counts(again), pseudo_counts(prior))


@pytest.mark.parametrize("name", DEFINED_ON_WORDS)
def test_the_order_of_words_does_not_matter(name):
    order = [3, 0, 4, 2, 1]
    np.testing.assert_array_equal(pseudo_counts(EXAMPLES[name], WORDS[order]), pseudo_counts(EXAMPLES[name])[:, order])
    assert np.ptp(pseudo_counts(EXAMPLES[name]), axis=1).min() > 0  # or the order could not matter anyway


@pytest.mark.parametrize("name", DEFINED_ON_WORDS)
def test_input_without_words_is_rejected(name):
    with pytest.raises(PlaitError, match=r"is defined on words.*Corpus.*data frame"):
        LDA(2, beta=EXAMPLES[name], verbose=False).fit(np.ones((4, 5), dtype=int))


@pytest.mark.parametrize("name", DEFINED_ON_WORDS)
def test_fewer_topics_than_the_prior_has_are_rejected_and_more_have_the_base(name):
    prior = EXAMPLES[name]
    with pytest.raises(PlaitError, match=r"2 topics.*n_topics=1"):
        prior.for_vocabulary(WORDS, 1)
    wide = pseudo_counts(prior, n_topics=4)
    np.testing.assert_array_equal(wide[:2], pseudo_counts(prior))
    np.testing.assert_array_equal(wide[2:], prior.base)


@pytest.mark.parametrize("name", DEFINED_ON_WORDS)
def test_a_corpus_without_any_of_its_words_is_rejected(name):
    with pytest.raises(PlaitError, match="has none of the"):
        EXAMPLES[name].for_vocabulary(np.array(["zinc", "tin"]), 2)


@pytest.mark.parametrize("name", DEFINED_ON_WORDS)
def test_a_prior_is_a_parameter_like_others(name):
    model = LDA(2, beta=EXAMPLES[name])
    assert same(clone(model).beta, EXAMPLES[name])
    assert repr(EXAMPLES[name]).startswith(name)


TEXTS = ["red fox red ant", "sea oak sea", "red red ant fox", "oak sea oak fox"] * 6


@pytest.mark.parametrize("model", MODELS)
def test_every_model_takes_a_prior_defined_on_words(model, monkeypatch):
    def note(chain, _):
        raise InterruptedError(chain.beta)  # stop before the first sweep

    monkeypatch.setattr(Chain, "start", note)
    corpus = plait.Corpus.from_texts(
        TEXTS, labels=["a", "b"] * 12, links=[(str(number), str(number % 24 + 1)) for number in range(1, 25)]
    )
    prior = EXAMPLES["WordCountsPrior"]
    parameters = {"n_topics": 3, "n_sweeps": 3, "n_samples": 1, "random_state": 0, "verbose": False}
    if MODELS[model] is TopicModel:
        estimator = TopicModel(prior=prior, responses=[LabelResponse()], n_chains=1, **parameters)
    else:
        estimator = MODELS[model](beta=prior, **parameters)
    y = np.arange(24.0) if model == "SupervisedLDA" else None
    with pytest.raises(InterruptedError) as noted:
        estimator.fit(corpus, y)
    np.testing.assert_array_equal(noted.value.args[0], pseudo_counts(prior, corpus.vocabulary, 3))


@pytest.mark.parametrize("name", DEFINED_ON_WORDS)
def test_a_model_keeps_its_prior_in_its_file(name, tmp_path):
    corpus = plait.Corpus.from_texts(TEXTS)
    model = LDA(2, beta=EXAMPLES[name], n_sweeps=3, n_samples=1, random_state=0, verbose=False).fit(corpus)
    np.testing.assert_array_equal(model.beta_, pseudo_counts(EXAMPLES[name], corpus.vocabulary))
    again = plait.load(plait.save(model, tmp_path / "model.plait"))
    assert same(again.beta, EXAMPLES[name])
    assert again.topics() == model.topics()


def test_one_number_per_word_is_the_same_for_every_topic():
    table = as_prior([0.1, 0.2]).pseudo_counts(3, 2)
    np.testing.assert_array_equal(table, [[0.1, 0.2]] * 3)


@pytest.mark.parametrize("beta", [0.0, -1.0, np.nan, np.inf, "much", 1e-30])
def test_invalid_dirichlet_parameters_are_rejected(beta):
    with pytest.raises(PlaitError, match="beta must"):
        as_prior(beta).pseudo_counts(2, 3)


def test_the_error_on_a_wrong_shape_names_the_right_one():
    with pytest.raises(PlaitError, match=r"\(5, 2\).*\(3,\) or \(2, 3\)"):
        as_prior(np.ones((5, 2))).pseudo_counts(2, 3)


def test_a_bad_entry_of_a_table_is_named():
    table = np.ones((2, 3))
    table[1, 2] = -4
    with pytest.raises(PlaitError, match=r"-4.0 at \(1, 2\)"):
        as_prior(table).pseudo_counts(2, 3)
