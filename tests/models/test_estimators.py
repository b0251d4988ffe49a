"""What every estimator of plait.models must do, found by discovery: scikit-learn's own checks and our promises."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

from plait import Corpus, Links, PlaitError
from plait.models import MODELS as ALL_MODELS


class PassesLinks:
    """Passes links to the public `fit`, because scikit-learn's checks pass none; everything else is the model's own."""

    def fit(self, X, y=None):
        (n_documents, *_) = (X if hasattr(X, "shape") else np.asarray(X)).shape or (1,)
        return super().fit(X, y, links=np.eye(n_documents, k=1))  # every document links to the next


class RelationalTopicModel(PassesLinks, ALL_MODELS["RelationalTopicModel"]):
    """Topics that predict these links."""


class LinkedLDA(PassesLinks, ALL_MODELS["LinkedLDA"]):
    """Tokens that draw their topics along these links."""


MODELS = ALL_MODELS | {"RelationalTopicModel": RelationalTopicModel, "LinkedLDA": LinkedLDA}
NEED_LINKS = ["RelationalTopicModel", "LinkedLDA"]
QUICK = {
    "n_topics": 3,
    "n_sweeps": 6,
    "n_samples": 2,
    "sample_every": 2,
    "fold_in_sweeps": 4,
    "random_state": 0,
    "verbose": False,
}

LONGER = QUICK | {"n_sweeps": 40, "random_state": 1}

# What scikit-learn's checks want beyond that: its regression is too noisy for topics that follow every number.
SETTINGS_OF_CHECKS = {
    "SupervisedLDA": {"n_topics": 20, "beta": 0.001, "sigma": 0.5, "nu": 10.0, "n_sweeps": 20, "n_samples": 5}
    | {"n_chains": 4, "fold_in_sweeps": 12}
}

# These checks pass matrices of fractions, for which a sampler that draws a topic for each occurrence has no meaning.
FRACTIONS = "draws a topic for every occurrence, so counts must be whole; sampler='limit' passes this check"


# Checks have no links to give; the class `PassesLinks` shows that the checks hold with links.
WITHOUT_LINKS = "is fitted to links, and the check passes none"

# These pass negative data although the tags say positive_only; the test that makes their data positive shows the rest.
FED_NEGATIVE_COUNTS = ("check_class_weight_classifiers", "check_decision_proba_consistency")


def toy_counts(n_documents=30, n_words=12, seed=0):
    rng = np.random.default_rng(seed)
    return rng.poisson(1.5, size=(n_documents, n_words))


def quick(name, **changes):
    """Return a model that is fitted in no time."""
    settings = QUICK | ({"n_chains": 2} if "n_chains" in MODELS[name]().get_params() else {}) | changes
    return MODELS[name](**settings)


def targets_for(model, X):
    """Return what a model needs as y for documents: classes or numbers that the first word tells, or None."""
    first = np.asarray(X)[:, 0]
    if is_classifier(model):
        return np.where(first > np.median(first), "many", "few")
    return first * 2.5 if is_regressor(model) else None


def fitted(name, X, **changes):
    model = quick(name, **changes)
    return model.fit(X, targets_for(model, X))


def answers(model, X):
    """Return all that a model says of documents, as one array."""
    said = [model.transform(X)]
    for answer in ("decision_function", "predict", "score_links"):
        if hasattr(model, answer) and not (answer == "predict" and is_classifier(model)):
            said.append(getattr(model, answer)(X))
    return np.column_stack(said)


def failures(estimator, expected=None):
    results = check_estimator(estimator, on_fail=None, expected_failed_checks=expected)
    return {r["check_name"]: r for r in results if r["status"] == "failed"}, results


def reason(result):
    return f"{result['exception']} {result['exception'].__cause__}"


def feeds_negative_counts(check, result):
    """Whether a check is at fault: it passes negative data to an estimator whose tags say that it takes none."""
    return check in FED_NEGATIVE_COUNTS and "Negative values in data passed to" in reason(result)


@pytest.mark.slow  # every check fits every model
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("sampler", ["limit", "sparse(2)"])
def test_scikit_learn_checks_hold_where_counts_may_be_fractions(name, sampler):
    model = quick(name, sampler=sampler, **SETTINGS_OF_CHECKS.get(name, {}))
    failed, results = failures(model)
    assert not {check: reason(r) for check, r in failed.items() if not feeds_negative_counts(check, r)}
    assert model.__sklearn_tags__().input_tags.positive_only
    assert sum(r["status"] == "passed" for r in results) >= 35


@pytest.mark.slow  # many fits
def test_scikit_learn_checks_hold_for_probabilities():
    failed, results = failures(quick("MedLDA", sampler="limit", loss="logistic"))
    assert not {check: reason(r) for check, r in failed.items() if not feeds_negative_counts(check, r)}
    (output,) = [r for r in results if r["check_name"] == "check_classifiers_multilabel_output_format_predict_proba"]
    assert output["status"] == "passed"


class StrictMedLDA(MODELS["MedLDA"]):
    """A MedLDA whose scores scikit-learn's checks look at."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = False
        return tags


