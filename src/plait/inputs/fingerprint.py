"""The fingerprint of the inputs of a fit, by which an interrupted fit recognises them when it is resumed.

It is the same for a corpus in memory and for the same corpus in files, so that a fit can begin with one and continue
with the other. A prepared corpus has the digest of its counts in its manifest: nothing is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from plait.corpus.prepared.counts import CountsDigest, StoredCounts

_PREFIX = "2-"  # fingerprints of earlier versions have none
_BLOCK = 1 << 16  # documents or rows that are converted at a time


def fingerprint(counts: Any, *more: np.ndarray, like: str | None = None) -> str:
    """Return a digest of counts and other arrays; a resumed fit compares it.

    Parameters
    ----------
    counts : csr_array or StoredCounts
        The counts.
    *more : array
        Other arrays of numbers, such as targets.
    like : str or None, default None
        The fingerprint that it is compared with; None for none. One of an earlier version is computed as it was then.

    Returns
    -------
    str
        The digest.
    """
    digest = hashlib.blake2b(digest_size=16)
    earlier = like is not None and not like.startswith(_PREFIX)
    if earlier:
        _add_counts(digest, counts)
    else:
        digest.update(_counts_digest(counts).encode())
    for array in more:
        digest.update(repr(array.shape).encode())
        for first in range(0, len(array), _BLOCK):
            digest.update(np.ascontiguousarray(array[first : first + _BLOCK], dtype=np.float64).reshape(-1).data)
    return digest.hexdigest() if earlier else _PREFIX + digest.hexdigest()


def _counts_digest(counts: Any) -> str:
    if isinstance(counts, StoredCounts):
        return counts.manifest.counts_digest
    digest = CountsDigest()
    for block in _blocks(counts):
        digest.add(block)
    return digest.hexdigest()


def _blocks(counts: Any) -> Iterator[Any]:
    """Yield counts by runs of documents."""
    if isinstance(counts, StoredCounts):
        yield from (block for _, block in counts.blocks())
        return
    for first in range(0, counts.shape[0], _BLOCK):
        yield counts[first : first + _BLOCK]


def _add_counts(digest: Any, counts: Any) -> None:
    """Add counts as earlier versions did: first where all rows begin, then all columns, then all counts."""
    end = 0
    digest.update(np.zeros(1, np.int64).data)
    for block in _blocks(counts):
        digest.update((block.indptr[1:].astype(np.int64) + end).data)
        end += block.nnz
    for name, kind in (("indices", np.int64), ("data", np.float64)):
        for block in _blocks(counts):
            digest.update(getattr(block, name).astype(kind).data)
