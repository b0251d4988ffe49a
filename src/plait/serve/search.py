"""Search over the documents and the words of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait.errors import PlaitError
from plait.models.answers.topics import first_places
from plait.serve.catalogue import Catalogue

_WORD_TOPICS = 3
LONGEST_QUERY = 500  # characters


def search(catalogue: Catalogue, query: str, top: int = 10) -> dict[str, Any]:
    """Return documents that contain a query, documents whose topics fit its words, and words that contain it.

    Parameters
    ----------
    catalogue : Catalogue
        The model.
    query : str
        Words.
    top : int, default 10
        Number of results of each kind.

    Returns
    -------
    dict of str to object
        query, matching (documents with the query in id, title or excerpt), by_topics (documents with scores), words.
    """
    wanted = query.casefold().split()
    if not wanted:
        return {"query": query, "matching": [], "by_topics": [], "words": []}
    return {
        "query": query,
        "matching": _matching(catalogue, wanted, top),
        "by_topics": _by_topics(catalogue, query, top),
        "words": _words(catalogue, wanted, top),
    }


def _matching(catalogue: Catalogue, wanted: list[str], top: int) -> list[dict[str, Any]]:
    """Return the first documents that contain every word; words in the title count before words in the excerpt."""
    known = catalogue.known
    in_title: list[int] = []
    in_excerpt: list[int] = []
    for row in range(catalogue.n_documents):
        title = f"{known.id(row)} {known.title(row)}".casefold()
        if all(word in title for word in wanted):
            in_title.append(row)
            if len(in_title) >= top:
                break
        elif len(in_excerpt) < top:
            text = f"{title} {known.excerpt(row)}".casefold()
            if all(word in text for word in wanted):
                in_excerpt.append(row)
    return [catalogue.brief_document(row) for row in [*in_title, *in_excerpt][:top]]


def _by_topics(catalogue: Catalogue, query: str, top: int) -> list[dict[str, Any]]:
    try:
        found = catalogue.model.find_documents(query, top)
    except PlaitError:  # the model knows no word of the query
        return []
    return [{**catalogue.brief_document(one.row), "score": one.score} for one in found]


def _words(catalogue: Catalogue, wanted: list[str], top: int) -> list[dict[str, Any]]:
    """Return words of the vocabulary that contain the query, the same word first, then the more frequent ones."""
    vocabulary = catalogue.model.vocabulary_
    if vocabulary is None:
        return []
    text = " ".join(wanted)
    columns = [
        column
        for column, word in enumerate(vocabulary)
        if text in word or (len(wanted) > 1 and any(one == word for one in wanted))
    ]
    topic_word, shares = catalogue.model.topic_word_, catalogue.model.topic_share_
    joint = topic_word[:, columns] * shares[:, np.newaxis]
    frequency = joint.sum(axis=0)
    order = sorted(range(len(columns)), key=lambda at: (vocabulary[columns[at]] not in (text, *wanted), -frequency[at]))
    found = []
    for at in order[:top]:
        posterior = joint[:, at] / max(frequency[at], 1e-300)
        found.append(
            {
                "word": str(vocabulary[columns[at]]),
                "frequency": float(frequency[at]),
                "topics": [
                    {**catalogue.brief_topic(int(topic)), "share": float(posterior[topic])}
                    for topic in first_places(posterior, _WORD_TOPICS)
                    if posterior[topic] >= 0.01
                ],
            }
        )
    return found
