"""Fold-in: topics of new documents, with everything that a model has learned kept as it is.

A new document is swept by the same compiled parts as a training document (samplers/kernels), the words of topics being
fixed. Its random numbers are keyed by its own words, so it gets the same topics whichever documents it comes with.
Proportions are averaged over the second half of the sweeps and over the samples of the chain.

Where tokens may draw from linked documents, Bíró and Szabó (2009), section 2.2, the counts of the training documents
are kept as they are. New documents that link to each other are swept together; every other document alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.engine.fold_chunks import Chunk, ChunkSources, FoldTables, fold_chunk, join_chunks
from plait.engine.fold_kernels import Folded, halve, make_keys, predict_words
from plait.engine.sample import Sample
from plait.engine.source_groups import Groups, group_documents
from plait.executors.base import Executor, NewDocuments
from plait.mixing import Mixing
from plait.samplers.base import Candidates, padded_width
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.random import stream_key

_CHUNK = 64  # documents per task


class _Batch(NamedTuple):
    """New documents, group by group, with the sources that their tokens may draw from."""

    counts: sparse.csr_array  # in the order of the groups
    rows: np.ndarray  # int32, of every entry: its row in the tables of words
    keys: np.ndarray  # uint64, of every document
    group_starts: np.ndarray  # group g has the documents group_starts[g] up to group_starts[g + 1]
    candidates: Candidates | None  # in the same order
    groups: Groups | None


def halve_documents(counts: sparse.csr_array, real: bool, seed: int) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Split the tokens of every document at random into two halves; the same seed gives the same halves.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        Word counts.
    real : bool
        Whether counts may be real numbers.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    tuple of csr_array
        Counts of both halves, with zeros stored where a half has no token of a word.
    """
    first = np.zeros(counts.nnz, dtype=counts.data.dtype)
    data = counts.data.astype(np.float32 if real else np.int32)
    key = stream_key(seed, "halve")
    halve(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), data, key, first)
    kept = sparse.csr_array((first, counts.indices, counts.indptr), shape=counts.shape)
    held = sparse.csr_array((counts.data - first, counts.indices, counts.indptr), shape=counts.shape)
    return kept, held


