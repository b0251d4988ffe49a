"""Answers are objects that work without a model: made from what they need of one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

from plait import KnownDocuments, LabelResponse, OwnDocument
from plait.engine.sample import Sample
from plait.models.answers.influence import Influence
from plait.models.answers.labels import LabelPredictions, mean_label_weights
from plait.models.answers.tasks import TaskLayout
from plait.models.answers.topics import TopicDescriptions
from plait.models.answers.values import ValuePredictions
from plait.models.folding import FittedChains, FoldInSettings
from plait.models.inputs import Documents

WORDS = np.array(["river", "loan"], dtype=object)
TOPICS = TopicDescriptions(np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([0.5, 0.5]), WORDS)
SHARED = TaskLayout(2)
DOCUMENTS = Documents(sparse.csr_array(np.array([[40, 0], [0, 40], [20, 20]], dtype=np.int32)))


def chains_with(weights, groups=(0,)):
    """Chains of one sample each, whose two topics have one word each; weights by chain."""
    samples = [
        [Sample(sparse.csr_array(np.array([[500, 0], [0, 500]])), np.full(2, 0.01), 0.01, [np.array(own)])]
        for own in weights
    ]
    return FittedChains(samples, list(groups), FoldInSettings(0, 6, False, OwnDocument(0.01)))


def test_labels_are_predicted_from_weights():
    chains, classes = chains_with([[[2.0, -2.0], [-1.0, 1.0], [0.5, 0.5]]]), np.array(["wet", "dry", "any"])
    labels = LabelPredictions(chains, 0, SHARED, LabelResponse(), classes, "multiclass")
    assert labels.predict(DOCUMENTS).tolist() == ["wet", "dry", "any"]
    np.testing.assert_allclose(labels.decision_function(DOCUMENTS)[0], [2.0, -1.0, 0.5], atol=0.01)
    np.testing.assert_allclose(labels.predict_proba(DOCUMENTS).sum(axis=1), 1)
    found = labels.explain(Documents(DOCUMENTS.counts[[0]]), "wet", 1, TOPICS)
    assert (found.label, found.words[0].word, found.topics[0].topic) == ("wet", "river", 0)
    assert found.words[0].push == pytest.approx(2.0, abs=0.01)


def test_several_labels_are_those_above_the_threshold():
    chains, classes = chains_with([[[2.0, -2.0], [1.0, 1.0]]]), np.array(["wet", "any"])
    labels = LabelPredictions(chains, 0, SHARED, LabelResponse(threshold=1.5), classes, "multilabel")
    assert labels.predict(DOCUMENTS).tolist() == [[1, 0], [0, 0], [0, 0]]
    assert labels.predict_labels(DOCUMENTS) == [("wet",), (), ()]


def test_one_vs_all_reads_each_task_from_its_own_group():
    chains, layout = chains_with([[[2.0, -2.0]], [[-3.0, 3.0]]], groups=(0, 1)), TaskLayout(2, one_vs_all=True)
    labels = LabelPredictions(chains, 0, layout, LabelResponse(), np.array(["wet", "dry"]), "multilabel")
    np.testing.assert_allclose(labels.scores(DOCUMENTS)[:2], [[2.0, -3.0], [-2.0, 3.0]], atol=0.02)
    shown = mean_label_weights(chains, 0, 2, layout)
    assert shown.tolist() == [[2.0, -2.0, 0.0, 0.0], [0.0, 0.0, -3.0, 3.0]]


def test_values_are_predicted_in_their_own_unit():
    values = ValuePredictions(chains_with([[[1.0, -1.0]]]), 0, SHARED, center=5.0, scale=2.0)
    np.testing.assert_allclose(values.predict(DOCUMENTS), [7.0, 3.0, 5.0], atol=0.01)
    found = values.explain(Documents(DOCUMENTS.counts[[1]]), 2, TOPICS)
    assert found.score == pytest.approx(3.0, abs=0.01)
    assert found.words[0].push == pytest.approx(-2.0, abs=0.01)


def test_influence_is_read_from_shares_and_lengths():
    shares = sparse.csr_array(np.array([[0.4, 0.6, 0.0], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7]]))
    influence = Influence(shares, np.array([10.0, 5.0, 20.0]), KnownDocuments(3, ["a", "b", "c"], ["", "B", ""]))
    assert influence.influencers("c", top=5) == [("b", pytest.approx(0.2)), ("a", pytest.approx(0.1))]
    assert influence.influencers("c", top=1)[0].title == "B"
    assert influence.most_influential(top=1) == [("b", pytest.approx(10.0), 2)]
    assert influence.strongest_links(top=1) == [("a", "b", pytest.approx(0.6), pytest.approx(6.0))]
    assert influence.strongest_links(top=5, source="a") == [("c", "a", pytest.approx(0.1), pytest.approx(2.0))]


def test_topics_have_the_names_of_their_group():
    topic_word = np.array([[0.9, 0.1], [0.1, 0.9]] * 2)
    described = TopicDescriptions(topic_word, np.full(4, 0.25), WORDS, names=["wet"], n_topics=2).describe(top=1)
    assert [topic.name for topic in described] == ["wet", "", "wet", ""]
    assert [topic.words for topic in described] == [["river"], ["loan"]] * 2
