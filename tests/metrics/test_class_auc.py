"""AUC of each class against the rest, compared with scikit-learn; the labels of held-out documents are hidden."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from plait.errors import PlaitError
from plait.graph import StackedGraphClassifier
from plait.metrics import cross_validate_labels, mean_auc


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(0)
    classes = np.array(["milk", "tea", "water"])[rng.integers(3, size=150)]
    return rng.normal(size=(150, 3)) + (classes[:, np.newaxis] == ["milk", "tea", "water"]), classes


def test_the_mean_auc_equals_scikit_learn(documents):
    _, y = documents
    scores = np.random.default_rng(1).random((150, 3))
    expected = roc_auc_score(y, scores / scores.sum(axis=1, keepdims=True), multi_class="ovr")
    assert mean_auc(y, scores / scores.sum(axis=1, keepdims=True), ["milk", "tea", "water"]) == pytest.approx(expected)


def test_a_class_without_documents_is_left_out():
    scores = [[0.9, 0.0, 0.1], [0.2, 0.0, 0.8], [0.6, 0.0, 0.4]]
    assert mean_auc(["a", "c", "a"], scores, ["a", "b", "c"]) == 1.0


@pytest.mark.parametrize("classifier", [LogisticRegression(), LinearSVC(random_state=0)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_folds_equal_scikit_learn(documents, classifier, form):
    X, y = documents
    found = cross_validate_labels(classifier, form(X), y, n_folds=4, seed=3)
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    assert found.accuracies == pytest.approx(cross_val_score(classifier, form(X), y, cv=folds))
    aucs = []
    for training, held_out in folds.split(X, y):
        machine = classifier.fit(form(X)[training], y[training])
        score = machine.predict_proba if hasattr(machine, "predict_proba") else machine.decision_function
        scores = score(form(X)[held_out])
        aucs.append(np.mean([roc_auc_score(y[held_out] == one, scores[:, k]) for k, one in enumerate(found.classes)]))
    assert found.aucs == pytest.approx(aucs)
    assert found.accuracy == pytest.approx(found.accuracies.mean())
    assert found.auc == pytest.approx(np.mean(aucs))


def test_two_classes_with_one_column_of_scores(documents):
    X, y = documents
    two = np.where(y == "tea", 1, 0)
    found = cross_validate_labels(LinearSVC(random_state=0), X, two, n_folds=3)
    assert found.auc > 0.6
    assert np.array_equal(found.scores[:, 0], -found.scores[:, 1])


def test_labels_of_a_fold_are_hidden_on_a_graph():
    """Classes are drawn by lot, so that only a label seen in training can be right; or they are those of the twin."""
    rng = np.random.default_rng(4)
    X, y = np.arange(200.0)[:, np.newaxis] * 10, rng.integers(2, size=200)
    twins = np.kron(np.eye(100), [[0, 1], [1, 0]])
    machine = StackedGraphClassifier(KNeighborsClassifier(1), random_state=0)
    assert machine.fit(X, y, edges=twins).transduction_.tolist() == y.tolist()
    assert abs(cross_validate_labels(machine, X, y, edges=twins).accuracy - 0.5) < 0.12
    linked = cross_validate_labels(
        StackedGraphClassifier(random_state=0), np.zeros((200, 1)), np.repeat(y[:100], 2), edges=twins
    )
    assert linked.accuracy > 0.9


def test_documents_without_a_label_are_never_held_out(documents):
    X, y = documents
    labels = [None if row < 30 else one for row, one in enumerate(y)]
    found = cross_validate_labels(LogisticRegression(), X, labels, n_folds=3)
    assert np.isnan(found.scores[:30]).all()
    assert np.array_equal(
        found.scores[30:], cross_validate_labels(LogisticRegression(), X[30:], y[30:], n_folds=3).scores
    )


def test_invalid_input_is_rejected(documents):
    X, y = documents
    with pytest.raises(PlaitError, match="150 documents × 2 classes"):
        mean_auc(y, np.zeros((150, 3)), ["milk", "tea"])
    with pytest.raises(PlaitError, match="of one class"):
        mean_auc(["a", "a"], np.zeros((2, 2)), ["a", "b"])
    with pytest.raises(PlaitError, match="cannot be held out in 3 folds"):
        cross_validate_labels(LogisticRegression(), X, ["tea"] * 150, n_folds=3)
    with pytest.raises(PlaitError, match="n_folds"):
        cross_validate_labels(LogisticRegression(), X, y, n_folds=1)
