"""The sources of a stream: files in a given order, a watched folder, or standard input."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.discovery import UNKNOWN_FORMAT, find_documents
from plait.corpus.readers.fields import FieldNames, Row, RowSource
from plait.corpus.readers.formats.jsonl import rows_of_lines
from plait.corpus.readers.records import Source
from plait.corpus.readers.streams import lines_in, plain_name
from plait.corpus.values import escape_file_name
from plait.errors import PlaitError

INPUT_NAME = "standard input"
_ROWS_KEPT = 1000  # of standard input, to read them again with better fields


@dataclass(frozen=True)
class StreamSource:
    """One source of documents.

    Parameters
    ----------
    name : str
        Name by which a later run identifies the source.
    label : str
        Label of a slice that ends with this source.
    reader : Source
        Reads the documents.
    is_input : bool, default False
        Whether this is standard input.
    """

    name: str
    label: str
    reader: Source
    is_input: bool = False


def file_sources(paths: Sequence[Path], fields: FieldNames, encoding: str) -> Iterator[StreamSource]:
    """Yield files and corpus folders in the given order, and the files of other folders in the order of their names.

    Parameters
    ----------
    paths : sequence of Path
        Files and folders.
    fields : FieldNames
        Names of the fields.
    encoding : str
        Encoding of text files.

    Yields
    ------
    StreamSource
        The sources.
    """
    for path in paths:
        if path.is_dir() and not _is_corpus(path, fields, encoding):
            found = [source for file in _files_in(path) if (source := _known_source(file, fields, encoding))]
            if not found:
                raise PlaitError(f"the folder {path} holds no file that plait reads; watch it to wait for files")
            yield from found
        else:
            yield _source(path, fields, encoding)


def watched_sources(
    folder: Path, fields: FieldNames, encoding: str, every: float, on_idle: Callable[[], None]
) -> Iterator[StreamSource]:
    """Yield the files of a folder in the order of their names, then wait for new files and for files that grow.

    A file is yielded when its size and time did not change between two looks, so that a file that is being written
    is left alone until it is complete. Files of unknown formats and hidden files are left alone, too.

    Parameters
    ----------
    folder : Path
        The folder.
    fields : FieldNames
        Names of the fields.
    encoding : str
        Encoding of text files.
    every : float
        Seconds between two looks.
    on_idle : callable
        Called when there is nothing to do, once after each piece of work.

    Yields
    ------
    StreamSource
        The sources; the iterator never ends.
    """
    if not folder.is_dir():
        raise PlaitError(f"{folder} is not a folder, so it cannot be watched; read it once instead", parameter="watch")
    yielded: dict[Path, tuple[int, int]] = {}
    before = _stamps(folder)
    idle = False
    while True:
        time.sleep(every)
        now = _stamps(folder)
        ready = [path for path in sorted(now) if now[path] == before.get(path) and now[path] != yielded.get(path)]
        before = now
        for path in ready:
            yielded[path] = now[path]
            source = _known_source(path, fields, encoding)
            if source is not None:
                idle = False
                yield source
        if not idle:
            on_idle()
            idle = True


def input_source(stream: IO[bytes], fields: FieldNames, encoding: str) -> StreamSource:
    """Return a source of JSON lines from standard input.

    Parameters
    ----------
    stream : binary file
        Standard input.
    fields : FieldNames
        Names of the fields.
    encoding : str
        Encoding of the lines.

    Returns
    -------
    StreamSource
        The source.
    """
    rows = _ReplayedRows(stream, encoding)
    return StreamSource(INPUT_NAME, INPUT_NAME, RowSource(INPUT_NAME, rows, fields, by_values=False), is_input=True)


class _ReplayedRows:
    """Rows of a stream that cannot be rewound: the first ones are kept for a second reading."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._kept: list[Row] = []
        self._rest: Iterator[Row] | None = None
        self._n_read = 0

    def __call__(self, problems: Problems) -> Iterator[Row]:
        if self._rest is None:
            self._rest = rows_of_lines(lines_in(self._stream, self._encoding), INPUT_NAME, problems)
        if self._n_read > len(self._kept):
            raise PlaitError(
                f"{INPUT_NAME}: better fields than those in use were found after {self._n_read:,} documents, and it "
                "cannot be read again; name the fields of text, id and date",
                parameter="text",
            )
        return itertools.chain(list(self._kept), self._read_rest(self._rest))

    def _read_rest(self, rest: Iterator[Row]) -> Iterator[Row]:
        for row in rest:
            self._n_read += 1
            if len(self._kept) < _ROWS_KEPT:
                self._kept.append(row)
            yield row


def _source(path: Path, fields: FieldNames, encoding: str) -> StreamSource:
    # All sources of a stream must have the same fields, so that samples of single files do not decide them.
    found = find_documents(path, fields, encoding, by_values=False)
    if not found.takes_fields and fields != FieldNames():
        raise PlaitError(
            f"{found.source.name} has no named fields; leave the fields of text, id and date out", parameter="text"
        )
    label = path.resolve().name if path.is_dir() else path.name[: len(Path(plain_name(path)).stem)]
    return StreamSource(escape_file_name(str(path.resolve())), escape_file_name(label), found.source)


def _known_source(path: Path, fields: FieldNames, encoding: str) -> StreamSource | None:
    """Return the source of a file or folder; None for an unknown format, and for a folder that is not a corpus."""
    try:
        find_documents(path, fields, encoding)
    except CorpusError as error:
        if path.is_dir() or error.kind == UNKNOWN_FORMAT:
            return None
        raise
    return _source(path, fields, encoding)


def _is_corpus(folder: Path, fields: FieldNames, encoding: str) -> bool:
    return _known_source(folder, fields, encoding) is not None


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def _stamps(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return sizes and modification times of the files in a folder."""
    found: dict[Path, tuple[int, int]] = {}
    for path in _files_in(folder):
        try:
            status = path.stat()
        except FileNotFoundError:  # removed since it was listed
            continue
        found[path] = (status.st_size, status.st_mtime_ns)
    return found
