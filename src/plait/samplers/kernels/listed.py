"""Sparse form of the synchronous sampler: a token costs the topics of its word or of its document, not all topics.

β is one number and tokens draw from their own document; otherwise the dense form is used. The conditional of
samplers/synchronous.py is then a sum of three parts, all with the token taken out,

    Σ_k (n_dk + α_k) n_kw / (n_k + Σβ)    the topics of the word: its list, in blocks of sixteen, or held.py
    + β Σ_k n_dk / (n_k + Σβ)             the topics of the document: one number, which follows every move
    + β Σ_k α_k / (n_k + Σβ)              all topics: cumulative sums, computed once per sweep

A part is drawn, then a topic from the part. Together this is a draw from the conditional. With responses it is a
proposal k for a token of topic j, accepted with probability min(1, exp(τ(k) − τ(j))): an independence Metropolis step
(Tierney, 1994), which leaves the tilted conditional unchanged and needs τ of two topics only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Observations
from plait.samplers.conditional import draw_listed, frozen_mixture_of, sum_across, weigh_listed_token
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.frozen import frozen_scales, record_move
from plait.samplers.kernels.held import (
    Held,
    draw_held,
    draw_of_list,
    drop_topic,
    find_topic,
    hold_topic,
    make_held,
    prefers_document,
    weigh_held,
)
from plait.samplers.kernels.lanes import LANES, exponential, lane_at, prefetch, splat
from plait.samplers.kernels.tilt import project
from plait.samplers.random import scramble, uniform

_ONE, _ZERO = np.float32(1.0), np.float32(0.0)
_AHEAD, _MOST_AHEAD = 4, 8 * LANES  # number of entries by which lists are prefetched, and how much of each


class Listed(NamedTuple):
    """What a sweep computes once from the frozen counts, and the working memory for one document.

    Between two documents, `doc_topic` is 0 and `mixture` is `base`.
    """

    scale: np.ndarray  # float32, width: 1 / (n_k + Σβ)
    scale_less: np.ndarray  # float32, width: the same with one token taken out of the total
    base: np.ndarray  # float32, width: α_k / (n_k + Σβ)
    cumulative: np.ndarray  # float64, topics: sums of `base`
    doc_topic: np.ndarray  # float32, width: n_dk
    mixture: np.ndarray  # float32, width + 16: (n_dk + α_k) / (n_k + Σβ); 0 in the padding
    sums: np.ndarray  # sixteen zeros, then the running sums of a list
    below: np.ndarray  # for each lane, the total of the last running sums of the lanes before it
    reach: np.ndarray  # float64, one number: Σ_k n_dk / (n_k + Σβ)
    alpha_sum: float  # Σ_k α_k
    shift: int  # the moves of word w begin at position w · 2^shift
    held: Held  # the topics of the document
    projections: np.ndarray | None  # float64, with responses: Σ_k u_rk n_dk of each observation of the document


def open_lists(documents: Documents, counts: Counts, factors: Factors) -> Listed:
    """Return what a sweep over lists computes once.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    counts : Counts
        Counts of the start of the sweep.
    factors : Factors
        Priors and pseudo-observations.
    """
    width = factors.alpha.size
    scale, scale_less = frozen_scales(counts, factors)
    mixture = aligned_zeros(width + LANES)
    mixture[:width] = factors.alpha * scale
    longest = int(np.diff(counts.word_topic.starts).max(initial=0))  # type: ignore[union-attr]
    most = min(int(np.diff(documents.offsets).max(initial=0)), factors.n_topics)
    base = mixture[:width].copy()
    return Listed(
        scale=scale,
        scale_less=scale_less,
        base=base,
        cumulative=np.cumsum(mixture[: factors.n_topics], dtype=np.float64),
        doc_topic=aligned_zeros(width),
        mixture=mixture,
        sums=aligned_zeros(LANES + longest),
        below=np.zeros(1 + LANES, np.float32),
        reach=np.zeros(1),
        alpha_sum=float(factors.alpha.sum(dtype=np.float64)),
        shift=list_shift(width),
        held=make_held(counts.word_topic, base, most),
        projections=_make_projections(factors.observations),
    )


def list_shift(width: int) -> int:
    """Return the number of bits of a topic in the position of a move.

    Parameters
    ----------
    width : int
        Padded number of topics.
    """
    return (width - 1).bit_length()


def _make_projections(observations: Observations | None) -> np.ndarray | None:
    return None if observations is None else np.zeros(int(np.diff(observations.starts).max(initial=0)))


@inline_kernel
def sweep_listed_document(documents, document, topics, counts, factors, listed, random_key):
    """Resample the topic of every token of a document; return Σ log p(token | rest)."""
    first, last = documents.offsets[document], documents.offsets[document + 1]
    _open_document(topics, first, last, factors, listed)
    _open_projections(listed.projections, factors.observations, document, listed.doc_topic)
    log_likelihood = 0.0
    mass = 1.0
    token = first
    for entry in range(documents.starts[document], documents.starts[document + 1]):
        word = np.int64(documents.words[entry])
        ahead = np.int64(documents.words[min(entry + _AHEAD, documents.starts[document + 1] - 1)])
        begin = counts.word_topic.starts[ahead]
        for place in range(begin, min(counts.word_topic.starts[ahead + 1], begin + _MOST_AHEAD), LANES):
            prefetch(counts.word_topic.counts, place)
            prefetch(counts.word_topic.topics, place)
        for _ in range(documents.counts[entry]):
            mass *= _resample(document, topics, token, first, last, word, random_key, counts, factors, listed)
            # A product of weights is cheaper than a sum of logarithms; the logarithm is taken before it can overflow.
            if mass < 1e-200 or mass > 1e200:
                log_likelihood += np.log(mass)
                mass = 1.0
            token += 1
    for token in range(first, last):
        topic = np.int64(topics[token])
        listed.doc_topic[topic] = _ZERO
        listed.mixture[topic] = listed.base[topic]
    if last == first:
        return 0.0
    return log_likelihood + (np.log(mass) - (last - first) * np.log(last - first - 1.0 + listed.alpha_sum))


@inline_kernel
def _open_document(topics, first, last, factors, listed):
    """Count the topics of a document and compute the mixture factors of its topics."""
    reach = 0.0
    listed.held.size[0] = 0
    for token in range(first, last):
        topic = np.int64(topics[token])
        if listed.doc_topic[topic] == _ZERO:
            hold_topic(listed.held, topic)
        listed.doc_topic[topic] += _ONE
        reach += listed.scale[topic]
    listed.reach[0] = reach
    for token in range(first, last):
        topic = np.int64(topics[token])
        listed.mixture[topic] = frozen_mixture_of(
            listed.doc_topic[topic], factors.alpha[topic], listed.scale[topic], _ONE
        )


@inline_kernel
def _resample(document, topics, token, first, last, word, random_key, counts, factors, listed):
    """Resample the topic of one token given all others; return the sum of the weights."""
    old = np.int64(topics[token])
    lists = counts.word_topic
    begin = lists.starts[word]
    n_blocks = (lists.starts[word + 1] - begin) // LANES
    beta = np.float64(factors.prior_value)
    less, whole = np.float64(listed.scale_less[old]), np.float64(listed.scale[old])
    alpha = np.float64(factors.alpha[old])
    by_document = prefers_document(listed.held, n_blocks)
    across = splat(_ZERO)
    of_held, own_place, own_excess = 0.0, begin, 0.0
    if by_document:
        of_held = weigh_held(listed.held, lists, word, old, less, listed.doc_topic, listed.scale)
        own_place = find_topic(lists, word, old)
        counted = np.float64(lists.counts[own_place])
        own_excess = alpha * (less * (counted - 1.0) - whole * counted)
        of_word = of_held + max(listed.held.list_sums[begin + np.int64(lists.sizes[word]) - 1] + own_excess, 0.0)
    else:
        own_mixture = frozen_mixture_of(listed.doc_topic[old] - _ONE, factors.alpha[old], listed.scale_less[old], _ONE)
        running = weigh_listed_token(
            lists.topics, lists.counts, begin, n_blocks, listed.mixture, old, own_mixture, listed.sums
        )
        across = sum_across(running, listed.below)
        of_word = np.float64(lane_at(across, LANES - 1))
    in_document = np.float64(listed.doc_topic[old])
    of_document = beta * max(listed.reach[0] - in_document * whole + (in_document - 1.0) * less, 0.0)
    excess = alpha * (less - whole)
    of_all = beta * (listed.cumulative[factors.n_topics - 1] + excess)
    total = of_word + of_document + of_all
    target = np.float64(uniform(random_key, token - first)) * total
    if target < of_word:
        if not by_document:
            place = draw_listed(
                listed.sums, n_blocks, across, listed.below, np.float32(target), np.int64(lists.sizes[word])
            )
            new = np.int64(lists.topics[begin + place])
        elif target < of_held:
            new = draw_held(listed.held, target)
        else:
            new = draw_of_list(listed.held, lists, word, target - of_held, own_place, own_excess)
    elif target - of_word < of_document:
        new = _draw_of_document((target - of_word) / beta, old, less, listed)
    else:
        new = _draw_of_all(listed.cumulative, (target - of_word - of_document) / beta, old, excess)
    if new != old and _accepts(
        listed.projections, document, old, new, last - first, random_key, token - first, factors
    ):
        topics[token] = new
        _move(word, old, new, counts, factors, listed)
        _update_projections(listed.projections, factors.observations, document, old, new, factors.alpha.size)
    return total


@inline_kernel
def _draw_of_document(target, old, less, listed):
    """Draw a topic k of the document's other tokens in proportion to n_dk / (n_k + Σβ)."""
    chosen = old
    running = 0.0
    for number in range(listed.held.size[0]):
        topic = listed.held.topics[number]
        in_document = np.float64(listed.doc_topic[topic])
        if topic == old:
            running += (in_document - 1.0) * less
        else:
            running += in_document * np.float64(listed.scale[topic])
            chosen = topic
        if running > target:
            return topic
    return chosen


