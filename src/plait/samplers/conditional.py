"""The token conditional: the probability of each topic for one token of a document, and a draw from it.

For a token of word w in document d, with the token itself taken out of every count,

    p(k | rest)  ∝  (n_dk + α_k) · tilt_dk / (n_k + Σ_v β_kv)   ×   (n_kw + β_kw)
                    └─────────────── mixture ───────────────┘      └─── word ───┘

This is eq. (1) of Bíró and Szabó (2009) with a prior table in place of one number and with a factor `tilt` = exp τ, the
effect of responses (labels, values, links) on a document's topics; kernels/tilt.py computes τ. Every factor is an
array; if a factor is absent, its argument is None and the compiler removes it.

If a token may draw from the documents c that its document links to (eq. 7), the mixture is a sum over them,

    Σ_c  ratio_dc (n_ck + α_k) · tilt_dk / (n_k + Σ_v β_kv),      ratio_dc = (m_dc + γ_dc) / (n_c + Σ_k α_k)

with m_dc the tokens of d that were drawn from c and n_ck the tokens of any document that were drawn from c in topic k.
A topic is drawn from the sum, then a document from its terms, which together is a joint draw of both.

Topics are stored in blocks of sixteen lanes. Running sums are computed per lane over the blocks, so that a token needs
only one sum across lanes, whatever the number of topics. A uniform number therefore selects a topic in the order of
lanes; any fixed order gives the same distribution.

All forms of the conditional are in this file: for a token that holds one topic (`weigh_token`; `weigh_tilted_token`
with an exact tilt), and for an entry that holds shares of topics (`weigh_share`; `weigh_source_share` with linked
documents; `weigh_known_share` with fixed topic–word weights, for new documents).
"""

from __future__ import annotations

import numpy as np

