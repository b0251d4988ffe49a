"""MedLDA as a user meets it: labels in every form, samplers, losses, weights, scikit-learn's tools."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import log_loss, recall_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from plait import MedLDA
from plait.models.inputs import Documents
from plait.samplers import SAMPLERS
from tests.models.small import (
    NAMES,
    NAN,
    QUICK,
    THOROUGH,
    WORDS,
    as_corpus,
    fitted,
    lists_of,
    of_classes,
    of_labels,
    same_bits,
)

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("sparse", "limit", "synchronous")


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_planted_separation_is_learned(n_classes, cached):
    counts, y = of_classes(90, n_classes)
    new, truth = of_classes(60, n_classes, seed=1)
    model = fitted(counts, NAMES[y], cached=cached)
    assert model.classes_.tolist() == NAMES[:n_classes].tolist()
    assert model.score(new, NAMES[truth]) > 0.95
    assert not model.multilabel_
    values = model.decision_function(new)
    if n_classes == 2:
        assert values.shape == (60,)
        assert model.weights_.shape == (1, 4)
        np.testing.assert_array_equal(model.predict(new), NAMES[(values > 0).astype(int)])
    else:
        assert values.shape == (60, 3)
        assert model.weights_.shape == (3, 4)
        np.testing.assert_array_equal(model.predict(new), NAMES[values.argmax(axis=1)])
    assert model.predict_labels(new) == [(label,) for label in model.predict(new)]


def test_exact_and_cached_differ():
    counts, y = of_classes(60, 3)
    assert fitted(counts, y, cached=True).weights_.tobytes() != fitted(counts, y, cached=False).weights_.tobytes()
    assert fitted(counts, y).weights_.tobytes() == fitted(counts, y, cached=False).weights_.tobytes()


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize(
    "sampler",  # sweeps of the aggregated samplers with labels are slow to compile
    [pytest.param(one, marks=[pytest.mark.slow] * ("aggregated" in one)) for one in (*SAMPLERS, "sparse(2)")],
)
def test_every_sampler_learns_with_every_loss(sampler, loss):
    counts, y = of_classes(90, 3)
    new, truth = of_classes(60, 3, seed=1)
    assert fitted(counts, y, sampler=sampler, loss=loss).score(new, truth) > 0.9


def test_several_labels_in_every_form_are_the_same_model():
    counts, indicator = of_labels(120)
    new, truth = of_labels(60, seed=1)
    model = fitted(counts, indicator, **THOROUGH)
    assert model.multilabel_
    assert model.classes_.tolist() == [0, 1, 2]
    predicted = model.predict(new)
    assert predicted.shape == (60, 3)
    assert np.issubdtype(predicted.dtype, np.integer)
    assert (predicted == truth).mean() > 0.85
    assert model.score(new, truth) == (predicted == truth).all(axis=1).mean() > 0.6
    np.testing.assert_array_equal(predicted, model.decision_function(new) > 0)
    lists = lists_of(indicator)
    forms = {
        "sparse": (counts, sparse.csr_array(indicator)),
        "data frame": (counts, pd.DataFrame(indicator, columns=NAMES)),
        "lists": (counts, lists),
        "sets": (counts, [set(labels) for labels in lists]),
    }
    for X, y in forms.values():
        same_bits(model, fitted(X, y, **THOROUGH), new)
    assert fitted(*forms["lists"], **THOROUGH).predict_labels(new) == [tuple(labels) for labels in lists_of(predicted)]


def test_a_corpus_brings_its_labels():
    counts, indicator = of_labels(120)
    labelled = indicator.any(axis=1)  # in a corpus, no label means not labelled
    corpus = as_corpus(counts, [tuple(labels) for labels in lists_of(indicator)])
    model = fitted(corpus)
    assert model.classes_.tolist() == NAMES.tolist()
    assert model.n_unlabelled_ == (~labelled).sum() > 0
    same_bits(model, fitted(counts, np.where(labelled[:, np.newaxis], indicator, NAN)), counts)
    one_each, y = of_classes(60, 3)
    single = fitted(as_corpus(one_each, [(name,) for name in NAMES[y]]))
    assert not single.multilabel_
    assert set(single.predict(one_each)) == set(NAMES)
    same_bits(single, fitted(one_each, NAMES[y]), one_each)
    same_bits(single, fitted(as_corpus(one_each), y), one_each)  # y before the corpus's own, which has none


@pytest.mark.parametrize(
    "classes",
    [[3, 7], [-1, 1], [False, True], ["no", "yes"], np.array([3, 7], dtype=np.uint8), np.array([2.0, 4.0])],
    ids=str,
)
def test_predictions_are_of_the_users_types(classes):
    counts, y = of_classes(40, 2)
    labels = np.asarray(classes)[y]
    for given in (labels, labels.tolist(), pd.Series(labels)):
        predicted = fitted(counts, given).predict(counts)
        assert (predicted == labels).mean() > 0.9
        assert type(predicted.tolist()[0]) is type(labels.tolist()[0])


def test_unlabelled_documents_in_every_form_are_the_same_model():
    counts, y = of_classes(90, 3)
    hidden = np.arange(90) >= 60
    names = [None if unknown else name for unknown, name in zip(hidden, NAMES[y], strict=True)]
    model = fitted(counts, names)
    assert model.n_unlabelled_ == 30
    assert model.doc_topic_.shape == (90, 4)
    for given in (
        [NAN if name is None else name for name in names],
        np.where(hidden, -1, y),
        np.where(hidden, NAN, y),
        pd.Series(names, dtype="string"),
    ):
        same_bits(model, fitted(counts, given), counts)
    assert fitted(counts, NAMES[y]).weights_.tobytes() != model.weights_.tobytes()


def test_unlabelled_documents_shape_the_topics():
    """A word that stands in unlabelled documents only tells a label by the words that it stands with."""
    counts, y = of_classes(60, 2)
    more, hidden = of_classes(60, 2, seed=1)
    counts[:, 0], counts[:, 4] = 0, 0  # "money" and "river" in no labelled document
    alone = np.zeros((2, len(WORDS)), dtype=int)
    alone[[0, 1], [0, 4]] = 6
    together, labels = np.vstack([counts, more]), [*NAMES[y], *[None] * 60]
    semi = fitted(together, labels, **THOROUGH)
    assert semi.predict(alone).tolist() == ["finance", "nature"]
    labelled_only = fitted(counts, NAMES[y], **THOROUGH)
    spread = np.ptp(semi.decision_function(alone)), np.ptp(labelled_only.decision_function(alone))
    assert spread[0] > 4 * spread[1]
    assert semi.score(more, NAMES[hidden]) > 0.9


def test_one_label_equals_two_classes_to_the_bit():
    counts, y = of_classes(60, 2)
    binary = fitted(counts, y)
    column = fitted(counts, y[:, np.newaxis])
    assert column.multilabel_
    for name in ("topic_word_", "doc_topic_", "weights_"):
        assert getattr(binary, name).tobytes() == getattr(column, name).tobytes(), name
    assert column.decision_function(counts).shape == (60, 1)
    assert binary.decision_function(counts).tobytes() == column.decision_function(counts).tobytes()
    np.testing.assert_array_equal(binary.predict(counts), column.predict(counts)[:, 0])


@pytest.mark.parametrize("changes", [{}, {"one_vs_all": True}, {"sampler": "limit"}, {"loss": "logistic"}], ids=str)
def test_same_bits_for_any_number_of_threads(changes):
    counts, indicator = of_labels(150)
    models = [fitted(counts, indicator, n_shards=4, n_jobs=jobs, **changes) for jobs in (1, 2, 3)]
    for other in models[1:]:
        same_bits(models[0], other, counts)
        np.testing.assert_array_equal(models[0].predict(counts), other.predict(counts))


@pytest.mark.slow  # compiles the sweep of a sampler other than plain
def test_values_of_a_document_do_not_depend_on_its_company():
    counts, indicator = of_labels(70)
    for changes in ({}, {"one_vs_all": True}, {"sampler": "limit"}):
        model = fitted(counts, indicator, n_topics=7, **changes)
        together = model.decision_function(counts)
        for rows in (slice(0, 1), slice(7, 8), slice(3, 8), slice(69, 0, -1)):
            np.testing.assert_array_equal(model.decision_function(counts[rows]), together[rows])


def test_a_document_without_words_has_a_value_too():
    counts, y = of_classes(60, 3)
    values = fitted(counts, y).decision_function(np.zeros((2, len(WORDS)), dtype=int))
    assert np.isfinite(values).all()
    np.testing.assert_array_equal(values[0], values[1])


def test_more_chains_are_averaged():
    counts, y = of_classes(60, 2)
    one, three = fitted(counts, y, n_chains=1), fitted(counts, y, n_chains=3)
    np.testing.assert_array_equal(one.topic_word_, three.topic_word_)  # those of the first chain are shown
    np.testing.assert_array_equal(one.weights_, three.weights_)
    assert three.n_sweeps_ == 3 * one.n_sweeps_ == 3 * 14
    assert not np.allclose(one.decision_function(counts), three.decision_function(counts))


def test_one_vs_all_has_topics_of_each_label():
    counts, indicator = of_labels(120)
    new, truth = of_labels(60, seed=1)
    settings = THOROUGH | {"n_topics": 3}
    model = fitted(counts, indicator, one_vs_all=True, **settings)
    assert model.topic_word_.shape == (9, len(WORDS))
    assert model.transform(new).shape == (60, 9)
    assert model.get_feature_names_out().shape == (9,)
    np.testing.assert_allclose(model.transform(new).sum(axis=1), 1)
    own = np.kron(np.eye(3, dtype=bool), np.ones((1, 3), dtype=bool))
    assert not model.weights_[~own].any()
    assert model.weights_[own].all()
    assert (model.predict(new) == truth).mean() > 0.85
    # A label's topics are those of a model of this label alone, started from the same seed.
    alone = fitted(counts, indicator[:, :1], **settings)
    np.testing.assert_array_equal(model.weights_[0, :3], alone.weights_[0])
    np.testing.assert_array_equal(model.decision_function(new)[:, 0], alone.decision_function(new)[:, 0])
    for label in range(3):
        topics = {push.topic for push in model.explain(counts[0], label).topics}
        assert topics == {3 * label, 3 * label + 1, 3 * label + 2}


def test_class_weights_make_up_for_rare_labels():
    counts, y = of_classes(240, 2, own=0.12)
    kept = (y == 0) | (np.arange(240) < 48)
    counts, y = counts[kept], y[kept]
    new, truth = of_classes(200, 2, seed=1, own=0.12)
    n_frequent, n_rare = np.bincount(y)
    balanced = fitted(counts, y, class_weight="balanced")
    by_hand = {0: len(y) / (2 * n_frequent), 1: len(y) / (2 * n_rare)}
    same_bits(balanced, fitted(counts, y, class_weight=by_hand), new)
    same_bits(fitted(counts, y), fitted(counts, y, class_weight={0: 1, 1: 1.0}), new)
    recalls = [
        recall_score(truth, fitted(counts, y, c=1.0, class_weight=weights, **THOROUGH).predict(new))
        for weights in ({1: 0.02}, None, "balanced", {1: 50.0})
    ]
    assert recalls[0] < recalls[1] < recalls[2] < recalls[3]


def test_class_weights_of_several_labels():
    counts, indicator = of_labels(100)
    plain, raised = (fitted(counts, indicator, class_weight=weights, **THOROUGH) for weights in (None, {2: 40.0}))
    assert raised.predict(counts)[:, 2].sum() > plain.predict(counts)[:, 2].sum()
    balanced = fitted(counts, indicator, class_weight="balanced", **THOROUGH)
    assert balanced.weights_.tobytes() != plain.weights_.tobytes()
    assert (balanced.predict(counts) == indicator).mean() > 0.85


def test_the_cost_binds_topics_to_labels():
    counts, y = of_classes(60, 2, own=0.2)
    spreads = [np.abs(fitted(counts, y, c=c).decision_function(counts)).mean() for c in (1e-4, 0.1, 16)]
    assert spreads == sorted(spreads)
    margins = [np.abs(fitted(counts, y, ell=ell).decision_function(counts)).mean() for ell in (0.1, 1.0, 10.0)]
    assert margins == sorted(margins)
    sizes = [np.abs(fitted(counts, y, nu=nu).weights_).mean() for nu in (0.01, 0.1, 1.0)]
    assert sizes == sorted(sizes)


def test_pipeline_grid_search_and_cross_validation():
    counts, y = of_classes(60, 3)
    texts = [" ".join(np.repeat(WORDS, row)) for row in counts]
    pipeline = make_pipeline(CountVectorizer(), MedLDA(**QUICK))
    assert pipeline.fit(texts, NAMES[y]).predict(["river water stream", "goal match"]).tolist() == ["nature", "sport"]
    scores = cross_val_score(pipeline, texts, NAMES[y], cv=3)
    assert scores.shape == (3,)
    assert scores.min() > 0.8
    pipeline.set_params(medlda__loss="logistic")
    search = GridSearchCV(pipeline, {"medlda__c": [0.001, 1.0, 0.002]}, cv=2, scoring="neg_log_loss").fit(
        texts, NAMES[y]
    )
    assert search.best_params_ == {"medlda__c": 1.0}
    assert search.best_score_ > 0.8 * -np.log(3) > search.cv_results_["mean_test_score"][0]
    assert search.best_estimator_[-1].c == 1.0
    with_probabilities = CalibratedClassifierCV(MedLDA(**QUICK), cv=3).fit(counts, y)
    assert log_loss(y, with_probabilities.predict_proba(counts)) < 0.5


def test_clone_keeps_the_settings_only():
    counts, y = of_classes(40, 2)
    model = fitted(counts, y, c=3.0, class_weight={0: 2.0}, cached=True, one_vs_all=True)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "classes_")
    same_bits(model, twin.fit(counts, y), counts)


def test_a_second_fit_forgets_the_first():
    counts, y = of_classes(60, 3)
    _, indicator = of_labels(60)
    model = fitted(counts, indicator)
    same_bits(model.fit(counts, y), fitted(counts, y), counts)
    assert not model.multilabel_


def test_a_threshold_moves_what_counts_as_a_label():
    counts, indicator = of_labels(60)
    model = fitted(counts, indicator)
    values = model.decision_function(counts)
    model.threshold = -0.4
    np.testing.assert_array_equal(model.predict(counts), values > -0.4)
    labels = [tuple(np.flatnonzero(row > -0.4)) for row in values]
    assert model.predict_labels(counts) == labels


def test_one_number_weighs_all_labels():
    counts, indicator = of_labels(60)
    by_number = fitted(counts, indicator, class_weight=5.0)
    same_bits(by_number, fitted(counts, indicator, class_weight={0: 5, 1: 5, 2: 5}), counts)


def test_balanced_weights_of_several_labels_are_damped():
    counts, indicator = of_labels(60)
    factors = {label: np.sqrt((60 - n) / n) for label, n in enumerate(indicator.sum(axis=0))}
    balanced = fitted(counts, indicator, class_weight="balanced")
    same_bits(balanced, fitted(counts, indicator, class_weight=factors), counts)


def test_balanced_weights_of_classes_compare_their_sizes():
    counts, y = of_classes(60, 3)
    kept = np.concatenate([np.flatnonzero(y == 0)[:5], np.flatnonzero(y > 0)])
    counts, y = counts[kept], y[kept]
    factors = {label: len(y) / (3 * n) for label, n in enumerate(np.bincount(y))}
    same_bits(fitted(counts, y, class_weight="balanced"), fitted(counts, y, class_weight=factors), counts)


@pytest.mark.parametrize("one_vs_all", [False, True])
def test_a_label_that_is_known_of_no_document_is_learned_as_nothing(one_vs_all):
    counts, indicator = of_labels(60)
    unknown = indicator.astype(float)
    unknown[:, 1] = np.nan
    model = fitted(counts, unknown, min_documents=0, one_vs_all=one_vs_all)
    assert (model.weights_[1] == 0).all()
    assert (model.predict(counts)[:, 1] == 0).all()


@pytest.mark.slow  # compiles the sweep of a sampler other than plain
def test_mean_topics_of_documents_of_less_than_one_word_add_up_to_one():
    counts, y = of_classes(40, 2)
    model = fitted(counts, y, sampler="limit")
    for _, _, mean_topics in model._chains().mean_topics(Documents(sparse.csr_array(1e-3 * counts))):
        np.testing.assert_allclose(mean_topics.sum(axis=1), 1.0, rtol=0.01)
