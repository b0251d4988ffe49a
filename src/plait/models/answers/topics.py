"""Topics as people read them: their words, most probable or most telling, and their typical documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from plait.errors import PlaitError


@dataclass(frozen=True)
class Topic:
    """One topic: its number, its share of all words of the training documents, its first words, its name if any."""

    index: int
    share: float
    words: list[str]
    weights: list[float]
    name: str = ""  # that the prior has for it

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        return f"{self.index:3d}  {self.share:5.1%}  {name}{' '.join(self.words)}"


def describe_topics(
    topic_word: np.ndarray,
    shares: np.ndarray,
    vocabulary: np.ndarray,
    top: int,
    by: str = "probability",
    relevance_weight: float = 0.6,
) -> list[Topic]:
    """Return the first words of each topic, by probability or by relevance (Sievert and Shirley, 2014).

    Relevance is λ log φ_kw + (1 − λ) log(φ_kw / p_w): with a small weight λ the words that are telling of a
    topic come first, however rare they are.
    """
    if by == "probability":
        scores = topic_word
    elif by == "relevance":
        if not 0 <= relevance_weight <= 1:
            raise PlaitError(f"relevance_weight must lie between 0 and 1, not {relevance_weight!r}")
        overall = shares @ topic_word
        scores = np.log(topic_word) - (1 - relevance_weight) * np.log(overall)
    else:
        raise PlaitError(f"by must be 'probability' or 'relevance', not {by!r}")
    topics = []
    for index, row in enumerate(scores):
        first = np.argsort(-row, kind="stable")[:top]
        words = [str(vocabulary[word]) for word in first]
        topics.append(Topic(index, float(shares[index]), words, [float(topic_word[index, word]) for word in first]))
    return topics


def with_names(topics: list[Topic], names: Sequence[str], n_topics: int) -> list[Topic]:
    """Return topics with the names that the first of them have; where several groups have topics, the first of each."""
    named = dict(enumerate(names))
    return [replace(topic, name=named.get(topic.index % n_topics, "")) for topic in topics]


def typical_documents(doc_topic: np.ndarray, ids: np.ndarray, top: int) -> list[list[tuple[str, float]]]:
    """Return, for each topic, the documents with the largest share of it."""
    rankings = np.argsort(-doc_topic, axis=0, kind="stable")[:top]
    return [
        [(str(ids[document]), float(doc_topic[document, topic])) for document in rankings[:, topic]]
        for topic in range(doc_topic.shape[1])
    ]
