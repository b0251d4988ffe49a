"""The encoding that a file probably has, guessed by decoding a sample of it."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from pathlib import Path

from plait.corpus.problems import CorpusError
from plait.corpus.readers.formats.txt_folder import first_undecoded_file
from plait.corpus.readers.streams import damage_errors, open_bytes

_SAMPLE = 2**20
_MARKS = ((b"\xff\xfe\x00\x00", "utf-32"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# Encodings of one byte per character, the most frequent first, and the script of their letters beyond ASCII.
_SINGLE = (
    ("cp1252", "LATIN"),
    ("cp1250", "LATIN"),
    ("cp1255", "HEBREW"),  # before cp1251, in which Hebrew is lower-case Cyrillic
    ("cp1251", "CYRILLIC"),
    ("koi8-r", "CYRILLIC"),
    ("cp1253", "GREEK"),
    ("cp1254", "LATIN"),
    ("cp1256", "ARABIC"),
    ("cp850", "LATIN"),
    ("mac-roman", "LATIN"),
)
# Encodings of several bytes, and the script that a text in them must have.
_MULTIPLE = (
    ("shift_jis", "HIRAGANA"),
    ("euc_jp", "HIRAGANA"),
    ("euc_kr", "HANGUL"),
    ("gb18030", "CJK"),
    ("big5", "CJK"),
)
_WORD = re.compile(r"\S*[^\x00-\x7f]\S*")
_PUNCTUATION = "".join(map(chr, (*range(0x2010, 0x2028), 0x20AC, 0xAB, 0xBB, 0xA7, 0xB0, 0xB4, 0xB7, 0xA0, 0xBF, 0xA1)))
_LEAST_SCORE = 0.8


def guess_encoding(path: Path) -> str | None:
    """Return the encoding that a text file seems to have.

    Parameters
    ----------
    path : Path
        A file, plain or compressed, or a folder of .txt files.

    Returns
    -------
    str or None
        Name of the encoding; None if no known encoding gives plausible text.
    """
    file = first_undecoded_file(path) if path.is_dir() else path
    if file is None:
        return None
    unreadable: tuple[type[Exception], ...] = (CorpusError, ValueError, *damage_errors(file))
    try:
        with open_bytes(file) as stream:
            sample = stream.read(_SAMPLE)
    except unreadable:
        return None
    return encoding_of(sample)


def encoding_of(sample: bytes) -> str | None:
    """Return the encoding that gives plausible text.

    Parameters
    ----------
    sample : bytes
        Beginning of a text file.

    Returns
    -------
    str or None
        Name of the encoding; None if none does.

    Examples
    --------
    >>> encoding_of("Größe über alles: Müller".encode("cp1252")), encoding_of("Привет, мир".encode("cp1251"))
    ('cp1252', 'cp1251')
    """
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name
    if sample[1:200:2].count(0) > 60 or sample[0:200:2].count(0) > 60:
        return "utf-16-le" if sample[1:200:2].count(0) > 60 else "utf-16-be"
    if _decoded(sample, "utf-8") is not None:
        return "utf-8"
    best, best_score = None, 0.0
    for names, score in ((_SINGLE, _score_single), (_MULTIPLE, _score_multiple)):
        for name, script in names:
            text = _decoded(sample, name)
            own = 0.0 if text is None else score(text, script)
            if own > best_score + 1e-9:
                best, best_score = name, own
    return best if best_score >= _LEAST_SCORE else None


def _decoded(sample: bytes, encoding: str) -> str | None:
    """Return the sample as text, without a last character that is cut; None if it cannot be decoded."""
    for end in range(len(sample), max(len(sample) - 4, -1), -1):
        try:
            return sample[:end].decode(encoding)
        except UnicodeDecodeError as error:
            if error.start < len(sample) - 4:
                return None
    return None


def _score_single(text: str, script: str) -> float:
    """Return the share of the words beyond ASCII that are plausible in a script."""
    words = _WORD.findall(text)[:5000]
    return sum(_is_plausible(word, script) for word in words) / len(words) if words else 0.0


def _is_plausible(word: str, script: str) -> bool:
    letters = [character for character in word if character.isalpha()]
    beyond = [character for character in word if not character.isascii() and character not in _PUNCTUATION]
    if not all(one.isalpha() and unicodedata.name(one, "").startswith(script) for one in beyond):
        return False
    # An upper-case letter after a lower-case one is a sign of a wrong encoding.
    if any(one.islower() and two.isupper() and not two.isascii() for one, two in pairwise(word)):
        return False
    if script == "LATIN":  # most letters of a word are ASCII letters
        return 2 * len(beyond) <= max(len(letters), 2)
    return not any(character.isascii() for character in letters)


def _score_multiple(text: str, script: str) -> float:
    """Return the share of the characters beyond ASCII that are of East Asian scripts, with enough of one script."""
    names = [unicodedata.name(character, "") for character in text[:20_000] if not character.isascii()]
    if not names:
        return 0.0
    own = sum(name.startswith(script) for name in names) / len(names)
    if own < {"HIRAGANA": 0.2, "HANGUL": 0.6, "CJK": 0.6}[script]:
        return 0.0
    known = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC", "FULLWIDTH", "LEFT", "RIGHT")
    return sum(name.startswith(known) for name in names) / len(names)
