"""Features drawn with the weights of topics, as a user meets them: values and labels, files, resuming, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars
import pytest
import scipy.sparse as sparse
from sklearn.base import clone

import plait
from plait import LabelResponse, MedLDA, OnlineLDA, PlaitError, SupervisedLDA, TopicModel, ValueResponse
from plait.inputs.features import FeatureMatrix
from tests.models.small import press_ctrl_c_in_sweep
from tests.models.test_supervised_lda import QUICK, WEIGHTS, simulated

CHAINS = {name: value for name, value in QUICK.items() if name != "n_topics"}


def with_covariate(n_documents=120, seed=0):
    """Documents whose value is the mean weight of their words, plus 3 per unit of the first of three features."""
    counts, values = simulated(n_documents, seed)
    rng = np.random.default_rng(seed + 50)
    extreme = counts[:, 9:].sum(axis=1) / counts.sum(axis=1)  # share of the topic with the largest weight
    covariate = 2.0 * extreme + rng.normal(size=n_documents)
    features = np.column_stack([covariate, 20.0 + 5.0 * rng.normal(size=n_documents), np.full(n_documents, 4.0)])
    return counts, features, values + 3.0 * covariate


COUNTS, FEATURES, VALUES = with_covariate()
NEW, NEW_FEATURES, NEW_VALUES = with_covariate(80, seed=1)


def fitted(features=FEATURES, **changes):
    return SupervisedLDA(**(QUICK | {"features": features} | changes)).fit(COUNTS, VALUES)


@pytest.fixture(scope="module")
def model():
    return fitted(pd.DataFrame(FEATURES, columns=["size", "age", "constant"]))


def test_planted_weights_of_features_and_topics_are_recovered(model):
    np.testing.assert_allclose(model.feature_weights_, [3.0, 0.0, 0.0], atol=0.2)
    assert model.feature_weights_[2] == 0.0  # a constant column
    mean = 3.0 * FEATURES[:, 0].mean()  # what dense columns are centred by
    # Every planted topic has three words; the weight of a word is that of the topics that it comes from.
    origin = model.topic_word_ * model.topic_share_[:, np.newaxis]
    by_word = (model.weights_ - mean) @ (origin / origin.sum(axis=0))
    np.testing.assert_allclose(by_word.reshape(4, 3).mean(axis=1), WEIGHTS, atol=0.6)
    assert model.score(NEW, NEW_VALUES, features=NEW_FEATURES) > 0.9
    without = SupervisedLDA(**QUICK).fit(COUNTS, VALUES)
    assert without.score(NEW, NEW_VALUES) < 0.7


def test_features_may_be_dense_or_sparse_and_their_unit_does_not_matter(model):
    dense = fitted().predict(NEW, features=NEW_FEATURES)
    np.testing.assert_array_equal(dense, model.predict(NEW, features=NEW_FEATURES))
    scaled = fitted(FEATURES * [4.0, 0.5, 2.0])  # powers of 2 lose no bits
    np.testing.assert_allclose(scaled.predict(NEW, features=NEW_FEATURES * [4.0, 0.5, 2.0]), dense, rtol=1e-9)
    np.testing.assert_allclose(scaled.feature_weights_ * [4.0, 0.5, 2.0], model.feature_weights_, atol=1e-9)
    thin = fitted(sparse.csc_array(FEATURES[:, :1]))
    assert thin.score(NEW, NEW_VALUES, features=sparse.coo_array(NEW_FEATURES[:, :1])) > 0.9


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame])
def test_columns_of_a_frame_are_found_by_name(model, frame):
    given = frame({"constant": NEW_FEATURES[:, 2], "age": NEW_FEATURES[:, 1], "size": NEW_FEATURES[:, 0]})
    np.testing.assert_array_equal(model.predict(NEW, features=given), model.predict(NEW, features=NEW_FEATURES))
    with pytest.raises(PlaitError, match=r"features have no column 'size'; the model was fitted with size, age, const"):
        model.predict(NEW, features=frame({"age": NEW_FEATURES[:, 1]}))


def test_an_explanation_adds_up(model):
    why = model.explain(NEW[0], features=NEW_FEATURES[:1])
    assert why.score == pytest.approx(model.predict(NEW[:1], features=NEW_FEATURES[:1])[0])
    assert [push.feature for push in why.features] == ["size", "age"]
    assert why.by_features == pytest.approx(sum(push.push for push in why.features))
    centred = NEW_FEATURES[0] - FEATURES.mean(axis=0)
    all_weights = np.mean([one.weights[0][0, 5:] for chain in model._chain_samples for one in chain], axis=0)
    expected = model._scale * (all_weights * model._value_features.factors) @ centred
    assert why.by_features == pytest.approx(expected)
    topics = sum(push.push for push in model.explain(NEW[0], features=NEW_FEATURES[:1], top=100).words)
    assert why.score == pytest.approx(model._center + why.by_features + topics, abs=0.5)
    assert why.offset == pytest.approx(model._center)
    assert why.score == pytest.approx(why.by_topics + why.by_features + why.offset)
    assert f"{why.by_features:+.3f} by the features {why.offset:+.3f} mean of the training documents" in str(why)


def test_predictions_average_the_samples(model):
    total, n_samples = 0.0, 0
    scaled = (NEW_FEATURES - FEATURES.mean(axis=0)) * model._value_features.factors
    documents = model._documents(NEW, "predict")
    for _, sample, mean_topics in model._chains().mean_topics(documents):
        total = total + mean_topics @ sample.weights[0][0, :5] + scaled @ sample.weights[0][0, 5:]
        n_samples += 1
    expected = model._center + model._scale * total / n_samples
    np.testing.assert_allclose(model.predict(NEW, features=NEW_FEATURES), expected, rtol=1e-10)
    np.testing.assert_array_equal(
        model.predict(NEW, features=NEW_FEATURES), model.predict_values(NEW, features=NEW_FEATURES)
    )


@pytest.mark.parametrize("given", [FEATURES, sparse.csr_matrix(FEATURES), pd.DataFrame(FEATURES, columns=list("abc"))])
def test_a_saved_model_answers_the_same(given, tmp_path):
    before = fitted(given)
    again = plait.load(plait.save(before, tmp_path / "model.plait"))
    for one in (again, plait.load(plait.save(again, tmp_path / "again.plait"))):
        np.testing.assert_array_equal(
            one.predict(NEW, features=NEW_FEATURES), before.predict(NEW, features=NEW_FEATURES)
        )
        why, told = (each.explain(NEW[0], features=NEW_FEATURES[:1]) for each in (one, before))
        assert why == told
    assert clone(again).fit(COUNTS, VALUES).feature_weights_.tobytes() == before.feature_weights_.tobytes()


def combined(**changes):
    # All labels are of one document with the features that speak for them.
    responses = [
        ValueResponse(features=FEATURES),
        LabelResponse(c=1.0, loss="logistic", features=pd.DataFrame(FEATURES, columns=list("abc")), **changes),
    ]
    return TopicModel(5, responses=responses, **CHAINS)


CLASSES = (np.median(VALUES) < VALUES).astype(int)


@pytest.mark.parametrize("calibrate", [0.0, 0.3])
def test_labels_and_values_with_features_are_predicted_and_saved(calibrate, tmp_path):
    model = combined(calibrate=calibrate).fit(COUNTS, CLASSES, values=VALUES)
    truth = (np.median(VALUES) < NEW_VALUES).astype(int)
    assert model.score(NEW, truth, features=NEW_FEATURES) > 0.85
    assert model.label_feature_weights_[0, 0] > 0.5
    np.testing.assert_allclose(model.value_feature_weights_, [3.0, 0.0, 0.0], atol=0.2)
    chances = model.predict_proba(NEW, features=NEW_FEATURES)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    why = model.explain(NEW[0], label=0, features=NEW_FEATURES[:1])
    assert why.score == pytest.approx(-model.decision_function(NEW[:1], features=NEW_FEATURES[:1])[0])
    assert why.features[0].feature == "a"
    again = plait.load(plait.save(model, tmp_path / "model.plait"))
    assert again.responses == model.responses
    np.testing.assert_array_equal(again.predict_proba(NEW, features=NEW_FEATURES), chances)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_no_bit(n_jobs):
    one, other = (
        combined().set_params(n_shards=3, n_jobs=jobs).fit(COUNTS, CLASSES, values=VALUES) for jobs in (1, n_jobs)
    )
    for name in ("topic_word_", "label_feature_weights_", "value_feature_weights_", "label_weights_"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.parametrize("in_checkpoint", [False, True])
def test_an_interrupted_fit_resumes_to_the_same_bits(in_checkpoint, tmp_path, monkeypatch):
    frame = pd.DataFrame(FEATURES, columns=list("abc"))
    straight = fitted(frame)
    path = tmp_path / "model.plait"
    press_ctrl_c_in_sweep(30, monkeypatch)
    stopped = SupervisedLDA(**QUICK, features=frame)
    stopped.fit(COUNTS, VALUES, **({"checkpoint": path, "checkpoint_every": 5} if in_checkpoint else {}))
    assert stopped.interrupted_
    monkeypatch.undo()
    if not in_checkpoint:
        plait.save(stopped, path)
    resumed = plait.load(path).resume(COUNTS, VALUES)
    assert resumed.feature_weights_.tobytes() == straight.feature_weights_.tobytes()
    assert (
        resumed.predict(NEW, features=NEW_FEATURES).tobytes() == straight.predict(NEW, features=NEW_FEATURES).tobytes()
    )
    other = plait.load(path)
    other.features = FEATURES + 1.0
    with pytest.raises(PlaitError, match="features was array"):
        other.resume(COUNTS, VALUES)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (FEATURES[:50], r"features have the shape \(50, 3\), but there are 120 documents; give a row per document"),
        (np.where(FEATURES > 30, np.nan, FEATURES), "features have NaN or infinite values; replace them first"),
        (FEATURES[:, :0], "features have 0 columns"),
        (FEATURES[:, 0], "features must be None or a matrix documents × features, not ndarray"),
        ("text", "features must be None or a matrix documents × features, not 'text'"),
        (pd.DataFrame({"a": ["x"] * 120}), "features must be numbers"),
        (sparse.csr_array((120, 20_000)), "features have 20,000 columns, and their weights are drawn together"),
    ],
)
def test_features_that_cannot_work_are_refused_before_any_work(features, message):
    with pytest.raises(PlaitError, match=message) as caught:
        fitted(features)
    assert caught.value.parameter == "features"


def test_features_of_new_documents_must_fit(model):
    with pytest.raises(PlaitError, match=r"was fitted with 3 features of each document .* give those of the new doc"):
        model.predict(NEW)
    with pytest.raises(PlaitError, match="features have 2 columns, but the model was fitted with 3"):
        model.predict(NEW, features=NEW_FEATURES[:, :2])
    with pytest.raises(PlaitError, match="was fitted without features; leave features out"):
        fitted(None).predict(NEW, features=NEW_FEATURES)


@pytest.mark.parametrize("feature_nu", [0.0, -1.0, np.inf, "wide"])
def test_a_prior_of_features_that_is_none_is_refused(feature_nu):
    with pytest.raises(PlaitError, match="feature_nu, the standard deviation of the features' prior, must be a number"):
        fitted(feature_nu=feature_nu)


def test_streams_refuse_features():
    with pytest.raises(PlaitError, match="features= is one matrix for all training documents, and a stream learns"):
        OnlineLDA(3, responses=[ValueResponse(features=FEATURES)], verbose=False).partial_fit(COUNTS, values=VALUES)


def test_medlda_combines_its_features_after_the_chains():
    assert MedLDA(features=FEATURES)._response("labels").features is None
    assert LabelResponse(features=FEATURES) == LabelResponse(features=FEATURES.copy()) != LabelResponse()
    assert LabelResponse(features=FEATURES) != LabelResponse(features=FEATURES + 1.0)
    assert repr(FeatureMatrix(FEATURES)) == "FeatureMatrix(120 × 3)"
    assert hash(LabelResponse(features=FEATURES)) == hash(LabelResponse(features=FEATURES.copy()))


def test_a_document_without_words_informs_the_weights_of_features():
    counts, values = COUNTS.copy(), VALUES.copy()
    counts[:100] = 0
    with_empty = SupervisedLDA(**QUICK, features=FEATURES).fit(counts, values)
    assert abs(with_empty.feature_weights_[0] - 3.0) < 1.0
