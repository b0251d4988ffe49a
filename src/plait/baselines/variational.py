"""What baselines fitted by variational EM share: rows of counts as compiled code reads them, and a start of topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

_FIRST_DOCUMENTS = 10  # whose words a topic starts with


class Rows(NamedTuple):
    """Rows of counts as compiled code reads them."""

    starts: np.ndarray
    words: np.ndarray
    counts: np.ndarray


def rows_of(matrix: sparse.csr_array) -> Rows:
    """Return the rows of a matrix of counts."""
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data.astype(np.float64))


def first_topics(words: sparse.csr_array, n_topics: int, random_state: int | None) -> np.ndarray:
    """Start each topic with the words of some documents (words × topics)."""
    rng = np.random.default_rng(random_state)
    counts = np.zeros((n_topics, words.shape[1]))
    for topic in range(n_topics):
        counts[topic] = words[rng.integers(words.shape[0], size=_FIRST_DOCUMENTS)].sum(axis=0)
    return distributions(counts.T + 1.0)


def distributions(totals: np.ndarray) -> np.ndarray:
    """Return columns that sum to 1."""
    return totals / totals.sum(axis=0)
