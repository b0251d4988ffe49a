"""State of the samplers in which each token holds one topic: resampling a token and moving it between topics.

The state of a shard is one array with the topic of every token, in the order of documents and words. With linked
documents, `Sources.drawn` has the source document of every token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Observations, Sources
from plait.samplers.conditional import (
    draw,
    fill_mixture,
    mixture_of,
    sum_across,
    tilt_of,
    weigh_tilted_token,
    weigh_token,
)
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import LANES, lane_at, prefetch
from plait.samplers.kernels.sources import (
    CandidateState,
    close_candidates,
    draw_candidate,
    expected_shares,
    make_candidate_state,
    mix_all,
    mix_without,
    open_candidates,
    open_scale,
    scale_of,
)
from plait.samplers.kernels.tilt import (
    ExactTilt,
    fill_tilt,
    make_exact_tilt,
    make_tilt,
    open_exact_tilt,
    open_factors,
    shift_factors,
    update_directions,
    update_tilt,
)
from plait.samplers.kernels.token_counts import take_tally, tally_topics
from plait.samplers.random import uniform

CHUNK = 256  # draws of a repeated word that are prepared together; a multiple of LANES
_MIN_TOTAL, _MAX_TOTAL = np.float32(1e-12), np.float32(1e12)  # total weights for which float32 keeps its precision
_AHEAD = 4  # number of entries by which rows are prefetched; tuned by measurement


class Scratch(NamedTuple):
    """Working memory for the current document."""

    doc_topic: np.ndarray  # n_dk
    mixture: np.ndarray  # the mixture factor of each topic
    sums: np.ndarray  # sixteen zeros, then the running sums of the weights
    below: np.ndarray  # for each lane, the total of the last running sums of the lanes before it
    tallies: np.ndarray  # four interleaved counts of topics (token_counts.py)
    left: np.ndarray  # for a repeated word: number of its tokens that leave each topic
    drawn: np.ndarray  # for a repeated word: up to sixteen topics
    targets: np.ndarray  # uniforms of a run of tokens, times the total weight
    tilt: np.ndarray | None  # exp τ, if it is computed once per document
    exact_tilt: ExactTilt | None  # if τ is updated after every token
    candidates: CandidateState | None  # with linked documents


def topic_type(n_topics: int) -> type[np.unsignedinteger]:
    """Return the smallest integer type for topics.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    """
    return np.uint8 if n_topics <= 256 else np.uint16


def candidate_type(most: int) -> type[np.unsignedinteger]:
    """Return the smallest integer type for the candidates of a document.

    Parameters
    ----------
    most : int
        Maximum number of candidates per document.
    """
    return np.uint8 if most <= 256 else np.uint16 if most <= 65_536 else np.uint32


def new_scratch(width: int, observations: Observations | None = None, sources: Sources | None = None) -> Scratch:
    """Return the working memory for one document.

    Parameters
    ----------
    width : int
        Padded number of topics.
    observations : Observations or None, default None
        Pseudo-observations of the shard, with responses.
    sources : Sources or None, default None
        Candidates of the shard, with linked documents.
    """
    return Scratch(
        doc_topic=aligned_zeros(width),
        mixture=aligned_zeros(width),
        sums=aligned_zeros(LANES + width),
        below=np.zeros(1 + LANES, np.float32),
        tallies=aligned_zeros(4 * width, np.int32),
        left=aligned_zeros(width, np.int32),
        drawn=aligned_zeros(LANES, np.int32),
        targets=aligned_zeros(CHUNK),
        tilt=make_tilt(observations, width),
        exact_tilt=make_exact_tilt(observations, width),
        candidates=make_candidate_state(sources, width),
    )


@inline_kernel
def open_document(documents, document, topics, counts, factors, scratch):
    """Count the topics of a document and compute its tilt and its mixture."""
    width = scratch.mixture.size
    first, last = documents.offsets[document], documents.offsets[document + 1]
    count_topics(counts.totals, topics, first, last, scratch, width)
    length = np.float32(max(last - first, 1))
    fill_tilt(scratch.tilt, factors.observations, document, scratch.doc_topic, 0, length, factors.n_topics)
    open_exact_tilt(scratch.exact_tilt, factors.observations, document, scratch.doc_topic, length, factors.n_topics)
    _open_mixture(scratch.candidates, document, counts, factors, scratch)


@inline_kernel
def count_topics(totals, topics, first, last, scratch, width):
    """Count the topics of a document; tokens of a new document may have none yet (−1)."""
    # Numba prunes a branch only if its condition tests an argument of the function.
    if totals is None:
        for topic in range(width):
            scratch.doc_topic[topic] = 0.0
        for token in range(first, last):
            if topics[token] >= 0:
                scratch.doc_topic[topics[token]] += np.float32(1.0)
    else:
        tally_topics(topics, first, last, scratch.tallies, width)
        for topic in range(width):
            scratch.doc_topic[topic] = take_tally(scratch.tallies, topic, width)


@inline_kernel
def _open_mixture(candidates, document, counts, factors, scratch):
    # Numba prunes a branch only if its condition tests an argument of the function.
    if candidates is None:
        fill_mixture(scratch.mixture, scratch.doc_topic, factors.alpha, counts.totals, factors.prior_sums, scratch.tilt)
    else:
        open_candidates(candidates, counts.sources, document, factors.alpha)
        open_scale(candidates, counts.totals, factors.prior_sums, scratch.tilt)


@inline_kernel
def prefetch_word(documents, document, entry, word_topic, width):
    """Return where the row of an entry's word begins, and prefetch the row of a later entry."""
    ahead = min(entry + _AHEAD, documents.starts[document + 1] - 1)
    soon = np.int64(documents.words[ahead]) * width
    for place in range(0, width, LANES):
        prefetch(word_topic, soon + place)
    return np.int64(documents.words[entry]) * width


