"""Word counts of one document, from text, tokens or counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from plait.corpus.numbers import LARGEST_COUNT, add_count, number_in, parse_count
from plait.corpus.problems import BadValueError, CorpusError
from plait.corpus.text.analyzers import Analyzer, TextOptions
from plait.corpus.values import check_text, parse_json, shown

if TYPE_CHECKING:
    from plait.corpus.readers.records import Record


class WordCounter:
    """Counts the words of a record.

    Parameters
    ----------
    options : TextOptions
        Tokenizer and stop words.
    fractional : bool
        Whether counts may be fractions.
    """

    def __init__(self, options: TextOptions, fractional: bool) -> None:
        self._options = options
        self._fractional = fractional
        self._analyze: Analyzer | None = None
        self._stop_words: dict[str, frozenset[str]] = {}

    def count(self, record: Record) -> dict[str, Any]:
        """Return the count of each word of a document, without stop words.

        Parameters
        ----------
        record : Record
            The document.

        Returns
        -------
        dict of str to int or float
            The counts.
        """
        counted: Mapping[Any, Any]
        if record.words is None:
            return {}
        if record.form == "text":
            counted = self._words_of_text(record.words, record.place)
        elif self._options.tokenizer is not None:
            raise CorpusError(
                f"tokenizer= is for text, but the words are {record.form}; name the field with the text with text="
            )
        elif record.form == "tokens":
            counted = _words_of_tokens(record.words)
        else:
            counted = _words_of_counts(record.words, self._fractional)
        if not set(map(type, counted)) <= {str}:
            wrong = [word for word in counted if not isinstance(word, str)]
            if wrong:
                raise BadValueError("bad token", f"{shown(wrong[0])} is not a word")
        check_text("".join(counted))
        stop = self._stop_words.get(record.form)
        if stop is None:
            stop = self._stop_words[record.form] = self._options.stop_set(record.form == "text")
        return {word: count for word, count in counted.items() if word not in stop}

    def _words_of_text(self, text: Any, place: str) -> Mapping[Any, int]:
        if not isinstance(text, str):
            raise BadValueError("bad text", f"{shown(text)} is not text")
        check_text(text)
        if self._analyze is None:
            self._analyze = self._options.analyzer()
        try:
            words = self._analyze(text)
            if isinstance(words, Iterable) and not isinstance(words, str):
                return Counter(words)
        except Exception as error:
            error.add_note(f"{place}: the tokenizer failed on this document")
            raise
        raise CorpusError(f"{place}: tokenizer returned {shown(words)}; it must return a list of words", place=place)


def _words_of_tokens(tokens: Any) -> Mapping[Any, int]:
    if isinstance(tokens, str):
        return Counter(tokens.split())
    if isinstance(tokens, Mapping | bytes) or not isinstance(tokens, Iterable):
        raise BadValueError("bad token", f"{shown(tokens)} is not a list of words")
    tokens = list(tokens)
    for token in tokens:
        if not isinstance(token, str):
            raise BadValueError("bad token", f"{shown(token)} is not a word")
    return Counter(tokens)


def _words_of_counts(counts: Any, fractional: bool) -> dict[str, Any]:
    if isinstance(counts, str):
        counts = _counts_in_text(counts)
    if not isinstance(counts, Mapping):
        raise BadValueError("not a number", f"{shown(counts)} is not a mapping from word to count")
    checked: dict[str, Any] = {}
    for word, count in counts.items():
        # Most counts are valid integers, which need no parsing.
        if type(count) is not int or not 0 < count <= LARGEST_COUNT:
            count = parse_count(count, word, fractional)
        if count:
            checked[word] = count
    return checked


def _counts_in_text(text: str) -> Mapping[str, Any]:
    """Return the counts in a table cell: a JSON object, or ``word:count`` pairs."""
    if text.lstrip().startswith("{"):
        return dict(parse_json(text))
    counts: dict[str, float] = {}
    for pair in text.split():
        word, _, number = pair.rpartition(":")
        if not word:
            raise BadValueError("not a number", f"{shown(pair)} is not a word:count pair")
        try:
            add_count(counts, word, number_in(number))
        except ValueError:
            raise BadValueError("not a number", f"{shown(pair)} is not a word:count pair") from None
    return counts
