"""Scores of models on a Corpus that has the labels, as scikit-learn's cross-validation asks for them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from plait import Corpus, LabelResponse, MedLDA, PlaitError, TopicModel

QUICK = {"n_topics": 3, "n_sweeps": 5, "n_samples": 1, "n_chains": 1, "random_state": 0, "verbose": False}
TEXTS = ["river stream bank", "stream river", "money loan bank", "loan money money"] * 9
CORPUS = Corpus.from_texts(TEXTS, labels=["nature", "nature", "finance", "finance"] * 9)


@pytest.mark.parametrize("model", [MedLDA(**QUICK), TopicModel(**QUICK, responses=[LabelResponse()])], ids=str)
def test_the_labels_of_the_corpus_are_taken(model):
    model.fit(CORPUS)
    labels = [own[0] for own in CORPUS.labels]
    assert model.score(CORPUS) == model.score(CORPUS, labels)
    assert 0 < model.score(CORPUS, labels[1:] + labels[:1]) < model.score(CORPUS)
    with pytest.raises(PlaitError, match="every document has a label"):
        model.score(Corpus.from_texts(TEXTS))
    with pytest.raises(PlaitError, match="give y"):
        model.score(CORPUS.counts)


def test_several_labels_per_document():
    corpus = Corpus.from_texts(TEXTS, labels=[["nature", "water"], ["nature"], ["finance"], ["finance", "bank"]] * 9)
    model = MedLDA(**QUICK).fit(corpus)
    true = np.array([[label in own for label in model.classes_] for own in corpus.labels])
    assert model.score(corpus) == (model.predict(corpus) == true).all(axis=1).mean()


def test_cross_validation_needs_no_y():
    scores = cross_val_score(MedLDA(**QUICK), CORPUS, cv=3, error_score="raise")
    assert scores.shape == (3,)
    assert scores.min() > 0.5
