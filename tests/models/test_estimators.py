"""What every estimator of plait.models must do, found by discovery: scikit-learn's own checks and our promises."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from plait.models import MODELS

QUICK = {
    "n_topics": 3,
    "n_sweeps": 6,
    "n_samples": 2,
    "sample_every": 2,
    "fold_in_sweeps": 4,
    "random_state": 0,
    "verbose": False,
}

# These checks pass matrices of fractions, for which a sampler that draws a topic for each occurrence has no meaning.
FRACTIONS = "draws a topic for every occurrence, so counts must be whole; sampler='limit' passes this check"


def toy_counts(n_documents=30, n_words=12, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(1.5, size=(n_documents, n_words))


def failures(estimator, expected=None):
    results = check_estimator(estimator, on_fail=None, expected_failed_checks=expected)
    return {r["check_name"]: r for r in results if r["status"] == "failed"}, results


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("sampler", ["limit", "sparse(2)"])
def test_scikit_learn_checks_hold_where_counts_may_be_fractions(name, sampler):
    failed, _ = failures(MODELS[name](**(QUICK | {"sampler": sampler})))
    assert not failed, {check: str(r["exception"]) for check, r in failed.items()}


@pytest.mark.parametrize("name", MODELS)
def test_scikit_learn_checks_fail_for_whole_counts_only_because_of_fractions(name):
    failed, results = failures(MODELS[name](**QUICK))
    reasons = {check: f"{r['exception']} {r['exception'].__cause__}" for check, r in failed.items()}
    assert not {check: reason for check, reason in reasons.items() if "needs whole numbers" not in reason}
    expected = dict.fromkeys(failed, FRACTIONS)
    _, again = failures(MODELS[name](**QUICK), expected)
    assert {r["check_name"] for r in again if r["status"] == "xfail"} == set(expected)
    assert sum(r["status"] == "passed" for r in results) >= 20


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_same_seed_same_bits_for_any_number_of_threads(name, sampler):
    counts = toy_counts(200)
    models = [
        MODELS[name](**(QUICK | {"n_shards": 5, "n_jobs": jobs, "sampler": sampler})).fit(counts) for jobs in (1, 2, 3)
    ]
    for other in models[1:]:
        assert models[0].topic_word_.tobytes() == other.topic_word_.tobytes()
        assert models[0].doc_topic_.tobytes() == other.doc_topic_.tobytes()
        assert models[0].transform(counts).tobytes() == other.transform(counts).tobytes()
    different = MODELS[name](**(QUICK | {"random_state": 1, "sampler": sampler})).fit(counts)
    assert models[0].topic_word_.tobytes() != different.topic_word_.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_a_document_has_the_same_topics_alone_and_in_company(name):
    counts = toy_counts()
    model = MODELS[name](**QUICK).fit(counts)
    together = model.transform(counts)
    for row in (0, 7, 29):
        np.testing.assert_array_equal(model.transform(counts[row : row + 1])[0], together[row])
    np.testing.assert_array_equal(model.transform(sparse.csr_matrix(counts)), together)


@pytest.mark.parametrize("name", MODELS)
def test_pickle_joblib_and_clone(name, tmp_path):
    counts = toy_counts()
    model = MODELS[name](**QUICK).fit(counts)
    expected = model.transform(counts)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(counts), expected)
    joblib.dump(model, tmp_path / "model.joblib")
    np.testing.assert_array_equal(joblib.load(tmp_path / "model.joblib").transform(counts), expected)
    twin = clone(model)
    assert not hasattr(twin, "topic_word_")
    np.testing.assert_array_equal(twin.fit(counts).transform(counts), expected)


@pytest.mark.parametrize("name", MODELS)
def test_pipeline_and_grid_search(name):
    texts = [
        "river stream bank water " * 5,
        "stream river water " * 5,
        "money loan bank debt " * 5,
        "loan debt " * 5,
    ] * 6
    pipeline = make_pipeline(CountVectorizer(), MODELS[name](**QUICK))
    assert pipeline.fit_transform(texts).shape == (24, 3)
    assert pipeline.get_feature_names_out().tolist() == [f"{name.lower()}{k}" for k in range(3)]
    counts = CountVectorizer().fit_transform(texts)
    search = GridSearchCV(MODELS[name](**(QUICK | {"n_sweeps": 40})), {"n_topics": [1, 2]}, cv=2).fit(counts)
    assert search.best_params_["n_topics"] == 2


@pytest.mark.parametrize("name", MODELS)
def test_training_topics_are_distributions(name):
    model = MODELS[name](**QUICK).fit(toy_counts())
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
    np.testing.assert_allclose(model.topic_share_.sum(), 1)
    np.testing.assert_allclose(model.transform(toy_counts(seed=1)).sum(axis=1), 1)
