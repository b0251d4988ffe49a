"""A collection cut into slices, each with its share of what is to be explained, and when a slice was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.corpus import Corpus
from plait.errors import PlaitError
from plait.inputs.link_matrix import as_matrix
from plait.models.topic_model import Inputs


class Part(NamedTuple):
    """One slice that is about to be learnt."""

    label: str | None
    X: Any
    inputs: Inputs


def cut_into_parts(X: Any, inputs: Inputs, times: Any, on_error: Literal["raise", "skip"]) -> Iterator[Part]:
    """Cut a collection, and what is to be explained of it, into slices."""
    if times is None:
        yield Part(None, X, inputs)
        return
    if not isinstance(X, Corpus):
        raise PlaitError("times cuts a Corpus whose documents have times; give one, or the slices to partial_fit")
    for label, part in X.slice_by_time(times, on_error=on_error):
        rows = np.array([X._row_of[name] for name in part.ids], dtype=np.int64)
        links = inputs.links
        if links is not None:
            links = sparse.csr_array(as_matrix(links))[rows][:, rows]
        yield Part(label, part, Inputs(_rows(inputs.labels, rows), _rows(inputs.values, rows), links))


def _rows(given: Any, rows: np.ndarray) -> Any:
    if given is None:
        return None
    return given[rows] if sparse.issparse(given) or isinstance(given, np.ndarray) else [given[row] for row in rows]


def time_span(X: Any) -> tuple[str | None, str | None]:
    """Return the first and the last time of a slice's documents; one without a time is no help, and no harm."""
    times = X.times if isinstance(X, Corpus) else None
    if times is None or np.isnat(times).all():
        return None, None
    return str(np.nanmin(times)), str(np.nanmax(times))


def named_by_days(begins: str | None, ends: str | None) -> str | None:
    """Return the days from a time to another, in words."""
    if begins is None or ends is None:
        return None
    first, last = begins[:10], ends[:10]
    return first if first == last else f"{first} to {last}"
