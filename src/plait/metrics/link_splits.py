"""What is held out to see how well links are predicted: documents in folds, or links among known documents."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.validation import check_whole
from plait.errors import PlaitError


class EdgeSplit(NamedTuple):
    """Links to learn from, links to find, and pairs that are not linked.

    Parameters
    ----------
    training
        The links that are left, with their weights (documents × documents).
    linked
        The links held out, a row (source, target) each.
    unlinked
        Pairs that are no links, with the same sources: as many in a row for each row of `linked` as were asked for.
    n_self_links
        How many links of documents to themselves were dropped.
    """

    training: sparse.csr_array
    linked: np.ndarray
    unlinked: np.ndarray
    n_self_links: int


def split_documents(n_documents: int, n_folds: int = 5, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (rows to learn from, rows held out) for each fold; every document is held out once.

    Examples
    --------
    >>> folds = split_documents(10, n_folds=5)
    >>> [len(training) for training, held_out in folds], sorted(int(row) for _, rows in folds for row in rows)
    ([8, 8, 8, 8, 8], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    from sklearn.model_selection import KFold

    if check_whole("n_folds", n_folds, least=2) > check_whole("n_documents", n_documents, least=2):
        raise PlaitError(f"{n_documents} documents cannot make {n_folds} folds; give n_folds={n_documents} at most")
    return list(KFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n_documents)))


def undirected_links(links: Any) -> sparse.csr_array:
    """Return 1 for each pair of documents that is linked in some direction, without links of documents to themselves.

    Examples
    --------
    >>> undirected_links([[0, 2, 0], [0, 1, 0], [0, 0, 0]]).toarray().astype(int).tolist()
    [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    """
    matrix = _square(links)
    either = sparse.coo_array(abs(matrix) + abs(matrix).T)
    kept = either.row != either.col
    ones = np.ones(int(kept.sum()))
    return sparse.csr_array(sparse.coo_array((ones, (either.row[kept], either.col[kept])), shape=matrix.shape))


def split_edges(
    links: Any, share: float = 0.1, *, negatives_per_link: int = 100, directed: bool = False, seed: int = 0
) -> EdgeSplit:
    """Hold a share of the links out, and draw pairs that are not linked from the same sources.

    Parameters
    ----------
    links : array or sparse matrix of shape (documents, documents)
        What is not zero is a link from its row to its column.
    share : float
        The share of the links that is held out.
    negatives_per_link : int
        How many unlinked documents are drawn, with replacement, for the source of each link held out.
    directed : bool
        Whether a link and its reverse are two links. Otherwise they are held out together, and either end of a link,
        drawn by lot, is its source.
    seed : int
        The same seed makes the same split.

    Returns
    -------
    EdgeSplit
        Links to learn from, links to find, and unlinked pairs.

    Examples
    --------
    >>> ring = np.roll(np.eye(10), 1, axis=1)
    >>> split = split_edges(ring, 0.2, negatives_per_link=3)
    >>> split.training.nnz, split.linked.shape, split.unlinked.shape
    (8, (2, 2), (6, 2))
    """
    matrix = sparse.coo_array(_square(links))
    n_negatives = check_whole("negatives_per_link", negatives_per_link, least=1)
    proper = matrix.row != matrix.col
    source, target, weight = (part[proper].copy() for part in (matrix.row, matrix.col, matrix.data))
    n_documents = matrix.shape[0]
    ends = (source, target) if directed else (np.minimum(source, target), np.maximum(source, target))
    keys, link_of = np.unique(ends[0].astype(np.int64) * n_documents + ends[1], return_inverse=True)
    n_held_out = round(share * len(keys))
    if not 0 < n_held_out < len(keys):
        raise PlaitError(
            f"a share of {share} holds {n_held_out} of {len(keys):,} links out; choose it such that at least one link "
            "is held out and one is left"
        )
    rng = np.random.default_rng([seed, n_documents])
    held_out = np.zeros(len(keys), dtype=bool)
    held_out[rng.permutation(len(keys))[:n_held_out]] = True
    linked = np.column_stack(np.divmod(keys[held_out], n_documents))
    if not directed:
        turned = rng.random(len(linked)) < 0.5
        linked[turned] = linked[turned, ::-1]
    left = ~held_out[link_of]
    known = keys if directed else np.union1d(keys, keys % n_documents * n_documents + keys // n_documents)
    return EdgeSplit(
        sparse.csr_array((weight[left], (source[left], target[left])), shape=matrix.shape),
        linked,
        _draw_unlinked(np.repeat(linked[:, 0], n_negatives), known, n_documents, rng),
        int((~proper).sum()),
    )


def _draw_unlinked(sources: np.ndarray, known: np.ndarray, n_documents: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a target for each source among the documents that it does not link to; `known` holds sorted keys."""
    n_targets = np.bincount(known // n_documents, minlength=n_documents)
    full = np.flatnonzero(n_targets[sources] >= n_documents - 1)
    if len(full):
        raise PlaitError(
            f"document {sources[full[0]]:,} is linked with every other document, so there are no unlinked ones to "
            "draw for it; leave such documents out"
        )
    targets = np.empty_like(sources)
    open_places = np.arange(len(sources))
    while len(open_places):
        drawn = rng.integers(n_documents, size=len(open_places))
        targets[open_places] = drawn
        keys = sources[open_places] * n_documents + drawn
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        open_places = open_places[(known[place] == keys) | (drawn == sources[open_places])]
    return np.column_stack([sources, targets])


def _square(links: Any) -> sparse.csr_array:
    """Return links as a square matrix with nothing stored that is zero."""
    matrix = sparse.csr_array(links, copy=True)  # what follows changes it
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise PlaitError(f"links are of shape {matrix.shape}; give a documents × documents matrix")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix
