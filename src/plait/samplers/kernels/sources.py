"""Words that may draw from linked documents, inside a sweep: the candidates of the document at hand.

Bíró and Szabó (2009), section 2.2: a word of document d draws a document c, d itself or one that it links to, and a
topic from the proportions of c. What a document is *drawn for* (n_ck, by any document's words) is then another thing
than the topics of its own words (n_dk), which responses see.

The rows of other documents are live inside a shard. What other shards draw from a document is seen after the sweep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Sources
from plait.samplers.conditional import fill_linked_mixture, source_ratio, tilt_of
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import LANES, add, lane_sum, load, splat
from plait.samplers.random import scramble, uniform

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


class CandidateState(NamedTuple):
    """The document at hand: its candidates, a place for each."""

    rows: np.ndarray  # int64: where the candidate's row of counts begins
    gamma: np.ndarray  # float64
    taken: np.ndarray  # float64, m_dc: the document's own words that were drawn from the candidate
    drawn: np.ndarray  # float64, n_c: all words that were
    ratios: np.ndarray  # float32: (m_dc + γ_dc) / (n_c + Σα)
    weights: np.ndarray  # float32: running weights of the candidates for one word
    held: np.ndarray  # float32: how much of one spread word the candidate holds
    moved: np.ndarray  # float32, sixteen lanes each: words that came to the candidate since the document was opened
    scale: np.ndarray  # float32, width: the part of the mixture that is the same for all candidates
    size: np.ndarray  # int64, one number: how many candidates there are
    alpha_sum: np.ndarray  # float64, one number: Σα


def make_candidate_state(sources: Sources | None, width: int) -> CandidateState | None:
    """Make room for the candidates of one document (None where words draw from their own only)."""
    if sources is None:
        return None
    most = int(np.diff(sources.starts).max(initial=1))
    return CandidateState(
        rows=np.zeros(most, np.int64),
        gamma=np.zeros(most),
        taken=np.zeros(most),
        drawn=np.zeros(most),
        ratios=np.zeros(most, np.float32),
        weights=np.zeros(most, np.float32),
        held=np.zeros(most, np.float32),
        moved=aligned_zeros(most * LANES),
        scale=aligned_zeros(width),
        size=np.zeros(1, np.int64),
        alpha_sum=np.zeros(1),
    )


@inline_kernel
def open_candidates(candidates, sources, document, alpha):
    """Look up a document's candidates and what was drawn from them."""
    width = alpha.size
    total = 0.0
    for topic in range(width):
        total += alpha[topic]
    candidates.alpha_sum[0] = total
    first = sources.starts[document]
    candidates.size[0] = sources.starts[document + 1] - first
    for place in range(candidates.size[0]):
        row = sources.rows[first + place]
        candidates.rows[place] = row
        candidates.gamma[place] = sources.gamma[first + place]
        candidates.taken[place] = sources.taken[first + place]
        counted = splat(_ZERO)
        for block in range(0, width, LANES):
            counted = add(counted, load(sources.source_topic, row + block))
        candidates.drawn[place] = lane_sum(counted)
        weigh_candidate(candidates, place)


@inline_kernel
def close_candidates(candidates, sources, document):
    """Keep how many of the document's words were drawn from each candidate (nothing without links)."""
    if candidates is not None:
        first = sources.starts[document]
        for place in range(candidates.size[0]):
            sources.taken[first + place] = candidates.taken[place]


@inline_kernel
def weigh_candidate(candidates, place):
    """Compute what a candidate weighs, from its counts as they are."""
    candidates.ratios[place] = np.float32(
        source_ratio(candidates.taken[place], candidates.gamma[place], candidates.drawn[place], candidates.alpha_sum[0])
    )


@inline_kernel
def open_scale(candidates, totals, prior_sums, tilt):
    """Compute the part of the mixture that is the same for all candidates."""
    for topic in range(candidates.scale.size):
        candidates.scale[topic] = scale_of(totals, prior_sums, tilt_of(tilt, topic), topic)


