"""The words that the columns of a matrix of counts stand for, where the matrix itself has no names."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np

from plait.corpus.container.validate import check_texts
from plait.corpus.values import shown
from plait.errors import PlaitError

_FORMS = "give a list of words, one per column, or a fitted vectorizer"


def column_words(vocabulary: Any, n_columns: int) -> np.ndarray:
    """Return the word of each column of a matrix of counts.

    Parameters
    ----------
    vocabulary : sequence of str, fitted vectorizer or fitted Pipeline
        The words in the order of the columns, or what made the columns: anything with ``get_feature_names_out``.
    n_columns : int
        Number of columns.

    Returns
    -------
    object array of str
        The words.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> vectorizer = CountVectorizer().fit(["red fox", "blue sea"])
    >>> column_words(vectorizer, 4).tolist()
    ['blue', 'fox', 'red', 'sea']
    """
    words = list(_feature_names(vocabulary))
    if len(words) != n_columns:
        raise PlaitError(f"vocabulary has {len(words):,} words but X has {n_columns:,} columns; {_FORMS}")
    position_of: dict[str, int] = {}
    for position, word in enumerate(words):
        if not isinstance(word, str):
            raise PlaitError(f"vocabulary[{position}] is {shown(word)}, not text; {_FORMS}")
        if word in position_of:
            raise PlaitError(
                f"vocabulary[{position}] is {shown(word)}, and so is vocabulary[{position_of[word]}]; give each "
                "column its own word"
            )
        position_of[word] = position
    check_texts("vocabulary", words)
    array = np.empty(n_columns, dtype=object)
    array[:] = [str(word) for word in words]
    return array


def name_words(model: Any, vocabulary: Any = None) -> Any:
    """Give a topic model that was fitted to a matrix the words of its columns.

    Parameters
    ----------
    model : fitted topic model, Pipeline or search
        A Pipeline whose last step is a topic model, a search such as GridSearchCV over either, or the model itself.
    vocabulary : sequence of str, fitted vectorizer or None, default None
        As in `column_words`. None: the names of the features that the steps before the model return.

    Returns
    -------
    topic model
        The fitted topic model, with `vocabulary_` set.

    Examples
    --------
    >>> from plait import LDA
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["red fox", "blue sea", "red sea"] * 4
    >>> pipeline = make_pipeline(CountVectorizer(), LDA(n_topics=2, verbose=False)).fit(texts)
    >>> name_words(pipeline).vocabulary_.tolist()
    ['blue', 'fox', 'red', 'sea']
    """
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "steps"):
        if vocabulary is None and len(model.steps) > 1:
            vocabulary = model[:-1]
        model = model.steps[-1][1]
    if not hasattr(model, "topic_word_"):
        raise PlaitError(f"name_words needs a fitted topic model, not {type(model).__name__}; call fit first")
    if vocabulary is None:
        raise PlaitError(f"{type(model).__name__} has no step before it that names the columns; {_FORMS}")
    model.vocabulary_ = column_words(vocabulary, model.topic_word_.shape[1])
    return model


def pipeline_words(estimator: Any, n_columns: int) -> np.ndarray | None:
    """Return the words of the columns if a Pipeline of scikit-learn is fitting the model as its last step.

    A Pipeline does not pass the names of features on, but its steps before the model are fitted by now, so they are
    asked for them.

    Parameters
    ----------
    estimator : topic model
        The model that is fitted.
    n_columns : int
        Number of columns.

    Returns
    -------
    object array of str or None
        The words; None if no Pipeline fits the model, or if its steps do not name each column.

    Examples
    --------
    >>> from plait import LDA
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["red fox", "blue sea", "red sea"] * 4
    >>> pipeline = make_pipeline(CountVectorizer(), LDA(n_topics=2, verbose=False)).fit(texts)
    >>> pipeline[-1].vocabulary_.tolist()
    ['blue', 'fox', 'red', 'sea']
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") == "sklearn.pipeline":
            pipeline: Any = frame.f_locals.get("self")
            steps = getattr(pipeline, "steps", [])
            if len(steps) > 1 and steps[-1][1] is estimator:
                return _named_columns(pipeline[:-1], n_columns)
        frame = frame.f_back
    return None


def _named_columns(steps: Any, n_columns: int) -> np.ndarray | None:
    try:
        return column_words(steps, n_columns)
    except (AttributeError, ValueError):  # a step names no features, or not each by its own text
        return None


def _feature_names(vocabulary: Any) -> Any:
    if hasattr(vocabulary, "get_feature_names_out"):
        from sklearn.exceptions import NotFittedError

        name = type(vocabulary).__name__
        try:
            return vocabulary.get_feature_names_out()
        except NotFittedError:
            raise PlaitError(
                f"vocabulary is a {name} that is not fitted; fit it first. In a search over a Pipeline, leave "
                "vocabulary out and call plait.name_words(search) after fit"
            ) from None
    if isinstance(vocabulary, str) or np.ndim(vocabulary) != 1:
        raise PlaitError(f"vocabulary is {shown(vocabulary)}; {_FORMS}")
    return vocabulary
