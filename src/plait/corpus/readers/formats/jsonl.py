"""JSON lines: one object per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from plait.corpus.problems import WRONG_ENCODING, BadValueError, Problems
from plait.corpus.readers.fields import Row
from plait.corpus.readers.streams import Line, read_lines
from plait.corpus.values import parse_json, shown


def jsonl_rows(path: Path, encoding: str, problems: Problems) -> Iterator[Row]:
    """Yield the objects of a file of JSON lines; other lines are reported.

    Parameters
    ----------
    path : Path
        The file.
    encoding : str
        Its encoding.
    problems : Problems
        Raises or counts the problems.

    Yields
    ------
    Row
        An object.
    """
    return rows_of_lines(read_lines(path, encoding), path.name, problems)


def rows_of_lines(lines: Iterable[Line], name: str, problems: Problems) -> Iterator[Row]:
    """Yield the objects in JSON lines; other lines are reported.

    Parameters
    ----------
    lines : iterable of Line
        The lines.
    name : str
        Name of their source for error messages.
    problems : Problems
        Raises or counts the problems.

    Yields
    ------
    Row
        An object.
    """
    number = 0
    for line in lines:
        if not line.text.strip():
            continue
        number += 1
        place = f"{name}, line {line.number}"
        if line.error is not None:
            problems.report(WRONG_ENCODING, place, line.error)
            continue
        try:
            value = parse_json(line.text)
        except BadValueError as error:
            problems.report(error.kind, place, error.message)
            continue
        if isinstance(value, dict):
            yield Row(place, number, value)
        else:
            problems.report("broken JSON", place, f"{shown(value)} is not an object with fields")
