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
GROUPS = 8  # of similar topics, each with its colour

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


def hierarchy_of(model: Any) -> Any:
    """Return the hierarchy of the topics; see `remember`."""
    return remember(model, "hierarchy", model.topic_hierarchy)


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
    typical = model.typical_documents(top=_HOVER_TITLES)
    texts = []
    for topic, documents in zip(top_words(model), typical, strict=True):
        name = f" {topic.name}" if topic.name else ""
        lines = [f"Topic {topic.index}{name}, {topic.share:.1%} of all tokens", " ".join(topic.words)]
        lines += [f"· {cut(one.title or one.name or one.id, _TITLE)}" for one in documents]
        texts.append("\n".join(lines))
    return texts


def topic_groups(model: Any, most: int = GROUPS) -> list[int]:
    """Return the group of similar topics of each topic, the group with most tokens first.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    most : int, default 8
        Number of groups.

    Returns
    -------
    list of int
        Number of the group of each topic.
    """
    return number_groups(hierarchy_of(model), model.topic_share_, most)


def number_groups(hierarchy: Any, shares: np.ndarray, most: int = GROUPS) -> list[int]:
    """Return the group of each topic in a hierarchy that is at hand; see `topic_groups`."""
    n_topics = len(shares)
    groups = hierarchy.groups(min(most, n_topics))
    order = sorted(groups, key=lambda topics: -float(shares[topics].sum()))
    group_of = {topic: number for number, topics in enumerate(order) for topic in topics}
    return [group_of[topic] for topic in range(n_topics)]


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


def largest_topics(model: Any, most: int) -> list[int]:
    """Return the topics with most tokens, the largest first."""
    return [int(topic) for topic in np.argsort(-np.asarray(model.topic_share_), kind="stable")[:most]]


def document_name(model: Any, row: int) -> str:
    """Return the title of a training document, else the start of its text or its id."""
    return cut(model.documents_.name(row), _TITLE)
