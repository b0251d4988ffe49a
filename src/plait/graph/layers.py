"""Training of the layers of stacked graphical learning without label leakage.

The classifier of a layer is trained on labelled nodes whose features include predictions for their neighbours. Such a
prediction can depend on the label of the node itself: the classifier that made it was trained on the node, or the
features of the neighbour contain the node's label, two steps away and back. Features of training nodes would then be
more informative than features of new nodes. So labelled nodes are split into folds. The features of a training node are
computed with the labels of its whole fold *hidden* in every layer below, as if the fold had no labels.
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
NO_FOLDS: Hidden = frozenset()


class Layers:
    """Classifiers and predictions of all layers, for any set of folds with hidden labels; each is computed once.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_nodes, n_features)
        Features of the nodes.
    codes : ndarray of int of shape (n_nodes,)
        Class of each node, -1 if unknown.
    folds : ndarray of int of shape (n_nodes,)
        Fold of each labelled node, -1 for others.
    edges : list of csr_array of shape (n_nodes, n_nodes)
        Edge weights; rows sum to 1 or are empty.
    n_classes : int
        Number of classes.
    estimator_of : callable
        Returns the unfitted classifier of a layer, given its number.
    known : {"predicted", "labels"}
        What labelled nodes pass to their neighbours.
    passthrough : bool
        Whether layers above the first use X, or the node's own prediction of the layer below.
    """

    def __init__(
        self,
        X: Any,
        codes: np.ndarray,
        folds: np.ndarray,
        edges: list[sparse.csr_array],
        *,
        n_classes: int,
        estimator_of: Callable[[int], Any],
        known: Known,
        passthrough: bool,
    ) -> None:
        self.X, self.codes, self.folds, self.edges = X, codes, folds, edges
        self.n_classes, self.estimator_of = n_classes, estimator_of
        self.known, self.passthrough = known, passthrough
        self.one_hot = np.eye(n_classes)[np.maximum(codes, 0)]
        # The caches belong to this object and are freed with it.
        self.classifier, self.predictions = cache(self._classifier), cache(self._predictions)
        self.outputs = cache(self._outputs)

    def prior(self, hidden: Hidden) -> np.ndarray:
        """Return the share of each class among the labelled nodes that are not hidden.

        Parameters
        ----------
        hidden : frozenset of int
            Folds with hidden labels.

        Returns
        -------
        ndarray of shape (n_classes,)
            Shares.
        """
        return self.one_hot[self._labelled(hidden)].mean(axis=0)

    def _classifier(self, layer: int, hidden: Hidden) -> LayerClassifier:
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
        return LayerClassifier(self.estimator_of(layer), features, self.codes[rows], self.n_classes)

    def features(self, layer: int, hidden: Hidden, rows: np.ndarray) -> Any:
        """Return the features of nodes with hidden or unknown labels in a layer.

        Parameters
        ----------
        layer : int
            Number of the layer.
        hidden : frozenset of int
            Folds with hidden labels.
        rows : ndarray of int
            Nodes.

        Returns
        -------
        ndarray or csr_array
            One row per node.
        """
        if layer == 0:
            return self.X[rows]
        outputs, prior = self.outputs(layer - 1, hidden), self.prior(hidden)
        averages = [average_neighbours(weights[rows], outputs, prior) for weights in self.edges]
        own = self.X[rows] if self.passthrough else self.predictions(layer - 1, hidden)[rows]
        return join_columns(own, averages)

    def _predictions(self, layer: int, hidden: Hidden) -> np.ndarray:
        """Return a layer's predictions for all nodes with hidden or unknown labels; NaN for others."""
        predicted = np.full((len(self.codes), self.n_classes), np.nan)
        rows = self._unlabelled(hidden)
        if len(rows):
            predicted[rows] = self.classifier(layer, hidden).predict(self.features(layer, hidden, rows))
        return predicted

    def _outputs(self, layer: int, hidden: Hidden) -> np.ndarray:
        """Return the class probabilities that every node passes to its neighbours after a layer."""
        outputs = self.predictions(layer, hidden).copy()
        rows = self._labelled(hidden)
        if self.known == "labels":
            outputs[rows] = self.one_hot[rows]
            return outputs
        for fold in np.unique(self.folds[rows]).tolist():
            members = np.flatnonzero(self.folds == fold)
            outputs[members] = self.predictions(layer, hidden | {fold})[members]
        return outputs

    def _labelled(self, hidden: Hidden) -> np.ndarray:
        """Return the labelled nodes that are not hidden."""
        return np.flatnonzero((self.folds >= 0) & ~np.isin(self.folds, list(hidden)))

    def _unlabelled(self, hidden: Hidden) -> np.ndarray:
        """Return the nodes with hidden or unknown labels."""
        return np.flatnonzero((self.folds < 0) | np.isin(self.folds, list(hidden)))


