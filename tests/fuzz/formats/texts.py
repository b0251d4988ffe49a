"""Folders of text files: odd names, linked files and folders, odd bytes."""

from __future__ import annotations

import os
from random import Random

from tests.fuzz.case import Draft
from tests.fuzz.documents import make_documents, with_words

MODULES = ("txt_folder",)
SUFFIXES = (".txt",)
ODD_NAMES = (
    "\udce9t\udce9.txt",
    "a\nb.txt",
    "\x1b[31mred.txt",
    "x" * 240 + ".txt",
    ".txt",
    "..txt",
    "a b.TXT",
    "*.txt",
)
ODD_FOLDERS = ("caf\udce9", "\x1b[2J", " ", "...", "a\nb")
EMPTY = b" 12 . http://a.org "  # a text of which nothing is kept
ODD_BYTES = (
    b"\xff\xfe",
    b"\xe9t\xe9",
    b"\x00",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"",
    b"\r\r\n",
    EMPTY,
    b"\x1b[31m",
)


def make_text_folder(random: Random) -> Draft:
    """Return a folder with one text file per document and one folder per label."""
    documents = make_documents(random)
    draft = Draft("papers", {}, "", len(documents), {})
    for document in documents:
        name = f"{document['label']}/{document['id']}"
        draft.files[f"papers/{name}.txt"] = with_words(document, "text")["text"].encode()
        draft.intact[name] = (sum(document["counts"].values()), (document["label"],))
    draft.main = random.choice(sorted(draft.files))
    if random.random() < 0.75:
        _mutate(random, draft)
    return draft


def _mutate(random: Random, draft: Draft) -> None:
    kind = random.choice(
        ("name", "folder", "bytes", "bytes", "linked file", "linked folder", "broken link", "loop", "other")
    )
    name = draft.main
    content = draft.files[name]
    draft.note(f"{kind}: {name}")
    if kind in ("name", "folder"):
        del draft.files[name]
        draft.intact.pop(name.removeprefix("papers/").removesuffix(".txt"))
        odd = random.choice(ODD_NAMES) if kind == "name" else f"{random.choice(ODD_FOLDERS)}/d.txt"
        draft.main = f"papers/{odd}"
        draft.files[draft.main] = content
        draft.note(ascii(odd[:40]))
    elif kind == "bytes":
        draft.intact.pop(name.removeprefix("papers/").removesuffix(".txt"))
        odd_bytes = random.choice(ODD_BYTES)
        draft.files[name] = random.choice((odd_bytes, odd_bytes + content, content + odd_bytes))
        draft.note(repr(odd_bytes))
        draft.must_report = draft.files[name] in (b"", EMPTY, b"\x00") or odd_bytes[:1] in b"\xe9\xff\xed"
        draft.must_report = draft.must_report and odd_bytes != b""
    elif kind == "linked file":
        draft.symlinks["papers/linked.txt"] = os.path.relpath(name, "papers")
        draft.records = (draft.records or 0) + 1
    elif kind == "linked folder":
        # The files behind the link are read, or the link is counted.
        draft.files["elsewhere/e.txt"] = b"bank money"
        draft.symlinks["papers/linked"] = "../elsewhere"
        draft.records = (draft.records or 0) + 1
    elif kind == "broken link":
        draft.symlinks["papers/broken.txt"] = "nowhere.txt"
        draft.records = (draft.records or 0) + 1
    elif kind == "loop":
        draft.symlinks["papers/loop"] = "."
        draft.symlinks["papers/self.txt"] = "self.txt"
        draft.records = None
    else:
        other = random.choice(
            ("notes.md", "documents.pdf", "links.csv", "vocabulary.txt", "x.txt/y.txt", ".hidden.txt")
        )
        draft.files[f"papers/{other}"] = b"river bank"
        draft.records = (draft.records or 0) + other.endswith(".txt")
        draft.note(other)
