"""Acceptance step of the sparse synchronous sampler: a proposed topic is accepted by the difference of its exponents.

The topic of a token is proposed without the tilt (listed.py) and accepted with probability min(1, exp(τ(k) − τ(j))),
where tilt.py defines τ. The difference needs the directions of two topics only. They are read from a table by topic
where there are few directions, so that the numbers of all labels are adjacent and the terms of the sum are computed
together; the terms are then added in the order of the observations, in float64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Observations
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.doubles import DOUBLES, padded_size
from plait.samplers.kernels.lanes import exponential, lane_at, splat
from plait.samplers.kernels.proposal import directions_by_topic, first_of_consecutive_rows
from plait.samplers.kernels.tilt import project
from plait.samplers.random import scramble, uniform


class Acceptance(NamedTuple):
    """Observations of the current document, in whole blocks of eight: one number each unless said otherwise."""

    pull: np.ndarray  # float64
    precision: np.ndarray  # float64
    bend: np.ndarray  # float64: precision / (2 N²)
    projected: np.ndarray  # float64: Σ_k u_rk n_dk
    before: np.ndarray  # float64: the direction at the topic that a token leaves
    after: np.ndarray  # float64: the direction at the proposed topic
    terms: np.ndarray  # float64: terms of τ(k) − τ(j)
    by_topic: np.ndarray  # float32, flat, topics × directions and padding; empty if there are many directions
    first_row: np.ndarray  # int64, one number: the first of consecutive directions; −1: they are not, or many


def make_acceptance(observations: Observations | None, width: int) -> Acceptance | None:
    """Return the working memory for one document (None without responses).

    Parameters
    ----------
    observations : Observations or None
        Pseudo-observations of the shard.
    width : int
        Padded number of topics.
    """
    if observations is None:
        return None
    most = int(np.diff(observations.starts).max(initial=0))
    pull, precision, bend, projected, before, after, terms = np.zeros((7, padded_size(most)))
    by_topic = directions_by_topic(observations, width)
    return Acceptance(
        pull, precision, bend, projected, before, after, terms, by_topic=by_topic, first_row=np.zeros(1, np.int64)
    )


@inline_kernel
def _whole_blocks(observations, document):
    """Return the number of observations of a document, rounded up to whole blocks of eight."""
    size = observations.starts[document + 1] - observations.starts[document]
    return (size + DOUBLES - 1) // DOUBLES * DOUBLES


@inline_kernel
def open_acceptance(acceptance, observations, document, doc_topic, n_tokens):
    """Compute what the observations of a document need once (no effect without responses)."""
    if acceptance is not None:
        length = np.float64(n_tokens)
        first, last = observations.starts[document], observations.starts[document + 1]
        _clear_last_block(acceptance, _whole_blocks(observations, document))
        for number in range(first, last):
            row = np.int64(observations.rows[number]) * doc_topic.size
            own = number - first
            acceptance.pull[own] = observations.pull[number]
            acceptance.precision[own] = observations.precision[number]
            acceptance.bend[own] = 0.5 * observations.precision[number] / (length * length)
            acceptance.projected[own] = project(observations.directions, row, doc_topic, 0, doc_topic.size)
        acceptance.first_row[0] = first_of_consecutive_rows(acceptance.by_topic, observations, first, last)


@inline_kernel
def _clear_last_block(acceptance, whole):
    """Set the last block of eight observations to 0; what follows the observations then adds nothing."""
    for own in range(max(whole - DOUBLES, 0), whole):
        acceptance.pull[own] = acceptance.precision[own] = acceptance.bend[own] = acceptance.projected[own] = 0.0
        acceptance.before[own] = acceptance.after[own] = 0.0


@inline_kernel
def _read_directions(acceptance, observations, first, size, topic, width, result):
    """Write the directions of a document's observations at a topic to `result`."""
    if acceptance.first_row[0] >= 0:
        column = topic * (acceptance.by_topic.size // width) + acceptance.first_row[0]
        for own in range(size):
            result[own] = np.float64(acceptance.by_topic[column + own])
    else:
        for own in range(size):
            result[own] = np.float64(observations.directions[np.int64(observations.rows[first + own]) * width + topic])


@inline_kernel
def accepts_move(acceptance, document, old, new, n_tokens, random_key, position, factors):
    """Return whether a token moves from `old` to the proposed topic `new`: always without responses."""
    if acceptance is None:
        return True
    observations, width = factors.observations, factors.alpha.size
    first = observations.starts[document]
    size = observations.starts[document + 1] - first
    _read_directions(acceptance, observations, first, size, old, width, acceptance.before)
    _read_directions(acceptance, observations, first, size, new, width, acceptance.after)
    length = np.float64(n_tokens)
    # The token is taken out of an exact projection; a cached one is scaled to the other tokens.
    kept, taken = 1.0, 1.0
    if not observations.exact:
        kept, taken = 1.0 - 1.0 / length, 0.0
    for own in range(_whole_blocks(observations, document)):  # in whole blocks, so that it is vectorised
        before, after = acceptance.before[own], acceptance.after[own]
        without = acceptance.projected[own] * kept - before * taken
        slope = (acceptance.pull[own] - acceptance.precision[own] * without / length) / length
        acceptance.terms[own] = (after - before) * (slope - acceptance.bend[own] * (after + before))
    change = 0.0  # τ(new) − τ(old)
    for own in range(size):
        change += acceptance.terms[own]
    # The key is scrambled once more to get a stream other than that of the topics.
    number = uniform(scramble(random_key), position)
    return change >= 0.0 or number < lane_at(exponential(splat(np.float32(change))), 0)


@inline_kernel
def move_acceptance(acceptance, observations, document):
    """Update the projections for a token that `accepts_move` has accepted (no effect without an exact tilt)."""
    if acceptance is not None and observations.exact:
        for own in range(_whole_blocks(observations, document)):
            acceptance.projected[own] += acceptance.after[own]
            acceptance.projected[own] -= acceptance.before[own]
