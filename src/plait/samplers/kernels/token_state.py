"""State of the samplers in which each occurrence holds one topic: the counts, and moves.

The state of a shard is one array of topics, an entry for each occurrence, documents and words in order; where words
may draw from linked documents, `Sources.drawn` says from which, occurrence by occurrence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Observations, Sources
from plait.samplers.conditional import (
    draw,
    fill_mixture,
    largest_exponent,
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
    pairs_row,
    update_directions,
    update_tilt,
)
from plait.samplers.kernels.token_counts import take_tally, tally_topics
from plait.samplers.random import uniform

CHUNK = 256  # draws of a repeated word that are prepared at a time, whole blocks of lanes
_LEAST_TOTAL, _MOST_TOTAL = np.float32(1e-12), np.float32(1e12)  # weights between which no digits are lost
_AHEAD = 4  # entries: how far ahead a word's row is asked for; found by trial


class Scratch(NamedTuple):
    """The document at hand."""

    doc_topic: np.ndarray  # n_dk
    mixture: np.ndarray  # the mixture factor of each topic
    sums: np.ndarray  # sixteen zeros, then the running sums of the weights
    below: np.ndarray  # the last running sums added up over the lanes before each
    tallies: np.ndarray  # four interleaved tallies, so that equal neighbours do not wait for each other
    arrived: np.ndarray  # of a repeated word: how many of its occurrences each topic was given
    targets: np.ndarray  # uniforms of a run of occurrences, times the total weight
    tilt: np.ndarray | None  # exp τ, where responses are computed once a document
    exact_tilt: ExactTilt | None  # where they follow every word
    candidates: CandidateState | None  # where words may draw from other documents


def topic_type(n_topics: int) -> type[np.unsignedinteger]:
    """Return the smallest type that can hold a topic."""
    return np.uint8 if n_topics <= 256 else np.uint16


def candidate_type(most: int) -> type[np.unsignedinteger]:
    """Return the smallest type that can hold the number of a candidate document, of so many."""
    return np.uint8 if most <= 256 else np.uint16 if most <= 65_536 else np.uint32


def new_scratch(width: int, observations: Observations | None = None, sources: Sources | None = None) -> Scratch:
    """Make room for the document at hand."""
    return Scratch(
        doc_topic=aligned_zeros(width),
        mixture=aligned_zeros(width),
        sums=aligned_zeros(LANES + width),
        below=np.zeros(1 + LANES, np.float32),
        tallies=aligned_zeros(4 * width, np.int32),
        arrived=aligned_zeros(width, np.int32),
        targets=aligned_zeros(CHUNK),
        tilt=make_tilt(observations, width),
        exact_tilt=make_exact_tilt(observations, width),
        candidates=make_candidate_state(sources, width),
    )


@inline_kernel
def open_document(documents, document, topics, counts, factors, scratch):
    """Count a document's topics and compute its mixture and what responses say of it."""
    width = scratch.mixture.size
    first, last = documents.offsets[document], documents.offsets[document + 1]
    _count_topics(counts.totals, topics, first, last, scratch, width)
    length = np.float32(max(last - first, 1))
    fill_tilt(scratch.tilt, factors.observations, document, scratch.doc_topic, 0, length, factors.n_topics)
    open_exact_tilt(scratch.exact_tilt, factors.observations, document, scratch.doc_topic, length, factors.n_topics)
    _open_mixture(scratch.candidates, document, counts, factors, scratch)


@inline_kernel
def _count_topics(totals, topics, first, last, scratch, width):
    """Count the topics of a document; tokens of a new document may hold none yet (−1)."""
    # A branch that is not taken is left out by the compiler only where it asks for an argument.
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
    # A branch that is not taken is left out by the compiler only where it asks for an argument.
    if candidates is None:
        fill_mixture(scratch.mixture, scratch.doc_topic, factors.alpha, counts.totals, factors.prior_sums, scratch.tilt)
    else:
        open_candidates(candidates, counts.sources, document, factors.alpha)
        open_scale(candidates, counts.totals, factors.prior_sums, scratch.tilt)


@inline_kernel
def prefetch_word(documents, document, entry, word_topic, width):
    """Return the row of an entry's word, and ask for the row of a word that comes soon."""
    ahead = min(entry + _AHEAD, documents.starts[document + 1] - 1)
    soon = np.int64(documents.words[ahead]) * width
    for place in range(0, width, LANES):
        prefetch(word_topic, soon + place)
    return np.int64(documents.words[entry]) * width


@inline_kernel
def mixture_without(topic, counts, factors, scratch):
    """Return the mixture factor of a topic without one of the document's own occurrences."""
    return mixture_of(
        scratch.doc_topic[topic] - np.float32(1.0), factors.alpha[topic],
        counts.totals, 1, factors.prior_sums, tilt_of(scratch.tilt, topic), topic,
    )  # fmt: skip


