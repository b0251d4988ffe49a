"""Search of article titles in documents.

- Words are runs of letters and digits in lower case without accents: "AT&T's" is at, t, s; "São-Paulo" is sao, paulo.
- Only whole words match. The last word of a title also matches in the plural: "Central bank" finds "central banks".
- Brackets at the end of a title are ignored ("Mercury (planet)" is mercury), unless another title is the same without
  brackets: "company" mentions Company and not Company (musical).
- The longest title matches: "New York" does not mention York.
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
    """Number of documents that mention each title, and number of documents searched.

    Attributes
    ----------
    documents : ndarray of int
        Number of documents that mention each title.
    n_searched : int
        Number of documents searched.
    """

    documents: np.ndarray
    n_searched: int


class Titles:
    """Titles prepared for the search.

    Parameters
    ----------
    titles : sequence of str
        Title of each article; duplicates are allowed.
    stop_words : frozenset of str
        Stop words. Titles that consist of stop words, single letters and numbers ("May", "The Who", "C++", "1984")
        are not searched, because they would be found everywhere.

    Attributes
    ----------
    searchable : array of bool
        Which titles are searched.
    """

    def __init__(self, titles: Sequence[str], stop_words: frozenset[str]) -> None:
        self._stop_words = frozenset(word for stop_word in stop_words for word in words_of(stop_word))
        names = [tuple(words_of(_BRACKET.sub("", title)) or words_of(title)) for title in titles]
        self.searchable = np.array([self._is_searchable(name) for name in names], dtype=bool)
        whole = {name for name, title in zip(names, titles, strict=True) if not _BRACKET.search(title)}
        self._articles: dict[tuple[str, ...], list[int]] = {}  # articles by the words of their title
        for article in np.flatnonzero(self.searchable).tolist():
            if names[article] not in whole or not _BRACKET.search(titles[article]):
                self._articles.setdefault(names[article], []).append(article)
        # Words that are a title themselves are not used as the plural of another title.
        plurals: dict[tuple[str, ...], list[int]] = {}
        for name, articles in self._articles.items():
            plural = (*name[:-1], plural_of(name[-1]))
            if plural not in self._articles:
                plurals.setdefault(plural, []).extend(articles)
        self._articles |= plurals

    def _is_searchable(self, name: tuple[str, ...]) -> bool:
        """Return whether a title has a word that is not a stop word, a single letter or a number."""
        return any(len(word) > 1 and not word.isdigit() and word not in self._stop_words for word in name)

    def in_texts(self, texts: Iterable[str]) -> Mentions:
        """Count the texts that mention each title.

        Parameters
        ----------
        texts : iterable of str
            Texts of the documents.

        Returns
        -------
        Mentions
            Number of texts per title.
        """
        try:
            from ahocorasick_rs import AhoCorasick, MatchKind
        except ImportError as error:
            raise PlaitError(
                "searching titles in texts needs ahocorasick_rs: pip install plait[knowledge]; without texts, the word "
                "counts of the corpus are searched"
            ) from error
        names = [_pad_words(name) for name in self._articles]
        search = AhoCorasick(names, matchkind=MatchKind.LeftmostLongest).find_matches_as_indexes if names else None
        articles = list(self._articles.values())
        found = np.zeros(len(self.searchable), dtype=np.int64)
        n_searched = 0
        for text in texts:
            if not isinstance(text, str):
                raise PlaitError(f"texts has {text!r} at index {n_searched}; every item must be a str")
            n_searched += 1
            if search is not None:
                matches = search(_pad_words(words_of(text)))
                here = {article for name in {match[0] for match in matches} for article in articles[name]}
                found[list(here)] += 1
        return Mentions(found, n_searched)

    def in_counts(self, corpus: Corpus) -> Mentions:
        """Count the documents that have all words of a title except stop words, in any order.

        Parameters
        ----------
        corpus : Corpus
            The documents.

        Returns
        -------
        Mentions
            Number of documents per title.
        """
        columns: dict[str, list[int]] = {}
        for column, word in enumerate(corpus.vocabulary):
            columns.setdefault(" ".join(words_of(word)), []).append(column)
        by_word = corpus.counts.tocsc()
        mentioned: dict[int, np.ndarray] = {}
        for name, articles in self._articles.items():
            needed = [columns.get(word) for word in name if word not in self._stop_words]
            if None in needed:
                continue
            having = [np.unique(by_word[:, own].indices) for own in needed]
            documents = having[0]
            for others in having[1:]:
                documents = np.intersect1d(documents, others, assume_unique=True)
            for article in articles:  # an article is found by its title and by the plural of its title
                mentioned[article] = np.union1d(mentioned.get(article, documents), documents)
        found = np.zeros(len(self.searchable), dtype=np.int64)
        found[list(mentioned)] = [len(documents) for documents in mentioned.values()]
        return Mentions(found, len(corpus))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case and without accents.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    list of str
        Words in order.

    Examples
    --------
    >>> words_of("São-Paulo's U.S. banks")
    ['sao', 'paulo', 's', 'u', 's', 'banks']
    """
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(character for character in decomposed if not unicodedata.combining(character))
    return _WORD.findall(text.casefold())


def plural_of(word: str) -> str:
    """Return the regular English plural of a word.

    Parameters
    ----------
    word : str
        Word in lower case.

    Returns
    -------
    str
        Its plural.

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


def _pad_words(words: Iterable[str]) -> str:
    """Return words joined with a space on either side of each, so that only whole words match."""
    return "".join(f" {word} " for word in words)
