"""State of the samplers that spread words over topics: the counts, and one word's turn.

The state of a shard is one float32 row of `width` shares for each entry, that is for each distinct word of
each document; a row adds up to 1. Counts are then real numbers: a word that stands tf times in a
document adds tf times its shares. What responses say of a document is computed once a sweep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Documents
from plait.samplers.compiled import kernel, part
from plait.samplers.conditional import tilt_of, weigh_share
from plait.samplers.observations import fill_tilt, follow_document
from plait.samplers.vectors import LANES, add, load, multiply, prefetch, splat, store, subtract


class Shares(NamedTuple):
    """The state of one shard."""

    shares: np.ndarray  # flat, entries × width: how a word of a document is spread over topics
    doc_topic: np.ndarray  # flat, documents × width: n_dk


def count_words(documents: Documents, shares: np.ndarray, n_words: int, width: int) -> np.ndarray:
    """Add up the shares of each word of the shard (flat, words × width, float32)."""
    word_topic = np.zeros(n_words * width, dtype=np.float64)
    _count_words(documents, shares, word_topic, width)
    return word_topic.astype(np.float32)


def count_documents(documents: Documents, shares: np.ndarray, width: int) -> np.ndarray:
    """Add up the shares of each document of the shard (flat, documents × width, float32)."""
    doc_topic = np.zeros((documents.starts.size - 1) * width, dtype=np.float64)
    _count_documents(documents, shares, doc_topic, width)
    return doc_topic.astype(np.float32)


@kernel
def _count_words(documents, shares, word_topic, width):
    for entry in range(documents.words.size):
        row = np.int64(documents.words[entry]) * width
        for topic in range(width):
            word_topic[row + topic] += documents.counts[entry] * shares[entry * width + topic]


@kernel
def _count_documents(documents, shares, doc_topic, width):
    for document in range(documents.starts.size - 1):
        for entry in range(documents.starts[document], documents.starts[document + 1]):
            for topic in range(width):
                doc_topic[document * width + topic] += documents.counts[entry] * shares[entry * width + topic]


@part
def prefetch_entry(documents, state, word_topic, entry, width):
    """Ask for the rows of an entry that comes soon."""
    row = np.int64(documents.words[entry]) * width
    for block in range(width // LANES):
        prefetch(word_topic, row + LANES * block)
        prefetch(state.shares, entry * width + LANES * block)


@part
def open_document(documents, document, state, factors, tilt):
    """Compute a document's tilt; return Σ_k (n_dk + α_k) tilt_dk and the same untilted."""
    mass = 0.0
    untilted = 0.0
    row = document * factors.alpha.size
    length = _length(documents, document)
    fill_tilt(tilt, factors.observations, document, state.doc_topic, row, length, factors.n_topics)
    for topic in range(factors.n_topics):
        expected = state.doc_topic[row + topic] + factors.alpha[topic]
        untilted += expected
        mass += expected * tilt_of(tilt, topic)
    return mass, untilted


@part
def _length(documents, document):
    """Return how many words a document has; 1 without words, for divisions (fractions of a word may be less than 1)."""
    length = np.float32(documents.offsets[document + 1] - documents.offsets[document])
    return length if length > 0 else np.float32(1.0)


@part
def close_document(documents, document, state, factors):
    """Let what responses make of a document's topics follow them."""
    width = factors.alpha.size
    length = _length(documents, document)
    follow_document(factors.observations, documents.first + document, state.doc_topic, document * width, length, width)


@part
def spread_word(documents, document, entry, state, counts, factors, tilt, weights, mass, untilted):
    """Give a word of a document the shares that its conditional says; return p(word | rest)."""
    width = weights.size
    row = np.int64(documents.words[entry]) * width
    occurrences = np.float32(documents.counts[entry])
    total = weigh_share(
        counts.word_topic, row, factors.prior_value, factors.prior_table,
        state.doc_topic, document * width, factors.alpha, counts.totals, factors.prior_sums, tilt,
        state.shares, entry * width, min(occurrences, np.float32(1.0)), weights,
    )  # fmt: skip
    scale = splat(np.float32(1.0) / total)
    amount = splat(occurrences)
    for block in range(width // LANES):
        place = LANES * block
        share = multiply(load(weights, place), scale)
        change = multiply(amount, subtract(share, load(state.shares, entry * width + place)))
        store(state.shares, entry * width + place, share)
        store(counts.word_topic, row + place, add(load(counts.word_topic, row + place), change))
        here = document * width + place
        store(state.doc_topic, here, add(load(state.doc_topic, here), change))
        store(counts.totals, place, add(load(counts.totals, place), change))
    # What is left out of the document's proportions is one occurrence, or the whole of a fractional one.
    return total / (mass * (1.0 - min(occurrences, np.float32(1.0)) / untilted))