@inline_kernel
def _move_counts(totals, word_topic, old, new, row, doc_topic):
    """Count one token for topic `new` instead of `old` (−1: none); fixed words (`totals` is None) stay as they are."""
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
    """Return what a token adds to its word's count: 1, or 0 where the topics' words are fixed."""
    if totals is None:
        return np.float32(0.0)
    return np.float32(1.0)


@inline_kernel
def _has_topic(totals, old):
    """Return whether a token holds a topic; only tokens of new documents may not."""
    if totals is None:
        return old >= 0
    return True


@inline_kernel
def move_token(old, new, own_mixture, row, counts, factors, scratch):
    """Move one token from topic `old` (−1: none), whose mixture without it is known, to `new`."""
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
    """Weigh every topic for an occurrence that holds topic `old`; return the running weights over the lanes."""
    return _weigh_topics(scratch.exact_tilt, old, own_mixture, row, counts, factors, scratch)


@inline_kernel
def _weigh_topics(exact_tilt, old, own_mixture, row, counts, factors, scratch):
    # A branch that is not taken is left out by the compiler only where it asks for an argument.
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
    """Weigh every topic where responses follow every word; return the running weights over the lanes."""
    pairs = pairs_row(exact_tilt, observations, own)
    running = weigh_tilted_token(
        words, row, prior_value, prior_table, mixture, exact_tilt.log_tilt,
        exact_tilt.pairs, pairs, exact_tilt.shift[0], own, own_mixture, own_count, sums, exact_tilt.untilted,
    )  # fmt: skip
    across = sum_across(running, below)
    if not _LEAST_TOTAL < lane_at(across, LANES - 1) < _MOST_TOTAL:
        # What is taken off the exponents no longer fits them; the largest of them always does.
        exact_tilt.shift[0] = largest_exponent(exact_tilt.log_tilt, exact_tilt.pairs, pairs)
        running = weigh_tilted_token(
            words, row, prior_value, prior_table, mixture, exact_tilt.log_tilt,
            exact_tilt.pairs, pairs, exact_tilt.shift[0], own, own_mixture, own_count, sums, exact_tilt.untilted,
        )  # fmt: skip
        return sum_across(running, below)
    return across


@inline_kernel
def token_weight(across, exact_tilt):
    """Return how likely the word just weighed is, up to what `close_document` knows.

    Where responses follow every word, it is the word's weight without them: with them, a sum over topics
    would be needed for every word.
    """
    if exact_tilt is None:
        return lane_at(across, LANES - 1)
    return exact_tilt.untilted[0]


@inline_kernel
def resample_token(topics, token, row, random_key, position, counts, factors, scratch):
    """Draw one occurrence's topic given all others; return how likely its word is."""
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
    """Weigh every topic for an occurrence that may draw from linked documents; return the weights over the lanes."""
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
    """Draw the document of an occurrence whose topic was drawn, and move the occurrence to both."""
    old = np.int64(topics[token])
    draw_candidate(candidates, counts.sources, token, old, new, factors.alpha, random_key, position)
    if new != old:
        topics[token] = new
        _move_counts(counts.totals, counts.word_topic, old, new, row, scratch.doc_topic)
        _update_scale(counts.totals, candidates, factors, scratch, old, new)
        update_tilt(scratch.exact_tilt, factors.observations, old, new)


@inline_kernel
def _update_scale(totals, candidates, factors, scratch, old, new):
    """Update the part of the mixture that depends on the totals of two topics."""
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
    """Let what responses make of the document's topics follow them.

    Return what turns Σ log weight of its occurrences into Σ log p(word | rest).
    """
    length = np.float32(max(documents.offsets[document + 1] - documents.offsets[document], 1))
    width = scratch.mixture.size
    update_directions(factors.observations, document, scratch.doc_topic, 0, length, width)
    close_candidates(scratch.candidates, counts.sources, document)
    if n_tokens == 0:
        return 0.0
    mass, untilted = _expected_mass(scratch.candidates, counts, factors, scratch)
    # The occurrence that is drawn is left out of the document's proportions.
    return -n_tokens * np.log(mass * (untilted - 1.0) / untilted)


@inline_kernel
def _expected_mass(candidates, counts, factors, scratch):
    """Return how many words are expected in all topics, with what is expected before any: tilted, and untilted."""
    if candidates is not None:
        return expected_shares(candidates, counts.sources, factors.alpha, scratch.tilt, factors.n_topics)
    mass = 0.0
    untilted = 0.0
    for topic in range(factors.n_topics):
        expected = scratch.doc_topic[topic] + factors.alpha[topic]
        untilted += expected
        mass += expected * tilt_of(scratch.tilt, topic)
    return mass, untilted
