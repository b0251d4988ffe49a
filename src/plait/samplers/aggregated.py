"""Aggregated sampling: all tokens of one word in a document are drawn from one conditional.

Bíró and Szabó (2009), section 2.3. The conditional is computed for the first token of the word and used for all of
them, so the cost depends on the number of distinct words. Unlike the paper says, it is not an exact Gibbs sampler: the
later tokens do not see the topics drawn for the earlier ones. The distance from the exact posterior is measured in
tests/samplers/test_enumeration.py and stated in docs/samplers.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.conditional import draw
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import LANES, lane_at
from plait.samplers.kernels.runs import resample_long_run, resample_run, resample_short_run
from plait.samplers.kernels.tilt import recompute_exact_tilt
from plait.samplers.kernels.token_state import (
    close_document,
    move_linked_token,
    move_token,
    new_scratch,
    open_document,
    prefetch_word,
    resample_token,
)
from plait.samplers.kernels.token_weights import mixture_without, token_weight, weigh_linked_topics, weigh_topics
from plait.samplers.random import document_key, uniform

_MAX_POWER = 8  # number of tokens up to which a power of the weight cannot overflow
# Numbers of tokens of a word from which another way to draw and move them is faster; tuned by measurement.
_MIN_RUN = 5
_MIN_FREQUENT = 24
_NEVER = 1 << 62


@dataclass(frozen=True)
class Aggregated(Sampler):
    """Draw all tokens of one word in a document from one conditional; fast if words repeat, approximate.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(2, sampler=Aggregated(), n_sweeps=5, verbose=False).fit(["river stream", "bank loan"] * 5)
    >>> model.doc_topic_.shape
    (10, 2)
    """

    name: ClassVar[str] = "aggregated"
    state_form: ClassVar[str] = "tokens"

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Visit every distinct word of every document of the shard once."""
        scratch = new_scratch(factors.alpha.size, factors.observations, counts.sources)
        return SweepInfo(*_sweep(documents, state, counts, factors, key, scratch))


@kernel
def _sweep(documents, topics, counts, factors, key, scratch):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        first = documents.offsets[document]
        open_document(documents, document, topics, counts, factors, scratch)
        random_key = document_key(key, documents.first + document)
        # Frequent words have a separate loop: one loop for both cases compiles to slower code.
        log_likelihood += _resample_rare(documents, document, topics, random_key, counts, factors, scratch)
        log_likelihood += _resample_frequent(documents, document, topics, random_key, counts, factors, scratch)
        length = documents.offsets[document + 1] - first
        log_likelihood += close_document(documents, document, length, counts, factors, scratch)
    return log_likelihood, float(topics.size)


@inline_kernel
def _resample_rare(documents, document, topics, random_key, counts, factors, scratch):
    """Resample the words with few tokens in a document; return Σ log weight."""
    first = documents.offsets[document]
    token = first
    log_weight = 0.0
    mass = 1.0
    for entry in range(documents.starts[document], documents.starts[document + 1]):
        row = prefetch_word(documents, document, entry, counts.word_topic, scratch.mixture.size)
        last = token + documents.counts[entry]
        weight = 1.0
        if last == token + 1:  # most words occur once: the plain step is faster
            weight = resample_token(document, topics, token, row, random_key, token - first, counts, factors, scratch)
        elif last < token + _min_frequent(scratch.candidates):
            across = _weigh_first(topics, token, row, counts, factors, scratch)
            _resample_few(topics, token, last, row, across, random_key, token - first, counts, factors, scratch)
            weight = token_weight(across, scratch.exact_tilt)
        # A product of weights is cheaper than a sum of logarithms; the logarithm is taken before it can overflow.
        if last <= token + _MAX_POWER:
            for _ in range(token, last):
                mass *= weight
            if mass < 1e-200 or mass > 1e200:
                log_weight += np.log(mass)
                mass = 1.0
        else:
            log_weight += (last - token) * np.log(weight)
        token = last
    return log_weight + np.log(mass)


@inline_kernel
def _resample_frequent(documents, document, topics, random_key, counts, factors, scratch):
    """Resample the words with many tokens in a document; return Σ log weight."""
    first = documents.offsets[document]
    token = first
    log_weight = 0.0
    for entry in range(documents.starts[document], documents.starts[document + 1]):
        last = token + documents.counts[entry]
        if last >= token + _min_frequent(scratch.candidates):
            row = np.int64(documents.words[entry]) * scratch.mixture.size
            across = _weigh_first(topics, token, row, counts, factors, scratch)
            fit = token_weight(across, scratch.exact_tilt)
            _resample_many(topics, token, last, row, across, random_key, token - first, counts, factors, scratch)
            log_weight += (last - token) * np.log(fit)
        token = last
    return log_weight


