"""Helpers for evaluations with links to training documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sparse


def links_of_rows(links: sparse.csr_array | None, rows: Sequence[int]) -> sparse.csr_array | None:
    """Return the links of some documents; None if they have none.

    Parameters
    ----------
    links : csr_array, optional
        Weights: documents × training documents.
    rows : sequence of int
        Rows of the documents.

    Returns
    -------
    csr_array or None
        One row per document.
    """
    if links is None:
        return None
    chosen = sparse.csr_array(links[rows])
    return chosen if chosen.nnz else None


def count_linked(links: sparse.csr_array | None) -> int:
    """Return the number of documents that have a link.

    Parameters
    ----------
    links : csr_array, optional
        Weights: documents × training documents.

    Returns
    -------
    int
        Number of rows with an entry.
    """
    return 0 if links is None else int(np.count_nonzero(np.diff(links.indptr)))
