"""Supervised models are restored exactly: same values, predictions and explanations, and resumed fits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import plait
from plait.errors import PlaitError
from plait.models import MedLDA, SupervisedLDA
from plait.samplers import SAMPLERS
from plait.store import load, save
from tests.store.small import QUICK, TEXTS, counts, same

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "synchronous")

SMALL = QUICK | {"n_chains": 2}
PICKS = np.arange(30) % 3
INDICATOR = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0]])[PICKS]
NAMES = np.array(["art", "é\u0301 ا", "\U0001f600"], dtype=object)
NUMBERS = np.where(PICKS == 2, np.nan, PICKS * 2.5 + np.arange(30))

LABELLED = {
    "two classes": (PICKS % 2, {}),
    "booleans": (PICKS == 1, {}),
    "bytes of numbers": ((PICKS * 7).astype(np.uint8), {}),
    "whole floats": (PICKS.astype(np.float32), {}),
    "texts": (NAMES[PICKS], {"class_weight": {"art": 2.0}}),
    "several labels": (INDICATOR, {"class_weight": "balanced"}),
    "some unknown": (np.where(PICKS[:, np.newaxis] == 2, np.nan, INDICATOR), {"min_documents": 1}),
    "lists": ([list(NAMES[row == 1]) for row in INDICATOR], {"loss": "logistic", "c": np.float32(2)}),
    "one against all": (NAMES[PICKS], {"one_vs_all": True}),
    "calibrated": (NAMES[PICKS], {"one_vs_all": True, "calibrate": 0.4}),
    "cached": (INDICATOR, {"cached": True, "alpha": 0.3}),
    **{sampler: (NAMES[PICKS], {"sampler": sampler}) for sampler in SAMPLERS},
}


def same_answers(model, again, X):
    """Assert that two models say the same of documents, to the bit, and for the same reasons."""
    assert same(vars(model), vars(again))
    assert same(model.predict(X), again.predict(X))
    assert same(model.transform(X), again.transform(X))
    assert same(model.explain(X[0]), again.explain(X[0]))


@pytest.mark.parametrize("case", LABELLED)
def test_a_loaded_medlda_gives_the_same_results(tmp_path, case):
    y, changes = LABELLED[case]
    model = MedLDA(**(SMALL | changes)).fit(counts(), y)
    again = load(save(model, tmp_path / "model"))
    assert type(again) is MedLDA
    same_answers(model, again, counts())
    assert same(model.decision_function(counts()), again.decision_function(counts()))
    assert model.predict_labels(counts()) == again.predict_labels(counts())
    assert again.classes_.dtype == model.classes_.dtype
    for label in model.classes_:
        assert same(model.explain(counts()[1], label), again.explain(counts()[1], label))
    assert hasattr(again, "predict_proba") == (case in ("lists", "calibrated"))
    if hasattr(again, "predict_proba"):
        assert same(model.predict_proba(counts()), again.predict_proba(counts()))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_loaded_supervised_lda_gives_the_same_results(tmp_path, sampler):
    model = SupervisedLDA(**SMALL, sampler=sampler).fit(counts(), NUMBERS)
    again = load(save(model, tmp_path / "model"))
    assert type(again) is SupervisedLDA
    assert again.n_unlabelled_ == 10
    same_answers(model, again, counts())


def test_a_corpus_with_labels_and_a_text_to_explain(tmp_path):
    labels = [("water", "nature"), ("water",), ("money",), ("money", "debt")] * 6
    corpus = plait.Corpus.from_texts(TEXTS, labels=labels)
    model = MedLDA(**SMALL).fit(corpus)
    again = plait.load(plait.save(model, tmp_path / "model"))
    assert again.multilabel_
    assert again.classes_.tolist() == ["debt", "money", "nature", "water"]
    assert same(model.decision_function(corpus), again.decision_function(corpus))
    assert str(model.explain("river stream", "water")) == str(again.explain("river stream", "water"))


@pytest.mark.parametrize("every", [4, 10, 13])  # before a sample, at the end of the first chain, in the second chain
@pytest.mark.parametrize("case", ["texts", "lists", "one against all", "calibrated", "limit"])
def test_a_fit_to_labels_resumes_from_a_file(tmp_path, case, every):
    y, changes = LABELLED[case]
    path = tmp_path / "checkpoint"
    whole = MedLDA(**(SMALL | changes)).fit(counts(), y, checkpoint=path, checkpoint_every=every)
    stopped = load(path)
    assert stopped.interrupted_
    assert stopped.n_sweeps_ == (whole.n_sweeps_ - 1) // every * every
    with pytest.raises(NotFittedError, match="this MedLDA is the checkpoint of an unfinished fit"):
        stopped.decision_function(counts())
    goes_on(whole, stopped.resume(counts(), y))


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_a_fit_to_numbers_resumes_from_a_file(tmp_path, sampler):
    path = tmp_path / "checkpoint"
    model = SupervisedLDA(**SMALL, sampler=sampler)
    whole = model.fit(counts(), NUMBERS, checkpoint=path, checkpoint_every=7)
    stopped = load(path)
    with pytest.raises(PlaitError, match="not the documents"):
        stopped.resume(counts(), NUMBERS + 1)
    goes_on(whole, stopped.resume(counts(), NUMBERS))


def goes_on(whole, done):
    """Assert that a fit which went on ended as one that never stopped."""
    for name, value in vars(whole).items():
        if name != "history_":
            assert same(value, vars(done)[name]), name
    assert [record[:4] for record in whole.history_] == [record[:4] for record in done.history_]
    assert same(whole.predict(counts()), done.predict(counts()))
    assert same(whole.explain(counts()[0]), done.explain(counts()[0]))


@pytest.mark.parametrize("factors", [{0: 2.0, 1: 0.5}, {np.int64(1): 3.0}, {True: 2.0}], ids=["int", "NumPy", "bool"])
def test_class_weights_of_numeric_classes_are_saved(tmp_path, factors):
    counts = np.random.default_rng(0).poisson(1.0, size=(20, 6)) + 1
    model = plait.MedLDA(2, class_weight=factors, n_chains=1, n_sweeps=3, n_samples=1, random_state=0, verbose=False)
    model.fit(counts, np.arange(20) % 2)
    assert plait.load(plait.save(model, tmp_path / "weighted.plait")).class_weight == factors
