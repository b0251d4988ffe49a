"""CSV and TSV tables with a header that names the fields."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.fields import Row
from plait.corpus.readers.streams import plain_name, read_lines
from plait.corpus.values import shown

_LARGEST_CELL = 2**31 - 1


class Cells(NamedTuple):
    """One row of a table.

    Parameters
    ----------
    line : int
        Line number where it starts.
    cells : list of str
        Its cells.
    kind : str
        Kind of problem, or "".
    error : str
        What is wrong with the row, or "".
    """

    line: int
    cells: list[str]
    kind: str
    error: str


@contextmanager
def _large_cells() -> Iterator[None]:
    """Raise the csv module's limit of 128 KiB per cell, because documents can be longer."""
    before = csv.field_size_limit(_LARGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def table_cells(path: Path, encoding: str) -> Iterator[Cells]:
    """Yield the rows of a table as lists of cells, without blank lines.

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding.

    Yields
    ------
    Cells
        A row.
    """
    lines = read_lines(path, encoding)
    first = next(lines)
    undecoded: list[str] = []

    def texts() -> Iterator[str]:
        for line in itertools.chain([first], lines):
            if line.error is not None:
                undecoded.append(line.error)
            yield line.text

    delimiter = "\t" if plain_name(path).endswith(".tsv") else _delimiter(first.text)
    reader = csv.reader(texts(), delimiter=delimiter, skipinitialspace=delimiter != "\t", strict=True)
    while True:
        start = reader.line_num + 1
        kind, error, cells = "", "", []
        try:
            with _large_cells():
                cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            kind, error = "broken row", f"the row cannot be read ({problem})"
        if undecoded:
            kind, error = "wrong encoding", undecoded[0]
            undecoded.clear()
        if cells or error:
            yield Cells(start, cells, kind, error)


def _delimiter(header: str) -> str:
    """Return the most likely delimiter: the one that occurs most often in the header."""
    return max(",;\t", key=header.count)


def table_rows(path: Path, encoding: str, problems: Problems) -> Iterator[Row]:
    """Yield the rows of a table as mappings from the names in the header; an empty cell is None.

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding.
    problems : Problems
        Raises or counts the problems.

    Yields
    ------
    Row
        A row.
    """
    rows = table_cells(path, encoding)
    header = check_header(next(rows, None), path)
    for number, row in enumerate(rows, start=1):
        place = f"{path.name}, line {row.line}"
        kind, error = row.kind, row.error
        if not error and len(row.cells) != len(header):
            kind, error = (
                "broken row",
                f"the row has {len(row.cells)} cells where the header has {len(header)}",
            )
        if error:
            problems.report(kind, place, error)
            continue
        yield Row(place, number, {name: cell or None for name, cell in zip(header, row.cells, strict=True)})


def check_header(row: Cells | None, path: Path) -> list[str]:
    """Return the names in the header, which must be readable and unique.

    Parameters
    ----------
    row : Cells or None
        The first row; None if the file is empty.
    path : Path
        The file, for error messages.

    Returns
    -------
    list of str
        The names.
    """
    if row is None:
        raise CorpusError(f"{path.name} is empty", kind="empty file", place=path.name)
    if row.error:
        raise CorpusError(f"{path.name}, line {row.line}: {row.error}; correct the header", kind=row.kind)
    header = [name.strip() for name in row.cells]
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise CorpusError(f"{path.name}, line {row.line}: two columns have the name {shown(repeated[0])}; rename one")
    return header
