"""The user's own numbers of pairs of documents, given as matrices by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait._utils.text import short
from plait.errors import PlaitError


def read_pair_matrices(given: Any, shape: tuple[int, int]) -> dict[str, sparse.csr_array]:
    """Return matrices of pairs, checked.

    Parameters
    ----------
    given : mapping of str to matrix, or None
        Matrices by name.
    shape : tuple of int
        Numbers of sources and of training documents.

    Returns
    -------
    dict of str to csr_array
        The matrices; empty for None.

    Examples
    --------
    >>> read_pair_matrices({"authors": [[0, 2.5]]}, (1, 2))["authors"].toarray().tolist()
    [[0.0, 2.5]]
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise PlaitError(f"pair_matrices is {short(repr(given))}; give a dict of matrices by name", parameter=None)
    return {name: _read(name, matrix, shape) for name, matrix in given.items()}


def _read(name: str, matrix: Any, shape: tuple[int, int]) -> sparse.csr_array:
    place = f"pair_matrices[{name!r}]"
    try:
        found = sparse.csr_array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PlaitError(f"{place} is not a matrix of numbers ({error}); give a sparse matrix or an array") from None
    if found.shape != shape:
        raise PlaitError(f"{place} has the shape {found.shape}; give one number per pair: {shape}")
    if not np.isfinite(found.data).all() or (found.data < 0).any():
        raise PlaitError(f"{place} has a number below 0 or one that is not finite; give numbers of at least 0")
    found.sum_duplicates()
    return found
