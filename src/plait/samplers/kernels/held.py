"""Topics that a document holds: for words with long lists, a token costs these instead of the topics of its word.

The first part of the conditional in listed.py is a sum over the document's topics and one over the word's,

    Σ_k n_dk n_kw / (n_k + Σβ)    topics that the document holds, whose counts are found by bisection
    + Σ_k α_k n_kw / (n_k + Σβ)   the list of the word: cumulative sums, computed once per sweep

with the token taken out of both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import LANES

_MIN_BLOCKS = 3  # of a list that may be longer than the topics of a document, twice


class Held(NamedTuple):
    """The topics of the current document, and the cumulative sums of long lists."""

    topics: np.ndarray  # int64: topics with a token, in any order
    places: np.ndarray  # int64, width: where each of them is in `topics`
    size: np.ndarray  # int64, one number: how many there are
    sums: np.ndarray  # float64: running sums of their weights
    list_sums: np.ndarray  # float64: cumulative α_k n_kw / (n_k + Σβ) within each long list


def make_held(lists: Any, base: np.ndarray, most: int) -> Held:
    """Return working memory for documents of at most so many topics.

    Parameters
    ----------
    lists : TopicLists
        Counts of the start of the sweep.
    base : ndarray
        α_k / (n_k + Σβ).
    most : int
        Largest number of topics of a document.
    """
    list_sums = np.empty(lists.topics.size)
    _sum_lists(lists, base, list_sums)
    return Held(
        np.zeros(most + 1, np.int64),
        np.zeros(base.size, np.int64),
        np.zeros(1, np.int64),
        np.zeros(most + 1),
        list_sums,
    )


@kernel
def _sum_lists(lists, base, list_sums):
    for word in range(lists.sizes.size):
        begin = lists.starts[word]
        if lists.starts[word + 1] - begin >= _MIN_BLOCKS * LANES:
            running = 0.0
            for place in range(begin, begin + np.int64(lists.sizes[word])):
                running += np.float64(base[np.int64(lists.topics[place])]) * np.float64(lists.counts[place])
                list_sums[place] = running


@inline_kernel
def hold_topic(held, topic):
    """Add a topic to those of the document."""
    held.topics[held.size[0]] = topic
    held.places[topic] = held.size[0]
    held.size[0] += 1


@inline_kernel
def drop_topic(held, topic):
    """Remove a topic from those of the document; the last one takes its place."""
    held.size[0] -= 1
    last = held.topics[held.size[0]]
    held.topics[held.places[topic]] = last
    held.places[last] = held.places[topic]


@inline_kernel
def prefers_document(held, n_blocks):
    """Return whether the topics of the document cost less than the list of the word."""
    return n_blocks >= _MIN_BLOCKS and 2 * held.size[0] < n_blocks


@inline_kernel
def find_topic(lists, word, topic):
    """Return the place of a topic in the list of a word, or of the last topic before it."""
    place = lists.starts[word]
    size = np.int64(lists.sizes[word])
    while size > 1:
        half = size >> 1
        place += half * (np.int64(lists.topics[place + half]) <= topic)
        size -= half
    return place


@inline_kernel
def weigh_held(held, lists, word, own, less, doc_topic, scale):
    """Compute the weights of the document's topics for a token of topic `own`; return their sum."""
    running = 0.0
    for number in range(held.size[0]):
        topic = held.topics[number]
        place = find_topic(lists, word, topic)
        counted = np.float64(lists.counts[place]) * (np.int64(lists.topics[place]) == topic)
        if topic == own:
            running += (np.float64(doc_topic[topic]) - 1.0) * (counted - 1.0) * less
        else:
            running += np.float64(doc_topic[topic]) * counted * np.float64(scale[topic])
        held.sums[number] = running
    return running


@inline_kernel
def draw_held(held, target):
    """Return the topic of the document whose interval contains a target."""
    number = 0
    while number < held.size[0] - 1 and held.sums[number] <= target:
        number += 1
    return held.topics[number]


@inline_kernel
def draw_of_list(held, lists, word, target, own_place, excess):
    """Draw a topic of a word in proportion to α_k n_kw / (n_k + Σβ), which is larger by `excess` at `own_place`."""
    low = lists.starts[word]
    high = low + np.int64(lists.sizes[word]) - 1
    while low < high:
        middle = (low + high) // 2
        until = held.list_sums[middle]
        if middle >= own_place:
            until += excess
        if until > target:
            high = middle
        else:
            low = middle + 1
    return np.int64(lists.topics[low])
