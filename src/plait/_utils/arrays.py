"""Arrays: checks of those that come from a file, before compiled code uses their numbers; memory of lasting ones.

Compiled code does not check its indices, so each check covers what such code relies on: the type, the shape, finite
numbers and their range. Numbers are read once where that is possible, so that checking a model costs little compared
with computing its digests.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import DTypeLike

from plait.errors import PlaitError

_PRIVATE: Any = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}  # not Windows
_SCRATCH = threading.local()
_OWN_PAGES = 1 << 18  # bytes from which an array gets pages of its own
WHOLE, NUMBER, FLOAT = "iu", "iuf", "f"  # kinds of types, as in `dtype.kind`
_BLOCK = 1 << 15  # numbers that are reduced together, so that a second pass finds them in the cache
_KINDS = {WHOLE: "whole numbers", NUMBER: "numbers", FLOAT: "real numbers"}
_ROUNDING = 1e-3  # real-valued counts may be negative by this fraction of the largest count, because of rounding


def lasting_array(size: int, dtype: DTypeLike) -> np.ndarray:
    """Return an array of zeros for numbers that are kept long, beside the memory of short-lived arrays.

    The allocator would place it into the gaps that larger short-lived arrays have left, and the next of these would not
    fit there any more: with many shards the process then needs twice the memory. So a large one has pages of its own.

    Parameters
    ----------
    size : int
        Number of entries.
    dtype : dtype
        Their type.

    Examples
    --------
    >>> lasting_array(3, np.int32)
    array([0, 0, 0], dtype=int32)
    """
    n_bytes = size * np.dtype(dtype).itemsize
    if n_bytes < _OWN_PAGES:
        return np.zeros(size, dtype)
    return np.frombuffer(mmap.mmap(-1, n_bytes, **_PRIVATE), dtype)


def scratch_array(name: str, size: int, dtype: DTypeLike) -> np.ndarray:
    """Return working memory of this thread, which the next call for the same name returns again.

    Arrays of 100 KB that are allocated and freed for every block of a long computation keep threads waiting for each
    other: the allocator gives their pages back and asks for them again.

    Parameters
    ----------
    name : str
        What it is used for.
    size : int
        Number of entries; their values are not set.
    dtype : dtype
        Their type.

    Examples
    --------
    >>> first = scratch_array("example", 3, np.float64)
    >>> np.shares_memory(first, scratch_array("example", 2, np.float64))
    True
    """
    rooms = _SCRATCH.__dict__
    if name not in rooms or rooms[name].size < size or rooms[name].dtype != dtype:
        rooms[name] = np.empty(size, dtype)
    return rooms[name][:size]


def check_array(
    what: str,
    value: Any,
    shape: Sequence[int | None],
    kinds: str = FLOAT,
    *,
    least: float | None = None,
    most: float | None = None,
    finite: bool = True,
) -> None:
    """Raise an error unless a value is an array of finite numbers with the given type, shape and range.

    Parameters
    ----------
    what : str
        Name of the array, for error messages.
    value : object
        The value.
    shape : sequence of int or None
        Expected shape; None for any length.
    kinds : str, default "f"
        Accepted kinds of types, as in `dtype.kind`.
    least, most : float or None, default None
        Smallest and largest accepted number.
    finite : bool, default True
        Whether NaN and infinite numbers are rejected; if not, the numbers are not read at all.

    Examples
    --------
    >>> check_array("topics", np.array([0, 7]), (None,), "iu", least=0, most=2)
    Traceback (most recent call last):
    plait.errors.PlaitError: topics has 7, which is more than 2
    """
    _check_type(what, value, kinds)
    _check_shape(what, value, shape)
    if finite:
        _check_range(what, value, least, most)


def check_counts(what: str, value: Any, shape: Sequence[int | None]) -> None:
    """Raise an error unless a value is a dense or sparse array of counts with the given shape.

    Parameters
    ----------
    what : str
        Name of the array, for error messages.
    value : object
        The value. Real-valued counts may be slightly negative, because of rounding.
    shape : sequence of int or None
        Expected shape; None for any length.
    """
    if isinstance(value, sparse.csr_array):
        check_csr(what, value, shape, counts=True)
        return
    check_array(what, value, shape, NUMBER, finite=False)
    _check_counts(what, value)


def check_csr(what: str, value: Any, shape: Sequence[int | None], *, counts: bool = False) -> None:
    """Raise an error unless a value is a sparse array of finite numbers with the given shape.

    Its rows and columns are not compared with its own shape: `check_csr_parts` does so before it is made.

    Parameters
    ----------
    what : str
        Name of the array, for error messages.
    value : object
        The value.
    shape : sequence of int or None
        Expected shape; None for any length.
    counts : bool, default False
        Whether numbers must not be negative.
    """
    if not isinstance(value, sparse.csr_array) or value.ndim != 2:
        raise PlaitError(f"{what} is {_kind_of(value)}, not a sparse matrix")
    _check_shape(what, value, shape)
    _check_type(what, value.data, NUMBER)
    if counts:
        _check_counts(what, value.data)
    else:
        _check_range(what, value.data, None, None)


def check_csr_parts(
    what: str, data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, ...]
) -> None:
    """Raise an error unless three arrays are a sparse array of a shape in compressed rows.

    Parameters
    ----------
    what : str
        Name of the sparse array, for error messages.
    data, indices, indptr : ndarray
        Numbers, their columns, and where each row begins.
    shape : tuple of int
        Number of rows and of columns.
    """
    n_rows, n_columns = shape
    check_array(f"{what}.indptr", indptr, (n_rows + 1,), WHOLE, finite=False)
    if data.ndim != 1 or indices.shape != data.shape or indptr[0] != 0 or indptr[-1] != data.size:
        raise PlaitError(f"{what} has {data.size:,} numbers, {indices.size:,} columns and rows up to {indptr[-1]}")
    if (indptr[1:] < indptr[:-1]).any():
        raise PlaitError(f"{what} has a row that ends before it begins")
    check_array(f"{what}.indices", indices, (None,), WHOLE, least=0, most=n_columns - 1)


def check_texts(what: str, value: Any, size: int) -> None:
    """Raise an error unless a value is a one-dimensional array of texts.

    Arrays of objects in a file have nothing but texts, so the objects are not looked at.

    Parameters
    ----------
    what : str
        Name of the array, for error messages.
    value : object
        The value.
    size : int
        Expected number of texts.
    """
    _check_type(what, value, "OU")
    if value.shape != (size,):
        raise PlaitError(f"{what} has the shape {value.shape}, not {size:,}")


def _check_type(what: str, value: Any, kinds: str) -> None:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
        raise PlaitError(f"{what} is {_kind_of(value)}, not an array of {_KINDS.get(kinds, 'texts')}")


def _check_shape(what: str, value: Any, shape: Sequence[int | None]) -> None:
    """Raise an error unless an array has a shape; None accepts any length."""
    sizes = dict(enumerate(shape))
    if value.ndim == len(shape) and all(sizes[axis] in (None, own) for axis, own in enumerate(value.shape)):
        return
    wanted = " × ".join("any" if size is None else f"{size:,}" for size in shape) or "one number"
    raise PlaitError(f"{what} has the shape {value.shape}, not {wanted}")


def _kind_of(value: Any) -> str:
    return f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"of the type {type(value).__name__}"


def _check_range(what: str, value: np.ndarray, least: float | None, most: float | None) -> None:
    """Raise an error for numbers that are not finite or out of range."""
    if _is_within(value, least, most):
        return
    low, high = _reduce(np.minimum, value).item(), _reduce(np.maximum, value).item()
    if not (np.isfinite(low) and np.isfinite(high)):
        raise PlaitError(f"{what} has numbers that are NaN or infinite")
    if least is not None and low < least:
        raise PlaitError(f"{what} has {low}, which is less than {least}")
    if most is not None and high > most:
        raise PlaitError(f"{what} has {high}, which is more than {most}")


def _is_within(value: np.ndarray, least: float | None, most: float | None) -> bool:
    """Return True if one pass over an array shows that its numbers are finite and in range."""
    if not value.size:
        return True
    if value.dtype.kind == "f":  # a sum is finite only if all its terms are
        return least is None and most is None and bool(np.isfinite(_reduce(np.add, value)))
    if most is None:
        return least is None or bool(_reduce(np.minimum, value) >= least)
    # As unsigned numbers, negative ones are larger than all others.
    unsigned = value.view(value.dtype.str.replace("i", "u"))
    return least == 0 and 0 <= most <= np.iinfo(value.dtype).max and bool(_reduce(np.maximum, unsigned) <= most)


def _check_counts(what: str, counts: np.ndarray) -> None:
    if counts.dtype.kind != "f":
        _check_range(what, counts, 0, None)
        return
    _check_range(what, counts, None, None)
    low = _reduce(np.minimum, counts) if counts.size else 0.0
    if low < 0 and low < -_ROUNDING * max(_reduce(np.maximum, counts), 1.0):
        raise PlaitError(f"{what} has {low}, but counts are 0 or more")


def _reduce(function: np.ufunc, array: np.ndarray) -> Any:
    """Return the minimum, maximum or sum of an array, NaN if it has a NaN, block by block."""
    flat = array.reshape(-1) if array.flags.c_contiguous else array.T.reshape(-1)
    with np.errstate(all="ignore"):
        return function.reduce([function.reduce(flat[at : at + _BLOCK]) for at in range(0, flat.size, _BLOCK)])
