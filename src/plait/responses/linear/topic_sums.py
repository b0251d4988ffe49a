"""Sums over documents of the products of their topics: Σ precision z̄ z̄ᵀ and Σ pull z̄ of every label.

A document adds to the pairs of the topics that occur in it, for all labels. The pairs of all topics do not fit into a
cache, so the sums are computed topic by topic: for topic k, all documents that have it add to the pairs j ≤ k, which
fit. Every number gets the same additions in the same order as in a loop over documents: first those of the documents
of a chunk, in their order, then the chunks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.responses.base import DocTopics, Map
from plait.responses.linear.label_rows import LabelledDocuments, add_labels
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.doubles import (
    DOUBLES,
    add_doubles,
    load_doubles,
    multiply_doubles,
    padded_size,
    splat_double,
    store_doubles,
)

_MAX_LABELS = 128  # labels whose pseudo-observations are listed together; a multiple of 8
_ROOM = 24 << 10  # bytes of the first cache for the sums of a topic
_MAX_TASKS = 16  # enough for the usual numbers of threads
_MIN_TOPICS = 8  # per task, on average


class _PresentTopics(NamedTuple):
    """Topics that occur in documents with observations, by document and by topic."""

    starts: np.ndarray  # int64: document d has entries starts[d] up to starts[d + 1]
    topics: np.ndarray  # int32, rising within a document
    shares: np.ndarray  # float64: proportion of the topic in the document
    topic_starts: np.ndarray  # int64: topic k has places topic_starts[k] up to topic_starts[k + 1] of the next two
    documents: np.ndarray  # int32, rising within a topic
    entries: np.ndarray  # int64: entry of the topic in this document


def sum_topics(
    documents: LabelledDocuments,
    topics: DocTopics,
    pull: np.ndarray,
    precision: np.ndarray,
    edges: np.ndarray,
    products: np.ndarray,
    moments: np.ndarray,
    map: Map,
) -> None:
    """Fill in the sums over all documents of pairs of topics, and of topics.

    Parameters
    ----------
    documents : LabelledDocuments
        Observations of each document.
    topics : DocTopics
        Topics of the documents.
    pull, precision : ndarray of shape (observations,)
        Pseudo-observations.
    edges : ndarray of int64
        First document of each chunk that is added up apart, and the number of documents.
    products : ndarray of shape (at least pairs of topics, labels)
        Receives Σ precision x_j x_k at row k (k + 1) / 2 + j.
    moments : ndarray of shape (at least topics, labels)
        Receives Σ pull x_k at row k.
    map : callable
        Runs the tasks, as `Executor.map`.
    """
    present = _list_present(documents, topics)
    n_topics = topics.counts.shape[1]
    n_tasks = min(max(n_topics // _MIN_TOPICS, 1), _MAX_TASKS)
    cuts = np.ceil(n_topics * np.sqrt(np.arange(n_tasks + 1) / n_tasks)).astype(np.int64)  # equal numbers of pairs
    for first in range(0, documents.n_labels, _MAX_LABELS):
        last = min(first + _MAX_LABELS, documents.n_labels)
        width = documents.n_labels if documents.n_labels < DOUBLES else padded_size(last - first)
        pulls, precisions = (np.zeros((topics.lengths.size, width)) for _ in range(2))
        _gather_labels(documents.starts, documents.labels, pull, precision, first, last, pulls, precisions)

        def add(task: int, first: int = first, last: int = last, pulls: np.ndarray = pulls,
                precisions: np.ndarray = precisions) -> None:  # fmt: skip
            begin, end = cuts[task], cuts[task + 1]
            size = min(max(_ROOM // (8 * (end + 1)) // DOUBLES, 1) * DOUBLES, pulls.shape[1])
            room = np.zeros((2, (end + 1) * size))
            _add_topics(
                begin, end, edges, present, pulls, precisions, first, last - first, size, room, products, moments
            )

        map(add, range(n_tasks))


def _list_present(documents: LabelledDocuments, topics: DocTopics) -> _PresentTopics:
    n_documents, n_topics = topics.counts.shape
    starts, topic_starts = np.zeros(n_documents + 1, np.int64), np.zeros(n_topics + 1, np.int64)
    _count_present(documents.starts, topics.counts, topics.lengths, starts, topic_starts)
    np.cumsum(starts, out=starts)
    np.cumsum(topic_starts, out=topic_starts)
    size = int(starts[-1])
    found = _PresentTopics(
        starts,
        np.empty(size, np.int32),
        np.empty(size),
        topic_starts,
        np.empty(size, np.int32),
        np.empty(size, np.int64),
    )
    _fill_present(topics.counts, topics.lengths, found, topic_starts[:-1].copy())
    return found


@kernel
def _count_present(label_starts, counts, lengths, starts, topic_starts):
    for document in range(counts.shape[0]):
        if label_starts[document] == label_starts[document + 1] or lengths[document] == 0:
            continue
        for topic in range(counts.shape[1]):
            if counts[document, topic] > 0:
                starts[document + 1] += 1
                topic_starts[topic + 1] += 1


@kernel
def _fill_present(counts, lengths, present, next_place):
    for document in range(counts.shape[0]):
        entry = present.starts[document]
        if entry == present.starts[document + 1]:
            continue
        for topic in range(counts.shape[1]):
            if counts[document, topic] > 0:
                present.topics[entry] = topic
                present.shares[entry] = counts[document, topic] / lengths[document]
                present.documents[next_place[topic]] = document
                present.entries[next_place[topic]] = entry
                next_place[topic] += 1
                entry += 1


@kernel
def _gather_labels(starts, labels, pull, precision, first, last, pulls, precisions):
    """Fill in pull and precision of the labels `first` up to `last` of every document; 0 without an observation."""
    for document in range(starts.size - 1):
        for number in range(starts[document], starts[document + 1]):
            label = labels[number]
            if first <= label < last:
                pulls[document, label - first] += pull[number]
                precisions[document, label - first] += precision[number]


@kernel
def _add_topics(begin, end, edges, present, pulls, precisions, first_label, n_labels, size, room, products, moments):
    width = pulls.shape[1]
    pulls, precisions = pulls.reshape(-1), precisions.reshape(-1)
    for topic in range(begin, end):
        # Sums of the pairs, and then those of the topic, for so many labels at a time that they stay in the cache.
        for block in range(0, width, size):
            own = min(size, width - block)
            last = (topic + 2) * own
            partial, total = room[0, :last], room[1, :last]
            chunk = 0
            for place in range(present.topic_starts[topic], present.topic_starts[topic + 1]):
                document = np.int64(present.documents[place])
                while document >= edges[chunk + 1]:
                    _close_chunk(partial, total)
                    chunk += 1
                entry = present.entries[place]
                share = present.shares[entry]
                labels = document * width + block
                add_labels(partial, last - own, share, pulls, labels, own)
                _add_pairs(partial, own, present, present.starts[document], entry, precisions, labels)
            _close_chunk(partial, total)
            row = topic * (topic + 1) // 2
            for earlier in range(topic + 1):
                for label in range(min(own, n_labels - block)):
                    products[row + earlier, first_label + block + label] = total[earlier * own + label]
            for label in range(min(own, n_labels - block)):
                moments[topic, first_label + block + label] = total[last - own + label]
            total[:] = 0.0


@inline_kernel
def _add_pairs(partial, size, present, first, last, precisions, labels):
    """Add the pairs of the topic of entry `last` and the topics from entry `first` on, for `size` labels."""
    share = present.shares[last]
    topics, shares = present.topics[first : last + 1], present.shares[first : last + 1]
    if size < DOUBLES:
        for number in range(topics.size):
            add_labels(partial, np.int64(topics[number]) * size, share * shares[number], precisions, labels, size)
        return
    for block in range(0, size - DOUBLES, 2 * DOUBLES):  # the precisions of so many labels stay in registers
        values, others = load_doubles(precisions, labels + block), load_doubles(precisions, labels + block + DOUBLES)
        for number in range(topics.size):
            place = np.int64(topics[number]) * size + block
            product = splat_double(share * shares[number])
            _add_product(partial, place, product, values)
            _add_product(partial, place + DOUBLES, product, others)
    if size % (2 * DOUBLES) != 0:
        block = size - DOUBLES
        values = load_doubles(precisions, labels + block)
        for number in range(topics.size):
            place = np.int64(topics[number]) * size + block
            _add_product(partial, place, splat_double(share * shares[number]), values)


@inline_kernel
def _add_product(totals, place, factor, values):
    store_doubles(totals, place, add_doubles(load_doubles(totals, place), multiply_doubles(factor, values)))


@inline_kernel
def _close_chunk(partial, total):
    """Add the sums of a chunk to the totals, and set them to 0."""
    for place in range(partial.size):
        total[place] += partial[place]
        partial[place] = 0.0
