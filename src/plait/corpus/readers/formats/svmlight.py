"""The SVMlight format: one document per line, "label index:count index:count …", with comments after #."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plait.corpus.numbers import add_count, number_in
from plait.corpus.problems import WRONG_ENCODING, BadValueError, Problems
from plait.corpus.readers.records import Record, Source
from plait.corpus.readers.streams import read_lines
from plait.corpus.values import shown


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
        self.path = self._path = path
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
            content = line.text.partition("#")[0]
            parts = content.split()
            if not parts:
                continue
            number += 1
            place = f"{self.name}, line {line.number}"
            if line.error is not None and "\ufffd" in content:  # a comment may be in any encoding
                problems.report(WRONG_ENCODING, place, line.error)
                continue
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
            add_count(counts, str(int(index)), number_in(number))
        except ValueError:
            raise BadValueError("not a number", f"{shown(part)} is not index:count") from None
    return counts
