"""E steps of the two sides of link-PLSA-LDA: expected topic counts, and the terms of the bound.

Threads process blocks of documents. The blocks depend on the documents only, and their results are summed in order, so
the result does not depend on the number of threads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from scipy.special import digamma

from plait.baselines.link_plsa_lda_cited import count_cited
from plait.baselines.var_rtm_documents import count_word_topics, update_documents
from plait.baselines.variational import Rows, csr_rows
from plait.executors import Threads

_MAX_BLOCKS = 8  # each has its own table of counts
_ENTRIES_PER_BLOCK = 20_000


class Topics(NamedTuple):
    """Parameters of the topics.

    Attributes
    ----------
    words : ndarray of shape (n_words, n_topics)
        β, p(w | k).
    documents : ndarray of shape (n_cited, n_topics)
        Ω, p(c | k).
    shares : ndarray of shape (n_topics,)
        π, p(k) on the cited side.
    """

    words: np.ndarray
    documents: np.ndarray
    shares: np.ndarray

    @property
    def all_targets(self) -> np.ndarray:
        """β and Ω stacked: p(target | k), where the targets are the words, then the cited documents."""
        return np.concatenate([self.words, self.documents])


class Citing:
    """The citing side: words and citations of a document are drawn from its topic proportions.

    Citations are drawn like words, from Ω instead of β. So q is that of LDA with words and cited documents as one
    vocabulary (`var_rtm_documents` without links).

    Parameters
    ----------
    targets : sparse array of shape (n_documents, n_words + n_cited)
        Counts of words and citations.
    alpha : float
        Dirichlet parameter of each topic.
    n_topics : int
        Number of topics K.

    Attributes
    ----------
    means : ndarray of shape (n_documents, n_topics)
        Mean of q over the tokens and citations of each document: start of the next update.
    """

    def __init__(self, targets: sparse.csr_array, alpha: float, n_topics: int) -> None:
        self._rows, self._blocks = csr_rows(targets), _blocks(targets)
        self._alpha = np.full(n_topics, float(alpha))
        self._lengths = targets.sum(axis=1)[:, np.newaxis]
        self.means = np.full((targets.shape[0], n_topics), 1 / n_topics)

    @property
    def proportions(self) -> np.ndarray:
        """E θ of each document."""
        gamma = self._alpha + self._lengths * self.means
        return gamma / gamma.sum(axis=1, keepdims=True)

    def update(self, targets: np.ndarray, n_steps: int, tolerance: float, threads: Threads) -> tuple[float, np.ndarray]:
        """Update q of all documents.

        Parameters
        ----------
        targets : ndarray of shape (n_words + n_cited, n_topics)
            p(target | k).
        n_steps : int
            Maximum number of updates per document.
        tolerance : float
            Stop updating a document when its term of the bound increases by less, per token.
        threads : Threads
            Executor.

        Returns
        -------
        bound : float
            Sum of the documents' terms of the bound.
        totals : ndarray of shape (n_words + n_cited, n_topics)
            Expected draws of each target per topic.
        """
        # Start from φ ∝ exp(ψ(γ)) p(target | k) with the current γ: with an older γ the bound could decrease.
        tilts = digamma(self._alpha + self._lengths * self.means)

        def update_block(block: slice) -> tuple[float, np.ndarray]:
            rows, own, workspace = _rows_in(self._rows, block), tilts[block], np.zeros((5, self._alpha.size))
            no_links, no_weights = np.zeros(rows.starts.size, np.int64), np.zeros(self._alpha.size)
            value = update_documents(
                *rows,
                no_links,
                no_links,
                no_weights,  # signs of links
                no_weights,
                0.0,
                targets,
                self._alpha,
                n_steps,
                tolerance,
                own,
                self.means[block],
                workspace,
            )
            totals = np.zeros_like(targets)
            count_word_topics(*rows, targets, own, workspace[0], totals)
            return value, totals

        results = threads.map(update_block, self._blocks)
        return sum(value for value, _ in results), _sum([totals for _, totals in results], targets)


class Cited:
    """The cited side: (topic, document, word) are drawn from one mixture of topics (PLSA).

    Parameters
    ----------
    counts : sparse array of shape (n_cited, n_words)
        Word counts of the cited documents.
    """

    def __init__(self, counts: sparse.csr_array) -> None:
        self._rows, self._blocks = csr_rows(counts), _blocks(counts)

    def count(self, topics: Topics, threads: Threads) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the log-likelihood and the expected tokens per topic.

        Parameters
        ----------
        topics : Topics
            Current parameters.
        threads : Threads
            Executor.

        Returns
        -------
        log_likelihood : float
            Log-likelihood of the cited documents.
        in_words : ndarray of shape (n_words, n_topics)
            Expected tokens of each word.
        in_documents : ndarray of shape (n_cited, n_topics)
            Expected tokens of each document.
        """
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
    """Return slices of rows with about the same number of entries each."""
    n_blocks = int(np.clip(matrix.nnz // _ENTRIES_PER_BLOCK, 1, _MAX_BLOCKS))
    cuts = np.searchsorted(matrix.indptr, np.linspace(0, matrix.nnz, n_blocks + 1)[1:-1])
    ends = np.unique([0, *cuts, matrix.shape[0]])
    return [slice(int(first), int(last)) for first, last in pairwise(ends)]


def _rows_in(rows: Rows, block: slice) -> Rows:
    """Return the rows of a block."""
    return Rows(rows.starts[block.start : block.stop + 1], rows.words, rows.counts)


def _sum(tables: list[np.ndarray], like: np.ndarray) -> np.ndarray:
    """Return the sum of tables in order, an array like `like`."""
    total = np.zeros_like(like)
    for table in tables:
        total += table
    return total
