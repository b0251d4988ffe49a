"""Topics that a document holds: for words with long lists, a token costs these instead of the topics of its word.

The conditional in listed.py is then a sum over the document's topics, in blocks of sixteen, and sums over the word's
topics and all topics that are computed once per sweep (long_lists.py),

    Σ_k n_dk (n_kw + β) / (n_k + Σβ)    topics that the document holds
    + Σ_k α_k n_kw / (n_k + Σβ)         the list of the word
    + β Σ_k α_k / (n_k + Σβ)            all topics

with the token taken out of each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.conditional import draw_listed, sum_across, weigh_held_token
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import LANES, add, lane_sum, load, splat

# A block of the document's topics is taken to cost MARGIN / 2 blocks of a list, because their counts lie apart. With
# about 1,000 topics, 4 is faster than 2 and 3 on a GPU, and than 2 in most runs on a CPU.
MARGIN = 4
_ONE, _ZERO = np.float32(1.0), np.float32(0.0)


class Held(NamedTuple):
    """The topics of the current document, padded to whole blocks with a factor of 0."""

    topics: np.ndarray  # uint16: topics with a token, in any order
    factors: np.ndarray  # float32: n_dk / (n_k + Σβ) of each of them
    places: np.ndarray  # int64, width: where each of them is in `topics`
    size: np.ndarray  # int64, one number: how many there are


def make_held(width: int, most: int) -> Held:
    """Return working memory for documents of at most so many topics.

    Parameters
    ----------
    width : int
        Padded number of topics.
    most : int
        Largest number of topics of a document.
    """
    room = LANES * (most // LANES + 1)  # and one topic that comes before another one goes
    return Held(aligned_zeros(room, np.uint16), aligned_zeros(room), np.zeros(width, np.int64), np.zeros(1, np.int64))


@inline_kernel
def hold_topic(held, topic):
    """Add a topic to those of the document; its factor is set by the caller."""
    number = held.size[0]
    held.topics[number] = topic
    held.places[topic] = number
    held.size[0] = number + 1


@inline_kernel
def drop_topic(held, topic):
    """Remove a topic from those of the document; the last one takes its place."""
    last = held.size[0] - 1
    moved = np.int64(held.topics[last])
    number = held.places[topic]
    held.topics[number] = moved
    held.factors[number] = held.factors[last]
    held.places[moved] = number
    held.factors[last] = _ZERO
    held.size[0] = last


@inline_kernel
def clear_held(held):
    """Remove all topics."""
    for number in range(held.size[0]):
        held.factors[number] = _ZERO
    held.size[0] = 0


@inline_kernel
def sum_held(held):
    """Return the sum of the factors."""
    total = splat(_ZERO)
    for place in range(0, held.size[0], LANES):
        total = add(total, load(held.factors, place))
    return lane_sum(total)


@inline_kernel
def prefers_document(held, n_blocks, row):
    """Return whether the topics of the document cost less than the list of the word, which has a row."""
    return row >= 0 and MARGIN * held.size[0] <= 2 * LANES * (n_blocks - 1)


@inline_kernel
def weigh_held(held, rows, row, added, own, own_weight, sums, below):
    """Compute the weights of the document's topics for a token of topic `own`; return their cumulative sums by lane."""
    running = weigh_held_token(
        held.topics, held.factors, held_blocks(held), rows, row, added, held.places[own], own_weight, sums
    )
    return sum_across(running, below)


@inline_kernel
def held_blocks(held):
    """Return the number of blocks of the document's topics."""
    return (held.size[0] + LANES - 1) // LANES


@inline_kernel
def draw_held(held, sums, across, below, target):
    """Return the topic of the document whose interval contains a target."""
    return np.int64(held.topics[draw_listed(sums, held_blocks(held), across, below, target, held.size[0])])


@inline_kernel
def draw_of_document(held, target, own, own_factor, sums, below):
    """Draw a topic k of the document's other tokens in proportion to n_dk / (n_k + Σβ)."""
    across = weigh_held(held, None, 0, _ONE, own, own_factor, sums, below)
    return draw_held(held, sums, across, below, target)


@inline_kernel
def draw_of_list(list_sums, lists, word, target, own, excess):
    """Draw a topic of a word in proportion to α_k n_kw / (n_k + Σβ), which is larger by `excess` for topic `own`."""
    begin = lists.starts[word]
    last = begin + np.int64(lists.sizes[word]) - 1
    found = find_above(list_sums, begin, last, target)
    if np.int64(lists.topics[found]) >= own:
        found = max(found, find_above(list_sums, begin, last, target - excess))
    return np.int64(lists.topics[found])


@inline_kernel
def draw_of_all(cumulative, target, own, excess):
    """Draw a topic k in proportion to α_k / (n_k + Σβ), which is larger by `excess` for topic `own`."""
    found = find_above(cumulative, 0, cumulative.size - 1, target)
    if found >= own:
        found = max(own, find_above(cumulative, 0, cumulative.size - 1, target - excess))
    return found


@inline_kernel
def find_above(sums, first, last, target):
    """Return the place, from `first` to `last`, of the first sum above a target, or `last`. Sums do not fall."""
    while first < last:
        middle = (first + last) // 2
        if sums[middle] > target:
            last = middle
        else:
            first = middle + 1
    return first
