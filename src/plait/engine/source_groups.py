"""New documents that link to each other, put into groups: a group is folded in together, each group by itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.csgraph import connected_components

from plait.samplers.base import Candidates

NEW = -1  # in the place of a known document's number


class Groups(NamedTuple):
    """Which new documents are folded in together, and the rows of counts that each group needs.

    A row is a document that words of the group may be drawn from, known or new.
    """

    starts: np.ndarray  # int64: group g has the documents order[starts[g]] up to order[starts[g + 1]]
    order: np.ndarray  # int64: documents, group by group, in each as they were given
    row_starts: np.ndarray  # int64: group g has so many rows: row_starts[g] up to row_starts[g + 1]
    row_documents: np.ndarray  # int64: the known document of each row, or NEW
    rows: np.ndarray  # int64, of every candidate of every document: its row, counted from the group's first


def group_documents(candidates: Candidates, n_known: int) -> Groups:
    """Put documents that are linked with each other, directly or through other new ones, into one group.

    Parameters
    ----------
    candidates
        For every new document itself, then those that it may draw from: known ones by their numbers, new ones by
        `n_known` + their numbers.
    """
    n_documents = candidates.starts.size - 1
    owners = np.repeat(np.arange(n_documents), np.diff(candidates.starts))
    documents = candidates.documents.copy()
    documents[candidates.starts[:-1]] = n_known + np.arange(n_documents)  # a document's first candidate is itself
    new = documents >= n_known
    ties = sparse.csr_array(
        (np.ones(np.count_nonzero(new)), (owners[new], documents[new] - n_known)), shape=(n_documents, n_documents)
    )
    n_groups, group_of = connected_components(ties, directed=False)
    order = np.argsort(group_of, kind="stable")
    # A row for each document that a group draws from: groups one after the other, in each its documents by number.
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
