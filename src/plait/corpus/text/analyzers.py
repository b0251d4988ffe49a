"""Tokenizers, stop words and frequency limits: how text becomes words, and which words are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plait.corpus.problems import CorpusError
from plait.corpus.values import shown

Analyzer = Callable[[str], Iterable[str]]
AUTO = "auto"


@dataclass(frozen=True)
class TextOptions:
    """How text becomes words, and which words are kept.

    Parameters
    ----------
    stop_words : {"auto", "english"}, path, collection of str or None, default "auto"
        Words to remove: ``"auto"`` is English for text and none for tokens and counts; ``"english"`` is
        scikit-learn's list; a file has one word per line; None removes nothing.
    min_df, max_df : int or float, default 1 and 1.0
        A word is kept if it occurs in at least `min_df` and at most `max_df` documents, as a number (int) or a share
        (float) of the documents.
    max_words : int or None, default None
        Number of words to keep, the most frequent ones; None for all.
    tokenizer : callable, scikit-learn vectorizer or None, default None
        Splits a text into words. A vectorizer uses its own lower-casing and stop words.
    lowercase : bool, default True
        Whether text is converted to lower case before it is split into words.
    """

    stop_words: str | Path | Iterable[str] | None = AUTO
    min_df: int | float = 1
    max_df: int | float = 1.0
    max_words: int | None = None
    tokenizer: Any = None
    lowercase: bool = True

    def __post_init__(self) -> None:
        check_frequencies(self.min_df, self.max_df, self.max_words)
        if self.stop_words is not None and not isinstance(self.stop_words, str | Path):
            # Read now, because a generator can be read only once.
            object.__setattr__(self, "stop_words", load_stop_words(self.stop_words))
        if self.tokenizer is not None and not callable(self.tokenizer) and not self._is_vectorizer:
            raise CorpusError(
                f"tokenizer is {shown(self.tokenizer)}; give a function from text to words, or a vectorizer"
            )

    @property
    def _is_vectorizer(self) -> bool:
        return hasattr(self.tokenizer, "build_analyzer")

    def analyzer(self) -> Analyzer:
        """Return the function that splits one text into words.

        Returns
        -------
        callable
            From str to an iterable of str.
        """
        if self._is_vectorizer:
            analyze: Analyzer = self.tokenizer.build_analyzer()
            return analyze
        from sklearn.feature_extraction.text import CountVectorizer

        if self.tokenizer is None:
            default: Analyzer = CountVectorizer(lowercase=self.lowercase).build_analyzer()
            return default
        tokenize, lowercase = self.tokenizer, self.lowercase
        return lambda text: tokenize(text.lower() if lowercase else text)

    def stop_set(self, from_text: bool) -> frozenset[str]:
        """Return the words to remove.

        Parameters
        ----------
        from_text : bool
            Whether the words come from text, not from tokens or counts.

        Returns
        -------
        frozenset of str
            The words.
        """
        if isinstance(self.stop_words, str) and self.stop_words == AUTO:
            return load_stop_words("english" if from_text and not self._is_vectorizer else None)
        return load_stop_words(self.stop_words)


def text_options(given: dict[str, Any]) -> TextOptions:
    """Return `TextOptions` from keyword arguments; an unknown name raises an error that lists the known ones.

    Parameters
    ----------
    given : dict of str to object
        The keyword arguments.

    Returns
    -------
    TextOptions
        The options.
    """
    unknown = sorted(set(given) - set(TextOptions.__dataclass_fields__))
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; the options are {', '.join(TextOptions.__dataclass_fields__)}")
    return TextOptions(**given)


def load_stop_words(stop_words: str | Path | Iterable[str] | None) -> frozenset[str]:
    """Return the stop words that a name, a file, a collection or None stands for.

    Parameters
    ----------
    stop_words : {"english"}, path, collection of str or None
        Scikit-learn's English list, a file with one word per line, a collection, or none.

    Returns
    -------
    frozenset of str
        The words.

    Examples
    --------
    >>> "the" in load_stop_words("english"), len(load_stop_words(None)), sorted(load_stop_words(["a", "b"]))
    (True, 0, ['a', 'b'])
    """
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str) and stop_words == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return frozenset(ENGLISH_STOP_WORDS)
    if isinstance(stop_words, str | Path):
        return _stop_words_in_file(Path(stop_words))
    words = list(stop_words)
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong:
        raise CorpusError(
            f"stop_words contains {shown(wrong[0])}; every stop word must be text", parameter="stop_words"
        )
    return frozenset(words)


def _stop_words_in_file(path: Path) -> frozenset[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(
            f'stop_words is {shown(str(path))}, which is not a readable UTF-8 file; give "english", a list, '
            "a file with one word per line, or None",
            parameter="stop_words",
        ) from error
    return frozenset(word for line in text.splitlines() if (word := line.strip()))


def check_frequencies(min_df: int | float, max_df: int | float, max_words: int | None) -> None:
    """Reject invalid limits before any document is read.

    Parameters
    ----------
    min_df, max_df : int or float
        Limits on the number (int) or share (float) of documents.
    max_words : int or None
        Number of words to keep.
    """
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        is_share = isinstance(value, float) and 0.0 <= value <= 1.0
        if not is_number and not is_share:
            raise CorpusError(
                f"{name} is {value!r}; give a number of documents (int) or a share from 0.0 to 1.0", parameter=name
            )
    if max_words is not None and (isinstance(max_words, bool) or not isinstance(max_words, int) or max_words < 1):
        raise CorpusError(f"max_words is {max_words!r}; give an integer of at least 1, or None", parameter="max_words")


@dataclass(frozen=True)
class WordFrequencies:
    """Number of tokens and of documents of each word of a vocabulary.

    Parameters
    ----------
    words : object array of str
        The vocabulary.
    totals : array
        Number of tokens of each word.
    documents : int array
        Number of documents in which each word occurs.
    n_documents : int
        Number of all documents.
    """

    words: np.ndarray
    totals: np.ndarray
    documents: np.ndarray
    n_documents: int

    def keep(
        self,
        stop_words: frozenset[str] = frozenset(),
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_words: int | None = None,
    ) -> np.ndarray:
        """Return which words are kept; if no word is, raise an error that names the limits.

        Parameters
        ----------
        stop_words : frozenset of str, default frozenset()
            Words to remove.
        min_df, max_df : int or float, default 1 and 1.0
            Limits on the number (int) or share (float) of documents.
        max_words : int or None, default None
            Number of words to keep, the most frequent ones; None for all.

        Returns
        -------
        bool array
            True for words that are kept.
        """
        keep = np.ones(len(self.words), dtype=bool)
        removed_by: list[tuple[int, str]] = []

        def drop(unwanted: np.ndarray, limit: str) -> None:
            n_removed = int(np.count_nonzero(keep & unwanted))
            keep[unwanted] = False
            if n_removed:
                removed_by.append((n_removed, limit))

        if stop_words:
            drop(np.fromiter((word in stop_words for word in self.words), bool, len(keep)), "stop_words")
        drop(self.documents < self._number(min_df), f"min_df={min_df}")
        drop(self.documents > self._number(max_df), f"max_df={max_df}")
        if not keep.any():
            only = len(removed_by) == 1
            limits = removed_by[0][1] if only else ", ".join(f"{limit} ({number:,})" for number, limit in removed_by)
            raise CorpusError(
                f"no words are left: all {len(keep):,} words were removed by {limits}; relax "
                f"{'it' if only else 'them'}",
                kind="empty vocabulary",
                parameter=limits.partition("=")[0] if only else None,
            )
        if max_words is not None and np.count_nonzero(keep) > max_words:
            candidates = np.flatnonzero(keep)
            ranked = candidates[np.argsort(-self.totals[candidates], kind="stable")]
            keep[ranked[max_words:]] = False
        return keep

    def _number(self, limit: int | float) -> float:
        return limit * self.n_documents if isinstance(limit, float) else limit