class FoldIn:
    """Topics of new documents under the samples of a chain.

    Parameters
    ----------
    samples : sequence of Sample
        What the chain kept.
    real : bool
        Whether counts may be real numbers (limit and sparse samplers): words then have shares of topics.
    seed : int
        Of the model.
    vocabulary : array of int or None
        Sorted numbers of the only words that will be used, where tables of all words would be too large.
    mixing : Mixing or None
        With `links`: how candidate sources follow from links.
    links : csr_array (new documents, training documents) or None
        Weights of the links along which new documents may draw. With a column per new document besides, after the
        training documents, they may also draw from each other. None: they draw from themselves only.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        real: bool,
        seed: int,
        vocabulary: np.ndarray | None = None,
        mixing: Mixing | None = None,
        links: sparse.csr_array | None = None,
    ) -> None:
        self.real = real
        self.vocabulary = vocabulary
        self.mixing = mixing
        self.links = links
        self.n_topics = samples[0].alpha.size
        self._key = stream_key(seed, "fold in")
        self._seed = seed
        width = padded_width(self.n_topics)
        self.alphas = [pad_topics(sample.alpha, width) for sample in samples]
        self.words = [pad_topics(sample.topic_word(vocabulary).T, width).ravel() for sample in samples]
        self._known = [np.zeros(0, np.float32) for _ in samples]
        if links is not None:
            self._known = [pad_topics(_drawn(sample), width).ravel() for sample in samples]

    def proportions(self, counts: sparse.csr_array, n_sweeps: int, executor: Executor) -> list[np.ndarray]:
        """Return ϑ of each document (documents × topics) under each sample; with links, Σ_c χ_dc ϑ_c."""
        return [folded.proportions for folded in self._fold_all(counts, n_sweeps, executor)]

    def mean_topics(self, counts: sparse.csr_array, n_sweeps: int, executor: Executor) -> list[np.ndarray]:
        """Return z̄, the shares of topics among each document's tokens, under each sample.

        A document without known words has the topics that the prior expects.
        """
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).reshape(-1, 1)
        means = []
        for alpha, folded in zip(self.alphas, self._fold_all(counts, n_sweeps, executor), strict=True):
            counted = folded.own
            if self.links is None:
                expected = alpha[: self.n_topics].astype(np.float64)
                counted = folded.proportions * (lengths + expected.sum()) - expected
            means.append(np.where(lengths > 0, counted / np.where(lengths > 0, lengths, 1.0), folded.proportions))
        return means

    def influence(self, counts: sparse.csr_array, n_sweeps: int, executor: Executor) -> sparse.csr_array:
        """Return χ of every link, averaged over the samples, in the shape of `links`."""
        assert self.links is not None
        candidates = self._candidates(counts)
        assert candidates is not None
        found = self._fold_all(counts, n_sweeps, executor)
        shares = np.mean([folded.influence for folded in found], axis=0)
        owners = np.repeat(np.arange(counts.shape[0]), np.diff(candidates.starts))
        others = np.ones(candidates.documents.size, dtype=bool)
        others[candidates.starts[:-1]] = False  # the document itself
        entries = (shares[others], (owners[others], candidates.documents[others]))
        return sparse.csr_array(entries, shape=self.links.shape)

    def word_probabilities(self, counts: sparse.csr_array, proportions: Sequence[np.ndarray]) -> np.ndarray:
        """Return p(w) = Σ_k φ_kw ϑ_dk of each stored entry of `counts`, averaged over the samples.

        Eq. (4) of Bíró and Szabó (2009).
        """
        result = np.zeros(counts.nnz)
        for words, doc_topic in zip(self.words, proportions, strict=True):
            predict_words(counts.indptr, counts.indices, words, doc_topic, result)
        return result / len(self.words)

    def halve(self, counts: sparse.csr_array) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Split every document's tokens at random into two halves, always in the same way."""
        return halve_documents(counts, self.real, self._seed)

    @property
    def _count_type(self) -> type:
        return np.float32 if self.real else np.int32

    def _candidates(self, counts: sparse.csr_array) -> Candidates | None:
        if self.links is None:
            return None
        assert self.mixing is not None
        return self.mixing.new_candidates(self.links, np.asarray(counts.sum(axis=1), dtype=np.float64).ravel())

    def _fold_all(self, counts: sparse.csr_array, n_sweeps: int, executor: Executor) -> list[Folded]:
        """Return what is found of each document under each sample, in the order of the documents."""
        candidates = self._candidates(counts)
        groups = None if candidates is None else group_documents(candidates, self._n_known)
        batch = self._make_batch(counts, candidates, groups)
        found = [self._fold(number, batch, n_sweeps, executor) for number in range(len(self.words))]
        return found if groups is None or candidates is None else [_reorder(one, candidates, groups) for one in found]

    @property
    def _n_known(self) -> int:
        """Number of training documents."""
        return self._known[0].size // self.alphas[0].size

    def _make_batch(self, counts: sparse.csr_array, candidates: Candidates | None, groups: Groups | None) -> _Batch:
        """Put the documents in the order of their groups and give each its random key."""
        group_starts = np.arange(counts.shape[0] + 1, dtype=np.int64)
        if candidates is not None and groups is not None:
            counts = sparse.csr_array(counts[groups.order])
            starts, places = _permuted_places(candidates.starts, groups.order)
            candidates = Candidates(starts, candidates.documents[places], candidates.gamma[places])
            groups = groups._replace(rows=groups.rows[places])
            group_starts = groups.starts
        indices = counts.indices.astype(np.int32, copy=False)
        rows = indices if self.vocabulary is None else np.searchsorted(self.vocabulary, indices).astype(np.int32)
        starts, documents = (group_starts, np.zeros(0, np.int64)) if candidates is None else candidates[:2]
        keys = np.empty(counts.shape[0], np.uint64)
        data = counts.data.astype(self._count_type)
        begins = counts.indptr.astype(np.int64)
        make_keys(self._key, begins, indices, data, group_starts, starts, documents, self._n_known, keys)
        return _Batch(counts, rows, keys, group_starts, candidates, groups)

    def _fold(self, number: int, batch: _Batch, n_sweeps: int, executor: Executor) -> Folded:
        """Return what is found of each document under one sample, in the order of the groups."""
        if batch.candidates is None and not self.real:
            found_there = executor.fold_in(self._new_documents(number, batch, n_sweeps))
            if found_there is not None:
                return Folded(found_there, np.zeros((batch.keys.size, 0)), np.zeros(0))
        tables = FoldTables(
            self.n_topics, self.real, n_sweeps, self.alphas[number], self.words[number], self._known[number]
        )
        n_groups = batch.group_starts.size - 1
        chunks = [self._cut(batch, first, min(first + _CHUNK, n_groups)) for first in range(0, n_groups, _CHUNK)]
        work = float(batch.counts.data.sum()) * (n_sweeps + 1) * self.alphas[number].size
        found = executor.spread(fold_chunk, tables, chunks, work)
        folded = join_chunks(found, self.n_topics)
        if batch.candidates is not None:
            folded.proportions[:] /= folded.proportions.sum(axis=1, keepdims=True)  # candidates are weighed in float32
        return folded

    def _new_documents(self, number: int, batch: _Batch, n_sweeps: int) -> NewDocuments:
        """Return the documents and the tables of one sample."""
        return NewDocuments(
            batch.counts.indptr.astype(np.int64, copy=False),
            batch.rows,
            batch.counts.data.astype(np.int32, copy=False),
            batch.keys,
            self.n_topics,
            n_sweeps,
            self.alphas[number],
            self.words[number],
        )

    def _cut(self, batch: _Batch, first: int, last: int) -> Chunk:
        """Return the documents of some groups; its arrays are views."""
        begin, end = int(batch.group_starts[first]), int(batch.group_starts[last])
        starts = batch.counts.indptr[begin : end + 1].astype(np.int64)
        own = slice(starts[0], starts[-1])
        sources = None
        if batch.candidates is not None and batch.groups is not None:
            candidate_starts = batch.candidates.starts[begin : end + 1]
            candidates = slice(candidate_starts[0], candidate_starts[-1])
            row_starts = batch.groups.row_starts[first : last + 1]
            sources = ChunkSources(
                candidate_starts - candidate_starts[0],
                batch.groups.rows[candidates],
                batch.candidates.gamma[candidates],
                row_starts - row_starts[0],
                batch.groups.row_documents[row_starts[0] : row_starts[-1]],
            )
        return Chunk(
            starts - starts[0],
            batch.rows[own],
            batch.counts.data[own],
            batch.keys[begin:end],
            batch.group_starts[first : last + 1] - begin,
            sources,
        )


def pad_topics(values: np.ndarray, width: int) -> np.ndarray:
    """Return an array as aligned float32 whose last axis, the topics, is padded with zeros."""
    padded = aligned_zeros((*values.shape[:-1], width))
    padded[..., : values.shape[-1]] = values
    return padded


def _drawn(sample: Sample) -> np.ndarray:
    assert sample.drawn_topics is not None
    return sample.drawn_topics.toarray()


def _permuted_places(starts: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where documents' entries begin when documents stand in another order, and which entry stands where."""
    sizes = np.diff(starts)[order]
    moved = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return moved, np.arange(moved[-1]) + np.repeat(starts[:-1][order] - moved[:-1], sizes)


def _reorder(folded: Folded, candidates: Candidates, groups: Groups) -> Folded:
    """Return what was found in the order of the groups in the order of the documents."""
    back = np.argsort(groups.order)
    _, places = _permuted_places(candidates.starts, groups.order)
    influence = np.empty_like(folded.influence)
    influence[places] = folded.influence
    return Folded(folded.proportions[back], folded.own[back], influence)
