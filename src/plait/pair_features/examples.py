"""Examples that the weights of pair features are learned from: linked pairs, and unlinked pairs of the same sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sparse

from plait.pair_features.base import PairFeature, at_pairs
from plait.pair_features.combining import PairExamples, join_examples
from plait.pair_features.network import PairBlock

_FEWEST_UNLINKED = 200  # per source
_MOST_SCORES = 4_000_000  # of all pairs of a block of sources


def make_examples(
    n_sources: int,
    links: sparse.csr_array,
    known: sparse.csr_array,
    block: Callable[[slice], tuple[PairBlock, np.ndarray]],
    features: Sequence[PairFeature],
    random: np.random.Generator,
    most: int = 1_000_000,
) -> PairExamples:
    """Return linked pairs of sources and unlinked ones: all if there is room, otherwise as many drawn for each source.

    Parameters
    ----------
    n_sources : int
        Number of sources.
    links : csr_array of shape (sources, documents)
        Nonzero entries are the hidden links, in either direction.
    known : csr_array of shape (sources, documents)
        Nonzero entries are pairs that are no examples: links that are not hidden, and the source itself.
    block : callable
        Takes a slice of sources; returns their pairs with all documents and the values of the topics.
    features : sequence of PairFeature
        The features.
    random : Generator
        Draws the unlinked pairs.
    most : int, default 1,000,000
        Number of pairs above which unlinked ones are drawn, but not fewer than 200 per source.

    Returns
    -------
    PairExamples
        Pairs sorted by source; sources without a hidden link are left out.
    """
    n_documents = int(links.shape[1])
    with_links = np.flatnonzero(np.diff(links.indptr))
    n_unlinked = max(_FEWEST_UNLINKED, most // max(with_links.size, 1))
    height = max(1, _MOST_SCORES // n_documents)
    parts = []
    for first in range(0, n_sources, height):
        rows = slice(first, min(first + height, n_sources))
        sources = with_links[(with_links >= rows.start) & (with_links < rows.stop)]
        if not sources.size:
            continue
        drawn = [_draw(int(source), links, known, n_documents, n_unlinked, random) for source in sources]
        of_source = np.repeat(sources - rows.start, [columns.size for columns, _, _ in drawn])
        columns, linked, costs = (np.concatenate([one[number] for one in drawn]) for number in range(3))
        pairs, topics = block(rows)
        values = [at_pairs(feature.values(pairs), of_source, columns) for feature in features]
        parts.append(
            PairExamples(
                np.concatenate([[0], np.cumsum([one[0].size for one in drawn])]).astype(np.int64),
                linked,
                costs,
                topics[of_source, columns],
                np.column_stack(values),
            )
        )
    return join_examples(parts)


def _draw(
    source: int,
    links: sparse.csr_array,
    known: sparse.csr_array,
    n_documents: int,
    n_unlinked: int,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the columns of the examples of a source, whether they are linked, and how many pairs each stands for."""
    own = links.indices[links.indptr[source] : links.indptr[source + 1]]
    free = np.ones(n_documents, dtype=bool)
    free[own] = False
    free[known.indices[known.indptr[source] : known.indptr[source + 1]]] = False
    others = np.flatnonzero(free)
    cost = 1.0
    if others.size > n_unlinked:
        cost = others.size / n_unlinked
        others = np.sort(random.choice(others, n_unlinked, replace=False))
    columns = np.concatenate([own, others])
    linked = np.repeat([True, False], [own.size, others.size])
    return columns, linked, np.where(linked, 1.0, cost)
