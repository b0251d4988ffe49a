"""Metrics of predicted labels compared with scikit-learn; unlabelled documents, unseen and absent labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from plait.errors import PlaitError
from plait.metrics import score_labels

CLASSES = ["a", "b", "c", "d"]


def as_lists(indicator):
    return [[CLASSES[column] for column in np.flatnonzero(row)] for row in indicator]


def test_one_label_per_document_equals_scikit_learn():
    rng = np.random.default_rng(0)
    true, predicted = rng.choice(CLASSES, 60), rng.choice(CLASSES, 60)
    scored = score_labels(true[:, None], predicted[:, None], np.array(CLASSES), multilabel=False)
    assert scored.accuracy == pytest.approx(metrics.accuracy_score(true, predicted))
    assert scored.micro_f1 == pytest.approx(scored.accuracy)
    assert scored.macro_f1 == pytest.approx(metrics.f1_score(true, predicted, average="macro"))
    np.testing.assert_array_equal(scored.confusion.matrix, metrics.confusion_matrix(true, predicted, labels=CLASSES))
    expected = metrics.precision_recall_fscore_support(true, predicted, labels=CLASSES)
    rows = [(row.precision, row.recall, row.f1, row.n_true) for row in scored.per_label]
    np.testing.assert_allclose(rows, np.transpose(expected))
    assert [row.n_predicted for row in scored.per_label] == [(predicted == label).sum() for label in CLASSES]


def test_several_labels_equal_scikit_learn():
    rng = np.random.default_rng(1)
    true, predicted = rng.random((50, 4)) < 0.3, rng.random((50, 4)) < 0.4
    scores = rng.normal(size=(50, 4))
    scored = score_labels(as_lists(true), as_lists(predicted), CLASSES, multilabel=True, scores=scores)
    assert not true.any(axis=1).all()  # documents without labels count
    assert scored.n_documents == 50
    assert scored.accuracy == pytest.approx(metrics.accuracy_score(true, predicted))
    assert scored.micro_f1 == pytest.approx(metrics.f1_score(true, predicted, average="micro"))
    assert scored.macro_f1 == pytest.approx(metrics.f1_score(true, predicted, average="macro"))
    assert scored.auc == pytest.approx(metrics.roc_auc_score(true, scores, average="macro"))
    assert scored.confusion is None


def test_unlabelled_documents_are_left_out_and_counted():
    scored = score_labels([["a"], (), ["b"]], [["a"], ["b"], ["a"]], ["a", "b"], multilabel=False, scores=[-1, 2, 3])
    assert (scored.n_documents, scored.n_unlabelled, scored.accuracy) == (2, 1, 0.5)
    assert scored.confusion.matrix.tolist() == [[1, 0], [1, 0]]
    assert scored.auc == 1.0


def test_unseen_labels_count_as_errors():
    scored = score_labels([["a"], ["z"], ["y"], ["z"]], [["a"]] * 4, ["a", "b"], multilabel=False)
    assert scored.unseen == {"y": 1, "z": 2}
    assert scored.accuracy == 0.25
    assert [row.label for row in scored.per_label] == ["a", "y", "z"]
    assert scored.macro_f1 == pytest.approx((2 / 5 + 0 + 0) / 3)
    assert scored.confusion.labels == ("a", "y", "z")
    assert scored.confusion.matrix.tolist() == [[1, 0, 0], [1, 0, 0], [2, 0, 0]]


def test_unseen_labels_of_several_types_have_an_order():
    scored = score_labels([["z"], [3], [1], ["a"]], [["a"]] * 4, ["a"], multilabel=False)
    assert list(scored.unseen) == [1, 3, "z"]


def test_labels_without_documents_are_listed():
    # "c" is predicted, so it is scored (all wrong); "d" is not, so there is nothing to score.
    scored = score_labels([{"a"}, {"b"}, set()], [{"a"}, {"b", "c"}, set()], CLASSES, multilabel=True)
    assert scored.absent == ("c", "d")
    assert [row.label for row in scored.per_label] == ["a", "b", "c"]
    assert scored.macro_f1 == pytest.approx(2 / 3)
    assert scored.micro_f1 == pytest.approx(4 / 5)
    assert scored.accuracy == pytest.approx(2 / 3)


def test_multilabel_documents_without_any_label():
    scored = score_labels([[], []], [[], []], ["a"], multilabel=True, scores=[0.1, 0.2])
    assert (scored.accuracy, scored.micro_f1, scored.macro_f1, scored.auc) == (1.0, 0.0, 0.0, None)
    assert scored.absent == ("a",)


def test_classes_that_are_numbers():
    scored = score_labels([[1], [2]], [np.array([1]), (1,)], np.array([1, 2]), multilabel=False)
    assert scored.accuracy == 0.5
    assert [row.label for row in scored.per_label] == [1, 2]


@pytest.mark.parametrize(
    ("true", "predicted", "multilabel", "scores", "message"),
    [
        ([["a"]], [["a"], ["b"]], False, None, "true has 1 documents, predicted has 2"),
        ([["a", "b"]], [["a"]], False, None, "true: document 0 has 2 labels"),
        ([["a"]], [[]], False, None, "predicted: document 0 has 0 labels"),
        ([[], []], [["a"], ["a"]], False, None, "none of the 2 documents has a known label"),
        ([], [], True, None, "none of the 0 documents"),
        (["a"], ["a"], False, None, 'true: document 0 has "a"; give a list'),
        ([["a"]], [["q"]], False, None, '"q" was predicted and is not one of the classes'),
        ([["a"]], [["a"]], False, np.zeros((1, 3)), r"scores are of shape \(1, 3\); give 1 documents × 4 classes"),
    ],
)
def test_invalid_input_is_rejected(true, predicted, multilabel, scores, message):
    with pytest.raises(PlaitError, match=message):
        score_labels(true, predicted, CLASSES, multilabel=multilabel, scores=scores)
