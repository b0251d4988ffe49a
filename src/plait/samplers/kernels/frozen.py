"""Dense form of the synchronous sampler: a document is resampled against counts that no document changes.

samplers/synchronous.py defines the arithmetic. What a document would change is recorded as pairs of positions
(`Moves`); document–topic counts, and the counts of the document's candidate sources, change in working memory only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Counts, Factors, Sources
from plait.samplers.conditional import draw, frozen_mixture_of, tilt_of
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import LANES, lane_at, load, store
from plait.samplers.kernels.proposal import (
    TiltProposal,
    accepts,
    make_tilt_proposal,
    move_projections,
    open_proposal,
    renew_tilt,
    starts_run,
    tilted_mass,
)
from plait.samplers.kernels.sources import (
    begin_candidates,
    close_candidates,
    draw_candidate,
    load_candidate,
    mix_without,
)
from plait.samplers.kernels.tilt import fill_tilt
from plait.samplers.kernels.token_state import (
    Scratch,
    count_topics,
    new_scratch,
    prefetch_word,
)
from plait.samplers.kernels.token_weights import expected_mass, weigh_topics
from plait.samplers.random import uniform

_ONE = np.float32(1.0)


class Frozen(NamedTuple):
    """What a sweep computes once from the frozen counts."""

    scale: np.ndarray  # float32, width: 1 / (n_k + Σ_v β_kv)
    scale_less: np.ndarray  # float32, width: the same with one token taken out of the total
    source_topic: np.ndarray | None  # with linked documents: the frozen table; Sources has a copy of a few of its rows


def freeze(counts: Counts, factors: Factors) -> tuple[Counts, Frozen]:
    """Return counts for one worker, and what a sweep computes once from them.

    Parameters
    ----------
    counts : Counts
        Counts of the start of the sweep.
    factors : Factors
        Priors.
    """
    scale, scale_less = frozen_scales(counts, factors)
    sources = counts.sources
    if sources is None:
        return counts, Frozen(scale, scale_less, None)
    working = sources._replace(source_topic=_candidate_rows(sources, scale.size))
    return counts._replace(sources=working), Frozen(scale, scale_less, sources.source_topic)


def frozen_scales(counts: Counts, factors: Factors) -> tuple[np.ndarray, np.ndarray]:
    """Return 1 / (n_k + Σ_v β_kv) of every topic, and the same with one token taken out of the total.

    Parameters
    ----------
    counts : Counts
        Counts of the start of the sweep.
    factors : Factors
        Priors.
    """
    assert counts.totals is not None
    scale, scale_less = aligned_zeros(counts.totals.size), aligned_zeros(counts.totals.size)
    scale[:] = _ONE / (counts.totals.astype(np.float32) + factors.prior_sums)
    with np.errstate(divide="ignore"):  # of topics without tokens, whose number is never used
        scale_less[:] = _ONE / ((counts.totals - 1).astype(np.float32) + factors.prior_sums)
    return scale, scale_less


def _candidate_rows(sources: Sources, width: int) -> np.ndarray:
    """Return working memory for the counts of one document's candidates."""
    return aligned_zeros(int(np.diff(sources.starts).max(initial=1)) * width)


def frozen_scratch(counts: Counts, factors: Factors) -> tuple[Scratch, TiltProposal | None]:
    """Return the working memory for one document, and for proposals with an exact tilt.

    Parameters
    ----------
    counts : Counts
        Counts of the shard.
    factors : Factors
        Priors and pseudo-observations.
    """
    width, given = factors.alpha.size, factors.observations
    # An exact tilt is an array of factors, too; it is recomputed for every run of tokens.
    scratch = new_scratch(width, None if given is None else given._replace(exact=False), counts.sources)
    return scratch, make_tilt_proposal(given, width)


