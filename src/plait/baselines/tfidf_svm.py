"""Linear support vector machines on TF-IDF: what a topic model that predicts labels must stand beside."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError


class TfidfSVM:
    """One linear SVM a label on words weighed by TF-IDF.

    For one class of several this is scikit-learn's `LinearSVC`, which also sets each class against the rest.

    Parameters
    ----------
    sublinear : bool
        Whether a word that stands n times counts as 1 + log n. Better for longer texts (20 Newsgroups); short
        newswire does better with n itself.
    c : float
        The cost of errors, C of `LinearSVC`.
    random_state : int
        Liblinear visits documents at random.

    Examples
    --------
    >>> counts = np.array([[3, 0], [2, 1], [0, 2], [1, 4]])
    >>> signs = np.array([[1], [1], [-1], [-1]])
    >>> machine = TfidfSVM().fit(counts, ["sea", "sky"], signs, multilabel=False)
    >>> machine.predict([[5, 1], [0, 1]])
    [('sky',), ('sea',)]
    """

    def __init__(self, *, sublinear: bool = True, c: float = 1.0, random_state: int = 0) -> None:
        self.sublinear = sublinear
        self.c = c
        self.random_state = random_state

    def fit(self, counts: Any, classes: Any, signs: Any, *, multilabel: bool) -> TfidfSVM:
        """Learn labels from counts.

        Parameters
        ----------
        counts : array or sparse matrix of shape (documents, words)
            How often each word stands in each document.
        classes : sequence
            The labels.
        signs : array of shape (documents, tasks)
            1 for yes, -1 for no, 0 for not known (the document is left out of this task). One column a class; or
            one column for two classes, where 1 means the second.
        multilabel : bool
            Whether a document may have any number of the labels, or exactly one.

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
        # Documents without labels still say how common a word is.
        weighed = sparse.csr_array(self._tfidf.fit_transform(words))
        self.weights_, self.intercepts_ = np.zeros((n_tasks, words.shape[1])), np.zeros(n_tasks)
        for task in range(n_tasks):
            self.weights_[task], self.intercepts_[task] = self._separate(weighed, tasks[:, task])
        return self

    def decision_function(self, counts: Any) -> np.ndarray:
        """Return how strongly each document is held to have each label (documents × tasks)."""
        words = sparse.csr_array(counts)
        if words.shape[1] != self.weights_.shape[1]:
            raise PlaitError(
                f"the documents have {words.shape[1]:,} words, those of training had {self.weights_.shape[1]:,}; "
                "lay a corpus onto the words of training with corpus.with_vocabulary"
            )
        return np.asarray(self._tfidf.transform(words) @ self.weights_.T + self.intercepts_)

    def predict(self, counts: Any) -> list[tuple[Any, ...]]:
        """Return the labels of each document: one, or any number for multi-label."""
        scores = self.decision_function(counts)
        if self.multilabel_:
            return [tuple(self.classes_[task] for task in np.flatnonzero(row > 0)) for row in scores]
        best = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return [(self.classes_[number],) for number in best]

    def _separate(self, weighed: sparse.csr_array, signs: np.ndarray) -> tuple[np.ndarray, float]:
        """Return weights and intercept of one label; a label that all or none have is decided by the intercept."""
        from sklearn.svm import LinearSVC

        known = np.flatnonzero(signs)
        if len(np.unique(signs[known])) < 2:
            return np.zeros(weighed.shape[1]), float(signs[known[0]]) if len(known) else -1.0
        machine = LinearSVC(C=self.c, random_state=self.random_state).fit(weighed[known], signs[known])
        return machine.coef_[0], float(machine.intercept_[0])
