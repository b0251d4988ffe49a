"""The counts of a fit, words ranked by falling frequency: in memory, or in the files of a prepared corpus.

A chain needs the length of every document and the words of every run of documents; a shard needs the counts of its
own run. Counts in memory are copied to the shards when these are made. Of a prepared corpus a shard gets the folder and
its run, and reads its documents where it lives: the process of the chain never holds the counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import scipy.sparse as sparse

from plait.corpus.prepared.counts import StoredCounts
from plait.corpus.prepared.files import damaged
from plait.engine.assignments import STATES
from plait.samplers.base import Documents


def rank_order(frequency: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return words by falling frequency, and the rank of each word."""
    order = np.argsort(-frequency.astype(np.float64), kind="stable")
    rank = np.empty(frequency.size, dtype=np.int32)
    rank[order] = np.arange(frequency.size, dtype=np.int32)
    return order, rank


def rank_words(counts: sparse.csr_array) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts with words by falling frequency, whose rows then lie together, and the word of each column."""
    order, rank = rank_order(np.asarray(counts.sum(axis=0)).ravel())
    ranked = sparse.csr_array((counts.data, rank[counts.indices], counts.indptr), shape=counts.shape, copy=True)
    ranked.sort_indices()
    return ranked, order


class RankedCounts(ABC):
    """Counts of documents × words, words by falling frequency.

    Parameters
    ----------
    shape : tuple of (int, int)
        Number of documents and of words.
    lengths : array of float64
        Number of tokens of each document.
    order : array of int64
        Word of the corpus for each rank.
    """

    def __init__(self, shape: tuple[int, int], lengths: np.ndarray, order: np.ndarray) -> None:
        self.shape = shape
        self.lengths = lengths
        self.order = order

    @abstractmethod
    def present(self, first: int, last: int) -> np.ndarray:
        """Return the ranks of the words that occur in documents `first` up to `last`, sorted."""

    @abstractmethod
    def documents(self, run: tuple[int, int], words: np.ndarray, state_form: str) -> Documents | StoredDocuments:
        """Return the documents of a shard, or what reads them.

        Parameters
        ----------
        run : tuple of (int, int)
            The first document, and the one after the last.
        words : array of int64
            Rank of the word of each row of the shard's table.
        state_form : str
            Form of the state of the sampler, which decides the types.
        """


class MatrixCounts(RankedCounts):
    """Counts in memory.

    Parameters
    ----------
    counts : csr_array
        Columns are ranks, sorted in each row.
    order : array of int64 or None, default None
        Word of the corpus for each rank; None if words are numbered so.
    """

    def __init__(self, counts: sparse.csr_array, order: np.ndarray | None = None) -> None:
        lengths = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        super().__init__(counts.shape, lengths, np.arange(counts.shape[1]) if order is None else order)
        self._counts = counts

    def present(self, first: int, last: int) -> np.ndarray:
        """Return the ranks of the words of some documents."""
        counts = self._counts
        return np.unique(counts.indices[counts.indptr[first] : counts.indptr[last]])

    def documents(self, run: tuple[int, int], words: np.ndarray, state_form: str) -> Documents:
        """Return the documents of a shard."""
        counts, (first, last) = self._counts, run
        begin, end = counts.indptr[first], counts.indptr[last]
        return _make_documents(
            (counts.indptr[first : last + 1] - begin, counts.indices[begin:end], counts.data[begin:end]),
            self.lengths[first:last],
            words,
            counts.shape[1],
            first,
            state_form,
        )


class StoredRankedCounts(RankedCounts):
    """Counts in the files of a prepared corpus; the words of all runs take one pass over the files.

    Parameters
    ----------
    counts : StoredCounts
        The counts in the columns of the corpus.
    """

    def __init__(self, counts: StoredCounts) -> None:
        order, self._rank = rank_order(counts.totals)
        super().__init__(counts.shape, counts.lengths.astype(np.float64), order)
        self._counts = counts

    def present(self, first: int, last: int) -> np.ndarray:
        """Return the ranks of the words of some documents."""
        occurs = np.zeros(self.shape[1], dtype=bool)
        for _, block in self._counts.blocks(first, last):
            occurs[self._rank[block.indices]] = True
        return np.flatnonzero(occurs)

    def documents(self, run: tuple[int, int], words: np.ndarray, state_form: str) -> StoredDocuments:
        """Return what reads the documents of a shard."""
        return StoredDocuments(self._counts, run, words, state_form)


class StoredDocuments:
    """A run of documents of a prepared corpus; its pickle has the folder, the run and the words of the shard's table.

    Parameters
    ----------
    counts : StoredCounts
        The counts of the corpus.
    run, words, state_form : object
        As in `RankedCounts.documents`.
    """

    def __init__(self, counts: StoredCounts, run: tuple[int, int], words: np.ndarray, state_form: str) -> None:
        self._counts = counts
        self._run = run
        self._words = words
        self._state_form = state_form

    def read(self) -> Documents:
        """Return the documents."""
        (first, last), counts = self._run, self._counts
        block = counts.read(first, last)
        _, rank = rank_order(counts.totals)
        ranked = sparse.csr_array((block.data, rank[block.indices], block.indptr), shape=block.shape)
        ranked.sort_indices()
        lengths = counts.lengths[first:last].astype(np.float64)
        found = np.asarray(ranked.sum(axis=1), dtype=np.float64).ravel()
        if not np.array_equal(found, lengths):  # of a forged file: kernels rely on the number of tokens
            raise damaged(counts.folder, f"documents {first:,} to {last - 1:,} have other sizes than in its list")
        arrays = (ranked.indptr, ranked.indices, ranked.data)
        documents = _make_documents(arrays, lengths, self._words, counts.shape[1], first, self._state_form)
        if documents.words.min(initial=0) < 0:
            raise damaged(counts.folder, "a document has a word that it did not have when the fit was started")
        return documents


def ranked_counts(counts: sparse.csr_array | StoredCounts) -> RankedCounts:
    """Return counts in the columns of a corpus with words by falling frequency."""
    return StoredRankedCounts(counts) if isinstance(counts, StoredCounts) else MatrixCounts(*rank_words(counts))


def _make_documents(
    arrays: tuple[np.ndarray, np.ndarray, np.ndarray],
    lengths: np.ndarray,
    words: np.ndarray,
    n_words: int,
    first: int,
    state_form: str,
) -> Documents:
    """Return the documents of a shard from the starts, ranks and counts of its rows."""
    starts, ranks, counts = arrays
    row_of = np.full(n_words, -1, dtype=np.int32)
    row_of[words] = np.arange(words.size)
    state = STATES[state_form]
    return Documents(
        starts=starts.astype(np.int64),
        words=row_of[ranks],
        counts=counts.astype(state.count_type),
        offsets=np.concatenate([[0.0], np.cumsum(lengths)]).astype(state.offset_type),
        first=first,
    )
