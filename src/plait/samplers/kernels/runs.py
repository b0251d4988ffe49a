"""Runs of tokens of one word in a document that are drawn from one conditional: their draws and their moves.

All tokens of a run are drawn before any of them is moved. The counts then change once per topic, sixteen topics at a
time, and not once per token. The result is the same as if the tokens were moved one by one.
"""

from __future__ import annotations

import numpy as np

from plait.samplers.conditional import draw, tilted
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.int_lanes import (
    add_counts,
    add_to_totals,
    as_numbers,
    choose_at_most,
    count_at,
    load_counts,
    no_counts,
    not_above,
    read_at,
    shift_by,
    store_counts,
    store_topics,
    subtract_counts,
    uncount_at,
)
from plait.samplers.kernels.lanes import LANES, add, divide, lane_at, load, store, subtract
from plait.samplers.kernels.token_counts import tally_topics
from plait.samplers.kernels.token_state import CHUNK
from plait.samplers.random import uniform


@inline_kernel
def resample_short_run(topics, token, last, row, across, random_key, position, counts, factors, scratch):
    """Draw the topics of up to `LANES` tokens of a word and move those that change."""
    total = lane_at(across, LANES - 1)
    differ = 0
    for here in range(token, last):
        target = uniform(random_key, position + here - token) * total
        new = draw(scratch.sums, across, scratch.below, target, factors.n_topics)
        scratch.drawn[here - token] = new
        differ |= np.int64(topics[here]) ^ new
    if differ != 0:  # most short runs stay as they are
        for place in range(0, scratch.mixture.size, LANES):
            change = no_counts()
            for here in range(token, last):
                change = count_at(change, np.int64(scratch.drawn[here - token]) - place)
                change = uncount_at(change, np.int64(topics[here]) - place)
            _change_counts(row, place, change, counts, factors, scratch)
        for here in range(token, last):
            topics[here] = scratch.drawn[here - token]


@inline_kernel
def resample_run(topics, token, last, row, across, random_key, position, counts, factors, scratch):
    """Draw the topics of a run of tokens of a word, and move the tokens."""
    for place in range(0, scratch.mixture.size, LANES):
        change = no_counts()
        for here in range(token, last):
            change = uncount_at(change, np.int64(topics[here]) - place)
        store_counts(scratch.left, place, change)
    _draw_topics(topics, token, last, lane_at(across, LANES - 1), random_key, position, factors.n_topics, scratch)
    for place in range(0, scratch.mixture.size, LANES):
        change = load_counts(scratch.left, place)
        for here in range(token, last):
            change = count_at(change, np.int64(topics[here]) - place)
        _change_counts(row, place, change, counts, factors, scratch)


@inline_kernel
def resample_long_run(topics, token, last, row, across, random_key, position, counts, factors, scratch):
    """Draw the topics of a long run of tokens of a word, and move the tokens; they are counted in memory."""
    width = scratch.mixture.size
    tally_topics(topics, token, last, scratch.tallies, width)
    for place in range(0, width, LANES):
        store_counts(scratch.left, place, _take_tallies(scratch.tallies, place, width))
    _draw_topics(topics, token, last, lane_at(across, LANES - 1), random_key, position, factors.n_topics, scratch)
    tally_topics(topics, token, last, scratch.tallies, width)
    for place in range(0, width, LANES):
        change = subtract_counts(_take_tallies(scratch.tallies, place, width), load_counts(scratch.left, place))
        _change_counts(row, place, change, counts, factors, scratch)


@inline_kernel
def _take_tallies(tallies, place, width):
    """Return the tallies of sixteen topics and reset them to 0."""
    total = load_counts(tallies, place)
    store_counts(tallies, place, no_counts())
    for number in range(1, 4):
        total = add_counts(total, load_counts(tallies, number * width + place))
        store_counts(tallies, number * width + place, no_counts())
    return total


@inline_kernel
def _change_counts(row, place, change, counts, factors, scratch):
    """Add a change of the tokens of one word in sixteen topics to all counts, and recompute their mixture."""
    store_counts(counts.word_topic, row + place, add_counts(load_counts(counts.word_topic, row + place), change))
    total = add_to_totals(counts.totals, place, change)
    in_document = add(load(scratch.doc_topic, place), as_numbers(change))
    store(scratch.doc_topic, place, in_document)
    mixed = tilted(add(in_document, load(factors.alpha, place)), scratch.tilt, place)
    store(scratch.mixture, place, divide(mixed, add(total, load(factors.prior_sums, place))))


@inline_kernel
def _draw_topics(topics, token, last, total, random_key, position, n_topics, scratch):
    """Draw the topics of a run of tokens from the cumulative weights of `scratch`, sixteen at a time."""
    for first in range(token, last, CHUNK):
        size = min(CHUNK, last - first)
        start = position + first - token
        for number in range((size + LANES - 1) // LANES * LANES):  # a separate loop, so that it is vectorised
            scratch.targets[number] = uniform(random_key, start + number) * total
        whole = size // LANES * LANES
        for place in range(0, whole, LANES):
            store_topics(topics, first + place, _draw_sixteen(load(scratch.targets, place), n_topics, scratch))
        if whole < size:
            store_counts(scratch.drawn, 0, _draw_sixteen(load(scratch.targets, whole), n_topics, scratch))
            for number in range(size - whole):
                topics[first + whole + number] = scratch.drawn[number]


@inline_kernel
def _draw_sixteen(targets, n_topics, scratch):
    """Return the topics whose intervals of the cumulative weights contain sixteen targets; as `conditional.draw`."""
    lane = no_counts()
    for step in (8, 4, 2, 1):
        later = shift_by(lane, step)
        lane = choose_at_most(read_at(scratch.below, 0, later), targets, later, lane)
    rest = subtract(targets, read_at(scratch.below, 0, lane))
    topic = lane
    for block in range(1, scratch.mixture.size // LANES):
        topic = choose_at_most(read_at(scratch.sums, LANES * block, lane), rest, shift_by(topic, LANES), topic)
    return not_above(topic, n_topics - 1)
