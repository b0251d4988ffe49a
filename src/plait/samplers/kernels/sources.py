"""Linked documents inside a sweep: the candidate sources of the current document.

Bíró and Szabó (2009), section 2.2: a token of document d draws a document c, d itself or one that it links to, and a
topic from the proportions of c. The topics drawn from a document (n_ck, by tokens of any document) therefore differ
from the topics of its own tokens (n_dk), which responses use.

Inside a shard, the counts of all source documents are current. Changes by other shards are seen after the sweep.
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
    """Counts and weights of the candidates of the current document, one entry per candidate."""

    rows: np.ndarray  # int64: where the candidate's row of counts begins
    gamma: np.ndarray  # float64
    taken: np.ndarray  # float64, m_dc: tokens of the document that were drawn from the candidate
    drawn: np.ndarray  # float64, n_c: tokens of any document that were drawn from the candidate
    ratios: np.ndarray  # float32: (m_dc + γ_dc) / (n_c + Σα)
    weights: np.ndarray  # float32: weights of the candidates for one token
    held: np.ndarray  # float32: sum of the candidate's shares of one entry
    moved: np.ndarray  # float32, sixteen lanes each: tokens that the candidate gained since the document was opened
    scale: np.ndarray  # float32, width: tilt_dk / (n_k + Σ_v β_kv), which all candidates share
    size: np.ndarray  # int64, one number: number of candidates
    alpha_sum: np.ndarray  # float64, one number: Σα


def make_candidate_state(sources: Sources | None, width: int) -> CandidateState | None:
    """Return the working memory for the candidates of one document (None without links).

    Parameters
    ----------
    sources : Sources or None
        Candidates of the shard.
    width : int
        Padded number of topics.
    """
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
    """Load the candidates of a document and their counts."""
    first = begin_candidates(candidates, sources, document, alpha)
    for place in range(candidates.size[0]):
        load_candidate(candidates, sources, first, place, sources.rows[first + place], alpha.size)


@inline_kernel
def begin_candidates(candidates, sources, document, alpha):
    """Note Σα and the number of candidates of a document; return the first of them."""
    total = 0.0
    for topic in range(alpha.size):
        total += alpha[topic]
    candidates.alpha_sum[0] = total
    first = sources.starts[document]
    candidates.size[0] = sources.starts[document + 1] - first
    return first


@inline_kernel
def load_candidate(candidates, sources, first, place, row, width):
    """Load the candidate at a place, whose counts begin at `row` of the table."""
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
    """Store the number of the document's tokens per candidate (no effect without links)."""
    if candidates is not None:
        first = sources.starts[document]
        for place in range(candidates.size[0]):
            sources.taken[first + place] = candidates.taken[place]


@inline_kernel
def weigh_candidate(candidates, place):
    """Compute the ratio of a candidate from its current counts."""
    candidates.ratios[place] = np.float32(
        source_ratio(candidates.taken[place], candidates.gamma[place], candidates.drawn[place], candidates.alpha_sum[0])
    )


@inline_kernel
def open_scale(candidates, totals, prior_sums, tilt):
    """Compute the factor of every topic that all candidates share."""
    for topic in range(candidates.scale.size):
        candidates.scale[topic] = scale_of(totals, prior_sums, tilt_of(tilt, topic), topic)


@inline_kernel
def scale_of(totals, prior_sums, tilt_factor, topic):
    """Return that factor for one topic; with fixed topic–word weights (`totals` is None) it is the tilt alone."""
    if totals is None:
        return tilt_factor
    return tilt_factor / (np.float32(totals[topic]) + prior_sums[topic])


@inline_kernel
def mix_without(candidates, sources, token, topic, mixture, alpha):
    """Compute the mixture of all topics without one token, which is still included in `scale`."""
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
    """Compute the mixture of all topics for a token without a topic."""
    fill_linked_mixture(
        mixture, candidates.scale, alpha, sources.source_topic, candidates.rows, candidates.ratios, candidates.size[0],
        candidates.rows[0], _ZERO, -1,
    )  # fmt: skip


@inline_kernel
def draw_candidate(candidates, sources, token, old, new, alpha, random_key, position):
    """Draw the source of a token that moves from topic `old` (−1: none) to `new`, and update the counts."""
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
    # The key is scrambled once more to get a stream other than that of the topics.
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
    """Return the ratio of a candidate without one of the tokens drawn from it."""
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
    """Return Σ_k expected_share(k) tilt_dk, and the same without the tilt: m_d + Σγ."""
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
    """Return Σ_c ratio_c (n_ck + α_k): expected tokens of the document in a topic, including γ."""
    total = 0.0
    for place in range(candidates.size[0]):
        total += candidates.ratios[place] * (sources.source_topic[candidates.rows[place] + topic] + alpha[topic])
    return total
