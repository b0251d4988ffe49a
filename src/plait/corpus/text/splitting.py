"""Words of a text: Unicode word boundaries, apostrophes, and packages for languages without spaces.

A word is a run of letters, marks and digits (Unicode categories L, M, N), as in Unicode Standard Annex 29, with these
decisions:

- An apostrophe, a middle dot or a Hebrew gershayim between letters is part of the word: "o'neill", "col·lecció".
  English clitics are removed ("god's" is "god"), and elided words are removed in French, Italian and Catalan
  ("l'amour" is "amour").
- A hyphen, a dot, a slash and an underscore separate words: "well-known" is "well" and "known". Abbreviations of single
  letters are one word: "u.s.".
- Numbers keep their separators: "1,234.5".
- Soft hyphens and marks of the writing direction are removed; compatibility forms are replaced (NFKC).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from plait.corpus.problems import CorpusError
from plait.corpus.text.languages import LANGUAGES

_MID_LETTER = "'·\u0387\u05f4\u2027"
_WORD = (
    rf"(?:\p{{L}}\.){{2,}}(?![\p{{L}}\p{{N}}])"  # u.s.
    rf"|\p{{N}}++(?:[.,]\p{{N}}++)*+(?![\p{{L}}\p{{M}}])"  # 1,234.5
    rf"|[\p{{L}}\p{{N}}][\p{{L}}\p{{M}}\p{{N}}\u200c\u200d]*+"
    rf"(?:[{_MID_LETTER}]\p{{L}}[\p{{L}}\p{{M}}\p{{N}}\u200c\u200d]*+)*+"
)
# Soft hyphen, zero-width space, marks of the writing direction, byte order mark.
_INVISIBLE = dict.fromkeys([0x00AD, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])
_APOSTROPHES = {0x2018: "'", 0x2019: "'", 0x02BC: "'", 0xFF07: "'", 0x0060: "'", 0x00B4: "'"}
_TABLE = str.maketrans(_INVISIBLE | _APOSTROPHES)

_ENGLISH_CLITIC = r"(?i)'(?:s|ll|ve|re|d|m)$"
_ELIDED = (
    r"(?i)^(?:[cdjlmnstç]|qu|jusqu|lorsqu|puisqu|quoiqu|un|all|dall|dell|nell|sull|coll|quest|quell|sant|gli)'"
    r"(?=\p{L}{2})"
)
_ELIDING = frozenset({"fr", "it", "ca"})


@cache
def pattern(text: str) -> Any:
    r"""Return a compiled pattern with Unicode properties. The package is imported when text is first read.

    Parameters
    ----------
    text : str
        The pattern.

    Returns
    -------
    regex.Pattern
        The compiled pattern.

    Examples
    --------
    >>> pattern(r"\p{L}+").findall("über 100 Äpfel")
    ['über', 'Äpfel']
    """
    import regex

    return regex.compile(text)


def normalize_characters(text: str) -> str:
    """Return a text with one form of each character: NFKC, straight apostrophes, no invisible characters.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> normalize_characters("ﬁsh don’t co\u00adop")
    "fish don't coop"
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_TABLE))


def strip_accents(text: str) -> str:
    """Return a text without the diacritics of Latin, Greek and Cyrillic letters (U+0300 to U+036F).

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> strip_accents("Café Müller")
    'Cafe Muller'
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(one for one in decomposed if not "\u0300" <= one <= "\u036f"))


def find_words(text: str) -> list[str]:
    """Return the words of a text in normalised characters, numbers included.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    list of str
        The words in order.

    Examples
    --------
    >>> find_words("Don't panic: the well-known U.S. price is 1,234.5 – हिन्दी!")
    ["Don't", 'panic', 'the', 'well', 'known', 'U.S.', 'price', 'is', '1,234.5', 'हिन्दी']
    """
    found: list[str] = pattern(_WORD).findall(text)
    return found


def remove_clitics(word: str, language: str | None) -> str:
    """Return a word without a clitic or an elided word before or after an apostrophe.

    Parameters
    ----------
    word : str
        A word with an apostrophe.
    language : str or None
        Code of the language; None changes nothing.

    Returns
    -------
    str
        The word.

    Examples
    --------
    >>> remove_clitics("god's", "en"), remove_clitics("l'amour", "fr"), remove_clitics("o'neill", "en")
    ('god', 'amour', "o'neill")
    """
    if language == "en":
        word = pattern(_ENGLISH_CLITIC).sub("", word)
    elif language in _ELIDING:
        word = pattern(_ELIDED).sub("", word)
    return word


@cache
def segmenter(language: str) -> Callable[[str], Iterable[str]]:
    """Return the function that splits a run of text without spaces into words.

    Parameters
    ----------
    language : {"ja", "th", "zh"}
        Code of the language.

    Returns
    -------
    callable
        From str to an iterable of str, punctuation included.
    """
    try:
        if language == "zh":
            return _chinese()
        return _japanese() if language == "ja" else _thai()
    except ImportError as error:
        install = {"zh": "jieba", "ja": "janome", "th": "pythainlp"}[language]
        raise CorpusError(
            f"the texts are {LANGUAGES[language]}, which has no spaces between words: splitting it needs the package "
            f"{install}; pip install {install}, or give a function as tokenizer=",
            parameter="language",
        ) from error


def _chinese() -> Callable[[str], Iterable[str]]:
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)  # it prints that it loads its dictionary
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    return lambda text: tokenizer.cut(text)


def _japanese() -> Callable[[str], Iterable[str]]:
    from janome.tokenizer import Tokenizer

    tokenizer = Tokenizer(wakati=True)
    return lambda text: tokenizer.tokenize(text)


def _thai() -> Callable[[str], Iterable[str]]:
    from pythainlp.tokenize import word_tokenize

    return lambda text: word_tokenize(text, engine="newmm-safe", keep_whitespace=False)
