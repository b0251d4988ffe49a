"""Files of links: tables, JSON lines, Parquet and GraphML."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.formats.frame import parquet_rows
from plait.corpus.readers.formats.jsonl import jsonl_rows
from plait.corpus.readers.formats.linqs import linqs_links
from plait.corpus.readers.formats.table import Cells, check_header, table_cells
from plait.corpus.readers.links import links_in_graph
from plait.corpus.readers.records import LinkRecord
from plait.corpus.readers.streams import plain_name, read_bytes

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
        yield from _links_in_rows(path, parquet_rows(path))
    elif name.endswith(".graphml"):
        yield from links_in_graph(_graphml(path), path.name)
    elif name.endswith(".cites"):
        yield from linqs_links(path, encoding, problems)
    else:
        raise CorpusError(
            f"{path.name} has no known format for links; give one of "
            f"{', '.join(LINK_SUFFIXES)} or .cites, plain, .gz or .zst"
        )


def _columns(names: list[str], path: Path) -> tuple[str, str, str | None]:
    """Return the fields of source, target and weight; by default the first two fields are source and target."""
    by_name = {name.strip().lower(): name for name in reversed(names)}
    weight = next((by_name[guess] for guess in _WEIGHTS if guess in by_name), None)
    for source, target in _ENDS:
        if source in by_name and target in by_name:
            return by_name[source], by_name[target], weight
    if len(names) < 2:
        raise CorpusError(
            f"{path.name}: links need two fields, source and target, but the only field is {', '.join(names)}"
        )
    return names[0], names[1], weight


def _links_in_rows(path: Path, rows: Iterator[Any]) -> Iterator[LinkRecord]:
    fields: dict[tuple[str, ...], tuple[str, str, str | None]] = {}
    for row in rows:
        layout = tuple(row.values)
        if layout not in fields:
            fields[layout] = _columns(list(layout), path)
        source, target, weight = fields[layout]
        yield LinkRecord(
            row.place, row.values[source], row.values[target], None if weight is None else row.values[weight]
        )


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
        place = f"{path.name}, line {row.line}"
        if row.error:
            problems.report(row.kind, place, row.error)
        elif len(row.cells) != width:
            problems.report("broken row", place, f"the row has {len(row.cells)} cells where the first has {width}")
        else:
            yield _link(row, columns, path)


def _link(row: Cells, columns: list[int | None], path: Path) -> LinkRecord:
    source, target, weight = (None if column is None else row.cells[column] for column in columns)
    return LinkRecord(f"{path.name}, line {row.line}", source, target, weight)


def _graphml(path: Path) -> Any:
    try:
        import networkx
    except ImportError as error:
        raise CorpusError(f"{path.name}: GraphML needs networkx; pip install plait[graph]") from error
    try:
        return networkx.read_graphml(io.BytesIO(read_bytes(path)))
    except (networkx.NetworkXError, SyntaxError) as error:  # a broken XML file is a SyntaxError
        raise CorpusError(f"{path.name} is not readable GraphML ({error})", place=path.name) from error