@inline_kernel
def resample_word(topics, token, last, row, random_key, position, counts, factors, scratch):
    """Resample the tokens from `token` up to `last` of one word from one conditional; return its `token_weight`."""
    across = _weigh_first(topics, token, row, counts, factors, scratch)
    if last - token < _min_frequent(scratch.candidates):
        _resample_few(topics, token, last, row, across, random_key, position, counts, factors, scratch)
    else:
        _resample_many(topics, token, last, row, across, random_key, position, counts, factors, scratch)
    return token_weight(across, scratch.exact_tilt)


@inline_kernel
def _min_frequent(candidates):
    """Return the number of tokens from which a word is moved at once; with candidate sources it never is."""
    if candidates is None:
        return _MIN_FREQUENT
    return _NEVER


@inline_kernel
def _weigh_first(topics, token, row, counts, factors, scratch):
    """Compute the conditional of a word's first token; return the cumulative weights of the lanes."""
    return _weigh_first_token(scratch.candidates, topics, token, row, counts, factors, scratch)


@inline_kernel
def _weigh_first_token(candidates, topics, token, row, counts, factors, scratch):
    # Numba prunes a branch only if its condition tests an argument of the function.
    if candidates is None:
        old = np.int64(topics[token])
        own_mixture = mixture_without(old, counts, factors, scratch)
        return weigh_topics(old, own_mixture, row, counts, factors, scratch)
    return weigh_linked_topics(candidates, topics, token, row, counts, factors, scratch)


@inline_kernel
def _resample_few(topics, token, last, row, across, random_key, position, counts, factors, scratch):
    """Draw the topics of a run of fewer than `_MIN_FREQUENT` tokens, and move the tokens."""
    _resample_few_tokens(
        scratch.candidates, scratch.exact_tilt, topics, token, last, row, across, random_key, position, counts, factors,
        scratch,
    )  # fmt: skip


@inline_kernel
def _resample_few_tokens(
    candidates, exact_tilt, topics, token, last, row, across, random_key, position, counts, factors, scratch
):
    # Numba prunes a branch only if its condition tests an argument of the function.
    if candidates is None:
        if exact_tilt is None:
            if last - token < _MIN_RUN:
                resample_short_run(topics, token, last, row, across, random_key, position, counts, factors, scratch)
            else:
                resample_run(topics, token, last, row, across, random_key, position, counts, factors, scratch)
        else:
            _resample_one_by_one(topics, token, last, row, across, random_key, position, counts, factors, scratch)
    else:
        _resample_one_by_one(topics, token, last, row, across, random_key, position, counts, factors, scratch)


@inline_kernel
def _resample_one_by_one(topics, token, last, row, across, random_key, position, counts, factors, scratch):
    """Draw the topics of a run of tokens, moving each token after its draw."""
    for here in range(token, last):
        place = position + here - token
        target = uniform(random_key, place) * lane_at(across, LANES - 1)
        new = draw(scratch.sums, across, scratch.below, target, factors.n_topics)
        _assign_topic(scratch.candidates, topics, here, new, row, random_key, place, counts, factors, scratch)


@inline_kernel
def _assign_topic(candidates, topics, token, new, row, random_key, position, counts, factors, scratch):
    """Move a token to the topic drawn for it."""
    if candidates is None:
        old = np.int64(topics[token])
        if new != old:
            topics[token] = new
            left = mixture_without(old, counts, factors, scratch)
            move_token(old, new, left, row, counts, factors, scratch)
    else:
        move_linked_token(candidates, topics, token, new, row, random_key, position, counts, factors, scratch)


@inline_kernel
def _resample_many(topics, token, last, row, across, random_key, position, counts, factors, scratch):
    """Draw the topics of a run of at least `_MIN_FREQUENT` tokens, and move the tokens."""
    resample_long_run(topics, token, last, row, across, random_key, position, counts, factors, scratch)
    recompute_exact_tilt(scratch.exact_tilt, factors.observations, scratch.doc_topic, factors.n_topics)
