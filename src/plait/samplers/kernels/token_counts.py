"""Counts of tokens that hold one topic each: per word, per document and per source document.

Runs of tokens are counted in four interleaved tallies, so that equal neighbours do not wait for each other.
"""

from __future__ import annotations

import numpy as np

from plait.samplers.base import Documents, Sources
from plait.samplers.kernels.compiled import inline_kernel, kernel


def count_words(documents: Documents, topics: np.ndarray, n_words: int, width: int) -> np.ndarray:
    """Return the topic–word counts of a shard.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    topics : ndarray of shape (tokens,)
        Topic of each token.
    n_words, width : int
        Number of words of the shard, and padded number of topics.

    Returns
    -------
    ndarray of int32
        Counts, flat, words × width.
    """
    word_topic = np.zeros(n_words * width, dtype=np.int32)
    _count_words(documents, topics, word_topic, width)
    return word_topic


def count_documents(documents: Documents, topics: np.ndarray, n_topics: int) -> np.ndarray:
    """Return the document–topic counts of a shard.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    topics : ndarray of shape (tokens,)
        Topic of each token.
    n_topics : int
        Number of topics.

    Returns
    -------
    ndarray of int32 and shape (documents, topics)
        Counts.
    """
    doc_topic = np.zeros((documents.starts.size - 1, n_topics), dtype=np.int32)
    _count_documents(documents, topics, doc_topic)
    return doc_topic


def count_sources(documents: Documents, topics: np.ndarray, sources: Sources) -> None:
    """Recount the topics drawn from each source document and the tokens drawn from each candidate.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    topics : ndarray of shape (tokens,)
        Topic of each token.
    sources : Sources
        Candidates of the shard; `source_topic` and `taken` are changed in place.
    """
    sources.source_topic[:] = 0
    sources.taken[:] = 0.0
    _count_sources(documents, topics, sources)


@kernel
def _count_sources(documents, topics, sources):
    for document in range(documents.starts.size - 1):
        first = sources.starts[document]
        for token in range(documents.offsets[document], documents.offsets[document + 1]):
            candidate = first + np.int64(sources.drawn[token])
            sources.source_topic[sources.rows[candidate] + np.int64(topics[token])] += 1
            sources.taken[candidate] += 1.0


@kernel
def _count_words(documents, topics, word_topic, width):
    token = 0
    for entry in range(documents.words.size):
        row = np.int64(documents.words[entry]) * width
        for _ in range(documents.counts[entry]):
            word_topic[row + np.int64(topics[token])] += 1
            token += 1


@kernel
def _count_documents(documents, topics, doc_topic):
    for document in range(documents.starts.size - 1):
        for token in range(documents.offsets[document], documents.offsets[document + 1]):
            doc_topic[document, topics[token]] += 1


@inline_kernel
def tally_topics(topics, first, last, tallies, width):
    """Count the topics of a run of tokens in four interleaved tallies."""
    fours = first + 4 * ((last - first) // 4)
    for token in range(first, fours, 4):
        tallies[np.int64(topics[token])] += 1
        tallies[width + np.int64(topics[token + 1])] += 1
        tallies[2 * width + np.int64(topics[token + 2])] += 1
        tallies[3 * width + np.int64(topics[token + 3])] += 1
    for token in range(fours, last):
        tallies[np.int64(topics[token])] += 1


@inline_kernel
def take_tally(tallies, topic, width):
    """Return the tally of a topic and reset it to 0."""
    total = tallies[topic] + tallies[width + topic] + tallies[2 * width + topic] + tallies[3 * width + topic]
    tallies[topic] = 0
    tallies[width + topic] = 0
    tallies[2 * width + topic] = 0
    tallies[3 * width + topic] = 0
    return total