@inline_kernel
def mixture_without(topic, counts, factors, scratch):
    """Return the mixture factor of a topic with one token of the document taken out."""
    return mixture_of(
        scratch.doc_topic[topic] - np.float32(1.0), factors.alpha[topic],
        counts.totals, 1, factors.prior_sums, tilt_of(scratch.tilt, topic), topic,
    )  # fmt: skip


@inline_kernel
def _move_counts(totals, word_topic, old, new, row, doc_topic):
    """Count a token in topic `new` instead of `old` (−1: none); fixed word weights (`totals` is None) do not change."""
    if totals is not None:
        word_topic[row + old] -= 1
        word_topic[row + new] += 1
        totals[old] -= 1
        totals[new] += 1
    if totals is not None or old >= 0:
        doc_topic[old] -= np.float32(1.0)
    doc_topic[new] += np.float32(1.0)


@inline_kernel
def _own_count(totals):
    """Return what a token adds to the topic–word counts: 1, or 0 with fixed topic–word weights."""
    if totals is None:
        return np.float32(0.0)
    return np.float32(1.0)


@inline_kernel
def _has_topic(totals, old):
    """Return whether a token has a topic; only tokens of new documents may have none."""
    if totals is None:
        return old >= 0
    return True


@inline_kernel
def move_token(old, new, own_mixture, row, counts, factors, scratch):
    """Move one token from topic `old` (−1: none) to `new`; `own_mixture` is the mixture factor of `old` without it."""
    _move_counts(counts.totals, counts.word_topic, old, new, row, scratch.doc_topic)
    if _has_topic(counts.totals, old):
        scratch.mixture[old] = own_mixture
    scratch.mixture[new] = mixture_of(
        scratch.doc_topic[new], factors.alpha[new],
        counts.totals, 0, factors.prior_sums, tilt_of(scratch.tilt, new), new,
    )  # fmt: skip
    update_tilt(scratch.exact_tilt, factors.observations, old, new)


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
def resample_token(topics, token, row, random_key, position, counts, factors, scratch):
    """Resample the topic of one token given all others; return its `token_weight`."""
    return _resample(scratch.candidates, topics, token, row, random_key, position, counts, factors, scratch)


