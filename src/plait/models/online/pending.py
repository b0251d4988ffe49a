"""A collection cut into slices, each with its labels, values and links, and the time span of a slice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.link_matrix import as_matrix
from plait.models.inputs import Inputs


class PendingSlice(NamedTuple):
    """A slice that is to be learned."""

    label: str | None
    X: Any
    inputs: Inputs


def cut_into_slices(X: Any, inputs: Inputs, times: Any, on_error: Literal["raise", "skip"]) -> Iterator[PendingSlice]:
    """Cut a collection, and its labels, values and links, into slices.

    Parameters
    ----------
    X : Corpus, or matrix of shape (documents, words)
        The collection.
    inputs : Inputs
        Labels, values and links of all documents.
    times : str, int, sequence or None
        How to cut, as in `Corpus.slice_by_time`; None for one slice.
    on_error : {"raise", "skip"}
        What to do with a document without a time.

    Yields
    ------
    PendingSlice
        Slices, oldest first.
    """
    if times is None:
        yield PendingSlice(None, X, inputs)
        return
    if not isinstance(X, Corpus):
        raise PlaitError("times cuts a Corpus whose documents have times; give one, or the slices to partial_fit")
    for label, own in X.slice_by_time(times, on_error=on_error):
        rows = np.array([X._row_of[name] for name in own.ids], dtype=np.int64)
        links = inputs.links
        if links is not None:
            links = sparse.csr_array(as_matrix(links))[rows][:, rows]
        yield PendingSlice(label, own, Inputs(_rows(inputs.labels, rows), _rows(inputs.values, rows), links))


def _rows(given: Any, rows: np.ndarray) -> Any:
    if given is None:
        return None
    return given[rows] if sparse.issparse(given) or isinstance(given, np.ndarray) else [given[row] for row in rows]


def time_span(X: Any) -> tuple[str | None, str | None]:
    """Return the first and the last time of a slice's documents, as text; documents without a time are ignored."""
    times = X.times if isinstance(X, Corpus) else None
    if times is None or np.isnat(times).all():
        return None, None
    return str(np.nanmin(times)), str(np.nanmax(times))


def format_days(begins: str | None, ends: str | None) -> str | None:
    """Return a time span as text, such as "2020-01-01 to 2020-01-31"; None if the times are unknown."""
    if begins is None or ends is None:
        return None
    first, last = begins[:10], ends[:10]
    return first if first == last else f"{first} to {last}"
