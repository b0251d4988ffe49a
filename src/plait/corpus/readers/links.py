"""Links from any origin, checked one by one and collected in a matrix documents × documents."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from plait.corpus.container.frozen import release
from plait.corpus.numbers import to_float
from plait.corpus.problems import SELF_LINK, BadValueError, CorpusError, Problems
from plait.corpus.readers.records import LinkRecord
from plait.corpus.values import parse_id, shown

_OUTSIDE = ("link to an unknown document", "link to a skipped document", SELF_LINK)
LinkReader = Callable[[Collection[str], Problems], Iterable[LinkRecord]]
_FORMS = "give a file, a networkx graph, a sparse matrix, or (source, target[, weight]) tuples"


def link_matrix(
    entries: Iterable[LinkRecord], row_of: Mapping[str, int], left_out: Collection[str], problems: Problems
) -> csr_array:
    """Return the links as a matrix of weights. Duplicate links are merged and their weights summed.

    Parameters
    ----------
    entries : iterable of LinkRecord
        The links as they were read.
    row_of : mapping of str to int
        The row of each document id.
    left_out : collection of str
        Ids of skipped documents. Links to them are reported as such, not as links to unknown ids.
    problems : Problems
        Raises or counts the links that cannot be used.

    Returns
    -------
    csr_array of shape (documents, documents)
        The weights.
    """
    rows, columns, weights = array("q"), array("q"), array("d")
    for entry in entries:
        problems.add_row()
        try:
            source = _end(entry.source, "source", row_of, left_out)
            target = _end(entry.target, "target", row_of, left_out)
            if source == target:
                raise BadValueError(SELF_LINK, f"{shown(entry.source)} links to itself")
            weight = _weight(entry.weight)
        except BadValueError as error:
            # A file of links often covers more documents than the corpus, so that such links have no limit.
            lost = "" if error.kind in _OUTSIDE else "document"
            problems.report(error.kind, entry.place, error.message, field=error.field, fix="remove the link", lost=lost)
            continue
        rows.append(source)
        columns.append(target)
        weights.append(weight)
    shape = (len(row_of), len(row_of))
    places = (np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64))
    return release(csr_array(coo_array((np.array(weights), places), shape=shape)))


def _end(value: Any, side: str, row_of: Mapping[str, int], left_out: Collection[str]) -> int:
    try:
        name = parse_id(value)
    except BadValueError as error:
        message = "the link has no id in this field" if error.kind == "missing id" else error.message
        raise BadValueError(error.kind, message, side) from error
    row = row_of.get(name)
    if row is not None:
        return row
    if name in left_out:
        raise BadValueError("link to a skipped document", f"the document {shown(name)} was skipped", side)
    raise BadValueError("link to an unknown document", f"no document has the id {shown(name)}", side)


def _weight(value: Any) -> float:
    if value is None or value == "":
        return 1.0
    number = value
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            number = math.nan
    if isinstance(number, bool) or not isinstance(number, Real) or not 0 < to_float(number) < math.inf:
        raise BadValueError("bad weight", f"{shown(value)} is not a finite number above 0", "weight")
    return float(number)


def given_links(links: Any, encoding: str = "utf-8") -> LinkReader | None:
    """Return a function that yields the links that a caller gave as ``links=``.

    Parameters
    ----------
    links : path, networkx graph, sparse matrix, Links, iterable of tuples or None
        The links.
    encoding : str, default "utf-8"
        Encoding of a file.

    Returns
    -------
    callable or None
        Takes the ids of the documents and a `Problems`, and yields `LinkRecord`; None if there are no links.
    """
    links = getattr(links, "matrix", links)  # of plait.Links
    return None if links is None else partial(_read_given, links, encoding)


def _read_given(links: Any, encoding: str, ids: Collection[str], problems: Problems) -> Iterator[LinkRecord]:
    if isinstance(links, str | Path):
        from plait.corpus.readers.formats.link_files import read_links

        yield from read_links(Path(links), encoding, ids, problems)
    elif issparse(links):
        yield from _links_in_matrix(links, list(ids))
    elif hasattr(links, "edges") and hasattr(links, "is_directed"):
        yield from links_in_graph(links, "links")
    elif isinstance(links, Iterable) and not isinstance(links, Mapping | bytes):
        yield from _links_in_tuples(links)
    else:
        raise CorpusError(f"links is {shown(links)}; {_FORMS}", field="links")


def _links_in_matrix(matrix: Any, ids: list[str]) -> Iterator[LinkRecord]:
    if matrix.shape != (len(ids), len(ids)):
        raise CorpusError(
            f"links is {matrix.shape[0]:,} × {matrix.shape[1]:,} but there are {len(ids):,} documents",
            field="links",
        )
    entries = coo_array(matrix)
    for row, column, weight in zip(entries.row, entries.col, entries.data, strict=True):
        if weight != 0:
            yield LinkRecord(f"links[{row}, {column}]", ids[row], ids[column], float(weight))


def links_in_graph(graph: Any, name: str) -> Iterator[LinkRecord]:
    """Yield the edges of a networkx graph, in both directions if it is undirected.

    Parameters
    ----------
    graph : networkx graph
        The graph.
    name : str
        Name for error messages.

    Yields
    ------
    LinkRecord
        A link.
    """
    for number, (source, target, weight) in enumerate(graph.edges(data="weight"), start=1):
        place = f"{name}, edge {number}"
        yield LinkRecord(place, source, target, weight)
        if not graph.is_directed() and source != target:
            yield LinkRecord(place, target, source, weight)


def _links_in_tuples(links: Iterable[Any]) -> Iterator[LinkRecord]:
    for number, link in enumerate(links, start=1):
        if isinstance(link, str) or not hasattr(link, "__len__") or len(link) not in (2, 3):
            raise CorpusError(f"links, item {number} is {shown(link)}; {_FORMS}", field="links")
        yield LinkRecord(f"links, item {number}", *link)
