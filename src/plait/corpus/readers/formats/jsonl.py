"""Documents in JSON lines: one object a line."""

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
    """The objects of a file of JSON lines; lines that are not objects are reported."""
    return rows_of_lines(read_lines(path, encoding), path.name, problems)


def rows_of_lines(lines: Iterable[Line], name: str, problems: Problems) -> Iterator[Row]:
    """The objects in JSON lines, wherever the lines come from; `name` is what messages call it."""
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
        elif "\\u" in line.text and not _can_be_written(value):
            problems.report("wrong encoding", place, "half of a surrogate pair is not a character")
        else:
            yield Row(place, number, value)


def _can_be_written(value: Any) -> bool:
    """Whether the text in a JSON value is made of whole characters (an escape may hold half of one)."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
