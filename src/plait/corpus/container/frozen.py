"""Arrays and sparse matrices that refuse to be changed, so that a corpus can be shared safely."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array


class FrozenCsr(csr_array):
    """A `csr_array` that refuses assignment while its buffers are read-only; its copies are ordinary ones."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.data.flags.writeable:
            raise ValueError("this matrix belongs to a corpus and cannot be changed; change a .copy() of it")
        super().__setitem__(key, value)


def frozen_array(values: np.ndarray) -> np.ndarray:
    """A read-only array with these values that nobody else can write to."""
    # A read-only array that owns its buffer was frozen by us; any other may still be written by its owner.
    if values.flags.writeable or values.base is not None:
        values = values.copy()
        values.setflags(write=False)
    return values


def frozen_texts(values: Any) -> np.ndarray:
    """A read-only object array of these strings."""
    if isinstance(values, np.ndarray) and values.dtype == object and not values.flags.writeable:
        return frozen_array(values)
    values = list(values)
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    texts.setflags(write=False)
    return texts


def frozen_csr(matrix: csr_array) -> FrozenCsr:
    """A read-only matrix with these entries, in canonical form: sorted, no duplicates, no explicit zeros."""
    if not (matrix.has_canonical_format and matrix.data.all()):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    frozen = FrozenCsr(matrix.shape, dtype=matrix.dtype)
    frozen.data = frozen_array(matrix.data)
    # One index type for every corpus that fits it: half the memory, and compiled code meets one type only.
    small = max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max
    frozen.indices, frozen.indptr = (
        frozen_array(part.astype(np.int32 if small else np.int64, copy=False))
        for part in (matrix.indices, matrix.indptr)
    )
    frozen.has_canonical_format = True  # said here, so that nobody tries to sort read-only buffers
    return frozen


def give_away(matrix: csr_array) -> csr_array:
    """Mark a matrix that its maker will not touch again, so that freezing it needs no copy."""
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.setflags(write=False)
    return matrix
