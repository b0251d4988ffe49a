"""Classification from a document's features and its neighbours' predicted labels.

Stacked graphical learning (Kou and Cohen, 2007), as used by Bíró and Szabó (2009): a classifier is trained on the
features of the nodes; the mean prediction for each node's neighbours is added to its features; a classifier is trained
again, once or several times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.graph.edges import read_weights, without_self_edges
from plait.graph.layers import (
    NO_FOLDS,
    Known,
    Layers,
    assign_folds,
    average_neighbours,
    join_columns,
    normalise_rows,
)


class StackedGraphClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that adds the mean predictions for each node's neighbours to its features.

    Usually all documents, their graph and some labels are known. `fit` takes them all, with None for unknown labels,
    and stores the predicted labels in `transduction_`. New documents are passed to `predict` with their edges.

    A training node's features never depend on its label: they are computed with the labels of its whole fold hidden in
    all layers, as if it were a new node. Nodes without neighbours get the shares of the classes.

    Parameters
    ----------
    base : classifier or None, default None
        Classifier of the nodes' own features: any scikit-learn classifier with `predict_proba` or `decision_function`
        (whose softmax is used). None for a logistic regression.
    final : classifier or None, default None
        Classifier of the extended features; None for `base`.
    n_layers : int, default 1
        Number of times that features are extended. One layer uses neighbours, two also the neighbours of neighbours.
    known : {"labels", "predicted"}, default "labels"
        What labelled nodes pass to their neighbours: the label (1 for it, 0 for the others), as in Bíró and Szabó
        (2009), or the prediction made without their label, as in Kou and Cohen (2007).
    passthrough : bool, default True
        Whether layers above the first use the features X. Otherwise they use the node's own prediction instead, which
        has fewer columns.
    folds : int, default 5
        Number of folds of labelled nodes, at least n_layers + 1 for "labels" and 2 n_layers + 1 for "predicted". With F
        folds and one layer, F + 2 classifiers are trained for "labels", F (F + 1) / 2 + 2 for "predicted"; more with
        more layers.
    random_state : int, RandomState or None, default None
        Seed of the folds, and of classifiers whose own `random_state` is None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes.
    transduction_ : ndarray of shape (n_nodes,)
        Class of each training node: the given label, or the predicted one.
    label_distributions_ : ndarray of shape (n_nodes, n_classes)
        Class probabilities of each training node; 1 for a given label.
    n_nodes_ : int
        Number of training nodes.

    Examples
    --------
    The features are uninformative here, the neighbours are not; two nodes of each ring have no label:

    >>> ring = np.roll(np.eye(8), 1, axis=1)
    >>> links = np.kron(np.eye(2), ring + ring.T)
    >>> labels = [*"aaaaaa", None, None, *"bbbbbb", None, None]
    >>> model = StackedGraphClassifier(folds=3, random_state=0).fit(np.zeros((16, 1)), labels, edges=links)
    >>> model.transduction_[[6, 7, 14, 15]].tolist()
    ['a', 'a', 'b', 'b']
    >>> model.predict(np.zeros((1, 1)), edges=[[0] * 8 + [1] * 8]).tolist()
    ['b']
    """

    def __init__(
        self,
        base: Any = None,
        final: Any = None,
        *,
        n_layers: int = 1,
        known: Known = "labels",
        passthrough: bool = True,
        folds: int = 5,
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.final = final
        self.n_layers = n_layers
        self.known = known
        self.passthrough = passthrough
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any, edges: Any = None) -> StackedGraphClassifier:
        """Fit to nodes of which some or all have labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_nodes, n_features)
            Features of all nodes.
        y : sequence of length n_nodes
            Class of each node; None or NaN if unknown. `Corpus.label_vector()` returns this form.
        edges : array-like or sparse matrix of shape (n_nodes, n_nodes), or a sequence of them, default None
            Entry (u, v) is the weight of neighbour v for node u; see `edge_weights`. Each matrix adds its own features.
            Diagonals are ignored. Without edges, `base` is trained on the labelled nodes.

        Returns
        -------
        StackedGraphClassifier
            This object.
        """
        self._check_parameters()
        X = validate_data(self, X, accept_sparse="csr", dtype=None)
        X = sparse.csr_array(X) if sparse.issparse(X) else X
        codes = self._read_classes(y, X.shape[0])
        matrices = [] if edges is None else _read_edges(edges, [X.shape[0]])
        rng = check_random_state(self.random_state)
        self.n_nodes_, self.n_edge_kinds_ = X.shape[0], len(matrices)
        estimators = self._make_estimators(int(rng.randint(np.iinfo(np.int32).max)))
        if not matrices:
            estimators = estimators[:1]
        layers = Layers(
            X,
            codes,
            self._assign_folds(codes, rng) if matrices else np.where(codes >= 0, 0, -1),
            [normalise_rows(without_self_edges(matrix)) for matrix in matrices],
            n_classes=len(self.classes_),
            estimator_of=estimators.__getitem__,
            known=self.known,
            passthrough=self.passthrough,
        )
        top = len(estimators) - 1
        self._classifiers = [layers.classifier(layer, NO_FOLDS) for layer in range(top + 1)]
        self._outputs = [layers.outputs(layer, NO_FOLDS) for layer in range(top)]
        self._prior = layers.prior(NO_FOLDS)
        distributions = layers.predictions(top, NO_FOLDS)
        self.label_distributions_ = np.where((codes >= 0)[:, np.newaxis], layers.one_hot, distributions)
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        return self

    def predict_proba(self, X: Any, edges: Any = None) -> np.ndarray:
        """Return the probability of each class for new nodes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Features of the new nodes.
        edges : matrix of shape (n_new, n_nodes) or (n_new, n_nodes + n_new), or a sequence of them, default None
            Weights of the training nodes, and optionally of the new nodes, as neighbours of each new node. Give as many
            matrices as to `fit`, and an empty matrix for nodes without edges.

        Returns
        -------
        ndarray of shape (n_new, n_classes)
            Probabilities.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=None, reset=False)
        X = sparse.csr_array(X) if sparse.issparse(X) else X
        weights = self._read_new_edges(edges, X.shape[0])
        predicted = self._classifiers[0].predict(X)
        for classifier, outputs in zip(self._classifiers[1:], self._outputs, strict=True):
            everything = np.vstack([outputs, predicted])
            averages = [average_neighbours(matrix, everything, self._prior) for matrix in weights]
            predicted = classifier.predict(join_columns(X if self.passthrough else predicted, averages))
        return predicted

    def predict(self, X: Any, edges: Any = None) -> np.ndarray:
        """Return the most likely class of each new node.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Features of the new nodes.
        edges : matrix or sequence of matrices, default None
            Edges of the new nodes, as for `predict_proba`.

        Returns
        -------
        ndarray of shape (n_new,)
            Classes.
        """
        probabilities = self.predict_proba(X, edges)
        return self.classes_[probabilities.argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None, edges: Any = None) -> float:
        """Return the accuracy on new nodes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Features of the new nodes.
        y : array-like of shape (n_new,)
            True classes.
        sample_weight : array-like of shape (n_new,), default None
            Weights of the nodes.
        edges : matrix or sequence of matrices, default None
            Edges of the new nodes, as for `predict_proba`.

        Returns
        -------
        float
            Share of nodes with the correct class.
        """
        correct = self.predict(X, edges) == np.asarray(y)
        return float(np.average(correct, weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        """Raise an error if a parameter is invalid."""
        n_layers = check_whole("n_layers", self.n_layers, least=1)
        if self.known not in get_args(Known):
            raise PlaitError(f"known is {self.known!r}; give one of {', '.join(map(repr, get_args(Known)))}")
        least = n_layers + 1 if self.known == "labels" else 2 * n_layers + 1
        if check_whole("folds", self.folds, least=2) < least:
            raise PlaitError(
                f"folds is {self.folds}, but {n_layers} layers with known={self.known!r} hide up to {least - 1} folds "
                f"at a time; set folds to {least} or more"
            )

    def _read_classes(self, y: Any, n_nodes: int) -> np.ndarray:
        """Set `classes_`, and return the code of each node's class, -1 if unknown."""
        if y is None:
            raise PlaitError("requires y to be passed, but the target y is None; give the classes of the nodes")
        labels = column_or_1d(y if hasattr(y, "__array__") else np.array(list(y), dtype=object), warn=True)
        check_consistent_length(labels, np.empty(n_nodes))
        missing = np.array([label is None or label != label for label in labels], dtype=bool)
        known = labels[~missing]
        if not len(known):
            raise PlaitError(f"none of the {n_nodes:,} nodes has a label; give labels for some of them")
        if known.dtype == object:
            if len({isinstance(label, str) for label in known}) > 1:
                raise PlaitError("y has labels that are text and labels that are not; give labels of one type")
            known = np.array(known.tolist())
        check_classification_targets(known)
        self.classes_, numbers = np.unique(known, return_inverse=True)
        codes = np.full(n_nodes, -1)
        codes[~missing] = numbers
        return codes

    def _make_estimators(self, seed: int) -> list[Any]:
        """Return the unfitted classifier of each layer."""
        base = LogisticRegression(max_iter=1000) if self.base is None else self.base
        final = base if self.final is None else self.final
        return [_set_seed(base, seed), *[_set_seed(final, seed)] * self.n_layers]

    def _assign_folds(self, codes: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """Return the fold of each node; raise an error if there are fewer labelled nodes than folds."""
        n_labelled = int((codes >= 0).sum())
        if n_labelled < self.folds:
            raise PlaitError(
                f"{n_labelled} labelled nodes cannot make {self.folds} folds; give more labels, or fewer folds"
            )
        return assign_folds(codes, self.folds, rng)

    def _read_new_edges(self, edges: Any, n_new: int) -> list[sparse.csr_array]:
        """Return the normalised edges of new nodes to training nodes and to each other."""
        if edges is None and self.n_edge_kinds_:
            raise PlaitError(
                "the model was fitted with edges, so new nodes need edges too; for nodes without edges give an empty "
                f"matrix, scipy.sparse.csr_array(({n_new}, {self.n_nodes_})). For training nodes see transduction_"
            )
        matrices = [] if edges is None else _read_edges(edges, [self.n_nodes_, self.n_nodes_ + n_new], n_new)
        if len(matrices) != self.n_edge_kinds_:
            raise PlaitError(
                f"edges are {len(matrices)} matrices, and fit was given {self.n_edge_kinds_}; give the same number"
            )
        weights = []
        for matrix in matrices:
            among = matrix[:, self.n_nodes_ :]
            if not among.shape[1]:
                among = sparse.csr_array((n_new, n_new))
            whole = sparse.hstack([matrix[:, : self.n_nodes_], without_self_edges(among)], format="csr")
            weights.append(normalise_rows(sparse.csr_array(whole)))
        return weights


def _read_edges(edges: Any, n_columns: list[int], n_rows: int | None = None) -> list[sparse.csr_array]:
    """Return matrices of edges; raise an error unless the number of columns is one of `n_columns`."""
    several = isinstance(edges, Sequence) and len(edges) > 0 and (sparse.issparse(edges[0]) or np.ndim(edges[0]) == 2)
    wanted = n_columns[0] if n_rows is None else n_rows
    matrices = []
    for number, weights in enumerate(edges if several else [edges]):
        name = f"edges[{number}]" if several else "edges"
        matrix = read_weights(weights, name)
        if matrix.shape[0] != wanted or matrix.shape[1] not in n_columns:
            shapes = " or ".join(f"{wanted:,} × {columns:,}" for columns in n_columns)
            raise PlaitError(
                f"{name} are of shape {matrix.shape[0]:,} × {matrix.shape[1]:,}; these nodes need {shapes}"
            )
        matrices.append(matrix)
    return matrices


def _set_seed(estimator: Any, seed: int) -> Any:
    """Return a clone in which every `random_state` that is None is replaced by a seed."""
    copy = clone(estimator)
    names = [name for name, value in copy.get_params().items() if name.endswith("random_state") and value is None]
    return copy.set_params(**dict.fromkeys(names, seed))
