"""Tables and short texts for the terminal; in pipes and files, tables are plain text of any width.

Texts from files are printed without control characters, and very long ones are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TextIO

from plait._utils.tables import plain_table
from plait._utils.text import MOST_CHARACTERS, printable

_WORD = 100  # characters of one of several words


@dataclass
class Table:
    """Rows of text under named columns.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns.
    right : set of str
        Columns that are aligned to the right, as numbers are.
    header : bool, default True
        Whether to print the names of the columns.
    lists : set of str
        Columns with several words per cell, which are cut one by one.
    most : int, default 200
        Number of characters after which other cells are cut.

    Examples
    --------
    >>> table = Table(["topic", "words"], right={"topic"})
    >>> table.add("0", "river stream")
    >>> table.add("11", "money loan bank")
    >>> print(table.plain())
    topic  words
        0  river stream
       11  money loan bank
    """

    columns: Sequence[str]
    right: frozenset[str] | set[str] = frozenset()
    header: bool = True
    lists: frozenset[str] | set[str] = frozenset({"words"})
    most: int = MOST_CHARACTERS
    rows: list[list[str]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Add a row.

        Parameters
        ----------
        *cells : str
            One text per column.
        """
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append([self._cell(name, cell) for name, cell in zip(self.columns, cells, strict=True)])

    def _cell(self, column: str, text: str) -> str:
        if column in self.lists:
            return " ".join(printable(word, _WORD) for word in text.split(" "))
        return printable(text, self.most)

    def plain(self) -> str:
        """Return the table as plain text, as wide as it needs to be.

        Returns
        -------
        str
            One line per row.
        """
        # Not by Rich, which takes 10 s for 20,000 rows.
        return plain_table(self.columns, self.rows, self.right, header=self.header)

    def show(self) -> None:
        """Print the table to standard output: with rules and colours in a terminal, else as plain text."""
        from rich import box
        from rich.console import Console
        from rich.table import Table as RichTable
        from rich.text import Text

        console = Console()
        if not console.is_terminal:
            print(self.plain())
            return
        table = RichTable(box=box.SIMPLE_HEAD if self.header else None, show_header=self.header)
        for name in self.columns:
            number = name in self.right
            table.add_column(name, justify="right" if number else "left", no_wrap=number, overflow="fold")
        for row in self.rows:
            # Text, because a word such as "[b]" is not markup.
            table.add_row(*map(Text, row))
        console.print(table)


def print_text(text: str, *, file: TextIO | None = None, flush: bool = False) -> None:
    r"""Print lines with all control characters written out, except line ends and tabs.

    All commands print through this function, because texts from files must not control the terminal.

    Parameters
    ----------
    text : str
        One or several lines.
    file : text file, optional
        Where to print; None for standard output.
    flush : bool, default False
        Whether to print at once.

    Examples
    --------
    >>> print_text("read a\x1b[2J.jsonl")
    read a\x1b[2J.jsonl
    """
    print(printable(text, keep="\n\t"), file=file, flush=flush)


def format_score(value: float) -> str:
    """Return a score with three decimals, or with one if it is 10 or more.

    Parameters
    ----------
    value : float
        The score.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> format_score(1234.56), format_score(0.81234)
    ('1,234.6', '0.812')
    """
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"


def format_bytes(n_bytes: int) -> str:
    """Return a size of memory.

    Parameters
    ----------
    n_bytes : int
        Number of bytes.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> format_bytes(85_300_000), format_bytes(2_340_000_000)
    ('85 MB', '2.3 GB')
    """
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{max(1, round(n_bytes / 1e6))} MB"