@inline_kernel
def _resample(candidates, topics, token, row, random_key, position, counts, factors, scratch):
    number = uniform(random_key, position)
    old = np.int64(topics[token])
    if candidates is None:
        own_mixture = np.float32(0.0)
        if _has_topic(counts.totals, old):
            own_mixture = mixture_without(old, counts, factors, scratch)
        across = weigh_topics(old, own_mixture, row, counts, factors, scratch)
        new = draw(scratch.sums, across, scratch.below, number * lane_at(across, LANES - 1), factors.n_topics)
        if new != old:
            topics[token] = new
            move_token(old, new, own_mixture, row, counts, factors, scratch)
    else:
        across = weigh_linked_topics(candidates, topics, token, row, counts, factors, scratch)
        new = draw(scratch.sums, across, scratch.below, number * lane_at(across, LANES - 1), factors.n_topics)
        move_linked_token(candidates, topics, token, new, row, random_key, position, counts, factors, scratch)
    return token_weight(across, scratch.exact_tilt)


@inline_kernel
def weigh_linked_topics(candidates, topics, token, row, counts, factors, scratch):
    """Compute the weight of every topic for a token with candidates; return the cumulative weights of the lanes."""
    old = np.int64(topics[token])
    own_mixture = np.float32(0.0)
    if _has_topic(counts.totals, old):
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
def move_linked_token(candidates, topics, token, new, row, random_key, position, counts, factors, scratch):
    """Draw the source of a token whose topic was drawn, and move the token to both."""
    old = np.int64(topics[token])
    draw_candidate(candidates, counts.sources, token, old, new, factors.alpha, random_key, position)
    if new != old:
        topics[token] = new
        _move_counts(counts.totals, counts.word_topic, old, new, row, scratch.doc_topic)
        _update_scale(counts.totals, candidates, factors, scratch, old, new)
        update_tilt(scratch.exact_tilt, factors.observations, old, new)


@inline_kernel
def _update_scale(totals, candidates, factors, scratch, old, new):
    """Update the scale of two topics whose totals changed."""
    if totals is not None:
        for topic in (old, new):
            candidates.scale[topic] = scale_of(totals, factors.prior_sums, tilt_of(scratch.tilt, topic), topic)


@inline_kernel
def sweep_document(documents, document, topics, counts, factors, random_key, first_position, scratch):
    """Resample the topic of every token of a document; return Σ log p(token | rest).

    The i-th token uses the random number at `first_position` + i.
    """
    log_likelihood = 0.0
    token = documents.offsets[document]
    open_document(documents, document, topics, counts, factors, scratch)
    position = 0
    mass = 1.0
    for entry in range(documents.starts[document], documents.starts[document + 1]):
        row = prefetch_word(documents, document, entry, counts.word_topic, scratch.mixture.size)
        for _ in range(documents.counts[entry]):
            total = resample_token(
                topics, token, row, random_key, first_position + position, counts, factors, scratch
            )  # fmt: skip
            # A product of weights is cheaper than a sum of logarithms; the logarithm is taken before it can overflow.
            mass *= total
            if mass < 1e-200 or mass > 1e200:
                log_likelihood += np.log(mass)
                mass = 1.0
            token += 1
            position += 1
    return log_likelihood + (np.log(mass) + close_document(documents, document, position, counts, factors, scratch))


@inline_kernel
def close_document(documents, document, n_tokens, counts, factors, scratch):
    """Update the response directions and source counts that depend on this document.

    Return the term that turns Σ log weight of its tokens into Σ log p(token | rest).
    """
    length = np.float32(max(documents.offsets[document + 1] - documents.offsets[document], 1))
    width = scratch.mixture.size
    update_directions(factors.observations, document, scratch.doc_topic, 0, length, width)
    close_candidates(scratch.candidates, counts.sources, document)
    if n_tokens == 0:
        return 0.0
    mass, untilted = expected_mass(scratch.candidates, counts, factors, scratch)
    # The resampled token is left out of the document's proportions.
    return -n_tokens * np.log(mass * (untilted - 1.0) / untilted)


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
