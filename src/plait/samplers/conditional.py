"""The token conditional: how likely each topic is for one word of one document, and a draw from it.

For word w of document d, with the occurrence itself taken out of every count,

    p(k | rest)  ∝  (n_dk + α_k) · tilt_dk / (n_k + Σ_v β_kv)   ×   (n_kw + β_kw)
                    └─────────────── mixture ───────────────┘      └─── word ───┘

This is eq. (1) of Bíró and Szabó (2009) with a prior table in place of one number and with a factor `tilt` = exp τ, by
which responses (labels, links) pull a document's topics; samplers/observations.py computes τ. Every factor arrives as
an array; where a factor is absent its argument is None and the compiler removes it.

Where a word may draw from the documents c that its own links to (eq. 7), the mixture is a sum over them,

    Σ_c  ratio_dc (n_ck + α_k) · tilt_dk / (n_k + Σ_v β_kv),      ratio_dc = (m_dc + γ_dc) / (n_c + Σ_k α_k)

with m_dc the words of d that were drawn from c and n_ck the words, of any document, that were drawn from c in topic k.
A topic is drawn by the sum, then a document by its part of it, which together is a draw of both at once.

Topics lie in blocks of sixteen lanes. Running sums go down the blocks, lane by lane, so that only one
sum across lanes is needed for a word, however many topics there are. The topics are thus visited lane by
lane when a uniform picks one; any fixed order gives the same distribution.

The forms of the conditional live here, and nowhere else: an occurrence that holds one topic (`weigh_token`;
`weigh_pulled_token` where τ follows every drawn topic), and an occurrence that is spread over the topics
(`weigh_share`; `weigh_linked_share` over documents, too; `weigh_known_share` where the topics are known and only the
document is new).
"""

from __future__ import annotations

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import (
    LANES,
    add,
    add_at,
    at_least_zero,
    count_at_most,
    divide,
    exponential,
    lane_max,
    lane_sum,
    larger,
    load,
    load_shares,
    multiply,
    replace_at,
    running_sum,
    splat,
    store,
    subtract,
)

_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)
_LOWEST = np.float32(-1e38)


@inline_kernel
def expected_words(prior_value, prior_table, place):
    """Return β_kw for sixteen topics: one number, or sixteen entries of a table."""
    if prior_table is None:
        return splat(prior_value)
    return load(prior_table, place)


@inline_kernel
def tilt_of(tilt, topic):
    """Return the responses' factor of one topic (1 without responses, or where it follows every word)."""
    if tilt is None:
        return _ONE
    return tilt[topic]


@inline_kernel
def mixture_of(in_document, alpha, totals, taken, prior_sums, tilt_factor, topic):
    """Return the mixture factor of one topic, `taken` tokens being left out of its total.

    Where the topics' words are fixed (`totals` is None), they are normalised already and there is no denominator.
    """
    if totals is None:
        return (in_document + alpha) * tilt_factor
    return (in_document + alpha) * tilt_factor / (np.float32(totals[topic] - taken) + prior_sums[topic])


@inline_kernel
def fill_mixture(mixture, doc_topic, alpha, totals, prior_sums, tilt):
    """Compute the mixture factor of every topic from a document's and the topics' counts."""
    for topic in range(mixture.size):
        mixture[topic] = mixture_of(
            np.float32(doc_topic[topic]), alpha[topic], totals, 0, prior_sums, tilt_of(tilt, topic), topic
        )


@inline_kernel
def source_ratio(taken, gamma, drawn, alpha_sum):
    """Return what a candidate document weighs: its words of the document at hand by all that were drawn from it."""
    return (taken + gamma) / (drawn + alpha_sum)


@inline_kernel
def fill_linked_mixture(mixture, scale, alpha, source_topic, rows, ratios, n_sources, own_row, own_ratio, own):
    """Compute the mixture factor of every topic where a word may draw from several documents.

    `scale` is tilt_dk / (n_k + Σ_v β_kv). The occurrence at hand, in topic `own`, is taken out of the row that it was
    drawn from, whose ratio without it is `own_ratio`; that candidate's entry of `ratios` must be 0.
    """
    all_ratios = own_ratio
    for source in range(n_sources):
        all_ratios += ratios[source]
    for place in range(0, mixture.size, LANES):
        total = multiply(splat(own_ratio), add_at(load(source_topic, own_row + place), own - place, -_ONE))
        for source in range(n_sources):
            total = add(total, multiply(splat(ratios[source]), load(source_topic, rows[source] + place)))
        total = add(total, multiply(splat(all_ratios), load(alpha, place)))
        store(mixture, place, multiply(total, load(scale, place)))


