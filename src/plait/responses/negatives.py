"""Pairs of documents without a link, drawn at random: the negative examples of links."""

from __future__ import annotations

import numpy as np

from plait.samplers.kernels.compiled import kernel


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
    links = np.sort(_pair_codes(sources, targets, n_documents, directed))
    links = links[np.concatenate([[True], links[1:] > links[:-1]])[: links.size]]
    n_unlinked = n_unlinked_pairs(n_documents, links.size, directed)
    if 2 * n_wanted > n_unlinked:
        chosen = _all_unlinked(links, n_documents, directed)
        if n_wanted < n_unlinked:
            chosen = np.sort(random.choice(chosen, n_wanted, replace=False))
        return chosen // n_documents, chosen % n_documents
    starts = np.searchsorted(links, np.arange(n_documents + 1) * n_documents)
    linked = (links % n_documents).astype(np.int32)
    found = np.empty((2, 0), np.int32)
    while found.shape[1] < n_wanted:
        one, other = _draw_ends(n_documents, 2 * (n_wanted - found.shape[1]) + 16, directed, random)
        # Those found before come first, so that truncation keeps the order of the draws.
        ends = np.concatenate([found[0], one]), np.concatenate([found[1], other])
        kept = _unlinked_once(*ends, starts, linked, n_documents)
        found = np.array([each[kept] for each in ends])
    chosen = np.sort(found[0, :n_wanted] * np.int64(n_documents) + found[1, :n_wanted])
    return chosen // n_documents, chosen % n_documents


def _draw_ends(
    n_documents: int, n_pairs: int, directed: bool, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs of documents; without direction, the smaller number comes first."""
    one = random.integers(0, n_documents, size=n_pairs).astype(np.int32)
    other = random.integers(0, n_documents, size=n_pairs).astype(np.int32)
    return (one, other) if directed else (np.minimum(one, other), np.maximum(one, other))


def _unlinked_once(
    sources: np.ndarray, targets: np.ndarray, starts: np.ndarray, linked: np.ndarray, n_documents: int
) -> np.ndarray:
    """Return which pairs are of different documents without a link, and are not a copy of an earlier pair."""
    kept = np.empty(sources.size, dtype=bool)
    order = np.empty(sources.size, np.int32)
    _mark_unlinked(
        sources, targets, starts, linked, np.zeros(n_documents + 1, np.int64), order, np.full(n_documents, -1), kept
    )
    return kept


@kernel
def _mark_unlinked(sources, targets, starts, linked, edges, order, taken_by, kept):
    """Fill `kept`: pairs are visited by source, and a target that is linked or was seen is taken by the source."""
    for number in range(sources.size):
        edges[sources[number] + 1] += 1
    for source in range(1, edges.size):
        edges[source] += edges[source - 1]
    for number in range(sources.size):  # moves every start to its end
        order[edges[sources[number]]] = number
        edges[sources[number]] += 1
    first = 0
    for source in range(edges.size - 1):
        taken_by[source] = source
        for place in range(starts[source], starts[source + 1]):
            taken_by[linked[place]] = source
        for place in range(first, edges[source]):
            number = order[place]
            kept[number] = taken_by[targets[number]] != source
            taken_by[targets[number]] = source
        first = edges[source]


def _pair_codes(sources: np.ndarray, targets: np.ndarray, n_documents: int, directed: bool) -> np.ndarray:
    if not directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    return np.asarray(sources, dtype=np.int64) * n_documents + targets


def _all_unlinked(links: np.ndarray, n_documents: int, directed: bool) -> np.ndarray:
    codes = np.arange(n_documents * n_documents, dtype=np.int64)
    sources, targets = codes // n_documents, codes % n_documents
    apart = sources != targets if directed else sources < targets
    return np.setdiff1d(codes[apart], links, assume_unique=True)
