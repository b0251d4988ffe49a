"""Shapes and joined texts of a manifest, checked while they are unpacked."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from plait._utils.text import short
from plait.errors import PlaitError


def parse_shape(shape: Any, size: int | None = None) -> tuple[int, ...]:
    """Return the shape of an array in a manifest; raise an error if it is not one.

    Parameters
    ----------
    shape : object
        The shape, as the manifest has it.
    size : int or None, default None
        Number of entries that the shape must have; None for any.

    Returns
    -------
    tuple of int
        The shape.

    Examples
    --------
    >>> parse_shape([2, 3], size=6)
    (2, 3)
    """
    if not isinstance(shape, list) or not all(type(one) is int and one >= 0 for one in shape):
        raise PlaitError(f"{short(repr(shape))} is not a shape")
    if size is not None and math.prod(shape) != size:
        raise PlaitError(f"{size:,} values do not have the shape {short(repr(shape))}")
    return tuple(shape)


def split_texts(utf8: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return texts that are stored one after the other.

    Parameters
    ----------
    utf8 : ndarray of uint8
        The texts as UTF-8.
    offsets : ndarray of int64
        Where each text begins, and where the last one ends.

    Returns
    -------
    ndarray of str
        The texts.
    """
    if utf8.itemsize != 1 or not offsets.size or offsets[0] != 0 or offsets[-1] != utf8.size:
        raise PlaitError(f"the offsets of texts do not cover their {utf8.size:,} bytes")
    if (offsets[1:] < offsets[:-1]).any():
        raise PlaitError("a text ends before it begins")
    joined = utf8.tobytes()
    texts = np.empty(offsets.size - 1, dtype=object)
    texts[:] = [joined[begin:end].decode() for begin, end in pairwise(offsets.tolist())]
    return texts
