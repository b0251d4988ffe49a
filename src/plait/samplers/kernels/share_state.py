"""State of the samplers that keep a distribution over topics per distinct word of a document: updating its shares.

The state of a shard is one row of `width` shares per entry, that is per distinct word of each document. A row sums to
1, up to rounding where shares are stored in sixteen bits. Counts are real numbers: a word that occurs tf times in a
document adds tf times its stored shares. The tilt of a document is computed once per sweep. With linked documents, an
entry has one row per candidate source, and its rows together sum to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Documents, Factors, Sources
from plait.samplers.conditional import (
    fill_share_factors,
    source_ratio,
    tilt_of,
    weigh_known_share,
    weigh_share,
    weigh_source_share,
)
from plait.samplers.kernels.aligned import CACHE_LINE, aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import (
    LANES,
    add,
    lane_sum,
    load,
    load_shares,
    multiply,
    prefetch,
    splat,
    store,
    store_shares,
    subtract,
)
from plait.samplers.kernels.sources import (
    CandidateState,
    expected_shares,
    make_candidate_state,
    open_candidates,
)
from plait.samplers.kernels.tilt import fill_tilt, make_tilt, update_directions

_ZERO = np.float32(0.0)
_AHEAD = 4  # number of entries by which rows are prefetched; tuned by measurement


class Shares(NamedTuple):
    """State of one shard."""

    shares: np.ndarray  # flat, entries × width: topic distribution of a word of a document
    doc_topic: np.ndarray  # flat, documents × width: n_dk


class Scratch(NamedTuple):
    """Working memory for the current document."""

    weights: np.ndarray  # of the topics for one entry; one row per candidate with linked documents
    own: np.ndarray  # shares of one entry, summed over the candidates
    initial_totals: np.ndarray  # float32: n_k + Σ_v β_kv when the document was opened
    moved: np.ndarray  # float32: tokens that topics gained since; separate, so that large totals do not absorb them
    tilt: np.ndarray | None  # exp τ of the responses
    candidates: CandidateState | None  # with linked documents


def new_scratch(factors: Factors, sources: Sources | None) -> Scratch:
    """Return the working memory for one document.

    Parameters
    ----------
    factors : Factors
        Priors and pseudo-observations of the shard.
    sources : Sources or None
        Candidates of the shard, with linked documents.
    """
    width = factors.alpha.size
    candidates = make_candidate_state(sources, width)
    most = 1 if candidates is None else candidates.rows.size
    return Scratch(
        weights=aligned_zeros(most * width),
        own=aligned_zeros(width),
        initial_totals=aligned_zeros(width),
        moved=aligned_zeros(width),
        tilt=make_tilt(factors.observations, width),
        candidates=candidates,
    )


def share_starts(documents: Documents, sources: Sources | None, width: int) -> np.ndarray:
    """Return where the shares of each document begin, and their total number.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    sources : Sources or None
        Candidates of the shard, with linked documents.
    width : int
        Padded number of topics.
    """
    rows = np.diff(documents.starts)
    if sources is not None:
        rows = rows * np.diff(sources.starts)
    return np.concatenate([[0], np.cumsum(rows * width)]).astype(np.int64)


def shares_as(shares: np.ndarray, share_type: type[np.number]) -> np.ndarray:
    """Return a copy of shares in another type.

    Parameters
    ----------
    shares : ndarray
        Whole rows of shares, np.float32 or np.uint16.
    share_type : type
        np.float32 or np.uint16.
    """
    copied = aligned_zeros(shares.size, share_type)
    _copy_shares(shares, copied)
    return copied


@kernel
def _copy_shares(shares, copied):
    for place in range(0, shares.size, LANES):
        store_shares(copied, place, load_shares(shares, place))


@inline_kernel
def _first_share(sources, documents, document, entry, width):
    """Return where the shares of an entry begin."""
    if sources is None:
        return entry * width
    place = entry - documents.starts[document]
    return sources.share_starts[document] + place * _n_rows(sources, document) * width


@inline_kernel
def _n_rows(sources, document):
    """Return the number of rows of shares per entry of a document."""
    if sources is None:
        return 1
    return sources.starts[document + 1] - sources.starts[document]


@inline_kernel
def prefetch_entry(documents, document, state, counts, entry, width):
    """Prefetch the rows of a later entry."""
    row = np.int64(documents.words[entry]) * width
    first = _first_share(counts.sources, documents, document, entry, width)
    for block in range(width // LANES):
        prefetch(counts.word_topic, row + LANES * block)
    for place in range(0, _n_rows(counts.sources, document) * width, CACHE_LINE // state.shares.itemsize):
        prefetch(state.shares, first + place)


@inline_kernel
def open_document(documents, document, state, counts, factors, scratch):
    """Compute a document's tilt; return Σ_k (n_dk + α_k) tilt_dk, or its counterpart with links, and it untilted."""
    row = document * factors.alpha.size
    length = _document_length(documents, document)
    fill_tilt(scratch.tilt, factors.observations, document, state.doc_topic, row, length, factors.n_topics)
    _open_totals(counts.totals, factors.prior_sums, scratch)
    return _open_mixture(scratch.candidates, document, row, state, counts, factors, scratch)


