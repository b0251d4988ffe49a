"""The training documents as a model of links remembers them: their names, their lengths and their topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.responses.linear.bilinear import Listed


def linked_ids(ids: np.ndarray | None, n_documents: int) -> np.ndarray | None:
    """Return the ids of the documents that links are known of: in a stream those of the last slice, which come last."""
    return None if ids is None else ids[len(ids) - n_documents :]


def document_names(ids: np.ndarray | None, n_documents: int) -> np.ndarray:
    """Return the ids of the documents that links are known of, or their numbers where they have none."""
    ids = linked_ids(ids, n_documents)
    if ids is not None:
        return ids
    return np.array([str(number) for number in range(n_documents)], dtype=object)


def find_rows(documents: Any, ids: np.ndarray | None, n_documents: int) -> np.ndarray:
    """Return the rows of documents that links are known of, given by id or by number, one or several."""
    linked = linked_ids(ids, n_documents)
    row_of = {} if linked is None else {str(name): row for row, name in enumerate(linked)}
    rows = []
    given: Iterable[Any] = [documents] if isinstance(documents, (str, int, np.integer)) else documents
    for document in given:
        if isinstance(document, (int, np.integer)) and not isinstance(document, bool):
            if not 0 <= document < n_documents:
                raise PlaitError(f"row {document} is not one of the model's {n_documents:,} training documents")
            rows.append(int(document))
        elif isinstance(document, str) and document in row_of:
            rows.append(row_of[document])
        elif ids is not None and document in ids:
            raise PlaitError(f"{document!r} is of an earlier slice; links are known of those of the last slice only")
        else:
            known = "" if row_of else "; the model was fitted to a matrix, so give numbers of rows"
            raise PlaitError(f"{document!r} is not the id of a training document{known}")
    return np.array(rows, dtype=np.int64)


def lengths(sample: Sample) -> np.ndarray:
    """Return how many words each document has; next to 0 where it has none, for divisions."""
    assert sample.doc_topic is not None
    return np.maximum(np.asarray(sample.doc_topic.sum(axis=1), dtype=np.float64).ravel(), 1e-30)


def mean_topics(sample: Sample) -> sparse.csr_array:
    """Return z̄ of the documents; of one without words, the topics that the prior expects, as of new ones."""
    counted = sample.doc_topic
    assert counted is not None
    shares = counted.data / np.repeat(lengths(sample), np.diff(counted.indptr))
    means = sparse.csr_array((shares, counted.indices, counted.indptr), shape=counted.shape)
    empty = np.diff(counted.indptr) == 0
    if not empty.any():
        return means
    expected = sample.alpha[np.newaxis] / sample.alpha.sum()
    return sparse.csr_array(means + sparse.csr_array(empty[:, np.newaxis]) @ sparse.csr_array(expected))


def list_topics(sample: Sample) -> Listed:
    """Return the same as a list of each document's topics."""
    means = mean_topics(sample)
    return Listed(means.indptr.astype(np.int64), means.indices.astype(np.int32), means.data)