@inline_kernel
def sweep_frozen_document(documents, document, topics, counts, factors, frozen, random_key, scratch, proposal):
    """Resample the topic of every token of a document; return Σ log p(token | rest).

    The i-th token uses the random number at position i.
    """
    token = documents.offsets[document]
    n_tokens = documents.offsets[document + 1] - token
    _open_document(documents, document, topics, counts, factors, frozen, scratch, proposal)
    log_likelihood = 0.0
    position = 0
    mass = 1.0
    for entry in range(documents.starts[document], documents.starts[document + 1]):
        row = prefetch_word(documents, document, entry, counts.word_topic, scratch.mixture.size)
        place = counts.changes.words.range_of[documents.words[entry]]
        for _ in range(documents.counts[entry]):
            if starts_run(proposal, position):
                log_likelihood -= _open_run(
                    proposal, document, topics, token, position, n_tokens, counts, factors, frozen, scratch
                )
            mass *= _resample(
                scratch.candidates, document, topics, token, row, place, random_key, position,
                counts, factors, frozen, scratch, proposal,
            )  # fmt: skip
            # A product of weights is cheaper than a sum of logarithms; the logarithm is taken before it can overflow.
            if mass < 1e-200 or mass > 1e200:
                log_likelihood += np.log(mass)
                mass = 1.0
            token += 1
            position += 1
    return log_likelihood + (np.log(mass) + _close_document(document, position, counts, factors, scratch, proposal))


@inline_kernel
def _open_run(proposal, document, topics, token, position, n_tokens, counts, factors, frozen, scratch):
    """Begin a run of tokens of a document; return what its tokens' log weights exceed Σ log p(token | rest) by."""
    # Numba prunes a branch only if its condition tests an argument of the function.
    if proposal is None:
        return 0.0
    n_run = renew_tilt(
        proposal, scratch.tilt, factors.observations, document, topics, token, n_tokens - position, n_tokens,
        factors.n_topics,
    )  # fmt: skip
    _apply_tilt(scratch.candidates, factors.alpha, frozen, scratch)
    return n_run * np.log(_mass_of_run(scratch.candidates, counts, factors, scratch))


@inline_kernel
def _mass_of_run(candidates, counts, factors, scratch):
    """Return Σ_k (n_dk + α_k) tilt_dk, or its counterpart with candidate sources."""
    if candidates is None:
        return np.float64(tilted_mass(scratch.tilt, scratch.doc_topic, factors.alpha))
    return expected_mass(candidates, counts, factors, scratch)[0]


@inline_kernel
def _apply_tilt(candidates, alpha, frozen, scratch):
    """Compute the mixture of every topic, or what its candidates' shares are multiplied by."""
    if candidates is None:
        for topic in range(scratch.mixture.size):
            scratch.mixture[topic] = frozen_mixture_of(
                scratch.doc_topic[topic], alpha[topic], frozen.scale[topic], tilt_of(scratch.tilt, topic)
            )
    else:
        for topic in range(scratch.mixture.size):
            candidates.scale[topic] = tilt_of(scratch.tilt, topic) * frozen.scale[topic]


@inline_kernel
def _open_document(documents, document, topics, counts, factors, frozen, scratch, proposal):
    """Count the topics of a document and compute its tilt and its mixture."""
    width = scratch.mixture.size
    first, last = documents.offsets[document], documents.offsets[document + 1]
    count_topics(counts.totals, topics, first, last, scratch, width)
    open_proposal(proposal, factors.observations, document, scratch.doc_topic, last - first)
    _open_candidates(scratch.candidates, document, counts.sources, factors.alpha, frozen, width)
    _open_mixture(proposal, document, np.float32(max(last - first, 1)), factors, frozen, scratch)


@inline_kernel
def _open_mixture(proposal, document, length, factors, frozen, scratch):
    if proposal is None:  # otherwise every run of tokens has its own
        fill_tilt(scratch.tilt, factors.observations, document, scratch.doc_topic, 0, length, factors.n_topics)
        _apply_tilt(scratch.candidates, factors.alpha, frozen, scratch)


