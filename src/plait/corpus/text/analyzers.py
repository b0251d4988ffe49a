"""From one text to its words, as text options say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from plait.corpus.problems import BadValueError, CorpusError
from plait.corpus.text.cleaning import remove_addresses, remove_mail_noise, remove_markup
from plait.corpus.text.languages import SEGMENTED
from plait.corpus.text.normalizing import normalizer
from plait.corpus.text.option_checks import shortest_word
from plait.corpus.text.options import NamedTokenizer, TextOptions, tokenizer_name
from plait.corpus.text.phrases import PhraseIndex
from plait.corpus.text.splitting import find_words, normalize_characters, remove_clitics, segmenter, strip_accents
from plait.corpus.text.vectorizers import is_vectorizer
from plait.corpus.values import shown

GAP = ""  # between words that are not adjacent: punctuation, a number that was dropped, the end of a line of text
_MOST_CHUNKS = 1 << 18  # of the cache
_LONGEST_CHUNK = 60  # characters, for the cache
_ORDINAL = re.compile(r"\d++(?:st|nd|rd|th|s|er|re|e|ème|º|ª)", re.IGNORECASE)
# Between words that these marks separate, no phrase is found.
_OPENING = frozenset('([{<«“„"')
_CLOSING = frozenset('.!?;:,)]}>»”"…。、！？')
_PUNCTUATION = '.,;:!?()[]{}<>"*'
_BLANK_LINE = re.compile(r"\n[ \t\r>|]*+\n")

Tokenizer = Callable[[str], Iterable[str]]


class TextAnalyzer:
    """Splits texts into words.

    A text is cleaned and split at white space; what a piece becomes is computed once and kept, because most pieces
    occur many times.

    Parameters
    ----------
    options : TextOptions
        Options with a known language.
    """

    def __init__(self, options: TextOptions) -> None:
        if isinstance(options.tokenizer, NamedTokenizer):
            name = tokenizer_name(options.tokenizer)
            short = name.rpartition(":")[2].rpartition(".")[2]
            raise CorpusError(
                f"the texts were read with the tokenizer {name}; give it again: read_corpus(..., tokenizer={short})",
                parameter="tokenizer",
            )
        self._options = options
        self.stop_words = _comparable(options)
        self._finish_word = _WordFilter(options, self.stop_words)
        tokenizer = options.tokenizer
        self._pieces: Pieces | None = None
        self._tokenize: Tokenizer | None = None
        if is_vectorizer(tokenizer):
            self._tokenize = tokenizer.build()
        elif tokenizer is not None:
            self._tokenize = tokenizer
        else:
            self._pieces = Pieces(options, self._finish_word, in_order=False)
        self._ordered = Pieces(options, self._finish_word, in_order=True) if self._pieces is not None else None
        phrases = options.phrases if isinstance(options.phrases, tuple) else ()
        self._phrases = PhraseIndex(chain.from_iterable(map(self._phrase_forms, phrases))) if phrases else None

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text in order, without stop words, with phrases joined."""
        if self._phrases is not None:
            return self.join(self.sequence(text))
        if self._tokenize is not None:
            return [word for word in self._own_words(text) if word and word not in self.stop_words]
        assert self._pieces is not None
        return list(chain.from_iterable(map(self._pieces.__getitem__, self._clean(text).split())))

    def sequence(self, text: str) -> list[str]:
        """Return the words of a text in order with stop words, and `GAP` between words that are not adjacent.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        list of str
            The words.
        """
        if self._tokenize is not None:
            return list(self._own_words(text))
        assert self._ordered is not None
        lookup = self._ordered.__getitem__
        words: list[str] = []
        for part in _BLANK_LINE.split(self._clean(text)):
            words += chain.from_iterable(map(lookup, part.split()))
            words.append(GAP)
        return words

    def join(self, words: Sequence[str]) -> list[str]:
        """Return the words of a sequence with the phrases of the options joined, without stop words and gaps.

        Parameters
        ----------
        words : sequence of str
            Result of `sequence`.

        Returns
        -------
        list of str
            The words.
        """
        stop_words = self.stop_words
        joined = words if self._phrases is None else self._phrases.join(words)
        return [word for word in joined if word and word not in stop_words]

    def _clean(self, text: str) -> str:
        if self._options.html:
            text = remove_markup(text)
        return remove_mail_noise(text) if self._options.urls == "drop" else text

    def _own_words(self, text: str) -> Iterable[str]:
        """Return the words of a tokenizer of the user's own."""
        options = self._options
        assert self._tokenize is not None
        if is_vectorizer(options.tokenizer):
            return _checked(self._tokenize(text))
        text = normalize_characters(self._clean(text))
        if options.urls == "drop":
            text = remove_addresses(text)
        if options.lowercase:
            text = text.lower()
        finish = self._finish_word
        return (finish[word] for word in _checked(self._tokenize(text)))

    def _phrase_forms(self, phrase: str) -> list[tuple[str, ...]]:
        """Return the words of a phrase as they are found in a text: read like a text, and as they are written.

        The second form is for phrases that were found in the corpus, whose words are normalised already.
        """
        own = self._tokenize is not None
        read = (
            list(self._own_words(phrase))
            if own
            else [word for piece in phrase.split() for word in self._finished_words(piece)]
        )
        written = tuple(phrase.split())
        return [tuple(read), written] if len(read) > 1 and GAP not in read else [written]

    def _finished_words(self, piece: str) -> list[str]:
        return [self._finish_word[word] for word in find_words(normalize_characters(piece))]


