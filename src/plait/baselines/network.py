"""What baselines for links are given: counts of words and links among the documents, checked."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError


class LinkBaseline(Protocol):
    """What every baseline for links can do, so that an evaluation can go through all of them."""

    def fit(self, counts: Any, links: Any) -> LinkBaseline:
        """Learn from counts (documents × words) and links (documents × documents); directions do not matter."""

    def score_links(self, counts: Any) -> np.ndarray:
        """Return a score of each new document (row) and document of training (column); higher means likelier."""


def read_network(counts: Any, links: Any) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return counts, and links without directions, weights and links of documents to themselves."""
    from plait.metrics.link_splits import undirected_links

    words, network = sparse.csr_array(counts), undirected_links(links)
    if network.shape[0] != words.shape[0]:
        raise PlaitError(
            f"links are among {network.shape[0]:,} documents, and there are counts of {words.shape[0]:,}; "
            "give a documents × documents matrix of the same documents"
        )
    return words, network


def read_linked(counts: Any, links: Any) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Do the same for a baseline that learns from links: there must be some."""
    words, network = read_network(counts, links)
    if network.nnz == 0:
        raise PlaitError("no two documents are linked, so there is nothing to learn links from; give links")
    return words, network


def read_new(counts: Any, n_words: int) -> sparse.csr_array:
    """Return counts of new documents, which must be of the words of training."""
    words = sparse.csr_array(counts)
    if words.shape[1] != n_words:
        raise PlaitError(
            f"the documents have {words.shape[1]:,} words, those of training had {n_words:,}; "
            "lay a corpus onto the words of training with corpus.with_vocabulary"
        )
    return words


def pairs_of(network: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the two ends of each link, each link once."""
    upper = sparse.coo_array(sparse.triu(network, k=1))
    return upper.row.astype(np.int64), upper.col.astype(np.int64)
