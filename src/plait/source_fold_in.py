"""Folding in along links: topics of new documents whose words may draw from documents that the model knows.

Bíró and Szabó (2009), section 2.2: the topics and sources of the training documents are kept as they are, and those of
a new document's words are drawn. Each document is folded in on its own, so its links go to known documents only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.chain import Sample
from plait.executors import Threads
from plait.fold_in import FoldIn, content_key
from plait.mixing import LinkedDocuments
from plait.samplers.base import Candidates, Sources
from plait.samplers.compiled import kernel, part
from plait.samplers.conditional import draw, sum_across, weigh_token
from plait.samplers.linked import draw_candidate, expected_share, mix_without, open_candidates, weigh_candidate
from plait.samplers.random import document_key, scramble, uniform
from plait.samplers.shares import spread_over_candidates, weigh_candidates
from plait.samplers.tokens import new_scratch
from plait.samplers.vectors import LANES, lane_at

_CHUNK = 64  # documents a task
_NO_TOPIC = -1


class Folded(NamedTuple):
    """What is found of new documents under one sample."""

    proportions: np.ndarray  # documents × topics: Σ_c χ_dc ϑ_c
    own: np.ndarray  # documents × topics: how often a document's own words hold each topic
    influence: np.ndarray  # χ of every candidate


class SourceFoldIn(FoldIn):
    """Topics of new documents under the samples of a chain, their links being known.

    Parameters
    ----------
    samples, real, seed, vocabulary
        As for `FoldIn`.
    mixing
        How links are followed.
    links
        New documents × training documents: weights of the links along which the new ones may draw.
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
            table = np.zeros((sample.drawn_topics.shape[0], width), np.float32)
            table[:, : self.n_topics] = sample.drawn_topics.toarray()
            self.known.append(table.ravel())

    def influence(self, counts: sparse.csr_array, n_sweeps: int, executor: Threads) -> sparse.csr_array:
        """Return χ of new documents (new × training), averaged over the samples; the rest is drawn from themselves."""
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
        alpha, words, known = self.alphas[number], self.words[number], self.known[number]
        n_documents, width = counts.shape[0], alpha.size
        folded = Folded(
            np.zeros((n_documents, self.n_topics)),
            np.zeros((n_documents, self.n_topics)),
            np.zeros(candidates.documents.size),
        )
        starts, rows_of, data, indices = self._laid_out(counts)
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        most = int(np.diff(candidates.starts).max(initial=1))

        def fold(first: int) -> None:
            last = min(first + _CHUNK, n_documents)
            longest = 0 if self.real else int(lengths[first:last].max())
            sources = _room(most, width, longest, self.real)
            scratch = new_scratch(width, None, sources)
            if self.real:
                entries = int(np.diff(starts[first : last + 1]).max())
                room = (np.zeros(entries * most * width, np.float32), np.zeros(most * width, np.float32))
                _fold_shares(
                    first, last, starts, rows_of, data, words, alpha, n_sweeps, candidates, known, sources, folded,
                    scratch, *room, np.ones(width, np.float32), np.zeros(width, np.float32),
                )  # fmt: skip
            else:
                _fold_tokens(
                    first, last, starts, rows_of, data, indices, words, alpha, n_sweeps, self.key, candidates, known,
                    sources, folded, scratch, np.zeros(longest, np.int64),
                )  # fmt: skip

        executor.map(fold, range(0, n_documents, _CHUNK))
        return folded


def _room(most: int, width: int, longest: int, real: bool) -> Sources:
    """Make room for the candidates of one document, itself first, with rows of their own."""
    return Sources(
        starts=np.array([0, most], np.int64),
        rows=np.arange(most, dtype=np.int64) * width,
        gamma=np.zeros(most),
        source_topic=np.zeros(most * width, np.float32),
        taken=np.zeros(most),
        drawn=None if real else np.zeros(longest, np.uint32),
        share_starts=None,
    )


@part
def _open(document, candidates, known, sources, width):
    """Lay out a document's candidates: nothing was drawn from itself yet; of others, what the model knows."""
    first = candidates.starts[document]
    n_candidates = candidates.starts[document + 1] - first
    sources.starts[1] = n_candidates
    for place in range(n_candidates):
        sources.gamma[place] = candidates.gamma[first + place]
        sources.taken[place] = 0.0
        row = candidates.documents[first + place] * width
        for topic in range(width):
            sources.source_topic[place * width + topic] = known[row + topic] if place > 0 else 0.0


@part
def _keep(document, candidates, linked, sources, alpha, doc_topic, folded):
    """Add what the present state says of a document."""
    n_topics = folded.proportions.shape[1]
    total = 0.0
    for place in range(linked.size[0]):
        weigh_candidate(linked, place)
        total += linked.taken[place] + linked.gamma[place]
    for topic in range(n_topics):
        folded.proportions[document, topic] += expected_share(linked, sources, topic, alpha) / total
        folded.own[document, topic] += doc_topic[topic]
    for place in range(linked.size[0]):
        share = (linked.taken[place] + linked.gamma[place]) / total
        folded.influence[candidates.starts[document] + place] += share


