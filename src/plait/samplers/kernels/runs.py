"""Runs of tokens of one word in a document that are drawn from one conditional: their draws and their moves.

All tokens of a run are drawn before any of them is moved. The counts then change once per topic, sixteen topics at a
time, and not once per token. The result is the same as if the tokens were moved one by one.
"""

from __future__ import annotations

from plait.samplers.conditional import tilted
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.int_lanes import (
    add_counts,
    add_to_totals,
    as_numbers,
    choose_at_most,
    load_counts,
    no_counts,
    not_above,
    read_at,
    shift_by,
    store_counts,
    store_topics,
    subtract_counts,
)
from plait.samplers.kernels.lanes import LANES, add, divide, lane_at, load, store, subtract
from plait.samplers.kernels.token_counts import tally_topics
from plait.samplers.kernels.token_state import CHUNK
from plait.samplers.random import uniform


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
    change_document(place, change, counts, factors, scratch)


@inline_kernel
def change_document(place, change, counts, factors, scratch):
    """Add a change of a document's tokens in sixteen topics to its counts and the totals; recompute their mixture."""
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
        fill_targets(scratch.targets, size, random_key, start, total)
        whole = size // LANES * LANES
        for place in range(0, whole, LANES):
            new = draw_sixteen(load(scratch.targets, place), n_topics, scratch.sums, scratch.below)
            store_topics(topics, first + place, new)
        if whole < size:
            rest = load(scratch.targets, whole)
            store_counts(scratch.drawn, 0, draw_sixteen(rest, n_topics, scratch.sums, scratch.below))
            for number in range(size - whole):
                topics[first + whole + number] = scratch.drawn[number]


@inline_kernel
def fill_targets(targets, size, random_key, position, total):
    """Compute the uniforms of `size` tokens from a position on, times a total weight; whole blocks are filled."""
    for number in range((size + LANES - 1) // LANES * LANES):  # a separate loop, so that it is vectorised
        targets[number] = uniform(random_key, position + number) * total


@inline_kernel
def draw_sixteen(targets, n_topics, sums, below):
    """Return the topics whose intervals of the cumulative weights contain sixteen targets; as `conditional.draw`."""
    lane = no_counts()
    for step in (8, 4, 2, 1):
        later = shift_by(lane, step)
        lane = choose_at_most(read_at(below, 0, later), targets, later, lane)
    rest = subtract(targets, read_at(below, 0, lane))
    topic = lane
    for block in range(1, sums.size // LANES - 1):
        topic = choose_at_most(read_at(sums, LANES * block, lane), rest, shift_by(topic, LANES), topic)
    return not_above(topic, n_topics - 1)
