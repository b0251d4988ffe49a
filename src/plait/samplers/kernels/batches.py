"""Batches of words of a document that aggregated sampling draws together.

A draw takes a chain of dependent operations, and the weights of the next word follow from what was moved. The words of
a batch are therefore weighed one after the other, before the tokens of any of them are drawn and moved: a processor
then works on several of them at a time, and the counts of topics change once per batch. Words of a batch differ, so
that each sees its own counts as they are; the counts of the document and the totals are those before the batch. A batch
has at most a thirty-second of the document's tokens, so that documents of fewer than 64 tokens have one word per batch,
which is the step for a single word. So it is with many topics, where weighing takes most of the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.conditional import draw, sum_across, weigh_token
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.int_lanes import (
    add_counts,
    count_at,
    load_counts,
    no_counts,
    store_counts,
    uncount_at,
)
from plait.samplers.kernels.lanes import LANES, lane_at, load
from plait.samplers.kernels.runs import change_document, draw_sixteen, fill_targets
from plait.samplers.kernels.token_weights import mixture_without
from plait.samplers.random import uniform

MOST_WORDS = 4  # per batch; tuned by measurement
MOST_TOPICS = 128  # padded topics up to which a batch has several words; tuned by measurement
_MOST_TOKENS = 2 * LANES  # per word
_BATCHES = 32  # at least, in a document of several words
_MIN_RUN = 5  # number of tokens from which sixteen are drawn together; tuned by measurement
_ONE = np.float32(1.0)


class Batch(NamedTuple):
    """Working memory of a batch; the first axis has one row per word."""

    sums: np.ndarray  # float32: sixteen zeros, then the running sums of the weights
    below: np.ndarray  # float32: for each lane, the total of the last running sums of the lanes before it
    totals: np.ndarray  # float32, one number: total weight
    rows: np.ndarray  # int64, one number: where the counts of the word begin
    tokens: np.ndarray  # int64, one number: its first token
    drawn: np.ndarray  # int32: topics drawn for its tokens
    targets: np.ndarray  # float32: uniforms of one word, times its total weight


def make_batch(width: int) -> Batch:
    """Return the working memory.

    Parameters
    ----------
    width : int
        Padded number of topics.
    """
    return Batch(
        sums=aligned_zeros((MOST_WORDS, LANES + width)),
        below=aligned_zeros((MOST_WORDS, 2 * LANES)),
        totals=np.zeros(MOST_WORDS, np.float32),
        rows=np.zeros(MOST_WORDS, np.int64),
        tokens=np.zeros(MOST_WORDS, np.int64),
        drawn=aligned_zeros(MOST_WORDS * _MOST_TOKENS, np.int32),
        targets=aligned_zeros(_MOST_TOKENS),
    )


@inline_kernel
def words_per_batch(n_tokens, size, width):
    """Return the number of words of `size` tokens per batch, in a document of `n_tokens`."""
    if width > MOST_TOPICS:
        return 1
    return max(1, min(MOST_WORDS, n_tokens // (_BATCHES * size)))


@inline_kernel
def weigh_in_batch(word, topics, token, row, counts, factors, scratch, batch):
    """Compute the weights of a word that is number `word` of the batch; return the total weight."""
    old = np.int64(topics[token])
    own_mixture = mixture_without(old, counts, factors, scratch)
    running = weigh_token(
        counts.word_topic, row, factors.prior_value, factors.prior_table,
        scratch.mixture, old, own_mixture, _ONE, batch.sums[word],
    )  # fmt: skip
    total = lane_at(sum_across(running, batch.below[word]), LANES - 1)
    batch.totals[word], batch.rows[word], batch.tokens[word] = total, row, token
    return total


@inline_kernel
def draw_batch(n_words, size, topics, first, random_key, n_topics, batch):
    """Draw the topics of all tokens of a batch of words of `size` tokens; return whether any of them changes."""
    differ = 0
    for word in range(n_words):
        token = batch.tokens[word]
        if size < _MIN_RUN:
            across = load(batch.below[word], 1)
            for number in range(size):
                target = uniform(random_key, token - first + number) * batch.totals[word]
                new = draw(batch.sums[word], across, batch.below[word], target, n_topics)
                batch.drawn[word * _MOST_TOKENS + number] = new
                differ |= np.int64(topics[token + number]) ^ new
        else:
            differ = 1
            fill_targets(batch.targets, size, random_key, token - first, batch.totals[word])
            for place in range(0, size, LANES):
                new = draw_sixteen(load(batch.targets, place), n_topics, batch.sums[word], batch.below[word])
                store_counts(batch.drawn, word * _MOST_TOKENS + place, new)
    return differ != 0


@inline_kernel
def move_batch(n_words, size, topics, counts, factors, scratch, batch):
    """Move the tokens of a batch to the topics drawn for them."""
    for place in range(0, scratch.mixture.size, LANES):
        change = no_counts()
        for word in range(n_words):
            token, own = batch.tokens[word], no_counts()
            for number in range(size):
                own = count_at(own, np.int64(batch.drawn[word * _MOST_TOKENS + number]) - place)
                own = uncount_at(own, np.int64(topics[token + number]) - place)
            row = batch.rows[word] + place
            store_counts(counts.word_topic, row, add_counts(load_counts(counts.word_topic, row), own))
            change = add_counts(change, own)
        change_document(place, change, counts, factors, scratch)
    for word in range(n_words):
        for number in range(size):
            topics[batch.tokens[word] + number] = batch.drawn[word * _MOST_TOKENS + number]
