"""Numbered words: UCI bag of words, SVMlight and LINQS."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.fuzz.case import Draft
from tests.fuzz.documents import LONG, make_documents, make_pairs

MODULES = ("uci", "word_list", "svmlight", "linqs")
SUFFIXES = (".svm", ".svmlight", ".libsvm", ".content", ".cites", "docword.*.txt")
# Numbers in place of a number, and whether they must be refused or counted.
ODD_NUMBERS = (
    ("-1", True),
    ("nan", True),
    ("inf", True),
    ("x", True),
    ("1e400", True),
    ("1" + "0" * 400, True),
    (LONG, True),
    ("2147483648", True),
    ("", True),
    ("1.5", True),
    ("0x10", True),
    ("1_0", False),
    ("١", False),
    ("1.0", False),
    ("0", False),
)


def _vocabulary(documents: list[dict[str, Any]]) -> list[str]:
    return sorted({word for document in documents for word in document["counts"]})


def make_uci(random: Random) -> Draft:
    """Return a docword file and its vocabulary, damaged in structure in most cases."""
    documents = make_documents(random)
    words = _vocabulary(documents)
    entries = [
        [str(number), str(words.index(word) + 1), str(count)]
        for number, document in enumerate(documents, start=1)
        for word, count in document["counts"].items()
    ]
    header = [str(len(documents)), str(len(words)), str(len(entries))]
    known = {str(number): (sum(d["counts"].values()), ()) for number, d in enumerate(documents, start=1)}
    main = "docword.papers.txt"
    draft = Draft(random.choice((main, "")), {}, main, len(documents), known, companions=("vocab.papers.txt",))
    if random.random() < 0.75:
        _mutate_uci(random, draft, header, entries, words)
    lines = [*header, *(" ".join(entry) for entry in entries)]
    draft.files = {main: ("\n".join(lines) + "\n").encode(), "vocab.papers.txt": ("\n".join(words) + "\n").encode()}
    return draft


def _mutate_uci(random: Random, draft: Draft, header: list[str], entries: list[list[str]], words: list[str]) -> None:
    kind = random.choice(
        ("header", "header", "entry", "entry", "absorbed", "lost line", "order", "vocabulary", "width")
    )
    which = random.randrange(len(entries))
    document = entries[which][0]
    draft.note(f"{kind}, entry {which + 1}")
    if kind == "header":
        line = random.randrange(3)
        value = random.choice(("0", "-1", "x", "", LONG, "99999999999999", "5000000", "1.5", "١"))
        header[line] = value
        draft.note(f"line {line + 1} is {value[:20]!r}")
        draft.forget()
        draft.must_report = True
    elif kind == "entry":
        column = random.randrange(3)
        value, wrong = random.choice(ODD_NUMBERS)
        draft.note(f"column {column + 1} is {value[:20]!r}")
        entries[which][column] = value
        draft.intact = {}
        if column < 2:
            draft.records = None
            # A document or word numbered 0 or 1.0 does not exist; other valid numbers can be those of a neighbour.
            draft.must_report = wrong or value in ("0", "1.0")
        else:
            draft.must_report = wrong
    elif kind == "absorbed":
        # The sum of the repeated entries is valid, but one of them is not.
        entries[which : which + 1] = [[*entries[which][:2], "5"], [*entries[which][:2], "-1"]]
        header[2] = str(len(entries))
        draft.intact.pop(document)
        draft.must_report = True
    elif kind == "lost line":
        del entries[which]
        draft.intact.pop(document)
        draft.must_report = True
    elif kind == "order":
        entries.append([entries[0][0], "1", "1"])
        header[2] = str(len(entries))
        draft.intact.pop(entries[0][0])
        draft.must_report = len({entry[0] for entry in entries}) > 1
    elif kind == "vocabulary":
        draft.forget()
        draft.must_report = True
        words[random.randrange(len(words))] = random.choice(("", words[0] if len(words) == 1 else "\n".join(words[:2])))
    else:
        entries[which].append("1")
        draft.intact.pop(document)
        draft.must_report = True


def make_svmlight(random: Random) -> Draft:
    """Return a file of labels and index:count pairs, damaged in structure in most cases."""
    documents = make_documents(random)
    words = _vocabulary(documents)
    rows = [
        [document["label"], *(f"{words.index(word) + 1}:{count}" for word, count in document["counts"].items())]
        for document in documents
    ]
    known = {str(n): (sum(d["counts"].values()), (d["label"],)) for n, d in enumerate(documents, start=1)}
    name = f"papers{random.choice(SUFFIXES[:3])}"
    draft = Draft(name, {}, name, len(documents), known, lines="svmlight")
    which = random.randrange(len(rows))
    content = None
    if random.random() < 0.75:
        draft.intact.pop(str(which + 1))
        content = _mutate_svmlight(random, draft, rows, which)
    if content is None:
        content = "".join(" ".join(row) + "\n" for row in rows).encode()
    draft.files = {name: content}
    return draft


def _mutate_svmlight(random: Random, draft: Draft, rows: list[list[str]], which: int) -> bytes | None:
    kind = random.choice(("count", "count", "index", "label", "absorbed", "part", "bytes"))
    draft.note(f"{kind} in line {which + 1}")
    row = rows[which]
    if kind == "bytes":
        # Two labels that are different bytes must not become one label.
        row[0], rows[which - 1][0] = "caf\xe9", "caf\xe8"
        draft.intact.pop(str(which if which else len(rows)), None)
        draft.must_report = True
        return "".join(" ".join(row) + "\n" for row in rows).encode("latin-1")
    if kind in ("count", "index"):
        value, draft.must_report = random.choice(ODD_NUMBERS)
        if kind == "index":
            # Any whole number is an index; 1_0 and 1.0 are none.
            draft.must_report = not value.isdecimal()
        row[1] = f"1:{value}" if kind == "count" else f"{value}:1"
        draft.note(row[1][:30])
    elif kind == "label":
        row[0] = random.choice((",", "a,,b", "\x1b[31m", "x" * 100_000, LONG, "qid:1", "+1", "-1", "nan"))
    elif kind == "absorbed":
        row[1:] = ["1:5", "1:-1"]
        draft.must_report = True
    else:
        row.append(random.choice(("x", "1", ":", "1:", ":1", "1:1:1", "-1:1", "１:1", "²:1")))
        draft.must_report = row[-1] not in ("１:1",)
    return None


def make_linqs(random: Random) -> Draft:
    """Return a .content and a .cites file, damaged in structure in most cases."""
    documents = make_documents(random)
    words = _vocabulary(documents)
    pairs = make_pairs(random, documents)
    rows = [
        [document["id"], *("1" if word in document["counts"] else "0" for word in words), document["label"]]
        for document in documents
    ]
    known = {document["id"]: (len(document["counts"]), (document["label"],)) for document in documents}
    cites = [list(pair) for pair in pairs]
    records = len(rows) + len(pairs)
    path = random.choice(("papers.content", "papers.cites", ""))
    draft = Draft(path, {}, random.choice(("papers.content", "papers.cites")), records, known)
    draft.companions = ("papers.content",)
    if random.random() < 0.75:
        _mutate_linqs(random, draft, rows, cites)
    draft.files = {
        "papers.content": "".join("\t".join(row) + "\n" for row in rows).encode(),
        "papers.cites": "".join("\t".join(pair) + "\n" for pair in cites).encode(),
    }
    return draft


def _mutate_linqs(random: Random, draft: Draft, rows: list[list[str]], cites: list[list[str]]) -> None:
    kind = random.choice(("number", "number", "width", "first", "id", "cite", "cite", "label"))
    which = random.randrange(1, len(rows))
    row = rows[which]
    draft.note(f"{kind} in line {which + 1}")
    if kind == "cite":
        link = random.choice(cites)
        made = random.choice((["nobody", link[1]], [link[0], link[0]], [link[0]], [*link, "1"], ["", link[1]]))
        link[:] = made
        draft.must_report = True
        draft.note(repr(made))
        return
    draft.intact.pop(row[0])
    if kind == "number":
        value, draft.must_report = random.choice(ODD_NUMBERS)
        row[1] = value
        draft.note(value[:20])
    elif kind == "width":
        row[1:2] = random.choice(([], ["1", "1"]))
        draft.must_report = True
    elif kind == "first":
        draft.forget()
        rows[0] = random.choice(([], ["x"], ["x", "y"], ["\t" * 1_000_000], ["d0", "1", "water"]))
        draft.must_report = True
    elif kind == "id":
        draft.intact.pop(rows[which - 1][0])
        row[0] = random.choice((rows[which - 1][0], "", " "))
        draft.must_report = True
    else:
        row[-1] = random.choice(("", "\x1b[31m", "x" * 100_000, "a,b"))
        draft.records = None if not row[-1] else draft.records
