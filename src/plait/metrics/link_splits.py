"""Splits for the evaluation of link prediction: folds of documents, or held-out links among known documents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError


class EdgeSplit(NamedTuple):
    """Training links, held-out links and pairs without a link.

    Attributes
    ----------
    training : sparse array of shape (n_documents, n_documents)
        Training links with their weights.
    linked : ndarray of int of shape (n_held_out, 2)
        Held-out links, one row (source, target) each.
    unlinked : ndarray of int of shape (n_held_out * negatives_per_link, 2)
        Pairs without a link, with the sources of `linked` in the same order.
    n_self_links : int
        Number of links from documents to themselves, which are dropped.

    Examples
    --------
    >>> split = split_edges(np.roll(np.eye(10), 1, axis=1), 0.2)
    >>> split.training.nnz + len(split.linked)
    10
    """

    training: sparse.csr_array
    linked: np.ndarray
    unlinked: np.ndarray
    n_self_links: int


def split_documents(n_documents: int, n_folds: int = 5, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (training rows, held-out rows) of each fold; every document is held out once.

    Parameters
    ----------
    n_documents : int
        Number of documents.
    n_folds : int, default 5
        Number of folds.
    seed : int, default 0
        Seed of the folds.

    Returns
    -------
    list of tuple of (ndarray, ndarray)
        Training and held-out rows of each fold.

    Examples
    --------
    >>> folds = split_documents(10, n_folds=5)
    >>> [len(training) for training, held_out in folds], sorted(int(row) for _, rows in folds for row in rows)
    ([8, 8, 8, 8, 8], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    from sklearn.model_selection import KFold

    if check_whole("n_folds", n_folds, least=2) > check_whole("n_documents", n_documents, least=2):
        raise PlaitError(f"{n_documents} documents cannot make {n_folds} folds; set n_folds={n_documents} or less")
    return list(KFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n_documents)))


def undirected_links(links: Any) -> sparse.csr_array:
    """Return a symmetric 0/1 matrix of linked documents, without links from documents to themselves.

    Parameters
    ----------
    links : array-like or sparse matrix of shape (n_documents, n_documents)
        Nonzero entries are links.

    Returns
    -------
    sparse array of shape (n_documents, n_documents)
        1 for each pair of documents linked in either direction.

    Examples
    --------
    >>> undirected_links([[0, 2, 0], [0, 1, 0], [0, 0, 0]]).toarray().astype(int).tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """
    matrix = _square_matrix(links)
    either = sparse.coo_array(abs(matrix) + abs(matrix).T)
    kept = either.row != either.col
    ones = np.ones(int(kept.sum()))
    return sparse.csr_array(sparse.coo_array((ones, (either.row[kept], either.col[kept])), shape=matrix.shape))


def split_edges(
    links: Any, share: float = 0.1, *, negatives_per_link: int = 100, directed: bool = False, seed: int = 0
) -> EdgeSplit:
    """Hold out a share of the links and draw pairs without a link from the same sources.

    Parameters
    ----------
    links : array-like or sparse matrix of shape (n_documents, n_documents)
        Nonzero entries are links from the row to the column.
    share : float, default 0.1
        Share of the links that is held out.
    negatives_per_link : int, default 100
        Number of unlinked targets per held-out link, drawn with replacement.
    directed : bool, default False
        Whether a link and its reverse are two links. Otherwise they are held out together, and the source is chosen at
        random from the two ends.
    seed : int, default 0
        Seed of the split.

    Returns
    -------
    EdgeSplit
        Training links, held-out links and unlinked pairs.

    Examples
    --------
    >>> ring = np.roll(np.eye(10), 1, axis=1)
    >>> split = split_edges(ring, 0.2, negatives_per_link=3)
    >>> split.training.nnz, split.linked.shape, split.unlinked.shape
    (8, (2, 2), (6, 2))
    """
    matrix = sparse.coo_array(_square_matrix(links))
    n_negatives = check_whole("negatives_per_link", negatives_per_link, least=1)
    proper = matrix.row != matrix.col
    source, target, weight = (values[proper].copy() for values in (matrix.row, matrix.col, matrix.data))
    n_documents = matrix.shape[0]
    ends = (source, target) if directed else (np.minimum(source, target), np.maximum(source, target))
    keys, link_of = np.unique(ends[0].astype(np.int64) * n_documents + ends[1], return_inverse=True)
    n_held_out = round(share * len(keys))
    if not 0 < n_held_out < len(keys):
        raise PlaitError(
            f"a share of {share} holds out {n_held_out} of {len(keys):,} links; choose a share that leaves at least "
            "one held-out and one training link"
        )
    rng = np.random.default_rng([seed, n_documents])
    held_out = np.zeros(len(keys), dtype=bool)
    held_out[rng.permutation(len(keys))[:n_held_out]] = True
    linked = np.column_stack(np.divmod(keys[held_out], n_documents))
    if not directed:
        reverse = rng.random(len(linked)) < 0.5
        linked[reverse] = linked[reverse, ::-1]
    left = ~held_out[link_of]
    known = keys if directed else np.union1d(keys, keys % n_documents * n_documents + keys // n_documents)
    return EdgeSplit(
        sparse.csr_array((weight[left], (source[left], target[left])), shape=matrix.shape),
        linked,
        _draw_unlinked(np.repeat(linked[:, 0], n_negatives), known, n_documents, rng),
        int((~proper).sum()),
    )


def _draw_unlinked(sources: np.ndarray, known: np.ndarray, n_documents: int, rng: np.random.Generator) -> np.ndarray:
    """Draw one target per source among the documents it is not linked to; `known` holds the sorted keys of links."""
    n_targets = np.bincount(known // n_documents, minlength=n_documents)
    full = np.flatnonzero(n_targets[sources] >= n_documents - 1)
    if len(full):
        raise PlaitError(
            f"document {sources[full[0]]:,} is linked with every other document, so no unlinked target can be drawn "
            "for it; leave out such documents"
        )
    targets = np.empty_like(sources)
    pending = np.arange(len(sources))
    while len(pending):
        drawn = rng.integers(n_documents, size=len(pending))
        targets[pending] = drawn
        keys = sources[pending] * n_documents + drawn
        nearest = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        pending = pending[(known[nearest] == keys) | (drawn == sources[pending])]
    return np.column_stack([sources, targets])


def _square_matrix(links: Any) -> sparse.csr_array:
    """Return links as a square sparse matrix without stored zeros."""
    matrix = sparse.csr_array(links, copy=True)  # changed in place below
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise PlaitError(f"links are of shape {matrix.shape}; give a documents × documents matrix")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix
