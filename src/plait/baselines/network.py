"""Input of baselines for links: word counts and undirected links."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sparse

from plait.errors import PlaitError


class LinkBaseline(Protocol):
    """Interface of all baselines for links.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.baselines import TfidfCosine
    >>> baseline: LinkBaseline = TfidfCosine()
    >>> baseline.fit(np.eye(3), np.ones((3, 3))).score_links(np.eye(3)[:1]).shape
    (1, 3)
    """

    def fit(self, counts: Any, links: Any) -> LinkBaseline:
        """Fit to counts and links.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_documents, n_words)
            Word counts.
        links : array-like or sparse matrix of shape (n_documents, n_documents)
            Nonzero entries are links; directions are ignored.

        Returns
        -------
        LinkBaseline
            This object.
        """

    def score_links(self, counts: Any) -> np.ndarray:
        """Return the scores of links.

        Parameters
        ----------
        counts : array-like or sparse matrix of shape (n_new, n_words)
            Word counts of new documents.

        Returns
        -------
        ndarray of shape (n_new, n_documents)
            Scores of links between new and training documents; higher means more likely.
        """


def read_network(counts: Any, links: Any) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return counts and undirected links without weights and self-links.

    Parameters
    ----------
    counts : array-like or sparse matrix of shape (n_documents, n_words)
        Word counts.
    links : array-like or sparse matrix of shape (n_documents, n_documents)
        Nonzero entries are links.

    Returns
    -------
    words : sparse array of shape (n_documents, n_words)
        Word counts.
    network : sparse array of shape (n_documents, n_documents)
        Symmetric 0/1 matrix.
    """
    from plait.metrics.link_splits import undirected_links

    words, network = sparse.csr_array(counts), undirected_links(links)
    if network.shape[0] != words.shape[0]:
        raise PlaitError(
            f"links has {network.shape[0]:,} documents, and counts has {words.shape[0]:,}; "
            "give links as a documents × documents matrix of the same documents"
        )
    return words, network


def read_linked(counts: Any, links: Any) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the same as `read_network`; raise an error if there are no links.

    Parameters
    ----------
    counts : array-like or sparse matrix of shape (n_documents, n_words)
        Word counts.
    links : array-like or sparse matrix of shape (n_documents, n_documents)
        Nonzero entries are links.

    Returns
    -------
    words : sparse array of shape (n_documents, n_words)
        Word counts.
    network : sparse array of shape (n_documents, n_documents)
        Symmetric 0/1 matrix.
    """
    words, network = read_network(counts, links)
    if network.nnz == 0:
        raise PlaitError("no two documents are linked; give links to fit the model to")
    return words, network


def read_new(counts: Any, n_words: int) -> sparse.csr_array:
    """Return the counts of new documents; raise an error if the number of words differs from training.

    Parameters
    ----------
    counts : array-like or sparse matrix of shape (n_new, n_words)
        Word counts of new documents.
    n_words : int
        Number of words in training.

    Returns
    -------
    sparse array of shape (n_new, n_words)
        Word counts.
    """
    words = sparse.csr_array(counts)
    if words.shape[1] != n_words:
        raise PlaitError(
            f"the documents have {words.shape[1]:,} words, the training documents had {n_words:,}; "
            "align the corpus with the training vocabulary: corpus.with_vocabulary"
        )
    return words


def link_ends(network: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return the two ends of each undirected link, each link once.

    Parameters
    ----------
    network : sparse array of shape (n_documents, n_documents)
        Symmetric matrix.

    Returns
    -------
    first, second : ndarray of int
        The two documents of each link.
    """
    upper = sparse.coo_array(sparse.triu(network, k=1))
    return upper.row.astype(np.int64), upper.col.astype(np.int64)


def draw_unlinked(
    network: sparse.csr_array, share: float, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return a share of the pairs of documents without a link, drawn at random, each pair once.

    Parameters
    ----------
    network : sparse array of shape (n_documents, n_documents)
        Symmetric matrix of links.
    share : float
        Share of the pairs without a link; at least one pair is drawn.
    random : Generator
        Random numbers.

    Returns
    -------
    first, second : ndarray of int
        The two documents of each pair, first < second.
    """
    n_documents = network.shape[0]
    first, second = link_ends(network)
    n_pairs = n_documents * (n_documents - 1) // 2
    n_drawn = min(max(1, round(share * (n_pairs - first.size))), n_pairs - first.size)
    # Pairs are numbered; as many more are drawn as there are links, and linked ones are dropped.
    numbers = random.choice(n_pairs, size=n_drawn + first.size, replace=False)
    linked = first * (2 * n_documents - first - 1) // 2 + second - first - 1
    numbers = np.sort(numbers[~np.isin(numbers, linked)][:n_drawn])
    before = np.arange(n_documents, dtype=np.int64) * (2 * n_documents - np.arange(n_documents) - 1) // 2
    rows = np.searchsorted(before, numbers, side="right") - 1
    # The last document begins no pair, so that its number equals that of the end.
    rows = np.minimum(rows, n_documents - 2)
    return rows, numbers - before[rows] + rows + 1
