"""Documents on their way from a reader to a corpus: word numbers, counts and the other fields, in memory.

Words are numbered as they are met. Only when all documents are known, the vocabulary is chosen, and `WordChoice` says
which column each number becomes. `prepared/spool.py` does the same with files in place of memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from plait.corpus.container.frozen import frozen_texts, release

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

FIELDS = ("titles", "labels", "times", "splits", "excerpts")


class WordChoice(NamedTuple):
    """The vocabulary of a corpus.

    Parameters
    ----------
    vocabulary : object array of str
        The word of each column.
    column_of : array of int32
        Column of each word number; -1 for words that are not kept.
    """

    vocabulary: np.ndarray
    column_of: np.ndarray

    def apply(self, numbers: np.ndarray, counts: np.ndarray, ends: np.ndarray) -> csr_array:
        """Return the counts of documents in the columns of the vocabulary.

        Parameters
        ----------
        numbers : array of int32
            Word number of each entry.
        counts : array
            Count of each entry.
        ends : array of int64
            Number of entries before each document, and in total.

        Returns
        -------
        csr_array of shape (documents, words)
            The counts; columns of a row are sorted.
        """
        columns = self.column_of[numbers]
        kept = columns >= 0
        if not kept.all():
            ends = np.concatenate([[0], np.cumsum(kept)])[ends]
            columns, counts = columns[kept], counts[kept]
        # With an int64 indptr, SciPy would convert the column indices to int64 too.
        ends = ends.astype(np.int32 if len(columns) < 2**31 else np.int64)
        matrix = csr_array((counts, columns, ends), shape=(len(ends) - 1, len(self.vocabulary)))
        matrix.sort_indices()
        return matrix


class CollectedDocuments:
    """Documents in memory.

    Parameters
    ----------
    fractional : bool
        Whether counts may be fractions.
    metadata_fields : sequence of str
        Names of further fields.
    """

    def __init__(self, fractional: bool, metadata_fields: Sequence[str]) -> None:
        self._fractional = fractional
        self._numbers, self._counts, self._ends = (
            array("i"),
            array("d" if fractional else "i"),
            array("q", [0]),
        )
        self._fields: dict[str, list[Any]] = {name: [] for name in FIELDS}
        self._metadata: dict[str, list[str]] = {name: [] for name in metadata_fields}

    def add_words(self, numbers: Iterable[int], counts: Iterable[Any]) -> None:
        """Add the words of the next document.

        Parameters
        ----------
        numbers : iterable of int
            Number of each distinct word.
        counts : iterable of number
            Its count.
        """
        self._numbers.extend(numbers)
        self._counts.extend(counts)
        self._ends.append(len(self._numbers))

    def add_fields(self, name: str, fields: Mapping[str, Any], metadata: Sequence[str]) -> None:
        """Add the other fields of the next document.

        Parameters
        ----------
        name : str
            Its id, which the builder keeps, too.
        fields : mapping of str to object
            Its title, labels, time, split and excerpt, under the names in `FIELDS`.
        metadata : sequence of str
            Values of the further fields.
        """
        for field, values in self._fields.items():
            values.append(fields[field])
        for values, value in zip(self._metadata.values(), metadata, strict=True):
            values.append(value)

    def frequencies(self, n_words: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of tokens and of documents of each word number.

        Parameters
        ----------
        n_words : int
            Number of words.

        Returns
        -------
        totals, documents : ndarray
            One entry per word number.
        """
        numbers = np.frombuffer(self._numbers, dtype=np.int32)
        totals = np.bincount(numbers, weights=np.frombuffer(self._counts, self._kind), minlength=n_words)
        return totals, np.bincount(numbers, minlength=n_words)

    @property
    def _kind(self) -> type[np.number]:
        return np.float64 if self._fractional else np.int32

    def make_corpus(self, choice: WordChoice, ids: Iterable[str], links: csr_array | None, more: Any) -> Corpus:
        """Return the corpus of all documents.

        Parameters
        ----------
        choice : WordChoice
            The vocabulary.
        ids : iterable of str
            Their ids.
        links : csr_array or None
            Links among them.
        more : mapping of str to object
            Skipped input, text options and chosen fields, as arguments of `Corpus`.

        Returns
        -------
        Corpus
            The corpus.
        """
        from plait.corpus.container.corpus import Corpus

        counts = choice.apply(
            np.frombuffer(self._numbers, dtype=np.int32),
            np.frombuffer(self._counts, self._kind),
            np.frombuffer(self._ends, dtype=np.int64),
        )
        texts = {name: frozen_texts(self._fields[name]) for name in ("titles", "splits", "excerpts")}
        found: dict[str, Any] = {name: values if any(values) else None for name, values in texts.items()}
        labels, times = self._fields["labels"], np.array(self._fields["times"], dtype="datetime64[s]")
        return Corpus(
            counts=release(counts),
            vocabulary=choice.vocabulary,
            ids=frozen_texts(ids),
            labels=tuple(labels) if any(labels) else None,
            links=links,
            times=None if np.isnat(times).all() else times,
            fractional=self._fractional,
            metadata={name: frozen_texts(values) for name, values in self._metadata.items()},
            **more,
            **found,
        )
