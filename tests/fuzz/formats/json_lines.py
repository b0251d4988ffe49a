"""JSON lines: odd values, missing and repeated keys, other JSON than objects, broken lines."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.fuzz.case import Draft
from tests.fuzz.documents import (
    DEEP,
    LONG,
    ODD_COUNTS,
    ODD_DATES,
    ODD_IDS,
    ODD_NAMES,
    ODD_WORD_FIELDS,
    ODD_WORDS,
    intact,
    make_documents,
    to_json,
    with_words,
)

MODULES = ("jsonl",)
SUFFIXES = (".jsonl", ".ndjson")
# Lines in place of an object; every one must be refused or counted.
BAD_LINES = (
    "null",
    "[]",
    "[1, 2]",
    "12",
    '"text"',
    "{",
    "}",
    '{"id": "x", "text": }',
    "{'id': 'x'}",
    '{"id": "x", "text": "river"',
    '{"id": "x" "text": "river"}',
    '{"id": "x", "text": "\x01"}',
    '{"id": "x", "text": "\\ud800"}',
    '{"id": "x", "text": "\\x"}',
    '{"id": "x", "id": "y", "text": "river"}',
    '{"id": "x", "text": "river", "text": "bank"}',
    '{"id": "x", "counts": {"river": 1, "river": 2}}',
    '{"id": "x", "text": ' + "[" * DEEP + "]" * DEEP + "}",
    '{"id": "x", "text": ' + '{"a":' * DEEP + "1" + "}" * DEEP + "}",
    "[" * DEEP,
    '{"id": "x", "text": ' + LONG + "}",
    '{"id": "x", "text": "river"} {"id": "y", "text": "bank"}',
    "{}",
    '{"other": 1}',
    "\ufeff{}",
    "\x00",
)


def make_jsonl(random: Random) -> Draft:
    """Return a file of JSON lines, damaged in structure in most cases."""
    documents = make_documents(random)
    form = random.choice(("counts", "tokens", "text"))
    rows: list[dict[str, Any]] = [with_words(document, form) for document in documents]
    draft = Draft("", {}, "", len(rows), intact(documents), lines="json", has_fields=True)
    lines = [json.dumps(row, ensure_ascii=random.random() < 0.5) for row in rows]
    if random.random() < 0.75:
        lines = _mutate(random, draft, rows, lines, form)
    name = f"papers{random.choice(SUFFIXES)}"
    draft.path = draft.main = name
    text = random.choice(("\n", "\n", "\r\n")).join([*lines, ""] if random.random() < 0.8 else lines)
    draft.files[name] = text.encode("utf-8", "surrogatepass")
    return draft


def _mutate(random: Random, draft: Draft, rows: list[dict[str, Any]], lines: list[str], form: str) -> list[str]:
    which = random.randrange(len(rows))
    row = rows[which]
    kind = random.choice(("value", "value", "value", "line", "line", "key", "missing", "repeated id", "blank", "order"))
    draft.note(f"{kind} in line {which + 1}")
    if kind == "blank":
        return [*lines[:which], random.choice(("", " ", "\t", "\r")), *lines[which:]]
    if kind == "order":
        random.shuffle(lines)
        return lines
    draft.intact.pop(row["id"])
    if kind == "line":
        line = random.choice(BAD_LINES)
        draft.note(repr(line[:60]))
        draft.must_report = True
        return [*lines[:which], line, *lines[which + 1 :]]
    if kind == "key":
        name = random.choice(sorted(row))
        repeated = f"{lines[which][:-1]}, {json.dumps(name)}: {json.dumps(row[name])}}}"
        draft.must_report = True
        return [*lines[:which], repeated, *lines[which + 1 :]]
    if kind == "missing":
        name = random.choice(sorted(row))
        del row[name]
        draft.must_report = name in ("id", form)
    elif kind == "repeated id":
        other = random.choice([other["id"] for other in rows if other is not row])
        draft.intact.pop(other)
        row["id"] = other
        draft.must_report = True
    else:
        draft.must_report = change_value(random, row, form, draft)
    return [*lines[:which], to_json(row), *lines[which + 1 :]]


def change_value(random: Random, row: dict[str, Any], form: str, draft: Draft) -> bool:
    """Replace one value of a row by an odd one; return whether it must be refused or counted."""
    role = random.choice(("id", "title", "label", "date", "split", "words", "count", "word"))
    if role in ("count", "word") and form == "counts":
        table = ODD_COUNTS if role == "count" else ODD_WORDS
        value, wrong = random.choice(table)
        row["counts"] = {**row["counts"], **({"river": value} if role == "count" else {value: 1})}
        # Whether a count of 2**31 - 1 beside others is too much is for the model to say.
    elif role in ("words", "count", "word"):
        value, wrong = random.choice(ODD_WORD_FIELDS)
        row[form] = value
    else:
        tables = {"id": ODD_IDS, "date": ODD_DATES}
        value, wrong = random.choice(tables.get(role, ODD_NAMES))
        row[role] = value
    draft.note(f"{role} is {value!r:.60}" if not isinstance(value, int) else f"{role} is a number")
    return wrong
