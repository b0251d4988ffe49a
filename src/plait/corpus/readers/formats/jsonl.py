"""JSON lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from plait.corpus.problems import Problems
from plait.corpus.readers.fields import Row
from plait.corpus.readers.streams import Line, read_lines
from plait.corpus.values import shown


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
            problems.report("wrong encoding", place, line.error, fix="re-encode it, give encoding=")
            continue
        try:
            value = json.loads(line.text)
        except (ValueError, RecursionError) as error:
            problems.report("broken JSON", place, f"{shown(line.text.rstrip())} is not valid JSON ({error})")
            continue
        if not isinstance(value, dict):
            problems.report("broken JSON", place, f"{shown(value)} is not an object with fields")
        elif "\\u" in line.text and not _can_be_encoded(value):
            problems.report("wrong encoding", place, "it contains half of a surrogate pair, which is not a character")
        else:
            yield Row(place, number, value)


def _can_be_encoded(value: Any) -> bool:
    """Return whether the text in a JSON value can be encoded; an escape can stand for half of a character."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
