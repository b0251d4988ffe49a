"""Settings of labels that MedLDA chooses on held-out training documents, and features beside topics."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.svm import LinearSVC

import plait
from plait import MedLDA, PlaitError
from plait.executors import Threads
from plait.models.labelling import choosing
from plait.models.labelling.bayes import naive_bayes
from plait.models.labelling.blending import blend_by_f1, blend_weights
from plait.models.labelling.columns import as_columns, held_out_scores
from plait.models.labelling.folds import make_folds
from plait.models.labelling.held_out import HeldOutChains
from plait.models.labelling.svm import support_vectors
from plait.responses import GivenLabels
from plait.responses.calibration import fit_many_sigmoids, fit_shared_sigmoid, fit_sigmoids
from tests.models.small import NOT_CHOSEN, QUICK, of_classes, of_labels, press_ctrl_c_in_sweep

CHOOSING = QUICK | {"n_sweeps": 6}
N = 90


def run(function, items):
    return [function(item) for item in items]


@pytest.fixture(scope="module")
def classes():
    return of_classes(N + 30, 3)


@pytest.fixture(scope="module")
def labels():
    return of_labels(N + 30)


@pytest.fixture(scope="module")
def several(labels):
    counts, indicator = labels
    return MedLDA(**CHOOSING).fit(counts[:N], indicator[:N])


@pytest.fixture(scope="module")
def one(classes):
    counts, y = classes
    return MedLDA(**CHOOSING).fit(counts[:N], y[:N])


# Parts ----------------------------------------------------------------------------------------------------------------


def test_folds_are_runs_of_neighbours_within_labels():
    signs = np.where(np.arange(3) == np.arange(60)[:, np.newaxis] % 3, 1, -1)
    signs[[5, 30]] = 0
    folds = make_folds(signs, 3)
    assert (folds[[5, 30]] == -1).all()
    for label in range(3):
        own = folds[signs[:, label] > 0]
        assert (np.diff(own) >= 0).all()
        assert set(own) == {0, 1, 2}


def test_a_machine_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    features = sparse.csr_array(rng.random((200, 30)) * (rng.random((200, 30)) < 0.3))
    signs = np.where(features @ rng.normal(size=30) + 0.1 * rng.normal(size=200) > 0, 1, -1)
    expected = LinearSVC(C=1.0, tol=1e-8, max_iter=100_000).fit(features, signs)
    other = np.where(rng.random(200) < 0.1, 1, -1)  # learned beside it
    found = support_vectors(as_columns(features), np.column_stack([other, signs]), 0)[1]
    np.testing.assert_allclose(found[:-1], expected.coef_[0], atol=0.02)
    np.testing.assert_allclose(found[-1], expected.intercept_[0], atol=0.02)


def test_a_machine_of_equal_signs_is_a_constant():
    features = as_columns(sparse.csr_array(np.eye(3)))
    signs = np.array([[-1, 1, 0], [-1, 0, 0], [0, 1, 0]])
    assert support_vectors(features, signs, 0).tolist() == [[0, 0, 0, -1], [0, 0, 0, 1], [0, 0, 0, -1]]


@pytest.mark.parametrize("learner", [support_vectors, naive_bayes])
def test_scores_of_a_fold_do_not_depend_on_its_labels(learner, classes):
    counts, y = classes
    features = as_columns(sparse.csr_array(counts).astype(float))
    signs = np.where(np.eye(3)[y] > 0, 1, -1)
    folds = make_folds(signs, 3)
    scores = held_out_scores(learner, features, signs, folds, run)
    other = signs.copy()
    other[folds == 1] *= -1
    changed = held_out_scores(learner, features, other, folds, run)
    assert (changed[folds == 1] == scores[folds == 1]).all()
    assert (changed[folds != 1] != scores[folds != 1]).any()


def test_values_of_a_fold_do_not_depend_on_its_labels(labels):
    counts, indicator = labels
    model = MedLDA(**(NOT_CHOSEN | CHOOSING))
    model.fit(counts, indicator)
    targets = model._response("labels").read(counts, indicator, model._training_words(counts), 4)
    folds = make_folds(targets.seen, 3)

    def values(seen, fold):
        given = GivenLabels(targets.targets, seen)
        chains = HeldOutChains(model, model._training_words(counts), given, folds, 0)
        return chains.values(model._response("labels"), fold)

    other = targets.seen.copy()
    other[folds == 1] *= -1
    assert (values(other, 1) == values(targets.seen, 1)).all()
    assert (values(other, 0) != values(targets.seen, 0)).any()


def test_weights_are_those_of_the_informative_parts():
    rng = np.random.default_rng(0)
    right = rng.integers(4, size=500)
    signs = np.where(np.arange(4) == right[:, np.newaxis], 1, -1)
    good, noise = signs + 2 * rng.normal(size=signs.shape), rng.normal(size=signs.shape)
    for kind, places in (("multiclass", slice(None)), ("binary", slice(0, 1))):
        weights = blend_weights([noise[:, places], good[:, places]], signs[:, places], kind)
        assert weights.sum() == pytest.approx(1.0)
        assert weights[0] < 0.25
    folds = np.arange(500) % 3
    assert blend_by_f1(noise, good, signs, folds).tolist() == [0.0, 1.0]
    assert blend_by_f1(good, good + 0.5 * noise + 2 * rng.normal(size=signs.shape), signs, folds)[0] > 0


# What a fit chooses ---------------------------------------------------------------------------------------------------


def test_what_was_chosen_is_kept_with_its_reason(several):
    choice = several.label_choice_
    assert [one.c for one in choice.trials[:4]] == [16.0, 4.0, 1.0, 0.25]
    assert choice.trials[4].class_weight == "balanced"
    best = max(choice.trials, key=lambda one: one.score)
    assert choice.score > 0.7
    assert (choice.c, choice.n_held_out) == (best.c, N)
    assert several.thresholds_.shape == (3,)
    assert f"c {choice.c:g} (held-out score" in str(choice)
    assert "thresholds" in str(choice)


def test_labels_are_those_above_the_thresholds(several, labels):
    counts, indicator = labels
    scores = several.decision_function(counts[N:])
    assert (several.predict(counts[N:]) == (scores > several.thresholds_)).all()
    assert [len(own) for own in several.predict_labels(counts[N:])] == several.predict(counts[N:]).sum(axis=1).tolist()
    assert (several.predict(counts[N:]) == indicator[N:]).mean() > 0.85


def test_numbers_are_not_chosen(labels):
    counts, indicator = labels
    model = MedLDA(**(CHOOSING | {"c": 2.0, "class_weight": 3.0, "threshold": -0.25, "features": None}))
    model.fit(counts[:N], indicator[:N])
    assert model.label_choice_ is None
    assert model.thresholds_.tolist() == [-0.25] * 3
    some = clone(model).set_params(threshold="auto").fit(counts[:N], indicator[:N])
    assert (some.label_choice_.c, some.label_choice_.class_weight, some.label_choice_.trials) == (2.0, 3.0, [])
    assert (some.topic_word_ == model.topic_word_).all()


def test_a_loss_with_whole_costs_is_given_whole_costs(labels):
    counts, indicator = labels
    model = MedLDA(**CHOOSING, loss="probit").fit(counts[:N], indicator[:N])
    assert {trial.c for trial in model.label_choice_.trials} == {16.0, 4.0, 1.0}
    assert model.label_choice_.class_weight is None


def test_few_documents_are_not_enough_to_choose():
    counts, y = of_classes(30, 3)
    model = MedLDA(**CHOOSING).fit(counts, y)
    assert (model.label_choice_.c, model.label_choice_.n_held_out) == (16.0, 0)
    assert "too few labelled documents" in str(model.label_choice_)
    assert (model.predict(counts) == y).mean() > 0.9
    assert not hasattr(model, "predict_proba")


def test_probabilities_of_the_hinge_loss_agree_with_predictions(one, several, classes, labels):
    counts, y = classes
    chances = one.predict_proba(counts[N:])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert (one.classes_[chances.argmax(axis=1)] == one.predict(counts[N:])).all()
    two = MedLDA(**CHOOSING).fit(counts[:N], y[:N] == 1)
    assert ((two.predict_proba(counts[N:])[:, 1] > 0.5) == two.predict(counts[N:])).all()
    assert ((several.predict_proba(labels[0][N:]) > 0.5) == labels[1][N:]).mean() > 0.85


@pytest.mark.parametrize("kind", ["binary", "multiclass", "multilabel"])
def test_probabilities_of_the_hinge_loss_are_calibrated(kind):
    """Three tenths of the labels are drawn at random: a model that is always sure is wrong for a fifth of them."""
    n_train, rng = 240, np.random.default_rng(3)
    counts, y = of_classes(2 * n_train, 3)
    y = np.where(rng.random(y.size) < 0.3, rng.integers(3, size=y.size), y)
    given = {"binary": y == 0, "multiclass": y, "multilabel": np.eye(3, dtype=int)[y]}[kind]
    model = MedLDA(**CHOOSING).fit(counts[:n_train], given[:n_train])
    chances, true = model.predict_proba(counts[n_train:]), given[n_train:]
    if kind == "multilabel":
        right, sure = (chances > 0.5) == true, np.maximum(chances, 1.0 - chances)
        assert chances.mean(axis=0) == pytest.approx(true.mean(axis=0), abs=0.08)
    else:
        right, sure = model.predict(counts[n_train:]) == true, chances.max(axis=1)
    assert sure.mean() == pytest.approx(right.mean(), abs=0.06)
    assert right.mean() < 0.95


def test_a_shared_curve_finds_the_probabilities_that_drew_the_classes():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4000, 5))
    for offset in (-30.0, 0.5):  # a softmax, and curves of their own
        curves = 1.0 / (1.0 + np.exp(-2.0 * values - offset))
        chances = curves / curves.sum(axis=1, keepdims=True)
        right = (chances.cumsum(axis=1) < rng.random((4000, 1))).sum(axis=1)
        slope, found = fit_shared_sigmoid(values, right)
        found_curves = 1.0 / (1.0 + np.exp(-slope * values - found))
        assert np.abs(found_curves / found_curves.sum(axis=1, keepdims=True) - chances).max() < 0.06


def test_a_second_fit_chooses_again(classes, labels):
    model = MedLDA(**CHOOSING).fit(labels[0][:N], labels[1][:N])
    model.fit(classes[0][:N], classes[1][:N])
    assert model.thresholds_ is None
    assert {one.c for one in model.label_choice_.trials} == {16.0, 4.0}


# Features beside topics -----------------------------------------------------------------------------------------------


def test_features_do_not_change_topics(classes):
    counts, y = classes
    fixed = CHOOSING | NOT_CHOSEN
    without, with_text = (
        MedLDA(**(fixed | {"features": features})).fit(counts[:N], y[:N]) for features in (None, "text")
    )
    assert (without.topic_word_ == with_text.topic_word_).all()
    assert (without.weights_ == with_text.weights_).all()
    assert (without.decision_function(counts) != with_text.decision_function(counts)).any()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda columns: columns.tolist()])
def test_columns_of_the_user_predict(form, classes):
    counts, y = classes
    rng = np.random.default_rng(0)
    columns = np.round(np.eye(3)[y] * 50 + rng.normal(size=(len(y), 3)) + 7, 3)
    shuffled = counts[rng.permutation(len(counts))]  # words that say nothing about the labels
    model = MedLDA(**(CHOOSING | NOT_CHOSEN | {"features": form(columns[:N])})).fit(shuffled[:N], y[:N])
    assert model.label_choice_.topic_share < 0.5
    assert (model.predict(shuffled[N:], features=form(columns[N:])) == y[N:]).mean() > 0.95
    assert model.predict_proba(shuffled[N:], features=form(columns[N:])).shape == (30, 3)


def test_a_blend_with_worse_labels_than_features_alone_is_not_used(classes, monkeypatch):
    counts, y = classes
    columns = np.eye(3)[y[:N]]
    shuffled = counts[np.random.default_rng(0).permutation(len(counts))]  # words that say nothing about the labels
    monkeypatch.setattr(choosing, "blend_weights", lambda parts, signs, kind: np.array([0.9, 0.1]))
    model = MedLDA(**(CHOOSING | NOT_CHOSEN | {"features": columns})).fit(shuffled[:N], y[:N])
    assert (model.label_choice_.topic_weight, model.label_choice_.feature_weight) == (0.0, 1.0)
    assert model.label_choice_.score == 1.0


def test_contributions_add_up(one, classes):
    counts, _ = classes
    why = one.explain(counts[N], top=100)
    score = one.decision_function(counts[N : N + 1])[0].max()
    assert why.score == pytest.approx(score)
    assert sum(push.push for push in why.features) == pytest.approx(why.by_features)
    assert why.by_topics + why.by_features == pytest.approx(score)
    assert sum(push.push for push in why.words) == pytest.approx(why.by_topics, abs=0.1)
    assert {push.feature for push in why.features} >= {"(intercept)"}
    head, *lines = str(why).split("\n")
    parts = [float(part) for part in re.findall(r"[+-]\d+\.\d+", head)]
    assert head == f"{why.label}: {parts[0]:+.3f} = {parts[1]:+.3f} by topics {parts[2]:+.3f} by the text classifier"
    assert parts == pytest.approx([score, why.by_topics, why.by_features], abs=6e-4)
    headings = [line for line in lines if not line.startswith(" ")]
    assert [heading.split(" (")[0] for heading in headings] == [
        "topics of the first chain", "words, through topics of all chains", "words, by the text classifier"
    ]  # fmt: skip
    assert "by the text classifier" in why._repr_html_()


def test_predictions_do_not_depend_on_threads_or_other_documents(several, labels):
    counts, indicator = labels
    threads = MedLDA(**CHOOSING, n_jobs=2, executor=Threads(2)).fit(counts[:N], indicator[:N])
    expected = several.decision_function(counts)
    assert threads.decision_function(counts).tobytes() == expected.tobytes()
    assert threads.label_choice_.trials == several.label_choice_.trials
    assert several.decision_function(counts[7:8]).tobytes() == expected[7:8].tobytes()


def test_a_saved_model_is_the_same(several, labels, tmp_path):
    loaded = plait.load(plait.save(several, tmp_path / "model.plait"))
    assert loaded.decision_function(labels[0]).tobytes() == several.decision_function(labels[0]).tobytes()
    assert (loaded.predict(labels[0]) == several.predict(labels[0])).all()
    assert str(loaded.label_choice_) == str(several.label_choice_)
    assert loaded.features == "text"


def test_a_stopped_fit_resumes_with_what_it_chose(classes, tmp_path, monkeypatch):
    counts, y = classes
    straight = MedLDA(**CHOOSING).fit(counts[:N], y[:N])
    n_short = 4 * (6 + 2)  # sweeps of the chains without the labels of a fold
    with monkeypatch.context() as patched:
        press_ctrl_c_in_sweep(n_short + 3, patched)
        stopped = MedLDA(**CHOOSING).fit(counts[:N], y[:N])
    assert stopped.interrupted_
    loaded = plait.load(plait.save(stopped, tmp_path / "model.plait"))
    for resumed in (stopped.resume(counts[:N], y[:N]), loaded.resume(counts[:N], y[:N])):
        assert resumed.decision_function(counts).tobytes() == straight.decision_function(counts).tobytes()


def test_a_stop_while_settings_are_chosen_stops_the_fit(classes, monkeypatch):
    press_ctrl_c_in_sweep(3, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        MedLDA(**CHOOSING).fit(classes[0][:N], classes[1][:N])


def test_a_clone_has_the_same_parameters():
    columns = np.arange(6.0).reshape(3, 2)
    assert clone(MedLDA(features="text", c="auto")).get_params()["c"] == "auto"
    assert (clone(MedLDA(features=columns)).features == columns).all()


def test_damaged_records_are_found(several):
    choice = several.label_choice_
    for damaged in (
        replace(choice, thresholds=choice.thresholds[:2]),
        replace(choice, features=replace(choice.features, machines=choice.features.machines[:, 1:])),
        replace(choice, features=replace(choice.features, kind="pixels")),
        replace(choice, topic_weight=float("nan")),
    ):
        with pytest.raises(PlaitError):
            damaged.check_sizes(3, labels_words(several))
    choice.check_sizes(3, labels_words(several))


def labels_words(model):
    return model.topic_word_.shape[1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"features": "words"}, "features must be None, 'text' or a matrix documents × features, not 'words'"),
        ({"features": 3}, "not 3"),
        ({"features": np.ones((4, 2))}, r"the shape \(4, 2\), but there are 90 documents; give a row per document"),
        ({"features": np.full((90, 1), np.nan)}, "NaN or infinite values; replace them"),
        ({"features": np.array([["a"]] * 90)}, "features must be numbers"),
        ({"c": "best"}, "c, the cost of a wrong value"),
        ({"threshold": "best"}, "threshold must be a number"),
    ],
)
def test_bad_parameters_are_named(parameters, message, classes):
    counts, y = classes
    with pytest.raises(PlaitError, match=message):
        MedLDA(**(CHOOSING | NOT_CHOSEN | parameters)).fit(counts[:N], y[:N])


def test_features_of_new_documents_must_fit(classes, one):
    counts, y = classes
    columns = np.random.default_rng(0).normal(size=(N, 2))
    model = MedLDA(**(CHOOSING | NOT_CHOSEN | {"features": columns})).fit(counts[:N], y[:N])
    with pytest.raises(PlaitError, match="fitted with 2 features of each document beside its words; give those of"):
        model.predict(counts)
    with pytest.raises(PlaitError, match="have 3 columns, but the model was fitted with 2"):
        model.predict(counts[:1], features=[[1, 2, 3]])
    with pytest.raises(PlaitError, match="uses features='text', which it computes itself"):
        one.predict(counts[:1], features=[[1]])
    plain = MedLDA(**(CHOOSING | NOT_CHOSEN)).fit(counts[:N], y[:N])
    with pytest.raises(PlaitError, match="was fitted without features; leave features out"):
        plain.predict(counts[:1], features=[[1]])


# Very many labels -----------------------------------------------------------------------------------------------------


@pytest.fixture
def few_learned(monkeypatch):
    monkeypatch.setattr("plait.models.labelling.choosing._MANY_LABELS", 2)
    monkeypatch.setattr("plait.models.labelling.choosing._LEARNED_LABELS", 2)


def test_chains_learn_the_most_frequent_of_very_many_labels(few_learned, labels, tmp_path):
    counts, indicator = labels[0], labels[1].copy()
    indicator[::2, 1] = 0  # the rarest label
    model = MedLDA(**CHOOSING).fit(counts[:N], indicator[:N])
    assert model.label_choice_.learned_tasks == (0, 2)
    assert "topics learn the 2 most frequent labels, text all" in str(model.label_choice_)
    assert (model.weights_[1] == 0).all()
    assert (model.weights_[[0, 2]] != 0).any(axis=1).all()
    assert (model.predict(counts[N:]) == indicator[N:])[:, [0, 2]].mean() > 0.85
    loaded = plait.load(plait.save(model, tmp_path / "model.plait"))
    assert loaded.decision_function(counts).tobytes() == model.decision_function(counts).tobytes()
    rare, frequent = model.explain(counts[N], 1), model.explain(counts[N], 2)
    assert (rare.topics, rare.words) == ([], [])
    assert rare.by_features == pytest.approx(model.decision_function(counts[N : N + 1])[0, 1])
    assert frequent.topics


def test_without_features_chains_learn_all_labels(few_learned, labels):
    model = MedLDA(**(CHOOSING | {"features": None})).fit(labels[0][:N], labels[1][:N])
    assert model.label_choice_.tasks is None
    assert (model.weights_ != 0).any(axis=1).all()


def test_curves_of_many_labels_are_those_of_each(labels):
    rng = np.random.default_rng(0)
    signs = np.where(rng.random((400, 4)) < [0.5, 0.1, 0.01, 0.0], 1, -1)
    signs[:5] = 0
    values = 0.3 * signs + 0.5 * rng.normal(size=signs.shape) + 2
    for found, expected in zip(fit_many_sigmoids(values, signs), fit_sigmoids(values, signs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
