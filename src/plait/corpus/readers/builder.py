"""The loop that turns records of documents into a corpus, for every format."""

from __future__ import annotations

import datetime
from array import array
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from plait.corpus.container.frozen import frozen_texts, release
from plait.corpus.container.vocabulary import OUTSIDE, frequencies
from plait.corpus.excerpts import make_excerpt
from plait.corpus.problems import BadValueError, CorpusError, Problems
from plait.corpus.readers.links import LinkReader, link_matrix
from plait.corpus.readers.records import Record, RestartError, Source
from plait.corpus.text.analyzers import AUTO, TextOptions, load_stop_words
from plait.corpus.text.counting import WordCounter
from plait.corpus.values import (
    NO_TIME,
    is_missing,
    parse_id,
    parse_labels,
    parse_name,
    parse_time,
    shown,
)

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


class CorpusBuilder:
    """Adds records one at a time and keeps their counts, not their texts.

    Parameters
    ----------
    source : Source
        Where the records come from.
    options : TextOptions
        Tokenizer, stop words and frequency limits.
    problems : Problems
        Raises or counts the problems.
    fractional : bool
        Whether counts may be fractions.
    """

    def __init__(self, source: Source, options: TextOptions, problems: Problems, fractional: bool) -> None:
        self._source = source
        self._options = options
        self._problems = problems
        self._fractional = fractional
        self._counter = WordCounter(options, fractional)
        self._column_of: dict[str, int]
        if source.vocabulary is None:
            growing: defaultdict[str, int] = defaultdict()
            growing.default_factory = growing.__len__  # a new word gets the next column
            self._column_of = growing
        else:
            self._column_of = {word: column for column, word in enumerate(source.vocabulary)}
        self._columns, self._numbers, self._ends = (
            array("i"),
            array("d" if fractional else "i"),
            array("q", [0]),
        )
        self._row_of: dict[str, int] = {}
        self._left_out: set[str] = set()
        self._titles: list[str] = []
        self._labels: list[tuple[str, ...]] = []
        self._times: list[np.datetime64] = []
        self._splits: list[str] = []
        self._excerpts: list[str] = []
        self._metadata: dict[str, list[str]] = {name: [] for name in source.metadata_fields}

    def add(self, record: Record) -> None:
        """Add one document, or report why it cannot be used.

        Parameters
        ----------
        record : Record
            The document.
        """
        try:
            name = parse_id(record.id)
        except BadValueError as error:
            if error.kind == "missing id":
                error.message = self._source.why_missing("id")
            self._report(record, error, "id")
            return
        if name in self._row_of:
            duplicate = BadValueError("duplicate id", f"an earlier document has the id {shown(name)} too")
            self._report(record, duplicate, "id")
            return
        try:
            counted = self._known_words(record, self._counter.count(record))
        except BadValueError as error:
            self._left_out.add(name)
            self._report(record, error, record.form)
            return
        self._row_of[name] = len(self._row_of)
        self._columns.extend(map(self._column_of.__getitem__, counted))
        self._numbers.extend(counted.values())
        self._ends.append(len(self._columns))
        self._titles.append(self._value(record, "title", record.title, _parse_title, ""))
        self._labels.append(self._value(record, "label", record.labels, self._parse_labels, ()))
        self._times.append(self._value(record, "date", record.date, parse_time, NO_TIME))
        self._splits.append(self._value(record, "split", record.split, _parse_split, ""))
        self._excerpts.append(make_excerpt(record.words) if record.form == "text" else "")
        for (field, values), value in zip(self._metadata.items(), record.metadata, strict=True):
            values.append(self._value(record, field, value, _parse_metadata, ""))

    def _report(self, record: Record, error: BadValueError, role: str) -> None:
        self._problems.report(error.kind, record.place, error.message, field=self._source.field_name(role))

    def _known_words(self, record: Record, counted: dict[str, Any]) -> dict[str, Any]:
        """Return the counts of the words that have a column or can get one."""
        if "" in counted:
            self._problems.note("blank word", record.place, count=int(counted.pop("")))
        if self._source.vocabulary is not None:
            unknown = [word for word in counted if word not in self._column_of]
            if unknown and record.form != "text":
                raise BadValueError(
                    "word outside the vocabulary", f"the word {shown(unknown[0])} is not in the vocabulary"
                )
            for word in unknown:
                # Text usually has words outside a fixed vocabulary: they are counted, but are not an error.
                place = f"{record.place}, word {shown(word)}"
                self._problems.note(OUTSIDE, place, count=int(counted.pop(word)))
        if not counted:
            raise BadValueError("empty document", self._why_empty(record))
        return counted

    def _why_empty(self, record: Record) -> str:
        if record.words is None:
            return self._source.why_missing(record.form)
        return "all words of the document were removed" if record.words else "the document has no words"

    def _parse_labels(self, value: Any) -> tuple[str, ...]:
        return parse_labels(value, self._source.label_separators)

    def _value(self, record: Record, role: str, value: Any, parse: Callable[[Any], Any], missing: Any) -> Any:
        if value is None:
            return missing
        try:
            return parse(value)
        except BadValueError as error:
            self._report(record, error, role)
            return missing

    def finish(self, read_links: LinkReader | None) -> Corpus:
        """Return the corpus of the added documents.

        Parameters
        ----------
        read_links : callable or None
            Yields the links, given the ids of the documents.

        Returns
        -------
        Corpus
            The documents and the links among them.
        """
        from plait.corpus.container.corpus import Corpus

        if complaint := self._source.complaint():
            parameter = "text" if complaint == self._source.why_missing("text") else None
            raise CorpusError(f"{self._source.name}: {complaint}", place=self._source.name, parameter=parameter)
        if not self._row_of:
            self._raise_no_documents()
        vocabulary, counts = self._counts()
        links = None
        if read_links is not None:
            links = link_matrix(read_links(self._row_of, self._problems), self._row_of, self._left_out, self._problems)
        return Corpus(
            counts=counts,
            vocabulary=vocabulary,
            ids=frozen_texts(self._row_of),
            titles=frozen_texts(self._titles) if any(self._titles) else None,
            labels=tuple(self._labels) if any(self._labels) else None,
            links=links,
            times=np.array(self._times) if not np.isnat(self._times).all() else None,
            splits=frozen_texts(self._splits) if any(self._splits) else None,
            skipped=self._problems.skipped(),
            fractional=self._fractional,
            excerpts=frozen_texts(self._excerpts) if any(self._excerpts) else None,
            metadata={name: frozen_texts(values) for name, values in self._metadata.items()},
        )

    def finish_if_any(self) -> Corpus | None:
        """Return the corpus of the added documents without links, or None if no document could be used.

        Returns
        -------
        Corpus or None
            The documents.
        """
        try:
            return self.finish(None)
        except CorpusError as error:
            if error.kind == "no documents":
                return None
            raise

    def _raise_no_documents(self) -> None:
        skipped = self._problems.skipped()
        why = f": {'; '.join(skipped.lines())}" if skipped else ""
        raise CorpusError(f"{self._source.name} has no usable documents{why}", kind="no documents")

    def _counts(self) -> tuple[np.ndarray, csr_array]:
        """Return the vocabulary in its final order, and the counts of the words that are kept."""
        columns = np.array(self._columns, dtype=np.int32)
        words = list(self._column_of)
        fixed = self._source.vocabulary is not None
        if not fixed:
            order = sorted(range(len(words)), key=lambda column: self._sort_key(words[column]))
            new_column = np.empty(len(words), dtype=np.int32)
            new_column[order] = np.arange(len(words), dtype=np.int32)
            columns = new_column[columns]
            words = [words[column] for column in order]
        vocabulary = frozen_texts(words)
        shape = (len(self._row_of), len(words))
        # With an int64 indptr, SciPy would convert the column indices to int64 too.
        ends = np.array(self._ends, dtype=np.int32 if len(columns) < 2**31 else np.int64)
        counts = csr_array((np.array(self._numbers), columns, ends), shape=shape)
        counts.sort_indices()
        options = self._options
        # Words of a fixed vocabulary that never occur are kept, unless min_df is above 1.
        min_df = 0 if fixed and options.min_df == 1 else options.min_df
        # Stop words are not counted. If the caller named them, their columns are removed too.
        unwanted = load_stop_words(options.stop_words) if fixed and options.stop_words != AUTO else frozenset()
        kept = frequencies(counts, vocabulary).keep(unwanted, min_df, options.max_df, options.max_words)
        keep = np.flatnonzero(kept)
        if len(keep) < len(vocabulary):
            vocabulary, counts = vocabulary[keep], counts[:, keep]
        return vocabulary, release(counts)

    def _sort_key(self, word: str) -> Any:
        return word if self._source.word_order is None else self._source.word_order(word)


