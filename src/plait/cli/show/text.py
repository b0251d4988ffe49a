"""How texts were read: the language, phrases and limits, and the first documents before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING

from plait._utils.wording import how_to_install
from plait.corpus.text.languages import language_name

if TYPE_CHECKING:
    from plait.corpus import Corpus, TextOptions

_PHRASES_SHOWN = 10
_CHARACTERS = 160
_WORDS_SHOWN = 20


def describe_text_options(corpus: Corpus) -> list[tuple[str, str]]:
    """Return a name and a value per line about how the texts of a corpus were read.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    Returns
    -------
    list of (str, str)
        The lines; none for tokens and counts.

    Examples
    --------
    >>> from plait import Corpus
    >>> corpus = Corpus.from_texts(["The old river and the new bank of it"] * 3, phrases=["river bank"])
    >>> for name, value in describe_text_options(corpus):
    ...     print(f"{name}: {value}")
    language: English (en); 361 stop words removed
    limits: a word is in at least 1 document and at most 100 % of them
    phrases: 1: river bank
    """
    options = corpus.text_options
    if options is None:
        return []
    lines = [("language", language_line(options)), ("limits", limits_line(options))]
    if isinstance(options.phrases, tuple):
        known = set(corpus.vocabulary)
        phrases = [one for one in options.phrases if one in known] or list(options.phrases)
        frequent = _by_count(corpus, phrases)[:_PHRASES_SHOWN]
        more = ", …" if len(options.phrases) > len(frequent) else ""
        lines.append(
            ("phrases", f"{len(options.phrases):,}: {', '.join(frequent)}{more}" if frequent else "none found")
        )
    return lines


def language_line(options: TextOptions) -> str:
    """Return the language of texts, and how many stop words it has.

    Parameters
    ----------
    options : TextOptions
        The options of a corpus.

    Returns
    -------
    str
        Such as "German (de); 620 stop words removed".
    """
    name = "decided by the tokenizer" if options.language is None and options.tokenizer else None
    line = name or language_name(options.language)
    if options.normalize is not None:
        line += f"; words are replaced by their {options.normalize}"
    number = len(options.stop_words) if isinstance(options.stop_words, frozenset) else 0
    line += f"; {number:,} stop words removed" if number else "; no stop words removed"
    if options.language is None and not options.tokenizer:
        guess = "" if find_spec("py3langid") else f"; {how_to_install('text')} to have it guessed"
        line += f" (give --language, such as de{guess})"
    return line


def limits_line(options: TextOptions) -> str:
    """Return the limits of the vocabulary.

    Parameters
    ----------
    options : TextOptions
        The options of a corpus.

    Returns
    -------
    str
        Such as "a word is in at least 2 documents and at most 50 % of them".
    """
    least = f"{options.min_df} documents" if options.min_df != 1 else "1 document"
    if isinstance(options.min_df, float):
        least = f"{options.min_df:.3g} of the documents"
    most = (
        f"{options.max_df:.0%} of them".replace("%", " %")
        if isinstance(options.max_df, float)
        else f"{options.max_df} documents"
    )
    return f"a word is in at least {least} and at most {most}"


def _by_count(corpus: Corpus, phrases: list[str]) -> list[str]:
    column_of = {word: column for column, word in enumerate(corpus.vocabulary)}
    totals = corpus.word_counts.sum(axis=0)
    return sorted(phrases, key=lambda phrase: -int(totals[column_of[phrase]]) if phrase in column_of else 0)


def compare_texts(
    corpus: Corpus, texts: Iterable[tuple[str, str]] | None, number: int = 3
) -> Iterator[tuple[str, str]]:
    """Yield the first documents as two lines each: the text, and the words that are kept of it.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    texts : iterable of (str, str) or None
        Id and text of each document.
    number : int, default 3
        Number of documents.

    Yields
    ------
    tuple of (str, str)
        A name and a value per line.
    """
    options = corpus.text_options
    if options is None or texts is None:
        return
    known, ids = set(corpus.vocabulary), set(corpus.ids)
    for name, text in islice((pair for pair in texts if pair[0] in ids), number):
        start = " ".join(text[: 20 * _CHARACTERS].split())
        yield f"{name}, before", start[:_CHARACTERS] + ("…" if len(start) > _CHARACTERS else "")
        words = [word for word in options.words(text) if word in known]
        shown = ", ".join(words[:_WORDS_SHOWN]) or "(no words)"
        yield f"{name}, after", shown + (", …" if len(words) > _WORDS_SHOWN else "")
