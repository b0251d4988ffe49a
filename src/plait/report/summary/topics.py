"""Topics in a report: the largest first, with their words and typical documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.plots.reading import top_words, typical_rows

_MAX_TOPICS = 500
_POOL = 18  # words per weight of relevance
_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
_NAME_WORDS = 4  # words that identify a topic in other tables


@dataclass(frozen=True)
class TopicName:
    """A topic as it is named in other tables.

    Attributes
    ----------
    index : int
        Number of the topic.
    name : str
        Its name; "" for none.
    words : tuple of str
        The first words of the topic.
    """

    index: int
    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class TypicalDocument:
    """A document and the share of a topic in it.

    Attributes
    ----------
    id : str
        Id of the document.
    share : float
        Share of the topic in the document.
    title : str
        Title of the document; "" if it is not known.
    excerpt : str
        First characters of its text; "" if they are not known.
    row : int
        Row of the document in the model.
    """

    id: str
    share: float
    title: str
    excerpt: str
    row: int = -1


@dataclass(frozen=True)
class ReportedTopic:
    """One topic.

    Attributes
    ----------
    index : int
        Number of the topic.
    name : str
        Its name; "" for none.
    share : float
        Share of all tokens.
    words : tuple of str
        Top words by probability.
    distinctive : tuple of str
        Top words by relevance: frequent in this topic and rare in others.
    documents : tuple of TypicalDocument
        The documents with the largest share of the topic.
    pool : tuple of (str, float, float)
        Words that are relevant with some weight between frequent and distinctive: word, probability in the topic,
        probability in all topics.
    """

    index: int
    name: str
    share: float
    words: tuple[str, ...]
    distinctive: tuple[str, ...]
    documents: tuple[TypicalDocument, ...]
    pool: tuple[tuple[str, float, float], ...] = ()


@dataclass(frozen=True)
class Topics:
    """The topics of a model.

    Attributes
    ----------
    topics : tuple of ReportedTopic
        Topics, the largest first.
    n_left_out : int
        Number of further, smaller topics.
    largest_share : float
        Share of the largest topic.
    of_last_slice : bool
        Whether typical documents are from the last time slice only.
    """

    topics: tuple[ReportedTopic, ...]
    n_left_out: int
    largest_share: float
    of_last_slice: bool


def name_topics(model: Any) -> dict[int, TopicName]:
    """Return the names of the topics for other tables.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    dict of int to TopicName
        Name by number of the topic.
    """
    return {one.index: TopicName(one.index, one.name, tuple(one.words[:_NAME_WORDS])) for one in top_words(model)}


def summarise_topics(model: Any, words: int, documents: int) -> Topics:
    """Return the topics of a model.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    words : int
        Number of words per topic.
    documents : int
        Number of typical documents per topic.

    Returns
    -------
    Topics
        Plain data.
    """
    probable = model.topics(top=words)
    with np.errstate(divide="ignore", invalid="ignore"):  # words of probability 0 have the logarithm -inf
        distinctive = model.topics(top=words, by="relevance")
    rows, known = typical_rows(model, documents), model.documents_
    pools = _word_pools(model)
    order = sorted(range(len(probable)), key=lambda index: -probable[index].share)
    slices = getattr(model, "slices_", None) or ()
    return Topics(
        tuple(
            ReportedTopic(
                probable[index].index,
                probable[index].name,
                probable[index].share,
                tuple(probable[index].words),
                tuple(distinctive[index].words),
                tuple(
                    TypicalDocument(
                        known.id(row), float(model.doc_topic_[row, index]), known.title(row), known.excerpt(row), row
                    )
                    for row in rows[:, index].tolist()
                ),
                pools[index],
            )
            for index in order[:_MAX_TOPICS]
        ),
        max(0, len(order) - _MAX_TOPICS),
        probable[order[0]].share,
        model.doc_topic_.shape[0] < sum(one.n_documents for one in slices),
    )


def _word_pools(model: Any) -> list[tuple[tuple[str, float, float], ...]]:
    """Return the relevant words of each topic, for a slider between frequent and distinctive words."""
    probabilities = np.asarray(model.topic_word_, dtype=np.float64)
    overall = np.asarray(model.topic_share_) @ probabilities
    names = model.vocabulary_
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.log(overall)
        found = []
        for row in probabilities:
            scores = np.log(row)
            chosen: set[int] = set()
            for weight in _WEIGHTS:
                relevance = np.nan_to_num(scores - (1 - weight) * logarithms, nan=-np.inf)
                top = min(_POOL, row.size - 1)
                chosen.update(np.argpartition(-relevance, top)[:_POOL].tolist())
            order = sorted((word for word in chosen if row[word] > 0), key=lambda word: (-row[word], word))
            found.append(
                tuple(
                    (f"x{word}" if names is None else str(names[word]), _short(row[word]), _short(overall[word]))
                    for word in order
                )
            )
    return found


def _short(value: float) -> float:
    """Return a number with three digits, because a page has thousands of them."""
    return float(f"{value:.3g}")


@dataclass(frozen=True)
class WeightedTopic:
    """A topic and its weight.

    Attributes
    ----------
    topic : TopicName
        The topic.
    weight : float
        Its weight.
    """

    topic: TopicName
    weight: float


def heaviest_topics(weights: np.ndarray, names: Mapping[int, TopicName], top: int) -> tuple[WeightedTopic, ...]:
    """Return the topics with the largest positive weights.

    Parameters
    ----------
    weights : ndarray of shape (n_topics,)
        Weights.
    names : mapping of int to TopicName
        Names of the topics.
    top : int
        Maximum number of topics.

    Returns
    -------
    tuple of WeightedTopic
        The largest weight first.
    """
    order = [int(topic) for topic in np.argsort(-weights, kind="stable")[:top] if weights[topic] > 0]
    return tuple(WeightedTopic(names[topic], float(weights[topic])) for topic in order)
