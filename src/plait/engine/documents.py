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
    ranked_lengths : array of float64 or None, default None
        The lengths, with the counts of a document added by rank: sums of fractions depend on the order in their last
        digits. None if they are the same.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        lengths: np.ndarray,
        order: np.ndarray,
        ranked_lengths: np.ndarray | None = None,
    ) -> None:
        self.shape = shape
        self.lengths = lengths
        self.order = order
        self.ranked_lengths = lengths if ranked_lengths is None else ranked_lengths

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
    lengths : array of float64 or None, default None
        Number of tokens of each document; None for the sums of these counts.
    """

    def __init__(
        self, counts: sparse.csr_array, order: np.ndarray | None = None, lengths: np.ndarray | None = None
    ) -> None:
        ranked = _lengths(counts)
        order = np.arange(counts.shape[1]) if order is None else order
        super().__init__(counts.shape, ranked if lengths is None else lengths, order, ranked)
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
            self.ranked_lengths[first:last],
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
        lengths = counts.lengths.astype(np.float64)
        super().__init__(counts.shape, lengths, order, self._ranked_lengths(counts))
        self._counts = counts

    def _ranked_lengths(self, counts: StoredCounts) -> np.ndarray | None:
        """Return the lengths of fractional counts, added by rank; None for whole counts, whose sums are exact."""
        if counts.lengths.dtype.kind != "f":
            return None
        parts = [_lengths(_rank_block(block, self._rank)) for _, block in counts.blocks(0, counts.shape[0])]
        return np.concatenate(parts)

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
        ranked = _rank_block(block, rank)
        lengths = _lengths(ranked)
        expected = counts.lengths[first:last].astype(np.float64)
        # Of a forged file: kernels rely on the number of tokens. Sums of fractions depend on their order.
        if not (np.array_equal if block.data.dtype.kind != "f" else np.allclose)(lengths, expected):
            raise damaged(counts.folder, f"documents {first:,} to {last - 1:,} have other sizes than in its list")
        arrays = (ranked.indptr, ranked.indices, ranked.data)
        documents = _make_documents(arrays, lengths, self._words, counts.shape[1], first, self._state_form)
        if documents.words.min(initial=0) < 0:
            raise damaged(counts.folder, "a document has a word that it did not have when the fit was started")
        return documents


def ranked_counts(counts: sparse.csr_array | StoredCounts) -> RankedCounts:
    """Return counts in the columns of a corpus with words by falling frequency."""
    if isinstance(counts, StoredCounts):
        return StoredRankedCounts(counts)
    return MatrixCounts(*rank_words(counts), _lengths(counts))


def _lengths(counts: sparse.csr_array) -> np.ndarray:
    """Return the sum of every row, added in the order of its entries."""
    return np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()


def _rank_block(block: sparse.csr_array, rank: np.ndarray) -> sparse.csr_array:
    """Return counts with their columns replaced by ranks, sorted."""
    ranked = sparse.csr_array((block.data, rank[block.indices], block.indptr), shape=block.shape)
    ranked.sort_indices()
    return ranked


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
