"""Files of links: tables, JSON lines, Parquet and GraphML."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

from plait._utils.wording import how_to_install
from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.formats.frame import parquet_rows
from plait.corpus.readers.formats.jsonl import jsonl_rows
from plait.corpus.readers.formats.linqs import linqs_links
from plait.corpus.readers.formats.table import Cells, check_header, table_cells
from plait.corpus.readers.links import links_in_graph
from plait.corpus.readers.records import LinkRecord
from plait.corpus.readers.streams import COMPRESSED, plain_name, read_bytes
from plait.corpus.values import describe_error, join_short

LINK_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".graphml")
_ENDS = (
    ("source", "target"),
    ("from", "to"),
    ("citing", "cited"),
    ("source_id", "target_id"),
    ("src", "dst"),
)
_WEIGHTS = ("weight", "count", "strength")


def read_links(path: Path, encoding: str, ids: Collection[str], problems: Problems) -> Iterator[LinkRecord]:
    """Yield the links in a file of any known format.

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding.
    ids : collection of str
        Ids of the documents; a first row of two ids is not a header.
    problems : Problems
        Raises or counts the problems.

    Yields
    ------
    LinkRecord
        A link.
    """
    if not path.is_file():
        raise CorpusError(f"links: there is no file {path}; give one of {', '.join(LINK_SUFFIXES)} or .cites")
    name = plain_name(path)
    if name.endswith((".csv", ".tsv")):
        yield from _links_in_table(path, encoding, ids, problems)
    elif name.endswith((".jsonl", ".ndjson")):
        yield from _links_in_rows(path, jsonl_rows(path, encoding, problems))
    elif name.endswith(".parquet"):
        yield from _links_in_rows(path, parquet_rows(path, problems))
    elif name.endswith(".graphml"):
        yield from links_in_graph(_graphml(path), path.name)
    elif name.endswith(".cites"):
        yield from linqs_links(path, encoding, problems)
    else:
        raise CorpusError(
            f"{path.name} has no known format for links; give one of {', '.join(LINK_SUFFIXES)} or .cites, {COMPRESSED}"
        )


def _named_columns(names: Iterable[str]) -> tuple[str, str, str | None] | None:
    """Return the fields of source, target and weight if their names are known."""
    by_name = {name.strip().lower(): name for name in reversed(list(names))}
    weight = next((by_name[guess] for guess in _WEIGHTS if guess in by_name), None)
    for source, target in _ENDS:
        if source in by_name and target in by_name:
            return by_name[source], by_name[target], weight
    return None


def _columns(names: list[str], path: Path) -> tuple[str, str, str | None]:
    """Return the fields of source, target and weight; by default the first two fields are source and target."""
    found = _named_columns(names)
    if found is not None:
        return found
    if len(names) < 2:
        raise CorpusError(
            f"{path.name}: links need two fields, source and target, but the only field is {join_short(names)}"
        )
    weight = next((name for name in names[2:] if name.strip().lower() in _WEIGHTS), None)
    return names[0], names[1], weight


def _links_in_rows(path: Path, rows: Iterator[Any]) -> Iterator[LinkRecord]:
    """Yield the links in rows. A row without the fields of the rows before is a link with missing ends."""
    columns: dict[tuple[str, ...], tuple[str, str, str | None]] = {}
    usual: tuple[str, str, str | None] | None = None
    first: tuple[str, ...] | None = None
    for row in rows:
        layout = tuple(row.values)
        first = first or layout
        if layout not in columns:
            named = _named_columns(layout)
            if named is None and usual is None and len(layout) > 1:
                named = _columns(list(layout), path)
            usual = usual or named
            columns[layout] = named or usual or ("source", "target", None)
        source, target, weight = columns[layout]
        values = row.values
        yield LinkRecord(row.place, values.get(source), values.get(target), values.get(weight) if weight else None)
    if usual is None and first is not None:
        _columns(list(first), path)  # no row has two fields: raises an error


def _links_in_table(path: Path, encoding: str, ids: Collection[str], problems: Problems) -> Iterator[LinkRecord]:
    rows = table_cells(path, encoding)
    first = next(rows, None)
    if first is not None and len(first.cells) in (2, 3) and all(cell in ids for cell in first.cells[:2]):
        columns: list[int | None] = [0, 1, 2 if len(first.cells) == 3 else None]
        width = len(first.cells)
        yield _link(first, columns, path)
    else:
        header = check_header(first, path)
        columns = [None if name is None else header.index(name) for name in _columns(header, path)]
        width = len(header)
    for row in rows:
        if row.is_whole(width, path, problems, first="the first"):
            yield _link(row, columns, path)


def _link(row: Cells, columns: list[int | None], path: Path) -> LinkRecord:
    source, target, weight = (None if column is None else row.cells[column] for column in columns)
    return LinkRecord(f"{path.name}, line {row.line}", source, target, weight)


def _graphml(path: Path) -> Any:
    try:
        import networkx
    except ImportError as error:
        raise CorpusError(f"{path.name}: GraphML needs networkx; {how_to_install('graph')}") from error
    content = read_bytes(path)
    try:
        _refuse_document_type(content)
        return networkx.read_graphml(io.BytesIO(content))
    except _DocumentTypeError as error:
        raise CorpusError(
            f"{path.name} declares a document type, which can name other files and grow without limit; remove it",
            place=path.name,
        ) from error
    except Exception as error:  # networkx and the XML parser raise errors of many types for broken files
        raise CorpusError(f"{path.name} is not readable GraphML ({describe_error(error)})", place=path.name) from error


class _DocumentTypeError(Exception):
    """An XML file declares a document type, and so can declare entities."""


def _refuse_document_type(content: bytes) -> None:
    def refuse(*_: Any) -> None:
        raise _DocumentTypeError

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(content, True)
