"""Tables that people read: Rich on a terminal, plain aligned text with nothing cut off in pipes and files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass
class Table:
    """Rows of text under named columns; the columns in `right` hold numbers and are flush right.

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
    rows: list[list[str]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Add a row: one text a column."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append([printable(cell) for cell in cells])

    def plain(self) -> str:
        """Return the table as text, as wide as it needs to be."""
        lines = [list(self.columns), *self.rows] if self.header else self.rows
        widths = [max((len(line[place]) for line in lines), default=0) for place in range(len(self.columns))]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if name in self.right else cell.ljust(width)
                for name, cell, width in zip(self.columns, line, widths, strict=True)
            ).rstrip()
            for line in lines
        )

    def show(self) -> None:
        """Print the table to standard output, fit for what is there."""
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


def printable(text: str) -> str:
    r"""Return a text with line ends, escapes and other control characters written out.

    Words and ids come from files that others made; a terminal must not obey them.

    Examples
    --------
    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def listed(names: Iterable[str], most: int = 10) -> str:
    """Return names as a list in a sentence, and how many more there are.

    Examples
    --------
    >>> listed(["red", "green", "blue"], most=2)
    'red, green and 1 more'
    """
    shown = list(names)
    more = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return ", ".join(map(printable, shown[:most])) + more


def megabytes(n_bytes: int) -> str:
    """Return a size of memory in words.

    Examples
    --------
    >>> megabytes(85_300_000), megabytes(2_340_000_000)
    ('85 MB', '2.3 GB')
    """
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{max(1, round(n_bytes / 1e6))} MB"
