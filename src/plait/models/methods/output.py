"""Methods for data frames and notebooks: names of the topics as columns, ids as the index, a model as HTML."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from plait._utils.tables import html_table
from plait._utils.text import cut
from plait.corpus import Corpus
from plait.models.answers.listing import frame_kind

_LABEL_WORDS = 3
_SHOWN_TOPICS = 50
_SHOWN_WORDS = 8
_SHOWN_TITLES = 2
_SHOWN_CHARACTERS = 500  # of the parameters


def topic_labels(model: Any) -> list[str]:
    """Return a short unique label of each topic: its name, else its first words.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    list of str
        One label per topic; equal ones are told apart by the number of the topic.
    """
    topics = model.topics(_LABEL_WORDS)
    labels = [topic.name or " ".join(topic.words) for topic in topics]
    repeated = {label for label in labels if labels.count(label) > 1} | {"topic", "id"} & set(labels)
    return [f"{label} ({index})" if label in repeated else label for index, label in enumerate(labels)]


def get_feature_names_out(self: Any, input_features: Any = None) -> np.ndarray:
    """Return the names of the columns of `transform`: the names or first words of the topics.

    Parameters
    ----------
    input_features : None
        Ignored, as in other scikit-learn transformers.

    Returns
    -------
    ndarray of str
        One name per topic. A model without vocabulary has the name of its class and numbers.
    """
    check_is_fitted(self)
    if self.vocabulary_ is None:
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{number}" for number in range(len(self.topic_word_))], dtype=object)
    return np.array(topic_labels(self), dtype=object)


def with_ids(model: Any, X: Any, proportions: np.ndarray) -> Any:
    """Return the result of `transform`, with ids as the index where pandas output is set and X is a Corpus.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    X : object
        The documents as they were given.
    proportions : ndarray of shape (documents, topics)
        Topic proportions.

    Returns
    -------
    ndarray or pandas.DataFrame
        scikit-learn names the columns, and makes Polars frames, which have no index.
    """
    if not isinstance(X, Corpus) or frame_kind(model) != "pandas":
        return proportions
    import pandas

    return pandas.DataFrame(proportions, index=pandas.Index(X.ids, name="id"))


def mime_bundle(self: Any, **_: Any) -> dict[str, str]:
    """Return what a notebook shows: text, and HTML unless scikit-learn's option `display` is "text".

    Returns
    -------
    dict of str to str
        Content by MIME type.
    """
    bundle = {"text/plain": repr(self)}
    if get_config()["display"] == "diagram":
        bundle["text/html"] = html_repr(self)
    return bundle


def html_repr(self: Any) -> str:
    """Return a model for a notebook: its topics with shares, words and titles; scikit-learn's HTML before the fit.

    Returns
    -------
    str
        HTML; texts are escaped.
    """
    if not hasattr(self, "topic_word_"):
        return str(estimator_html_repr(self))
    topics = sorted(self.topics(_SHOWN_WORDS), key=lambda topic: -topic.share)
    named = any(topic.name for topic in topics)
    titled = self.documents_.has_names()
    typical = self.typical_documents(_SHOWN_TITLES) if titled else []
    columns = ["topic", "share", *["name"] * named, "words", *["typical documents"] * titled]
    rows = [
        [
            str(topic.index),
            f"{topic.share:.1%}",
            *[topic.name] * named,
            " ".join(topic.words),
            *["; ".join(document.name for document in typical[topic.index]) for _ in range(titled)],
        ]
        for topic in topics
    ]
    sizes = f"{len(self.documents_):,} documents, {self.topic_word_.shape[1]:,} words, {len(topics)} topics"
    state = ", interrupted" if self.interrupted_ else ""
    head = f"<p><b>{html.escape(type(self).__name__)}</b>: {html.escape(sizes + state)}</p>"
    table = html_table(columns, rows, {"topic", "share"}, most_rows=_SHOWN_TOPICS)
    return f"<div>{head}{table}<p><code>{html.escape(cut(repr(self), _SHOWN_CHARACTERS))}</code></p></div>"
