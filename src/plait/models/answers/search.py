"""Documents found by their topics: those likely to contain some words, and those similar to a document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sparse

from plait._utils.text import cut, printable
from plait._utils.validation import check_whole
from plait.corpus.known_documents import KnownDocuments
from plait.models.answers.listing import Listing

_BLOCK = 1_000_000  # probabilities at once


@dataclass(frozen=True)
class FoundDocument:
    """A training document with its score."""

    id: str
    title: str
    score: float
    excerpt: str
    row: int

    def __str__(self) -> str:
        return f"{self.score:8.3f}  {printable(self.id)}  {cut(self.title or self.excerpt, 80)}".rstrip()


def query_likelihoods(doc_topic: np.ndarray, topic_word: np.ndarray, counts: sparse.csr_array) -> np.ndarray:
    """Return the mean log-likelihood per token of a query under the topics of each document.

    Parameters
    ----------
    doc_topic : ndarray of shape (documents, topics)
        Topic proportions.
    topic_word : ndarray of shape (topics, words)
        Probability of each word in each topic.
    counts : csr_array of shape (1, words)
        The query.

    Returns
    -------
    ndarray of shape (documents,)
        log Σ_k θ_dk φ_kw, averaged over the tokens w of the query.

    Examples
    --------
    >>> query = sparse.csr_array(np.array([[2, 0]]))
    >>> query_likelihoods(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[0.5, 0.5], [0.25, 0.75]]), query).round(3)
    array([-0.693, -1.386])
    """
    words, weights = counts.indices, counts.data / counts.data.sum()
    probabilities = topic_word[:, words]
    height = max(1, _BLOCK // max(1, words.size))
    scores = np.empty(doc_topic.shape[0])
    for begin in range(0, scores.size, height):
        block = slice(begin, begin + height)
        scores[block] = np.log(np.maximum(doc_topic[block] @ probabilities, 1e-300)) @ weights
    return scores


def topic_similarities(doc_topic: np.ndarray, proportions: np.ndarray) -> np.ndarray:
    """Return how similar the topics of documents are to given proportions: 1 − the Hellinger distance.

    Parameters
    ----------
    doc_topic : ndarray of shape (documents, topics)
        Topic proportions.
    proportions : ndarray of shape (topics,)
        Topic proportions of one document.

    Returns
    -------
    ndarray of shape (documents,)
        From 0 (no common topic) to 1 (the same proportions).

    Examples
    --------
    >>> topic_similarities(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.0])).tolist()
    [1.0, 0.0]
    """
    overlap = np.sqrt(doc_topic) @ np.sqrt(proportions)
    return 1.0 - np.sqrt(np.clip(1.0 - overlap, 0.0, None))


def best_documents(scores: np.ndarray, documents: KnownDocuments, top: int, without: int | None = None) -> Listing:
    """Return the documents with the highest scores.

    Parameters
    ----------
    scores : ndarray of shape (documents,)
        The scores.
    documents : KnownDocuments
        The documents.
    top : int
        Number of documents.
    without : int, optional
        Row that is left out.

    Returns
    -------
    Listing of FoundDocument
        Highest score first; of equal scores, the first row.
    """
    check_whole("top", top, least=1)
    order = [int(row) for row in np.argsort(-scores, kind="stable")[: top + 1] if row != without][:top]
    found = [
        FoundDocument(documents.id(row), documents.title(row), float(scores[row]), documents.excerpt(row), row)
        for row in order
    ]
    return Listing(found, ("id", "title", "score", "excerpt"))
