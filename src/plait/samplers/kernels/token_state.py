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
    tilt_of,
)
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import LANES, lane_at, prefetch
from plait.samplers.kernels.proposal import (
    TiltProposal,
    accepts,
    few_directions,
    make_tilt_proposal,
    move_projections,
    open_proposal,
    renew_tilt,
    starts_run,
    tilted_mass,
)
from plait.samplers.kernels.sources import (
    CandidateState,
    close_candidates,
    draw_candidate,
    make_candidate_state,
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
    update_directions,
    update_tilt,
)
from plait.samplers.kernels.token_counts import take_tally, tally_topics
from plait.samplers.kernels.token_weights import (
    expected_mass,
    has_topic,
    mixture_without,
    token_weight,
    weigh_linked_topics,
    weigh_topics,
)
from plait.samplers.random import uniform

CHUNK = 256  # draws of a repeated word that are prepared together; a multiple of LANES
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
    tilt: np.ndarray | None  # exp τ, if it is computed once per document, or per run of tokens
    exact_tilt: ExactTilt | None  # if τ is updated after every token
    proposal: TiltProposal | None  # if topics are proposed with a tilt that a run of tokens shares
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


def new_scratch(
    width: int, observations: Observations | None = None, sources: Sources | None = None, proposes: bool = False
) -> Scratch:
    """Return the working memory for one document.

    Parameters
    ----------
    width : int
        Padded number of topics.
    observations : Observations or None, default None
        Pseudo-observations of the shard, with responses.
    sources : Sources or None, default None
        Candidates of the shard, with linked documents.
    proposes : bool, default False
        Whether topics may be proposed with a tilt that a run of tokens shares, if the tilt is exact.
    """
    proposal = None
    if proposes and sources is None and observations is not None and few_directions(observations, width):
        proposal = make_tilt_proposal(observations, width)
        observations = observations._replace(exact=False)  # the tilt of proposals is an array of factors, too
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
        proposal=proposal,
        candidates=make_candidate_state(sources, width),
    )


@inline_kernel
def open_document(documents, document, topics, counts, factors, scratch):
    """Count the topics of a document and compute its tilt and its mixture."""
    width = scratch.mixture.size
    first, last = documents.offsets[document], documents.offsets[document + 1]
    count_topics(counts.totals, topics, first, last, scratch, width)
    length = np.float32(max(last - first, 1))
    _open_tilt(scratch.proposal, document, length, factors, scratch)
    open_exact_tilt(scratch.exact_tilt, factors.observations, document, scratch.doc_topic, length, factors.n_topics)
    open_proposal(scratch.proposal, factors.observations, document, scratch.doc_topic, last - first)
    _open_mixture(scratch.candidates, document, counts, factors, scratch)


@inline_kernel
def _open_tilt(proposal, document, length, factors, scratch):
    if proposal is None:  # otherwise every run of tokens has its own
        fill_tilt(scratch.tilt, factors.observations, document, scratch.doc_topic, 0, length, factors.n_topics)


@inline_kernel
def open_run(proposal, document, topics, token, n_left, n_tokens, counts, factors, scratch):
    """Begin a run of tokens; return what its tokens' log weights exceed Σ log p(token | rest) by."""
    # Numba prunes a branch only if its condition tests an argument of the function.
    if proposal is None:
        return 0.0
    n_run = renew_tilt(
        proposal, scratch.tilt, factors.observations, document, topics, token, n_left, n_tokens, factors.n_topics
    )
    fill_mixture(scratch.mixture, scratch.doc_topic, factors.alpha, counts.totals, factors.prior_sums, scratch.tilt)
    return n_run * np.log(np.float64(tilted_mass(scratch.tilt, scratch.doc_topic, factors.alpha)))


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
def move_token(old, new, own_mixture, row, counts, factors, scratch):
    """Move one token from topic `old` (−1: none) to `new`; `own_mixture` is the mixture factor of `old` without it."""
    _move_counts(counts.totals, counts.word_topic, old, new, row, scratch.doc_topic)
    if has_topic(counts.totals, old):
        scratch.mixture[old] = own_mixture
    scratch.mixture[new] = mixture_of(
        scratch.doc_topic[new], factors.alpha[new],
        counts.totals, 0, factors.prior_sums, tilt_of(scratch.tilt, new), new,
    )  # fmt: skip
    update_tilt(scratch.exact_tilt, factors.observations, old, new)


@inline_kernel
def resample_token(document, topics, token, row, random_key, position, counts, factors, scratch):
    """Resample the topic of one token given all others; return its `token_weight`."""
    return _resample(scratch.candidates, document, topics, token, row, random_key, position, counts, factors, scratch)


@inline_kernel
def _resample(candidates, document, topics, token, row, random_key, position, counts, factors, scratch):
    number = uniform(random_key, position)
    old = np.int64(topics[token])
    if candidates is None:
        own_mixture = np.float32(0.0)
        if has_topic(counts.totals, old):
            own_mixture = mixture_without(old, counts, factors, scratch)
        across = weigh_topics(old, own_mixture, row, counts, factors, scratch)
        new = draw(scratch.sums, across, scratch.below, number * lane_at(across, LANES - 1), factors.n_topics)
        if new != old and accepts(
            scratch.proposal, factors.observations, document, old, new, scratch.mixture.size, random_key, position
        ):
            topics[token] = new
            move_projections(scratch.proposal, factors.observations, document, old, new, scratch.mixture.size)
            move_token(old, new, own_mixture, row, counts, factors, scratch)
    else:
        across = weigh_linked_topics(candidates, topics, token, row, counts, factors, scratch)
        new = draw(scratch.sums, across, scratch.below, number * lane_at(across, LANES - 1), factors.n_topics)
        move_linked_token(candidates, topics, token, new, row, random_key, position, counts, factors, scratch)
    return token_weight(across, scratch.exact_tilt)


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
    n_tokens = documents.offsets[document + 1] - token
    open_document(documents, document, topics, counts, factors, scratch)
    position = 0
    mass = 1.0
    for entry in range(documents.starts[document], documents.starts[document + 1]):
        row = prefetch_word(documents, document, entry, counts.word_topic, scratch.mixture.size)
        for _ in range(documents.counts[entry]):
            if starts_run(scratch.proposal, position):
                log_likelihood -= open_run(
                    scratch.proposal, document, topics, token, n_tokens - position, n_tokens, counts, factors, scratch
                )
            total = resample_token(
                document, topics, token, row, random_key, first_position + position, counts, factors, scratch
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
    return -n_tokens * np.log(_mass_of_document(scratch.proposal, mass) * (untilted - 1.0) / untilted)


@inline_kernel
def _mass_of_document(proposal, mass):
    """Return the mass of the tilt of a document; with proposals, `open_run` has returned that of every run."""
    if proposal is None:
        return mass
    return 1.0
