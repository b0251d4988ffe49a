"""Initial state of a chain: topics drawn from the priors alone.

With symmetric priors all topics are equally likely. With an informative prior, a start that contradicts it could take
very long to undo. With linked documents, each token also draws a source document from the prior γ.
"""

from __future__ import annotations

import numpy as np

from plait.samplers.base import Counts, Documents, Factors
from plait.samplers.conditional import draw, fill_mixture, sum_across, weigh_token
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import LANES, WHOLE_SHARE, lane_at
from plait.samplers.kernels.share_state import share_starts
from plait.samplers.kernels.token_state import new_scratch, topic_type
from plait.samplers.random import document_key, scramble, uniform

_NO_TOPIC = -1


def start_tokens(documents: Documents, counts: Counts, factors: Factors, key: np.uint64) -> np.ndarray:
    """Return the initial topic of every token.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    counts : Counts
        Counts of the shard, all 0; with linked documents, the initial source of every token is stored in them.
    factors : Factors
        Priors.
    key : np.uint64
        Key of the random numbers.

    Returns
    -------
    ndarray of shape (tokens,)
        Topics.
    """
    topics = np.empty(int(documents.offsets[-1]), dtype=topic_type(factors.n_topics))
    _start_tokens(documents, topics, counts, factors, key, new_scratch(factors.alpha.size), counts.sources)
    return topics


def start_shares(
    documents: Documents, counts: Counts, factors: Factors, key: np.uint64, share_type: type[np.number]
) -> np.ndarray:
    """Return the initial shares: all of an entry in one topic, far from the unstable uniform distribution.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    counts : Counts
        Counts of the shard, all 0.
    factors : Factors
        Priors.
    key : np.uint64
        Key of the random numbers.
    share_type : type
        np.float32 or np.uint16.

    Returns
    -------
    ndarray
        Shares of all entries.
    """
    starts = share_starts(documents, counts.sources, factors.alpha.size)
    shares = aligned_zeros(starts[-1], share_type)
    whole = share_type(WHOLE_SHARE if share_type is np.uint16 else 1)
    scratch = new_scratch(factors.alpha.size)
    _start_shares(documents, shares, starts, whole, counts, factors, key, scratch, counts.sources)
    return shares


@kernel
def _start_tokens(documents, topics, counts, factors, key, scratch, sources):
    _fill_prior_mixture(counts, factors, scratch)
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        first = documents.offsets[document]
        token = first
        for entry in range(documents.starts[document], documents.starts[document + 1]):
            row = np.int64(documents.words[entry]) * scratch.mixture.size
            for _ in range(documents.counts[entry]):
                topics[token] = _draw_topic(row, uniform(random_key, token - first), counts, factors, scratch)
                _draw_token_source(sources, document, token, random_key, token - first)
                token += 1


@kernel
def _start_shares(documents, shares, starts, whole, counts, factors, key, scratch, sources):
    width = scratch.mixture.size
    _fill_prior_mixture(counts, factors, scratch)
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        first = documents.starts[document]
        for entry in range(first, documents.starts[document + 1]):
            row = np.int64(documents.words[entry]) * width
            topic = _draw_topic(row, uniform(random_key, entry - first), counts, factors, scratch)
            candidate = _draw_candidate(sources, document, random_key, entry - first)
            n_rows = _n_candidates(sources, document)
            shares[starts[document] + ((entry - first) * n_rows + candidate) * width + topic] = whole


@inline_kernel
def _fill_prior_mixture(counts, factors, scratch):
    """Compute the mixture of an empty document."""
    fill_mixture(scratch.mixture, scratch.doc_topic, factors.alpha, counts.totals, factors.prior_sums, None)


@inline_kernel
def _draw_topic(row, number, counts, factors, scratch):
    """Draw a topic for a token without a topic."""
    running = weigh_token(
        counts.word_topic, row, factors.prior_value, factors.prior_table,
        scratch.mixture, _NO_TOPIC, np.float32(0.0), np.float32(0.0), scratch.sums,
    )  # fmt: skip
    across = sum_across(running, scratch.below)
    target = number * lane_at(across, LANES - 1)
    return draw(scratch.sums, across, scratch.below, target, factors.n_topics)


@inline_kernel
def _n_candidates(sources, document):
    """Return the number of candidate sources of a document."""
    if sources is None:
        return 1
    return sources.starts[document + 1] - sources.starts[document]


@inline_kernel
def _draw_candidate(sources, document, random_key, position):
    """Draw a candidate source of a document from the prior γ."""
    if sources is None:
        return 0
    first, last = sources.starts[document], sources.starts[document + 1]
    total = 0.0
    for candidate in range(first, last):
        total += sources.gamma[candidate]
    # The key is scrambled once more to get a stream other than that of the topics.
    rest = uniform(scramble(random_key), position) * total
    chosen = 0
    for candidate in range(first, last - 1):
        rest -= sources.gamma[candidate]
        chosen += rest >= 0
    return chosen


@inline_kernel
def _draw_token_source(sources, document, token, random_key, position):
    """Draw the initial source of a token (no effect without links)."""
    if sources is not None:
        sources.drawn[token] = _draw_candidate(sources, document, random_key, position)
