"""The SVMlight format: one document per line, "label index:count index:count …", with comments after #."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plait.corpus.problems import BadValueError, Problems
from plait.corpus.readers.records import Record, Source
from plait.corpus.readers.streams import read_lines
from plait.corpus.values import number_in, shown


class SvmlightSource(Source):
    """Documents numbered from 1. The name of a word is its index; several labels are separated by commas.

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding.
    """

    word_order = staticmethod(int)
    label_separators = ","

    def __init__(self, path: Path, encoding: str) -> None:
        self.name = path.name
        self._path = path
        self._encoding = encoding

    @property
    def numbered(self) -> bool:
        """Whether documents are numbered because they have no ids: always."""
        return True

    def records(self, problems: Problems) -> Iterator[Record]:
        """Yield the lines as records.

        Parameters
        ----------
        problems : Problems
            Raises or counts the problems.

        Yields
        ------
        Record
            A document.
        """
        number = 0
        for line in read_lines(self._path, self._encoding):
            parts = line.text.partition("#")[0].split()
            if not parts:
                continue
            number += 1
            place = f"{self.name}, line {line.number}"
            try:
                # A line without a label starts with its first word.
                labels = None if ":" in parts[0] else parts.pop(0)
                counts = _counts(parts)
            except BadValueError as error:
                problems.report(error.kind, place, error.message)
                continue
            yield Record(place=place, id=number, words=counts, form="counts", labels=labels)


def _counts(parts: list[str]) -> dict[str, float]:
    counts: dict[str, float] = {}
    for part in parts:
        index, colon, number = part.partition(":")
        if index == "qid":
            continue  # the group of a ranking task
        if not colon or not index.isdecimal():
            raise BadValueError("broken line", f"{shown(part)} is not index:count")
        try:
            counts[str(int(index))] = counts.get(str(int(index)), 0) + number_in(number)
        except ValueError:
            raise BadValueError("not a number", f"{shown(part)} is not index:count") from None
    return counts
