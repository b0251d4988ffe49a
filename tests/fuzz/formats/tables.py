"""CSV and TSV tables: odd cells, quotes, headers, delimiters and line ends."""

from __future__ import annotations

import csv
import io
import json
from random import Random
from typing import Any

from tests.fuzz.case import Draft
from tests.fuzz.documents import DEEP, LONG, intact, make_documents, with_words

MODULES = ("table",)
SUFFIXES = (".csv", ".tsv")
# Cells by field, and whether they must be refused or counted.
ODD_CELLS: dict[str, tuple[tuple[str, bool], ...]] = {
    "id": (("", True), ("  ", True), ("a\x00b", False), ("x" * 200_000, False), (LONG, False), ("\x1b[2J", False)),
    "title": (("=1+1", False), ('"', False), ("a\nb", False), ("a\r\nb", False), ("\x00", False)),
    "label": (("a;b|c", False), ("", False), ("\x1b[31m", False), ("x" * 200_000, False)),
    "date": (("n.d.", True), (LONG, True), ("1990-13-01", True), ("0001-01-01", False), ("1e400", True), ("", False)),
    "split": (("", False), ("train\n", False)),
    "counts": (
        ("", True),
        ("river:-1", True),
        ("river:3 river:-1", True),
        ("river:nan", True),
        ("river:inf", True),
        (f"river:{LONG}", True),
        ("river:1" + "0" * 400, True),
        ("river:1e400", True),
        ("river", True),
        (":1", True),
        ("river:1:2", False),
        ('{"river": 1, "river": 2}', True),
        ('{"river": -1}', True),
        ('{"river": ' + LONG + "}", True),
        ('{"\\ud800": 1}', True),
        ('{"river": "1"}', True),
        ('{"river": {"a": 1}}', True),
        ('{"a":' * DEEP, True),
        ('{"a":' * DEEP + "1" + "}" * DEEP, True),
        ("{", True),
        ("[1]", True),
        ("{}", True),
    ),
    "tokens": (("", True), (" ", True), ("\x00", False), ('"river', False)),
    "text": (("", True), (" . ", True), ("12 . http://a.org", True), ("\x00\x01\x02", True), ("a\nb\nriver", False)),
}
MUTATIONS = ("cell", "cell", "cell", "quote", "width", "header", "repeated id", "blank", "bytes", "delimiter", "escape")


def make_csv(random: Random) -> Draft:
    """Return a comma-separated table, damaged in structure in most cases."""
    return _make(random, ".csv")


def make_tsv(random: Random) -> Draft:
    """Return a tab-separated table, damaged in structure in most cases."""
    return _make(random, ".tsv")


def _make(random: Random, suffix: str) -> Draft:
    documents = make_documents(random)
    form = random.choice(("counts", "tokens", "text"))
    rows = [with_words(document, form) for document in documents]
    for row in rows:
        row[form] = _cell(random, row[form])
    name = f"papers{suffix}"
    draft = Draft(name, {}, name, len(rows), intact(documents), has_fields=True)
    delimiter = "\t" if suffix == ".tsv" else random.choice(",,;\t")
    mutation = random.choice(MUTATIONS) if random.random() < 0.75 else ""
    which = random.randrange(len(rows))
    if mutation:
        draft.note(f"{mutation} in row {which + 1}")
    header = list(rows[0])
    if mutation == "cell":
        draft.intact.pop(rows[which]["id"])
        field = random.choice(header)
        rows[which][field], draft.must_report = random.choice(ODD_CELLS[field])
        draft.note(f"{field} is {rows[which][field]!r:.60}")
    elif mutation == "repeated id":
        other = random.choice([other["id"] for other in rows if other is not rows[which]])
        draft.intact.pop(rows[which]["id"])
        draft.intact.pop(other)
        rows[which]["id"] = other
        draft.must_report = True
    lines = _lines(random, header, [list(row.values()) for row in rows], delimiter)
    if mutation in ("quote", "width", "bytes", "escape", "blank", "delimiter"):
        lines[which + 1] = _mutate_line(random, draft, lines[which + 1], mutation, documents[which]["id"], delimiter)
    elif mutation == "header":
        lines[0] = _mutate_header(random, draft, header, delimiter)
    content = b"".join(line.encode() if isinstance(line, str) else line for line in lines)
    draft.files[name] = content
    return draft


def _cell(random: Random, words: Any) -> str:
    """Return words as they stand in a cell."""
    if isinstance(words, dict):
        pairs = " ".join(f"{word}:{count}" for word, count in words.items())
        return random.choice((pairs, json.dumps(words)))
    return " ".join(words) if isinstance(words, list) else words


def _lines(random: Random, header: list[str], rows: list[list[str]], delimiter: str) -> list[Any]:
    end = random.choice(("\n", "\n", "\r\n"))
    quoting = random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    lines: list[Any] = []
    for row in (header, *rows):
        line = io.StringIO()
        csv.writer(line, delimiter=delimiter, quoting=quoting, lineterminator=end).writerow(row)
        lines.append(line.getvalue())
    return lines


def _mutate_line(random: Random, draft: Draft, line: str, mutation: str, name: str, delimiter: str) -> Any:
    end = line[len(line.rstrip("\r\n")) :]
    body = line.rstrip("\r\n")
    if mutation == "blank":
        return random.choice(("", "  ")) + end + line
    draft.intact.pop(name)
    if mutation == "quote":
        # An open quote can swallow the rows that follow; they must be counted or the file refused.
        draft.intact, draft.must_report = {}, True
        where = random.choice((0, body.find(delimiter) + 1))
        return body[:where] + '"' + body[where:].replace('"', "") + end
    draft.must_report = True
    if mutation == "width":
        return body + delimiter * random.choice((1, 2, 500)) + end if random.random() < 0.6 else "x" + end
    if mutation == "delimiter":
        return body.replace(delimiter, "%") + end
    if mutation == "escape":
        draft.must_report = False
        return body.replace("d", '\\"', 1) + end
    return random.choice((b"\xe9", b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80")) + line.encode()


def _mutate_header(random: Random, draft: Draft, header: list[str], delimiter: str) -> str:
    """Return another header; nothing is known about the documents then."""
    draft.forget()
    kind = random.choice(("missing", "repeated", "huge", "empty", "number", "unknown", "wide", "open quote", "escape"))
    draft.note(kind)
    names = {
        "missing": header[1:],
        "repeated": [header[0], *header[:-1]],
        "huge": [*header[:-1], "x" * 1_000_000],
        "empty": ["" for _ in header],
        "number": [LONG, *header[1:]],
        "unknown": [f"column{n}" for n in range(len(header))],
        "wide": [*header, *(f"c{n}" for n in range(50_000))],
        "open quote": ['"' + header[0], *header[1:]],
        "escape": [*header[:-1], "\x1b[31m" + header[-1]],
    }[kind]
    # Fields with unknown names are guessed from their values; `corpus.fields` says so.
    draft.must_report = kind in ("repeated", "empty", "open quote", "wide", "missing")
    return delimiter.join(names) + "\n"
