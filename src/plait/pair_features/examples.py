"""Examples that the weights of pair features are learned from: linked pairs, and unlinked pairs of the same sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sparse

from plait.pair_features.base import PairFeature, Values, as_dense, at_pairs
from plait.pair_features.combining import PairExamples, join_examples
from plait.pair_features.network import PairBlock

_FEWEST_UNLINKED = 200  # per source
_BEST_UNLINKED = 100  # per source: those that look most like links are never left out
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
    """Return linked pairs of sources and unlinked ones: all if there is room, otherwise some of each source.

    These are the hundred that look most like links (sum of the topics' standardised value and the logarithms of the
    features), which decide about the first suggestions, and others at random, which stand for the rest.

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
        pairs, topics = block(rows)
        found = [feature.values(pairs) for feature in features]
        likely = _likeness(topics, found)
        drawn = [
            _draw(int(source), links, known, likely[source - rows.start], n_unlinked, random) for source in sources
        ]
        of_source = np.repeat(sources - rows.start, [columns.size for columns, _, _ in drawn])
        columns, linked, costs = (np.concatenate([one[number] for one in drawn]) for number in range(3))
        values = [at_pairs(one, of_source, columns) for one in found]
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


def _likeness(topics: np.ndarray, features: Sequence[Values]) -> np.ndarray:
    """Return how much each pair of a block looks like a link, before anything is learned."""
    total = (topics - topics.mean()) / max(float(topics.std()), 1e-12)
    for values in features:
        given = values if isinstance(values, np.ndarray) else values.data
        positive = given[given > 0]
        if positive.size:
            total += np.log1p(np.maximum(as_dense(values, topics.shape), 0) / positive.mean())
    return total


def _draw(
    source: int,
    links: sparse.csr_array,
    known: sparse.csr_array,
    likely: np.ndarray,
    n_unlinked: int,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the columns of the examples of a source, whether they are linked, and how many pairs each stands for."""
    own = links.indices[links.indptr[source] : links.indptr[source + 1]]
    free = np.ones(likely.size, dtype=bool)
    free[own] = False
    free[known.indices[known.indptr[source] : known.indptr[source + 1]]] = False
    others = np.flatnonzero(free)
    costs = np.ones(others.size)
    if others.size > n_unlinked:
        n_best = min(_BEST_UNLINKED, n_unlinked // 2)
        order = np.argpartition(-likely[others], n_best)
        drawn = random.choice(order[n_best:], n_unlinked - n_best, replace=False)
        costs = np.repeat([1.0, (others.size - n_best) / drawn.size], [n_best, drawn.size])
        others = others[np.concatenate([order[:n_best], drawn])]
    columns = np.concatenate([own, others])
    linked = np.repeat([True, False], [own.size, others.size])
    return columns, linked, np.concatenate([np.ones(own.size), costs])
