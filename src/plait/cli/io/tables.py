"""Tables written in batches: CSV, JSON lines or Parquet, by the suffix of the file name."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from plait.errors import PlaitError

if TYPE_CHECKING:
    import polars

Write = Callable[["polars.DataFrame"], None]


@contextmanager
def _csv(file: BinaryIO) -> Iterator[Write]:
    def write(frame: polars.DataFrame) -> None:
        frame.write_csv(file, include_header=file.tell() == 0)

    yield write


@contextmanager
def _jsonl(file: BinaryIO) -> Iterator[Write]:
    yield lambda frame: frame.write_ndjson(file)


@contextmanager
def _parquet(file: BinaryIO) -> Iterator[Write]:
    """Write each batch to a file of its own, then stream these into one file.

    Polars cannot append to a Parquet file; this way memory use stays small without a further package.
    """
    import polars

    path = Path(file.name)
    with tempfile.TemporaryDirectory(prefix=f"{path.name}.", dir=path.parent) as folder:
        batches: list[Path] = []

        def write(frame: polars.DataFrame) -> None:
            batches.append(Path(folder, f"{len(batches)}.parquet"))
            frame.write_parquet(batches[-1])

        try:
            yield write
            polars.scan_parquet(batches, glob=False).sink_parquet(path)
        except polars.exceptions.PolarsError as error:
            raise PlaitError(f"{path.parent}: the Parquet file cannot be written ({error})") from error


_WRITERS: dict[str, Callable[[BinaryIO], AbstractContextManager[Write]]] = {
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}


def check_table_name(path: Path) -> str:
    """Return the suffix of a table's file name; an unknown suffix is an error.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        The suffix.
    """
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise PlaitError(f"{path.name} has an unknown format; use a file name that ends in {', '.join(_WRITERS)}")
    return suffix


@contextmanager
def open_table(path: Path, suffix: str) -> Iterator[Write]:
    """Open a table that replaces the file at a path when all of it is written.

    Parameters
    ----------
    path : Path
        The file.
    suffix : str
        Its format, from `check_table_name`.

    Yields
    ------
    callable
        Writes the next rows, given as a Polars frame.
    """
    from plait._utils.atomic import replacing_file

    with replacing_file(path) as file, _WRITERS[suffix](file) as write:
        yield write
