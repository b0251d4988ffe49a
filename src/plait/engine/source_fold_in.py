"""Folding in along links: topics of new documents whose words may draw from documents that the model knows.

Bíró and Szabó (2009), section 2.2: the topics and sources of the training documents are kept as they are, and those of
a new document's words are drawn. New documents that link to each other are drawn together; others each on its own, so
that its topics do not depend on the documents beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.engine.fold_in import FoldIn, content_key
from plait.engine.sample import Sample
from plait.engine.source_groups import NEW, Groups, group_documents
from plait.executors import Threads
from plait.mixing import LinkedDocuments
from plait.samplers.base import Candidates, Sources
from plait.samplers.conditional import draw, sum_across, weigh_token
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import kernel, part
from plait.samplers.kernels.lanes import LANES, lane_at
from plait.samplers.kernels.share_state import close_sources, open_sources, spread_over_candidates, weigh_candidates
from plait.samplers.kernels.sources import (
    close_candidates,
    draw_candidate,
    expected_share,
    mix_without,
    open_candidates,
    weigh_candidate,
)
from plait.samplers.kernels.token_state import new_scratch
from plait.samplers.random import document_key, scramble, uniform

_CHUNK = 64  # groups a task
_NO_TOPIC = -1


class Folded(NamedTuple):
    """What is found of new documents under one sample."""

    proportions: np.ndarray  # documents × topics: Σ_c χ_dc ϑ_c
    own: np.ndarray  # documents × topics: how often a document's own words hold each topic
    influence: np.ndarray  # χ of every candidate


class _Words(NamedTuple):
    """The words of all new documents, and how readily each topic of one sample uses them."""

    starts: np.ndarray  # document d has the entries starts[d] up to starts[d + 1]
    rows: np.ndarray  # of an entry: its row in `weights`
    counts: np.ndarray
    columns: np.ndarray  # of an entry: its word, which random numbers are keyed by
    weights: np.ndarray  # flat, words × width: φ


class _Tokens(NamedTuple):
    """Where the topics of words are kept while they are drawn."""

    ends: np.ndarray  # document d has the occurrences ends[d] up to ends[d + 1]
    topics: np.ndarray  # of every occurrence
    own: np.ndarray  # flat, documents of a group × width: how often their words hold each topic
    keys: np.ndarray  # of a group's documents


class _Spread(NamedTuple):
    """Where the shares of words are kept while they are spread."""

    shares: np.ndarray  # of a group's words: a row for each candidate
    weights: np.ndarray  # of one word: a row for each candidate
    own: np.ndarray  # as in `_Tokens`


class SourceFoldIn(FoldIn):
    """Topics of new documents under the samples of a chain, their links being known.

    Parameters
    ----------
    samples, real, seed, vocabulary
        As for `FoldIn`.
    mixing
        How links are followed.
    links
        New documents × training documents: weights of the links along which the new ones may draw. With a column for
        each new document besides, after the training documents: also along which they may draw from each other.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        real: bool,
        seed: int,
        mixing: LinkedDocuments,
        links: sparse.csr_array,
        vocabulary: np.ndarray | None = None,
    ) -> None:
        super().__init__(samples, real, seed, vocabulary)
        self.mixing = mixing
        self.links = links
        width = self.alphas[0].size
        self.known = []
        for sample in samples:
            assert sample.drawn_topics is not None
            table = aligned_zeros((sample.drawn_topics.shape[0], width))
            table[:, : self.n_topics] = sample.drawn_topics.toarray()
            self.known.append(table.ravel())

    def influence(self, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> sparse.csr_array:
        """Return χ of new documents, averaged over the samples, in the form of the links; the rest is their own."""
        candidates = self._candidates(counts)
        folded = [self._fold(number, counts, n_sweeps, executor, candidates) for number in range(len(self.words))]
        mean = np.mean([one.influence for one in folded], axis=0)
        others = np.delete(np.arange(mean.size), candidates.starts[:-1])
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(candidates.starts) - 1)
        return sparse.csr_array((mean[others], (rows, candidates.documents[others])), shape=self.links.shape)

    def mean_topics(self, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> list[np.ndarray]:
        """Return z̄, the shares of topics among each document's own words, under each sample."""
        candidates = self._candidates(counts)
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        means = []
        for number in range(len(self.words)):
            folded = self._fold(number, counts, n_sweeps, executor, candidates)
            means.append(np.where(lengths > 0, folded.own / np.where(lengths > 0, lengths, 1.0), folded.proportions))
        return means

    def _one_sample(self, number: int, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> np.ndarray:
        return self._fold(number, counts, n_sweeps, executor, self._candidates(counts)).proportions

    def _candidates(self, counts: sparse.csr_array) -> Candidates:
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        return self.mixing.new_candidates(self.links, lengths)

    def _fold(
        self, number: int, counts: sparse.csr_array, n_sweeps: int, executor: Threads, candidates: Candidates
    ) -> Folded:
        alpha, known = self.alphas[number], self.known[number]
        n_documents, width = counts.shape[0], alpha.size
        folded = Folded(
            np.zeros((n_documents, self.n_topics)),
            np.zeros((n_documents, self.n_topics)),
            np.zeros(candidates.documents.size),
        )
        words = _Words(*self._laid_out(counts), self.words[number])
        groups = group_documents(candidates, known.size // width)
        n_tokens = 0 if self.real else int(words.counts.sum())
        lengths = np.zeros(n_documents) if self.real else np.asarray(counts.sum(axis=1)).ravel()
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        topics, drawn = np.zeros(n_tokens, np.int32), None if self.real else np.zeros(n_tokens, np.uint32)
        rows, taken = groups.rows * width, np.zeros(candidates.documents.size)

        def fold(first: int) -> None:
            last = min(first + _CHUNK, groups.starts.size - 1)
            n_rows = int(np.diff(groups.row_starts[first : last + 1]).max())
            n_together = int(np.diff(groups.starts[first : last + 1]).max())
            sources = Sources(
                starts=candidates.starts,
                rows=rows,
                gamma=candidates.gamma,
                source_topic=aligned_zeros(n_rows * width),
                taken=taken,
                drawn=drawn,
                share_starts=None,
            )
            scratch = new_scratch(width, None, sources)
            own = aligned_zeros(n_together * width)
            if self.real:
                n_shares = _shares_needed(first, last, words.starts, candidates, groups) * width
                most = int(np.diff(candidates.starts).max()) * width
                spread = _Spread(aligned_zeros(n_shares), aligned_zeros(most), own)
                _fold_shares(
                    first, last, words, alpha, n_sweeps, candidates, groups, known, sources, folded, scratch, spread
                )
            else:
                tokens = _Tokens(ends, topics, own, np.zeros(n_together, np.uint64))
                _fold_tokens(
                    first, last, words, alpha, n_sweeps, self.key, candidates, groups, known, sources, folded, scratch,
                    tokens,
                )  # fmt: skip

        executor.map(fold, range(0, groups.starts.size - 1, _CHUNK))
        folded.proportions[:] /= folded.proportions.sum(axis=1, keepdims=True)  # candidates are weighed in float32
        return folded


def _shares_needed(first: int, last: int, starts: np.ndarray, candidates: Candidates, groups: Groups) -> int:
    """Return how many rows of shares the largest of some groups has: a row for each word and candidate."""
    rows = np.diff(starts) * np.diff(candidates.starts)
    inside = rows[groups.order[groups.starts[first] : groups.starts[last]]]
    return int(np.add.reduceat(inside, groups.starts[first:last] - groups.starts[first]).max())


@part
def _open_group(group, groups, known, sources, width):
    """Lay out the rows that a group draws from: of known documents, what the model knows; of new ones, nothing yet."""
    first = groups.row_starts[group]
    for row in range(groups.row_starts[group + 1] - first):
        document = groups.row_documents[first + row]
        for topic in range(width):
            sources.source_topic[row * width + topic] = 0.0 if document == NEW else known[document * width + topic]


@part
def _keep(document, place, candidates, linked, sources, alpha, own, folded):
    """Add what the present state says of a document."""
    own_row = place * alpha.size
    n_topics = folded.proportions.shape[1]
    total = 0.0
    for candidate in range(linked.size[0]):
        weigh_candidate(linked, candidate)
        total += linked.taken[candidate] + linked.gamma[candidate]
    for topic in range(n_topics):
        folded.proportions[document, topic] += expected_share(linked, sources, topic, alpha) / total
        folded.own[document, topic] += own[own_row + topic]
    for candidate in range(linked.size[0]):
        share = (linked.taken[candidate] + linked.gamma[candidate]) / total
        folded.influence[candidates.starts[document] + candidate] += share


@part
def _average(document, candidates, folded, n_kept):
    for topic in range(folded.proportions.shape[1]):
        folded.proportions[document, topic] /= n_kept
        folded.own[document, topic] /= n_kept
    for place in range(candidates.starts[document], candidates.starts[document + 1]):
        folded.influence[place] /= n_kept


@kernel
def _fold_tokens(
    first, last, words, alpha, n_sweeps, stream, candidates, groups, known, sources, folded, scratch, tokens
):
    width = alpha.size
    n_known = known.size // width
    for topic in range(width):
        scratch.linked.scale[topic] = 1.0
    for group in range(first, last):
        begin, n_documents = groups.starts[group], groups.starts[group + 1] - groups.starts[group]
        _open_group(group, groups, known, sources, width)
        for place in range(n_documents):
            document = groups.order[begin + place]
            tokens.keys[place] = _key_of(document, place, stream, words, candidates, n_known)
            _start(document, place, words, alpha, sources, folded, scratch, tokens)
        n_kept = 0
        for sweep in range(n_sweeps + 1):
            for place in range(n_documents):
                document = groups.order[begin + place]
                open_candidates(scratch.linked, sources, document, alpha)
                _sweep(document, place, sweep, words, alpha, sources, folded, scratch, tokens)
                close_candidates(scratch.linked, sources, document)
                # The first half of the sweeps lets the documents settle.
                if 2 * sweep >= n_sweeps:
                    _keep(document, place, candidates, scratch.linked, sources, alpha, tokens.own, folded)
            n_kept += 2 * sweep >= n_sweeps
        for place in range(n_documents):
            _average(groups.order[begin + place], candidates, folded, n_kept)


@part
def _key_of(document, place, stream, words, candidates, n_known):
    """Return a document's key: its words, the known documents that it draws from, and its place in its group."""
    key = content_key(stream, words.starts[document], words.starts[document + 1], words.columns, words.counts)
    for candidate in range(candidates.starts[document] + 1, candidates.starts[document + 1]):
        if candidates.documents[candidate] < n_known:
            key = scramble(document_key(key, candidates.documents[candidate]))
    # Two documents of the same words must not draw alike where one depends on the other.
    return key if place == 0 else scramble(document_key(key, place))


@part
def _start(document, place, words, alpha, sources, folded, scratch, tokens):
    """Give every word a topic by chance, as the topics' words and α say, drawn from its own document."""
    width = alpha.size
    nothing = np.float32(0.0)
    start_key = scramble(document_key(tokens.keys[place], 1))
    itself = sources.starts[document]
    own_row = place * width
    tokens.own[own_row : own_row + width] = 0.0
    number = 0
    for entry in range(words.starts[document], words.starts[document + 1]):
        row = np.int64(words.rows[entry]) * width
        for _ in range(words.counts[entry]):
            running = weigh_token(words.weights, row, nothing, None, alpha, _NO_TOPIC, nothing, nothing, scratch.sums)
            across = sum_across(running, scratch.below)
            target = uniform(start_key, number) * lane_at(across, LANES - 1)
            topic = draw(scratch.sums, across, scratch.below, target, folded.own.shape[1])
            tokens.topics[tokens.ends[document] + number] = topic
            sources.drawn[tokens.ends[document] + number] = 0
            sources.source_topic[sources.rows[itself] + topic] += 1.0
            sources.taken[itself] += 1.0
            tokens.own[own_row + topic] += np.float32(1.0)
            number += 1


@part
def _sweep(document, place, sweep, words, alpha, sources, folded, scratch, tokens):
    """Draw the topics of a document's words, and whom they are drawn from, once anew."""
    width = alpha.size
    nothing = np.float32(0.0)
    linked = scratch.linked
    key, own_row = tokens.keys[place], place * width
    token = tokens.ends[document]
    position = sweep * (tokens.ends[document + 1] - token)
    for entry in range(words.starts[document], words.starts[document + 1]):
        row = np.int64(words.rows[entry]) * width
        for _ in range(words.counts[entry]):
            position += 1
            old = np.int64(tokens.topics[token])
            mix_without(linked, sources, token, old, scratch.mixture, alpha)
            running = weigh_token(
                words.weights, row, nothing, None, scratch.mixture, _NO_TOPIC, nothing, nothing, scratch.sums
            )
            across = sum_across(running, scratch.below)
            target = uniform(key, position) * lane_at(across, LANES - 1)
            new = draw(scratch.sums, across, scratch.below, target, folded.own.shape[1])
            draw_candidate(linked, sources, token, old, new, alpha, key, position)
            tokens.own[own_row + old] -= np.float32(1.0)
            tokens.own[own_row + new] += np.float32(1.0)
            tokens.topics[token] = new
            token += 1


@kernel
def _fold_shares(first, last, words, alpha, n_sweeps, candidates, groups, known, sources, folded, scratch, spread):
    width = alpha.size
    linked = scratch.linked
    for group in range(first, last):
        begin, n_documents = groups.starts[group], groups.starts[group + 1] - groups.starts[group]
        _open_group(group, groups, known, sources, width)
        spread.own[: n_documents * width] = 0.0
        spread.shares[:] = 0.0
        for _ in range(n_sweeps + 1):
            share = 0
            for place in range(n_documents):
                document = groups.order[begin + place]
                open_sources(linked, sources, document, alpha)
                for entry in range(words.starts[document], words.starts[document + 1]):
                    row, count = np.int64(words.rows[entry]) * width, words.counts[entry]
                    # What a topic holds of words is known: nothing is taken out of it.
                    total = weigh_candidates(
                        linked, words.weights, row, sources, alpha, spread.shares, share,
                        min(count, np.float32(1.0)), spread.weights,
                    )  # fmt: skip
                    spread_over_candidates(
                        linked, spread.shares, share, total, count, sources, spread.weights, scratch.mixture
                    )
                    for topic in range(width):
                        spread.own[place * width + topic] += scratch.mixture[topic]
                    share += linked.size[0] * width
                close_sources(linked, sources, document)
        for place in range(n_documents):
            document = groups.order[begin + place]
            open_candidates(linked, sources, document, alpha)
            _keep(document, place, candidates, linked, sources, alpha, spread.own, folded)
