"""Seed words: their pseudo-counts, missing words, and named topics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import plait
from plait.errors import PlaitError
from plait.models import LDA, MedLDA
from plait.priors import SeedPrior

WORDS = np.array(["bank", "loan", "river", "sea"], dtype=object)
QUICK = {"n_sweeps": 30, "n_samples": 2, "random_state": 0, "verbose": False}
TEXTS = ["river sea bank", "sea river", "loan bank loan", "bank loan"] * 8


def test_strength_is_added_for_seed_words_in_their_own_topics_only():
    prior = SeedPrior({"money": ["loan", "bank"], "water": ["Sea", "bank", "bank"]}, strength=3.0, base=0.5)
    table = prior.for_vocabulary(WORDS, 3).pseudo_counts(3, 4)
    np.testing.assert_array_equal(table, [[3.5, 3.5, 0.5, 0.5], [3.5, 0.5, 0.5, 3.5], [0.5, 0.5, 0.5, 0.5]])
    assert prior.topic_names == ("money", "water")


def test_a_word_is_looked_up_as_written_and_then_in_lower_case():
    table = SeedPrior({"a": ["Sea"]}, 1.0, 0.5).for_vocabulary(np.array(["sea", "Sea"]), 1).pseudo_counts(1, 2)
    np.testing.assert_array_equal(table, [[0.5, 1.5]])


def test_a_warning_lists_seed_words_outside_the_vocabulary():
    prior = SeedPrior({"money": ["loan", "credit"], "water": ["sea", "tide", "credit"]})
    with pytest.warns(UserWarning, match=r"2 of 4 seed words .*: credit, tide$"):
        prior.for_vocabulary(WORDS, 2)


def test_named_topics_come_first_in_the_order_given():
    corpus = plait.Corpus.from_texts(TEXTS)
    for names in (["water", "money"], ["money", "water"]):
        seeds = {"water": ["river"], "money": ["loan"]}
        model = LDA(3, beta=SeedPrior({name: seeds[name] for name in names}), **QUICK).fit(corpus)
        topics = model.topics(top=2)
        assert [topic.name for topic in topics] == [*names, ""]
        assert set(topics[names.index("water")].words) <= {"river", "sea", "bank"}
        assert "loan" in topics[names.index("money")].words
        assert f"  {names[0]}: " in str(topics[0])


def test_names_repeat_if_every_label_has_its_own_topics():
    corpus = plait.Corpus.from_texts(TEXTS, labels=["a", "b", "c", "b"] * 8)
    prior = SeedPrior({"water": ["river"]})
    model = MedLDA(2, beta=prior, one_vs_all=True, n_chains=1, **QUICK).fit(corpus)
    assert [topic.name for topic in model.topics()] == ["water", ""] * 3


def test_a_data_frame_with_column_names_is_accepted():
    corpus = plait.Corpus.from_texts(TEXTS)
    frame = pd.DataFrame(corpus.counts.toarray(), columns=list(corpus.vocabulary))
    model = LDA(2, beta=SeedPrior({"water": ["river"]}), **QUICK)
    np.testing.assert_array_equal(model.fit(frame).topic_word_, model.fit(corpus).topic_word_)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ({}, "map topic names to words"),
        (["loan"], "map topic names to words"),
        ({"": ["loan"]}, "name must be text"),
        ({3: ["loan"]}, "name must be text"),
        ({"money": "loan"}, "'money' must be a list of words, not 'loan'"),
        ({"money": []}, "'money' must be a list of words"),
        ({"money": ["loan", 4]}, "'money' contain 4; every word must be text"),
    ],
)
def test_invalid_seeds_are_rejected(seeds, message):
    with pytest.raises(PlaitError, match=message):
        SeedPrior(seeds)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"strength": 0}, "strength, the pseudo-count of each seed word, must"),
        ({"base": -1.0}, "base must lie between"),
    ],
)
def test_invalid_numbers_are_rejected(more, message):
    with pytest.raises(PlaitError, match=message):
        SeedPrior({"a": ["b"]}, **more)


def test_the_prior_copies_the_seeds():
    words = ["loan"]
    prior = SeedPrior({"money": words})
    words.append("bank")
    assert prior == SeedPrior({"money": ("loan",)})
