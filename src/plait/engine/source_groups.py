"""Groups of new documents that link to each other: the documents of a group are folded in together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.samplers.base import Candidates

NEW = -1  # marks a row of a new document


class Groups(NamedTuple):
    """Groups of new documents, and the rows of counts that each group needs.

    A row is a candidate source of the group: a training document or a new one.
    """

    starts: np.ndarray  # int64: group g has the documents order[starts[g]] up to order[starts[g + 1]]
    order: np.ndarray  # int64: documents, group by group, in their given order within each
    row_starts: np.ndarray  # int64: group g has rows row_starts[g] up to row_starts[g + 1]
    row_documents: np.ndarray  # int64: the training document of each row, or NEW
    rows: np.ndarray  # int64: row of every candidate of every document, counted from the group's first


def group_documents(candidates: Candidates, n_known: int) -> Groups:
    """Group new documents that are linked with each other, directly or through other new documents.

    Parameters
    ----------
    candidates : Candidates
        Candidate sources of every new document: first itself, then training documents by their numbers and new
        documents by `n_known` + their numbers.
    n_known : int
        Number of training documents.

    Returns
    -------
    Groups
        The groups and their rows.
    """
    n_documents = candidates.starts.size - 1
    owners = np.repeat(np.arange(n_documents), np.diff(candidates.starts))
    documents = candidates.documents.copy()
    documents[candidates.starts[:-1]] = n_known + np.arange(n_documents)  # a document's first candidate is itself
    new = documents >= n_known
    ties = sparse.csr_array(
        (np.ones(np.count_nonzero(new)), (owners[new], documents[new] - n_known)), shape=(n_documents, n_documents)
    )
    n_groups, group_of = sparse.csgraph.connected_components(ties, directed=False)
    order = np.argsort(group_of, kind="stable")
    # One row per candidate source of a group: groups one after the other, in each its documents by number.
    most = n_known + n_documents
    keys, places = np.unique(group_of[owners].astype(np.int64) * most + documents, return_inverse=True)
    row_starts = np.searchsorted(keys, np.arange(n_groups + 1, dtype=np.int64) * most)
    found = keys % most
    return Groups(
        starts=np.searchsorted(group_of[order], np.arange(n_groups + 1)).astype(np.int64),
        order=order.astype(np.int64),
        row_starts=row_starts.astype(np.int64),
        row_documents=np.where(found < n_known, found, NEW),
        rows=places.ravel() - row_starts[group_of[owners]],
    )
