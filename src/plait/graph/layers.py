"""The layers of stacked graphical learning, each learnt from features that know nothing of the label to be learnt.

A layer's learner is trained on nodes with labels, and part of their features are the predictions of neighbours. Such a
prediction may know the node's own label: the learner that made it was trained on the node, or the neighbour's own
features contain the node's label, two steps away and back. Then features of training say more than features of new
nodes ever will. So the labelled nodes are dealt into folds, and the features by which a node is learnt are made with
the labels of its whole fold *hidden*, at every layer below: exactly as if the fold had come without labels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import numpy as np
import scipy.sparse as sparse
from scipy.special import softmax
from sklearn.base import clone

Known = Literal["predicted", "labels"]
Hidden = frozenset[int]
NOTHING: Hidden = frozenset()


class Layers:
    """Learners and predictions of all layers, for any folds whose labels are hidden; each is made once.

    Parameters
    ----------
    X : array or csr_array of shape (nodes, features)
        What the nodes themselves have.
    codes : array of shape (nodes,)
        The class of each node, -1 where it is not known.
    folds : array of shape (nodes,)
        The fold of each labelled node, -1 for others.
    edges : list of csr_array of shape (nodes, nodes)
        Edges whose rows add up to 1 or are empty.
    n_classes : int
        How many classes there are.
    learner_of : callable
        Gives an untrained learner for the layer of a number.
    known : {"predicted", "labels"}
        What nodes with known labels show their neighbours.
    passthrough : bool
        Whether layers above the first see X, or the node's own prediction in the layer below.
    """

    def __init__(
        self,
        X: Any,
        codes: np.ndarray,
        folds: np.ndarray,
        edges: list[sparse.csr_array],
        *,
        n_classes: int,
        learner_of: Callable[[int], Any],
        known: Known,
        passthrough: bool,
    ) -> None:
        self.X, self.codes, self.folds, self.edges = X, codes, folds, edges
        self.n_classes, self.learner_of = n_classes, learner_of
        self.known, self.passthrough = known, passthrough
        self.one_hot = np.eye(n_classes)[np.maximum(codes, 0)]
        # Only for as long as this object is there.
        self.learner, self.predictions, self.shown = cache(self._learner), cache(self._predictions), cache(self._shown)

    def prior(self, hidden: Hidden) -> np.ndarray:
        """Return the share of each class among the nodes whose labels are not hidden."""
        return self.one_hot[self._labelled(hidden)].mean(axis=0)

    def _learner(self, layer: int, hidden: Hidden) -> Trained:
        """Train a layer on all labelled nodes that are not hidden."""
        rows = self._labelled(hidden)
        if layer == 0:
            features = self.X[rows]
        else:
            pieces = []
            for fold in np.unique(self.folds[rows]).tolist():
                members = np.flatnonzero(self.folds == fold)
                pieces.append((members, self.features(layer, hidden | {fold}, members)))
            rows = np.concatenate([members for members, _ in pieces])
            features = stack_rows([features for _, features in pieces])
        return Trained(self.learner_of(layer), features, self.codes[rows], self.n_classes)

    def features(self, layer: int, hidden: Hidden, rows: np.ndarray) -> Any:
        """Return the features that a layer sees of nodes whose labels are hidden or not known."""
        if layer == 0:
            return self.X[rows]
        heard = [hear(weights[rows], self.shown(layer - 1, hidden), self.prior(hidden)) for weights in self.edges]
        own = self.X[rows] if self.passthrough else self.predictions(layer - 1, hidden)[rows]
        return extend(own, heard)

    def _predictions(self, layer: int, hidden: Hidden) -> np.ndarray:
        """Return a layer's predictions of all nodes whose labels are hidden or not known; NaN for others."""
        predicted = np.full((len(self.codes), self.n_classes), np.nan)
        rows = self._unlabelled(hidden)
        if len(rows):
            predicted[rows] = self.learner(layer, hidden).predict(self.features(layer, hidden, rows))
        return predicted

    def _shown(self, layer: int, hidden: Hidden) -> np.ndarray:
        """Return what every node shows its neighbours after a layer."""
        shown = self.predictions(layer, hidden).copy()
        rows = self._labelled(hidden)
        if self.known == "labels":
            shown[rows] = self.one_hot[rows]
            return shown
        for fold in np.unique(self.folds[rows]).tolist():
            members = np.flatnonzero(self.folds == fold)
            shown[members] = self.predictions(layer, hidden | {fold})[members]
        return shown

    def _labelled(self, hidden: Hidden) -> np.ndarray:
        return np.flatnonzero((self.folds >= 0) & ~np.isin(self.folds, list(hidden)))

    def _unlabelled(self, hidden: Hidden) -> np.ndarray:
        return np.flatnonzero((self.folds < 0) | np.isin(self.folds, list(hidden)))


class Trained:
    """A trained learner, whose predictions have a column for each class, also for those it has not seen."""

    def __init__(self, learner: Any, features: Any, codes: np.ndarray, n_classes: int) -> None:
        self.n_classes = n_classes
        self.seen = np.unique(codes)
        # Many learners refuse a single class; there is nothing to learn either.
        self.learner = clone(learner).fit(features, codes) if len(self.seen) > 1 else None

    def predict(self, features: Any) -> np.ndarray:
        """Return p(class | features); scores of learners without probabilities go through a softmax."""
        predicted = np.zeros((features.shape[0], self.n_classes))
        if self.learner is None:
            predicted[:, self.seen] = 1.0
        elif hasattr(self.learner, "predict_proba"):
            predicted[:, self.seen] = self.learner.predict_proba(features)
        else:
            scores = np.asarray(self.learner.decision_function(features))
            if scores.ndim == 1:
                scores = np.column_stack([np.zeros(len(scores)), scores])
            predicted[:, self.seen] = softmax(scores, axis=1)
        return predicted


def hear(weights: sparse.csr_array, shown: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the weighted mean of what neighbours show; for nodes without neighbours, the shares of the classes."""
    heard = np.asarray(weights @ shown)
    heard[np.diff(weights.indptr) == 0] = prior
    return heard


def mean_weights(edges: sparse.csr_array) -> sparse.csr_array:
    """Return edges whose rows add up to 1, or are empty."""
    n_entries = np.diff(edges.indptr)
    scaled = edges.copy()
    scaled.data /= np.repeat(np.asarray(edges.max(axis=1).todense()).ravel(), n_entries)  # sums must not overflow
    scaled.data /= np.repeat(np.asarray(scaled.sum(axis=1)).ravel(), n_entries)
    return scaled


def extend(own: Any, heard: list[np.ndarray]) -> Any:
    """Return a node's own features and what it hears, side by side; sparse where its own are."""
    if sparse.issparse(own):
        return sparse.csr_array(sparse.hstack([own, *heard], format="csr"))
    return np.hstack([own, *heard])


def stack_rows(pieces: list[Any]) -> Any:
    """Return matrices below one another."""
    if sparse.issparse(pieces[0]):
        return sparse.csr_array(sparse.vstack(pieces, format="csr"))
    return np.vstack(pieces)


def deal_folds(codes: np.ndarray, n_folds: int, rng: np.random.RandomState) -> np.ndarray:
    """Return a fold for each labelled node, such that every fold has its share of each class; -1 for others."""
    shuffled = rng.permutation(np.flatnonzero(codes >= 0))
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]
    folds = np.full(len(codes), -1)
    folds[dealt] = np.arange(len(dealt)) % n_folds
    return folds
