"""Small valid corpora, and odd values for their fields."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.cli.small import THEMES
from tests.fuzz.case import Intact

DEEP = 100_000
LONG = "9" * 5_000
LONG_NUMBER = "number of 5,000 digits"  # json.dumps refuses it, see `to_json`
ODD_TEXTS = (
    "",
    " ",
    "\t",
    "a\x00b",
    "\x1b[31mred",
    "\u202egnp",
    "e\u0301",
    "\ufeff",
    "1" * 5_000,
    "nan",
    "None",
    "\u2028",
)
LONE = "\ud800"  # half of a surrogate pair

# Values and whether they must be refused or counted.
ODD_IDS: tuple[tuple[Any, bool], ...] = (
    (None, True),
    ("", True),
    ("  ", True),
    (True, True),
    ([1], True),
    ({"a": 1}, True),
    (float("inf"), True),
    (float("nan"), True),
    (LONE, True),
    (f"a{LONE}b", True),
    (10**400, False),
    (LONG_NUMBER, True),
    (1e300, False),
    (-1, False),
    (0.5, False),
    *((text, not text.strip()) for text in ODD_TEXTS[3:]),
    ("x" * 100_000, False),
)
ODD_COUNTS: tuple[tuple[Any, bool], ...] = (
    (-1, True),
    (float("nan"), True),
    (float("inf"), True),
    (float("-inf"), True),
    (2**31, True),
    (10**400, True),
    (LONG_NUMBER, True),
    ("x", True),
    (None, True),
    (True, True),
    ([1], True),
    ({}, True),
    (-0.0, False),
    (0, False),
    (1.0, False),
    (2**31 - 1, False),
)
ODD_WORDS: tuple[tuple[str, bool], ...] = (
    (LONE, True),
    ("", False),
    (" ", False),
    ("\x1b]0;title\x07", False),
    ("a\nb", False),
    ("a\x00b", False),
    ("x" * 100_000, False),
)
ODD_DATES: tuple[tuple[Any, bool], ...] = (
    ("n.d.", True),
    ("1990-13-01", True),
    ("1990-02-30", True),
    ("-0044-03-15", True),
    ("99999", True),
    (99_999, True),
    (0, True),
    (10**400, True),
    (1990.5, True),
    ([1990], True),
    ({}, True),
    (True, True),
    (LONE, True),
    ("１９９０", False),
    ("0001-01-01", False),
    ("0001-01-01T00:00:00+14:00", False),
    ("9999-12-31T23:59:59-14:00", False),
    ("9999-12-31", False),
    ("1990-W01-1", False),
    ("", False),
    (None, False),
    (1990.0, False),
)
ODD_NAMES: tuple[tuple[Any, bool], ...] = (
    ([[1]], True),
    ({"a": 1}, True),
    (float("inf"), True),
    (LONE, True),
    ([LONE], True),
    (LONG_NUMBER, True),
    (None, False),
    (True, False),
    ([], False),
    ("x" * 100_000, False),
    *((text, False) for text in ODD_TEXTS),
)
ODD_WORD_FIELDS: tuple[tuple[Any, bool], ...] = (
    (None, True),
    ("", True),
    ([], True),
    ({}, True),
    (5, True),
    (True, True),
    ([None], True),
    ([1, "river"], True),
    ([["river"]], True),
    (LONE, True),
    ([LONE], True),
    ({LONE: 1}, True),
)


def make_documents(random: Random) -> list[dict[str, Any]]:
    """Return three to twelve documents of one theme each, with everything that a document can have."""
    documents = []
    for number in range(random.randint(3, 12)):
        label = random.choice(sorted(THEMES))
        words = random.sample(THEMES[label], random.randint(1, 5))
        documents.append(
            {
                "id": f"d{number}",
                "title": f"About {label} {number}",
                "label": label,
                "date": f"{random.randint(1988, 1994)}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}",
                "split": random.choice(("train", "test")),
                "counts": {word: random.randint(1, 3) for word in words},
            }
        )
    return documents


def make_pairs(random: Random, documents: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return distinct links between the documents."""
    names = [document["id"] for document in documents]
    pairs = {tuple(random.sample(names, 2)) for _ in range(random.randint(2, 8))}
    return sorted((source, target) for source, target in pairs)


def intact(documents: list[dict[str, Any]]) -> Intact:
    """Return the number of tokens and the labels of each document by id."""
    return {document["id"]: (sum(document["counts"].values()), (document["label"],)) for document in documents}


def with_words(document: dict[str, Any], form: str) -> dict[str, Any]:
    """Return a document with its words as counts, tokens or text."""
    row = {name: value for name, value in document.items() if name != "counts"}
    tokens = [word for word, count in document["counts"].items() for _ in range(count)]
    row[form] = {"counts": document["counts"], "tokens": tokens, "text": " ".join(tokens)}[form]
    return row


def to_json(row: dict[str, Any], **options: Any) -> str:
    """Return a document as one line of JSON."""
    return json.dumps(row, **options).replace(f'"{LONG_NUMBER}"', LONG)
