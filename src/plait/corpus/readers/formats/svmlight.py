"""The SVMlight format: "label index:count index:count …" a line, with comments after #."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plait.corpus.problems import BadValueError, Problems
from plait.corpus.readers.records import Record, Source
from plait.corpus.readers.streams import read_lines
from plait.corpus.values import number_in, shown


class SvmlightSource(Source):
    """Documents numbered from 1; a word is called by its index, several labels are separated by commas."""

    word_order = staticmethod(int)
    label_separators = ","

    def __init__(self, path: Path, encoding: str) -> None:
        self.name = path.name
        self._path = path
        self._encoding = encoding

    @property
    def numbered(self) -> bool:
        """Documents have no other ids."""
        return True

    def records(self, problems: Problems) -> Iterator[Record]:
        """Yield the lines as records."""
        number = 0
        for line in read_lines(self._path, self._encoding):
            parts = line.text.partition("#")[0].split()
            if not parts:
                continue
            number += 1
            place = f"{self.name}, line {line.number}"
            try:
                # A line may start with its first word when it has no label.
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
            continue  # the group of a ranking task, which is neither a word nor a label
        if not colon or not index.isdecimal():
            raise BadValueError("broken line", f"{shown(part)} is not index:count")
        try:
            counts[str(int(index))] = counts.get(str(int(index)), 0) + number_in(number)
        except ValueError:
            raise BadValueError("not a number", f"{shown(part)} is not index:count") from None
    return counts