@inline_kernel
def _open_totals(totals, prior_sums, scratch):
    """Store the totals of the topics before a document (no effect with fixed topic–word weights)."""
    # Numba prunes a branch only if its condition tests an argument of the function.
    if totals is not None:
        for topic in range(totals.size):
            scratch.initial_totals[topic] = np.float32(totals[topic] + prior_sums[topic])
            scratch.moved[topic] = 0.0


@inline_kernel
def _close_totals(totals, scratch):
    """Add the tokens that topics gained in a document to their totals."""
    if totals is not None:
        for topic in range(totals.size):
            totals[topic] += scratch.moved[topic]


@inline_kernel
def _open_mixture(candidates, document, row, state, counts, factors, scratch):
    # Numba prunes a branch only if its condition tests an argument of the function.
    if candidates is not None:
        open_sources(candidates, counts.sources, document, factors.alpha)
        return expected_shares(candidates, counts.sources, factors.alpha, scratch.tilt, factors.n_topics)
    mass = 0.0
    untilted = 0.0
    for topic in range(factors.n_topics):
        expected = state.doc_topic[row + topic] + factors.alpha[topic]
        untilted += expected
        mass += expected * tilt_of(scratch.tilt, topic)
    return mass, untilted


@inline_kernel
def open_sources(candidates, sources, document, alpha):
    """Load the candidates of a document and reset the tokens they gained."""
    open_candidates(candidates, sources, document, alpha)
    for place in range(candidates.size[0]):
        store(candidates.moved, place * LANES, splat(_ZERO))


@inline_kernel
def close_sources(candidates, sources, document):
    """Store the number of the document's tokens per candidate (no effect without links).

    It is the sum of the stored shares. The running counts, which are computed before shares are rounded, would lose
    the same rounding error at every visit.
    """
    if candidates is not None:
        first = sources.starts[document]
        for place in range(candidates.size[0]):
            sources.taken[first + place] += lane_sum(load(candidates.moved, place * LANES))


@inline_kernel
def _document_length(documents, document):
    """Return the number of tokens of a document, and 1 for an empty one; a fractional length may be less than 1."""
    length = np.float32(documents.offsets[document + 1] - documents.offsets[document])
    return length if length > 0 else np.float32(1.0)


@inline_kernel
def close_document(documents, document, state, counts, factors, scratch):
    """Update the totals, source counts and response directions that depend on this document."""
    close_sources(scratch.candidates, counts.sources, document)
    width = factors.alpha.size
    _close_totals(counts.totals, scratch)
    length = _document_length(documents, document)
    update_directions(factors.observations, document, state.doc_topic, document * width, length, width)


@inline_kernel
def spread_document(documents, document, state, counts, factors, scratch):
    """Update the shares of every distinct word of a document; return Σ log p(token | rest)."""
    log_likelihood = 0.0
    mass, untilted = open_document(documents, document, state, counts, factors, scratch)
    last = documents.starts[document + 1]
    for entry in range(documents.starts[document], last):
        prefetch_entry(documents, document, state, counts, min(entry + _AHEAD, last - 1), factors.alpha.size)
        chance = spread_word(documents, document, entry, state, counts, factors, scratch, mass, untilted)
        log_likelihood += documents.counts[entry] * np.log(chance)
    close_document(documents, document, state, counts, factors, scratch)
    return log_likelihood


@inline_kernel
def spread_word(documents, document, entry, state, counts, factors, scratch, mass, untilted):
    """Set the shares of one entry to its conditional distribution; return p(token | rest)."""
    count = np.float32(documents.counts[entry])
    unit = min(count, np.float32(1.0))
    total = _update_shares(scratch.candidates, documents, document, entry, state, counts, factors, scratch, count, unit)
    # One token is left out of the document's proportions, or the whole entry if its count is below 1.
    return total / (mass * (1.0 - unit / untilted))


@inline_kernel
def _update_shares(candidates, documents, document, entry, state, counts, factors, scratch, count, unit):
    """Compute the weights of an entry's topics and set its shares to them; return the total weight."""
    width = scratch.own.size
    row = np.int64(documents.words[entry]) * width
    first = _first_share(counts.sources, documents, document, entry, width)
    if candidates is None:
        total = _weigh_topics(counts.totals, document, row, first, unit, state, counts, factors, scratch)
        scale = splat(np.float32(1.0) / total)
        amount = splat(count)
        for place in range(0, width, LANES):
            before = load_shares(state.shares, first + place)
            share = store_shares(state.shares, first + place, multiply(load(scratch.weights, place), scale))
            change = multiply(amount, subtract(share, before))
            _move_words(document, row, place, change, state, counts, scratch, width)
    else:
        total = _weigh_sources(counts.totals, candidates, row, first, unit, state, counts, factors, scratch)
        spread_over_candidates(
            candidates, state.shares, first, total, count, counts.sources, scratch.weights, scratch.own
        )
        for place in range(0, width, LANES):
            _move_words(document, row, place, load(scratch.own, place), state, counts, scratch, width)
    return total


