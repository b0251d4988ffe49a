"""SupervisedLDA as a user meets it: planted weights, any unit, missing numbers, why, stopping, resuming, bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import plait
from plait import Corpus, PlaitError, SupervisedLDA, TextOptions
from plait.samplers import SAMPLERS
from tests.models.small import press_ctrl_c_in_sweep
from tests.models.small import same_bits as same_bits_of

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "synchronous")

QUICK = {
    "n_topics": 5,
    "n_chains": 2,
    "n_sweeps": 25,
    "n_samples": 2,
    "sample_every": 2,
    "fold_in_sweeps": 8,
    "random_state": 0,
    "verbose": False,
}
NAN = float("nan")
PLANTED = [["awful", "bad", "dull"], ["plain", "usual", "long"], ["fine", "nice", "short"], ["good", "great", "best"]]
WEIGHTS = np.array([-4.0, -1.0, 1.0, 4.0])
WORDS = [word for words in PLANTED for word in words]


def simulated(n_documents=120, seed=0, length=25, noise=0.3):
    """Documents of four planted topics, and numbers that are the mean weight of their words, with noise."""
    rng = np.random.default_rng(seed)
    topics = np.kron(np.eye(4), np.ones((1, 3))) / 3
    shares = np.array([rng.multinomial(length, mixture) / length for mixture in rng.dirichlet([0.4] * 4, n_documents)])
    counts = np.array([rng.multinomial(length, row @ topics) for row in shares])
    return counts, counts @ np.kron(WEIGHTS, np.ones(3)) / length + noise * rng.standard_normal(n_documents)


def fitted(X, y, **changes):
    return SupervisedLDA(**(QUICK | changes)).fit(X, y)


def as_corpus(counts):
    return Corpus.from_matrix(
        sparse.csr_array(counts), vocabulary=WORDS, ids=[f"doc {row}" for row in range(len(counts))]
    )


def same_bits(one, other, X):
    same_bits_of(one, other, X, answer="predict")


@pytest.mark.parametrize("sampler", [*SAMPLERS, "sparse(2)"])
def test_numbers_of_new_documents_are_predicted(sampler):
    model = fitted(*simulated(), sampler=sampler)
    new, truth = simulated(80, seed=1)
    assert model.predict(new).shape == (80,)
    assert model.score(new, truth) > 0.5
    residual = ((truth - model.predict(new)) ** 2).sum()
    assert model.score(new, truth) == pytest.approx(1 - residual / ((truth - truth.mean()) ** 2).sum())


def test_exact_and_cached_both_learn_and_differ():
    counts, y = simulated()
    new, truth = simulated(80, seed=1)
    exact, cached = (fitted(counts, y, cached=cached) for cached in (False, True))
    assert min(exact.score(new, truth), cached.score(new, truth)) > 0.5
    assert exact.weights_.tobytes() != cached.weights_.tobytes()
    same_bits(exact, fitted(counts, y), new)


def test_planted_weights_are_recovered_in_their_order():
    counts, y = simulated(300)
    model = fitted(counts, y, n_topics=4, n_sweeps=60, alpha=0.4, random_state=2)
    mass = model.topic_word_.reshape(4, 4, 3).sum(axis=2)  # how much of a topic found is a topic planted
    found = mass.argmax(axis=1)
    assert sorted(found) == [0, 1, 2, 3]
    assert (np.diff(model.weights_[np.argsort(found)]) > 0).all()
    assert model.weights_.max() > 2
    assert model.weights_.min() < -2


def test_words_push_as_they_were_planted():
    counts, y = simulated(200)
    model = fitted(as_corpus(counts), y)
    values = [model.predict(as_corpus(np.repeat(np.eye(4, dtype=int)[[k]], 3, axis=1) * 3))[0] for k in range(4)]
    assert values == sorted(values)


@pytest.mark.parametrize(("scale", "shift"), [(1000.0, 5.0), (1e-6, 0.0), (0.5, 100.0)])
def test_predictions_follow_the_unit(scale, shift):
    counts, y = simulated(80)
    model, other = fitted(counts, y), fitted(counts, scale * y + shift)
    np.testing.assert_allclose(other.predict(counts), scale * model.predict(counts) + shift, rtol=1e-6)
    np.testing.assert_allclose(other.weights_, scale * model.weights_ + shift, rtol=1e-6)
    np.testing.assert_allclose(other.doc_topic_, model.doc_topic_)


def test_documents_without_numbers_shape_the_topics_only():
    counts, y = simulated(120)
    hidden = np.arange(120) >= 80
    model = fitted(counts, np.where(hidden, NAN, y))
    assert model.n_unlabelled_ == 40
    assert model.doc_topic_.shape == (120, 5)
    assert np.isfinite(model.predict(counts)).all()
    assert model.score(counts[hidden], y[hidden]) > 0.4
    known = [None if unknown else float(value) for unknown, value in zip(hidden, y, strict=True)]
    same_bits(model, fitted(counts, known), counts)
    same_bits(model, fitted(counts, pd.Series(known, dtype="Float64")), counts)
    assert model.weights_.tobytes() != fitted(counts, y).weights_.tobytes()
    assert model.topic_word_.tobytes() != fitted(counts[~hidden], y[~hidden]).topic_word_.tobytes()


def test_noise_and_prior_do_what_they_say():
    counts, y = simulated(100)
    spreads = [np.ptp(fitted(counts, y, nu=nu).weights_) for nu in (0.01, 0.1, 1.0)]
    assert spreads == sorted(spreads)
    errors = [np.abs(fitted(counts, y, sigma=sigma).predict(counts) - y).mean() for sigma in (0.3, 10.0, 100.0)]
    assert errors == sorted(errors)


def test_equal_numbers_are_predicted_as_they_are():
    counts, _ = simulated(40)
    model = fitted(counts, np.full(40, 7.0))
    np.testing.assert_allclose(model.predict(counts), 7.0, atol=0.5)
    assert np.isfinite(model.weights_).all()


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_same_bits_for_any_number_of_threads(sampler):
    counts, y = simulated(150)
    models = [fitted(counts, y, n_shards=4, n_jobs=jobs, sampler=sampler) for jobs in (1, 2, 3)]
    for other in models[1:]:
        same_bits(models[0], other, counts)


def test_a_prediction_does_not_depend_on_its_company():
    counts, y = simulated(70)
    model = fitted(counts, y, n_topics=7)
    together = model.predict(counts)
    for rows in (slice(0, 1), slice(3, 8), slice(69, 0, -1)):
        np.testing.assert_array_equal(model.predict(counts[rows]), together[rows])


@pytest.fixture(scope="module")
def explained():
    counts, y = simulated(200)
    corpus = replace(as_corpus(counts), text_options=TextOptions(language=None).resolve([]))
    return fitted(corpus, 10 * y + 500, n_chains=3)


def test_an_explanation_is_in_the_unit_of_the_numbers(explained):
    text = "great best good awful"
    row = np.array([[text.split().count(word) for word in WORDS]])
    found = explained.explain(text)
    assert found.label is None
    assert found.score == pytest.approx(explained.predict(as_corpus(row))[0])
    pushes = {push.word: push.push for push in found.words}
    assert set(pushes) == set(text.split())
    assert min(pushes["great"], pushes["best"], pushes["good"]) > 0 > pushes["awful"]
    assert str(found).startswith("predicted value: +5")
    for form in (row, row[0], row[0].tolist(), as_corpus(row), sparse.csr_array(row)[0]):
        assert explained.explain(form) == found
    assert len(explained.explain(text, top=2).words) == len(explained.explain(text, top=2).topics) == 2


def test_pushes_add_up_to_what_lies_above_the_mean(explained):
    new, _ = simulated(30, seed=3)
    differences, scores = [], []
    for row in new:
        found = explained.explain(row, top=100)
        above = found.score - explained._center
        scores.append(abs(above))
        differences.append(abs(sum(push.push for push in found.words) - above))
        assert sum(push.share for push in found.topics) == pytest.approx(1)
        for push in found.topics:
            assert push.weight == pytest.approx(explained.weights_[push.topic] - explained._center)
    assert np.mean(differences) < 0.1 * np.mean(scores)


def test_what_cannot_be_explained(explained):
    counts, y = simulated(30)
    with pytest.raises(PlaitError, match="takes one document, not 30; select one"):
        explained.explain(as_corpus(counts))
    with pytest.raises(PlaitError, match="no word that the model knows"):
        explained.explain("")
    with pytest.warns(UserWarning, match="1 of 1 tokens"), pytest.raises(PlaitError, match="no word that the model"):
        explained.explain("zebra")
    with pytest.raises(PlaitError, match="top must be a whole number"):
        explained.explain("good", top=0)
    with pytest.raises(PlaitError, match="fitted to a matrix without words, so it cannot read text"):
        fitted(counts, y).explain("good")


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_a_fit_stopped_at_any_sweep_resumes_to_the_same_bits(sampler, tmp_path, monkeypatch):
    counts, y = simulated(40)
    y[::5] = NAN
    short = {"n_sweeps": 3, "n_topics": 3, "sampler": sampler}  # 5 sweeps a chain
    straight = fitted(counts, y, **short)
    assert straight.n_sweeps_ == 10
    for stop_at in range(9):
        with monkeypatch.context() as patched:
            press_ctrl_c_in_sweep(stop_at, patched)
            stopped = fitted(counts, y, **short)
        assert stopped.interrupted_
        assert stopped.n_sweeps_ == stop_at + 1
        assert np.isfinite(stopped.predict(counts)).all()
        loaded = plait.load(plait.save(stopped, tmp_path / "model.plait"))
        same_bits(straight, stopped.resume(counts, y), counts)
        same_bits(straight, loaded.resume(counts, y), counts)


def test_resume_refuses_other_numbers(monkeypatch):
    counts, y = simulated(40)
    press_ctrl_c_in_sweep(3, monkeypatch)
    stopped = fitted(counts, y)
    with pytest.raises(PlaitError, match="not the documents that the fit began with"):
        stopped.resume(counts, y + 1)


def test_pipeline_grid_search_cross_validation_and_clone():
    counts, y = simulated(90)
    texts = [" ".join(np.repeat(WORDS, row)) for row in counts]
    pipeline = make_pipeline(CountVectorizer(), SupervisedLDA(**QUICK))
    good, bad = pipeline.fit(texts, y).predict(["good great best", "awful bad dull"])
    assert good > 1 > -1 > bad
    assert cross_val_score(pipeline, texts, y, cv=3).min() > 0.4
    search = GridSearchCV(pipeline, {"supervisedlda__n_topics": [1, 5]}, cv=2).fit(texts, y)
    assert search.best_params_ == {"supervisedlda__n_topics": 5}
    model = fitted(counts, y, sigma=0.5, nu=1.5)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "weights_")
    same_bits(model, twin.fit(counts, y), counts)


def test_numbers_in_every_form_are_the_same_model():
    counts, y = simulated(30)
    model = fitted(counts, y)
    for given in (y.tolist(), pd.Series(y), y.astype(object)):
        same_bits(model, fitted(counts, given), counts)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        same_bits(model, fitted(counts, y[:, np.newaxis]), counts)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sigma": 0}, "sigma, the standard deviation of the noise, must be a number above 0, not 0"),
        ({"sigma": -1.0}, "sigma, .*not -1.0"),
        ({"sigma": "small"}, "sigma, .*not 'small'"),
        ({"nu": 0}, "nu, the standard deviation of the weights' prior, must be a number above 0, not 0"),
        ({"n_chains": 0}, "n_chains must be a whole number, 1 or more, not 0"),
        ({"cached": False, "sampler": "limit"}, "sampler='limit' spreads tokens.*leave cached out"),
        ({"cached": 3}, "cached must be None, True or False, not 3"),
        ({"n_topics": 0}, "n_topics"),
    ],
)
def test_nonsense_is_refused_with_its_name(changes, message):
    with pytest.raises(PlaitError, match=message):
        fitted(*simulated(20), **changes)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None; give one number per document"),
        ([1.0, 2.0] * 9, "y has values for 18 documents, but there are 20 documents; give one per document"),
        ([NAN] * 20, "y has no sample with a known value; a regression needs at least 2"),
        ([1.0, *[None] * 19], "y has 1 sample with a known value"),
        ([*[1.0] * 19, float("inf")], r"document 19 \(counted from 0\) has an infinite value"),
        ([*[1.0] * 19, "many"], r'document 19 \(counted from 0\) has "many"; a regression needs numbers'),
        (np.ones((20, 2)), "y has 2 dimensions; give one number per document"),
        (3.0, "give a list or an array of numbers, one per document"),
    ],
)
def test_numbers_that_cannot_be_learned_from(y, message):
    with pytest.raises(PlaitError, match=message):
        fitted(simulated(20)[0], y)


def test_documents_without_any_word_are_refused():
    with pytest.raises(PlaitError, match="the documents have no words: every count is 0"):
        fitted(np.zeros((4, 3), dtype=int), [1, 2, 3, 4])
