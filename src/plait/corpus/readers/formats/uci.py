"""The UCI bag-of-words format: docword.NAME.txt with three header lines, vocab.NAME.txt with the words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from plait.corpus.numbers import add_count, number_in
from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.formats.word_list import read_word_list
from plait.corpus.readers.records import Record, Source
from plait.corpus.readers.streams import COMPRESSIONS, Line, plain_name, read_lines
from plait.corpus.values import shown

_MOST_DIGITS = 15


def is_docword(path: Path) -> bool:
    """Return whether a file has the name of a file of counts in this format.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    bool
        True for docword.*.txt, plain or compressed.
    """
    name = plain_name(path)
    return name.startswith("docword.") and name.endswith(".txt")


def vocabulary_beside(docword: Path) -> Path:
    """Return the file of words that belongs to a file of counts.

    Parameters
    ----------
    docword : Path
        The file of counts.

    Returns
    -------
    Path
        The file of words.
    """
    wanted = "vocab." + plain_name(docword).removeprefix("docword.")
    for path in sorted(docword.parent.iterdir()):
        if plain_name(path) == wanted:
            return path
    raise CorpusError(
        f"{docword.name} needs its words in {wanted} (plain, {' or '.join(COMPRESSIONS)}) in the same folder, "
        f"{docword.parent}",
        place=docword.name,
    )


class UciSource(Source):
    """Documents as consecutive lines "document word count"; documents and words are numbered from 1.

    Parameters
    ----------
    path : Path
        The file of counts.
    encoding : str
        Its encoding.
    """

    def __init__(self, path: Path, encoding: str) -> None:
        self.name = path.name
        self.vocabulary: list[str] = read_word_list(vocabulary_beside(path), encoding)
        self.path = self._path = path
        self._encoding = encoding

    @property
    def numbered(self) -> bool:
        """Whether documents are numbered because they have no ids: always."""
        return True

    def records(self, problems: Problems) -> Iterator[Record]:
        """Yield the documents as records.

        Parameters
        ----------
        problems : Problems
            Raises or counts the problems.

        Yields
        ------
        Record
            A document.
        """
        lines = read_lines(self._path, self._encoding)
        n_documents, n_words, n_entries = (self._header(next(lines, None), number) for number in (1, 2, 3))
        if n_words != len(self.vocabulary):
            raise CorpusError(
                f"{self.name}, line 2: the header says {n_words:,} words but the vocabulary has "
                f"{len(self.vocabulary):,}; give the vocabulary of this file"
            )
        self._entries = 0
        finished: set[int] = set()
        entries = self._triples(lines, n_documents, n_words, problems)
        for document, triples in itertools.groupby(entries, key=lambda entry: entry[1]):
            counts: dict[str, float] = {}
            start = bad = 0
            for line, _, number, count in triples:
                start = start or line
                if not bad and (count < 0 or not isinstance(count, int)):
                    bad = line  # the line to name if the builder rejects the counts
                add_count(counts, self.vocabulary[number - 1], count)
            place = f"{self.name}, line {bad or start}"
            if document in finished:
                # Documents are read one at a time, so the lines of a document must be consecutive.
                raise CorpusError(
                    f"{place}: the lines of document {document} are not consecutive; sort the lines by document",
                    place=place,
                )
            finished.add(document)
            yield Record(place=place, id=document, words=counts, form="counts")
        if n_documents > max(self._entries, 1):
            raise CorpusError(
                f"{self.name}, line 1: the header says {n_documents:,} documents but {self._entries:,} entries follow; "
                "correct the header",
                place=f"{self.name}, line 1",
            )
        for document in range(1, n_documents + 1):
            if document not in finished:
                yield Record(place=f"{self.name}, document {document}", id=document, words=None, form="counts")
        if self._entries != n_entries:
            problems.report(
                "wrong number of lines",
                f"{self.name}, line 3",
                f"the header says {n_entries:,} entries but {self._entries:,} follow",
                lost="",
            )

    def _header(self, line: Line | None, number: int) -> int:
        text = "" if line is None else line.text.strip()
        if not text.isdecimal() or len(text) > _MOST_DIGITS:
            raise CorpusError(
                f"{self.name}, line {number}: {shown(text)} is not an integer of at most {_MOST_DIGITS} digits; "
                "the first three lines are the number of documents, of words and of entries",
                place=f"{self.name}, line {number}",
            )
        return int(text)

    def _triples(
        self, lines: Iterator[Line], n_documents: int, n_words: int, problems: Problems
    ) -> Iterator[tuple[int, int, int, float]]:
        """Yield the valid (line, document, word, count)."""
        for line in lines:
            text = line.text
            if not text.strip():
                continue
            self._entries += 1
            place = f"{self.name}, line {line.number}"
            try:
                document_text, word_text, count_text = text.split()
                document, word, count = int(document_text), int(word_text), number_in(count_text)
            except ValueError:
                problems.report(
                    "broken line", place, f'{shown(text.strip())} is not "document word count"', lost="line"
                )
                continue
            if not 1 <= document <= n_documents:
                message = f"document {document} is not in 1 to {n_documents:,}"
                problems.report("unknown document", place, message, lost="line")
            elif not 1 <= word <= n_words:
                problems.report("unknown word", place, f"word {word} is not in 1 to {n_words:,}", lost="line")
            else:
                yield line.number, document, word, count
