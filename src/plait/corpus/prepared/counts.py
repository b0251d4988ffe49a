"""StoredCounts: the counts of a prepared corpus, read chunk by chunk where they are needed.

It has the few methods of a sparse matrix that a fit uses, so that nothing else asks where counts are. Its pickle is the
folder and the digest of the manifest: a worker opens the files itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from plait._utils.arrays import NUMBER, WHOLE, check_csr_parts
from plait.corpus.numbers import LARGEST_COUNT
from plait.corpus.prepared.files import damaged, read_arrays, take_array
from plait.corpus.prepared.manifest import Manifest, read_manifest
from plait.corpus.problems import CorpusError
from plait.errors import PlaitError


class StoredCounts:
    """Counts of documents × words in the files of a prepared corpus.

    Parameters
    ----------
    folder : Path
        The folder.
    manifest : Manifest
        Its manifest.
    real : bool, default False
        Whether counts are returned as float64; otherwise in the type in which they are stored.
    """

    ndim = 2

    def __init__(self, folder: Path, manifest: Manifest, real: bool = False) -> None:
        self.folder = folder
        self.manifest = manifest
        self.real = real
        self.shape = (manifest.n_documents, manifest.n_words)
        self.nnz = manifest.n_entries
        self._ends = np.cumsum([0, *(one.n_documents for one in manifest.words)])
        self._last_chunk: tuple[int, csr_array] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return open_counts, (str(self.folder.absolute()), self.manifest.digest, self.real)

    def __repr__(self) -> str:
        return f"StoredCounts({self.shape[0]:,} documents, {self.shape[1]:,} words, {self.folder})"

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the counts."""
        return np.dtype(np.float64 if self.real or self.manifest.fractional else np.int32)

    def as_real(self) -> StoredCounts:
        """Return the same counts as float64.

        Returns
        -------
        StoredCounts
            The counts.
        """
        return StoredCounts(self.folder, self.manifest, real=True)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Number of tokens of each document, in the type of a sum of counts."""
        return self._document_sizes("lengths", NUMBER)

    @cached_property
    def entries(self) -> np.ndarray:
        """Number of distinct words of each document."""
        return self._document_sizes("entries", WHOLE)

    def _document_sizes(self, name: str, kinds: str) -> np.ndarray:
        record = self.manifest.sizes
        arrays = read_arrays(self.folder, record)
        return take_array(self.folder / record.name, arrays, name, (self.shape[0],), kinds, least=0)

    @cached_property
    def totals(self) -> np.ndarray:
        """Number of tokens of each word."""
        return self._word_sizes("totals", NUMBER)

    @cached_property
    def document_frequencies(self) -> np.ndarray:
        """Number of documents of each word."""
        return self._word_sizes("documents", WHOLE)

    def _word_sizes(self, name: str, kinds: str) -> np.ndarray:
        record = self.manifest.vocabulary
        arrays = read_arrays(self.folder, record)
        return take_array(self.folder / record.name, arrays, name, (self.shape[1],), kinds, least=0)

    def sum(self, axis: int | None = None, dtype: Any = None) -> Any:
        """Return the sum of all counts, of each row or of each column, without reading the counts.

        Parameters
        ----------
        axis : {0, 1} or None, default None
            0 for words, 1 for documents, None for everything.
        dtype : dtype, optional
            Type of the result; None for int64, or float64 for fractions.

        Returns
        -------
        number or ndarray
            The sums.
        """
        kind = np.dtype(np.float64 if self.dtype.kind == "f" else np.int64) if dtype is None else np.dtype(dtype)
        if axis is None:
            return self.lengths.sum(dtype=kind)
        return (self.lengths if axis in (1, -1) else self.totals).astype(kind)

    def read(self, first: int, last: int) -> csr_array:
        """Return the counts of consecutive documents.

        Parameters
        ----------
        first, last : int
            The first document, and the one after the last.

        Returns
        -------
        csr_array of shape (last - first, words)
            The counts; columns of a row are sorted.
        """
        blocks = [matrix for _, matrix in self.blocks(first, last)]
        if len(blocks) == 1:
            return blocks[0]
        if not blocks:
            return csr_array((0, self.shape[1]), dtype=self.dtype)
        return _join(blocks)

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[tuple[int, csr_array]]:
        """Yield the counts of consecutive documents, one chunk at a time.

        Parameters
        ----------
        first : int, default 0
            The first document.
        last : int or None, default None
            The document after the last; None for all.

        Yields
        ------
        first : int
            The first document of the block.
        counts : csr_array
            Its counts.
        """
        last = self.shape[0] if last is None else last
        number = int(np.searchsorted(self._ends, first, side="right")) - 1
        while first < last:
            begin, end = int(self._ends[number]), int(self._ends[number + 1])
            chunk = self._chunk(number)
            stop = min(end, last)
            if stop > first:
                yield first, chunk if (first, stop) == (begin, end) else chunk[first - begin : stop - begin]
            first, number = stop, number + 1

    def _chunk(self, number: int) -> csr_array:
        """Return one chunk; the last one is kept, because documents are often read one after the other."""
        kept = self._last_chunk  # read once: another thread may replace it
        if kept is None or kept[0] != number:
            kept = self._last_chunk = (number, self._read_chunk(number))
        chunk = kept[1]
        return chunk.astype(np.float64) if self.real and chunk.dtype != np.float64 else chunk

    def _read_chunk(self, number: int) -> csr_array:
        """Return one chunk after its digest, sizes, columns and counts were checked."""
        n_documents, n_entries, record = self.manifest.words[number]
        path = self.folder / record.name
        arrays = read_arrays(self.folder, record)
        starts = take_array(path, arrays, "starts", (n_documents + 1,), WHOLE, least=0)
        words = take_array(path, arrays, "words", (n_entries,), WHOLE)
        kinds, most = ("f", None) if self.manifest.fractional else (WHOLE, LARGEST_COUNT)
        counts = take_array(path, arrays, "counts", (n_entries,), kinds, least=0, most=most)
        try:
            check_csr_parts("counts", counts, words, starts, (n_documents, self.shape[1]))
        except PlaitError as error:
            raise damaged(path, str(error)) from error
        follows = np.ones(max(n_entries, 1), dtype=bool)
        follows[1:n_entries] = words[1:] > words[:-1]
        follows[starts[:-1][starts[:-1] < n_entries]] = True
        if not follows.all() or not counts.all():
            raise damaged(path, "the words of a document are not sorted, or a count is 0")
        # Everything was checked, so SciPy need not check it again.
        chunk = csr_array((n_documents, self.shape[1]), dtype=np.float64 if self.manifest.fractional else np.int32)
        chunk.data = counts.astype(chunk.dtype, copy=False)
        chunk.indices, chunk.indptr = (array.astype(np.int32, copy=False) for array in (words, starts))
        chunk.has_canonical_format = True
        return chunk

    def __getitem__(self, rows: Any) -> csr_array:
        """Return the counts of some documents, in the order in which they are named."""
        if isinstance(rows, tuple):
            raise CorpusError("counts of a prepared corpus are read by documents; use corpus.counts[rows, columns]")
        if isinstance(rows, int | np.integer):
            return self.read(int(rows) % self.shape[0], int(rows) % self.shape[0] + 1)[0]
        chosen = np.arange(self.shape[0])[rows]
        if chosen.size == 0:
            return csr_array((0, self.shape[1]), dtype=self.dtype)
        if (np.diff(chosen) == 1).all():
            return self.read(int(chosen[0]), int(chosen[-1]) + 1)
        order = np.argsort(chosen, kind="stable")
        wanted, blocks = chosen[order], []
        place = np.searchsorted(self._ends, wanted, side="right") - 1
        for number in np.unique(place):
            blocks.append(self._chunk(int(number))[wanted[place == number] - self._ends[number]])
        back = np.empty_like(order)
        back[order] = np.arange(order.size)
        joined = _join(blocks)
        return joined if (order == np.arange(order.size)).all() else joined[back]

    def tocsr(self) -> csr_array:
        """Return all counts in memory.

        Returns
        -------
        csr_array of shape (documents, words)
            The counts.
        """
        return self.read(0, self.shape[0])


def _join(blocks: list[csr_array]) -> csr_array:
    joined = csr_array(vstack(blocks, "csr"))
    joined.has_canonical_format = True
    return joined


def open_counts(folder: str, digest: str, real: bool = False) -> StoredCounts:
    """Return the counts of a prepared corpus where they are needed, such as in a worker on another machine.

    Parameters
    ----------
    folder : str
        The folder.
    digest : str
        Digest of the manifest that the fit was started with.
    real : bool, default False
        As in `StoredCounts`.

    Returns
    -------
    StoredCounts
        The counts.
    """
    path = Path(folder)
    if not path.is_dir():
        raise CorpusError(
            f"there is no folder {folder} on this machine; put the prepared corpus on storage that all workers share, "
            "under the same path",
            place=folder,
        )
    manifest = read_manifest(path)
    if manifest.digest != digest:
        raise CorpusError(
            f"{folder} is not the corpus that the fit was started with: it was changed, or this machine has another "
            "folder of the same name; give all workers the same files",
            place=folder,
        )
    return StoredCounts(path, manifest, real)


class CountsDigest:
    """Digest of counts that are added block by block; equal for equal counts, wherever they are."""

    def __init__(self) -> None:
        self._parts = [hashlib.blake2b(digest_size=16) for _ in range(3)]

    def add(self, counts: csr_array) -> None:
        """Add the counts of further documents.

        Parameters
        ----------
        counts : csr_array
            Counts, columns of a row sorted.
        """
        arrays = (np.diff(counts.indptr).astype("<i8"), counts.indices.astype("<i8"), counts.data.astype("<f8"))
        for part, array in zip(self._parts, arrays, strict=True):
            part.update(array.data)

    def hexdigest(self) -> str:
        """Return the digest of all counts so far, in hexadecimal."""
        whole = hashlib.blake2b(digest_size=16)
        for part in self._parts:
            whole.update(part.digest())
        return whole.hexdigest()