@inline_kernel
def scale_of(totals, prior_sums, tilt_factor, topic):
    """Return that part for one topic; where the topics' words are fixed (`totals` is None) it is the tilt alone."""
    if totals is None:
        return tilt_factor
    return tilt_factor / (np.float32(totals[topic]) + prior_sums[topic])


@inline_kernel
def mix_without(candidates, sources, token, topic, mixture, alpha):
    """Compute the mixture of all topics without one occurrence, but for `scale`, which still knows it."""
    source = np.int64(sources.drawn[token])
    kept = candidates.ratios[source]
    without = _ratio_without(candidates, source)
    candidates.ratios[source] = _ZERO
    fill_linked_mixture(
        mixture, candidates.scale, alpha, sources.source_topic, candidates.rows, candidates.ratios, candidates.size[0],
        candidates.rows[source], without, topic,
    )  # fmt: skip
    candidates.ratios[source] = kept


@inline_kernel
def mix_all(candidates, sources, mixture, alpha):
    """Compute the mixture of all topics for a token that holds no topic yet."""
    fill_linked_mixture(
        mixture, candidates.scale, alpha, sources.source_topic, candidates.rows, candidates.ratios, candidates.size[0],
        candidates.rows[0], _ZERO, -1,
    )  # fmt: skip


@inline_kernel
def draw_candidate(candidates, sources, token, old, new, alpha, random_key, position):
    """Draw the candidate of a token that leaves topic `old` (−1: none yet) for `new`, and move it there."""
    source = np.int64(sources.drawn[token])
    kept = candidates.ratios[source]
    if old >= 0:
        candidates.ratios[source] = _ratio_without(candidates, source)
    total = _ZERO
    for place in range(candidates.size[0]):
        counted = np.float32(sources.source_topic[candidates.rows[place] + new])
        if place == source and new == old:
            counted -= _ONE
        total += candidates.ratios[place] * (counted + alpha[new])
        candidates.weights[place] = total
    # Another stream than that of the topics: the key is scrambled once more.
    target = uniform(scramble(random_key), position) * total
    chosen = 0
    for place in range(candidates.size[0] - 1):
        chosen += candidates.weights[place] <= target
    if chosen == source and new == old:
        candidates.ratios[source] = kept
        return
    if old >= 0:
        sources.source_topic[candidates.rows[source] + old] -= 1
        candidates.taken[source] -= 1.0
        candidates.drawn[source] -= 1.0
    sources.source_topic[candidates.rows[chosen] + new] += 1
    candidates.taken[chosen] += 1.0
    candidates.drawn[chosen] += 1.0
    weigh_candidate(candidates, chosen)
    sources.drawn[token] = chosen


@inline_kernel
def _ratio_without(candidates, source):
    """Return what a candidate weighs without one of the words that were drawn from it."""
    return np.float32(
        source_ratio(
            candidates.taken[source] - 1.0,
            candidates.gamma[source],
            candidates.drawn[source] - 1.0,
            candidates.alpha_sum[0],
        )
    )


@inline_kernel
def expected_shares(candidates, sources, alpha, tilt, n_topics):
    """Return how many words are expected in all topics, each times its tilt, and without it: m_d + Σγ."""
    untilted = 0.0
    for place in range(candidates.size[0]):
        untilted += candidates.taken[place] + candidates.gamma[place]
    if tilt is None:
        return untilted, untilted
    mass = 0.0
    for topic in range(n_topics):
        mass += expected_share(candidates, sources, topic, alpha) * tilt[topic]
    return mass, untilted


@inline_kernel
def expected_share(candidates, sources, topic, alpha):
    """Return Σ_c ratio_c (n_ck + α_k): how many of the document's words are expected in a topic, γ included."""
    total = 0.0
    for place in range(candidates.size[0]):
        total += candidates.ratios[place] * (sources.source_topic[candidates.rows[place] + topic] + alpha[topic])
    return total
