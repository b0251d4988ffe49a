"""CSV and TSV tables with a header that names the fields."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from plait.corpus.problems import WRONG_ENCODING, CorpusError, Problems
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
    lines : int
        Number of lines that it spans.
    cells : list of str
        Its cells.
    kind : str
        Kind of problem, or "".
    error : str
        What is wrong with the row, or "".
    """

    line: int
    lines: int
    cells: list[str]
    kind: str
    error: str

    def is_whole(self, width: int, path: Path, problems: Problems, first: str = "the header") -> bool:
        """Return whether the row can be used; report what is wrong with it.

        A quote in the wrong place can make one row of many, so each line of a broken row is counted.

        Parameters
        ----------
        width : int
            Number of cells of the first row.
        path : Path
            The file.
        problems : Problems
            Raises or counts the problems.
        first : str, default "the header"
            What the first row is.

        Returns
        -------
        bool
            False if it was reported.
        """
        kind, error = self.kind, self.error
        if not error and len(self.cells) != width:
            kind, error = "broken row", f"the row has {len(self.cells)} cells where {first} has {width}"
        if error:
            end = f"; it ends in line {self.line + self.lines - 1:,}" if self.lines > 1 else ""
            count = self.lines if kind == "broken row" else 1
            problems.report(kind, f"{path.name}, line {self.line}", error + end, count=count)
        return not error


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
            if "end of data" in str(problem) and reader.line_num > start:
                _raise_open_quote(path, start, reader.line_num)
        if undecoded:
            kind, error = WRONG_ENCODING, undecoded[0]
            undecoded.clear()
        if cells or error:
            yield Cells(start, reader.line_num - start + 1, cells, kind, error)


def _raise_open_quote(path: Path, start: int, end: int) -> None:
    """Raise an error: most of the file may be missing, so the quote cannot be skipped."""
    raise CorpusError(
        f"{path.name}, line {start}: a quote is opened in this row and not closed until the end of the file, "
        f"line {end:,}; close it, or double the quotes inside a cell",
        kind="broken row",
        place=f"{path.name}, line {start}",
    )


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
        if row.is_whole(len(header), path, problems):
            values = {name: cell or None for name, cell in zip(header, row.cells, strict=True)}
            yield Row(f"{path.name}, line {row.line}", number, values)


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
        parameter = "encoding" if row.kind == WRONG_ENCODING else None
        message = f"{path.name}, line {row.line}: {row.error}; correct the header"
        raise CorpusError(message, kind=row.kind, parameter=parameter)
    header = [name.strip() for name in row.cells]
    repeated = [name for name, count in Counter(header).items() if count > 1]
    if repeated:
        name = shown(min(repeated))
        raise CorpusError(f"{path.name}, line {row.line}: two columns have the name {name}; rename one")
    return header
