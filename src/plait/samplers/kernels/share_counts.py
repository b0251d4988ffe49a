"""Counts of entries with shares of topics: sums per word, per document and per source document.

Sums are computed in float64 and stored in float32.
"""

from __future__ import annotations

import numpy as np

from plait.samplers.base import Documents, Sources
from plait.samplers.kernels.aligned import aligned_copy
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.lanes import share_of
from plait.samplers.kernels.share_state import share_starts


def count_words(
    documents: Documents, shares: np.ndarray, n_words: int, width: int, sources: Sources | None = None
) -> np.ndarray:
    """Return the topic–word counts of a shard.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    shares : ndarray
        Shares of all entries.
    n_words, width : int
        Number of words of the shard, and padded number of topics.
    sources : Sources or None, default None
        Candidates of the shard, with linked documents.

    Returns
    -------
    ndarray of float32
        Counts, flat, words × width.
    """
    word_topic = np.zeros(n_words * width, dtype=np.float64)
    _count_words(documents, shares, share_starts(documents, sources, width), word_topic, width)
    return word_topic.astype(np.float32)


def count_documents(documents: Documents, shares: np.ndarray, width: int, sources: Sources | None = None) -> np.ndarray:
    """Return the document–topic counts of a shard.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    shares : ndarray
        Shares of all entries.
    width : int
        Padded number of topics.
    sources : Sources or None, default None
        Candidates of the shard, with linked documents.

    Returns
    -------
    ndarray of float32
        Counts, flat, documents × width.
    """
    doc_topic = np.zeros((documents.starts.size - 1) * width, dtype=np.float64)
    _count_documents(documents, shares, share_starts(documents, sources, width), doc_topic, width)
    return aligned_copy(doc_topic, np.float32)


def count_sources(documents: Documents, shares: np.ndarray, sources: Sources, width: int) -> None:
    """Recount the topics drawn from each source document and the tokens drawn from each candidate.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    shares : ndarray
        Shares of all entries.
    sources : Sources
        Candidates of the shard; `source_topic` and `taken` are changed in place.
    width : int
        Padded number of topics.
    """
    source_topic = np.zeros(sources.source_topic.size, dtype=np.float64)
    sources.taken[:] = 0.0
    _count_sources(documents, shares, sources, source_topic, width)
    sources.source_topic[:] = source_topic


@kernel
def _count_words(documents, shares, starts, word_topic, width):
    for document in range(documents.starts.size - 1):
        first, last = documents.starts[document], documents.starts[document + 1]
        n_rows = (starts[document + 1] - starts[document]) // (width * max(last - first, 1))
        for entry in range(first, last):
            row = np.int64(documents.words[entry]) * width
            for number in range(n_rows):
                place = starts[document] + ((entry - first) * n_rows + number) * width
                for topic in range(width):
                    word_topic[row + topic] += documents.counts[entry] * share_of(shares[place + topic])


@kernel
def _count_documents(documents, shares, starts, doc_topic, width):
    for document in range(documents.starts.size - 1):
        first, last = documents.starts[document], documents.starts[document + 1]
        n_rows = (starts[document + 1] - starts[document]) // (width * max(last - first, 1))
        for entry in range(first, last):
            for number in range(n_rows):
                place = starts[document] + ((entry - first) * n_rows + number) * width
                for topic in range(width):
                    doc_topic[document * width + topic] += documents.counts[entry] * share_of(shares[place + topic])


@kernel
def _count_sources(documents, shares, sources, source_topic, width):
    for document in range(documents.starts.size - 1):
        place = sources.share_starts[document]
        for entry in range(documents.starts[document], documents.starts[document + 1]):
            for candidate in range(sources.starts[document], sources.starts[document + 1]):
                for topic in range(width):
                    amount = documents.counts[entry] * np.float64(share_of(shares[place]))
                    source_topic[sources.rows[candidate] + topic] += amount
                    sources.taken[candidate] += amount
                    place += 1
