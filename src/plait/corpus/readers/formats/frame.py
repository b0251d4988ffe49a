"""Data frames and Parquet files, read with Polars."""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait._utils.wording import how_to_install
from plait.corpus.problems import BadValueError, CorpusError, Problems
from plait.corpus.readers.fields import Row
from plait.corpus.readers.formats.columns import is_pandas_frame, pandas_rows
from plait.corpus.readers.streams import COMPRESSIONS, open_bytes, read_bytes
from plait.corpus.values import describe_error, shown, unique_keys

if TYPE_CHECKING:
    import polars

ROWS_AT_ONCE = 2048


def polars_frame(frame: Any) -> polars.DataFrame:
    """Return a data frame as a Polars frame.

    Parameters
    ----------
    frame : Polars or Arrow data frame
        Also any frame with the data frame interchange protocol, which needs pyarrow.

    Returns
    -------
    polars.DataFrame
        The frame.
    """
    import polars

    if isinstance(frame, polars.LazyFrame):
        return frame.collect()
    if isinstance(frame, polars.DataFrame):
        return frame
    try:
        if hasattr(frame, "__arrow_c_stream__"):
            return polars.DataFrame(frame)
        if hasattr(frame, "__dataframe__"):
            from pyarrow.interchange import from_dataframe  # Polars itself reads Arrow streams only

            return polars.DataFrame(from_dataframe(frame))
    except ImportError as error:
        raise CorpusError(f"this data frame needs pyarrow to be read ({error}); {how_to_install('arrow')}") from error
    except (ValueError, TypeError, OverflowError, polars.exceptions.PolarsError) as error:
        raise CorpusError(
            f"the data frame cannot be read ({describe_error(error)}); give each column values of one type"
        ) from error
    raise CorpusError(f"frame is {shown(frame)}; give a Polars or pandas data frame or an Arrow table")


def rows_of_frame(frame: Any, name: str) -> Callable[[Problems], Iterator[Row]]:
    """Return what yields the rows of a data frame, for `RowSource`.

    Parameters
    ----------
    frame : Polars, pandas or Arrow data frame
        Also any frame with the data frame interchange protocol.
    name : str
        Name for error messages.

    Returns
    -------
    callable
        Takes a `Problems` and yields `Row`.
    """
    if is_pandas_frame(frame):
        return partial(pandas_rows, frame, name)
    return partial(frame_rows, polars_frame(frame), name)


def frame_rows(frame: polars.DataFrame, name: str, problems: Problems, first: int = 1) -> Iterator[Row]:
    """Yield the rows of a frame as mappings from its column names.

    Parameters
    ----------
    frame : polars.DataFrame
        The frame.
    name : str
        Name for error messages.
    problems : Problems
        Raises or counts the problems.
    first : int, default 1
        Number of the first row.

    Yields
    ------
    Row
        A row.
    """
    import polars

    mappings = [column for column, dtype in frame.schema.items() if isinstance(dtype, polars.Struct)]
    pairs = [column for column, dtype in frame.schema.items() if _is_map(dtype)]
    for start in range(0, frame.height, ROWS_AT_ONCE):
        batch = frame.slice(start, ROWS_AT_ONCE)
        for number, values in enumerate(_named_rows(batch), start=first + start):
            place = f"{name}, row {number}"
            for column in mappings:
                # In a struct column, every row has every word: None means that the word does not occur.
                if values[column] is not None:
                    values[column] = {key: value for key, value in values[column].items() if value is not None}
            try:
                for column in pairs:
                    if values[column] is not None:
                        values[column] = _mapping(values[column])
            except BadValueError as error:
                problems.report(error.kind, place, error.message, field=column)
                continue
            yield Row(place, number, values)


def _named_rows(batch: polars.DataFrame) -> Iterable[dict[str, Any]]:
    import polars

    batch = _times_in_calendar(batch)
    try:
        return batch.rows(named=True)
    except (ValueError, OverflowError):  # a date outside the years 1 to 9999: as text it is one bad date
        return batch.with_columns(polars.selectors.temporal().cast(polars.String)).rows(named=True)


