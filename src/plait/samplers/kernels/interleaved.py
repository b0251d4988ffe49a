"""Dense synchronous sweeps of several documents at a time: while one token waits for its draw, others are weighed.

Documents of a synchronous sweep are independent, so their tokens can be resampled in turns: the first token of each of
`SLOTS` documents, then the second ones. The draws, in samplers/synchronous.py, are those of one document after the
other, bit for bit. A move is made without a branch, because a processor cannot predict whether a token moves: a token
that keeps its topic is counted out of it and into it again.

With an exact tilt, or with linked documents, frozen.py resamples one document after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Counts, Documents, Factors
from plait.samplers.conditional import draw, frozen_mixture_of, sum_across, weigh_token
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import LANES, lane_at, load, prefetch
from plait.samplers.kernels.tilt import fill_tilt, make_tilt
from plait.samplers.kernels.token_counts import take_tally, tally_topics
from plait.samplers.random import document_key, uniform

SLOTS = 4  # documents at a time; tuned by measurement
_AHEAD = np.uint64(4)  # number of tokens by which rows are prefetched
# Unsigned places: Numba need not test whether they count from the end of an array.
_NEXT, _BLOCK = np.uint64(1), np.uint64(LANES)
_ONE = np.float32(1.0)


class Slots(NamedTuple):
    """Working memory of the documents that are resampled in turns; the first axis has one row per slot."""

    doc_topic: np.ndarray  # float32, width: n_dk
    mixture: np.ndarray  # float32, width: the mixture factor of each topic
    tilt: np.ndarray | None  # float32, width: exp τ, computed once per document
    sums: np.ndarray  # float32: sixteen zeros, then the running sums of the weights
    below: np.ndarray  # float32: for each lane, the total of the last running sums of the lanes before it
    words: np.ndarray  # uint32: the word of each token
    targets: np.ndarray  # float32, one number: uniform of the token, times its total weight
    active: np.ndarray  # int64, one number: slots in use come first
    document: np.ndarray  # int64, one number; −1: none yet
    token: np.ndarray  # int64, one number: the next token
    position: np.ndarray  # int64, one number: its place in the document
    left: np.ndarray  # int64, one number: tokens from it on
    key: np.ndarray  # uint64, one number: of the document's random numbers
    mass: np.ndarray  # float64, one number: product of weights
    log_weight: np.ndarray  # float64, one number: logarithm of the product of earlier weights
    tallies: np.ndarray  # int32, 4 × width: of all slots


def make_slots(documents: Documents, counts: Counts, factors: Factors) -> Slots:
    """Return the working memory of a sweep.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    counts : Counts
        Counts of the shard.
    factors : Factors
        Priors and pseudo-observations.
    """
    width = factors.alpha.size
    longest = int(np.diff(documents.offsets).max(initial=0))
    observations = factors.observations
    return Slots(
        doc_topic=aligned_zeros((SLOTS, width)),
        mixture=aligned_zeros((SLOTS, width)),
        tilt=None if make_tilt(observations, width) is None else aligned_zeros((SLOTS, width)),
        sums=aligned_zeros((SLOTS, LANES + width)),
        below=aligned_zeros((SLOTS, 2 * LANES)),
        words=np.zeros((SLOTS, longest + int(_AHEAD)), np.uint32),
        targets=np.zeros(SLOTS, np.float32),
        active=np.arange(SLOTS, dtype=np.uint64),
        document=np.full(SLOTS, -1),
        token=np.zeros(SLOTS, np.uint64),
        position=np.zeros(SLOTS, np.uint64),
        left=np.zeros(SLOTS, np.int64),
        key=np.zeros(SLOTS, np.uint64),
        mass=np.ones(SLOTS),
        log_weight=np.zeros(SLOTS),
        tallies=aligned_zeros(4 * width, np.int32),
    )


@inline_kernel
def sweep_interleaved(documents, topics, counts, factors, frozen, key, slots, log_likelihoods):
    """Resample the topics of all tokens; `log_likelihoods` receives Σ log p(token | rest) of every document."""
    upcoming = 0
    n_active = SLOTS
    while n_active > 0:
        number = 0
        while number < n_active:
            slot = slots.active[number]
            if slots.left[slot] == 0:
                if slots.document[slot] >= 0:
                    log_likelihoods[slots.document[slot]] = _close_slot(slot, factors, slots)
                upcoming = _skip_empty(documents, upcoming, log_likelihoods)
                if upcoming == documents.starts.size - 1:
                    n_active -= 1
                    slots.active[number] = slots.active[n_active]
                    continue
                _open_slot(slot, documents, upcoming, topics, factors, frozen, key, slots)
                upcoming += 1
            number += 1
        steps = slots.left[slots.active[0]] if n_active > 0 else 0
        for number in range(1, n_active):
            steps = min(steps, slots.left[slots.active[number]])
        for _ in range(steps):
            _weigh_tokens(n_active, topics, counts, factors, frozen, slots)
            _move_tokens(n_active, topics, counts, factors, frozen, slots)
        for number in range(n_active):
            slots.left[slots.active[number]] -= steps


@inline_kernel
def _skip_empty(documents, document, log_likelihoods):
    """Return the first document with a token from some document on."""
    while document < documents.starts.size - 1 and documents.offsets[document] == documents.offsets[document + 1]:
        log_likelihoods[document] = 0.0
        document += 1
    return document


@inline_kernel
def _open_slot(slot, documents, document, topics, factors, frozen, key, slots):
    """Begin a document: list the words of its tokens, count its topics, and compute its tilt and its mixture."""
    width = slots.mixture.shape[1]
    first, last = documents.offsets[document], documents.offsets[document + 1]
    slots.document[slot] = document
    slots.token[slot] = first
    slots.position[slot] = 0
    slots.left[slot] = last - first
    slots.key[slot] = document_key(key, documents.first + document)
    slots.mass[slot] = 1.0
    slots.log_weight[slot] = 0.0
    _list_words(slots.words[slot], documents, document)
    tally_topics(topics, first, last, slots.tallies, width)
    doc_topic, length = slots.doc_topic[slot], np.float32(last - first)
    for topic in range(width):
        doc_topic[topic] = take_tally(slots.tallies, topic, width)
    _fill_tilt(slots.tilt, slot, factors.observations, document, doc_topic, length, factors.n_topics)
    for topic in range(width):
        slots.mixture[slot, topic] = frozen_mixture_of(
            doc_topic[topic], factors.alpha[topic], frozen.scale[topic], _tilt_of(slots.tilt, slot, topic)
        )


@inline_kernel
def _list_words(words, documents, document):
    """Write the word of every token of a document; the last one is followed by copies, for prefetching."""
    place = 0
    for entry in range(documents.starts[document], documents.starts[document + 1]):
        word, count = documents.words[entry], documents.counts[entry]
        words[place] = word  # most words occur at most twice: two writes without a branch
        words[place + 1] = word
        for further in range(2, count):
            words[place + further] = word
        place += count
    last = words[place - 1]
    for further in range(np.int64(_AHEAD)):
        words[place + further] = last


@inline_kernel
def _fill_tilt(tilt, slot, observations, document, doc_topic, length, n_topics):
    """Compute the tilt of a document (nothing without responses)."""
    if tilt is not None:
        fill_tilt(tilt[slot], observations, document, doc_topic, 0, length, n_topics)


@inline_kernel
def _tilt_of(tilt, slot, topic):
    """Return the tilt of one topic (1 without responses)."""
    if tilt is None:
        return _ONE
    return tilt[slot, topic]


@inline_kernel
def _weigh_tokens(n_active, topics, counts, factors, frozen, slots):
    """Compute the running sums of the weights of the next token of every slot, and the target of its draw."""
    width = np.uint64(slots.mixture.shape[1])
    for number in range(np.uint64(n_active)):
        slot = slots.active[number]
        position = slots.position[slot]
        soon = np.uint64(slots.words[slot, position + _AHEAD]) * width
        for place in range(np.uint64(0), width, _BLOCK):
            prefetch(counts.word_topic, soon + place)
        old = np.uint64(topics[slots.token[slot]])
        own_mixture = frozen_mixture_of(
            slots.doc_topic[slot, old] - _ONE, factors.alpha[old], frozen.scale_less[old],
            _tilt_of(slots.tilt, slot, old),
        )  # fmt: skip
        row = np.uint64(slots.words[slot, position]) * width
        running = weigh_token(
            counts.word_topic, np.int64(row), factors.prior_value, factors.prior_table,
            slots.mixture[slot], np.int64(old), own_mixture, _ONE, slots.sums[slot],
        )  # fmt: skip
        total = lane_at(sum_across(running, slots.below[slot]), LANES - 1)
        slots.targets[slot] = uniform(slots.key[slot], position) * total
        slots.mass[slot] *= total
        # A product of weights is cheaper than a sum of logarithms; the logarithm is taken before it can overflow.
        if slots.mass[slot] < 1e-200 or slots.mass[slot] > 1e200:
            slots.log_weight[slot] += np.log(slots.mass[slot])
            slots.mass[slot] = 1.0


@inline_kernel
def _move_tokens(n_active, topics, counts, factors, frozen, slots):
    """Draw the topic of the next token of every slot, and move the token to it."""
    width = np.uint64(slots.mixture.shape[1])
    changes = counts.changes
    for number in range(np.uint64(n_active)):
        slot = slots.active[number]
        token, position = slots.token[slot], slots.position[slot]
        below = slots.below[slot]
        new = np.uint64(draw(slots.sums[slot], load(below, 1), below, slots.targets[slot], factors.n_topics))
        old = np.uint64(topics[token])
        topics[token] = new
        slots.token[slot] = token + _NEXT
        slots.position[slot] = position + _NEXT
        word = np.uint64(slots.words[slot, position])
        place = np.uint64(changes.words.range_of[word])
        end = np.uint64(changes.words.ends[place])
        changes.words.positions[end] = word * width + old
        changes.words.positions[end + _NEXT] = word * width + new
        changes.words.ends[place] = end + np.uint64(2) * np.uint64(new != old)
        changes.totals[old] -= 1
        changes.totals[new] += 1
        slots.doc_topic[slot, old] -= _ONE
        slots.doc_topic[slot, new] += _ONE
        for topic in (old, new):
            slots.mixture[slot, topic] = frozen_mixture_of(
                slots.doc_topic[slot, topic],
                factors.alpha[topic],
                frozen.scale[topic],
                _tilt_of(slots.tilt, slot, topic),
            )


@inline_kernel
def _close_slot(slot, factors, slots):
    """Return Σ log p(token | rest) of a document."""
    mass = 0.0
    untilted = 0.0
    for topic in range(factors.n_topics):
        expected = slots.doc_topic[slot, topic] + factors.alpha[topic]
        untilted += expected
        mass += expected * _tilt_of(slots.tilt, slot, topic)
    # The resampled token is left out of the document's proportions.
    expected_log = -np.int64(slots.position[slot]) * np.log(mass * (untilted - 1.0) / untilted)
    return slots.log_weight[slot] + (np.log(slots.mass[slot]) + expected_log)