from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.gather import choose_at_topic, gather
from plait.samplers.kernels.lanes import (
    LANES,
    add,
    add_at,
    at_least_zero,
    count_at_most,
    divide,
    lane_sum,
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


@inline_kernel
def expected_words(prior_value, prior_table, place):
    """Return β_kw of sixteen topics: one number, or sixteen entries of a table."""
    if prior_table is None:
        return splat(prior_value)
    return load(prior_table, place)


@inline_kernel
def tilt_of(tilt, topic):
    """Return the tilt of one topic (1 without responses, or with an exact tilt)."""
    if tilt is None:
        return _ONE
    return tilt[topic]


@inline_kernel
def mixture_of(in_document, alpha, totals, taken, prior_sums, tilt_factor, topic):
    """Return the mixture factor of one topic with `taken` tokens taken out of its total.

    Fixed topic–word weights (`totals` is None) are normalised, so there is no denominator.
    """
    if totals is None:
        return (in_document + alpha) * tilt_factor
    return (in_document + alpha) * tilt_factor / (np.float32(totals[topic] - taken) + prior_sums[topic])


@inline_kernel
def fill_mixture(mixture, doc_topic, alpha, totals, prior_sums, tilt):
    """Compute the mixture factor of every topic from document–topic counts and totals."""
    for topic in range(mixture.size):
        mixture[topic] = mixture_of(
            np.float32(doc_topic[topic]), alpha[topic], totals, 0, prior_sums, tilt_of(tilt, topic), topic
        )


@inline_kernel
def frozen_mixture_of(in_document, alpha, scale, tilt_factor):
    """Return the mixture factor of one topic whose total is frozen; `scale` is 1 / (n_k + Σ_v β_kv)."""
    return (in_document + alpha) * tilt_factor * scale


@inline_kernel
def source_ratio(taken, gamma, drawn, alpha_sum):
    """Return (m_dc + γ_dc) / (n_c + Σα), the weight of candidate source c."""
    return (taken + gamma) / (drawn + alpha_sum)


@inline_kernel
def fill_linked_mixture(mixture, scale, alpha, source_topic, rows, ratios, n_sources, own_row, own_ratio, own):
    """Compute the mixture factor of every topic for a token with several candidate sources.

    `scale` is tilt_dk / (n_k + Σ_v β_kv). The current token, in topic `own`, is taken out of the row of its source,
    whose ratio without it is `own_ratio`; the entry of this candidate in `ratios` must be 0.
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
def own_words(word_topic, row, prior_value, prior_table, own, own_count):
    """Return n_kw + β_kw of a token's own topic without the token; any number if it has none (−1)."""
    place = row + max(own, 0)
    counted = np.float32(word_topic[place]) - own_count
    if prior_table is None:
        return counted + prior_value
    return counted + prior_table[place]


@inline_kernel
def weigh_token(word_topic, row, prior_value, prior_table, mixture, own, own_mixture, own_count, sums):
    """Compute the weight of every topic for a token of topic `own`; return the last running sums.

    `own_mixture` is the mixture factor of that topic without the token, and `own_count` what the token adds to its
    word's count (1; 0 with fixed topic–word weights). `sums` receives the running sums, after sixteen zeros for the
    sums before the first block.
    """
    own_weight = own_mixture * own_words(word_topic, row, prior_value, prior_table, own, own_count)
    running = splat(_ZERO)
    for block in range(mixture.size // LANES):
        place = LANES * block
        word = add(load(word_topic, row + place), expected_words(prior_value, prior_table, row + place))
        weight = multiply(load(mixture, place), word)
        running = add(running, replace_at(weight, own - place, own_weight))
        store(sums, LANES + place, running)
    return running


@inline_kernel
def weigh_listed_token(topics, counts, first, n_blocks, mixture, own, own_mixture, sums):
    """Compute the weight n_kw × mixture of every topic of a word's list; return the last running sums.

    The list has `n_blocks` blocks of sixteen topics from `first` on. The token, of topic `own`, is taken out of its
    count; `own_mixture` is the mixture factor of the topic without it. `sums` is filled as by `weigh_token`, in the
    order of the list.
    """
    running = splat(_ZERO)
    for block in range(n_blocks):
        place = first + LANES * block
        counted = load(counts, place)
        weight = multiply(gather(mixture, 0, topics, place), counted)
        without = multiply(splat(own_mixture), subtract(counted, splat(_ONE)))
        running = add(running, choose_at_topic(weight, without, topics, place, own))
        store(sums, LANES + LANES * block, running)
    return running


@inline_kernel
def weigh_held_token(topics, factors, n_blocks, rows, row, added, own_number, own_weight, sums):
    """Compute the weight factor × (n_kw + `added`) of every topic that a document holds; return the last running sums.

    The factors are n_dk × scale, and `row` is where the counts of the word begin in `rows`; n_kw is 0 without rows.
    Topic number `own_number` is the token's own, whose weight without it is given. `sums` is filled as by
    `weigh_token`, in the order of the document's topics.
    """
    running = splat(_ZERO)
    for block in range(n_blocks):
        place = LANES * block
        word = splat(added)
        if rows is not None:
            word = add(gather(rows, row, topics, place), word)
        weight = multiply(load(factors, place), word)
        running = add(running, replace_at(weight, own_number - place, own_weight))
        store(sums, LANES + place, running)
    return running


@inline_kernel
def weigh_tilted_token(
    word_topic,
    row,
    prior_value,
    prior_table,
    mixture,
    factors,
    own,
    own_mixture,
    own_count,
    sums,
    untilted,
):
    """Compute the weights of `weigh_token` times factors exp τ; return the last running sums.

    `untilted` receives the sum of the weights without these factors.
    """
    running = splat(_ZERO)
    plain = splat(_ZERO)
    for block in range(mixture.size // LANES):
        place = LANES * block
        lane = own - place
        counted = add_at(load(word_topic, row + place), lane, -own_count)
        word = add(counted, expected_words(prior_value, prior_table, row + place))
        weight = multiply(replace_at(load(mixture, place), lane, own_mixture), word)
        plain = add(plain, weight)
        running = add(running, multiply(weight, load(factors, place)))
        store(sums, LANES + place, running)
    untilted[0] = lane_sum(plain)
    return running


@inline_kernel
def sum_across(running, below):
    """Return the cumulative sum of the last running sums over the lanes; the last lane holds the total weight.

    `below` receives, for each lane, the sum of the lanes before it; its first entry stays 0.
    """
    across = running_sum(running)
    store(below, 1, across)
    return across


@inline_kernel
def draw(sums, across, below, target, n_topics):
    """Return the topic whose interval of the cumulative weights contains a target in [0, total)."""
    return draw_listed(sums, sums.size // LANES - 1, across, below, target, n_topics)


@inline_kernel
def draw_listed(sums, n_blocks, across, below, target, n_topics):
    """Return the place in a list of topics, of so many blocks, whose interval contains a target in [0, total)."""
    lane = min(count_at_most(across, target), LANES - 1)
    rest = target - below[lane]
    topic = lane
    for block in range(1, n_blocks):
        topic += LANES * (sums[LANES * block + lane] <= rest)
    # Rounding can select the padding, about once in ten million draws.
    return min(topic, n_topics - 1)


@inline_kernel
def weigh_share(
    word_topic, row, prior_value, prior_table, doc_topic, doc_row, alpha, totals, prior_sums, tilt,
    shares, share_row, unit, weights,
):  # fmt: skip
    """Compute the weight of every topic for an entry with shares; return the total weight.

    `unit` is one token, or less for a count below 1; its shares are first taken out of every count. `weights` receives
    the weights.
    """
    total = splat(_ZERO)
    amount = splat(unit)
    for block in range(weights.size // LANES):
        place = LANES * block
        own = multiply(amount, load_shares(shares, share_row + place))
        prior = expected_words(prior_value, prior_table, row + place)
        # Rounding can make real-valued counts slightly negative.
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
    """Compute the factor of each topic for an entry with shares that all candidate sources have in common.

    The entry has one row of shares per source; all of them are taken out of the counts of the word and the topics.
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
    """Compute the weight of every topic for an entry with shares and one candidate source, without its ratio.

    Return the sum of the weights, and the sum of the entry's shares of this source.
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
    """Multiply sixteen topics by their tilt."""
    if tilt is None:
        return mixed
    return multiply(mixed, load(tilt, place))


@inline_kernel
def weigh_known_share(word_weights, row, doc_topic, doc_row, alpha, shares, share_row, unit, weights):
    """Compute the weight of every topic for an entry with shares and fixed topic–word weights."""
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
