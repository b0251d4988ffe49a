"""Read-only arrays and sparse matrices, so that a corpus can be shared safely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array


class FrozenCsr(csr_array):
    """A `csr_array` that rejects assignment while its buffers are read-only. Copies of it can be changed."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.data.flags.writeable:
            raise ValueError("this matrix belongs to a corpus and cannot be changed; change a .copy() of it")
        super().__setitem__(key, value)


class FrozenMapping(Mapping[str, Any]):
    """A read-only mapping that, unlike a mapping proxy, can be pickled.

    Parameters
    ----------
    values : mapping of str to object
        The values by name; they are copied, not what they refer to.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self))})"


def frozen_array(values: np.ndarray) -> np.ndarray:
    """Return a read-only array with these values that no other owner can write to.

    Parameters
    ----------
    values : array
        The values; they are copied unless the array is read-only and owns its buffer.

    Returns
    -------
    array
        The read-only array.
    """
    # A read-only array that owns its buffer was frozen by us; any other may still be written by its owner.
    if values.flags.writeable or values.base is not None:
        values = values.copy()
        values.setflags(write=False)
    return values


def frozen_texts(values: Any) -> np.ndarray:
    """Return a read-only object array of strings.

    Parameters
    ----------
    values : iterable of str
        The strings.

    Returns
    -------
    object array of str
        The read-only array.
    """
    if isinstance(values, np.ndarray) and values.dtype == object and not values.flags.writeable:
        return frozen_array(values)
    values = list(values)
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    texts.setflags(write=False)
    return texts


def frozen_csr(matrix: csr_array) -> FrozenCsr:
    """Return a read-only matrix in canonical form: sorted indices, no duplicates, no explicit zeros.

    Parameters
    ----------
    matrix : csr_array
        The entries.

    Returns
    -------
    FrozenCsr
        The read-only matrix.
    """
    if not (matrix.has_canonical_format and matrix.data.all()):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    frozen = FrozenCsr(matrix.shape, dtype=matrix.dtype)
    frozen.data = frozen_array(matrix.data)
    # int32 indices where they fit: half the memory, and kernels are compiled for one index type.
    small = max(matrix.nnz, *matrix.shape) <= np.iinfo(np.int32).max
    frozen.indices, frozen.indptr = (
        frozen_array(indices.astype(np.int32 if small else np.int64, copy=False))
        for indices in (matrix.indices, matrix.indptr)
    )
    frozen.has_canonical_format = True  # set here, because SciPy cannot sort read-only buffers
    return frozen


def release(matrix: csr_array) -> csr_array:
    """Make the buffers of a new matrix read-only, so that `frozen_csr` need not copy them.

    Parameters
    ----------
    matrix : csr_array
        A matrix that the caller will not change any more.

    Returns
    -------
    csr_array
        The same matrix.
    """
    for buffer in (matrix.data, matrix.indices, matrix.indptr):
        buffer.setflags(write=False)
    return matrix
