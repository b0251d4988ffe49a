"""Topics as people read them: their words, most probable or most relevant, and their typical documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.text import printable
from plait._utils.validation import check_whole
from plait.corpus.known_documents import KnownDocuments
from plait.errors import PlaitError
from plait.metrics import coherence
from plait.models.answers.listing import with_attributes


@dataclass(frozen=True)
class Topic:
    """One topic: its number, its share of all training tokens, its top words, and its name if it has one."""

    index: int
    share: float
    words: list[str]
    weights: list[float]
    name: str = ""  # given by `name_topics` or by the prior

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        return printable(f"{self.index:3d}  {self.share:5.1%}  {name}{' '.join(self.words)}")


class _TypicalDocument(NamedTuple):
    id: str
    share: float  # of the topic in the document


class TypicalDocument(_TypicalDocument):
    """A document with much of a topic: (id, share), with attributes.

    `title` and `excerpt` are "" if they are not known; `name` is the title, the start of the text, or the id.
    """

    title: str = ""
    name: str = ""
    excerpt: str = ""


@dataclass(frozen=True)
class TopicDescriptions:
    """Words and typical documents of the topics of a fitted model.

    Parameters
    ----------
    topic_word : ndarray of shape (topics, words)
        Probability of each word in each topic.
    shares : ndarray of shape (topics,)
        Share of each topic in all training tokens.
    vocabulary : ndarray of shape (words,)
        The words.
    names : sequence of str, default ()
        Names of the topics, "" for none.
    """

    topic_word: np.ndarray
    shares: np.ndarray
    vocabulary: np.ndarray
    names: Sequence[str] = ()

    def describe(self, top: int = 10, by: str = "probability", relevance_weight: float = 0.6) -> list[Topic]:
        """Return the top words of each topic; the parameters are those of `describe_topics`."""
        check_whole("top", top, least=1)
        topics = describe_topics(self.topic_word, self.shares, self.vocabulary, top, by, relevance_weight)
        return [replace(one, name=self.names[one.index]) if self.names else one for one in topics]

    def typical_documents(
        self, doc_topic: np.ndarray, documents: KnownDocuments, top: int = 5
    ) -> list[list[TypicalDocument]]:
        """Return the documents with the largest proportion of each topic.

        Parameters
        ----------
        doc_topic : ndarray of shape (documents, topics)
            Topic proportions of documents.
        documents : KnownDocuments
            Their ids and titles.
        top : int, default 5
            Number of documents per topic.

        Returns
        -------
        list of list of TypicalDocument
            For each topic, the documents, largest proportion first.
        """
        check_whole("top", top, least=1)
        return typical_documents(doc_topic, documents, top)

    def coherence(self, counts: sparse.csr_array, measure: Literal["npmi", "c_v"], top: int) -> np.ndarray:
        """Return the coherence of the top words of each topic in reference documents.

        Parameters
        ----------
        counts : csr_array of shape (documents, words)
            Reference documents.
        measure : {"npmi", "c_v"}
            Coherence measure.
        top : int
            Number of words per topic.

        Returns
        -------
        ndarray of shape (topics,)
            Coherence of each topic.
        """
        words = [topic.words for topic in self.describe(top)]
        return coherence(words, counts, self.vocabulary.tolist(), measure=measure)


def describe_topics(
    topic_word: np.ndarray,
    shares: np.ndarray,
    vocabulary: np.ndarray,
    top: int,
    by: str = "probability",
    relevance_weight: float = 0.6,
) -> list[Topic]:
    """Return the top words of each topic, by probability or by relevance (Sievert and Shirley, 2014).

    Relevance is λ log φ_kw + (1 − λ) log(φ_kw / p_w). With a small weight λ, words that are much more frequent in the
    topic than elsewhere come first, even if they are rare.

    Parameters
    ----------
    topic_word : ndarray of shape (topics, words)
        φ, the probability of each word in each topic.
    shares : ndarray of shape (topics,)
        Share of each topic in all tokens.
    vocabulary : ndarray of shape (words,)
        The words.
    top : int
        Number of words per topic.
    by : {"probability", "relevance"}, default "probability"
        Order of the words.
    relevance_weight : float, default 0.6
        λ, between 0 and 1.

    Returns
    -------
    list of Topic
        One per topic, without names.
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
        first = first_places(row, top)
        words = [str(vocabulary[word]) for word in first]
        topics.append(Topic(index, float(shares[index]), words, [float(topic_word[index, word]) for word in first]))
    return topics


def first_places(scores: np.ndarray, top: int) -> np.ndarray:
    """Return the places of the highest scores, highest first; of equal scores, the first place.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        The scores.
    top : int
        Number of places.

    Returns
    -------
    ndarray of int
        The first places of a stable sort, without sorting the rest.

    Examples
    --------
    >>> first_places(np.array([0.1, 0.5, 0.1, 0.9]), 3).tolist()
    [3, 1, 0]
    """
    with np.errstate(invalid="ignore"):
        places = np.flatnonzero(scores > scores.mean())  # few: most words of a topic have about the same probability
    if places.size < top or np.isnan(scores).any():
        return np.argsort(-scores, kind="stable")[:top]
    return places[np.argsort(-scores[places], kind="stable")[:top]]


def typical_documents(doc_topic: np.ndarray, documents: KnownDocuments, top: int) -> list[list[TypicalDocument]]:
    """Return the documents with the largest proportion of each topic."""
    rankings = np.argsort(-doc_topic, axis=0, kind="stable")[:top]
    return [
        [
            with_attributes(
                TypicalDocument(documents.id(row), float(doc_topic[row, topic])),
                title=documents.title(row),
                name=documents.name(row),
                excerpt=documents.excerpt(row),
            )
            for row in rankings[:, topic]
        ]
        for topic in range(doc_topic.shape[1])
    ]
