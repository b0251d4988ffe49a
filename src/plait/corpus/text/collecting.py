"""The words of texts in their order, kept until the phrases of the corpus are found: four bytes per token."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from plait.corpus.text.phrases import find_phrases


class OrderedWords:
    """The words of documents in order.

    Parameters
    ----------
    stop_words : frozenset of str
        Words that are no part of a phrase that is found.
    """

    def __init__(self, stop_words: frozenset[str]) -> None:
        self._stop_words = stop_words
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__  # a new word gets the next number
        self._tokens = array("i")
        self._ends = array("q", [0])

    def add(self, words: Sequence[str]) -> None:
        """Add the words of one document.

        Parameters
        ----------
        words : sequence of str
            Result of `TextAnalyzer.sequence`.
        """
        self._tokens.extend(map(self._numbers.__getitem__, words))
        self._tokens.append(self._numbers[""])  # phrases do not cross documents
        self._ends.append(len(self._tokens))

    def find_phrases(self) -> tuple[str, ...]:
        """Return the phrases of all documents.

        Returns
        -------
        tuple of str
            The phrases, sorted.
        """
        words = list(self._numbers)
        barred = np.array([not word or word in self._stop_words for word in words], dtype=bool)
        tokens = np.array(self._tokens, dtype=np.int32)
        return tuple(" ".join(phrase) for phrase in find_phrases(np.where(barred[tokens], -1, tokens), words))

    def __iter__(self) -> Iterator[list[str]]:
        words = list(self._numbers)
        for start, end in zip(self._ends[:-1], self._ends[1:], strict=True):
            yield [words[number] for number in self._tokens[start : end - 1]]