@inline_kernel
def _open_candidates(candidates, document, sources, alpha, frozen, width):
    """Copy the rows of the document's candidates (no effect without linked documents)."""
    if candidates is not None:
        first = begin_candidates(candidates, sources, document, alpha)
        for place in range(candidates.size[0]):
            for block in range(0, width, LANES):
                frozen_row = sources.rows[first + place] + block
                store(sources.source_topic, place * width + block, load(frozen.source_topic, frozen_row))
            load_candidate(candidates, sources, first, place, place * width, width)


@inline_kernel
def _resample(
    candidates, document, topics, token, row, place, random_key, position, counts, factors, frozen, scratch, proposal
):
    """Resample the topic of one token given all others; return its total weight."""
    number = uniform(random_key, position)
    old = np.int64(topics[token])
    if candidates is None:
        own_mixture = frozen_mixture_of(
            scratch.doc_topic[old] - _ONE, factors.alpha[old], frozen.scale_less[old], tilt_of(scratch.tilt, old)
        )
    else:
        mix_without(candidates, counts.sources, token, old, scratch.mixture, factors.alpha)
        own_mixture = scratch.mixture[old] * (frozen.scale_less[old] / frozen.scale[old])
    across = weigh_topics(old, own_mixture, row, counts, factors, scratch)
    width = scratch.mixture.size
    total = lane_at(across, LANES - 1)
    new = draw(scratch.sums, across, scratch.below, number * total, factors.n_topics)
    if new != old and not accepts(proposal, factors.observations, document, old, new, width, random_key, position):
        new = old
    if candidates is not None:
        _move_source(candidates, document, token, old, new, random_key, position, counts, factors)
    if new != old:
        topics[token] = new
        record_move(counts.changes.words, place, row + old, row + new)
        counts.changes.totals[old] -= 1
        counts.changes.totals[new] += 1
        scratch.doc_topic[old] -= _ONE
        scratch.doc_topic[new] += _ONE
        if candidates is None:
            for topic in (old, new):
                scratch.mixture[topic] = frozen_mixture_of(
                    scratch.doc_topic[topic], factors.alpha[topic], frozen.scale[topic], tilt_of(scratch.tilt, topic)
                )
        move_projections(proposal, factors.observations, document, old, new, width)
    return total


@inline_kernel
def record_move(moves, place, lost, gained):
    """Record that a token left one entry of a table and was added to another."""
    end = moves.ends[place]
    moves.positions[end] = lost
    moves.positions[end + 1] = gained
    moves.ends[place] = end + 2


@inline_kernel
def _move_source(candidates, document, token, old, new, random_key, position, counts, factors):
    """Draw the source of a token whose topic was drawn, and record the change of the counts per source."""
    sources = counts.sources
    first = sources.starts[document]
    before = first + np.int64(sources.drawn[token])
    draw_candidate(candidates, sources, token, old, new, factors.alpha, random_key, position)
    after = first + np.int64(sources.drawn[token])
    if before != after or old != new:
        record_move(counts.changes.sources, 0, sources.rows[before] + old, sources.rows[after] + new)


@inline_kernel
def _close_document(document, n_tokens, counts, factors, scratch, proposal):
    """Store the tokens per candidate source; return what turns Σ log weight into Σ log p(token | rest)."""
    close_candidates(scratch.candidates, counts.sources, document)
    if n_tokens == 0:
        return 0.0
    mass, untilted = expected_mass(scratch.candidates, counts, factors, scratch)
    # The resampled token is left out of the document's proportions.
    return -n_tokens * np.log(_mass_of_document(proposal, mass) * (untilted - 1.0) / untilted)


@inline_kernel
def _mass_of_document(proposal, mass):
    """Return the mass of the tilt of a document; with an exact tilt, `_open_run` has returned that of every run."""
    if proposal is None:
        return mass
    return 1.0