@inline_kernel
def _weigh_topics(totals, document, row, first, unit, state, counts, factors, scratch):
    """Compute the weight of every topic for an entry; return the total weight."""
    width = scratch.own.size
    if totals is None:
        return weigh_known_share(
            counts.word_topic, row, state.doc_topic, document * width, factors.alpha,
            state.shares, first, unit, scratch.weights,
        )  # fmt: skip
    return weigh_share(
        counts.word_topic, row, factors.prior_value, factors.prior_table,
        state.doc_topic, document * width, factors.alpha, scratch.moved, scratch.initial_totals, scratch.tilt,
        state.shares, first, unit, scratch.weights,
    )  # fmt: skip


@inline_kernel
def _weigh_sources(totals, candidates, row, first, unit, state, counts, factors, scratch):
    """Compute the weight of every topic and candidate source for an entry; return the total weight."""
    if totals is None:
        return weigh_candidates(
            candidates,
            counts.word_topic,
            row,
            counts.sources,
            factors.alpha,
            state.shares,
            first,
            unit,
            scratch.weights,
        )
    fill_share_factors(
        scratch.own, counts.word_topic, row, factors.prior_value, factors.prior_table,
        scratch.moved, scratch.initial_totals, scratch.tilt, state.shares, first, candidates.size[0], unit,
    )  # fmt: skip
    return weigh_candidates(
        candidates, scratch.own, 0, counts.sources, factors.alpha, state.shares, first, unit, scratch.weights
    )


@inline_kernel
def _move_words(document, row, place, change, state, counts, scratch, width):
    """Add the change of an entry to the counts of sixteen topics."""
    here = document * width + place
    store(state.doc_topic, here, add(load(state.doc_topic, here), change))
    _move_totals(counts.totals, counts.word_topic, scratch.moved, row, place, change)


@inline_kernel
def _move_totals(totals, word_topic, moved, row, place, change):
    """Add to topic–word counts and totals of sixteen topics (no effect with fixed topic–word weights)."""
    if totals is not None:
        store(word_topic, row + place, add(load(word_topic, row + place), change))
        store(moved, place, add(load(moved, place), change))


@inline_kernel
def weigh_candidates(candidates, factors, row, sources, alpha, shares, first, unit, weights):
    """Compute the weight of every candidate and topic for an entry without its own shares; return the total weight.

    `factors`, from `row` on, are the factors of the topics that all candidates share. `weights` receives one row of
    weights per candidate, without the candidates' ratios, which are stored in `candidates`.
    """
    width = alpha.size
    total = _ZERO
    for candidate in range(candidates.size[0]):
        place = candidate * width
        weight, held = weigh_source_share(
            factors, row, sources.source_topic, candidates.rows[candidate], alpha,
            shares, first + place, unit, weights, place,
        )  # fmt: skip
        left = np.float64(unit * held)
        # Rounding can make real-valued counts slightly negative.
        taken, drawn = max(candidates.taken[candidate] - left, 0.0), max(candidates.drawn[candidate] - left, 0.0)
        ratio = np.float32(source_ratio(taken, candidates.gamma[candidate], drawn, candidates.alpha_sum[0]))
        candidates.ratios[candidate] = ratio
        candidates.held[candidate] = held
        candidates.weights[candidate] = ratio * weight
        total += ratio * weight
    return total


@inline_kernel
def spread_over_candidates(candidates, shares, first, total, count, sources, weights, change_of_topics):
    """Store an entry's new shares of candidates and topics; `change_of_topics` receives the change of each topic.

    Candidate weights are recomputed for the next entry.
    """
    width = change_of_topics.size
    scale = np.float32(1.0) / total
    amount = splat(count)
    for candidate in range(candidates.size[0]):
        candidates.ratios[candidate] *= scale
        moved = np.float64(count * (candidates.weights[candidate] * scale - candidates.held[candidate]))
        candidates.taken[candidate] += moved
        candidates.drawn[candidate] += moved
    for place in range(0, width, LANES):
        change_of_all = splat(_ZERO)
        for candidate in range(candidates.size[0]):
            here = first + candidate * width + place
            before = load_shares(shares, here)
            weighed = multiply(load(weights, candidate * width + place), splat(candidates.ratios[candidate]))
            change = multiply(amount, subtract(store_shares(shares, here, weighed), before))
            there = candidates.rows[candidate] + place
            store(sources.source_topic, there, add(load(sources.source_topic, there), change))
            lanes = candidate * LANES
            store(candidates.moved, lanes, add(load(candidates.moved, lanes), change))
            change_of_all = add(change_of_all, change)
        store(change_of_topics, place, change_of_all)