@pytest.mark.parametrize("check", FED_NEGATIVE_COUNTS)
def test_scikit_learn_checks_that_feed_negative_counts_hold_without_them(monkeypatch, check):
    blobs = estimator_checks.make_blobs

    def positive(**options):
        X, y = blobs(**options)
        return X - X.min(), y

    monkeypatch.setattr(estimator_checks, "make_blobs", positive)
    model = StrictMedLDA(**QUICK, sampler="limit", loss="logistic", n_chains=2)
    getattr(estimator_checks, check)("StrictMedLDA", model)


@pytest.mark.parametrize("sampler", ["limit", "sparse(2)"])
def test_scikit_learns_blobs_are_told_apart_as_well_as_shares_of_words_can(sampler):
    """Why the tags say poor_score: check_classifiers_train wants 0.83 of blobs that differ in their lengths too."""
    X, y = estimator_checks.make_blobs(n_samples=300, random_state=0)
    X = estimator_checks.StandardScaler().fit_transform(X)
    X -= X.min()
    shares = normalize(X, "l1")
    best = DecisionTreeClassifier(max_leaf_nodes=5).fit(shares, y).score(shares, y)
    assert best < 0.83
    settings = {"n_topics": 5, "alpha": 0.01, "beta": 1.0, "n_sweeps": 40, "fold_in_sweeps": 12, "n_chains": 4}
    model = quick("MedLDA", sampler=sampler, **settings)
    assert model.fit(X, y).score(X, y) > 0.65
    two = y != 2
    assert model.fit(X[two], y[two]).score(X[two], y[two]) > 0.9


@pytest.mark.parametrize("name", MODELS)
def test_scikit_learn_checks_fail_for_whole_counts_only_because_of_fractions(name):
    failed, results = failures(quick(name))
    others = {check: reason(r) for check, r in failed.items() if not feeds_negative_counts(check, r)}
    assert not {check: why for check, why in others.items() if "needs integer counts" not in why}
    expected = dict.fromkeys(failed, FRACTIONS)
    _, again = failures(quick(name), expected)
    assert {r["check_name"] for r in again if r["status"] == "xfail"} == set(expected)
    assert sum(r["status"] == "passed" for r in results) >= 20


@pytest.mark.parametrize("name", NEED_LINKS)
def test_scikit_learn_checks_fail_without_links_only_because_of_them(name):
    model = ALL_MODELS[name](**QUICK, sampler="limit")
    failed, results = failures(model)
    assert not {check: reason(r) for check, r in failed.items() if "a matrix of counts has no links" not in reason(r)}
    expected = dict.fromkeys(failed, WITHOUT_LINKS)
    failed, again = failures(model, expected)
    assert not failed
    assert {r["check_name"] for r in again if r["status"] == "xfail"} == set(expected)
    assert sum(r["status"] == "passed" for r in results) >= 15


@pytest.fixture(scope="module")
def corpus():
    """Documents with two topics, whose labels and links follow the topics."""
    texts = ["river stream water " * 4, "money loan credit " * 4] * 12
    links = [(str(d), str((d + step) % 24)) for d in range(24) for step in (2, 6, 10)]
    return Corpus.from_texts(texts, ids=map(str, range(24)), links=links, labels=["nature", "bank"] * 12)


@pytest.mark.parametrize("name", ALL_MODELS)
def test_real_models_are_cross_validated_on_a_corpus(name, corpus):
    model = ALL_MODELS[name](**QUICK)
    y = None
    if is_classifier(model):
        y = corpus.label_vector()
    elif is_regressor(model):
        y = np.arange(24) % 2 * 2.5
    splits = KFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(model, corpus, y, cv=splits, error_score="raise")
    assert np.isfinite(scores).all()
    train, test = next(splits.split(corpus))
    fitted_by_hand = clone(model).fit(corpus[train], None if y is None else y[train])
    assert scores[0] == fitted_by_hand.score(corpus[test], *([] if y is None else [y[test]]))