class Pieces(dict[str, tuple[str, ...]]):
    """The words of pieces of text without white space; computed when a piece is first looked up.

    Parameters
    ----------
    options : TextOptions
        The options.
    finish_word : mapping of str to str
        What a word becomes; ``""`` if it is dropped.
    in_order : bool
        Whether stop words are kept and gaps are marked.
    """

    def __init__(self, options: TextOptions, finish_word: _WordFilter, in_order: bool) -> None:
        super().__init__()
        self._options = options
        self._finish_word = finish_word
        self._in_order = in_order
        self._split: Tokenizer = find_words
        if options.language in SEGMENTED:
            self._split = _segmented(segmenter(options.language))

    def __missing__(self, piece: str) -> tuple[str, ...]:
        words = self._words(piece)
        if len(piece) <= _LONGEST_CHUNK:
            if len(self) >= _MOST_CHUNKS:
                self.clear()
            self[piece] = words
        return words

    def _words(self, piece: str) -> tuple[str, ...]:
        options, finish = self._options, self._finish_word
        bare = piece.strip(_PUNCTUATION)
        if bare.isalpha() and bare.isascii():  # most pieces: one word, perhaps with punctuation around it
            word = finish[bare]
            if not self._in_order:
                return (word,) if word and word not in finish.stop_words else ()
            return (*((GAP,) if piece[0] in _OPENING else ()), word, *((GAP,) if piece[-1] in _CLOSING else ()))
        text = normalize_characters(piece)
        without = remove_addresses(text) if options.urls == "drop" else text
        found = [finish[word] for word in self._split(without)]
        if not self._in_order:
            stop_words = finish.stop_words
            return tuple(word for word in found if word and word not in stop_words)
        if text[:1] in _OPENING or without != text:
            found.insert(0, GAP)
        if text[-1:] in _CLOSING or without != text or not found:
            found.append(GAP)
        return tuple(found)


class _WordFilter(dict[str, str]):
    """What a word as written becomes: lower case, without clitics and accents, normalised; ``""`` if it is dropped."""

    def __init__(self, options: TextOptions, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._options = options
        self.stop_words = stop_words
        self._shortest = options.min_length or shortest_word(options.language, options.tokenizer is not None)
        self._normalize: Callable[[str], str] | None = None
        if options.normalize is not None and options.language is not None:
            self._normalize = normalizer(options.normalize, options.language)

    def __missing__(self, word: str) -> str:
        finished = self._finished(word)
        if len(word) <= _LONGEST_CHUNK:
            if len(self) >= _MOST_CHUNKS:
                self.clear()
            self[word] = finished
        return finished

    def _finished(self, word: str) -> str:
        options = self._options
        if options.lowercase:
            word = word.lower()
        stop_word = self._stop_word(word)
        if stop_word is None and "'" in word:
            word = remove_clitics(word, options.language)
            stop_word = self._stop_word(word)
        if stop_word is not None:
            return stop_word
        if options.numbers == "drop" and _is_number(word):
            return GAP
        if self._normalize is not None and len(word) <= _LONGEST_CHUNK:
            word = self._normalize(word)
            if options.lowercase:
                word = word.lower()
        if options.accents == "strip":
            word = strip_accents(word)
        return word if len(word) >= self._shortest else GAP

    def _stop_word(self, word: str) -> str | None:
        """Return a word in the form that the stop words have if it is one of them, in any case; otherwise None."""
        key = strip_accents(word) if self._options.accents == "strip" else word
        if key in self.stop_words:
            return key
        return key.lower() if key.lower() in self.stop_words else None


def _is_number(word: str) -> bool:
    """Return whether a word begins with a digit and has more digits than letters, or is an ordinal."""
    if not word[:1].isnumeric():
        return False
    if word.isnumeric() or _ORDINAL.fullmatch(word):
        return True
    return sum(one.isnumeric() for one in word) > sum(one.isalpha() for one in word)


def _comparable(options: TextOptions) -> frozenset[str]:
    """Return the stop words in the form that words have when they are compared with them."""
    if not isinstance(options.stop_words, frozenset):
        return frozenset()
    words = {normalize_characters(word) for word in options.stop_words}
    if options.lowercase:
        words = {word.lower() for word in words}
    return frozenset(map(strip_accents, words) if options.accents == "strip" else words)


def _segmented(split: Tokenizer) -> Tokenizer:
    """Return a tokenizer that keeps what is a word of what a package returns."""
    return lambda text: chain.from_iterable(find_words(part) for part in split(text))


def _checked(words: Any) -> Iterable[str]:
    """Return the words of a tokenizer of the user's own; raise an error if it returned anything else."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise CorpusError(f"tokenizer returned {shown(words)}; it must return a list of words", parameter="tokenizer")
    found = list(words)
    for word in found:
        if not isinstance(word, str):
            raise BadValueError("bad token", f"{shown(word)} is not a word")
    return found
