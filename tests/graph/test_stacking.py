"""Stacked graphical learning: features from neighbours, no label leakage, transduction and new nodes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import plait
from plait.errors import PlaitError
from plait.graph import StackedGraphClassifier, edge_weights
from plait.graph.layers import NO_FOLDS, Layers, assign_folds, normalise_rows

KNOWN = ["labels", "predicted"]


class Recorder(ClassifierMixin, BaseEstimator):
    """A nearest-neighbour classifier that records its training data by number of columns."""

    seen: dict[int, list] = {}  # noqa: RUF012

    def fit(self, X, y):
        self.seen.setdefault(X.shape[1], []).append((X, y))
        self.X_, (self.classes_, self.codes_) = X, np.unique(y, return_inverse=True)
        return self

    def predict_proba(self, X):
        nearest = np.square(X[:, np.newaxis] - self.X_).sum(axis=2).argmin(axis=1)
        return np.eye(len(self.classes_))[self.codes_[nearest]]


@pytest.fixture(autouse=True)
def nothing_seen():
    Recorder.seen.clear()


def communities(n=240, n_classes=3, seed=0, signal=0.7):
    """Nodes with weak features and links mostly within classes, a third of them without labels."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, 4))
    X[:, :n_classes] += signal * np.eye(n_classes)[classes]
    likely = np.where(classes[:, np.newaxis] == classes, 0.05, 0.004)
    links = sparse.csr_array((rng.random((n, n)) < likely).astype(float))
    labels = np.where(np.arange(n) % 3 == 0, np.nan, classes)
    return X, classes, labels, edge_weights(links, "neighbours")


def layers_of(X, codes, folds, edges, **options):
    settings = {"n_classes": int(codes.max()) + 1, "estimator_of": lambda layer: Recorder(), "passthrough": True}
    return Layers(X, codes, folds, [normalise_rows(edges)], **(settings | options))


def test_neighbours_increase_the_accuracy():
    X, classes, labels, edges = communities()
    hidden = np.isnan(labels)
    alone = StackedGraphClassifier(random_state=0).fit(X, labels)
    stacked = StackedGraphClassifier(random_state=0).fit(X, labels, edges=edges)
    right = [np.mean(model.transduction_[hidden] == classes[hidden]) for model in (alone, stacked)]
    assert right[0] < 0.75
    assert right[1] > right[0] + 0.1


def test_without_edges_it_equals_the_base_classifier():
    X, _, labels, _ = communities()
    known = ~np.isnan(labels)
    base = LogisticRegression(C=0.3)
    model = StackedGraphClassifier(base, n_layers=2).fit(X, labels)
    alone = clone(base).fit(X[known], labels[known].astype(int))
    assert np.array_equal(model.predict_proba(X), alone.predict_proba(X))
    assert np.array_equal(model.label_distributions_[~known], alone.predict_proba(X[~known]))
    assert np.array_equal(model.transduction_[known], labels[known])


@pytest.mark.parametrize("known", KNOWN)
def test_training_features_are_weighted_means_over_neighbours(known):
    rng = np.random.default_rng(3)
    n = 30
    X, codes = rng.normal(size=(n, 2)), rng.integers(2, size=n)
    codes[:6] = -1
    folds = assign_folds(codes, 3, np.random.RandomState(0))
    weights = rng.integers(0, 3, (n, n)) * (rng.random((n, n)) < 0.15) * (1 - np.eye(n))
    weights[10] = 0
    layers = layers_of(X, codes, folds, sparse.csr_array(weights), known=known)
    layers.classifier(1, NO_FOLDS)
    (features, targets), *others = Recorder.seen[4]
    assert not others
    expected, order = [], [u for fold in range(3) for u in np.flatnonzero(folds == fold)]

    def predict(v, hidden):
        rows = [w for w in range(n) if codes[w] >= 0 and folds[w] not in hidden]
        return KNeighborsClassifier(1).fit(X[rows], codes[rows]).predict_proba(X[[v]])[0]

    for u in order:
        rows = [w for w in range(n) if codes[w] >= 0 and folds[w] != folds[u]]
        outputs = np.zeros((n, 2))
        for v in range(n):
            if codes[v] < 0 or folds[v] == folds[u]:
                outputs[v] = predict(v, {folds[u]})
            elif known == "labels":
                outputs[v, codes[v]] = 1
            else:
                outputs[v] = predict(v, {folds[u], folds[v]})
        prior = np.bincount(codes[rows], minlength=2) / len(rows)
        expected.append(weights[u] @ outputs / weights[u].sum() if weights[u].sum() else prior)
    assert np.array_equal(targets, codes[order])
    assert np.array_equal(features[:, :2], X[order])
    assert features[:, 2:] == pytest.approx(np.array(expected))


