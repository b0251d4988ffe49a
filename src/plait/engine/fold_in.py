"""Folding in: the topics of documents that a model has not seen, with everything it learnt kept as it is.

A document's random numbers are keyed by its own words, so it gets the same topics whichever documents it
comes with. Proportions are averaged over the later sweeps and over the samples that the chain kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sparse

from plait.engine.sample import Sample
from plait.executors import Threads
from plait.samplers.base import padded_width
from plait.samplers.conditional import draw, sum_across, weigh_known_share, weigh_token
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import kernel, part
from plait.samplers.kernels.lanes import LANES, add, lane_at, load, multiply, splat, store, subtract
from plait.samplers.kernels.token_state import new_scratch
from plait.samplers.random import document_key, scramble, stream_key, uniform

_CHUNK = 256  # documents a task


class FoldIn:
    """Topics of new documents under the samples of a chain.

    Parameters
    ----------
    samples
        What the chain kept.
    real
        Whether counts may be real numbers (limit and sparse samplers): then words are spread over topics.
    vocabulary
        Sorted numbers of the only words that will be asked for, where tables of all words would be too large.
    """

    def __init__(self, samples: Sequence[Sample], real: bool, seed: int, vocabulary: np.ndarray | None = None) -> None:
        self.real = real
        self.vocabulary = vocabulary
        self.n_topics = samples[0].alpha.size
        self.key = stream_key(seed, "fold in")
        self.halving_key = stream_key(seed, "halve")
        width = padded_width(self.n_topics)
        self.alphas = [_padded(sample.alpha, width) for sample in samples]
        self.words = [_padded(sample.topic_word(vocabulary).T, width).ravel() for sample in samples]

    def proportions(self, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> list[np.ndarray]:
        """Return ϑ of each document (documents × topics) under each sample."""
        return [self._one_sample(number, counts, n_sweeps, executor) for number in range(len(self.words))]

    def mean_topics(self, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> list[np.ndarray]:
        """Return z̄, the shares of topics among each document's words, under each sample.

        A document without known words has the topics that the prior expects.
        """
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        means = []
        for alpha, shares in zip(self.alphas, self.proportions(counts, n_sweeps, executor), strict=True):
            expected = alpha[: self.n_topics].astype(np.float64)
            counted = shares * (lengths + expected.sum()) - expected
            means.append(np.where(lengths > 0, counted / np.where(lengths > 0, lengths, 1.0), shares))
        return means

    def _one_sample(self, number: int, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> np.ndarray:
        """Return ϑ of each document under one sample."""
        alpha, words = self.alphas[number], self.words[number]
        result = np.zeros((counts.shape[0], self.n_topics))
        starts, rows_of, data, indices = self._laid_out(counts)
        lengths = np.asarray(counts.sum(axis=1)).ravel()

        def fold(first: int) -> None:
            last = min(first + _CHUNK, counts.shape[0])
            rows = (starts[first : last + 1], rows_of, data)
            if self.real:
                longest = int(np.diff(rows[0]).max())
                room = (aligned_zeros(alpha.size), aligned_zeros(alpha.size))
                shares = aligned_zeros(longest * alpha.size)
                _fold_in_shares(*rows, words, alpha, n_sweeps, result[first:last], *room, shares)
            else:
                longest = int(lengths[first:last].max())
                topics = np.zeros(longest, np.int64)
                scratch = new_scratch(alpha.size)
                _fold_in_tokens(*rows, indices, words, alpha, n_sweeps, self.key, result[first:last], scratch, topics)

        executor.map(fold, range(0, counts.shape[0], _CHUNK))
        return result

    def _laid_out(self, counts: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return where each document begins, rows of the tables of words, how often each occurs, and its column."""
        indices = counts.indices.astype(np.int32, copy=False)
        rows_of = indices if self.vocabulary is None else np.searchsorted(self.vocabulary, indices).astype(np.int32)
        return counts.indptr.astype(np.int64), rows_of, counts.data.astype(self._count_type), indices

    @property
    def _count_type(self) -> type:
        return np.float32 if self.real else np.int32

    def word_probabilities(self, counts: sparse.csr_array, proportions: Sequence[np.ndarray]) -> np.ndarray:
        """Return p(w) = Σ_k φ_kw ϑ_dk of each stored entry of `counts`, averaged over the samples.

        Eq. (4) of Bíró and Szabó (2009).
        """
        result = np.zeros(counts.nnz)
        for words, doc_topic in zip(self.words, proportions, strict=True):
            _predict(counts.indptr, counts.indices, words, doc_topic, result)
        return result / len(self.words)

    def halve(self, counts: sparse.csr_array) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Split every document's words at random, but always alike, into two halves."""
        first = np.zeros(counts.nnz, dtype=counts.data.dtype)
        data = counts.data.astype(self._count_type)
        _halve(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), data, self.halving_key, first)
        kept = sparse.csr_array((first, counts.indices, counts.indptr), shape=counts.shape)
        held = sparse.csr_array((counts.data - first, counts.indices, counts.indptr), shape=counts.shape)
        return kept, held