@pytest.mark.parametrize("name", NEED_LINKS)
def test_real_models_of_links_are_tuned_on_a_corpus(name, corpus):
    search = GridSearchCV(ALL_MODELS[name](**LONGER), {"n_topics": [1, 2]}, cv=3, error_score="raise").fit(corpus)
    assert search.best_params_["n_topics"] == 2
    assert search.feature_names_in_.tolist() == corpus.vocabulary.tolist()
    first_words = [" ".join(topic.words) for topic in search.best_estimator_.topics(3)]
    assert search.best_estimator_.get_feature_names_out().tolist() == first_words


@pytest.mark.parametrize("name", NEED_LINKS)
def test_routed_links_are_cut_to_rows_and_columns(name, corpus):
    with config_context(enable_metadata_routing=True):
        model = ALL_MODELS[name](**LONGER).set_fit_request(links=True)
        if name == "LinkedLDA":
            model.set_score_request(links=True)
        search = GridSearchCV(model, {"n_topics": [1, 2]}, cv=3, error_score="raise")
        search.fit(corpus.counts, links=Links(corpus.links))
        assert search.best_params_["n_topics"] == 2
        train, test = next(KFold(3).split(corpus))
        by_hand = ALL_MODELS[name](**LONGER | {"n_topics": 2}).fit(corpus.counts[train], links=corpus[train].links)
        routed = {"links": Links(corpus[test].links)} if name == "LinkedLDA" else {}
        assert search.cv_results_["split0_test_score"][1] == by_hand.score(corpus.counts[test], **routed)
        with pytest.raises(PlaitError, match=r"links is 16 × 24 .* wrap the matrix: links=plait\.Links\(matrix\)"):
            search.fit(corpus.counts, links=corpus.links)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_same_seed_same_bits_for_any_number_of_threads(name, sampler):
    counts = toy_counts(200)
    models = [fitted(name, counts, n_shards=5, n_jobs=jobs, sampler=sampler) for jobs in (1, 2, 3)]
    for other in models[1:]:
        assert models[0].topic_word_.tobytes() == other.topic_word_.tobytes()
        assert models[0].doc_topic_.tobytes() == other.doc_topic_.tobytes()
        assert answers(models[0], counts).tobytes() == answers(other, counts).tobytes()
    different = fitted(name, counts, random_state=1, sampler=sampler)
    assert models[0].topic_word_.tobytes() != different.topic_word_.tobytes()
    assert answers(models[0], counts).tobytes() != answers(different, counts).tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_a_document_has_the_same_topics_alone_and_in_company(name):
    counts = toy_counts()
    model = fitted(name, counts)
    together = answers(model, counts)
    for row in (0, 7, 29):
        np.testing.assert_array_equal(answers(model, counts[row : row + 1])[0], together[row])
    np.testing.assert_array_equal(answers(model, sparse.csr_matrix(counts)), together)


@pytest.mark.parametrize("name", MODELS)
def test_pickle_joblib_and_clone(name, tmp_path):
    counts = toy_counts()
    model = fitted(name, counts)
    expected = answers(model, counts)
    np.testing.assert_array_equal(answers(pickle.loads(pickle.dumps(model)), counts), expected)
    joblib.dump(model, tmp_path / "model.joblib")
    np.testing.assert_array_equal(answers(joblib.load(tmp_path / "model.joblib"), counts), expected)
    twin = clone(model)
    assert not hasattr(twin, "topic_word_")
    np.testing.assert_array_equal(answers(twin.fit(counts, targets_for(twin, counts)), counts), expected)


@pytest.mark.parametrize("name", MODELS)
def test_pipeline_and_grid_search(name):
    texts = [
        "river stream bank water " * 5,
        "stream river water " * 5,
        "money loan bank debt " * 5,
        "loan debt " * 5,
    ] * 6
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(texts)
    y = targets_for(quick(name), counts.toarray()[:, [vectorizer.vocabulary_["river"]]])
    pipeline = make_pipeline(CountVectorizer(), quick(name))
    assert pipeline.fit_transform(texts, y).shape == (24, 3)
    named = [" ".join(topic.words[:3]) for topic in pipeline[-1].topics()]
    assert pipeline.get_feature_names_out().tolist() == named
    assert set(" ".join(named).split()) <= set(vectorizer.get_feature_names_out())
    topics_alone = {"features": None} if name == "MedLDA" else {}  # words alone would do
    search = GridSearchCV(quick(name, n_sweeps=40, **topics_alone), {"n_topics": [1, 2]}, cv=2).fit(counts, y)
    assert search.best_params_["n_topics"] == 2


@pytest.mark.parametrize("name", MODELS)
def test_training_topics_are_distributions(name):
    model = fitted(name, toy_counts())
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
    np.testing.assert_allclose(model.topic_share_.sum(), 1)
    np.testing.assert_allclose(model.transform(toy_counts(seed=1)).sum(axis=1), 1)
