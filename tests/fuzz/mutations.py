"""Mutations that fit every format: bytes, compression, encodings, file names, missing files and options."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from random import Random

from tests.fuzz.case import Draft

ODD_ENCODINGS = (
    "latin-1",
    "ascii",
    "cp037",
    "utf-7",
    "utf-16",
    "utf-32",
    "utf-16-le",
    "utf-8-sig",
    "hex",
    "punycode",
    "idna",
    "rot13",
    "base64",
    "zip",
    "unicode_escape",
    "undefined",
    "klingon",
    "",
    "utf-8\0",
    "mbcs",
    "../utf8",
)
RE_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp1252")
ODD_STEMS = (
    "a[1]",
    "*",
    "?",
    "caf\udce9",
    "a\nb",
    "\x1b[31mred",
    "-x",
    " a ",
    "x" * 200,
    "{a}",
    "a%20b",
    "$HOME",
    "~",
    "é",
)
ODD_FIELDS = ("nope", "", "title", "date", "label", "split", "\x1b[31m", "\ud800")


def _zstd(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(write_checksum=len(content) % 2 == 0).compress(content)


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".zst": _zstd,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
# Streams with checksums: a changed bit is an error or has no effect.
CHECKED = (".gz", ".bz2", ".xz")


def count_lines(content: bytes, lines: str) -> int:
    """Return the number of records in JSON lines or SVMlight lines in UTF-8, whatever their bytes."""
    found = 0
    for raw in content.split(b"\n"):
        text = raw.decode("utf-8", "replace")
        found += bool(text.partition("#")[0].strip() if lines == "svmlight" else text.strip())
    return found


def change_bytes(random: Random, content: bytes) -> tuple[str, bytes]:
    """Return a name of the change and the changed bytes."""
    kind = random.choice(("flip", "flip", "cut", "cut", "insert", "duplicate", "swap", "zero", "empty", "end"))
    start = random.randrange(len(content) + 1)
    end = min(len(content), start + random.choice((1, 4, 30, 1_000)))
    if kind == "flip" and content:
        changed = bytearray(content)
        for _ in range(random.choice((1, 1, 8, 64))):
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        return kind, bytes(changed)
    if kind == "cut":
        return kind, content[:start]
    if kind == "insert":
        made = random.choice(
            (b"\x00", b"\xff", b'"', b"\n", b"\r", b"\xef\xbb\xbf", b"\x1b", b"#", b"\xed\xa0\x80", b"\x85")
        )
        return f"insert {made!r}", content[:start] + made * random.choice((1, 1, 3)) + content[start:]
    if kind == "duplicate":
        return kind, content[:end] + content[start:end] + content[end:]
    if kind == "swap":
        middle = (start + end) // 2
        return kind, content[:start] + content[middle:end] + content[start:middle] + content[end:]
    if kind == "zero":
        return kind, content[:start] + bytes(end - start) + content[end:]
    if kind == "empty":
        return kind, b""
    return "end", content + bytes(random.randrange(256) for _ in range(random.choice((1, 8, 100))))


def mutate_bytes(random: Random, draft: Draft) -> None:
    """Change bytes of the main file before it is compressed."""
    before = draft.files[draft.main]
    kind, content = change_bytes(random, before)
    if content == before:
        return
    records, text_folder = draft.records, draft.main.endswith(".txt") and draft.path == "papers"
    draft.files[draft.main] = content
    draft.note(f"{kind} of bytes in {draft.main!a}")
    draft.forget()
    if draft.lines:
        draft.records = count_lines(content, draft.lines)
        draft.must_report = not draft.records
    elif text_folder:
        draft.records = records
    elif not content and draft.main == draft.path:
        draft.must_report = True


def mutate_compression(random: Random, draft: Draft, *, damage: bool) -> None:
    """Compress the main file, and change the compressed bytes if `damage`."""
    before = draft.main
    if {"stop_words", "seeds"} & set(draft.options):
        return  # these files are not read compressed
    suffix = random.choice(tuple(COMPRESS))
    draft.main += suffix
    content = COMPRESS[suffix](draft.files.pop(before))
    draft.note(suffix)
    if damage:
        kind, changed = change_bytes(random, content)
        if changed != content:
            draft.intact.pop(before.removeprefix("papers/").removesuffix(".txt"), None)  # of a text folder
            draft.note(f"{kind} of compressed bytes")
            # Half of a stream must not pass for all of it.
            known = kind in ("cut", "empty") or (kind == "flip" and suffix in CHECKED)
            if not known:
                draft.forget()
            content = changed
    draft.files[draft.main] = content
    if draft.path == before:
        draft.path = draft.main
    if draft.options.get("links") == before:
        draft.options["links"] = draft.main


def mutate_encoding(random: Random, draft: Draft) -> None:
    """Write text files in another encoding, or name another encoding than theirs."""
    if random.random() < 0.4 and not draft.binary:
        encoding = random.choice(RE_ENCODINGS)
        try:
            changed = {name: content.decode().encode(encoding) for name, content in draft.files.items()}
        except UnicodeError:
            return
        if draft.path.endswith(".graphml") or draft.main.endswith(".graphml"):
            return  # its encoding is in the file
        draft.files = changed
        draft.note(f"written as {encoding}")
        draft.options["encoding"] = encoding
        if not all(content.isascii() for content in changed.values()) and encoding == "utf-16":
            draft.lines = ""
    else:
        draft.options["encoding"] = random.choice(ODD_ENCODINGS)
        draft.note(f"encoding={draft.options['encoding']!r}")
        draft.forget()
    draft.lines = ""


def mutate_name(random: Random, draft: Draft) -> None:
    """Give a file an odd name, beside a decoy that a pattern would match."""
    if draft.path != draft.main or draft.companions:
        return
    _, dot, suffix = draft.main.partition(".")
    odd = random.choice(ODD_STEMS)
    name = f"{odd}{dot}{suffix}"
    content = draft.files.pop(draft.main)
    if odd in ("a[1]", "*", "?"):
        # Another valid file with the same name but for the pattern; its documents have other ids.
        draft.files[f"a1{dot}{suffix}"] = content.replace(b"d0", b"e9")
    draft.files[name] = content
    draft.path = draft.main = name
    draft.note(f"named {ascii(odd)[:30]}")


def mutate_files(random: Random, draft: Draft) -> None:
    """Remove a companion file, or put a symbolic link in the place of the main file."""
    kind = random.choice(("missing", "linked", "broken link", "self link", "folder"))
    if kind == "missing":
        if draft.companions:
            del draft.files[random.choice([name for name in draft.files if name.startswith(draft.companions)])]
            draft.note("companion file missing")
            draft.forget()
            draft.must_report = True
        return
    if draft.path != draft.main:
        return
    content = draft.files.pop(draft.main)
    draft.note(kind)
    if kind == "linked":
        draft.files["real/file"] = content
        draft.symlinks[draft.main] = "real/file"
        return
    draft.forget()
    draft.must_report = True
    if kind == "folder":
        draft.files[f"{draft.main}/inside"] = content
    else:
        draft.symlinks[draft.main] = "nowhere" if kind == "broken link" else draft.main


def mutate_options(random: Random, draft: Draft) -> None:
    """Name fields that are wrong or missing, set limits of the vocabulary, slice by time."""
    kind = random.choice(("field", "field", "limits", "by", "by", "fractional"))
    draft.note(f"option {kind}")
    if kind == "field":
        field = random.choice(("text", "tokens", "counts", "id", "title", "label", "date", "split"))
        draft.options[field] = random.choice(ODD_FIELDS)
        draft.note(f"{field}={draft.options[field]!r}")
        draft.intact = {}
        draft.must_report = not draft.has_fields or draft.options[field] == "nope"
    elif kind == "limits":
        draft.options |= random.choice(
            ({"min_df": 2}, {"max_df": 0.5}, {"max_words": 2}, {"min_df": 99}, {"max_df": 0.0})
        )
        draft.intact = {}
        draft.must_report = False
    elif kind == "fractional":
        draft.options["fractional"] = True
        draft.must_report = False
    else:
        draft.options["by"] = random.choice(("day", "week", "month", "year"))