@inline_kernel
def _draw_of_all(cumulative, target, old, excess):
    """Draw a topic k in proportion to α_k / (n_k + Σβ), which is larger by `excess` for topic `old`, by bisection."""
    low, high = 0, cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        until = cumulative[middle]
        if middle >= old:
            until += excess
        if until > target:
            high = middle
        else:
            low = middle + 1
    return low


@inline_kernel
def _move(word, old, new, counts, factors, listed):
    """Count a token in topic `new` instead of `old`, and record its move."""
    changes = counts.changes
    row = word << listed.shift
    record_move(changes.words, changes.words.range_of[word], row + old, row + new)
    changes.totals[old] -= 1
    changes.totals[new] += 1
    listed.doc_topic[old] -= _ONE
    if listed.doc_topic[old] == _ZERO:
        drop_topic(listed.held, old)
    if listed.doc_topic[new] == _ZERO:
        hold_topic(listed.held, new)
    listed.doc_topic[new] += _ONE
    listed.reach[0] += np.float64(listed.scale[new]) - np.float64(listed.scale[old])
    for topic in (old, new):
        listed.mixture[topic] = frozen_mixture_of(
            listed.doc_topic[topic], factors.alpha[topic], listed.scale[topic], _ONE
        )


@inline_kernel
def _open_projections(projections, observations, document, doc_topic):
    """Compute Σ_k u_rk n_dk of each observation of a document (no effect without responses)."""
    if projections is not None:
        first = observations.starts[document]
        for number in range(first, observations.starts[document + 1]):
            row = np.int64(observations.rows[number]) * doc_topic.size
            projections[number - first] = project(observations.directions, row, doc_topic, 0, doc_topic.size)


