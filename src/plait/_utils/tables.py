"""Tables of texts: as aligned plain text, and as escaped HTML for notebooks."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence

from plait._utils.text import cut


def plain_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[str] = (), *, header: bool = True
) -> str:
    """Return a table as plain text, as wide as it needs to be.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns.
    rows : iterable of sequences of str
        One printable text per column.
    right : collection of str, default ()
        Columns that are aligned to the right.
    header : bool, default True
        Whether the first line has the names of the columns.

    Returns
    -------
    str
        One line per row.

    Examples
    --------
    >>> print(plain_table(["topic", "words"], [["0", "river stream"], ["11", "money"]], right={"topic"}))
    topic  words
        0  river stream
       11  money
    """
    lines = [list(columns), *rows] if header else list(rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if name in right else cell.ljust(width)
            for name, cell, width in zip(columns, line, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def html_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Collection[str] = (),
    *,
    caption: str = "",
    most_rows: int = 100,
    most_characters: int = 200,
) -> str:
    """Return a table as HTML. Texts are escaped and cut, and further rows are counted.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns; names that are all empty give no header.
    rows : sequence of sequences of str
        One text per column.
    right : collection of str, default ()
        Columns that are aligned to the right.
    caption : str, default ""
        Text above the table.
    most_rows : int, default 100
        Number of rows to show.
    most_characters : int, default 200
        Number of characters of a cell.

    Returns
    -------
    str
        A ``<table>``.

    Examples
    --------
    >>> html_table(["title"], [["<script>"]])
    '<table><thead><tr><th style="text-align:left">title</th></tr></thead><tbody><tr><td style="text-align:left">&lt;...
    """

    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(
            f'<{tag} style="text-align:{"right" if name in right else "left"}">'
            f"{html.escape(cut(cell, most_characters))}</{tag}>"
            for name, cell in zip(columns, row, strict=True)
        )

    head = f"<thead><tr>{cells('th', columns)}</tr></thead>" if any(columns) else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows[:most_rows])
    title = (
        f'<caption style="text-align:left">{html.escape(cut(caption, most_characters))}</caption>' if caption else ""
    )
    more = len(rows) - most_rows
    rest = f"<p>… and {more:,} more rows</p>" if more > 0 else ""
    return f"<table>{title}{head}<tbody>{body}</tbody></table>{rest}"
