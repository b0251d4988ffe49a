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
from plait.samplers.kernels.compiled import part
from plait.samplers.kernels.lanes import LANES, add, lane_sum, load, splat
from plait.samplers.random import scramble, uniform

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


class Linked(NamedTuple):
    """The document at hand: its candidates, a place for each."""

    rows: np.ndarray  # int64: where the candidate's row of counts begins
    gamma: np.ndarray  # float64
    taken: np.ndarray  # float64, m_dc: the document's own words that were drawn from the candidate
    drawn: np.ndarray  # float64, n_c: all words that were
    ratios: np.ndarray  # float32: (m_dc + γ_dc) / (n_c + Σα)
    chances: np.ndarray  # float32: running weights of the candidates for one word
    held: np.ndarray  # float32: how much of one spread word the candidate holds
    moved: np.ndarray  # float32, sixteen lanes each: words that came to the candidate since the document was opened
    scale: np.ndarray  # float32, width: the part of the mixture that is the same for all candidates
    size: np.ndarray  # int64, one number: how many candidates there are
    alpha_sum: np.ndarray  # float64, one number: Σα


def make_linked(sources: Sources | None, width: int) -> Linked | None:
    """Make room for the candidates of one document (None where words draw from their own only)."""
    if sources is None:
        return None
    most = int(np.diff(sources.starts).max(initial=1))
    return Linked(
        rows=np.zeros(most, np.int64),
        gamma=np.zeros(most),
        taken=np.zeros(most),
        drawn=np.zeros(most),
        ratios=np.zeros(most, np.float32),
        chances=np.zeros(most, np.float32),
        held=np.zeros(most, np.float32),
        moved=aligned_zeros(most * LANES),
        scale=aligned_zeros(width),
        size=np.zeros(1, np.int64),
        alpha_sum=np.zeros(1),
    )


@part
def open_candidates(linked, sources, document, alpha):
    """Look up a document's candidates and what was drawn from them."""
    width = alpha.size
    total = 0.0
    for topic in range(width):
        total += alpha[topic]
    linked.alpha_sum[0] = total
    first = sources.starts[document]
    linked.size[0] = sources.starts[document + 1] - first
    for place in range(linked.size[0]):
        row = sources.rows[first + place]
        linked.rows[place] = row
        linked.gamma[place] = sources.gamma[first + place]
        linked.taken[place] = sources.taken[first + place]
        counted = splat(_ZERO)
        for block in range(0, width, LANES):
            counted = add(counted, load(sources.source_topic, row + block))
        linked.drawn[place] = lane_sum(counted)
        weigh_candidate(linked, place)


@part
def close_candidates(linked, sources, document):
    """Keep how many of the document's words were drawn from each candidate (nothing without links)."""
    if linked is not None:
        first = sources.starts[document]
        for place in range(linked.size[0]):
            sources.taken[first + place] = linked.taken[place]


@part
def weigh_candidate(linked, place):
    """Compute what a candidate weighs, from its counts as they are."""
    linked.ratios[place] = np.float32(
        source_ratio(linked.taken[place], linked.gamma[place], linked.drawn[place], linked.alpha_sum[0])
    )


@part
def open_scale(linked, totals, prior_sums, tilt):
    """Compute the part of the mixture that is the same for all candidates."""
    for topic in range(linked.scale.size):
        linked.scale[topic] = scale_of(totals, prior_sums, tilt_of(tilt, topic), topic)


@part
def scale_of(totals, prior_sums, tilt_factor, topic):
    """Return that part for one topic; where the topics' words are fixed (`totals` is None) it is the tilt alone."""
    if totals is None:
        return tilt_factor
    return tilt_factor / (np.float32(totals[topic]) + prior_sums[topic])


@part
def mix_without(linked, sources, token, topic, mixture, alpha):
    """Compute the mixture of all topics without one occurrence, but for `scale`, which still knows it."""
    source = np.int64(sources.drawn[token])
    kept = linked.ratios[source]
    without = _ratio_without(linked, source)
    linked.ratios[source] = _ZERO
    fill_linked_mixture(
        mixture, linked.scale, alpha, sources.source_topic, linked.rows, linked.ratios, linked.size[0],
        linked.rows[source], without, topic,
    )  # fmt: skip
    linked.ratios[source] = kept


@part
def mix_all(linked, sources, mixture, alpha):
    """Compute the mixture of all topics for a token that holds no topic yet."""
    fill_linked_mixture(
        mixture, linked.scale, alpha, sources.source_topic, linked.rows, linked.ratios, linked.size[0],
        linked.rows[0], _ZERO, -1,
    )  # fmt: skip


@part
def draw_candidate(linked, sources, token, old, new, alpha, random_key, position):
    """Draw the candidate of a token that leaves topic `old` (−1: none yet) for `new`, and move it there."""
    source = np.int64(sources.drawn[token])
    kept = linked.ratios[source]
    if old >= 0:
        linked.ratios[source] = _ratio_without(linked, source)
    total = _ZERO
    for place in range(linked.size[0]):
        counted = np.float32(sources.source_topic[linked.rows[place] + new])
        if place == source and new == old:
            counted -= _ONE
        total += linked.ratios[place] * (counted + alpha[new])
        linked.chances[place] = total
    # Another stream than that of the topics: the key is scrambled once more.
    target = uniform(scramble(random_key), position) * total
    chosen = 0
    for place in range(linked.size[0] - 1):
        chosen += linked.chances[place] <= target
    if chosen == source and new == old:
        linked.ratios[source] = kept
        return
    if old >= 0:
        sources.source_topic[linked.rows[source] + old] -= 1
        linked.taken[source] -= 1.0
        linked.drawn[source] -= 1.0
    sources.source_topic[linked.rows[chosen] + new] += 1
    linked.taken[chosen] += 1.0
    linked.drawn[chosen] += 1.0
    weigh_candidate(linked, chosen)
    sources.drawn[token] = chosen


@part
def _ratio_without(linked, source):
    """Return what a candidate weighs without one of the words that were drawn from it."""
    return np.float32(
        source_ratio(linked.taken[source] - 1.0, linked.gamma[source], linked.drawn[source] - 1.0, linked.alpha_sum[0])
    )


@part
def expected_shares(linked, sources, alpha, tilt, n_topics):
    """Return how many words are expected in all topics, each times its tilt, and without it: m_d + Σγ."""
    untilted = 0.0
    for place in range(linked.size[0]):
        untilted += linked.taken[place] + linked.gamma[place]
    if tilt is None:
        return untilted, untilted
    mass = 0.0
    for topic in range(n_topics):
        mass += expected_share(linked, sources, topic, alpha) * tilt[topic]
    return mass, untilted


@part
def expected_share(linked, sources, topic, alpha):
    """Return Σ_c ratio_c (n_ck + α_k): how many of the document's words are expected in a topic, γ included."""
    total = 0.0
    for place in range(linked.size[0]):
        total += linked.ratios[place] * (sources.source_topic[linked.rows[place] + topic] + alpha[topic])
    return total
