"""Search of article titles in documents.

- Words are runs of letters and digits in lower case without accents: "AT&T's" is at, t, s; "São-Paulo" is sao, paulo.
- Only whole words match. The last word of a title also matches in the plural: "Central bank" finds "central banks".
- Brackets at the end of a title are ignored ("Mercury (planet)" is mercury), unless another title is the same without
  brackets: "company" mentions Company and not Company (musical).
- The longest title matches: "New York" does not mention York.
- Contractions are no words: "don't" does not mention Don.
- A title with capital letters beyond its first word ("Bank of England", "Los Angeles") is a name: in texts with small
  letters it needs at least one mention with a capital letter per document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait._utils.wording import how_to_install
from plait.corpus import Corpus
from plait.errors import PlaitError

_WORD = re.compile(r"[^\W_]+")
_BRACKET = re.compile(r"\s*\([^()]*\)\s*$")
_CONTRACTION = re.compile(r"\b\w+n['’]t\b", re.IGNORECASE)


class Mentions(NamedTuple):
    """Which documents mention each title.

    Attributes
    ----------
    matrix : csr_array of shape (n_titles, n_searched)
        1 where a document mentions a title.
    n_wrong_case : ndarray of int
        Number of documents with a name in small letters only, which is not a mention.
    """

    matrix: sparse.csr_array
    n_wrong_case: np.ndarray

    @property
    def documents(self) -> np.ndarray:
        """Number of documents that mention each title."""
        return np.diff(self.matrix.indptr)

    @property
    def n_searched(self) -> int:
        """Number of documents searched."""
        return int(self.matrix.shape[1])


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
    names : list of tuple of str
        Words of each title, without a bracket at its end.
    searchable : array of bool
        Which titles are searched.
    bracketed : array of bool
        Which titles have a bracket at their end.
    """

    def __init__(self, titles: Sequence[str], stop_words: frozenset[str]) -> None:
        self._stop_words = frozenset(word for stop_word in stop_words for word in words_of(stop_word))
        names = [tuple(words_of(_BRACKET.sub("", title)) or words_of(title)) for title in titles]
        self.names = names
        self.bracketed = np.array([bool(_BRACKET.search(title)) for title in titles], dtype=bool)
        self._is_name = [_is_name(_BRACKET.sub("", title)) for title in titles]
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
                f"searching titles in texts needs ahocorasick_rs: {how_to_install('knowledge')}; without texts, the "
                "word counts of the corpus are searched"
            ) from error
        names = [_pad_words(name) for name in self._articles]
        search = AhoCorasick(names, matchkind=MatchKind.LeftmostLongest).find_matches_as_indexes if names else None
        articles = list(self._articles.values())
        rows: list[set[int]] = []  # articles by document
        n_wrong_case = np.zeros(len(self.searchable), dtype=np.int64)
        for text in texts:
            if not isinstance(text, str):
                raise PlaitError(f"texts has {text!r} at index {len(rows)}; every item must be a str")
            here: set[int] = set()
            if search is not None:
                words = _WORD.findall(_without_accents(_CONTRACTION.sub(" ", text)))
                matches = search(_pad_words(word.casefold() for word in words))
                mixed_case = not (text.isupper() or text.islower())
                named = self._named_in(matches, words, articles) if mixed_case else None
                here = {article for name in {match[0] for match in matches} for article in articles[name]}
                if named is not None:
                    wrong = {article for article in here if self._is_name[article] and article not in named}
                    n_wrong_case[list(wrong)] += 1
                    here -= wrong
            rows.append(here)
        return Mentions(_as_matrix(rows, len(self.searchable)), n_wrong_case)

    def _named_in(self, matches: list[tuple[int, int, int]], words: list[str], articles: list[list[int]]) -> set[int]:
        """Return the articles that a match with a capital letter mentions."""
        if not matches:
            return set()
        ends = np.cumsum([len(word.casefold()) + 2 for word in words])
        named: set[int] = set()
        for name, start, stop in matches:
            first, last = np.searchsorted(ends, [start, stop - 1], side="right")
            if any(word[:1].isupper() for word in words[first : last + 1]):
                named.update(articles[name])
        return named

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
        columns = self.columns_of(corpus.vocabulary)
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
        n_titles = len(self.searchable)
        pairs = [np.full(len(documents), article) for article, documents in mentioned.items()]
        ends = (
            np.concatenate([*pairs, []]).astype(np.int64),
            np.concatenate([*mentioned.values(), []]).astype(np.int64),
        )
        matrix = sparse.csr_array((np.ones(ends[0].size, dtype=np.int8), ends), shape=(n_titles, len(corpus)))
        return Mentions(matrix, np.zeros(n_titles, dtype=np.int64))

    @staticmethod
    def columns_of(vocabulary: Iterable[str]) -> dict[str, list[int]]:
        """Return the columns of a vocabulary by the words of titles.

        Parameters
        ----------
        vocabulary : iterable of str
            The words.

        Returns
        -------
        dict of str to list of int
            Columns by word in lower case and without accents.
        """
        columns: dict[str, list[int]] = {}
        for column, word in enumerate(vocabulary):
            columns.setdefault(" ".join(words_of(word)), []).append(column)
        return columns


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
    return _WORD.findall(_without_accents(text).casefold())


def _without_accents(text: str) -> str:
    """Return a text without accents."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _is_name(title: str) -> bool:
    """Return whether a title has a capital letter beyond its first word."""
    return any(word[:1].isupper() for word in _WORD.findall(title)[1:])


def _as_matrix(rows: list[set[int]], n_titles: int) -> sparse.csr_array:
    """Return titles × documents from the titles of each document."""
    ends = np.cumsum([0, *(len(row) for row in rows)])
    titles = np.fromiter((title for row in rows for title in sorted(row)), dtype=np.int64, count=int(ends[-1]))
    data = np.ones(titles.size, dtype=np.int8)
    return sparse.csr_array(sparse.csr_array((data, titles, ends), shape=(len(rows), n_titles)).T.tocsr())


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
