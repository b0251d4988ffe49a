"""Files of words beside a valid corpus: stop words (`stop_words=`, `--stop-words`) and seed words (`--seeds`)."""

from __future__ import annotations

import json
from random import Random

from tests.cli.small import THEMES
from tests.fuzz.case import Draft
from tests.fuzz.documents import DEEP, LONG, intact, make_documents, with_words

MODULES = ()
SUFFIXES = ()
# Contents of a file of seeds, and whether they must be refused.
ODD_SEEDS: tuple[tuple[str, bool], ...] = (
    ("", True),
    ("{}", True),
    ("{", True),
    ("water", True),
    ("water:", True),
    (": river", True),
    ("water: river\nwater: lake", True),
    ('{"water": ["river"], "water": ["lake"]}', True),
    ('{"water": "river"}', False),
    ('{"water": [1]}', True),
    ('{"water": null}', True),
    ('{"water": {"river": 1}}', True),
    ('{"water": ["\\ud800"]}', True),
    ('{"\\ud800": ["river"]}', True),
    ('{"a":' * DEEP, True),
    ('{"a":' + "[" * DEEP + "]" * DEEP + "}", True),
    ('{"water": ' + LONG + "}", True),
    ("\x1b[31m: river", False),
    ("water: nobody", False),
    ("a: river\nb: lake\nc: fish\nd: boat", False),
    ("water: " + "river " * 100_000, False),
    ("\ufeffwater: river", False),
    ("water:\x00", False),
)


def _corpus(random: Random) -> Draft:
    documents = make_documents(random)
    lines = [json.dumps(with_words(document, "text")) for document in documents]
    draft = Draft("papers.jsonl", {}, "words.txt", len(documents), intact(documents), has_fields=True)
    draft.files["papers.jsonl"] = "".join(line + "\n" for line in lines).encode()
    return draft


def make_stop_words(random: Random) -> Draft:
    """Return a corpus and a file of stop words that do not occur in it."""
    draft = _corpus(random)
    words = ["the", "of", "and"]
    draft.options["stop_words"] = draft.main
    if random.random() < 0.5:
        word = random.choice(("", "\x00", "x" * 100_000, "\x1b[31m", "\ufeffthe", "a b", "river"))
        draft.note(f"stop word {word[:20]!r}")
        words.append(word)
    content = "\n".join(words).encode()
    if "river" in words:
        draft.forget()
    if random.random() < 0.2:
        content += b"\xe9"
        draft.note("not UTF-8")
        draft.must_report = True
    draft.files[draft.main] = content
    return draft


def make_seeds(random: Random) -> Draft:
    """Return a corpus and a file of seed words, as lines or as JSON."""
    draft = _corpus(random)
    draft.options["seeds"] = draft.main
    draft.commands = {"seeds": 0.9, "fit": 0.1}
    topics = {label: random.sample(THEMES[label], 2) for label in sorted(THEMES)[:2]}
    lines = "".join(f"{label}: {', '.join(words)}\n" for label, words in topics.items())
    content = random.choice((lines, json.dumps(topics)))
    if random.random() < 0.7:
        content, draft.must_report = random.choice(ODD_SEEDS)
        draft.note(f"seeds {content[:40]!r}")
    draft.files[draft.main] = content.encode()
    return draft
