"""The two sides of link-PLSA-LDA, one E step each: expected counts of topics, and the side's part of the bound.

A side's documents are cut into blocks that threads take turns with. The documents decide where the cuts are, never the
number of threads, and what blocks return is added up in their order: so the bits do not depend on the threads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from scipy.special import digamma

from plait.baselines.link_plsa_lda_cited import count_cited
from plait.baselines.var_rtm_documents import count_word_topics, update_documents
from plait.baselines.variational import Rows, rows_of
from plait.executors import Threads

_MOST_BLOCKS = 8  # each counts in a table of its own
_ENTRIES_A_BLOCK = 20_000


class Topics(NamedTuple):
    """What is learnt: p(w | k) (words × topics), p(c | k) (cited documents × topics) and p(k) on the cited side."""

    words: np.ndarray
    documents: np.ndarray
    shares: np.ndarray

    @property
    def all_targets(self) -> np.ndarray:
        """Words, then cited documents: what a citing document draws from its topics."""
        return np.concatenate([self.words, self.documents])


class Citing:
    """Documents with proportions of their own, from which their words and their citations are drawn.

    A citation is drawn like a word: only the table of what a topic draws differs. So q is that of LDA over words and
    cited documents side by side (`var_rtm_documents`, without its links).

    Parameters
    ----------
    targets
        Counts of words and of citations, side by side (documents × words and cited documents).
    alpha
        Dirichlet parameter of each topic.
    n_topics
        K.

    Attributes
    ----------
    means
        The mean of q over each document's draws (documents × topics): where the next update starts.
    """

    def __init__(self, targets: sparse.csr_array, alpha: float, n_topics: int) -> None:
        self._rows, self._blocks = rows_of(targets), _blocks(targets)
        self._alpha = np.full(n_topics, float(alpha))
        self._lengths = targets.sum(axis=1)[:, np.newaxis]
        self.means = np.full((targets.shape[0], n_topics), 1 / n_topics)

    @property
    def proportions(self) -> np.ndarray:
        """Return E θ of each document."""
        gamma = self._alpha + self._lengths * self.means
        return gamma / gamma.sum(axis=1, keepdims=True)

    def update(self, targets: np.ndarray, n_steps: int, tolerance: float, threads: Threads) -> tuple[float, np.ndarray]:
        """Update q of all documents; return their part of the bound and the expected draws of each target by topic."""
        # φ ∝ exp(ψ(γ)) p(target | k) from the last γ on: a tilt that lags behind γ could lower the bound.
        tilts = digamma(self._alpha + self._lengths * self.means)

        def update_block(block: slice) -> tuple[float, np.ndarray]:
            rows, own, room = _rows_in(self._rows, block), tilts[block], np.zeros((5, self._alpha.size))
            no_links, no_weights = np.zeros(rows.starts.size, np.int64), np.zeros(self._alpha.size)
            value = update_documents(
                *rows,
                no_links,
                no_links,
                no_weights,
                0.0,
                targets,
                self._alpha,
                n_steps,
                tolerance,
                own,
                self.means[block],
                room,
            )
            totals = np.zeros_like(targets)
            count_word_topics(*rows, targets, own, room[0], totals)
            return value, totals

        results = threads.map(update_block, self._blocks)
        return sum(value for value, _ in results), _sum([totals for _, totals in results], targets)


class Cited:
    """Documents whose words are drawn as (topic, document, word) from one mixture of topics for all: PLSA.

    Parameters
    ----------
    counts
        Their words (cited documents × words).
    """

    def __init__(self, counts: sparse.csr_array) -> None:
        self._rows, self._blocks = rows_of(counts), _blocks(counts)

    def count(self, topics: Topics, threads: Threads) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the log probability, and expected tokens by topic of each word and of each document."""
        joint = topics.documents * topics.shares
        in_documents = np.zeros_like(joint)

        def count_block(block: slice) -> tuple[float, np.ndarray]:
            totals = np.zeros_like(topics.words)
            rows = _rows_in(self._rows, block)
            return count_cited(*rows, joint[block], topics.words, totals, in_documents[block]), totals

        results = threads.map(count_block, self._blocks)
        in_words = _sum([totals for _, totals in results], topics.words)
        return sum(value for value, _ in results), in_words, in_documents


def _blocks(matrix: sparse.csr_array) -> list[slice]:
    """Return runs of rows with about as many entries each."""
    n_blocks = int(np.clip(matrix.nnz // _ENTRIES_A_BLOCK, 1, _MOST_BLOCKS))
    cuts = np.searchsorted(matrix.indptr, np.linspace(0, matrix.nnz, n_blocks + 1)[1:-1])
    ends = np.unique([0, *cuts, matrix.shape[0]])
    return [slice(int(first), int(last)) for first, last in pairwise(ends)]


def _rows_in(rows: Rows, block: slice) -> Rows:
    return Rows(rows.starts[block.start : block.stop + 1], rows.words, rows.counts)


def _sum(tables: list[np.ndarray], like: np.ndarray) -> np.ndarray:
    total = np.zeros_like(like)
    for table in tables:
        total += table
    return total
