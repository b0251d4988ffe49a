"""Arrays that begin at a cache line, for rows of topics that are read sixteen numbers at a time.

NumPy's arrays begin at any multiple of sixteen bytes. A block of sixteen float32 numbers would then usually lie in two
cache lines, and the padded row of thirty topics in three instead of two.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import DTypeLike

CACHE_LINE = 64  # bytes


def aligned_zeros(shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> np.ndarray:
    """Return an array of zeros that begins at a cache line.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the array.
    dtype : dtype, default np.float32
        Type of its elements.
    """
    size = math.prod(shape) if isinstance(shape, tuple) else shape
    n_bytes = int(size) * np.dtype(dtype).itemsize
    room = np.zeros(n_bytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    return room[first : first + n_bytes].view(dtype).reshape(shape)


def aligned_copy(values: np.ndarray, dtype: DTypeLike | None = None) -> np.ndarray:
    """Return a copy of an array that begins at a cache line.

    Parameters
    ----------
    values : ndarray
        Array to copy.
    dtype : dtype or None, default None
        Type of the copy; None for that of the array.
    """
    copied = aligned_zeros(values.shape, values.dtype if dtype is None else dtype)
    copied[...] = values
    return copied