@pytest.mark.parametrize("passthrough", [True, False])
@pytest.mark.parametrize(
    ("known", "n_layers"), [("labels", 1), ("labels", 2), ("labels", 3), ("predicted", 1), ("predicted", 2)]
)
def test_training_features_do_not_depend_on_the_nodes_own_label(known, n_layers, passthrough):
    """Change one label: the training features of this node stay bit-identical, those of others change."""
    rng = np.random.default_rng(4)
    n = 40
    X, codes = rng.normal(size=(n, 2)), rng.integers(2, size=n)
    X[20:] = X[:20]  # a nearest-neighbour classifier would leak labels
    codes[::5] = -1
    folds = assign_folds(codes, 5, np.random.RandomState(0))
    ring = np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), 20, axis=1)
    edges = edge_weights(ring, "neighbours")
    order = np.concatenate([np.flatnonzero(folds == fold) for fold in range(5)])
    n_changed = 0
    for node in np.flatnonzero(codes >= 0)[::6]:
        changed = codes.copy()
        changed[node] = 1 - codes[node]
        features = []
        for given in (codes, changed):
            layers = layers_of(X, given, folds, edges, known=known, passthrough=passthrough)
            layers.classifier(n_layers, NO_FOLDS)
            features.append(Recorder.seen[4][-1][0])  # what the top layer was trained on
        same = (features[0] == features[1]).all(axis=1)
        assert same[order == node].all()
        n_changed += int((~same).sum())
    assert n_changed > 0


