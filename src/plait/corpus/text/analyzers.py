"""From text to words: analyzers, stop words, and which words are frequent enough to keep."""

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
    """How text becomes words, and which words stay.

    Parameters
    ----------
    stop_words : str, path, collection of str or None
        ``"auto"`` (English for text, none for tokens and counts), ``"english"`` (scikit-learn's list),
        a list, a file with a word a line, or None for none.
    min_df, max_df : int or float
        A word stays when it is in at least / at most so many documents (int) or that share of them (float).
    max_words : int or None
        Keep only so many of the words, the most frequent ones.
    tokenizer : callable, scikit-learn vectoriser or None
        Turns a text into words. A vectoriser brings its own lower-casing and stop words.
    lowercase : bool
        Whether text is put in lower case before it is cut into words.
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
            # Read once and for all: a generator could not be read again.
            object.__setattr__(self, "stop_words", load_stop_words(self.stop_words))
        if self.tokenizer is not None and not callable(self.tokenizer) and not self._vectoriser:
            raise CorpusError(
                f"tokenizer is {shown(self.tokenizer)}; give a function from text to words, or a vectoriser"
            )

    @property
    def _vectoriser(self) -> bool:
        return hasattr(self.tokenizer, "build_analyzer")

    def analyzer(self) -> Analyzer:
        """The function that cuts one text into words."""
        if self._vectoriser:
            analyze: Analyzer = self.tokenizer.build_analyzer()
            return analyze
        from sklearn.feature_extraction.text import CountVectorizer

        if self.tokenizer is None:
            default: Analyzer = CountVectorizer(lowercase=self.lowercase).build_analyzer()
            return default
        tokenize, lowercase = self.tokenizer, self.lowercase
        return lambda text: tokenize(text.lower() if lowercase else text)

    def stop_set(self, from_text: bool) -> frozenset[str]:
        """The words to leave out, for words that come from text or not."""
        if isinstance(self.stop_words, str) and self.stop_words == AUTO:
            return load_stop_words("english" if from_text and not self._vectoriser else None)
        return load_stop_words(self.stop_words)


def text_options(given: dict[str, Any]) -> TextOptions:
    """`TextOptions` from keyword arguments, with an error that lists the names there are."""
    unknown = sorted(set(given) - set(TextOptions.__dataclass_fields__))
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; there are {', '.join(TextOptions.__dataclass_fields__)}")
    return TextOptions(**given)


def load_stop_words(stop_words: str | Path | Iterable[str] | None) -> frozenset[str]:
    """A set of stop words from a name, a file, a collection or None.

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
        raise CorpusError(f"stop_words holds {shown(wrong[0])}; every stop word must be text", parameter="stop_words")
    return frozenset(words)


def _stop_words_in_file(path: Path) -> frozenset[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(
            f'stop_words is {shown(str(path))}, which is not a readable UTF-8 file; give "english", a list, '
            "a file with a word a line, or None",
            parameter="stop_words",
        ) from error
    return frozenset(word for line in text.splitlines() if (word := line.strip()))


def check_frequencies(min_df: int | float, max_df: int | float, max_words: int | None) -> None:
    """Refuse limits that make no sense before any document is read."""
    for name, value in (("min_df", min_df), ("max_df", max_df)):
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        share = isinstance(value, float) and 0.0 <= value <= 1.0
        if not whole and not share:
            raise CorpusError(
                f"{name} is {value!r}; give a number of documents (int) or a share from 0.0 to 1.0", parameter=name
            )
    if max_words is not None and (isinstance(max_words, bool) or not isinstance(max_words, int) or max_words < 1):
        raise CorpusError(f"max_words is {max_words!r}; give a whole number from 1, or None", parameter="max_words")


@dataclass(frozen=True)
class WordFrequencies:
    """How often each word of a vocabulary occurs, and in how many of the documents."""

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
        """A mask of the words that stay; an error that blames the limits when none does."""
        keep = np.ones(len(self.words), dtype=bool)
        blame: list[str] = []

        def drop(unwanted: np.ndarray, reason: str) -> None:
            gone = int(np.count_nonzero(keep & unwanted))
            keep[unwanted] = False
            if gone:
                blame.append(f"{gone:,} by {reason}")

        if stop_words:
            drop(np.fromiter((word in stop_words for word in self.words), bool, len(keep)), "stop_words")
        drop(self.documents < self._number(min_df), f"min_df={min_df}")
        drop(self.documents > self._number(max_df), f"max_df={max_df}")
        if not keep.any():
            # One culprit deserves a plain sentence; several are listed with their shares.
            whose = blame[0].split(" by ", 1)[1] if len(blame) == 1 else ", ".join(blame)
            raise CorpusError(
                f"no words are left: every one of the {len(keep):,} words was removed by {whose}; relax that",
                kind="empty vocabulary",
                parameter=whose.partition("=")[0] if len(blame) == 1 else None,
            )
        if max_words is not None and np.count_nonzero(keep) > max_words:
            candidates = np.flatnonzero(keep)
            ranked = candidates[np.argsort(-self.totals[candidates], kind="stable")]
            keep[ranked[max_words:]] = False
        return keep

    def _number(self, limit: int | float) -> float:
        return limit * self.n_documents if isinstance(limit, float) else limit
