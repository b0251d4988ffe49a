"""Aggregated sampling: all occurrences of a word in a document draw from one conditional.

Bíró and Szabó (2009), section 2.3. The conditional is computed for the word's first occurrence and used for
all of them, so the cost follows the number of distinct words. It is not an exact Gibbs sampler, though the
paper says so: the later occurrences do not see where the earlier ones went. The distance from the
exact posterior is measured in tests/samplers/test_enumeration.py and stated in docs/samplers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.compiled import kernel, part
from plait.samplers.conditional import draw, fill_mixture, sum_across, weigh_token
from plait.samplers.random import document_key, uniform
from plait.samplers.tokens import (
    CHUNK,
    close_document,
    mixture_without,
    move_token,
    new_scratch,
    open_document,
    prefetch_word,
    redraw_token,
)
from plait.samplers.vectors import LANES, lane_at

_MANY = 6  # occurrences from which it is quicker to move them all at once; found by trial


@dataclass(frozen=True)
class Aggregated(Sampler):
    """Draw all occurrences of a word in a document from one conditional (fast where words repeat)."""

    name: ClassVar[str] = "aggregated"
    state_form: ClassVar[str] = "tokens"

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Visit every distinct word of every document of the shard once."""
        return SweepInfo(*_sweep(documents, state, counts, factors, key, new_scratch(factors.alpha.size)))


@kernel
def _sweep(documents, topics, counts, factors, key, scratch):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        first = documents.offsets[document]
        tilt_row = open_document(documents, document, topics, counts, factors, scratch)
        random_key = document_key(key, documents.first + document)
        token = first
        mass = 1.0
        for entry in range(documents.starts[document], documents.starts[document + 1]):
            row = prefetch_word(documents, document, entry, counts.word_topic, scratch.mixture.size)
            last = token + documents.counts[entry]
            if last == token + 1:  # most words stand once: the plain step is quicker
                number = uniform(random_key, token - first)
                mass *= redraw_token(topics, token, row, tilt_row, number, counts, factors, scratch)
                if mass < 1e-200 or mass > 1e200:
                    log_likelihood += np.log(mass)
                    mass = 1.0
            else:
                total = redraw_word(
                    topics, token, last, row, tilt_row, random_key, token - first, counts, factors, scratch
                )
                log_likelihood += (last - token) * np.log(total)
            token = last
        log_likelihood += np.log(mass) + close_document(token - first, factors, scratch, tilt_row)
    return log_likelihood, float(topics.size)


@part
def redraw_word(topics, token, last, row, tilt_row, random_key, position, counts, factors, scratch):
    """Draw topics for occurrences token..last of one word from one conditional; return its total weight."""
    old = np.int64(topics[token])
    own_mixture = mixture_without(old, tilt_row, counts, factors, scratch)
    running = weigh_token(
        counts.word_topic, row, factors.prior_value, factors.prior_table,
        scratch.mixture, old, own_mixture, np.float32(1.0), scratch.sums,
    )  # fmt: skip
    across = sum_across(running, scratch.below)
    total = lane_at(across, LANES - 1)
    if last - token < _MANY:
        for here in range(token, last):
            target = uniform(random_key, position + here - token) * total
            old = np.int64(topics[here])
            new = draw(scratch.sums, across, scratch.below, target, factors.n_topics)
            if new != old:
                topics[here] = new
                left = mixture_without(old, tilt_row, counts, factors, scratch)
                move_token(old, new, left, row, tilt_row, counts, factors, scratch)
    else:
        _redraw_many(topics, token, last, across, random_key, position, factors.n_topics, scratch)
        _move_many(row, counts, scratch)
        fill_mixture(
            scratch.mixture, scratch.doc_topic, factors.alpha, counts.totals, factors.prior_sums, factors.tilt, tilt_row
        )
    return total


@part
def _redraw_many(topics, token, last, across, random_key, position, n_topics, scratch):
    """Draw topics for a run of occurrences, and tally the old ones (second half) and the new ones (first)."""
    width = scratch.mixture.size
    total = lane_at(across, LANES - 1)
    for first in range(token, last, CHUNK):
        size = min(CHUNK, last - first)
        start = position + first - token
        for number in range(size):  # a loop of its own, so that it runs on vectors
            scratch.targets[number] = uniform(random_key, start + number) * total
        for number in range(size):
            side = width * (number & 1)
            old = np.int64(topics[first + number])
            new = draw(scratch.sums, across, scratch.below, scratch.targets[number], n_topics)
            topics[first + number] = new
            scratch.tallies[side + new] += 1
            scratch.tallies[2 * width + side + old] += 1


@part
def _move_many(row, counts, scratch):
    """Apply the tallies of a run of one word's occurrences to all counts."""
    width = scratch.mixture.size
    tallies = scratch.tallies
    for topic in range(width):
        arrived = tallies[topic] + tallies[width + topic]
        left = tallies[2 * width + topic] + tallies[3 * width + topic]
        counts.word_topic[row + topic] += arrived - left
        scratch.doc_topic[topic] += np.float32(arrived - left)
        counts.totals[topic] += arrived - left
    tallies[:] = 0
