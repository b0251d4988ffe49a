"""Room for rows of topics that are read sixteen numbers at a time: it begins where a cache line does.

NumPy's arrays begin at any multiple of sixteen bytes. Sixteen numbers would then mostly lie across two lines, and the
padded row of thirty topics across three instead of two, each of which memory has to be asked for.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import DTypeLike

CACHE_LINE = 64  # bytes


def aligned_zeros(shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> np.ndarray:
    """Return an array of zeros that begins where a cache line does."""
    size = math.prod(shape) if isinstance(shape, tuple) else shape
    n_bytes = int(size) * np.dtype(dtype).itemsize
    room = np.zeros(n_bytes + CACHE_LINE, np.uint8)
    first = -room.ctypes.data % CACHE_LINE
    return room[first : first + n_bytes].view(dtype).reshape(shape)


def aligned_copy(values: np.ndarray, dtype: DTypeLike | None = None) -> np.ndarray:
    """Return a copy of an array that begins where a cache line does, in another type if one is given."""
    copied = aligned_zeros(values.shape, values.dtype if dtype is None else dtype)
    copied[...] = values
    return copied
