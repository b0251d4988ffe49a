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


class UnlinkedPairs:
    """Pairs of different documents without a link, of which some are drawn again and again.

    Parameters
    ----------
    sources, targets : ndarray of shape (links,)
        Documents at the ends of each link.
    n_documents : int
        Number of documents.
    directed : bool
        Whether (i, j) and (j, i) are different pairs; if not, the smaller number comes first.
    """

    def __init__(self, sources: np.ndarray, targets: np.ndarray, n_documents: int, directed: bool) -> None:
        links = np.sort(_pair_codes(sources, targets, n_documents, directed))
        links = links[np.concatenate([[True], links[1:] > links[:-1]])[: links.size]]
        self._n_documents = n_documents
        self._directed = directed
        self._n_unlinked = n_unlinked_pairs(n_documents, links.size, directed)
        self._starts = np.searchsorted(links, np.arange(n_documents + 1) * n_documents)
        self._linked = (links % max(n_documents, 1)).astype(np.int32)

    def draw(self, n_wanted: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw pairs.

        Parameters
        ----------
        n_wanted : int
            Number of pairs to draw; if there are fewer, all are returned.
        random : np.random.Generator
            Source of random numbers.

        Returns
        -------
        tuple of ndarray
            Sources and targets of the pairs, sorted, without duplicates.
        """
        if 2 * n_wanted > self._n_unlinked:
            return self._draw_many(n_wanted, random)
        one, other = np.empty((2, 0), np.int32)
        while True:
            fresh = _draw_ends(self._n_documents, 2 * (n_wanted - one.size) + 16, self._directed, random)
            # Those found before come first, so that truncation keeps the order of the draws.
            one, other = np.concatenate([one, fresh[0]]), np.concatenate([other, fresh[1]])
            for size in (min(n_wanted + n_wanted // 16 + 16, one.size), one.size):  # the first ones are mostly enough
                kept, order = self._mark(one[:size], other[:size])
                found = np.flatnonzero(kept)
                if found.size >= n_wanted:
                    kept[found[n_wanted:]] = False
                    chosen = np.empty((2, n_wanted), np.int64)
                    _sort_chosen(one, other, order, kept, *chosen)
                    return chosen[0], chosen[1]
            one, other = one[found], other[found]

    def _draw_many(self, n_wanted: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw pairs from a list of all, where a large share of them is wanted."""
        n_documents = self._n_documents
        links = np.repeat(np.arange(n_documents), np.diff(self._starts)) * n_documents + self._linked
        chosen = _all_unlinked(links, n_documents, self._directed)
        if n_wanted < self._n_unlinked:
            chosen = np.sort(random.choice(chosen, n_wanted, replace=False))
        return chosen // n_documents, chosen % n_documents

    def _mark(self, sources: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which pairs are of different documents without a link, not copies of earlier ones; order by source."""
        kept, order = np.empty(sources.size, dtype=bool), np.empty(sources.size, np.int32)
        edges, taken_by = np.zeros(self._n_documents + 1, np.int64), np.full(self._n_documents, -1)
        _mark_unlinked(sources, targets, self._starts, self._linked, edges, order, taken_by, kept)
        return kept, order


def _draw_ends(
    n_documents: int, n_pairs: int, directed: bool, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs of documents; without direction, the smaller number comes first."""
    one = random.integers(0, n_documents, size=n_pairs).astype(np.int32)
    other = random.integers(0, n_documents, size=n_pairs).astype(np.int32)
    return (one, other) if directed else (np.minimum(one, other), np.maximum(one, other))


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


@kernel
def _sort_chosen(one, other, order, kept, sources, targets):
    """Fill `sources` and `targets` with the pairs that are kept, sorted by both; `order` sorts them by source."""
    size = 0
    first = 0  # of the present source
    for number in order:
        if kept[number]:
            if size > 0 and sources[size - 1] != one[number]:
                first = size
            place = size
            while place > first and targets[place - 1] > other[number]:
                targets[place] = targets[place - 1]
                place -= 1
            sources[size] = one[number]
            targets[place] = other[number]
            size += 1


def _pair_codes(sources: np.ndarray, targets: np.ndarray, n_documents: int, directed: bool) -> np.ndarray:
    if not directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    return np.asarray(sources, dtype=np.int64) * n_documents + targets


def _all_unlinked(links: np.ndarray, n_documents: int, directed: bool) -> np.ndarray:
    codes = np.arange(n_documents * n_documents, dtype=np.int64)
    sources, targets = codes // n_documents, codes % n_documents
    apart = sources != targets if directed else sources < targets
    return np.setdiff1d(codes[apart], links, assume_unique=True)
