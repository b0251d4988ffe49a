"""Classification of linked documents by what they are and by what their neighbours are held to be.

Stacked graphical learning (Kou and Cohen, 2007), as Bíró and Szabó (2009) use it: any classifier is trained on the
features of the nodes; the mean prediction of each node's neighbours is put beside its features; a classifier is
trained again, once or more often.
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
from plait.graph.layers import NOTHING, Known, Layers, deal_folds, extend, hear, mean_weights


class StackedGraphClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose features are extended by the mean predictions of each node's neighbours.

    The usual case is that all documents and their graph are known, and some labels: `fit` takes them all, with None
    for labels that are not known, and what it makes of the others stands in `transduction_`. Documents that come
    later are given to `predict` with their edges.

    A node is never learnt from features that know its label: they are made with the labels of its whole fold hidden,
    in all layers, as if it were a new node. Nodes without neighbours hear the shares of the classes.

    Parameters
    ----------
    base : classifier, optional
        The learner of the nodes' own features: any of scikit-learn's with `predict_proba` or `decision_function`
        (whose scores go through a softmax). By default a logistic regression.
    final : classifier, optional
        The learner of the extended features; by default the same as `base`.
    n_layers : int
        How often features are extended. One layer hears of neighbours, two hear of their neighbours too.
    known : {"labels", "predicted"}
        What nodes with a known label show their neighbours: the label (1 for it, 0 for the others), as in Bíró and
        Szabó (2009), or what is predicted for them without their label, as in Kou and Cohen (2007).
    passthrough : bool
        Whether layers above the first see the features X. If not, they see the node's own prediction in place of them:
        few columns in place of many.
    folds : int
        In how many folds the labelled nodes are dealt. At least n_layers + 1 for "labels", 2 n_layers + 1 for
        "predicted". With F folds and one layer, F + 2 learners are trained for "labels", F (F + 1) / 2 + 2 for
        "predicted"; more for more layers.
    random_state : int, RandomState or None
        Deals the folds, and is the seed of learners whose own `random_state` is None.

    Attributes
    ----------
    classes_ : array
        The classes.
    transduction_ : array of shape (nodes,)
        A class for each node of `fit`: the label that was given, or the one predicted.
    label_distributions_ : array of shape (nodes, classes)
        The same as probabilities: 1 for a label that was given.
    n_nodes_ : int
        How many nodes `fit` was given.

    Examples
    --------
    Features say nothing here, neighbours do; two nodes of each ring have no label:

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
        """Learn from nodes, some or all of which have labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (nodes, features)
            The features of all nodes.
        y : sequence of length nodes
            The class of each node; None or NaN where it is not known. `Corpus.label_vector()` is of this form.
        edges : array or sparse matrix of shape (nodes, nodes), or a sequence of them, optional
            Entry (u, v): how much u hears of v; `edge_weights` makes them. Each matrix of several adds features of
            its own. Diagonals are left out. Without edges this is `base`, trained on the labelled nodes.

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
        learners = self._learners(int(rng.randint(np.iinfo(np.int32).max)))
        if not matrices:
            learners = learners[:1]
        layers = Layers(
            X,
            codes,
            self._deal(codes, rng) if matrices else np.where(codes >= 0, 0, -1),
            [mean_weights(without_self_edges(matrix)) for matrix in matrices],
            n_classes=len(self.classes_),
            learner_of=learners.__getitem__,
            known=self.known,
            passthrough=self.passthrough,
        )
        top = len(learners) - 1
        self._learnt = [layers.learner(layer, NOTHING) for layer in range(top + 1)]
        self._shown = [layers.shown(layer, NOTHING) for layer in range(top)]
        self._prior = layers.prior(NOTHING)
        distributions = layers.predictions(top, NOTHING)
        self.label_distributions_ = np.where((codes >= 0)[:, np.newaxis], layers.one_hot, distributions)
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        return self

    def predict_proba(self, X: Any, edges: Any = None) -> np.ndarray:
        """Return the probability of each class for new nodes.

        Parameters
        ----------
        X : array or sparse matrix of shape (new nodes, features)
            Their features.
        edges : array or sparse matrix of shape (new nodes, nodes) or (new nodes, nodes + new nodes), or a sequence
            How much each new node hears of each node of `fit`, and, in further columns, of each new node. As many
            matrices as `fit` was given. For nodes without edges give an empty matrix.

        Returns
        -------
        array of shape (new nodes, classes)
            Probabilities.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=None, reset=False)
        X = sparse.csr_array(X) if sparse.issparse(X) else X
        weights = self._read_new_edges(edges, X.shape[0])
        predicted = self._learnt[0].predict(X)
        for learner, shown in zip(self._learnt[1:], self._shown, strict=True):
            heard = [hear(matrix, np.vstack([shown, predicted]), self._prior) for matrix in weights]
            predicted = learner.predict(extend(X if self.passthrough else predicted, heard))
        return predicted

    def predict(self, X: Any, edges: Any = None) -> np.ndarray:
        """Return the likeliest class of each new node; X and edges as for `predict_proba`."""
        probabilities = self.predict_proba(X, edges)
        return self.classes_[probabilities.argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None, edges: Any = None) -> float:
        """Return the share of new nodes whose class is right; X and edges as for `predict_proba`."""
        right = self.predict(X, edges) == np.asarray(y)
        return float(np.average(right, weights=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        n_layers = check_whole("n_layers", self.n_layers, least=1)
        if self.known not in get_args(Known):
            raise PlaitError(f"known is {self.known!r}; give one of {', '.join(map(repr, get_args(Known)))}")
        least = n_layers + 1 if self.known == "labels" else 2 * n_layers + 1
        if check_whole("folds", self.folds, least=2) < least:
            raise PlaitError(
                f"{n_layers} layers with known={self.known!r} hide up to {least - 1} folds at a time, so there must be "
                f"{least} or more; folds is {self.folds}"
            )

    def _read_classes(self, y: Any, n_nodes: int) -> np.ndarray:
        """Set the classes, and return the number of each node's class, -1 where it is not known."""
        if y is None:
            raise PlaitError("requires y to be passed, but the target y is None; give the classes of the nodes")
        labels = column_or_1d(y if hasattr(y, "__array__") else np.array(list(y), dtype=object), warn=True)
        check_consistent_length(labels, np.empty(n_nodes))
        missing = np.array([label is None or label != label for label in labels], dtype=bool)
        known = labels[~missing]
        if not len(known):
            raise PlaitError(f"none of the {n_nodes:,} nodes has a label, so there is nothing to learn from")
        if known.dtype == object:
            if len({isinstance(label, str) for label in known}) > 1:
                raise PlaitError("y has labels that are text and labels that are not; give labels of one kind")
            known = np.array(known.tolist())
        check_classification_targets(known)
        self.classes_, numbers = np.unique(known, return_inverse=True)
        codes = np.full(n_nodes, -1)
        codes[~missing] = numbers
        return codes

    def _learners(self, seed: int) -> list[Any]:
        """Return an untrained learner for each layer."""
        base = LogisticRegression(max_iter=1000) if self.base is None else self.base
        final = base if self.final is None else self.final
        return [_seeded(base, seed), *[_seeded(final, seed)] * self.n_layers]

    def _deal(self, codes: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        n_labelled = int((codes >= 0).sum())
        if n_labelled < self.folds:
            raise PlaitError(
                f"{n_labelled} labelled nodes cannot make {self.folds} folds; give more labels, or fewer folds"
            )
        return deal_folds(codes, self.folds, rng)

    def _read_new_edges(self, edges: Any, n_new: int) -> list[sparse.csr_array]:
        """Return edges of new nodes to nodes of `fit` and to one another."""
        if edges is None and self.n_edge_kinds_:
            raise PlaitError(
                "fit was given edges, so new nodes need edges too; for nodes without any give an empty matrix, "
                f"scipy.sparse.csr_array(({n_new}, {self.n_nodes_})). For the nodes of fit see transduction_"
            )
        matrices = [] if edges is None else _read_edges(edges, [self.n_nodes_, self.n_nodes_ + n_new], n_new)
        if len(matrices) != self.n_edge_kinds_:
            raise PlaitError(f"edges are {len(matrices)} matrices, and fit was given {self.n_edge_kinds_}")
        weights = []
        for matrix in matrices:
            among = matrix[:, self.n_nodes_ :]
            if not among.shape[1]:
                among = sparse.csr_array((n_new, n_new))
            whole = sparse.hstack([matrix[:, : self.n_nodes_], without_self_edges(among)], format="csr")
            weights.append(mean_weights(sparse.csr_array(whole)))
        return weights


def _read_edges(edges: Any, n_columns: list[int], n_rows: int | None = None) -> list[sparse.csr_array]:
    """Return matrices of edges, whose numbers of columns must be one of those given."""
    several = isinstance(edges, Sequence) and len(edges) > 0 and (sparse.issparse(edges[0]) or np.ndim(edges[0]) == 2)
    wanted = n_columns[0] if n_rows is None else n_rows
    matrices = []
    for number, weights in enumerate(edges if several else [edges]):
        name = f"edges[{number}]" if several else "edges"
        matrix = read_weights(weights, name)
        if matrix.shape[0] != wanted or matrix.shape[1] not in n_columns:
            shapes = " or ".join(f"{wanted:,} × {columns:,}" for columns in n_columns)
            raise PlaitError(
                f"{name} are of shape {matrix.shape[0]:,} × {matrix.shape[1]:,}, and these nodes need {shapes}"
            )
        matrices.append(matrix)
    return matrices


def _seeded(learner: Any, seed: int) -> Any:
    """Return a copy of a learner in which nothing is left to chance."""
    copy = clone(learner)
    names = [name for name, value in copy.get_params().items() if name.endswith("random_state") and value is None]
    return copy.set_params(**dict.fromkeys(names, seed))
