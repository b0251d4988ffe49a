"""TopicModel: every combination of responses, samplers and priors fits, predicts, is saved and goes on; the named
models are special cases of it, to the bit."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import clone, is_classifier
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import plait
from plait import (
    LDA,
    Corpus,
    LabelResponse,
    LinkedDocuments,
    LinkedLDA,
    LinkResponse,
    MedLDA,
    OwnDocument,
    PlaitError,
    RelationalTopicModel,
    SupervisedLDA,
    SymmetricPrior,
    TablePrior,
    TopicModel,
    ValueResponse,
)
from plait.responses.calibration import fit_sigmoids, set_aside_labels
from plait.responses.linear.targets import ChainTargets
from tests.models.linked import of_links
from tests.models.small import NAMES, NOT_CHOSEN, QUICK, WORDS, as_corpus, of_classes, press_ctrl_c_in_sweep

# Sweeps of these samplers are compiled for few tests.
pytestmark = pytest.mark.slow_with("aggregated", "sparse", "limit", "synchronous")

SHORT = {"n_topics": 3, "n_sweeps": 4, "n_samples": 2, "sample_every": 1, "fold_in_sweeps": 3, "n_shards": 2}
COUNTS, LINKS = of_links(36)
NUMBERS = np.arange(36) % 3
CLASSES = NAMES[NUMBERS]
VALUES = 2.5 * NUMBERS
NEW = of_classes(9, 3, seed=1)[0]
GIVEN = {"labels": {"y": CLASSES}, "values": {"values": VALUES}, "links": {"links": LINKS}}
GIVEN["influence"] = GIVEN["links"]
RESPONSES = {"labels": LabelResponse(), "values": ValueResponse(), "links": LinkResponse(weights_every=2)}
SUBSETS = [
    (),
    ("labels",),
    ("values",),
    ("links",),
    ("labels", "links"),
    ("links", "values"),
    ("values", "labels", "links"),
]
INFLUENCED = [("influence",), ("labels", "influence"), ("links", "influence"), ("labels", "links", "influence")]
SAMPLERS = ["plain", "aggregated", "limit", "sparse(2)", "aggregated_sparse(2)"]
PRIORS = ["symmetric", "table"]
COMBINATIONS = [*product(SUBSETS, SAMPLERS, PRIORS), *product(INFLUENCED, SAMPLERS, PRIORS[:1])]
# Each sampler compiles its sweep for each kind of response and prior, which takes longer than the tests.
# Sweeps of plain are compiled for all of them, except that over linked documents with labels alone.
BY_SPEED = [
    pytest.param((kinds, sampler, prior), id=str((kinds, sampler, prior)), marks=() if quick else pytest.mark.slow)
    for kinds, sampler, prior in COMBINATIONS
    for quick in [sampler == "plain" and kinds != ("labels", "influence")]
]
NEW_LINKS = LINKS[:9]
ANSWERS = {
    "labels": [lambda model: model.decision_function(NEW), lambda model: model.predict(NEW).astype("U9")],
    "values": [lambda model: model.predict_values(NEW)],
    "links": [
        lambda model: model.score_links(NEW, "to"),
        lambda model: model.score_pairs([(0, 1), (5, 2)]),
        lambda model: model.predict_words(None, LINKS[:2]),
    ],
    "influence": [
        lambda model: model.influence_.toarray(),
        lambda model: model.source_topic_,
        lambda model: model.transform(NEW, links=NEW_LINKS),
        lambda model: model.infer_influence(NEW, NEW_LINKS).toarray(),
    ],
}


def given_for(kinds):
    return {name: value for kind in kinds for name, value in GIVEN[kind].items()}


def model_of(kinds, sampler="plain", prior="symmetric", **changes):
    table = 0.02 + 0.05 * (np.arange(len(WORDS)) % 3)
    settings = {
        "responses": [RESPONSES[kind] for kind in kinds if kind != "influence"],
        "mixing": LinkedDocuments(0.2, p=4.0, most_links=4) if "influence" in kinds else None,
        "prior": TablePrior(table) if prior == "table" else SymmetricPrior(0.05),
        "sampler": sampler,
    }
    return TopicModel(**(QUICK | SHORT | settings | changes))


@cache
def fitted(*combination):
    return model_of(*combination).fit(COUNTS, **given_for(combination[0]))


def assert_same(one, other, kinds):
    """Assert that two models have learned and answer the same, to the bit."""
    assert one.topic_word_.tobytes() == other.topic_word_.tobytes()
    assert one.doc_topic_.tobytes() == other.doc_topic_.tobytes()
    assert one.transform(NEW).tobytes() == other.transform(NEW).tobytes()
    for kind in kinds:
        if kind != "influence":
            name = kind.removesuffix("s") + "_weights_"
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
        for answer in ANSWERS[kind]:
            assert answer(one).tobytes() == answer(other).tobytes()


def assert_same_with_links(one, other):
    """Assert the same of what two models tell of new documents whose links are known, and that links matter."""
    values = one.decision_function(NEW, links=NEW_LINKS)
    assert values.tobytes() == other.decision_function(NEW, links=NEW_LINKS).tobytes()
    assert values.tobytes() != one.decision_function(NEW).tobytes()
    assert one.predict(NEW, links=NEW_LINKS).tolist() == other.classes_[values.argmax(axis=1)].tolist()
    assert one.predict_labels(NEW, links=NEW_LINKS) == other.predict_labels(NEW, links=NEW_LINKS)


@pytest.mark.slow
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_every_combination_is_the_same_for_any_number_of_threads_and_when_loaded(combination, tmp_path):
    kinds = combination[0]
    model = fitted(*combination)
    assert np.isfinite(model.transform(NEW)).all()
    assert_same(model_of(*combination, n_jobs=2).fit(COUNTS, **given_for(kinds)), model, kinds)
    loaded = plait.load(plait.save(model, tmp_path / "model.plait"))
    assert loaded.responses == model.responses
    assert_same(loaded, model, kinds)
    if {"labels", "influence"} <= set(kinds):
        for one, other in ((loaded, model), (model_of(*combination).fit(COUNTS, **given_for(kinds)), model)):
            assert_same_with_links(one, other)


@pytest.mark.parametrize("combination", BY_SPEED)
def test_every_combination_goes_on_to_the_same_bits(combination, tmp_path, monkeypatch):
    kinds = combination[0]
    press_ctrl_c_in_sweep(6 if kinds else 2, monkeypatch)  # with responses or influence, that is in the second chain
    stopped = model_of(*combination).fit(COUNTS, **given_for(kinds))
    monkeypatch.undo()
    assert stopped.interrupted_
    loaded = plait.load(plait.save(stopped, tmp_path / "model.plait"))
    assert_same(loaded.resume(COUNTS, **given_for(kinds)), fitted(*combination), kinds)


@pytest.mark.parametrize("kinds", [("labels", "values", "links"), ("links", "values", "labels")], ids=str)
def test_all_at_once_are_learned_in_any_order_and_each_weighs_with_its_own(kinds):
    counts, links = of_links(90)
    numbers = np.arange(90) % 3
    settings = {"n_topics": 5, "n_sweeps": 25, "fold_in_sweeps": 12, "n_shards": None}
    model = model_of(kinds, **settings).fit(counts, NAMES[numbers], values=10.0 * numbers, links=links)
    new, truth = of_classes(30, 3, seed=1)
    assert (model.predict(new) == NAMES[truth]).mean() > 0.85
    assert np.corrcoef(model.predict_values(new), truth)[0, 1] > 0.8
    likely = np.isin(3 * truth[:, np.newaxis] + numbers, [1, 8])  # finance cites nature, sport cites sport
    assert roc_auc_score(likely.ravel(), model.score_links(new, "to").ravel()) > 0.8
    words = model.predict_words(None, (numbers == 2).astype(float)[np.newaxis])[0]  # of one that sport is linked with
    assert words[8:12].sum() > 2 * words[:8].sum()
    assert model.label_weights_.shape == (3, 5)
    assert model.value_weights_.shape == (5,)
    assert model.link_weights_.shape == (5, 5)
    np.testing.assert_array_equal(model.weights_table().drop("topic").to_numpy(), model.link_weights_)
    document = counts[1]
    label, number = model.explain(document), model.explain_value(document)
    assert label.label == "nature"
    assert label.score == pytest.approx(model.decision_function(counts[1:2]).max())
    assert number.score == pytest.approx(model.predict_values(counts[1:2])[0])
    for push in number.topics:
        assert push.weight == pytest.approx(model.value_weights_[push.topic] - model._center)
    for push in label.topics:
        assert push.weight == pytest.approx(model.label_weights_[1, push.topic])


# The named models are special cases.


def of_named(model):
    return {name: value for name, value in (QUICK | SHORT).items() if name in model().get_params()}


@pytest.mark.parametrize("sampler", ["plain", "limit"])
@pytest.mark.parametrize(
    "changes", [{}, {"loss": "logistic", "c": 2.0}, {"calibrate": 0.4, "class_weight": "balanced"}]
)
def test_medlda_is_a_special_case(sampler, changes):
    named = MedLDA(**NOT_CHOSEN | of_named(MedLDA) | changes, sampler=sampler).fit(COUNTS, CLASSES)
    model = TopicModel(
        **QUICK | SHORT, sampler=sampler, mixing=OwnDocument(4 / 3), responses=[LabelResponse(**changes)]
    ).fit(COUNTS, CLASSES)
    assert model.topic_word_.tobytes() == named.topic_word_.tobytes()
    assert model.label_weights_.tobytes() == named.weights_.tobytes()
    assert model.decision_function(NEW).tobytes() == named.decision_function(NEW).tobytes()
    assert model.predict_labels(NEW) == named.predict_labels(NEW)
    assert str(model.explain(NEW[0])) == str(named.explain(NEW[0]))
    assert model.score(COUNTS, CLASSES) == named.score(COUNTS, CLASSES)
    assert hasattr(model, "predict_proba") == bool(changes)
    if changes:
        assert model.predict_proba(NEW).tobytes() == named.predict_proba(NEW).tobytes()


def test_several_labels_a_document_and_their_threshold_are_as_in_medlda():
    indicator = np.column_stack([NUMBERS == 0, NUMBERS < 2]).astype(int)
    named = MedLDA(**NOT_CHOSEN | of_named(MedLDA) | {"threshold": -0.1}).fit(COUNTS, indicator)
    model = TopicModel(**QUICK | SHORT, mixing=OwnDocument(4 / 3), responses=[LabelResponse(threshold=-0.1)])
    assert model.fit(COUNTS, indicator).multilabel_
    np.testing.assert_array_equal(model.predict(COUNTS), named.predict(COUNTS))
    assert model.predict_labels(COUNTS) == named.predict_labels(COUNTS)


@pytest.mark.parametrize("sampler", ["plain", "limit"])
def test_supervised_lda_is_a_special_case(sampler):
    numbers = [None, *VALUES[1:]]
    named = SupervisedLDA(**of_named(SupervisedLDA), sampler=sampler, sigma=0.5).fit(COUNTS, numbers)
    responses = [ValueResponse(sigma=0.5)]
    model = TopicModel(**QUICK | SHORT, sampler=sampler, mixing=OwnDocument(4 / 3), responses=responses)
    model.fit(COUNTS, values=numbers)
    assert model.topic_word_.tobytes() == named.topic_word_.tobytes()
    assert model.value_weights_.tobytes() == named.weights_.tobytes()
    assert model.predict(NEW).tobytes() == model.predict_values(NEW).tobytes() == named.predict(NEW).tobytes()
    assert str(model.explain_value(NEW[0])) == str(named.explain(NEW[0]))
    assert model.n_without_value_ == named.n_unlabelled_ == 1


@pytest.mark.parametrize("sampler", ["plain", "limit"])
@pytest.mark.parametrize(
    "changes", [{}, {"form": "diagonal", "loss": "hinge"}, {"directed": False}, {"form": "low_rank(1)"}]
)
def test_the_relational_topic_model_is_a_special_case(sampler, changes):
    named = RelationalTopicModel(**of_named(RelationalTopicModel), pair_features=None, sampler=sampler, **changes)
    named.fit(COUNTS, links=LINKS)
    settings = {"sampler": sampler, "mixing": OwnDocument(0.25), "prior": SymmetricPrior(0.1)}
    model = TopicModel(**QUICK | SHORT, **settings, responses=[LinkResponse(**changes)]).fit(COUNTS, links=LINKS)
    assert model.topic_word_.tobytes() == named.topic_word_.tobytes()
    assert model.link_weights_.tobytes() == named.weights_.tobytes()
    for answer in ANSWERS["links"]:
        assert answer(model).tobytes() == answer(named).tobytes()
    assert model.suggest_links(NEW, 3) == named.suggest_links(NEW, 3)
    assert model.suggest_missing_links([0, 1], 3) == named.suggest_missing_links([0, 1], 3)
    assert model.topic_links() == named.topic_links()
    for name in ("directed_", "n_links_", "n_negatives_", "n_self_links_", "n_unlinked_"):
        assert getattr(model, name) == getattr(named, name)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_lda_is_a_special_case(sampler):
    learning = {"sampler": sampler, "learn_alpha": True, "learn_beta": True, "n_sweeps": 12}
    named = LDA(**of_named(LDA) | learning, tolerance=0.0).fit(COUNTS)
    model = TopicModel(**QUICK | SHORT | learning).fit(COUNTS)
    assert model.topic_word_.tobytes() == named.topic_word_.tobytes()
    assert model.transform(NEW).tobytes() == named.transform(NEW).tobytes()
    assert model.score(NEW) == named.score(NEW)
    assert model.n_sweeps_ == named.n_sweeps_  # one chain, whatever n_chains says


@pytest.mark.parametrize(
    "changes", [{}, {"p": 2.0, "most_links": 2}, {"direction": "both", "most_links": None}], ids=str
)
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_linked_lda_is_a_special_case(sampler, changes):
    learning = {"sampler": sampler, "learn_alpha": True, "n_sweeps": 12}
    named = LinkedLDA(**of_named(LinkedLDA) | learning, alpha=0.3, tolerance=0.0, **changes).fit(COUNTS, links=LINKS)
    model = TopicModel(**QUICK | SHORT | learning, mixing=LinkedDocuments(0.3, **changes)).fit(COUNTS, links=LINKS)
    assert model.topic_word_.tobytes() == named.topic_word_.tobytes()
    for answer in ANSWERS["influence"]:
        assert answer(model).tobytes() == answer(named).tobytes()
    assert model.influencers(3) == named.influencers(3)
    assert model.most_influential() == named.most_influential()
    assert model.perplexity(NEW, links=NEW_LINKS) == named.perplexity(NEW, links=NEW_LINKS)
    assert (model.n_cut_links_, model.n_self_links_) == (named.n_cut_links_, named.n_self_links_)
    assert model.n_sweeps_ == named.n_sweeps_ == 2 * 13  # two chains, as influence is averaged


# Words that draw from linked documents, with responses.


def test_influence_of_several_chains_is_averaged_and_topics_are_the_first_ones():
    model = model_of(("labels", "influence"), n_chains=3).fit(COUNTS, CLASSES, links=LINKS)
    first = model_of(("labels", "influence"), n_chains=1).fit(COUNTS, CLASSES, links=LINKS)
    assert model.source_topic_.tobytes() == first.source_topic_.tobytes()
    assert model.influence_.data.tobytes() != first.influence_.data.tobytes()
    np.testing.assert_allclose(model.influence_.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(model.influence_.indices, first.influence_.indices)


def test_labels_are_told_with_the_help_of_links():
    """Documents of few words, or none that is known, are told by whom they link to."""
    counts, groups = of_classes(90, 3)
    same_group = (groups[:, np.newaxis] == groups) & (np.random.default_rng(0).random((90, 90)) < 0.2)
    np.fill_diagonal(same_group, 0)
    model = model_of(("labels", "influence"), n_topics=5, n_sweeps=25, fold_in_sweeps=12, n_shards=None)
    model.fit(counts, NAMES[groups], links=same_group)
    truth = np.arange(30) % 3
    to_their_group = (truth[:, np.newaxis] == groups).astype(float)
    for new, least in ((0 * counts[:30], 0.9), (of_classes(30, 3, seed=1, own=0.25, length=5)[0], 0.8)):
        told = [(model.predict(new, links=links) == NAMES[truth]).mean() for links in (None, to_their_group)]
        assert [model.score(new, NAMES[truth], links=links) for links in (None, to_their_group)] == told
        assert told[1] > max(least, told[0] + 0.05)


def calibrated(mixing=None, **changes):
    mixing = LinkedDocuments(0.2, p=4.0, most_links=4) if mixing is None else mixing
    return model_of(("labels",), mixing=mixing, responses=[LabelResponse(calibrate=0.4)], **changes)


def set_aside(model):
    """Which labels calibration sets aside, and what they are: 1 or −1 for each class."""
    signs = np.where(CLASSES[:, np.newaxis] == model.classes_, 1, -1).astype(np.int8)
    hidden = np.flatnonzero((set_aside_labels(signs, 0.4) == 0).any(axis=1))
    assert hidden.size == 14
    return hidden, signs[hidden]


def chances_by(curves, values):
    slopes, offsets = curves
    found = 1 / (1 + np.exp(-(slopes * values + offsets)))
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("sampler", ["plain", pytest.param("limit", marks=pytest.mark.slow)])
@pytest.mark.parametrize("direction", ["out", "in", "both"])
def test_probabilities_with_links_are_learned_from_values_with_links(direction, sampler):
    links = 2 * LINKS.toarray() + np.eye(36)  # links of documents to themselves say nothing
    model = calibrated(LinkedDocuments(0.2, p=1.0, direction=direction), sampler=sampler)
    model.fit(COUNTS, CLASSES, links=links)
    along = {"out": links, "in": links.T, "both": np.maximum(links, links.T)}[direction] * (1 - np.eye(36))
    hidden, signs = set_aside(model)
    slopes = []
    for given, new_links in ((None, None), (along[hidden], NEW_LINKS)):
        curves = fit_sigmoids(model.decision_function(COUNTS[hidden], links=given), signs)
        expected = chances_by(curves, model.decision_function(NEW, links=new_links))
        np.testing.assert_allclose(model.predict_proba(NEW, links=new_links), expected, rtol=1e-12)
        slopes.append(curves[0])
    assert np.abs(slopes[1] / slopes[0] - 1).max() > 0.01


def test_probabilities_with_links_are_the_same_when_loaded_and_when_gone_on_with(tmp_path, monkeypatch):
    whole = calibrated().fit(COUNTS, CLASSES, links=LINKS)
    press_ctrl_c_in_sweep(6, monkeypatch)
    stopped = calibrated().fit(COUNTS, CLASSES, links=LINKS)
    monkeypatch.undo()
    assert stopped.interrupted_
    loaded = plait.load(plait.save(stopped, tmp_path / "stopped.plait"))
    for links in (None, NEW_LINKS):
        assert loaded.predict_proba(NEW, links=links).tobytes() == stopped.predict_proba(NEW, links=links).tobytes()
    loaded.resume(COUNTS, CLASSES, links=LINKS)
    again = plait.load(plait.save(whole, tmp_path / "whole.plait"))
    for links in (None, NEW_LINKS):
        for other in (loaded, again):
            assert other.predict_proba(NEW, links=links).tobytes() == whole.predict_proba(NEW, links=links).tobytes()


def test_probabilities_of_a_model_that_follows_no_links_are_learned_from_words():
    model = calibrated().fit(COUNTS, CLASSES, links=LINKS)
    model.set_params(mixing=OwnDocument(0.2)).fit(COUNTS, CLASSES)
    hidden, signs = set_aside(model)
    curves = fit_sigmoids(model.decision_function(COUNTS[hidden]), signs)
    np.testing.assert_allclose(model.predict_proba(NEW), chances_by(curves, model.decision_function(NEW)), rtol=1e-12)
    assert model._linked_sigmoids is None  # those of the earlier fit are forgotten


def test_links_feed_the_response_and_the_mixing_from_one_place():
    corpus = Corpus.from_matrix(sparse.csr_array(COUNTS), vocabulary=WORDS, labels=list(CLASSES), links=LINKS)
    kinds = ("labels", "links", "influence")
    assert_same(model_of(kinds).fit(corpus), fitted(kinds), kinds)


def test_influence_is_there_where_words_draw_from_linked_documents():
    names = ("influencers", "most_influential", "strongest_links", "infer_influence")
    own, linked = model_of(("labels",)), model_of(("labels", "influence"))
    for name in names:
        assert hasattr(linked, name)
        with pytest.raises(AttributeError) as caught:
            getattr(own, name)
        assert "drawn from their own document only" in str(caught.value.__cause__)
    own.fit(COUNTS, CLASSES)
    assert not hasattr(own, "influence_")
    for answer in (own.transform, own.predict, own.decision_function, own.perplexity):
        with pytest.raises(PlaitError, match="links= is only used with LinkedDocuments mixing"):
            answer(NEW, links=NEW_LINKS)


def test_a_new_fit_forgets_influence():
    model = model_of(("links", "influence")).fit(COUNTS, links=LINKS)
    model.set_params(mixing=None).fit(COUNTS, links=LINKS)
    assert set(vars(model)) == set(vars(fitted(("links",))))
    model.set_params(mixing=LinkedDocuments(), responses=[]).fit(COUNTS, links=LINKS)
    assert model.n_self_links_ == 0
    assert not hasattr(model, "link_weights_")
    assert not hasattr(model, "directed_")


@pytest.mark.parametrize(
    ("kinds", "given", "message"),
    [
        (("influence",), {}, "a matrix of counts has no links; give links="),
        (("labels", "influence"), {"y": CLASSES}, "a matrix of counts has no links; give links="),
        (("influence",), {"links": LINKS[:5]}, "links is 5 × 36"),
        (("influence",), {"links": np.eye(36)}, "there are no links other than 36 self-links"),
        (("influence",), {"links": -LINKS}, "is -1.0; the weight of a link"),
    ],
)
def test_links_for_influence_that_are_missing_or_wrong_are_said(kinds, given, message):
    with pytest.raises(PlaitError, match=message):
        model_of(kinds).fit(COUNTS, **given)


@pytest.mark.parametrize("kinds", INFLUENCED, ids=str)
def test_other_links_are_no_going_on_where_they_carry_influence(kinds, monkeypatch):
    press_ctrl_c_in_sweep(2, monkeypatch)
    stopped = model_of(kinds).fit(COUNTS, **given_for(kinds))
    with pytest.raises(PlaitError, match="not the documents that the fit began with"):
        stopped.resume(COUNTS, **given_for(kinds) | {"links": LINKS.T})


# What is given, and from where.


def test_labels_and_links_fall_back_to_those_of_the_corpus():
    corpus = Corpus.from_matrix(sparse.csr_array(COUNTS), vocabulary=WORDS, labels=list(CLASSES), links=LINKS)
    kinds = ("labels", "links")
    assert_same(model_of(kinds).fit(corpus), fitted(kinds), kinds)
    other = model_of(kinds).fit(corpus, CLASSES[::-1], links=LINKS.T)
    assert other.topic_word_.tobytes() != fitted(kinds).topic_word_.tobytes()
    assert (other.links_ != sparse.csr_array(LINKS.T)).nnz == 0


def test_y_is_not_used_without_responses_as_in_pipelines():
    plain = model_of(()).fit(COUNTS)
    assert model_of(()).fit(COUNTS, CLASSES).topic_word_.tobytes() == plain.topic_word_.tobytes()
    assert make_pipeline(model_of(())).fit_transform(COUNTS, CLASSES).shape == (36, 3)


@pytest.mark.parametrize(
    ("kinds", "given", "message"),
    [
        (("links",), {"y": CLASSES, "links": LINKS}, "y is given, but no response explains labels: add LabelResponse"),
        (("values",), {"y": VALUES}, "leave y out, or give numbers by values="),
        ((), {"values": VALUES}, r"values is given, but no response explains values: add ValueResponse\(\)"),
        (("labels",), {"y": CLASSES, "links": LINKS}, r"links is given, but no response explains links: add LinkResp"),
        (("labels",), {}, "fit requires y to be passed"),
        (("labels", "links"), {"links": LINKS}, "fit requires y to be passed"),
        (("values",), {}, "fit requires values to be passed, but the target values is None; give one number"),
        (("values",), {"values": VALUES[1:]}, "values has values for 35 documents, but there are 36"),
        (
            ("values",),
            {"values": [*VALUES[1:], "high"]},
            "values: document 35 .* has .high.; a regression needs numbers",
        ),
        (("values",), {"values": 3}, r"values is 3 \(int\)"),
        (("links",), {}, "a matrix of counts has no links; give links="),
        (("labels", "links"), {"y": CLASSES}, "a matrix of counts has no links; give links="),
        (("links",), {"links": LINKS[:5]}, "links is 5 × 36"),
    ],
)
def test_what_is_missing_too_much_or_wrong_is_said(kinds, given, message):
    with pytest.raises(PlaitError, match=message):
        model_of(kinds).fit(COUNTS, **given)


def test_a_corpus_without_labels_or_links_is_no_source_of_them():
    with pytest.raises(PlaitError, match="the corpus has no labels"):
        model_of(("labels",)).fit(as_corpus(COUNTS))
    with pytest.raises(PlaitError, match="the corpus has no links"):
        model_of(("links",)).fit(as_corpus(COUNTS))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"responses": [LabelResponse(), LinkResponse(), LabelResponse(c=2)]},
            r"\[0\] and responses\[2\] both explain l",
        ),
        ({"responses": [LabelResponse]}, r"responses\[0\] is the class LabelResponse; give LabelResponse\(\)"),
        ({"responses": ["labels"]}, r"responses\[0\] is 'labels', which is none of LabelResponse\(\), LinkResp"),
        ({"responses": [ChainTargets]}, r"responses\[0\] is .*ChainTargets.*, which is none of LabelResponse\(\)"),
        ({"responses": LabelResponse()}, "responses must be a list"),
        ({"responses": "labels"}, "responses must be a list"),
        ({"responses": None}, "responses must be a list"),
        ({"responses": [LabelResponse(c=0)]}, "c, the cost of a wrong value, must be a number above 0, not 0"),
        ({"responses": [LabelResponse(nu=-1)]}, "nu, the standard deviation of the weights' prior, must be"),
        ({"responses": [LabelResponse(loss="square")]}, "loss must be 'hinge' or 'logistic' or 'probit', not 'square'"),
        ({"responses": [LabelResponse(threshold=1)]}, "threshold applies only to documents with several labels"),
        ({"responses": [LabelResponse(), ValueResponse(sigma=0)]}, "sigma, the standard deviation of the noise,"),
        ({"responses": [LabelResponse(), LinkResponse(form="half")]}, "form must be 'full', 'diagonal', or"),
        ({"responses": [LinkResponse(), LabelResponse()], "n_topics": 91}, "91 topics have 8,281 weights"),
        (
            {"mixing": 0.1},
            r"mixing must be None or a mixing such as OwnDocument\(0.1\) or LinkedDocuments\(\), not 0.1",
        ),
        ({"mixing": OwnDocument}, "mixing must be None or a mixing"),
        ({"mixing": OwnDocument(0)}, "alpha must lie between"),
        ({"mixing": OwnDocument([1, 2])}, "give one number, or one for each of 3 topics"),
        ({"mixing": LinkedDocuments(p=0)}, "p, by which a document's length is divided"),
        ({"mixing": LinkedDocuments(most_links=0)}, "most_links must be a whole number"),
        ({"mixing": LinkedDocuments(direction="up")}, "direction must be one of"),
        ({"prior": 0.1}, "prior must be None or a prior such as SymmetricPrior"),
        ({"prior": TablePrior}, "prior must be None or a prior such as SymmetricPrior"),
        ({"prior": TablePrior([0.1, 0.2])}, "beta has the shape"),
        ({"prior": TablePrior(np.ones(len(WORDS))), "learn_beta": True}, r"give beta \(or the prior\) as a numb"),
        ({"cached": "no"}, "cached must be None, True or False"),
        ({"cached": False, "sampler": "limit"}, "leave cached out"),
        ({"n_chains": 0}, "n_chains must be a whole number"),
    ],
)
def test_settings_that_cannot_work_are_refused(changes, message):
    model = model_of(("labels",)).set_params(**changes)
    given = given_for([one.kind for one in model._make_responses()])
    with pytest.raises(PlaitError, match=message):
        model.fit(COUNTS, **given)


@pytest.mark.parametrize("changed", [{"y": CLASSES[::-1]}, {"values": -VALUES}, {"links": LINKS.T}])
def test_another_target_is_no_going_on(changed, monkeypatch):
    kinds = ("labels", "values", "links")
    press_ctrl_c_in_sweep(2, monkeypatch)
    stopped = model_of(kinds).fit(COUNTS, **given_for(kinds))
    with pytest.raises(PlaitError, match="not the documents that the fit began with"):
        stopped.resume(COUNTS, **given_for(kinds) | changed)


# Which answers there are.


@pytest.mark.parametrize("kinds", SUBSETS, ids=str)
def test_answers_are_there_where_a_response_is(kinds):
    answers = {
        "labels": ["decision_function", "predict_labels", "explain"],
        "values": ["predict_values", "explain_value"],
        "links": [
            "score_links",
            "suggest_links",
            "suggest_missing_links",
            "score_pairs",
            "predict_words",
            "topic_links",
        ],
    }
    model = model_of(kinds)
    for kind, names in answers.items():
        for name in names:
            assert hasattr(model, name) == (kind in kinds), name
            if kind not in kinds:
                with pytest.raises(AttributeError) as caught:
                    getattr(model, name)
                response = type(RESPONSES[kind]).__name__
                assert f"do not explain {kind}: add {response}() to its responses" in str(caught.value.__cause__)
    assert hasattr(model, "predict") == bool({"labels", "values"} & set(kinds))
    assert is_classifier(model) == ("labels" in kinds)


def test_a_new_fit_forgets_what_the_earlier_one_explained():
    model = clone(fitted(("values", "labels", "links"))).fit(COUNTS, **given_for(("values", "labels", "links")))
    model.set_params(responses=[]).fit(COUNTS)
    never = model_of(()).fit(COUNTS)
    assert set(vars(model)) == set(vars(never))
    assert_same(model, never, ())


def test_labels_are_scored_by_the_share_that_is_right():
    model = fitted(("labels",))
    assert model.score(COUNTS, CLASSES) == (model.predict(COUNTS) == CLASSES).mean()
    with pytest.raises(PlaitError, match="give y, or a Corpus"):
        model.score(COUNTS)


@pytest.mark.slow  # compiles the sweep of a sampler other than plain
def test_scikit_learns_checks_hold_with_labels():
    model = model_of(("labels",), "limit", n_shards=None)
    results = check_estimator(model, on_fail=None)
    failed = {result["check_name"]: str(result["exception"]) for result in results if result["status"] == "failed"}
    assert not {check: why for check, why in failed.items() if "Negative values in data passed to" not in why}
    assert sum(result["status"] == "passed" for result in results) >= 35
