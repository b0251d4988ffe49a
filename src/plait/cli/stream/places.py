"""Where the documents of a stream come from: files in their order, a folder that is watched, standard input."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.discovery import find_documents
from plait.corpus.readers.fields import FieldNames, Row, RowSource
from plait.corpus.readers.formats.jsonl import rows_of_lines
from plait.corpus.readers.records import Source
from plait.corpus.readers.streams import lines_in, plain_name
from plait.errors import PlaitError

INPUT_NAME = "standard input"
_ROWS_KEPT = 1000  # of standard input, for when better fields turn up among them


@dataclass(frozen=True)
class Place:
    """One source of documents; `name` is what it is known by from one run to the next."""

    name: str
    label: str
    source: Source
    is_input: bool = False


def file_places(paths: Sequence[Path], fields: FieldNames, encoding: str) -> Iterator[Place]:
    """Return the files and corpus folders that are named, and the files of other folders by their names."""
    for path in paths:
        if path.is_dir() and not _is_corpus(path, fields, encoding):
            found = [place for file in _files_in(path) if (place := _known_place(file, fields, encoding))]
            if not found:
                raise PlaitError(f"the folder {path} holds no file that plait reads; --watch waits for some")
            yield from found
        else:
            yield _place(path, fields, encoding)


def watched_places(
    folder: Path, fields: FieldNames, encoding: str, every: float, waits: Callable[[], None]
) -> Iterator[Place]:
    """Return the files of a folder by their names, for ever: new ones, and those that have grown.

    A file is taken when its size and time were the same at two looks, so that one that is being written is left
    alone until it is whole. Files of unknown formats and those whose names begin with a dot are left alone too.

    Parameters
    ----------
    every
        Seconds between two looks.
    waits
        Called when there is nothing to do for the first time, and after each piece of work.
    """
    if not folder.is_dir():
        raise PlaitError(f"{folder} is not a folder, so it cannot be watched; leave --watch out to read it once")
    taken: dict[Path, tuple[int, int]] = {}
    before = _look(folder)
    idle = False
    while True:
        time.sleep(every)
        now = _look(folder)
        ready = [path for path in sorted(now) if now[path] == before.get(path) and now[path] != taken.get(path)]
        before = now
        for path in ready:
            taken[path] = now[path]
            place = _known_place(path, fields, encoding)
            if place is not None:
                idle = False
                yield place
        if not idle:
            waits()
            idle = True


def input_place(stream: IO[bytes], fields: FieldNames, encoding: str) -> Place:
    """Return JSON lines that are piped in."""
    rows = _Rereadable(stream, encoding)
    return Place(INPUT_NAME, INPUT_NAME, RowSource(INPUT_NAME, rows, fields), is_input=True)


class _Rereadable:
    """Rows of a stream that cannot be rewound: the first ones are kept, and given again when asked for again."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._kept: list[Row] = []
        self._rest: Iterator[Row] | None = None
        self._read = 0

    def __call__(self, problems: Problems) -> Iterator[Row]:
        if self._rest is None:
            self._rest = rows_of_lines(lines_in(self._stream, self._encoding), INPUT_NAME, problems)
        if self._read > len(self._kept):
            raise PlaitError(
                f"{INPUT_NAME}: better fields than those in use turned up after {self._read:,} documents, and it "
                "cannot be read again; name the fields (--text-field, --id-field, --date-field)"
            )
        return itertools.chain(list(self._kept), self._go_on(self._rest))

    def _go_on(self, rest: Iterator[Row]) -> Iterator[Row]:
        for row in rest:
            self._read += 1
            if len(self._kept) < _ROWS_KEPT:
                self._kept.append(row)
            yield row


def _place(path: Path, fields: FieldNames, encoding: str) -> Place:
    found = find_documents(path, fields, encoding)
    if not found.takes_fields and fields != FieldNames():
        raise PlaitError(f"{found.source.name} has no named fields; leave --text-field, --date-field and the like out")
    label = path.resolve().name if path.is_dir() else path.name[: len(Path(plain_name(path)).stem)]
    return Place(str(path.resolve()), label, found.source)


def _known_place(path: Path, fields: FieldNames, encoding: str) -> Place | None:
    """Return the place of a file in a folder; None for one of another kind."""
    try:
        find_documents(path, fields, encoding)
    except CorpusError:
        return None
    return _place(path, fields, encoding)


def _is_corpus(folder: Path, fields: FieldNames, encoding: str) -> bool:
    return _known_place(folder, fields, encoding) is not None


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def _look(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return sizes and times of the files that are there now."""
    found: dict[Path, tuple[int, int]] = {}
    for path in _files_in(folder):
        try:
            status = path.stat()
        except FileNotFoundError:  # gone since it was listed
            continue
        found[path] = (status.st_size, status.st_mtime_ns)
    return found
