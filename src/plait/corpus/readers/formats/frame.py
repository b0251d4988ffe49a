"""Data frames and Parquet files, read with Polars."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.corpus.problems import CorpusError
from plait.corpus.readers.fields import Row
from plait.corpus.readers.streams import COMPRESSIONS, read_bytes
from plait.corpus.values import shown

if TYPE_CHECKING:
    import polars

ROWS_AT_ONCE = 2048


def polars_frame(frame: Any) -> polars.DataFrame:
    """Return a data frame as a Polars frame.

    Parameters
    ----------
    frame : Polars, pandas or Arrow data frame
        Also any frame with the data frame interchange protocol.

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
        raise CorpusError(f"this data frame needs pyarrow to be read ({error}); pip install plait[arrow]") from error
    raise CorpusError(f"frame is {shown(frame)}; give a Polars or pandas data frame or an Arrow table")


def frame_rows(frame: polars.DataFrame, name: str, first: int = 1) -> Iterator[Row]:
    """Yield the rows of a frame as mappings from its column names.

    Parameters
    ----------
    frame : polars.DataFrame
        The frame.
    name : str
        Name for error messages.
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
        for number, values in enumerate(batch.iter_rows(named=True), start=first + start):
            for column in mappings:
                # In a struct column, every row has every word: None means that the word does not occur.
                if values[column] is not None:
                    values[column] = {key: value for key, value in values[column].items() if value is not None}
            for column in pairs:
                if values[column] is not None:
                    values[column] = {pair["key"]: pair["value"] for pair in values[column]}
            yield Row(f"{name}, row {number}", number, values)


def _is_map(dtype: Any) -> bool:
    """Return whether a column holds lists of (key, value), the form of an Arrow map."""
    import polars

    if not isinstance(dtype, polars.List) or not isinstance(dtype.inner, polars.Struct):
        return False
    return {field.name for field in dtype.inner.fields} == {"key", "value"}


def parquet_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a Parquet file; some thousands of rows are in memory at a time.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    Row
        A row.
    """
    import polars

    try:
        if path.suffix.lower() in COMPRESSIONS:
            table = polars.scan_parquet(io.BytesIO(read_bytes(path)))
        else:
            table = polars.scan_parquet(path)
        height = int(table.select(polars.len()).collect().item())
        for start in range(0, height, ROWS_AT_ONCE):
            yield from frame_rows(table.slice(start, ROWS_AT_ONCE).collect(), path.name, first=start + 1)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise CorpusError(f"{path.name} is not a readable Parquet file ({error}); write it again") from error
    if height == 0:
        raise CorpusError(f"{path.name} is empty", kind="empty file", place=path.name)
