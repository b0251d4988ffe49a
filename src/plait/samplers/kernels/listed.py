"""Sparse form of the synchronous sampler: a token costs the topics of its word or of its document, not all topics.

β is one number and tokens draw from their own document; otherwise the dense form is used. The conditional of
samplers/synchronous.py is then a sum of three parts, all with the token taken out,

    Σ_k (n_dk + α_k) n_kw / (n_k + Σβ)    the topics of the word: its list, in blocks of sixteen
    + β Σ_k n_dk / (n_k + Σβ)             the topics of the document: one number, which follows every move
    + β Σ_k α_k / (n_k + Σβ)              all topics: cumulative sums, computed once per sweep

or, where a word has many topics, the sum over the topics of the document in held.py. A part is drawn, then a topic from
the part. Together this is a draw from the conditional. With responses it is a proposal k for a token of topic j,
accepted with probability min(1, exp(τ(k) − τ(j))): an independence Metropolis step (Tierney, 1994), which leaves the
tilted conditional unchanged and needs τ of two topics only (acceptance.py).

Arithmetic
----------
As in samplers/synchronous.py, float32 unless said otherwise; "draw from weights" is steps 4 to 6 there, with the place
in a list instead of a topic. base_k = α_k · scale_k, and C are its cumulative sums over k in float64.

1.  A document holds its topics in the order in which they first occur; one that it loses is replaced by the last one,
    and a new one is the last. factor_k = n_k · scale_k; mixture_k as in the dense form, without a tilt. At the start
    reach = Σ factor_k, by lanes down the blocks of held topics, then one half of the lanes added to the other four
    times; a move from j to k adds scale_k − scale_j. It is a float64.
2.  Per token: F = (n_j − 1) · less_j, and in float64 e = α_j (less_j − scale_j); all = float32(β (C[K − 1] + e)).
3.  By the list (`prefers_document` is false): weights mixture_k · n_kw, for k = j ((n_j − 1 + α_j) · less_j) ·
    (n_jw − 1); their sum is W, and second = β · max((float32(reach) − n_j · scale_j) + F, 0).
4.  By the document: weights factor_k · (n_kw + β), for k = j F · ((n_jw − 1) + β); their sum is W. In float64
    f = α_j (less_j (n_jw − 1) − scale_j n_jw), and L the cumulative base_k n_kw of the list; second = float32(max(L of
    the last topic + f, 0)).
5.  target = u · ((W + second) + all). Below W, draw from the weights. Otherwise x = target − W; if x < second, draw
    from the weights factor_k, F for k = j, with the target x / β (by the list), or the first topic of the list with
    L > x (by the document; the last one if there is none): if it is not before j, the first one with L > x − f or
    itself, whichever is later. Otherwise y = (x − second) / β in float64, and the first topic k with C_k > y: if it is
    not before j, the first one with C_k > y − e or j, whichever is later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Counts, Documents, Factors
from plait.samplers.conditional import draw_listed, frozen_mixture_of, sum_across, weigh_listed_token
from plait.samplers.kernels.acceptance import (
    Acceptance,
    accepts_move,
    make_acceptance,
    move_acceptance,
    open_acceptance,
)
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.frozen import frozen_scales, record_move
from plait.samplers.kernels.held import (
    Held,
    clear_held,
    draw_held,
    draw_of_all,
    draw_of_document,
    draw_of_list,
    drop_topic,
    hold_topic,
    make_held,
    prefers_document,
    sum_held,
    weigh_held,
)
from plait.samplers.kernels.lanes import LANES, lane_at, prefetch
from plait.samplers.kernels.long_lists import LongLists, shared_long_lists
from plait.samplers.random import uniform

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
    sums: np.ndarray  # sixteen zeros, then the running sums of a list, or of the topics of the document
    below: np.ndarray  # for each lane, the total of the last running sums of the lanes before it
    reach: np.ndarray  # float64, one number: Σ_k n_dk / (n_k + Σβ)
    alpha_sum: float  # Σ_k α_k
    shift: int  # the moves of word w begin at position w · 2^shift
    held: Held  # the topics of the document
    long_lists: LongLists
    acceptance: Acceptance | None  # with responses


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
    held = make_held(width, most)
    return Listed(
        scale=scale,
        scale_less=scale_less,
        base=base,
        cumulative=np.cumsum(mixture[: factors.n_topics], dtype=np.float64),
        doc_topic=aligned_zeros(width),
        mixture=mixture,
        sums=aligned_zeros(LANES + max(longest, held.topics.size)),
        below=np.zeros(1 + LANES, np.float32),
        reach=np.zeros(1),
        alpha_sum=float(factors.alpha.sum(dtype=np.float64)),
        shift=list_shift(width),
        held=held,
        long_lists=shared_long_lists(counts.word_topic, base),
        acceptance=make_acceptance(factors.observations, width),
    )


def list_shift(width: int) -> int:
    """Return the number of bits of a topic in the position of a move.

    Parameters
    ----------
    width : int
        Padded number of topics.
    """
    return (width - 1).bit_length()


@inline_kernel
def sweep_listed_document(documents, document, topics, counts, factors, listed, random_key):
    """Resample the topic of every token of a document; return Σ log p(token | rest)."""
    first, last = documents.offsets[document], documents.offsets[document + 1]
    _open_document(topics, first, last, factors, listed)
    open_acceptance(listed.acceptance, factors.observations, document, listed.doc_topic, last - first)
    log_likelihood = 0.0
    mass = 1.0
    token = first
    for entry in range(documents.starts[document], documents.starts[document + 1]):
        word = np.int64(documents.words[entry])
        ahead = np.int64(documents.words[min(entry + _AHEAD, documents.starts[document + 1] - 1)])
        _prefetch_word(listed, counts.word_topic, ahead)
        for _ in range(documents.counts[entry]):
            mass *= _resample(document, topics, token, first, last, word, random_key, counts, factors, listed)
            # A product of weights is cheaper than a sum of logarithms; the logarithm is taken before it can overflow.
            if mass < 1e-200 or mass > 1e200:
                log_likelihood += np.log(mass)
                mass = 1.0
            token += 1
    for number in range(listed.held.size[0]):
        topic = np.int64(listed.held.topics[number])
        listed.doc_topic[topic] = _ZERO
        listed.mixture[topic] = listed.base[topic]
    clear_held(listed.held)
    if last == first:
        return 0.0
    return log_likelihood + (np.log(mass) - (last - first) * np.log(last - first - 1.0 + listed.alpha_sum))


@inline_kernel
def _prefetch_word(listed, lists, word):
    """Prefetch what the tokens of a word will read: counts of the topics of the document, or the list of the word."""
    begin, end = lists.starts[word], lists.starts[word + 1]
    row = listed.long_lists.row_of[word]
    if prefers_document(listed.held, (end - begin) // LANES, row):
        for number in range(listed.held.size[0]):
            prefetch(listed.long_lists.rows, row + np.int64(listed.held.topics[number]))
    else:
        for place in range(begin, min(end, begin + _MOST_AHEAD), LANES):
            prefetch(lists.counts, place)
            prefetch(lists.topics, place)


@inline_kernel
def _open_document(topics, first, last, factors, listed):
    """Count the topics of a document and compute the mixture factors of its topics."""
    for token in range(first, last):
        topic = np.int64(topics[token])
        if listed.doc_topic[topic] == _ZERO:
            hold_topic(listed.held, topic)
        listed.doc_topic[topic] += _ONE
    for number in range(listed.held.size[0]):
        _set_factors(np.int64(listed.held.topics[number]), factors, listed)
    listed.reach[0] = sum_held(listed.held)


@inline_kernel
def _resample(document, topics, token, first, last, word, random_key, counts, factors, listed):
    """Resample the topic of one token given all others; return the sum of the weights."""
    old = np.int64(topics[token])
    lists = counts.word_topic
    begin = lists.starts[word]
    n_blocks = (lists.starts[word + 1] - begin) // LANES
    beta = factors.prior_value
    less, whole, alpha = listed.scale_less[old], listed.scale[old], factors.alpha[old]
    in_document = listed.doc_topic[old]
    excess = np.float64(alpha) * (np.float64(less) - np.float64(whole))
    of_all = np.float32(np.float64(beta) * (listed.cumulative[factors.n_topics - 1] + excess))
    number = uniform(random_key, token - first)
    row = listed.long_lists.row_of[word]
    if prefers_document(listed.held, n_blocks, row):
        rows = listed.long_lists.rows
        counted = rows[row + old]
        own_weight = (in_document - _ONE) * less * ((counted - _ONE) + beta)
        across = weigh_held(listed.held, rows, row, beta, old, own_weight, listed.sums, listed.below)
        of_held = lane_at(across, LANES - 1)
        own_excess = np.float64(alpha) * (
            np.float64(less) * (np.float64(counted) - 1.0) - np.float64(whole) * np.float64(counted)
        )
        of_list = np.float32(max(listed.long_lists.sums[begin + np.int64(lists.sizes[word]) - 1] + own_excess, 0.0))
        total = (of_held + of_list) + of_all
        target = number * total
        if target < of_held:
            new = draw_held(listed.held, listed.sums, across, listed.below, target)
        elif target - of_held < of_list:
            new = draw_of_list(listed.long_lists.sums, lists, word, np.float64(target - of_held), old, own_excess)
        else:
            rest = (target - of_held) - of_list
            new = draw_of_all(listed.cumulative, np.float64(rest) / np.float64(beta), old, excess)
    else:
        own_factor = (in_document - _ONE) * less
        own_mixture = frozen_mixture_of(in_document - _ONE, alpha, less, _ONE)
        running = weigh_listed_token(
            lists.topics, lists.counts, begin, n_blocks, listed.mixture, old, own_mixture, listed.sums
        )
        across = sum_across(running, listed.below)
        of_word = lane_at(across, LANES - 1)
        of_document = beta * max((np.float32(listed.reach[0]) - in_document * whole) + own_factor, _ZERO)
        total = (of_word + of_document) + of_all
        target = number * total
        if target < of_word:
            place = draw_listed(listed.sums, n_blocks, across, listed.below, target, np.int64(lists.sizes[word]))
            new = np.int64(lists.topics[begin + place])
        elif target - of_word < of_document:
            new = draw_of_document(listed.held, (target - of_word) / beta, old, own_factor, listed.sums, listed.below)
        else:
            rest = (target - of_word) - of_document
            new = draw_of_all(listed.cumulative, np.float64(rest) / np.float64(beta), old, excess)
    if new != old and accepts_move(
        listed.acceptance, document, old, new, last - first, random_key, token - first, factors
    ):
        topics[token] = new
        _move(word, old, new, counts, factors, listed)
        move_acceptance(listed.acceptance, factors.observations, document)
    return np.float64(total)


@inline_kernel
def _move(word, old, new, counts, factors, listed):
    """Count a token in topic `new` instead of `old`, and record its move."""
    changes = counts.changes
    row = word << listed.shift
    record_move(changes.words, changes.words.range_of[word], row + old, row + new)
    changes.totals[old] -= 1
    changes.totals[new] += 1
    listed.doc_topic[old] -= _ONE
    _set_factors(old, factors, listed)
    if listed.doc_topic[old] == _ZERO:
        drop_topic(listed.held, old)
    if listed.doc_topic[new] == _ZERO:
        hold_topic(listed.held, new)
    listed.doc_topic[new] += _ONE
    _set_factors(new, factors, listed)
    listed.reach[0] += np.float64(listed.scale[new]) - np.float64(listed.scale[old])


@inline_kernel
def _set_factors(topic, factors, listed):
    """Compute what depends on the tokens that the document has in one of its topics."""
    in_document, scale = listed.doc_topic[topic], listed.scale[topic]
    listed.held.factors[listed.held.places[topic]] = in_document * scale
    listed.mixture[topic] = frozen_mixture_of(in_document, factors.alpha[topic], scale, _ONE)
