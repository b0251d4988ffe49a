"""Predicted labels together with their scores, from one fold-in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class LabelPredictions:
    """Predicted labels and the scores of all labels.

    Parameters
    ----------
    classes : list
        All labels.
    scores : array, shape (documents, classes)
        Score of each label; for two classes, the two scores add up to 0.
    labels : list of tuple
        Predicted labels of each document: one, or any number if documents have several.

    Examples
    --------
    >>> predictions = LabelPredictions(["a", "b"], np.array([[0.5, -0.5]]), [("a",)])
    >>> predictions.labels[0]
    ('a',)
    """

    classes: list[Any]
    scores: np.ndarray
    labels: list[tuple[Any, ...]]


def predict_with_scores(model: Any, X: Any, *, links: Any = None) -> LabelPredictions:
    """Return the predicted labels of documents and the scores of all labels.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts labels.
    X : Corpus or array
        Documents.
    links : csr_array, optional
        Links of the documents, for models that follow links.

    Returns
    -------
    LabelPredictions
        Labels and scores.

    Examples
    --------
    >>> from plait import Corpus, MedLDA
    >>> corpus = Corpus.from_texts(["river stream", "bank loan"] * 10, labels=["water", "money"] * 10)
    >>> model = MedLDA(2, n_sweeps=20, n_chains=1, random_state=0, verbose=False).fit(corpus)
    >>> found = predict_with_scores(model, Corpus.from_texts(["river", "bank"]))
    >>> found.classes, found.labels, found.scores.shape
    (['money', 'water'], [('water',), ('money',)], (2, 2))
    """
    classes = model.classes_.tolist()
    scores = np.asarray(model.decision_function(X, links=links), dtype=np.float64)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if model.multilabel_:
        thresholds = label_thresholds(model)
        labels = [tuple(classes[column] for column in np.flatnonzero(row > thresholds)) for row in scores]
    else:
        labels = [(classes[column],) for column in scores.argmax(axis=1)]
    return LabelPredictions(classes, scores, labels)


def label_thresholds(model: Any) -> np.ndarray:
    """Return the scores above which a model predicts labels, if documents have several.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts several labels per document: its own `thresholds_`, or the threshold of the
        response that has one.

    Returns
    -------
    ndarray of shape (labels,)
        The thresholds.

    Examples
    --------
    >>> from plait import MedLDA
    >>> counts, labels = [[3, 0], [0, 3], [2, 2]] * 9, [["a"], ["b"], ["a", "b"]] * 9
    >>> label_thresholds(MedLDA(2, n_sweeps=2, threshold=-0.2, verbose=False).fit(counts, labels)).tolist()
    [-0.2, -0.2]
    """
    if hasattr(model, "thresholds_"):
        return np.asarray(model.thresholds_)
    given = next(holder.threshold for holder in getattr(model, "responses", ()) if hasattr(holder, "threshold"))
    return np.full(len(model.classes_), float(given))