def _times_in_calendar(batch: polars.DataFrame) -> polars.DataFrame:
    """Return a frame whose columns of times have no time outside Polars' calendar, which would make Polars panic.

    A column with such a time becomes text; the time is its number, so that it is one bad date.
    """
    import polars

    for name, dtype in batch.schema.items():
        column = polars.col(name)
        outside = column.dt.year().is_null() & column.is_not_null()
        if isinstance(dtype, polars.Datetime) and batch.select(outside.any()).item():
            inside = polars.when(~outside).then(column)
            batch = batch.with_columns(inside.cast(polars.String).fill_null(column.to_physical().cast(polars.String)))
    return batch


def _mapping(pairs: list[Any]) -> dict[Any, Any]:
    """Return the pairs of an Arrow map as a mapping."""
    found: list[tuple[Any, Any]] = []
    for pair in pairs:
        key = None if pair is None else pair["key"]
        if not isinstance(key, str):
            raise BadValueError("bad token", f"{shown(key)} is not a word")
        found.append((key, pair["value"]))
    return unique_keys(found)


def _is_map(dtype: Any) -> bool:
    """Return whether a column holds lists of (key, value), the form of an Arrow map."""
    import polars

    if not isinstance(dtype, polars.List) or not isinstance(dtype.inner, polars.Struct):
        return False
    return {field.name for field in dtype.inner.fields} == {"key", "value"}


def parquet_rows(path: Path, problems: Problems) -> Iterator[Row]:
    """Yield the rows of a Parquet file; some thousands of rows are in memory at a time.

    Parameters
    ----------
    path : Path
        The file.
    problems : Problems
        Raises or counts the problems.

    Yields
    ------
    Row
        A row.
    """
    import polars

    found = 0
    try:
        # Polars would read a path as a pattern, in which [1] and * have a meaning.
        with io.BytesIO(read_bytes(path)) if path.suffix.lower() in COMPRESSIONS else open_bytes(path) as file:
            with _hidden_panics():
                table = polars.scan_parquet(file)
                height = _height(table)
            maps = [name for name, dtype in table.collect_schema().items() if type(dtype).__name__ == "Map"]
            map_rows = _map_rows(path, maps)
            while found < height:
                with _hidden_panics():
                    batch = table.slice(found, ROWS_AT_ONCE).collect()
                if not batch.height:
                    raise CorpusError(
                        f"{path.name} declares {height:,} rows but has {found:,}; write it again", place=path.name
                    )
                if maps:
                    batch = _with_pairs(batch, map_rows, maps)
                yield from frame_rows(batch, path.name, problems, first=found + 1)
                found += batch.height
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        raise _unreadable(path, error) from error
    if height == 0:
        raise CorpusError(f"{path.name} is empty", kind="empty file", place=path.name)


def _map_rows(path: Path, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the Arrow maps of each row as lists of pairs.

    Polars 2 keeps the last of the repeated keys of a map and drops the others, so these columns are read by pyarrow.
    """
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise CorpusError(f"{path.name} has maps, which need pyarrow to be read; {how_to_install('arrow')}") from error
    try:
        with io.BytesIO(read_bytes(path)) as file:
            for batch in ParquetFile(file).iter_batches(ROWS_AT_ONCE, columns=names):
                yield from batch.to_pylist()
    except ArrowException as error:
        raise _unreadable(path, error) from error


def _with_pairs(batch: polars.DataFrame, rows: Iterator[dict[str, Any]], names: list[str]) -> polars.DataFrame:
    """Return a batch with the pairs of its maps, which may have repeated keys, in place of Polars' maps."""
    import polars

    columns = []
    values = list(itertools.islice(rows, batch.height))
    for name in names:
        dtype: Any = batch.schema[name]
        maps = [row[name] for row in values]
        pairs = [None if row is None else [{"key": key, "value": value} for key, value in row] for row in maps]
        form = polars.List(polars.Struct({"key": dtype.key, "value": dtype.value}))
        columns.append(polars.Series(name, pairs, dtype=form))
    return batch.with_columns(columns)


def _unreadable(path: Path, error: BaseException) -> CorpusError:
    return CorpusError(
        f"{path.name} is not a readable Parquet file ({describe_error(error)}); write it again", place=path.name
    )


def _height(table: polars.LazyFrame) -> int:
    import polars

    return int(table.select(polars.len()).collect().item())


@contextmanager
def _hidden_panics() -> Iterator[None]:
    """Hide the stack traces that Polars prints about a damaged file before it raises a PanicException."""
    try:
        before, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # the process has no standard error
        yield
        return
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(nowhere)
