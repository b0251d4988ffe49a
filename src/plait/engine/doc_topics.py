"""Topic proportions of training documents, kept as sparse counts summed over samples.

A document has few topics, so the sums take a fraction of the memory of the proportions, a dense matrix of documents ×
topics. Proportions are computed when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.arrays import check_array, check_counts
from plait.errors import PlaitError

_BLOCK = 1 << 16  # documents whose proportions are computed at a time


def smooth_counts(count_sum: sparse.csr_array, alpha: np.ndarray, n_samples: int) -> np.ndarray:
    """Return the proportions of topics per document, from counts summed over samples."""
    smoothed = count_sum.toarray() / n_samples + alpha
    smoothed /= smoothed.sum(axis=1, keepdims=True)
    return smoothed


def sparse_rows(counts: np.ndarray) -> sparse.csr_array:
    """Return a matrix of counts as a sparse one, in half the time of SciPy's own conversion.

    Examples
    --------
    >>> sparse_rows(np.array([[0, 2, 1], [0, 0, 0]])).indices.tolist()
    [1, 2]
    """
    n_rows, n_columns = counts.shape
    places = np.flatnonzero(counts)
    kind = np.int32 if max(places.size, n_columns) < 2**31 else np.int64
    starts = np.concatenate([[0], np.cumsum(np.count_nonzero(counts, axis=1))]).astype(kind)
    columns = (places % n_columns).astype(kind) if n_columns else places.astype(kind)
    return sparse.csr_array((counts.ravel()[places], columns, starts), shape=(n_rows, n_columns))


def stack_rows(parts: list[sparse.csr_array]) -> sparse.csr_array:
    """Return the rows of several sparse arrays, one after the other; the list is emptied to save memory."""
    n_rows, n_columns = sum(one.shape[0] for one in parts), parts[0].shape[1]
    ends = np.cumsum([0, *(one.nnz for one in parts)])
    kind = np.int32 if max(int(ends[-1]), n_columns) < 2**31 else np.int64
    starts = [one.indptr[:-1].astype(kind) + kind(end) for one, end in zip(parts, ends[:-1], strict=True)]
    indptr = np.concatenate([*starts, ends[-1:].astype(kind)])
    data, indices = [one.data for one in parts], [one.indices for one in parts]
    parts.clear()
    arrays = []
    for found in (data, indices):
        arrays.append(np.concatenate(found))
        found.clear()
    return sparse.csr_array((arrays[0], arrays[1].astype(kind, copy=False), indptr), shape=(n_rows, n_columns))


@dataclass(frozen=True, eq=False)
class DocTopicSums:
    """Document–topic counts summed over samples, for each group of chains whose topics are shown.

    Parameters
    ----------
    sums : list of csr_array (documents, topics)
        The sums.
    alphas : list of ndarray
        α of each group.
    n_samples : list of int
        Number of samples of each group.
    """

    sums: list[sparse.csr_array]
    alphas: list[np.ndarray]
    n_samples: list[int]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and of topics."""
        return self.sums[0].shape[0], sum(one.shape[1] for one in self.sums)

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield the proportions of consecutive documents with their rows."""
        n_documents = self.shape[0]
        for first in range(0, n_documents, _BLOCK):
            rows = slice(first, min(first + _BLOCK, n_documents))
            whole = rows.stop - first == n_documents  # most corpora need no copy
            parts = [
                smooth_counts(one if whole else one[rows], alpha, number)
                for one, alpha, number in zip(self.sums, self.alphas, self.n_samples, strict=True)
            ]
            yield rows, np.concatenate(parts, axis=1) / len(parts)

    @cached_property
    def proportions(self) -> np.ndarray:
        """Proportions of topics, documents × topics; kept after the first use, but not in a pickle or a file."""
        dense = np.empty(self.shape)
        for rows, block in self.blocks():
            dense[rows] = block
        return dense

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "proportions"}

    def check_sizes(self, n_topics: int) -> None:
        """Raise an error unless the parts agree with each other: they may come from a file.

        Parameters
        ----------
        n_topics : int
            Number of topics of each group.
        """
        if not self.sums or not len(self.sums) == len(self.alphas) == len(self.n_samples):
            raise PlaitError("the topics of documents are not one sum, alpha and number of samples per group")
        if min(self.n_samples) < 1:
            raise PlaitError(f"the topics of documents are sums over {min(self.n_samples)} samples")
        for one, alpha in zip(self.sums, self.alphas, strict=True):
            check_counts("document–topic counts", one, (self.sums[0].shape[0], n_topics))
            check_array("alpha of document–topic counts", alpha, (n_topics,), least=0)


def as_proportions(topics: DocTopicSums | np.ndarray) -> np.ndarray:
    """Return topic proportions, documents × topics."""
    return topics.proportions if isinstance(topics, DocTopicSums) else topics


def weigh_topics(topics: DocTopicSums | np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the share of each topic in all tokens, without holding the proportions of all documents."""
    if isinstance(topics, np.ndarray):
        return lengths @ topics / lengths.sum()
    total = np.zeros(topics.shape[1])
    for rows, block in topics.blocks():
        total += lengths[rows] @ block
    return total / lengths.sum()
