"""Texts stored one after the other as UTF-8, and back."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from plait.errors import PlaitError


def join_texts(texts: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return texts as UTF-8, one after the other, and the length of each in bytes.

    Parameters
    ----------
    texts : iterable of str
        The texts.

    Returns
    -------
    utf8 : ndarray of uint8
        All bytes.
    lengths : ndarray of int32
        Number of bytes of each text.

    Examples
    --------
    >>> join_texts(["ab", "", "é"])[1].tolist()
    [2, 0, 2]
    """
    encoded = [text.encode() for text in texts]
    lengths = np.fromiter(map(len, encoded), np.int32, len(encoded))
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths


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
