"""Methods of models that explain labels; `MedLDA` documents the fitted attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.texts import as_documents, is_text_frame
from plait.models.answers.explanation import Explanation
from plait.models.answers.labels import LabelPredictions
from plait.models.inputs import read_one_document
from plait.models.methods.availability import explains, gives_probabilities
from plait.models.shared_docs import shared_docs


def true_labels(model: Any, X: Any, y: Any) -> Any:
    """Return y, or where it is None the labels of a Corpus, in the form that `predict` returns.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that explains labels.
    X : texts, Corpus, matrix or data frame
        Documents.
    y : array-like or None
        Their labels.

    Returns
    -------
    array-like
        Labels of all documents.
    """
    if y is not None:
        return y
    corpus = as_documents(X, like=model) if is_text_frame(X) else X
    labels = corpus.labels if isinstance(corpus, Corpus) else None
    if labels is None or not all(labels):
        raise PlaitError(
            "score compares predicted labels with y; give y, or a Corpus in which every document has a label "
            "(perplexity(X) scores the words)"
        )
    if model.multilabel_:
        known = model.classes_.tolist()
        return np.array([[int(label in own) for label in known] for own in labels])
    return np.array([own[0] for own in labels], dtype=model.classes_.dtype)


def label_predictions(model: Any) -> LabelPredictions:
    """Return the predictions of a fitted model that explains labels."""
    check_is_fitted(model)
    return LabelPredictions(
        model._chains(),
        model._place("labels"),
        model._task_layout(),
        model._response("labels"),
        model.classes_,
        model._kind,
        model._sigmoids,
        model._linked_sigmoids,
        vars(model).get("label_choice_"),
        vars(model).get("_label_features"),
    )


@available_if(explains("labels"))
@shared_docs
def decision_function(self: Any, X: Any, *, links: Any = None, features: Any = None) -> np.ndarray:
    """Return the score of every label for every document, averaged over samples; higher speaks for the label.

    A document has the label if the score is above 0, or where it may have several labels, above that of `thresholds_`.

    <Parameters: documents, links, label_features>

    Returns
    -------
    ndarray of shape (documents, labels) or (documents,)
        Scores; for two classes one per document, that of ``classes_[1]``.
    """
    return label_predictions(self).decision_function(self._documents(X, "decision_function", links, features))


@available_if(explains("labels"))
@shared_docs
def predict(self: Any, X: Any, *, links: Any = None, features: Any = None) -> np.ndarray:
    """Return the predicted label of every document.

    <Parameters: documents, links, label_features>

    Returns
    -------
    ndarray of shape (documents,) or (documents, labels)
        Labels; where a document may have several, an indicator matrix (0 or 1) with the columns of `classes_`.
    """
    return label_predictions(self).predict(self._documents(X, "predict", links, features))


@available_if(explains("labels"))
@shared_docs
def predict_labels(self: Any, X: Any, *, links: Any = None, features: Any = None) -> list[tuple[Any, ...]]:
    """Return the predicted labels of every document as a tuple.

    <Parameters: documents, links, label_features>

    Returns
    -------
    list of tuple
        One label per document, or any number of them.
    """
    return label_predictions(self).predict_labels(self._documents(X, "predict_labels", links, features))


@available_if(gives_probabilities)
@shared_docs
def predict_proba(self: Any, X: Any, *, links: Any = None, features: Any = None) -> np.ndarray:
    """Return the probability of each label.

    The probabilities come from sigmoid curves that are fitted to held-out scores of training documents if a setting
    is "auto" or the model has features. With `calibrate` they are fitted to labels that were set aside; documents with
    links have curves of their own. Otherwise they are those of the logistic loss, which are overconfident if c > 1.

    <Parameters: documents, links, label_features>

    Returns
    -------
    ndarray of shape (documents, labels)
        Rows sum to 1, unless a document may have several labels.
    """
    return label_predictions(self).predict_proba(self._documents(X, "predict_proba", links, features))


@available_if(explains("labels"))
@shared_docs
def explain(self: Any, document: Any, label: Any = None, top: int = 10, *, features: Any = None) -> Explanation:
    """Return the topics, words and features of a document that raise or lower the score of a label.

    <Parameters: document>
    label : object, optional
        One of `classes_`; None: the label with the highest score.
    <top>
    <label_features>

    Returns
    -------
    Explanation
        The largest contributions.
    """
    check_is_fitted(self)
    one = read_one_document(self, document, self._real)._replace(features=features)
    return label_predictions(self).explain(one, label, top, self._topics())
