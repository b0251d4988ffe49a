"""Weights of the topics of a token that holds one topic, with or without linked documents and an exact tilt."""

from __future__ import annotations

import numpy as np

from plait.samplers.conditional import mixture_of, sum_across, tilt_of, weigh_tilted_token, weigh_token
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import LANES, lane_at
from plait.samplers.kernels.sources import expected_shares, mix_all, mix_without
from plait.samplers.kernels.tilt import open_factors, shift_factors

_MIN_TOTAL, _MAX_TOTAL = np.float32(1e-12), np.float32(1e12)  # total weights for which float32 keeps its precision


@inline_kernel
def mixture_without(topic, counts, factors, scratch):
    """Return the mixture factor of a topic with one token of the document taken out."""
    return mixture_of(
        scratch.doc_topic[topic] - np.float32(1.0), factors.alpha[topic],
        counts.totals, 1, factors.prior_sums, tilt_of(scratch.tilt, topic), topic,
    )  # fmt: skip


@inline_kernel
def _own_count(totals):
    """Return what a token adds to the topic–word counts: 1, or 0 with fixed topic–word weights."""
    if totals is None:
        return np.float32(0.0)
    return np.float32(1.0)


@inline_kernel
def has_topic(totals, old):
    """Return whether a token has a topic; only tokens of new documents may have none."""
    if totals is None:
        return old >= 0
    return True


@inline_kernel
def weigh_topics(old, own_mixture, row, counts, factors, scratch):
    """Compute the weight of every topic for a token of topic `old`; return the cumulative weights of the lanes."""
    return _weigh_topics(scratch.exact_tilt, old, own_mixture, row, counts, factors, scratch)


@inline_kernel
def _weigh_topics(exact_tilt, old, own_mixture, row, counts, factors, scratch):
    # Numba prunes a branch only if its condition tests an argument of the function.
    if exact_tilt is None:
        running = weigh_token(
            counts.word_topic, row, factors.prior_value, factors.prior_table,
            scratch.mixture, old, own_mixture, _own_count(counts.totals), scratch.sums,
        )  # fmt: skip
        return sum_across(running, scratch.below)
    return weigh_with_exact_tilt(
        exact_tilt, factors.observations, counts.word_topic, row, factors.prior_value, factors.prior_table,
        scratch.mixture, old, own_mixture, _own_count(counts.totals), scratch.sums, scratch.below,
    )  # fmt: skip


@inline_kernel
def weigh_with_exact_tilt(
    exact_tilt, observations, words, row, prior_value, prior_table, mixture, own, own_mixture, own_count, sums, below
):
    """Compute the weight of every topic with an exact tilt; return the cumulative weights of the lanes."""
    open_factors(exact_tilt, observations, own)
    running = weigh_tilted_token(
        words, row, prior_value, prior_table, mixture, exact_tilt.factors, own, own_mixture, own_count, sums,
        exact_tilt.untilted,
    )  # fmt: skip
    across = sum_across(running, below)
    if not _MIN_TOTAL < lane_at(across, LANES - 1) < _MAX_TOTAL:
        # The shift no longer fits the exponents. The largest exponent always does.
        shift_factors(exact_tilt, own)
        running = weigh_tilted_token(
            words, row, prior_value, prior_table, mixture, exact_tilt.factors, own, own_mixture, own_count, sums,
            exact_tilt.untilted,
        )  # fmt: skip
        return sum_across(running, below)
    return across


@inline_kernel
def token_weight(across, exact_tilt):
    """Return p(token | rest) of the token just weighed, up to the factor that `close_document` computes.

    With an exact tilt it is the weight without the tilt. The normaliser of the tilted weights would need another sum
    over topics per token.
    """
    if exact_tilt is None:
        return lane_at(across, LANES - 1)
    return exact_tilt.untilted[0]


@inline_kernel
def weigh_linked_topics(candidates, topics, token, row, counts, factors, scratch):
    """Compute the weight of every topic for a token with candidates; return the cumulative weights of the lanes."""
    old = np.int64(topics[token])
    own_mixture = np.float32(0.0)
    if has_topic(counts.totals, old):
        mix_without(candidates, counts.sources, token, old, scratch.mixture, factors.alpha)
        own_mixture = _without_own(counts.totals, factors.prior_sums, scratch.mixture[old], old)
    else:
        mix_all(candidates, counts.sources, scratch.mixture, factors.alpha)
    return weigh_topics(old, own_mixture, row, counts, factors, scratch)


@inline_kernel
def _without_own(totals, prior_sums, mixture, topic):
    """Return the mixture factor of a topic with one token taken out of its total."""
    if totals is None:
        return mixture
    in_topic, prior_sum = np.float32(totals[topic]), prior_sums[topic]
    return mixture * ((in_topic + prior_sum) / (in_topic - np.float32(1.0) + prior_sum))


@inline_kernel
def expected_mass(candidates, counts, factors, scratch):
    """Return Σ_k (n_dk + α_k) tilt_dk, or its counterpart with candidate sources, and the same without the tilt."""
    if candidates is not None:
        return expected_shares(candidates, counts.sources, factors.alpha, scratch.tilt, factors.n_topics)
    mass = 0.0
    untilted = 0.0
    for topic in range(factors.n_topics):
        expected = scratch.doc_topic[topic] + factors.alpha[topic]
        untilted += expected
        mass += expected * tilt_of(scratch.tilt, topic)
    return mass, untilted
