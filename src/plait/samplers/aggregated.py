"""Aggregated sampling: all tokens of one word in a document are drawn from one conditional.

Bíró and Szabó (2009), section 2.3. The conditional is computed for the first token of the word and used for all of
them, so the cost depends on the number of distinct words. Unlike the paper says, it is not an exact Gibbs sampler: the
later tokens do not see the topics drawn for the earlier ones. The distance from the exact posterior is measured in
tests/samplers/test_enumeration.py and stated in docs/samplers.md.

The words of a document are visited by their number of tokens, and up to four words of the same number together
(kernels/batches.py), without linked documents and without an exact tilt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.samplers.base import Counts, Documents, Factors, Sampler, SweepInfo
from plait.samplers.conditional import draw
from plait.samplers.kernels.batches import (
    MOST_TOPICS,
    draw_batch,
    make_batch,
    move_batch,
    weigh_in_batch,
    words_per_batch,
)
from plait.samplers.kernels.compiled import inline_kernel, kernel
from plait.samplers.kernels.lanes import LANES, lane_at
from plait.samplers.kernels.runs import resample_long_run
from plait.samplers.kernels.tilt import recompute_exact_tilt
from plait.samplers.kernels.token_state import (
    close_document,
    move_linked_token,
    move_token,
    new_scratch,
    open_document,
    resample_token,
)
from plait.samplers.kernels.token_weights import mixture_without, token_weight, weigh_linked_topics, weigh_topics
from plait.samplers.kernels.visits import list_visits, make_visits, prefetch_visit
from plait.samplers.random import document_key, uniform

_MIN_FREQUENT = 24  # number of tokens of a word from which it is drawn and moved alone; tuned by measurement
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
        visits, batch = make_visits(documents, _MIN_FREQUENT), make_batch(factors.alpha.size)
        return SweepInfo(*_sweep(documents, state, counts, factors, key, scratch, visits, batch))


@kernel
def _sweep(documents, topics, counts, factors, key, scratch, visits, batch):
    log_likelihood = 0.0
    for document in range(documents.starts.size - 1):
        random_key = document_key(key, documents.first + document)
        open_document(documents, document, topics, counts, factors, scratch)
        list_visits(documents, document, visits)
        log_likelihood += _resample_batches(
            scratch.candidates, scratch.exact_tilt, documents, document, topics, random_key, counts, factors, scratch,
            visits, batch,
        )  # fmt: skip
        log_likelihood += _resample_others(
            documents, document, topics, random_key, counts, factors, scratch, visits, batch
        )  # fmt: skip
        length = documents.offsets[document + 1] - documents.offsets[document]
        log_likelihood += close_document(documents, document, length, counts, factors, scratch)
    return log_likelihood, float(topics.size)


@inline_kernel
def _resample_batches(
    candidates, exact_tilt, documents, document, topics, random_key, counts, factors, scratch, visits, batch
):
    """Resample the words that are drawn in batches, if any; return Σ log weight."""
    # Numba prunes a branch only if its condition tests an argument of the function.
    if candidates is None and exact_tilt is None:
        # A compiler unrolls loops over a number of topics that it knows.
        if scratch.mixture.size == 2 * LANES and batch.sums.shape[1] == 3 * LANES:
            return _resample_sizes(documents, document, topics, random_key, counts, factors, scratch, visits, batch)
        return _resample_sizes(documents, document, topics, random_key, counts, factors, scratch, visits, batch)
    return 0.0


@inline_kernel
def _resample_sizes(documents, document, topics, random_key, counts, factors, scratch, visits, batch):
    """Resample the words with fewer than `_MIN_FREQUENT` tokens in batches; return Σ log weight."""
    log_weight = 0.0
    for size in range(1 if scratch.mixture.size <= MOST_TOPICS else 2, _MIN_FREQUENT):
        log_weight += _resample_size(
            size, documents, document, topics, random_key, counts, factors, scratch, visits, batch
        )
    return log_weight


@inline_kernel
def _resample_size(size, documents, document, topics, random_key, counts, factors, scratch, visits, batch):
    """Resample the words with `size` tokens in a document, in batches; return Σ log weight."""
    first = documents.offsets[document]
    most = words_per_batch(documents.offsets[document + 1] - first, size, scratch.mixture.size)
    log_weight = 0.0
    mass = 1.0
    place, end = visits.ends[size - 1], visits.ends[size]
    while place < end:
        n_words = min(most, end - place)
        for word in range(n_words):
            row = prefetch_visit(documents, place + word, visits, counts.word_topic, scratch.mixture.size)
            mass *= weigh_in_batch(word, topics, visits.tokens[place + word], row, counts, factors, scratch, batch)
        # A product of weights is cheaper than a sum of logarithms; the logarithm is taken before it can overflow.
        if mass < 1e-200 or mass > 1e200:
            log_weight += np.log(mass)
            mass = 1.0
        if draw_batch(n_words, size, topics, first, random_key, factors.n_topics, batch):
            move_batch(n_words, size, topics, counts, factors, scratch, batch)
        place += n_words
    return size * (log_weight + np.log(mass))


@inline_kernel
def _resample_others(documents, document, topics, random_key, counts, factors, scratch, visits, batch):
    """Resample the words that are not drawn in batches one after the other; return Σ log weight."""
    first = documents.offsets[document]
    skipped = _batched_places(scratch.candidates, scratch.exact_tilt, scratch.mixture.size, visits)
    log_weight = 0.0
    mass = 1.0
    place = 0
    while place < visits.ends[_MIN_FREQUENT]:
        if place == skipped[0] and skipped[1] > place:
            place = skipped[1]
            continue
        row = prefetch_visit(documents, place, visits, counts.word_topic, scratch.mixture.size)
        token = visits.tokens[place]
        size = np.int64(documents.counts[visits.entries[place]])
        if size == 1:
            mass *= resample_token(document, topics, token, row, random_key, token - first, counts, factors, scratch)
            if mass < 1e-200 or mass > 1e200:
                log_weight += np.log(mass)
                mass = 1.0
        else:
            weight = resample_word(
                topics, token, token + size, row, random_key, token - first, counts, factors, scratch, batch
            )
            log_weight += size * np.log(weight)
        place += 1
    return log_weight + np.log(mass)


@inline_kernel
def _batched_places(candidates, exact_tilt, width, visits):
    """Return the first place of the words that are drawn in batches, and the first one after them."""
    if candidates is None and exact_tilt is None:
        return (0 if width <= MOST_TOPICS else visits.ends[1]), visits.ends[_MIN_FREQUENT - 1]
    return 0, 0


@inline_kernel
def resample_word(topics, token, last, row, random_key, position, counts, factors, scratch, batch):
    """Resample the tokens from `token` up to `last` of one word from one conditional; return its `token_weight`."""
    return _resample_word(
        scratch.candidates, scratch.exact_tilt, topics, token, last, row, random_key, position, counts, factors,
        scratch, batch,
    )  # fmt: skip


@inline_kernel
def _resample_word(
    candidates, exact_tilt, topics, token, last, row, random_key, position, counts, factors, scratch, batch
):
    # Numba prunes a branch only if its condition tests an argument of the function.
    if candidates is None and exact_tilt is None:  # noqa: SIM102
        if last - token < _MIN_FREQUENT:
            weight = weigh_in_batch(0, topics, token, row, counts, factors, scratch, batch)
            if draw_batch(1, last - token, topics, token - position, random_key, factors.n_topics, batch):
                move_batch(1, last - token, topics, counts, factors, scratch, batch)
            return weight
    across = _weigh_first(topics, token, row, counts, factors, scratch)
    if last - token < _min_frequent(candidates):
        _resample_one_by_one(topics, token, last, row, across, random_key, position, counts, factors, scratch)
    else:
        _resample_many(topics, token, last, row, across, random_key, position, counts, factors, scratch)
    return token_weight(across, exact_tilt)


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