@part
def _average(document, candidates, folded, n_kept):
    for topic in range(folded.proportions.shape[1]):
        folded.proportions[document, topic] /= n_kept
        folded.own[document, topic] /= n_kept
    for place in range(candidates.starts[document], candidates.starts[document + 1]):
        folded.influence[place] /= n_kept


@kernel
def _fold_tokens(
    first, last, starts, rows_of, counts, words, word_weights, alpha, n_sweeps, stream, candidates, known, sources,
    folded, scratch, topics,
):  # fmt: skip
    width = alpha.size
    n_topics = folded.proportions.shape[1]
    nothing = np.float32(0.0)
    linked = scratch.linked
    for topic in range(width):
        linked.scale[topic] = 1.0
    for document in range(first, last):
        begin, end = starts[document], starts[document + 1]
        key = content_key(stream, begin, end, words, counts)
        for place in range(candidates.starts[document] + 1, candidates.starts[document + 1]):
            key = scramble(document_key(key, candidates.documents[place]))
        _open(document, candidates, known, sources, width)
        _start(begin, end, rows_of, counts, word_weights, alpha, n_topics, key, sources, scratch, topics)
        open_candidates(linked, sources, 0, alpha)
        n_kept = 0
        position = np.int64(0)
        for sweep in range(n_sweeps + 1):
            token = 0
            for entry in range(begin, end):
                row = np.int64(rows_of[entry]) * width
                for _ in range(counts[entry]):
                    position += 1
                    old = topics[token]
                    mix_without(linked, sources, token, old, scratch.mixture, alpha)
                    running = weigh_token(
                        word_weights, row, nothing, None, scratch.mixture, _NO_TOPIC, nothing, nothing, scratch.sums
                    )
                    across = sum_across(running, scratch.below)
                    target = uniform(key, position) * lane_at(across, LANES - 1)
                    new = draw(scratch.sums, across, scratch.below, target, n_topics)
                    draw_candidate(linked, sources, token, old, new, alpha, key, position)
                    scratch.doc_topic[old] -= np.float32(1.0)
                    scratch.doc_topic[new] += np.float32(1.0)
                    topics[token] = new
                    token += 1
            # The first half of the sweeps lets the document settle.
            if 2 * sweep >= n_sweeps:
                _keep(document, candidates, linked, sources, alpha, scratch.doc_topic, folded)
                n_kept += 1
        _average(document, candidates, folded, n_kept)


@part
def _start(begin, end, rows_of, counts, word_weights, alpha, n_topics, key, sources, scratch, topics):
    """Give every word a topic by chance, as the topics' words and α say, drawn from its own document."""
    width = alpha.size
    nothing = np.float32(0.0)
    start_key = scramble(document_key(key, 1))
    for topic in range(width):
        scratch.doc_topic[topic] = 0.0
    token = 0
    for entry in range(begin, end):
        row = np.int64(rows_of[entry]) * width
        for _ in range(counts[entry]):
            running = weigh_token(word_weights, row, nothing, None, alpha, _NO_TOPIC, nothing, nothing, scratch.sums)
            across = sum_across(running, scratch.below)
            target = uniform(start_key, token) * lane_at(across, LANES - 1)
            topic = draw(scratch.sums, across, scratch.below, target, n_topics)
            topics[token] = topic
            sources.drawn[token] = 0
            sources.source_topic[topic] += 1.0
            sources.taken[0] += 1.0
            scratch.doc_topic[topic] += np.float32(1.0)
            token += 1


@kernel
def _fold_shares(
    first, last, starts, rows_of, counts, word_weights, alpha, n_sweeps, candidates, known, sources, folded, scratch,
    shares, weights, ones, zeros,
):  # fmt: skip
    width = alpha.size
    linked = scratch.linked
    for document in range(first, last):
        begin, end = starts[document], starts[document + 1]
        _open(document, candidates, known, sources, width)
        open_candidates(linked, sources, 0, alpha)
        shares[: (end - begin) * linked.size[0] * width] = 0.0
        scratch.doc_topic[:] = 0.0
        for _ in range(n_sweeps + 1):
            for entry in range(begin, end):
                row = np.int64(rows_of[entry]) * width
                place = (entry - begin) * linked.size[0] * width
                unit = min(counts[entry], np.float32(1.0))
                # What a topic holds of words is known: nothing is taken out of it.
                total = weigh_candidates(linked, word_weights, row, sources, alpha, shares, place, unit, weights)
                spread_over_candidates(linked, shares, place, total, counts[entry], sources, weights, scratch.mixture)
                for topic in range(width):
                    scratch.doc_topic[topic] += scratch.mixture[topic]
        _keep(document, candidates, linked, sources, alpha, scratch.doc_topic, folded)
