"""Checks of single text options: errors that name the parameter and the remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from plait.corpus.problems import BadValueError, CorpusError
from plait.corpus.text.frequencies import AUTO
from plait.corpus.text.languages import INSTALL, LANGUAGES, LEMMAS, STEMMERS, language_code
from plait.corpus.values import check_text, shown

_MAX_PHRASE = 1000  # characters
_SHORT_WORDS = frozenset({"ja", "ko", "th", "zh"})


def read_language(language: Any) -> str | None:
    """Return the code of a language, ``"auto"`` or None; raise an error for anything else."""
    if language is None or language == AUTO:
        return language
    if not isinstance(language, str):
        raise CorpusError(
            f'language is {shown(language)}; give a code such as "de", a name such as "german", "auto" or None',
            parameter="language",
        )
    return language_code(language)


def read_phrases(phrases: Any) -> tuple[str, ...]:
    """Return the phrases of the user, sorted; raise an error for a phrase of fewer than two words."""
    given = None if isinstance(phrases, str | Mapping) or not isinstance(phrases, Iterable) else list(phrases)
    if given is None:
        raise CorpusError(f"phrases is {shown(phrases)}; give True, False or a list of phrases", parameter="phrases")
    for phrase in given:
        if not isinstance(phrase, str) or len(phrase) > _MAX_PHRASE or len(phrase.split()) < 2:
            raise CorpusError(
                f'phrases contains {shown(phrase)}; give texts of two or more words, such as "machine learning"',
                parameter="phrases",
            )
    try:
        check_text("".join(given))
    except BadValueError as error:
        raise CorpusError(f"phrases: {error.message}", parameter="phrases") from None
    return tuple(sorted({" ".join(phrase.split()) for phrase in given}))


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise an error for a value that is not one of some choices."""
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        listed = ", ".join("None" if choice is None else f'"{choice}"' for choice in choices)
        raise CorpusError(f"{name} is {shown(value)}; give one of {listed}", parameter=name)


def shortest_word(language: str | None, own_tokenizer: bool) -> int:
    """Return the fewest characters of a word, if the user does not say."""
    if own_tokenizer:
        return 1
    return 2 if language is None or language in _SHORT_WORDS else 3


def check_normalize(normalize: str | None, language: str | None) -> None:
    """Raise an error if words of a language cannot be normalised."""
    if normalize is None:
        return
    known = LEMMAS if normalize == "lemmas" else STEMMERS
    if language is None:
        raise CorpusError(
            f'normalize="{normalize}" needs a language, and that of the texts is not known; give language=, such as '
            f'"de" ({INSTALL} to have it guessed)',
            parameter="language",
        )
    if language not in known:
        other = "stems" if normalize == "lemmas" else "lemmas"
        also = f'; normalize="{other}" has it' if language in (STEMMERS if other == "stems" else LEMMAS) else ""
        raise CorpusError(
            f'normalize="{normalize}" does not have {LANGUAGES[language]}{also}; it has {", ".join(sorted(known))}',
            parameter="normalize",
        )
