"""Word counts of documents, from text, tokens or counts."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from plait.corpus.numbers import LARGEST_COUNT, add_count, number_in, parse_count
from plait.corpus.problems import BadValueError, CorpusError
from plait.corpus.text.analyzers import TextAnalyzer
from plait.corpus.text.options import AUTO, TextOptions
from plait.corpus.values import check_text, parse_json, shown

if TYPE_CHECKING:
    from plait.corpus.readers.records import Record

NOT_TEXT = "not text"
# Options that only text can have, and the value that asks for nothing.
_FOR_TEXT = {"tokenizer": None, "normalize": None, "phrases": False, "accents": "keep", "min_length": None}


class TextCounts(NamedTuple):
    """Counts of texts over a fixed vocabulary.

    Parameters
    ----------
    counts : csr_array of shape (texts, words)
        One row per text; a text without a known word is an empty row.
    n_outside : int
        Number of tokens that are not in the vocabulary.
    """

    counts: csr_array
    n_outside: int


def count_texts(
    texts: Iterable[str], options: TextOptions, vocabulary: Sequence[str] | np.ndarray | Mapping[str, int]
) -> TextCounts:
    """Return the counts of texts over a fixed vocabulary. No text is left out.

    Parameters
    ----------
    texts : iterable of str
        The texts.
    options : TextOptions
        How the texts are read, usually ``text_options_`` of a model or ``text_options`` of a corpus. Limits of the
        vocabulary do not apply.
    vocabulary : sequence of str, or mapping of str to int
        The words of the columns, or the column of each word.

    Returns
    -------
    TextCounts
        The counts and the number of tokens outside the vocabulary.

    Examples
    --------
    >>> counted = count_texts(["A red fox", "", "the sea"], TextOptions(language="en"), ["fox", "red"])
    >>> counted.counts.toarray().tolist(), counted.n_outside
    ([[1, 1], [0, 0], [0, 0]], 1)
    """
    if isinstance(texts, str):
        raise CorpusError(f"texts is {shown(texts)}; give a list of texts")
    if not options.is_resolved:
        if options.phrases is True:
            raise CorpusError(
                "phrases=True finds phrases in a whole corpus; read the texts with Corpus.from_texts, or give the "
                "text_options of a corpus",
                parameter="phrases",
            )
        texts = list(texts)
        options = options.resolve(text for text in texts if isinstance(text, str))
    analyze = TextAnalyzer(options)
    column_of = vocabulary if isinstance(vocabulary, Mapping) else number_words(vocabulary)
    columns, numbers, ends = array("i"), array("i"), array("q", [0])
    n_outside = 0
    for position, text in enumerate(texts):
        place = f"texts[{position}]"
        try:
            counted = _count_text(analyze, text, place)
        except BadValueError as error:
            raise CorpusError(f"{place}: {error.message}", kind=error.kind, place=place) from error
        for word, number in counted.items():
            column = column_of.get(word)
            if column is None:
                n_outside += number
            else:
                columns.append(column)
                numbers.append(number)
        ends.append(len(columns))
    arrays = (np.array(one, dtype=np.int32) for one in (numbers, columns))
    counts = csr_array((*arrays, np.array(ends, dtype=np.int64)), shape=(len(ends) - 1, len(column_of)))
    counts.sort_indices()
    return TextCounts(counts, n_outside)


def number_words(vocabulary: Iterable[str]) -> dict[str, int]:
    """Return the column of each word of a vocabulary.

    Parameters
    ----------
    vocabulary : iterable of str
        The words of the columns.

    Returns
    -------
    dict of str to int
        Columns by word.

    Examples
    --------
    >>> number_words(["fox", "red"])
    {'fox': 0, 'red': 1}
    """
    return {word: column for column, word in enumerate(vocabulary)}


def _count_text(analyze: Callable[[str], list[str]], text: Any, place: str) -> Counter[str]:
    """Return the counts of one text; errors of a tokenizer of the user's own say where."""
    if not isinstance(text, str):
        raise BadValueError("bad text", f"{shown(text)} is not text")
    check_text(text)
    try:
        return Counter(analyze(text))
    except BadValueError:
        raise
    except CorpusError as error:
        raise CorpusError(f"{place}: {error}", place=place, parameter=error.parameter) from error
    except Exception as error:
        error.add_note(f"{place}: the tokenizer failed on this document")
        raise


class WordCounter:
    """Counts the words of a record.

    Parameters
    ----------
    options : TextOptions
        Options with a known language, if the words are text.
    fractional : bool
        Whether counts may be fractions.
    copied : bool, default False
        Whether the options are those of another corpus or model, so that tokens and counts need not use them.
    """

    def __init__(self, options: TextOptions, fractional: bool, copied: bool = False) -> None:
        self._options = options
        self._copied = copied
        self._fractional = fractional
        self._analyzer: TextAnalyzer | None = None
        stop_words = options.stop_words
        self._stop_words = stop_words if isinstance(stop_words, frozenset) else frozenset()

    @property
    def analyzer(self) -> TextAnalyzer:
        """What splits texts into words."""
        if self._analyzer is None:
            self._analyzer = TextAnalyzer(self._options)
        return self._analyzer

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
        if record.words is None:
            return {}
        if record.form == "text":
            counted: Mapping[Any, Any] = _count_text(self.analyzer, record.words, record.place)
            check_text("".join(counted))
            return dict(counted)
        self._check_form(record.form)
        if record.form == "tokens":
            counted = _words_of_tokens(record.words)
        else:
            counted = _words_of_counts(record.words, self._fractional)
        if not set(map(type, counted)) <= {str}:
            wrong = [word for word in counted if not isinstance(word, str)]
            if wrong:
                raise BadValueError("bad token", f"{shown(wrong[0])} is not a word")
        check_text("".join(counted))
        stop = self._stop_words
        return {word: count for word, count in counted.items() if word not in stop}

    def sequence(self, record: Record) -> list[str]:
        """Return the words of a text in order, as `TextAnalyzer.sequence` does.

        Parameters
        ----------
        record : Record
            The document, whose words are text.

        Returns
        -------
        list of str
            The words, with stop words and gaps.
        """
        words: list[str] = []

        def analyze(text: str) -> list[str]:
            words.extend(self.analyzer.sequence(text))
            return words

        if record.words is not None:
            check_text("".join(_count_text(analyze, record.words, record.place)))
        return words

    def _check_form(self, form: str) -> None:
        """Raise an error for an option that only text can have."""
        if self._copied:
            return
        given = {name: getattr(self._options, name) for name in _FOR_TEXT}
        wrong = [name for name, value in given.items() if value != _FOR_TEXT[name]]
        if self._options.language not in (AUTO, None):
            wrong.append("language")
        if wrong:
            raise CorpusError(
                f"{wrong[0]}= is for text, but the words are {form}; leave it out, or name the field with the text "
                "with text=",
                kind=NOT_TEXT,
                parameter=wrong[0],
            )


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
