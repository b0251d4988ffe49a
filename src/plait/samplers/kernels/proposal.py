"""Exact tilt by proposals: a topic is proposed with a tilt that a run of tokens shares, and accepted by the difference.

tilt.py defines τ. With P_r = Σ_k u_rk n_dk, a_r = pull_r / N and b_r = precision_r / N², the exponent of topic k for a
token that leaves topic j is

    τ(k)  =  Σ_r  u_rk (a_r − b_r (P_r − u_rj))  −  b_r u_rk² / 2

It changes with every token, but little. The tokens of a document are resampled in runs of up to sixteen. At the start
of a run, the tilt of proposals is the same sum with Q_r in the place of P_r − u_rj: the projection of the document's
tokens outside the run, scaled to N − 1 tokens. It does not depend on the topics of the run, so that the proposal for
a token does not depend on the topic that it leaves. Accepting topic k with probability min(1, exp(change)),

    change  =  Σ_r  (u_rk − u_rj) b_r (Q_r − (P_r − u_rj))

leaves the conditional with the exact tilt unchanged: an independence Metropolis step (Tierney, 1994). A run has at most
an eighth of the document's tokens, so nearly all proposals are accepted. Runs of one token, in documents below sixteen
tokens, are Gibbs sampling.

The synchronous sampler draws so with every exact tilt, live sweeps (plain.py) with few directions that do not move
(`few_directions`): labels and values.

Numbers are float32. Sums over observations: down blocks of sixteen of them, then across lanes (`lane_sum`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Observations
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import (
    LANES,
    add,
    exponential,
    lane_at,
    lane_sum,
    load,
    multiply,
    splat,
    store,
    subtract,
)
from plait.samplers.kernels.tilt import largest, project
from plait.samplers.random import scramble, uniform

_ZERO, _HALF = np.float32(0.0), np.float32(0.5)
_NEARLY_ONE = np.float32(1.0 - 1e-6)
_LOWEST = np.float32(-1e38)
_MAX_BY_TOPIC = 512  # directions
_MAX_RUN = 16  # tokens
_RUNS = 8  # at least, in a document of several tokens


class TiltProposal(NamedTuple):
    """Observations of the current document, and the tilt of its present run of tokens."""

    slope: np.ndarray  # float32: a_r
    bend: np.ndarray  # float32: b_r
    projected: np.ndarray  # float32: P_r
    proposed: np.ndarray  # float32: Q_r
    terms: np.ndarray  # float32: terms of a sum over observations, in whole blocks
    squares: np.ndarray  # float32, width: Σ_r b_r u_rk² / 2
    by_topic: np.ndarray  # float32, flat, topics × directions and padding; empty if there are many directions
    run: np.ndarray  # int64, one number: tokens per run
    first_row: np.ndarray  # int64, one number: the first of consecutive directions; −1: they are not, or many


def few_directions(observations: Observations, width: int) -> bool:
    """Return whether a live sweep draws with an exact tilt by proposals: few directions, which do not move.

    The test of a proposal reads the numbers of two topics for all directions from one table, which is made once per
    sweep. Rows of A (tilt.py) take less time if there are many directions or each document has its own.

    Parameters
    ----------
    observations : Observations
        Pseudo-observations of the shard.
    width : int
        Padded number of topics.
    """
    return observations.exact and observations.moving is None and observations.directions.size <= _MAX_BY_TOPIC * width


def directions_by_topic(observations: Observations, width: int) -> np.ndarray:
    """Return the directions as flat float32 rows of topics, with padding; empty if there are many directions.

    Parameters
    ----------
    observations : Observations
        Pseudo-observations of the shard.
    width : int
        Padded number of topics.
    """
    directions = observations.directions.reshape(-1, width)
    if len(directions) > _MAX_BY_TOPIC:
        return np.empty(0, np.float32)
    columns = aligned_zeros((width, (len(directions) + 2 * LANES - 1) // LANES * LANES))
    columns[:, : len(directions)] = directions.T
    return columns.ravel()


def make_tilt_proposal(observations: Observations | None, width: int) -> TiltProposal | None:
    """Return the working memory for one document (None without responses, or with a cached tilt).

    Parameters
    ----------
    observations : Observations or None
        Pseudo-observations of the shard.
    width : int
        Padded number of topics.
    """
    if observations is None or not observations.exact:
        return None
    most = int(np.diff(observations.starts).max(initial=0))
    most = (most + LANES - 1) // LANES * LANES
    slope, bend, projected, proposed, terms = (aligned_zeros(max(most, LANES)) for _ in range(5))
    return TiltProposal(
        slope,
        bend,
        projected,
        proposed,
        terms,
        squares=aligned_zeros(width),
        by_topic=directions_by_topic(observations, width),
        run=np.ones(1, np.int64),
        first_row=np.zeros(1, np.int64),
    )


@inline_kernel
def run_length(n_tokens):
    """Return the number of tokens per run in a document: a power of two."""
    run = 1
    while run < _MAX_RUN and 2 * _RUNS * run <= n_tokens:
        run *= 2
    return run


@inline_kernel
def open_proposal(proposal, observations, document, doc_topic, n_tokens):
    """Compute what a document's proposals need once (no effect without an exact tilt)."""
    if proposal is not None:
        width = doc_topic.size
        length = np.float32(max(n_tokens, 1))
        proposal.run[0] = run_length(n_tokens)
        for block in range(0, width, LANES):
            store(proposal.squares, block, splat(_ZERO))
        first, last = observations.starts[document], observations.starts[document + 1]
        for number in range(first, last):
            row = np.int64(observations.rows[number]) * width
            own = number - first
            proposal.projected[own] = project(observations.directions, row, doc_topic, 0, width)
            proposal.slope[own] = np.float32(observations.pull[number] / length)
            proposal.bend[own] = np.float32(observations.precision[number] / (length * length))
            half = splat(_HALF * proposal.bend[own])
            for block in range(0, width, LANES):
                direction = load(observations.directions, row + block)
                change = multiply(multiply(half, direction), direction)
                store(proposal.squares, block, add(load(proposal.squares, block), change))
        proposal.first_row[0] = first_of_consecutive_rows(proposal.by_topic, observations, first, last)
        for own in range(last - first, (last - first + LANES - 1) // LANES * LANES):  # of the last block
            proposal.terms[own] = _ZERO
            proposal.bend[own] = _ZERO
            proposal.projected[own] = _ZERO


@inline_kernel
def first_of_consecutive_rows(by_topic, observations, first, last):
    """Return the direction of the first observation if a table has those of all, which follow it; otherwise −1."""
    if by_topic.size == 0 or first == last:
        return -1
    row = np.int64(observations.rows[first])
    for number in range(first, last):
        if observations.rows[number] != row + number - first:
            return -1
    return row


@inline_kernel
def _column(proposal, topic):
    """Return where the numbers of a topic begin in `by_topic`, for the document's consecutive directions."""
    return topic * (proposal.by_topic.size // proposal.squares.size) + proposal.first_row[0]


@inline_kernel
def starts_run(proposal, position):
    """Return whether a token is the first of a run: never without an exact tilt."""
    if proposal is None:
        return False
    return position & (proposal.run[0] - 1) == 0


@inline_kernel
def renew_tilt(proposal, tilt, observations, document, topics, token, n_left, n_tokens, n_topics):
    """Compute the tilt of the run of tokens that begins at `token`, up to a constant; return its number of tokens."""
    width = tilt.size
    size = min(proposal.run[0], n_left)
    ratio = np.float32(n_tokens - 1) / np.float32(max(n_tokens - size, 1))
    first, last = observations.starts[document], observations.starts[document + 1]
    _project_outside(proposal, observations, first, last, topics, token, size, ratio, width)
    for own in range(last - first):
        proposal.terms[own] = proposal.slope[own] - proposal.bend[own] * proposal.proposed[own]
    for block in range(0, width - LANES, 2 * LANES):
        total, other_total = splat(_ZERO), splat(_ZERO)
        for own in range(last - first):
            place = np.int64(observations.rows[first + own]) * width + block
            slope = splat(proposal.terms[own])
            total = add(total, multiply(slope, load(observations.directions, place)))
            other_total = add(other_total, multiply(slope, load(observations.directions, place + LANES)))
        store(tilt, block, subtract(total, load(proposal.squares, block)))
        store(tilt, block + LANES, subtract(other_total, load(proposal.squares, block + LANES)))
    if width % (2 * LANES) != 0:
        block = width - LANES
        total = splat(_ZERO)
        for own in range(last - first):
            place = np.int64(observations.rows[first + own]) * width + block
            total = add(total, multiply(splat(proposal.terms[own]), load(observations.directions, place)))
        store(tilt, block, subtract(total, load(proposal.squares, block)))
    for topic in range(n_topics, width):
        tilt[topic] = _LOWEST  # padding must never be the largest
    shift = splat(largest(tilt))
    for block in range(0, width, LANES):
        store(tilt, block, exponential(subtract(load(tilt, block), shift)))
    return size


@inline_kernel
def _project_outside(proposal, observations, first, last, topics, token, size, ratio, width):
    """Compute Q_r: the projections of the tokens outside a run, times a ratio."""
    if proposal.first_row[0] >= 0:
        for block in range(0, last - first, LANES):
            outside = load(proposal.projected, block)
            for other in range(token, token + size):
                column = _column(proposal, np.int64(topics[other]))
                outside = subtract(outside, load(proposal.by_topic, column + block))
            store(proposal.proposed, block, multiply(outside, splat(ratio)))
    else:
        for own in range(last - first):
            row = np.int64(observations.rows[first + own]) * width
            rest = proposal.projected[own]
            for other in range(token, token + size):
                rest -= observations.directions[row + np.int64(topics[other])]
            proposal.proposed[own] = rest * ratio


@inline_kernel
def tilted_mass(tilt, doc_topic, alpha):
    """Return Σ_k (n_dk + α_k) tilt_dk."""
    total = splat(_ZERO)
    for block in range(0, tilt.size, LANES):
        expected = add(load(doc_topic, block), load(alpha, block))
        total = add(total, multiply(expected, load(tilt, block)))
    return lane_sum(total)


@inline_kernel
def accepts(proposal, observations, document, old, new, width, random_key, position):
    """Return whether a token moves from `old` to the proposed topic `new`: always without an exact tilt."""
    if proposal is None:
        return True
    first = observations.starts[document]
    size = observations.starts[document + 1] - first
    total = splat(_ZERO)
    if proposal.first_row[0] >= 0:
        left, right = _column(proposal, old), _column(proposal, new)
        for block in range(0, size, LANES):
            before = load(proposal.by_topic, left + block)
            without = subtract(load(proposal.projected, block), before)
            moved = subtract(load(proposal.by_topic, right + block), before)
            pulled = multiply(load(proposal.bend, block), subtract(load(proposal.proposed, block), without))
            total = add(total, multiply(moved, pulled))
    else:
        for own in range(size):
            row = np.int64(observations.rows[first + own]) * width
            own_before = observations.directions[row + old]
            own_without = proposal.projected[own] - own_before
            own_moved = observations.directions[row + new] - own_before
            proposal.terms[own] = own_moved * (proposal.bend[own] * (proposal.proposed[own] - own_without))
        for block in range(0, size, LANES):
            total = add(total, load(proposal.terms, block))
    change = lane_sum(total)
    # The key is scrambled twice to get a stream other than those of topics and sources.
    chance = uniform(scramble(scramble(random_key)), position)
    # exp x ≥ 1 + x decides most cases sooner, by more than rounding; a processor predicts that proposals are accepted.
    if chance < _NEARLY_ONE + change:
        return True
    return (change >= _ZERO) | (chance < lane_at(exponential(splat(change)), 0))


@inline_kernel
def move_projections(proposal, observations, document, old, new, width):
    """Update the projections for a token that moves (no effect without an exact tilt)."""
    if proposal is not None:
        first = observations.starts[document]
        size = observations.starts[document + 1] - first
        if proposal.first_row[0] >= 0:
            left, right = _column(proposal, old), _column(proposal, new)
            for block in range(0, size, LANES):
                shift = subtract(load(proposal.by_topic, right + block), load(proposal.by_topic, left + block))
                store(proposal.projected, block, add(load(proposal.projected, block), shift))
        else:
            for own in range(size):
                row = np.int64(observations.rows[first + own]) * width
                change = observations.directions[row + new] - observations.directions[row + old]
                proposal.projected[own] += change
