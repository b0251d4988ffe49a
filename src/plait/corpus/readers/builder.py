"""The loop that turns records of documents into a corpus, for every format."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from plait.corpus.container.frozen import frozen_texts
from plait.corpus.container.vocabulary import OUTSIDE
from plait.corpus.dates import check_date_format
from plait.corpus.excerpts import make_excerpt
from plait.corpus.problems import EMPTY, BadValueError, CorpusError, Problems
from plait.corpus.readers.collected import CollectedDocuments, WordChoice
from plait.corpus.readers.links import LinkReader, link_matrix
from plait.corpus.readers.records import Record, RestartError, Source
from plait.corpus.readers.streams import plain_name
from plait.corpus.text.analyzers import TextAnalyzer
from plait.corpus.text.collecting import OrderedWords
from plait.corpus.text.counting import WordCounter
from plait.corpus.text.frequencies import WordFrequencies
from plait.corpus.text.options import TextOptions
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

    If phrases are to be found, the words are kept in their order until `finish`, with four bytes per token.

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
    date_format : str, optional
        Format of dates that are text; None for ISO dates and years.
    keep_empty : bool, default False
        Whether a document without words is kept.
    copied : bool, default False
        Whether the options are those of another corpus or model, so that tokens and counts need not use them.
    documents : CollectedDocuments, optional
        Takes the documents; None for memory.
    known : PreparedCorpus, optional
        The corpus that documents are appended to.
    """

    def __init__(
        self,
        source: Source,
        options: TextOptions,
        problems: Problems,
        fractional: bool,
        date_format: str | None = None,
        keep_empty: bool = False,
        copied: bool = False,
        documents: Any = None,
        known: Any = None,
    ) -> None:
        check_date_format(date_format)
        self._copied = copied
        self._keep_empty = keep_empty
        self._source = source
        self._date_format = date_format
        self._given = options
        self._options = options  # resolved by `prepare`
        self._problems = problems
        self._fractional = fractional
        self._counter: WordCounter | None = None
        self._ordered: OrderedWords | None = None
        self._has_text = self._knows_language = False
        self._vocabulary = _fixed_vocabulary(source, options)
        known_words = [] if known is None else known.vocabulary.tolist()
        self._n_known_words = len(known_words)
        self._column_of: dict[str, int]
        if self._vocabulary is None:
            growing: defaultdict[str, int] = defaultdict()
            growing.default_factory = growing.__len__  # a new word gets the next column
            growing.update((word, column) for column, word in enumerate(known_words))
            self._column_of = growing
        else:
            all_words = dict.fromkeys([*known_words, *self._vocabulary])
            self._column_of = {word: column for column, word in enumerate(all_words)}
        self._documents = CollectedDocuments(fractional, source.metadata_fields) if documents is None else documents
        self._row_of: dict[str, int] = {} if known is None else dict(known._row_of)
        self._n_known = len(self._row_of)
        self._left_out: set[str] = set()

    @property
    def text_options(self) -> TextOptions | None:
        """The options that texts are read with, as far as they are known; None if no text was added."""
        return self._options if self._has_text else None

    def prepare(self, records: Iterable[Record]) -> None:
        """Find the language of texts before they are added. Otherwise, the first text decides it.

        Parameters
        ----------
        records : iterable of Record
            A sample of the documents.
        """
        texts = [record.words for record in records if record.form == "text" and isinstance(record.words, str)]
        if texts:
            self._options = self._given.resolve(texts)
            self._knows_language = True
        self._counter = WordCounter(self._options, self._fractional, self._copied)
        if texts and self._options.phrases is True:
            if self._vocabulary is not None:
                raise CorpusError(
                    f"{self._source.name}: phrases=True finds new words, but the vocabulary is fixed; give the phrases "
                    "of the vocabulary as a list",
                    parameter="phrases",
                )
            self._ordered = OrderedWords(self._counter.analyzer.stop_words)

    def add(self, record: Record) -> None:
        """Add one document, or report why it cannot be used; may raise `RestartError`.

        Parameters
        ----------
        record : Record
            The document.
        """
        self._problems.add_row()
        try:
            name = parse_id(record.id)
        except BadValueError as error:
            if self._source.reject("id"):
                raise RestartError from error
            if error.kind == "missing id":
                error.message = self._source.why_missing("id")
            self._report(record, error, "id")
            return
        if name in self._row_of:
            if self._source.reject("id"):
                raise RestartError
            duplicate = BadValueError("duplicate id", f"an earlier document has the id {shown(name)} too")
            self._report(record, duplicate, "id")
            return
        if self._counter is None or (record.form == "text" and not self._knows_language):
            self.prepare([record])
        try:
            self._add_words(record)
        except BadValueError as error:
            self._left_out.add(name)
            self._report(record, error, record.form)
            return
        self._has_text |= record.form == "text"
        self._row_of[name] = len(self._row_of)
        fields = {
            "titles": self._value(record, "title", record.title, _parse_title, ""),
            "labels": self._value(record, "label", record.labels, self._parse_labels, ()),
            "times": self._value(record, "date", record.date, self._parse_time, NO_TIME),
            "splits": self._value(record, "split", record.split, _parse_split, ""),
            "excerpts": self._excerpt(record),
        }
        further = zip(self._source.metadata_fields, record.metadata, strict=True)
        metadata = [self._value(record, field, value, _parse_metadata, "") for field, value in further]
        self._documents.add_fields(name, fields, metadata)

    def _excerpt(self, record: Record) -> str:
        """Return the start of the text of a document; "" for counts and tokens."""
        if record.form != "text":
            return ""
        title = record.title.strip() if isinstance(record.title, str) else ""
        return make_excerpt(record.words, title, mail=self._options.urls == "drop")

    def _add_words(self, record: Record) -> None:
        """Add the words of a document."""
        assert self._counter is not None
        if self._ordered is not None and record.form == "text":
            words = self._counter.sequence(record)
            blank = all(not word or word in self._counter.analyzer.stop_words for word in words)
            if blank and not self._keep_empty:
                raise BadValueError(EMPTY, self._why_empty(record))
            self._ordered.add(words)
        else:
            self._add_counts(self._known_words(record, self._counter.count(record)))

    def _add_counts(self, counted: dict[str, Any]) -> None:
        self._documents.add_words(map(self._column_of.__getitem__, counted), counted.values())

    def _join_phrases(self, ordered: OrderedWords) -> None:
        """Find the phrases of all texts, and count words and phrases."""
        self._options = replace(self._options, phrases=ordered.find_phrases())
        analyzer = TextAnalyzer(self._options)
        for words in ordered:
            self._add_counts(Counter(analyzer.join(words)))

    def _report(self, record: Record, error: BadValueError, role: str, lost: str = "document") -> None:
        field = self._source.field_name(role)
        self._problems.report(error.kind, record.place, error.message, field=field, lost=lost)

    def _known_words(self, record: Record, counted: dict[str, Any]) -> dict[str, Any]:
        """Return the counts of the words that have a column or can get one."""
        if "" in counted:
            self._problems.note("blank word", record.place, count=int(counted.pop("")))
        if self._vocabulary is not None:
            unknown = [word for word in counted if word not in self._column_of]
            if unknown and record.form != "text":
                raise BadValueError(
                    "word outside the vocabulary", f"the word {shown(unknown[0])} is not in the vocabulary"
                )
            for word in unknown:
                # Text usually has words outside a fixed vocabulary: they are counted, but are not an error.
                place = f"{record.place}, word {shown(word)}"
                self._problems.note(OUTSIDE, place, count=int(counted.pop(word)))
        if not counted and not self._keep_empty:
            raise BadValueError(EMPTY, self._why_empty(record))
        return counted

    def _why_empty(self, record: Record) -> str:
        if record.words is None:
            return self._source.why_missing(record.form)
        return "all words of the document were removed" if record.words else "the document has no words"

    def _parse_labels(self, value: Any) -> tuple[str, ...]:
        return parse_labels(value, self._source.label_separators)

    def _parse_time(self, value: Any) -> np.datetime64:
        return parse_time(value, self._date_format)

    def _value(self, record: Record, role: str, value: Any, parse: Callable[[Any], Any], missing: Any) -> Any:
        if value is None:
            return missing
        try:
            return parse(value)
        except BadValueError as error:
            self._problems.keep_value(role, value)
            self._report(record, error, role, lost=role)
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
        if complaint := self._source.complaint():
            parameter = "text" if complaint.startswith((self._source.why_missing("text"), "no row has")) else None
            raise CorpusError(f"{self._source.name}: {complaint}", place=self._source.name, parameter=parameter)
        if len(self._row_of) == self._n_known:
            self._raise_no_documents()
        if self._ordered is not None:
            self._join_phrases(self._ordered)
        choice = self._choose_words()
        links = None
        if read_links is not None:
            links = link_matrix(read_links(self._row_of, self._problems), self._row_of, self._left_out, self._problems)
        more = {
            "skipped": self._problems.skipped(),
            "text_options": self.text_options,
            "fields": self._source.choices(),
        }
        corpus: Corpus = self._documents.make_corpus(choice, self._row_of, links, more)
        return corpus

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
        path = self._source.path
        if not skipped and path is not None and plain_name(path).endswith((".csv", ".tsv")):
            why = ": it has only a header row"
        raise CorpusError(f"{self._source.name} has no usable documents{why}", kind="no documents")

    def _choose_words(self) -> WordChoice:
        """Return the vocabulary in its final order, of the words that are kept.

        Words of a corpus that documents are appended to keep their columns; limits are about the new words.
        """
        words = np.array(list(self._column_of), dtype=object)
        totals, documents = self._documents.frequencies(len(words))
        n_known, fixed = self._n_known_words, self._vocabulary is not None
        new = range(n_known, len(words))
        order = np.array(
            new if fixed else sorted(new, key=lambda number: self._sort_key(str(words[number]))), dtype=np.int64
        )
        n_documents = len(self._row_of) - self._n_known
        found = WordFrequencies(words[order], totals[order], documents[order], n_documents)
        given = self._given
        min_df, max_df, even_words = found.resolve(given.min_df, given.max_df, given.even_words, self._has_text)
        self._options = replace(self._options, min_df=min_df, max_df=max_df, even_words=even_words)
        if fixed:  # columns that never occur are kept, unless the caller set limits
            min_df = 0 if given.min_df in ("auto", 1) else min_df
            max_df = 1.0 if given.max_df == "auto" else max_df
            even_words = "keep" if given.even_words == "auto" else even_words
        # Stop words are not counted. If the caller named them, their columns are removed too.
        unwanted = given.stop_words if fixed and isinstance(given.stop_words, frozenset) else frozenset()
        if order.size or not n_known:
            order = order[found.keep(unwanted, min_df, max_df, given.max_words, even_words)]
        order = np.concatenate([np.arange(n_known), order])
        column_of = np.full(len(words), -1, dtype=np.int32)
        column_of[order] = np.arange(order.size, dtype=np.int32)
        return WordChoice(frozen_texts(words[order]), column_of)

    def _sort_key(self, word: str) -> Any:
        return word if self._source.word_order is None else self._source.word_order(word)


def _parse_title(value: Any) -> str:
    return "" if is_missing(value) else parse_name(value, "bad title")


def _parse_split(value: Any) -> str:
    return "" if is_missing(value) else parse_name(value, "bad split")


def _fixed_vocabulary(source: Source, options: TextOptions) -> Sequence[str] | None:
    """Return the words of the columns, if they are fixed in advance."""
    of_vectorizer: Sequence[str] | None = getattr(options.tokenizer, "vocabulary", None)
    if of_vectorizer is not None and source.vocabulary is not None:
        raise CorpusError(
            f"{source.name} has a vocabulary of its own, and the CountVectorizer has another; leave one of them out",
            parameter="tokenizer",
        )
    return source.vocabulary if of_vectorizer is None else of_vectorizer


def _parse_metadata(value: Any) -> str:
    if isinstance(value, datetime.date):  # of a data frame
        return value.isoformat()
    return "" if is_missing(value) else parse_name(value, "bad metadata").strip()
