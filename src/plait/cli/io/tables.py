"""Tables written batch by batch: CSV, JSON lines or Parquet, by the suffix of the file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from plait.errors import PlaitError

if TYPE_CHECKING:
    import polars

Write = Callable[["polars.DataFrame"], None]


@contextmanager
def _csv(path: Path) -> Iterator[Write]:
    with path.open("wb") as file:

        def write(frame: polars.DataFrame) -> None:
            frame.write_csv(file, include_header=file.tell() == 0)

        yield write


@contextmanager
def _jsonl(path: Path) -> Iterator[Write]:
    with path.open("wb") as file:
        yield lambda frame: frame.write_ndjson(file)


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    """Write each batch to a file of its own, then stream these into one file in row groups.

    Polars cannot append to a Parquet file; this way memory stays small without a further package.
    """
    import polars

    with tempfile.TemporaryDirectory(prefix=f"{path.name}.", dir=path.parent) as folder:
        parts: list[Path] = []

        def write(frame: polars.DataFrame) -> None:
            parts.append(Path(folder, f"{len(parts)}.parquet"))
            frame.write_parquet(parts[-1])

        try:
            yield write
            polars.scan_parquet(parts).sink_parquet(path)
        except polars.exceptions.PolarsError as error:
            raise PlaitError(f"{path.parent}: the Parquet file cannot be written ({error})") from error


_WRITERS: dict[str, Callable[[Path], AbstractContextManager[Write]]] = {
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}


def check_table_name(path: Path) -> str:
    """Return the suffix of a table's file, or raise an error that lists those there are."""
    suffix = path.suffix.lower()
    if suffix not in _WRITERS:
        raise PlaitError(f"the format of {path.name} is not known from its name; end it in {', '.join(_WRITERS)}")
    return suffix


def open_table(path: Path, suffix: str) -> AbstractContextManager[Write]:
    """Start a table; what is entered is the function that writes the next rows, given as a Polars frame."""
    return _WRITERS[suffix](path)
