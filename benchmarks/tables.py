"""Tables of figures, printed as Markdown for the documentation."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; all columns but the first are aligned right."""
    table = Table(box=box.MARKDOWN)
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    # Wider than any table, so that nothing is truncated in a pipe.
    console = Console(width=400, highlight=False, emoji=False)
    with console.capture() as text:
        console.print(table)
    lines = [line.rstrip() for line in text.get().splitlines()]
    print(f"\n{title}\n", *filter(None, lines), sep="\n")


def say(line: str) -> None:
    """Print progress on standard error."""
    print(line, file=sys.stderr, flush=True)
