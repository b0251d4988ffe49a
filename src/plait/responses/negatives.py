"""Pairs of documents without a link, drawn at random: the negative examples of links."""

from __future__ import annotations

import numpy as np


def n_unlinked_pairs(n_documents: int, n_links: int, directed: bool) -> int:
    """Return the number of pairs of different documents without a link.

    Parameters
    ----------
    n_documents, n_links : int
        Number of documents and of links between different documents.
    directed : bool
        Whether (i, j) and (j, i) are different pairs.

    Returns
    -------
    int
        Number of pairs.

    Examples
    --------
    >>> n_unlinked_pairs(4, 2, directed=True), n_unlinked_pairs(4, 2, directed=False)
    (10, 4)
    """
    pairs = n_documents * (n_documents - 1)
    return (pairs if directed else pairs // 2) - n_links


def draw_unlinked(
    sources: np.ndarray,
    targets: np.ndarray,
    n_documents: int,
    n_wanted: int,
    directed: bool,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs of different documents without a link.

    Parameters
    ----------
    sources, targets : ndarray of shape (links,)
        Documents at the ends of each link.
    n_documents : int
        Number of documents.
    n_wanted : int
        Number of pairs to draw; if there are fewer, all are returned.
    directed : bool
        Whether (i, j) and (j, i) are different pairs; if not, the smaller number comes first.
    random : np.random.Generator
        Source of random numbers.

    Returns
    -------
    tuple of ndarray
        Sources and targets of the pairs, sorted, without duplicates.
    """
    links = np.unique(_pair_codes(sources, targets, n_documents, directed))
    n_unlinked = n_unlinked_pairs(n_documents, links.size, directed)
    if 2 * n_wanted > n_unlinked:
        chosen = _all_unlinked(links, n_documents, directed)
        if n_wanted < n_unlinked:
            chosen = np.sort(random.choice(chosen, n_wanted, replace=False))
        return chosen // n_documents, chosen % n_documents
    found = np.empty(0, np.int64)
    while found.size < n_wanted:
        one, other = random.integers(0, n_documents, size=(2, 2 * (n_wanted - found.size) + 16))
        apart = one != other
        codes = _pair_codes(one[apart], other[apart], n_documents, directed)
        found = np.concatenate([found, codes[~np.isin(codes, links)]])
        _, places = np.unique(found, return_index=True)
        found = found[np.sort(places)]  # in the order of the draws, so that truncation does not prefer small numbers
    chosen = np.sort(found[:n_wanted])
    return chosen // n_documents, chosen % n_documents


def _pair_codes(sources: np.ndarray, targets: np.ndarray, n_documents: int, directed: bool) -> np.ndarray:
    if not directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    return np.asarray(sources, dtype=np.int64) * n_documents + targets


def _all_unlinked(links: np.ndarray, n_documents: int, directed: bool) -> np.ndarray:
    codes = np.arange(n_documents * n_documents, dtype=np.int64)
    sources, targets = codes // n_documents, codes % n_documents
    apart = sources != targets if directed else sources < targets
    return np.setdiff1d(codes[apart], links, assume_unique=True)
