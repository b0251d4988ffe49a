"""Tables of figures, printed as Markdown for the documentation, and kept for `experiments/run.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple


class Table(NamedTuple):
    """A printed table."""

    title: str
    columns: list[str]
    rows: list[list[str]]


_kept: list[list[Table]] = []  # lists that printed tables are added to


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; all columns but the first are aligned right."""
    cells = [list(columns), *map(list, rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    lines = [
        " | ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in cells)
    ]
    rule = "|".join("-" * (width + 2) for width in widths)
    print(f"\n{title}\n", f"| {lines[0]} |", f"|{rule}|", *(f"| {line} |" for line in lines[1:]), sep="\n")
    for tables in _kept:
        tables.append(Table(title, cells[0], cells[1:]))


@contextmanager
def printed_tables() -> Iterator[list[Table]]:
    """Return the list of all tables that are printed in the block."""
    tables: list[Table] = []
    _kept.append(tables)
    try:
        yield tables
    finally:
        _kept.remove(tables)


def say(line: str) -> None:
    """Print progress on standard error."""
    print(line, file=sys.stderr, flush=True)
