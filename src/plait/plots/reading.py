"""What figures read from a fitted model: names of topics, groups of similar topics, texts for the pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from plait._utils.text import cut
from plait.errors import PlaitError

_NAME_WORDS = 3
_HOVER_WORDS = 10
_HOVER_TITLES = 3
_TITLE = 80  # characters

# Several figures of one model read the same: with 500 topics, top words and the hierarchy take seconds.
_KNOWN: WeakKeyDictionary[Any, tuple[tuple[Any, ...], dict[str, Any]]] = WeakKeyDictionary()


def remember(model: Any, name: str, compute: Callable[[], Any]) -> Any:
    """Return what was computed of a model before, or compute it; a fit or an edit makes it forgotten.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    name : str
        Name of the result.
    compute : callable
        Returns the result.

    Returns
    -------
    object
        The result, which must not be changed.
    """
    state = (id(model.topic_word_), id(model.documents_), tuple(model.topic_names_))
    known = _KNOWN.get(model)
    if known is None or known[0] != state:
        known = _KNOWN[model] = (state, {})
    if name not in known[1]:
        known[1][name] = compute()
    return known[1][name]


def top_words(model: Any) -> Any:
    """Return the topics with their ten most probable words; see `remember`."""
    return remember(model, "words", lambda: model.topics(top=_HOVER_WORDS))


def typical_rows(model: Any, top: int) -> np.ndarray:
    """Return the rows of the documents with the largest proportion of each topic, as in `typical_documents`.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    top : int
        Number of documents per topic.

    Returns
    -------
    ndarray of shape (documents, topics)
        The largest proportion first; of equal ones, the first document.
    """

    def find() -> np.ndarray:
        columns = np.ascontiguousarray(np.asarray(model.doc_topic_).T)
        most = min(top, columns.shape[1])
        found = []
        for column in columns:
            least = -np.partition(-column, most - 1)[most - 1]
            rows = np.flatnonzero(column >= least)
            found.append(rows[np.argsort(-column[rows], kind="stable")][:most])
        return np.stack(found, axis=1)

    rows: np.ndarray = remember(model, f"typical rows {top}", find)
    return rows


def check_model(model: Any, method: str = "topics", what: str = "this figure") -> None:
    """Raise an error unless a model is fitted and has a method.

    Parameters
    ----------
    model : object
        What was given as a model.
    method : str, default "topics"
        Method or attribute that the figure reads.
    what : str, default "this figure"
        The figure, for the message.
    """
    if not hasattr(model, "topic_word_"):
        kind = type(model).__name__
        raise PlaitError(f"{what} needs a fitted model of plait, such as LDA().fit(texts), not {kind}")
    if not hasattr(model, method):
        raise PlaitError(f"{what} needs a model with `{method}`, which {type(model).__name__} does not have")


def topic_names(model: Any) -> list[str]:
    """Return a short name of each topic: its name, else its first words.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    list of str
        One per topic.
    """
    return [one.name or " ".join(one.words[:_NAME_WORDS]) for one in top_words(model)]


def numbered_names(model: Any) -> list[str]:
    """Return the number and the short name of each topic, such as "3 space nasa orbit"."""
    return [f"{index} {name}" for index, name in enumerate(topic_names(model))]


def topic_hovers(model: Any) -> list[str]:
    """Return a text of each topic for the pointer: name, share, words and titles of typical documents.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    list of str
        One per topic.
    """
    return list(remember(model, "hovers", lambda: _make_hovers(model)))


def _make_hovers(model: Any) -> list[str]:
    known = model.documents_
    texts = []
    for topic, rows in zip(top_words(model), typical_rows(model, _HOVER_TITLES).T, strict=True):
        name = f" {topic.name}" if topic.name else ""
        lines = [f"Topic {topic.index}{name}, {topic.share:.1%} of all tokens", " ".join(topic.words)]
        lines += [f"· {cut(known.name(int(row)), _TITLE)}" for row in rows]
        texts.append("\n".join(lines))
    return texts


def group_legend(group_of: Sequence[int], model: Any, n_words: int = 3) -> tuple[tuple[str, int], ...]:
    """Return the legend of groups of topics: the top words of each group.

    Parameters
    ----------
    group_of : sequence of int
        Group of each topic.
    model : TopicEstimator
        A fitted model.
    n_words : int, default 3
        Words per group.

    Returns
    -------
    tuple of (str, int)
        Texts and colours.
    """
    words = top_words(model)
    by_share = sorted(range(len(group_of)), key=lambda topic: -float(model.topic_share_[topic]))
    legend = []
    for group in sorted(set(group_of)):
        inside = [topic for topic in by_share if group_of[topic] == group]
        heads = list(dict.fromkeys(words[topic].name or words[topic].words[0] for topic in inside))
        more = " …" if len(heads) > n_words else ""
        legend.append((", ".join(heads[:n_words]) + more, group))
    return tuple(legend)


def describe_clipping(values: np.ndarray, limit: float) -> str:
    """Return a sentence that says at which value the colours of a heat map end; "" if no value is beyond it.

    Parameters
    ----------
    values : ndarray
        All values that are drawn.
    limit : float
        Value of the last colour; its negative is that of the first one.

    Returns
    -------
    str
        A sentence after a space.

    Examples
    --------
    >>> describe_clipping(np.array([0.5, -2.25, 3.0]), 2.0)
    ' Colours end at ±2; 2 cells are beyond, up to −2.25 and +3.00.'
    >>> describe_clipping(np.array([0.5]), 2.0)
    ''
    """
    n_beyond = int((np.abs(values) > limit).sum())
    if not n_beyond:
        return ""
    ends = [f"{end:+.2f}".replace("-", "−") for end in (values.min(), values.max()) if abs(end) > limit]
    cells = "1 cell is" if n_beyond == 1 else f"{n_beyond:,} cells are"
    return f" Colours end at ±{limit:.2g}; {cells} beyond, up to {' and '.join(ends)}."


def largest_topics(model: Any, most: int) -> list[int]:
    """Return the topics with most tokens, the largest first."""
    return [int(topic) for topic in np.argsort(-np.asarray(model.topic_share_), kind="stable")[:most]]


def document_name(model: Any, row: int) -> str:
    """Return the title of a training document, else the start of its text or its id."""
    return cut(model.documents_.name(row), _TITLE)
