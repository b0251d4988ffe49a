"""Folds of the labelled training documents, for held-out scores."""

from __future__ import annotations

import numpy as np


def make_folds(signs: np.ndarray, n_folds: int) -> np.ndarray:
    """Return the fold of every labelled document: runs of neighbouring documents, within each label.

    Neighbours in a corpus are often related (a thread, a day, an author), so a document is scored without them, as a
    new document would be. Documents are grouped by their rarest label, and every group is spread over all folds.

    Parameters
    ----------
    signs : ndarray of shape (documents, tasks)
        +1, −1, or 0 for unknown.
    n_folds : int
        Number of folds.

    Returns
    -------
    ndarray of shape (documents,)
        Number of the fold; −1 for documents without any known label.

    Examples
    --------
    >>> make_folds(np.array([[1], [1], [-1], [1], [0], [-1], [1], [-1], [-1]]), 2).tolist()
    [0, 0, 0, 1, -1, 0, 1, 1, 1]
    """
    n_having = (signs > 0).sum(axis=0)
    # The rarest label that a document has; documents that have none are a group of their own.
    rank = np.where(signs > 0, n_having, np.iinfo(np.int64).max)
    group = np.where((signs > 0).any(axis=1), rank.argmin(axis=1), signs.shape[1])
    folds = np.full(len(signs), -1)
    labelled = (signs != 0).any(axis=1)
    begin = 0
    for number in np.unique(group[labelled]):
        rows = np.flatnonzero(labelled & (group == number))
        # Small groups do not all begin with the first fold.
        folds[rows] = (np.arange(rows.size) * n_folds // rows.size + begin) % n_folds
        begin += rows.size < n_folds
    return folds
