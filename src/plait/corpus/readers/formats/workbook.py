"""Workbooks of spreadsheet programs (.xlsx, .ods): the rows of one sheet, whose first row names the fields."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

from plait._utils.wording import how_to_install
from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.fields import Row
from plait.corpus.readers.formats.workbook_size import check_size
from plait.corpus.readers.records import Sheets
from plait.corpus.readers.streams import read_bytes
from plait.corpus.values import describe_error, join_short, shown

WORKBOOK_SUFFIXES = (".xlsx", ".ods")
_LARGEST_FILE = 2**30


def choose_sheet(path: Path, sheet: str | None) -> Sheets:
    """Return the sheet to read: the one that was named, otherwise the first that is not hidden.

    Parameters
    ----------
    path : Path
        The workbook.
    sheet : str or None
        Name of a sheet.

    Returns
    -------
    Sheets
        The sheet, and the names of all sheets.
    """
    workbook = _open(path)
    names = list(workbook.sheet_names)
    if sheet is not None and sheet not in names:
        raise CorpusError(
            f"{path.name} has no sheet {shown(sheet)}; its sheets are {join_short(names)}", parameter="sheet"
        )
    visible = [one.name for one in workbook.sheets_metadata if "Visible" in str(one.visible)]
    if sheet is None and not names:
        raise CorpusError(f"{path.name} has no sheets", kind="empty file", place=path.name)
    return Sheets(sheet or next(iter(visible), names[0]), names)


def workbook_rows(path: Path, sheet: str, problems: Problems) -> Iterator[Row]:
    """Yield the rows of a sheet as mappings from the names in its first row; an empty cell is None.

    Numbers are texts, as in a CSV file; dates are dates. A column without a name is named by its letter.

    Parameters
    ----------
    path : Path
        The workbook.
    sheet : str
        Name of the sheet.
    problems : Problems
        Raises or counts the problems; a sheet has none before its values are parsed.

    Yields
    ------
    Row
        A row.
    """
    try:
        table = _open(path).get_sheet_by_name(sheet)
        first, left = table.start or (0, 0)
        rows: list[list[Any]] = table.to_python(skip_empty_area=True)
    except Exception as error:
        raise _unreadable(path, error) from error
    header: list[str] | None = None
    number = 0
    for place, cells in enumerate(rows, start=first + 1):
        values = [_value(cell) for cell in cells]
        if all(value is None for value in values):
            continue
        if header is None:
            header = _header(values, left, f"{path.name}, row {place}")
            continue
        number += 1
        yield Row(f"{path.name}, row {place}", number, dict(zip(header, values, strict=True)))
    if number == 0:
        raise CorpusError(
            f"{path.name}: the sheet {shown(sheet)} has no rows below a header", kind="empty file", place=path.name
        )


def _open(path: Path) -> Any:
    try:
        import python_calamine
    except ImportError as error:
        raise CorpusError(
            f"{path.name} is a workbook, which needs another package; {how_to_install('excel')}, or save it as CSV"
        ) from error
    content = read_bytes(path, most=_LARGEST_FILE)
    try:
        check_size(content)
        return python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
    except CorpusError as error:
        raise CorpusError(f"{path.name} {error}", place=path.name) from error
    except (python_calamine.PasswordError, RuntimeError) as error:
        raise CorpusError(f"{path.name} has a password; save it without one", place=path.name) from error
    except Exception as error:  # the parsers of ZIP and XML raise errors of many types for damaged files
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> CorpusError:
    if isinstance(error, zipfile.BadZipFile):
        return CorpusError(
            f"{path.name} is not a workbook or is damaged ({describe_error(error)}); save it again", place=path.name
        )
    return CorpusError(
        f"{path.name} is not a readable workbook ({describe_error(error)}); save it again, or as CSV", place=path.name
    )


def _value(cell: Any) -> str | date | None:
    """Return the value of a cell: a date, otherwise text; None for an empty cell."""
    if isinstance(cell, datetime | date):
        return cell
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        cell = int(cell)
    return None if cell is None or cell == "" else str(cell)


def _header(values: list[str | date | None], left: int, place: str) -> list[str]:
    names = [
        f"column {_letters(left + position)}" if value is None else str(value).strip()
        for position, value in enumerate(values)
    ]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise CorpusError(f"{place}: two columns have the name {shown(min(repeated))}; rename one", place=place)
    return names


def _letters(column: int) -> str:
    """Return the letters of a column.

    Examples
    --------
    >>> [_letters(column) for column in (0, 25, 26, 702)]
    ['A', 'Z', 'AA', 'AAA']
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