def _padded(values: np.ndarray, width: int) -> np.ndarray:
    padded = aligned_zeros((*values.shape[:-1], width))
    padded[..., : values.shape[-1]] = values
    return padded


@part
def content_key(key, first, last, words, counts):
    """Return a key made of a document's words and their counts alone."""
    for entry in range(first, last):
        if counts[entry] > 0:
            key = scramble(document_key(key, words[entry]) ^ np.uint64(np.int64(counts[entry])))
    return key


@kernel
def _fold_in_tokens(starts, rows_of, counts, words, word_weights, alpha, n_sweeps, stream, result, scratch, topics):
    width = alpha.size
    n_topics = result.shape[1]
    nothing = np.float32(0.0)
    for document in range(starts.size - 1):
        begin, end = starts[document], starts[document + 1]
        key = content_key(stream, begin, end, words, counts)
        length = 0
        for entry in range(begin, end):
            length += counts[entry]
        topics[:length] = -1  # before the first sweep an occurrence holds no topic
        for topic in range(width):
            scratch.doc_topic[topic] = 0.0
            scratch.mixture[topic] = alpha[topic]
        for sweep in range(n_sweeps + 1):
            token = 0
            for entry in range(begin, end):
                row = np.int64(rows_of[entry]) * width
                for _ in range(counts[entry]):
                    old = topics[token]
                    own_mixture = nothing
                    if old >= 0:
                        own_mixture = scratch.doc_topic[old] - np.float32(1.0) + alpha[old]
                    running = weigh_token(
                        word_weights, row, nothing, None, scratch.mixture, old, own_mixture, nothing, scratch.sums
                    )
                    across = sum_across(running, scratch.below)
                    target = uniform(key, sweep * length + token) * lane_at(across, LANES - 1)
                    new = draw(scratch.sums, across, scratch.below, target, n_topics)
                    if new != old:
                        if old >= 0:
                            scratch.doc_topic[old] -= np.float32(1.0)
                            scratch.mixture[old] = own_mixture
                        scratch.doc_topic[new] += np.float32(1.0)
                        scratch.mixture[new] = scratch.doc_topic[new] + alpha[new]
                        topics[token] = new
                    token += 1
            # The first half of the sweeps lets the document settle.
            if 2 * sweep >= n_sweeps:
                for topic in range(n_topics):
                    result[document, topic] += scratch.doc_topic[topic] + alpha[topic]
        _normalise(result[document])


@kernel
def _fold_in_shares(starts, words, counts, word_weights, alpha, n_sweeps, result, weights, doc_topic, shares):
    width = alpha.size
    for document in range(starts.size - 1):
        begin, end = starts[document], starts[document + 1]
        shares[: (end - begin) * width] = 0.0
        doc_topic[:] = 0.0
        for _ in range(n_sweeps + 1):
            for entry in range(begin, end):
                row = np.int64(words[entry]) * width
                share_row = (entry - begin) * width
                unit = min(counts[entry], np.float32(1.0))
                total = weigh_known_share(word_weights, row, doc_topic, alpha, shares, share_row, unit, weights)
                _take_shares(weights, total, shares, share_row, doc_topic, counts[entry])
        for topic in range(result.shape[1]):
            result[document, topic] = doc_topic[topic] + alpha[topic]
        _normalise(result[document])


@part
def _take_shares(weights, total, shares, share_row, doc_topic, occurrences):
    """Give a word of a new document its new shares, and its document the difference."""
    scale = splat(np.float32(1.0) / total)
    amount = splat(np.float32(occurrences))
    for block in range(doc_topic.size // LANES):
        place = LANES * block
        share = multiply(load(weights, place), scale)
        change = multiply(amount, subtract(share, load(shares, share_row + place)))
        store(shares, share_row + place, share)
        store(doc_topic, place, add(load(doc_topic, place), change))


@part
def _normalise(proportions):
    total = 0.0
    for topic in range(proportions.size):
        total += proportions[topic]
    for topic in range(proportions.size):
        proportions[topic] /= total


@kernel
def _predict(starts, words, word_weights, doc_topic, result):
    n_topics = doc_topic.shape[1]
    width = LANES * ((n_topics + LANES - 1) // LANES)
    for document in range(starts.size - 1):
        for entry in range(starts[document], starts[document + 1]):
            row = np.int64(words[entry]) * width
            for topic in range(n_topics):
                result[entry] += doc_topic[document, topic] * word_weights[row + topic]


@kernel
def _halve(starts, words, counts, stream, first):
    for document in range(starts.size - 1):
        key = content_key(stream, starts[document], starts[document + 1], words, counts)
        position = 0
        for entry in range(starts[document], starts[document + 1]):
            occurrences = np.int64(counts[entry])
            if occurrences != counts[entry]:  # a fractional count goes to one half whole
                if uniform(key, position) < 0.5:
                    first[entry] = counts[entry]
                position += 1
                continue
            for _ in range(occurrences):
                if uniform(key, position) < 0.5:
                    first[entry] += 1
                position += 1