def _parse_title(value: Any) -> str:
    return "" if is_missing(value) else parse_name(value, "bad title")


def _parse_split(value: Any) -> str:
    return "" if is_missing(value) else parse_name(value, "bad split")


def _parse_metadata(value: Any) -> str:
    if isinstance(value, datetime.date):  # of a data frame
        return value.isoformat()
    return "" if is_missing(value) else parse_name(value, "bad metadata").strip()


def assemble(
    source: Source,
    options: TextOptions,
    *,
    on_error: str = "raise",
    fractional: bool = False,
    read_links: LinkReader | None = None,
) -> Corpus:
    """Read all documents of a source and return their corpus.

    Parameters
    ----------
    source : Source
        Where the documents come from.
    options : TextOptions
        Tokenizer, stop words and frequency limits.
    on_error : {"raise", "skip"}, default "raise"
        Whether invalid input raises an error, or is skipped and counted.
    fractional : bool, default False
        Whether counts may be fractions.
    read_links : callable, optional
        Yields the links, given the ids of the documents.

    Returns
    -------
    Corpus
        The corpus.
    """
    while True:
        problems = Problems(on_error)
        builder = CorpusBuilder(source, options, problems, fractional)
        try:
            for record in source.records(problems):
                builder.add(record)
        except RestartError:
            continue
        return builder.finish(read_links)
