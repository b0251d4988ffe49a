"""Training documents as a fitted model keeps them: their ids, lengths and topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.responses.linear.link_sums import CountedTopics, TopicLists


def linked_ids(ids: np.ndarray | None, n_documents: int) -> np.ndarray | None:
    """Return the ids of the documents whose links are known: in a stream the last ones, those of the last slice."""
    return None if ids is None else ids[len(ids) - n_documents :]


def document_names(ids: np.ndarray | None, n_documents: int) -> np.ndarray:
    """Return the ids of the documents whose links are known, or row numbers if they have no ids."""
    ids = linked_ids(ids, n_documents)
    if ids is not None:
        return ids
    return np.array([str(number) for number in range(n_documents)], dtype=object)


def as_list(documents: Any) -> list[Any]:
    """Return documents as a list; one id or row number is a list of one."""
    return [documents] if isinstance(documents, (str, int, np.integer)) else list(documents)


def find_rows(documents: Any, ids: np.ndarray | None, n_documents: int) -> np.ndarray:
    """Return the rows of documents whose links are known.

    Parameters
    ----------
    documents : str, int, or iterable of them
        Ids or row numbers.
    ids : ndarray of str, or None
        Ids of the training documents.
    n_documents : int
        Number of documents whose links are known.

    Returns
    -------
    ndarray of int64
        Row numbers.
    """
    linked = linked_ids(ids, n_documents)
    row_of = {} if linked is None else {str(name): row for row, name in enumerate(linked)}
    rows = []
    for document in as_list(documents):
        if isinstance(document, (int, np.integer)) and not isinstance(document, bool):
            if not 0 <= document < n_documents:
                raise PlaitError(f"row {document} is not one of the model's {n_documents:,} training documents")
            rows.append(int(document))
        elif isinstance(document, str) and document in row_of:
            rows.append(row_of[document])
        elif ids is not None and document in ids:
            raise PlaitError(f"{document!r} is of an earlier slice; links are known of those of the last slice only")
        else:
            known = (
                ""
                if row_of
                else "; the model knows no ids (it was fitted to a matrix or with keep='nothing'), so give rows"
            )
            raise PlaitError(f"{document!r} is not the id of a training document{known}")
    return np.array(rows, dtype=np.int64)


def lengths(sample: Sample) -> np.ndarray:
    """Return the number of tokens of each training document; 1e-30 for empty ones, as a divisor."""
    assert sample.doc_topic is not None
    return _totals(sample.doc_topic)


def _totals(counted: sparse.csr_array) -> np.ndarray:
    return np.maximum(np.asarray(counted.sum(axis=1), dtype=np.float64).ravel(), 1e-30)


def mean_topics(sample: Sample, rows: np.ndarray | None = None) -> sparse.csr_array:
    """Return z̄ of training documents (documents × topics); that of an empty document is the prior's.

    Parameters
    ----------
    sample : Sample
        A sample with the topics of the training documents.
    rows : ndarray of int, optional
        Row numbers of the documents; None for all.
    """
    assert sample.doc_topic is not None
    counted = sample.doc_topic if rows is None else sample.doc_topic[rows]
    shares = counted.data / np.repeat(_totals(counted), np.diff(counted.indptr))
    means = sparse.csr_array((shares, counted.indices, counted.indptr), shape=counted.shape)
    empty = np.diff(counted.indptr) == 0
    if not empty.any():
        return means
    expected = sample.alpha[np.newaxis] / sample.alpha.sum()
    return sparse.csr_array(means + sparse.csr_array(empty[:, np.newaxis]) @ sparse.csr_array(expected))


def known_topics(sample: Sample) -> CountedTopics:
    """Return the topics of the training documents as counts."""
    counted = sample.doc_topic
    assert counted is not None
    return CountedTopics(counted.indptr, counted.indices, counted.data, sample.alpha / sample.alpha.sum())


def list_topics(sample: Sample) -> TopicLists:
    """Return z̄ of the training documents as a list of the topics of each."""
    means = mean_topics(sample)
    return TopicLists(means.indptr.astype(np.int64), means.indices.astype(np.int32), means.data)