@inline_kernel
def _accepts(projections, document, old, new, n_tokens, random_key, position, factors):
    """Return whether a token moves from `old` to the proposed topic `new`: always without responses."""
    if projections is None:
        return True
    observations, width = factors.observations, factors.alpha.size
    first = observations.starts[document]
    length = np.float64(n_tokens)
    change = 0.0  # τ(new) − τ(old); kernels/tilt.py defines τ
    for number in range(first, observations.starts[document + 1]):
        row = np.int64(observations.rows[number]) * width
        before = np.float64(observations.directions[row + old])
        after = np.float64(observations.directions[row + new])
        precision = observations.precision[number]
        without = projections[number - first]
        if observations.exact:
            without -= before
        else:
            without *= 1.0 - 1.0 / length
        slope = (observations.pull[number] - precision * without / length) / length
        bend = 0.5 * precision / (length * length)
        change += (after - before) * (slope - bend * (after + before))
    # The key is scrambled once more to get a stream other than that of the topics.
    number = uniform(scramble(random_key), position)
    return change >= 0.0 or number < lane_at(exponential(splat(np.float32(change))), 0)


@inline_kernel
def _update_projections(projections, observations, document, old, new, width):
    """Update the projections for a token that moves (no effect without responses, or with a cached tilt)."""
    if projections is not None:
        first = observations.starts[document]
        last = observations.starts[document + 1] if observations.exact else first
        for number in range(first, last):
            row = np.int64(observations.rows[number]) * width
            projections[number - first] += np.float64(observations.directions[row + new])
            projections[number - first] -= np.float64(observations.directions[row + old])
