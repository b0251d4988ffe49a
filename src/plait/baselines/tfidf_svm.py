"""Label prediction by linear support vector machines on TF-IDF vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.baselines.network import read_new
from plait.errors import PlaitError


class TfidfSVM:
    """One linear SVM per label on TF-IDF vectors.

    With one class per document this is scikit-learn's `LinearSVC`, which also trains each class against the rest.

    Parameters
    ----------
    sublinear : bool, default True
        Whether a count n is replaced by 1 + log n. Better for longer texts (20 Newsgroups); the count itself is better
        for short newswire texts.
    c : float, default 1.0
        Penalty parameter C of `LinearSVC`.
    random_state : int, default 0
        Seed of `LinearSVC`.

    Examples
    --------
    >>> counts = np.array([[3, 0], [2, 1], [0, 2], [1, 4]])
    >>> signs = np.array([[1], [1], [-1], [-1]])
    >>> model = TfidfSVM().fit(counts, ["sea", "sky"], signs, multilabel=False)
    >>> model.predict([[5, 1], [0, 1]])
    [('sky',), ('sea',)]
    """

    def __init__(self, *, sublinear: bool = True, c: float = 1.0, random_state: int = 0) -> None:
        self.sublinear = sublinear
        self.c = c
        self.random_state = random_state

    def fit(self, counts: Any, classes: Any, signs: Any, *, multilabel: bool) -> TfidfSVM:
        """Fit the classifiers.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts.
        classes : sequence
            Labels.
        signs : array-like of int of shape (n_documents, n_tasks)
            1 if the document has the label, -1 if it has not, 0 if unknown (the document is not used for this label).
            One column per class; with two classes one column, where 1 is the second class.
        multilabel : bool
            Whether a document may have any number of labels, or exactly one.

        Returns
        -------
        TfidfSVM
            This object.
        """
        from sklearn.feature_extraction.text import TfidfTransformer

        words, tasks = sparse.csr_array(counts), np.asarray(signs)
        self.classes_ = list(classes.tolist() if isinstance(classes, np.ndarray) else classes)
        self.multilabel_ = multilabel
        n_tasks = 1 if len(self.classes_) == 2 and not multilabel else len(self.classes_)
        if tasks.shape != (words.shape[0], n_tasks):
            raise PlaitError(
                f"signs are of shape {tasks.shape}; {words.shape[0]:,} documents and {len(self.classes_):,} "
                f"{'labels' if multilabel else 'classes'} need {(words.shape[0], n_tasks)}"
            )
        self._tfidf = TfidfTransformer(sublinear_tf=self.sublinear)
        # Document frequencies are computed from all documents, also from those without labels.
        weighted = sparse.csr_array(self._tfidf.fit_transform(words))
        self.weights_, self.intercepts_ = np.zeros((n_tasks, words.shape[1])), np.zeros(n_tasks)
        for task in range(n_tasks):
            self.weights_[task], self.intercepts_[task] = self._fit_label(weighted, tasks[:, task])
        return self

    def decision_function(self, counts: Any) -> np.ndarray:
        """Return the predicted score of each label.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts of new documents.

        Returns
        -------
        ndarray of shape (n_documents, n_tasks)
            Decision values.
        """
        words = read_new(counts, self.weights_.shape[1])
        return np.asarray(self._tfidf.transform(words) @ self.weights_.T + self.intercepts_)

    def predict(self, counts: Any) -> list[tuple[Any, ...]]:
        """Return the predicted labels.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts of new documents.

        Returns
        -------
        list of tuple
            Labels of each document: one, or any number for multi-label.
        """
        scores = self.decision_function(counts)
        if self.multilabel_:
            return [tuple(self.classes_[task] for task in np.flatnonzero(row > 0)) for row in scores]
        best = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return [(self.classes_[number],) for number in best]

    def _fit_label(self, weighted: sparse.csr_array, signs: np.ndarray) -> tuple[np.ndarray, float]:
        """Return weights and intercept of one label; if all documents or none have it, the weights are 0."""
        from sklearn.svm import LinearSVC

        known = np.flatnonzero(signs)
        if len(np.unique(signs[known])) < 2:
            return np.zeros(weighted.shape[1]), float(signs[known[0]]) if len(known) else -1.0
        classifier = LinearSVC(C=self.c, random_state=self.random_state).fit(weighted[known], signs[known])
        return classifier.coef_[0], float(classifier.intercept_[0])