@inline_kernel
def weigh_token(word_topic, row, prior_value, prior_table, mixture, own, own_mixture, own_count, sums):
    """Weigh every topic for an occurrence that holds topic `own`; return the last running sums.

    `own_mixture` is that topic's mixture factor without the occurrence, and `own_count` what the occurrence
    adds to its word's count (1; 0 where the word factor is fixed). `sums` receives the running sums, after
    sixteen zeros that stand for the sums before the first block.
    """
    running = splat(_ZERO)
    for block in range(mixture.size // LANES):
        place = LANES * block
        lane = own - place
        counted = add_at(load(word_topic, row + place), lane, -own_count)
        word = add(counted, expected_words(prior_value, prior_table, row + place))
        mixed = replace_at(load(mixture, place), lane, own_mixture)
        running = add(running, multiply(mixed, word))
        store(sums, LANES + place, running)
    return running


@inline_kernel
def weigh_tilted_token(
    word_topic,
    row,
    prior_value,
    prior_table,
    mixture,
    log_tilt,
    pairs,
    pairs_row,
    shift,
    own,
    own_mixture,
    own_count,
    sums,
    untilted,
):
    """Weigh every topic as `weigh_token` does, times exp(log_tilt + pairs − shift); return the last running sums.

    `untilted` receives the sum of the weights without that factor.
    """
    running = splat(_ZERO)
    plain = splat(_ZERO)
    taken_off = splat(shift)
    for block in range(mixture.size // LANES):
        place = LANES * block
        lane = own - place
        counted = add_at(load(word_topic, row + place), lane, -own_count)
        word = add(counted, expected_words(prior_value, prior_table, row + place))
        weight = multiply(replace_at(load(mixture, place), lane, own_mixture), word)
        plain = add(plain, weight)
        exponent = add(subtract(load(log_tilt, place), taken_off), load(pairs, pairs_row + place))
        running = add(running, multiply(weight, exponential(exponent)))
        store(sums, LANES + place, running)
    untilted[0] = lane_sum(plain)
    return running


@inline_kernel
def largest_exponent(log_tilt, pairs, pairs_row):
    """Return the largest τ of all topics."""
    most = splat(_LOWEST)
    for place in range(0, log_tilt.size, LANES):
        most = larger(most, add(load(log_tilt, place), load(pairs, pairs_row + place)))
    return lane_max(most)


@inline_kernel
def sum_across(running, below):
    """Return the last running sums added up over the lanes; the last lane holds the total weight.

    `below` receives the sums over the lanes before each, so that its first entry stays 0.
    """
    across = running_sum(running)
    store(below, 1, across)
    return across


@inline_kernel
def draw(sums, across, below, target, n_topics):
    """Return the topic at which the running weights pass a target in [0, total)."""
    lane = min(count_at_most(across, target), LANES - 1)
    rest = target - below[lane]
    topic = lane
    for block in range(1, sums.size // LANES - 1):
        topic += LANES * (sums[LANES * block + lane] <= rest)
    # Rounding can point at the padding, once in some ten million draws.
    return min(topic, n_topics - 1)


@inline_kernel
def weigh_share(
    word_topic, row, prior_value, prior_table, doc_topic, doc_row, alpha, totals, prior_sums, tilt,
    shares, share_row, unit, weights,
):  # fmt: skip
    """Weigh every topic for an occurrence that is spread over them; return the total weight.

    `unit` is how much of the occurrence there is (1, or less for a fractional count); its shares are taken
    out of every count first. `weights` receives the weights.
    """
    total = splat(_ZERO)
    amount = splat(unit)
    for block in range(weights.size // LANES):
        place = LANES * block
        own = multiply(amount, load_shares(shares, share_row + place))
        prior = expected_words(prior_value, prior_table, row + place)
        # Real-valued counts can end a hair below 0 by rounding.
        word = add(at_least_zero(subtract(load(word_topic, row + place), own)), prior)
        mixed = add(at_least_zero(subtract(load(doc_topic, doc_row + place), own)), load(alpha, place))
        topic = add(subtract(load(totals, place), own), load(prior_sums, place))
        weight = divide(multiply(tilted(mixed, tilt, place), word), topic)
        total = add(total, weight)
        store(weights, place, weight)
    return lane_sum(total)


@inline_kernel
def fill_share_factors(
    factors, word_topic, row, prior_value, prior_table, totals, prior_sums, tilt, shares, share_row, n_sources, unit,
):  # fmt: skip
    """Compute what each topic weighs for a spread occurrence in whatever document it is drawn from.

    The occurrence has a row of shares for each document; all of them are taken out of the word's and topics' counts.
    """
    width = factors.size
    for place in range(0, width, LANES):
        own = splat(_ZERO)
        for source in range(n_sources):
            own = add(own, load_shares(shares, share_row + source * width + place))
        own = multiply(splat(unit), own)
        prior = expected_words(prior_value, prior_table, row + place)
        word = add(at_least_zero(subtract(load(word_topic, row + place), own)), prior)
        topic = add(subtract(load(totals, place), own), load(prior_sums, place))
        store(factors, place, divide(tilted(word, tilt, place), topic))


@inline_kernel
def weigh_source_share(
    factors, row, source_topic, source_row, alpha, shares, share_row, unit, weights, weights_row
):  # fmt: skip
    """Weigh every topic for the part of a spread occurrence that is drawn from one document, but for its ratio.

    Return the sum of the weights, and how much of the occurrence the document holds now.
    """
    total = splat(_ZERO)
    held = splat(_ZERO)
    for place in range(0, alpha.size, LANES):
        share = load_shares(shares, share_row + place)
        left = subtract(load(source_topic, source_row + place), multiply(splat(unit), share))
        weight = multiply(add(at_least_zero(left), load(alpha, place)), load(factors, row + place))
        store(weights, weights_row + place, weight)
        total = add(total, weight)
        held = add(held, share)
    return lane_sum(total), lane_sum(held)


@inline_kernel
def tilted(mixed, tilt, place):
    """Multiply sixteen topics by the responses' factor."""
    if tilt is None:
        return mixed
    return multiply(mixed, load(tilt, place))


@inline_kernel
def weigh_known_share(word_weights, row, doc_topic, doc_row, alpha, shares, share_row, unit, weights):
    """Weigh every topic for a spread token where the topics' words are fixed."""
    total = splat(_ZERO)
    amount = splat(unit)
    for block in range(weights.size // LANES):
        place = LANES * block
        own = multiply(amount, load_shares(shares, share_row + place))
        mixed = add(at_least_zero(subtract(load(doc_topic, doc_row + place), own)), load(alpha, place))
        weight = multiply(mixed, load(word_weights, row + place))
        total = add(total, weight)
        store(weights, place, weight)
    return lane_sum(total)
