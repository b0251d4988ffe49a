"""Workbooks: empty cells, odd values, other headers; damage of the archive comes from `mutations`."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.corpus.workbooks import ods, xlsx
from tests.fuzz.case import Draft
from tests.fuzz.documents import LONG, intact, make_documents, with_words

MODULES = ("workbook", "workbook_size")
SUFFIXES = (".xlsx", ".ods")
# Values of cells by field, and whether they must be refused or counted.
ODD_VALUES: dict[str, tuple[tuple[Any, bool], ...]] = {
    "id": ((None, True), (" ", True), (1.5, False), (LONG, False), ("=1+1", False)),
    "date": (("n.d.", True), (-5, True), (1e300, True), (LONG, True), (None, False)),
    "text": ((None, True), (" . ", True), (1e300, False), ("river " * 5_000, False)),
}


def make_xlsx(random: Random) -> Draft:
    """Return an .xlsx workbook, with an odd cell or header in most cases."""
    return _make(random, "papers.xlsx")


def make_ods(random: Random) -> Draft:
    """Return an .ods workbook, with an odd cell or header in most cases."""
    return _make(random, "papers.ods")


def _make(random: Random, name: str) -> Draft:
    documents = make_documents(random)
    rows = [with_words(document, "text") for document in documents]
    draft = Draft(name, {}, name, len(rows), intact(documents), has_fields=True, binary=True)
    header = list(rows[0])
    which = random.randrange(len(rows))
    kind = random.choice(("", "cell", "cell", "header", "repeated id", "no rows"))
    draft.note(f"{kind} in row {which + 1}" if kind else "")
    if kind == "cell":
        field = random.choice(sorted(ODD_VALUES))
        draft.intact.pop(rows[which]["id"])
        rows[which][field], draft.must_report = random.choice(ODD_VALUES[field])
        draft.note(f"{field} is {rows[which][field]!r:.40}")
    elif kind == "repeated id":
        other = rows[(which + 1) % len(rows)]["id"]
        draft.intact.pop(rows[which]["id"])
        draft.intact.pop(other)
        rows[which]["id"] = other
        draft.must_report = True
    elif kind == "header":
        draft.forget()
        header[random.randrange(len(header))] = random.choice((None, "text", 7, LONG))
    elif kind == "no rows":
        draft.forget()
        rows, draft.must_report = [], True
    cells = [header, *(list(row.values()) for row in rows)]
    make = xlsx if name.endswith(".xlsx") else ods
    draft.files[name] = make({"papers": cells, "notes": [["text"], ["another sheet"]]})
    return draft
