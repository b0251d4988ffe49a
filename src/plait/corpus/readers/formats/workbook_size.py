"""Bounds on workbooks: a small file can declare billions of cells, or expand to gigabytes."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any
from xml.parsers import expat

from plait.corpus.problems import CorpusError

_MOST_BYTES = 2**31  # of all parts, decompressed
_MOST_CELLS = 50_000_000
_AT_ONCE = 2**20
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")


def check_size(content: bytes) -> None:
    """Raise an error for a workbook that would not fit into memory.

    Every part is decompressed once, so that a wrong size or checksum is found before the parts are parsed.

    Parameters
    ----------
    content : bytes
        The workbook, a ZIP archive.
    """
    total = 0
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for part in archive.infolist():
            counter = _counter_of(part.filename)
            with archive.open(part) as file:
                while piece := file.read(_AT_ONCE):
                    total += len(piece)
                    if total > _MOST_BYTES:
                        raise CorpusError(f"expands to more than {_MOST_BYTES:,} bytes; save it as CSV")
                    if counter is not None:
                        counter.feed(piece)
            if counter is not None:
                counter.close()


def _counter_of(name: str) -> _CellCounter | None:
    """Return what counts the cells of a part of the archive; None for a part without cells."""
    if name.startswith("xl/worksheets/") and name.endswith(".xml"):
        return _ExcelCells()
    return _OpenDocumentCells() if name == "content.xml" else None


class _CellCounter:
    """Counts the cells of a sheet that the library would allocate, from the first to the last row and column."""

    def __init__(self) -> None:
        self._rows = self._columns = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self.start
        self._parser.EndElementHandler = self.end
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype

    def feed(self, piece: bytes) -> None:
        """Parse the next piece of the XML."""
        self._parser.Parse(piece, False)

    def close(self) -> None:
        """Parse the end of the XML."""
        self._parser.Parse(b"", True)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Count a cell or a row."""

    def end(self, name: str) -> None:
        """Count a row that ends."""

    def _grow(self, rows: int, columns: int) -> None:
        self._rows, self._columns = max(self._rows, rows), max(self._columns, columns)
        if self._rows * self._columns > _MOST_CELLS:
            raise CorpusError(
                f"has a sheet of {self._rows:,} × {self._columns:,} cells, more than {_MOST_CELLS:,}; remove stray "
                "cells, or save it as CSV"
            )

    @staticmethod
    def _refuse_doctype(*_: Any) -> None:
        raise CorpusError("declares a document type, which can grow without limit; save it again")


class _ExcelCells(_CellCounter):
    """Cells of a worksheet of Office Open XML, which have references such as XFD1048576."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(":")[2] not in ("c", "row"):
            return
        reference = attributes.get("r", "")
        found = _REFERENCE.fullmatch(reference)
        if found is not None:
            letters, row = found.groups()
            column = 0
            for letter in letters:
                column = column * 26 + ord(letter) - ord("A") + 1
            self._grow(int(row), column)
        elif reference.isdecimal() and len(reference) < 12 and self._columns:
            self._grow(int(reference), 1)


class _OpenDocumentCells(_CellCounter):
    """Cells of OpenDocument tables, where rows and cells can be repeated a number of times."""

    def __init__(self) -> None:
        super().__init__()
        self._row = self._column = self._last = self._repeated = 0
        self._in_row = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        kind = name.rpartition(":")[2]
        if kind == "table":
            self._rows = self._columns = self._row = 0
        elif kind == "table-row":
            self._repeated = _repeats(attributes, "table:number-rows-repeated")
            self._column = self._last = 0
        elif kind in ("table-cell", "covered-table-cell"):
            self._column += _repeats(attributes, "table:number-columns-repeated")
            if any(key.endswith(("value-type", "value", "formula")) for key in attributes):
                self._last = self._column
        elif kind == "p":  # the text of a cell
            self._last = self._column

    def end(self, name: str) -> None:
        if name.rpartition(":")[2] == "table-row":
            self._row += self._repeated
            if self._last:
                self._grow(self._row, self._last)


def _repeats(attributes: dict[str, str], name: str) -> int:
    text = attributes.get(name, "1")
    if not text.isdecimal() or len(text) > 12:
        raise CorpusError(f"repeats cells {text[:20]!r} times; save it again")
    return int(text)
