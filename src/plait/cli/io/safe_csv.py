"""CSV cells that a spreadsheet would run as formulas, and the option that protects them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.errors import PlaitError

if TYPE_CHECKING:
    import polars

_FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"

SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="In CSV, put ' before texts that a spreadsheet would run as formulas (= + - @). Numbers stay numbers.",
    ),
]


def safe_cell(value: Any) -> Any:
    """Return a cell with ' before a text that a spreadsheet would run as a formula.

    Parameters
    ----------
    value : object
        A cell; anything but a text is returned as it is.

    Returns
    -------
    object
        The cell.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("-1.5"), safe_cell(-1.5), safe_cell("river")
    ("'=1+1", '-1.5', -1.5, 'river')
    """
    if not isinstance(value, str) or not re.match(_FORMULA, value):
        return value
    return value if re.match(_NUMBER, value) and not value.endswith("\n") else f"'{value}"


def safe_frame(frame: polars.DataFrame) -> polars.DataFrame:
    """Return a table with `safe_cell` applied to its texts and the names of its columns.

    Parameters
    ----------
    frame : polars.DataFrame
        A table.

    Returns
    -------
    polars.DataFrame
        The table.
    """
    import polars

    texts = polars.col(polars.String)
    formulas = texts.str.contains(_FORMULA) & ~texts.str.contains(_NUMBER)
    marked = polars.when(formulas).then(polars.lit("'") + texts).otherwise(texts)
    return frame.with_columns(marked.name.keep()).rename(safe_cell)


def check_safe_csv(wanted: bool, is_csv: bool) -> None:
    """Raise an error if the option is given for another format than CSV.

    Parameters
    ----------
    wanted : bool
        Whether --safe-csv was given.
    is_csv : bool
        Whether the output is CSV.
    """
    if wanted and not is_csv:
        raise PlaitError("--safe-csv is for CSV; leave it out, or write a .csv file")
