"""Titles of articles searched in documents: whole words, whatever the case, with plurals, the longest title first.

Words are runs of letters and digits in lower case without accents: "AT&T's" is at, t, s and "São-Paulo" is sao, paulo.
A title is searched without a bracket at its end ("Mercury (planet)" is mercury), unless an article has that name
without one: "company" is a mention of Company and not of Company (musical). It is searched with its last word in the
plural too ("Central bank" finds "central banks"). Where a title lies inside a longer one that is found, the longer one
alone counts: "New York" is no mention of York.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from plait.corpus import Corpus
from plait.errors import PlaitError

_WORD = re.compile(r"[^\W_]+")
_BRACKET = re.compile(r"\s*\([^()]*\)\s*$")


class Mentions(NamedTuple):
    """In how many documents each title is mentioned, and how many documents were searched."""

    documents: np.ndarray
    n_searched: int


class Titles:
    """Titles made ready to be searched.

    Parameters
    ----------
    titles
        One for each article; several may be the same.
    stop_words
        Words that say nothing by themselves. Titles of nothing but such words, single letters and numbers ("May",
        "The Who", "C++", "1984") are not searched: they would be found everywhere.

    Attributes
    ----------
    searchable : array of bool
        Which titles are searched.
    """

    def __init__(self, titles: Sequence[str], stop_words: frozenset[str]) -> None:
        self._stop_words = frozenset(word for stop_word in stop_words for word in words_of(stop_word))
        names = [tuple(words_of(_BRACKET.sub("", title)) or words_of(title)) for title in titles]
        self.searchable = np.array([self._says_something(name) for name in names], dtype=bool)
        whole = {name for name, title in zip(names, titles, strict=True) if not _BRACKET.search(title)}
        self._articles: dict[tuple[str, ...], list[int]] = {}  # that go by a name
        for article in np.flatnonzero(self.searchable).tolist():
            if names[article] not in whole or not _BRACKET.search(titles[article]):
                self._articles.setdefault(names[article], []).append(article)
        # A name that is a title by itself is no plural of another.
        plurals: dict[tuple[str, ...], list[int]] = {}
        for name, articles in self._articles.items():
            plural = (*name[:-1], plural_of(name[-1]))
            if plural not in self._articles:
                plurals.setdefault(plural, []).extend(articles)
        self._articles |= plurals

    def _says_something(self, name: tuple[str, ...]) -> bool:
        return any(len(word) > 1 and not word.isdigit() and word not in self._stop_words for word in name)

    def in_texts(self, texts: Iterable[str]) -> Mentions:
        """Count the texts that mention each title."""
        try:
            from ahocorasick_rs import AhoCorasick, MatchKind
        except ImportError as error:
            raise PlaitError(
                "searching titles in texts needs ahocorasick_rs: pip install plait[knowledge]; without texts, titles "
                "are looked up in the words of the corpus"
            ) from error
        names = [_marked(name) for name in self._articles]
        search = AhoCorasick(names, matchkind=MatchKind.LeftmostLongest).find_matches_as_indexes if names else None
        articles = list(self._articles.values())
        found = np.zeros(len(self.searchable), dtype=np.int64)
        n_searched = 0
        for text in texts:
            if not isinstance(text, str):
                raise PlaitError(f"texts holds {text!r} at {n_searched}; every document must be a text")
            n_searched += 1
            if search is not None:
                matches = search(_marked(words_of(text)))
                here = {article for name in {match[0] for match in matches} for article in articles[name]}
                found[list(here)] += 1
        return Mentions(found, n_searched)

    def in_counts(self, corpus: Corpus) -> Mentions:
        """Count the documents that have all words of a title, in whatever order, but for stop words."""
        columns: dict[str, list[int]] = {}
        for column, word in enumerate(corpus.vocabulary):
            columns.setdefault(" ".join(words_of(word)), []).append(column)
        by_word = corpus.counts.tocsc()
        mentioned: dict[int, np.ndarray] = {}
        for name, articles in self._articles.items():
            asked = [columns.get(word) for word in name if word not in self._stop_words]
            if None in asked:
                continue
            having = [np.unique(by_word[:, own].indices) for own in asked]
            documents = having[0]
            for others in having[1:]:
                documents = np.intersect1d(documents, others, assume_unique=True)
            for article in articles:  # by its title, and by its title in the plural
                mentioned[article] = np.union1d(mentioned.get(article, documents), documents)
        found = np.zeros(len(self.searchable), dtype=np.int64)
        found[list(mentioned)] = [len(documents) for documents in mentioned.values()]
        return Mentions(found, len(corpus))


def words_of(text: str) -> list[str]:
    """Return the words of a text as they are compared.

    Examples
    --------
    >>> words_of("São-Paulo's U.S. banks")
    ['sao', 'paulo', 's', 'u', 's', 'banks']
    """
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text)
        text = "".join(character for character in apart if not unicodedata.combining(character))
    return _WORD.findall(text.casefold())


def plural_of(word: str) -> str:
    """Return the regular English plural of a word.

    Examples
    --------
    >>> plural_of("bank"), plural_of("tax"), plural_of("currency"), plural_of("day")
    ('banks', 'taxes', 'currencies', 'days')
    """
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in ("", *"aeiou"):
        return word[:-1] + "ies"
    return word + "s"


def _marked(words: Iterable[str]) -> str:
    """Return words as one text in which each has a mark on either side, so that whole words are found only."""
    return "".join(f" {word} " for word in words)