class LayerClassifier:
    """A fitted classifier whose predictions have one column per class, also for classes missing in training.

    Parameters
    ----------
    estimator : classifier
        Unfitted classifier; it is cloned.
    features : array-like or sparse matrix of shape (n_nodes, n_features)
        Features of the training nodes.
    codes : ndarray of int of shape (n_nodes,)
        Their classes.
    n_classes : int
        Number of classes.
    """

    def __init__(self, estimator: Any, features: Any, codes: np.ndarray, n_classes: int) -> None:
        self.n_classes = n_classes
        self.seen = np.unique(codes)
        # Many classifiers reject a single class; its probability is 1.
        self.estimator = clone(estimator).fit(features, codes) if len(self.seen) > 1 else None

    def predict(self, features: Any) -> np.ndarray:
        """Return p(class | features); without `predict_proba`, the softmax of the decision function.

        Parameters
        ----------
        features : array-like or sparse matrix of shape (n_nodes, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_nodes, n_classes)
            Probabilities.
        """
        predicted = np.zeros((features.shape[0], self.n_classes))
        if self.estimator is None:
            predicted[:, self.seen] = 1.0
        elif hasattr(self.estimator, "predict_proba"):
            predicted[:, self.seen] = self.estimator.predict_proba(features)
        else:
            scores = np.asarray(self.estimator.decision_function(features))
            if scores.ndim == 1:
                scores = np.column_stack([np.zeros(len(scores)), scores])
            predicted[:, self.seen] = softmax(scores, axis=1)
        return predicted


def average_neighbours(weights: sparse.csr_array, outputs: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the weighted mean of the outputs of neighbours; the prior for nodes without neighbours.

    Parameters
    ----------
    weights : csr_array of shape (n_rows, n_nodes)
        Edge weights; rows sum to 1 or are empty.
    outputs : ndarray of shape (n_nodes, n_classes)
        Class probabilities of the neighbours.
    prior : ndarray of shape (n_classes,)
        Shares of the classes.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Weighted means.
    """
    averages = np.asarray(weights @ outputs)
    averages[np.diff(weights.indptr) == 0] = prior
    return averages


def normalise_rows(edges: sparse.csr_array) -> sparse.csr_array:
    """Return edge weights divided by their row sums.

    Parameters
    ----------
    edges : csr_array
        Edge weights.

    Returns
    -------
    csr_array
        Rows sum to 1 or are empty.
    """
    n_entries = np.diff(edges.indptr)
    scaled = edges.copy()
    # Divide by the maximum first, so that the sums do not overflow.
    scaled.data /= np.repeat(np.asarray(edges.max(axis=1).todense()).ravel(), n_entries)
    scaled.data /= np.repeat(np.asarray(scaled.sum(axis=1)).ravel(), n_entries)
    return scaled


def join_columns(own: Any, averages: list[np.ndarray]) -> Any:
    """Return the features of nodes and the averages over their neighbours side by side.

    Parameters
    ----------
    own : ndarray or csr_array of shape (n_rows, n_features)
        Features of the nodes.
    averages : list of ndarray of shape (n_rows, n_classes)
        Averages over neighbours, one per kind of edges.

    Returns
    -------
    ndarray or csr_array
        Sparse if `own` is sparse.
    """
    if sparse.issparse(own):
        return sparse.csr_array(sparse.hstack([own, *averages], format="csr"))
    return np.hstack([own, *averages])


def stack_rows(pieces: list[Any]) -> Any:
    """Return matrices stacked vertically.

    Parameters
    ----------
    pieces : list of ndarray or csr_array
        Matrices with the same columns.

    Returns
    -------
    ndarray or csr_array
        Sparse if the first matrix is sparse.
    """
    if sparse.issparse(pieces[0]):
        return sparse.csr_array(sparse.vstack(pieces, format="csr"))
    return np.vstack(pieces)


def assign_folds(codes: np.ndarray, n_folds: int, rng: np.random.RandomState) -> np.ndarray:
    """Return a random fold for each labelled node, stratified by class.

    Parameters
    ----------
    codes : ndarray of int of shape (n_nodes,)
        Class of each node, -1 if unknown.
    n_folds : int
        Number of folds.
    rng : RandomState
        Random generator.

    Returns
    -------
    ndarray of int of shape (n_nodes,)
        Folds; -1 for nodes without a label.
    """
    shuffled = rng.permutation(np.flatnonzero(codes >= 0))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    folds = np.full(len(codes), -1)
    folds[by_class] = np.arange(len(by_class)) % n_folds
    return folds