@pytest.mark.parametrize("n_layers", [1, 2])
@pytest.mark.parametrize("known", KNOWN)
def test_random_labels_cannot_be_predicted(known, n_layers):
    """Linked nodes have the same features and random labels: neighbours carry no information on a node's label."""
    rng = np.random.default_rng(5)
    n = 400
    X = np.repeat(rng.normal(size=(n // 2, 2)), 2, axis=0)
    classes = rng.integers(2, size=n)
    labels = [None if node % 4 == 0 else int(one) for node, one in enumerate(classes)]
    twins = np.kron(np.eye(n // 2), [[0, 1], [1, 0]])
    model = StackedGraphClassifier(Recorder(), n_layers=n_layers, known=known, random_state=0)
    model.fit(X, labels, edges=twins)
    unlabelled = np.arange(n) % 4 == 0
    assert abs(np.mean(model.transduction_[unlabelled] == classes[unlabelled]) - 0.5) < 0.15
    for features, targets in Recorder.seen[4]:
        averages = features[:, 3] > 0.5
        assert abs(np.mean(averages == targets) - 0.5) < 0.15


@pytest.mark.parametrize("passthrough", [True, False])
@pytest.mark.parametrize("n_layers", [1, 2])
@pytest.mark.parametrize("known", KNOWN)
def test_new_nodes_are_predicted_like_unlabelled_training_nodes(known, n_layers, passthrough):
    """No node has the last nodes as neighbours, so `fit` and `predict` must agree on them."""
    X, classes, _, _ = communities(n=120)
    rng = np.random.default_rng(6)
    weights = rng.random((120, 120)) * (rng.random((120, 120)) < 0.08)
    weights[:100, 100:] = 0
    np.fill_diagonal(weights, 0)
    weights[110] = 0
    options = {"n_layers": n_layers, "known": known, "passthrough": passthrough, "random_state": 0}
    labels = np.where(np.arange(120) < 100, classes, np.nan)
    together = StackedGraphClassifier(GaussianNB(), **options).fit(X, labels, edges=weights)
    later = StackedGraphClassifier(GaussianNB(), **options).fit(X[:100], classes[:100], edges=weights[:100, :100])
    found = later.predict_proba(X[100:], edges=weights[100:])
    assert found == pytest.approx(together.label_distributions_[100:], abs=1e-12)
    assert np.array_equal(later.predict(X[100:], weights[100:]), together.transduction_[100:])
    own = weights[100:] + np.eye(20, 120, k=100)
    assert np.array_equal(later.predict_proba(X[100:], edges=own), later.predict_proba(X[100:], edges=weights[100:]))
    # Edges among new nodes may be left out.
    among = weights[100:].copy()
    among[:, 100:] = 0
    alone = later.predict_proba(X[100:], edges=weights[100:, :100])
    assert np.array_equal(alone, later.predict_proba(X[100:], edges=among))
    assert np.abs(alone - found).max() > 1e-3


def test_two_layers_use_neighbours_of_neighbours():
    """A chain of a labelled and two unlabelled nodes; the features are uninformative."""
    rng = np.random.default_rng(7)
    rows = rng.integers(2, size=60)
    labels = [given for one in rows for given in (int(one), int(one), None, None)]
    chain = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    edges = np.kron(np.eye(60), chain)
    model = StackedGraphClassifier(RandomForestClassifier(20), random_state=0)
    X = np.zeros((240, 1))
    one, two = clone(model).fit(X, labels, edges), clone(model).set_params(n_layers=2).fit(X, labels, edges)
    assert np.array_equal(one.transduction_[2::4], rows)
    assert np.mean(one.transduction_[3::4] == rows) < 0.8
    assert np.array_equal(two.transduction_[3::4], rows)


@pytest.mark.parametrize(
    ("known", "n_layers", "n_classifiers"),
    [("labels", 1, 7), ("predicted", 1, 17), ("labels", 2, 23), ("predicted", 2, 48)],
)
def test_the_number_of_trained_classifiers_is_as_documented(known, n_layers, n_classifiers):
    X, _, labels, edges = communities(n=60)
    StackedGraphClassifier(Recorder(), n_layers=n_layers, known=known, random_state=0).fit(X, labels, edges=edges)
    assert sum(map(len, Recorder.seen.values())) == n_classifiers


def test_nodes_without_neighbours_get_the_shares_of_the_classes():
    X, classes, _, _ = communities(n=60)
    layers = layers_of(
        X, classes, assign_folds(classes, 3, np.random.RandomState(0)), sparse.csr_array((60, 60)), known="labels"
    )
    shares = np.bincount(classes[layers.folds != 1]) / np.sum(layers.folds != 1)
    averages = layers.features(1, frozenset({1}), np.flatnonzero(layers.folds == 1))[:, 4:]
    assert averages == pytest.approx(np.tile(shares, (len(averages), 1)))


def test_each_edge_matrix_adds_its_own_features():
    X, _, labels, edges = communities()
    StackedGraphClassifier(Recorder(), random_state=0).fit(X, labels, edges=[edges, edges.T.tocsr(), edges])
    features, _ = Recorder.seen[4 + 3 * 3][0]
    assert np.array_equal(features[:, 4:7], features[:, 10:])


def test_self_edges_are_ignored():
    X, _, labels, edges = communities()
    own = edges + sparse.csr_array(5 * np.eye(len(X)))
    one = StackedGraphClassifier(random_state=0).fit(X, labels, edges=edges)
    other = StackedGraphClassifier(random_state=0).fit(X, labels, edges=own)
    assert np.array_equal(one.label_distributions_, other.label_distributions_)


@pytest.mark.parametrize("passthrough", [True, False])
def test_sparse_features_give_the_same(passthrough):
    X, _, labels, edges = communities()
    X = np.maximum(X, 0)
    model = StackedGraphClassifier(passthrough=passthrough, random_state=0)
    dense = clone(model).fit(X, labels, edges=edges)
    thin = clone(model).fit(sparse.csr_matrix(X), labels, edges=edges)
    assert thin.label_distributions_ == pytest.approx(dense.label_distributions_, abs=1e-4)
    new = sparse.csr_array(X[:5]), edges[:5]
    assert thin.predict_proba(*new) == pytest.approx(dense.predict_proba(X[:5], edges[:5]), abs=1e-4)


@pytest.mark.parametrize("base", [LinearSVC(), RandomForestClassifier(10), LogisticRegression()])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_same_seed_gives_the_same_bits_with_any_classifier(base, n_classes):
    X, classes, labels, edges = communities(n_classes=n_classes, signal=2.0)
    hidden = np.isnan(labels)
    fits = [StackedGraphClassifier(base, random_state=1).fit(X, labels, edges=edges) for _ in range(2)]
    assert np.array_equal(fits[0].label_distributions_, fits[1].label_distributions_)
    assert fits[0].label_distributions_.sum(axis=1) == pytest.approx(1)
    assert np.mean(fits[0].transduction_[hidden] == classes[hidden]) > 0.8
    assert not hasattr(base, "classes_")


def test_the_final_classifier_may_differ():
    X, _, labels, edges = communities()
    StackedGraphClassifier(LogisticRegression(), Recorder(), n_layers=2, random_state=0).fit(X, labels, edges=edges)
    assert Recorder.seen.keys() == {7}


def test_labels_of_a_corpus_are_accepted():
    labels = [*["first", "second"] * 5, None, None]
    corpus = plait.Corpus.from_matrix(np.tile(np.eye(2), (6, 1)), labels=labels)
    model = StackedGraphClassifier(random_state=0).fit(corpus.counts, corpus.label_vector(), edges=np.zeros((12, 12)))
    assert model.transduction_.tolist() == ["first", "second"] * 6


@pytest.mark.parametrize("form", [list, lambda labels: np.array(labels, dtype=object)])
@pytest.mark.parametrize(
    ("labels", "unknown"), [([0, 1], None), ([0.0, 1.0], np.nan), (["a", "b"], None), (["a", "b"], np.nan)]
)
def test_unknown_labels_are_none_or_nan(form, labels, unknown):
    model = StackedGraphClassifier(folds=2).fit(np.tile([[-1.0], [1.0]], (3, 1)), form([*labels * 2, unknown, unknown]))
    assert model.transduction_.tolist() == labels * 3


def test_a_class_of_one_node_is_accepted():
    X, classes, _, edges = communities(n=60)
    classes = np.where(np.arange(60) == 7, 9, classes)
    for known in KNOWN:
        model = StackedGraphClassifier(known=known, random_state=0).fit(X, [*classes[:-1], None], edges=edges)
        assert model.classes_.tolist() == [0, 1, 2, 9]
        assert model.label_distributions_[-1].sum() == pytest.approx(1)


def test_one_class_is_predicted_for_all():
    model = StackedGraphClassifier(folds=2).fit(np.zeros((4, 1)), ["a", "a", None, None], edges=np.ones((4, 4)))
    assert model.transduction_.tolist() == ["a"] * 4


def test_folds_are_stratified_by_class():
    codes = np.repeat([0, 1, -1, 2], [10, 33, 20, 7])
    folds = assign_folds(codes, 5, np.random.RandomState(0))
    assert set(folds[codes < 0]) == {-1}
    for one in range(3):
        counts = np.bincount(folds[codes == one], minlength=5)
        assert counts.max() - counts.min() <= 1
    counts = np.bincount(folds[codes >= 0])
    assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize(
    ("options", "changes", "words"),
    [
        ({"known": "all"}, {}, "'predicted'"),
        ({"n_layers": 0}, {}, "n_layers"),
        ({"folds": 1}, {}, "folds"),
        ({"folds": 2, "n_layers": 2}, {}, "set folds to 3 or more"),
        ({"folds": 4, "n_layers": 2, "known": "predicted"}, {}, "set folds to 5 or more"),
        ({}, {"y": [None] * 6}, "none of the 6 nodes has a label"),
        ({}, {"y": ["a", "b", None, None, None, None]}, "2 labelled nodes cannot make 5 folds"),
        ({}, {"y": None}, "y is None"),
        ({}, {"y": [1, "1", 1, "1", None, None]}, "labels of one type"),
        ({}, {"edges": np.zeros((6, 5))}, "6 × 5; these nodes need 6 × 6"),
        ({}, {"edges": [np.zeros((6, 6)), np.zeros((5, 6))]}, r"edges\[1\] are of shape 5 × 6"),
        ({}, {"edges": -np.ones((6, 6))}, "weights must be 0 or more"),
    ],
)
def test_invalid_input_is_rejected(options, changes, words):
    given = {"y": list("aababb"), "edges": np.zeros((6, 6))} | changes
    with pytest.raises(PlaitError, match=words):
        StackedGraphClassifier(**options).fit(np.zeros((6, 1)), **given)


def test_new_nodes_need_edges_of_the_right_shape():
    X, _, labels, edges = communities()
    model = StackedGraphClassifier(random_state=0).fit(X, labels, edges=edges)
    with pytest.raises(PlaitError, match="need edges too"):
        model.predict(X)
    with pytest.raises(PlaitError, match="2 × 3; these nodes need 2 × 240 or 2 × 242"):
        model.predict(X[:2], edges=np.zeros((2, 3)))
    with pytest.raises(PlaitError, match="2 matrices, and fit was given 1"):
        model.predict(X[:2], edges=[np.zeros((2, 240))] * 2)
    assert model.predict(X[:2], edges=np.zeros((2, 240))).shape == (2,)


@parametrize_with_checks([StackedGraphClassifier()])
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
