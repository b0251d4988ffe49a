"""pandas data frames, read column by column as Python values; no other package is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.fields import Row
from plait.corpus.values import describe_error, shown

ROWS_AT_ONCE = 2048


def is_pandas_frame(frame: Any) -> bool:
    """Return whether an object is a data frame of pandas, or works like one.

    Parameters
    ----------
    frame : object
        Any object.

    Returns
    -------
    bool
        True if it has named columns and rows by position.
    """
    return hasattr(frame, "iloc") and hasattr(frame, "columns")


def column_names(frame: Any) -> list[str]:
    """Return the names of the columns of a pandas frame, which must be unique.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame.

    Returns
    -------
    list of str
        The names; a column whose name is not text is named by that as text.
    """
    names = [str(name) for name in frame.columns]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise CorpusError(f"the data frame has two columns with the name {shown(min(repeated))}; rename one")
    return names


def pandas_rows(frame: Any, name: str, problems: Problems) -> Iterator[Row]:
    """Yield the rows of a pandas frame as mappings from its column names.

    An index with a name is a column, too.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame.
    name : str
        Name for error messages.
    problems : Problems
        Raises or counts the problems; a frame has none before its values are parsed.

    Yields
    ------
    Row
        A row.
    """
    names = column_names(frame)
    with_index = isinstance(frame.index.name, str) and frame.index.name not in names
    keys = [frame.index.name, *names] if with_index else names
    for start in range(0, len(frame), ROWS_AT_ONCE):
        batch = frame.iloc[start : start + ROWS_AT_ONCE]
        try:
            columns = [batch.iloc[:, place].tolist() for place in range(len(names))]
            if with_index:
                columns.insert(0, batch.index.tolist())
        except (ValueError, TypeError, OverflowError) as error:
            raise CorpusError(f"the data frame cannot be read ({describe_error(error)})") from error
        for number, values in enumerate(zip(*columns, strict=True), start=start + 1):
            yield Row(f"{name}, row {number}", number, dict(zip(keys, values, strict=True)))
