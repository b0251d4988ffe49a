"""Constructors of a corpus from data in memory: texts, a matrix of counts, a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from plait.corpus.container.frozen import frozen_texts
from plait.corpus.problems import MAX_SKIPPED, BadValueError, CorpusError, Problems
from plait.corpus.readers.assembling import assemble
from plait.corpus.readers.fields import FieldNames, RowSource
from plait.corpus.readers.links import given_links, link_matrix
from plait.corpus.readers.records import Record, Source
from plait.corpus.text.choosing import choose_options
from plait.corpus.text.options import TextOptions
from plait.corpus.values import is_missing, parse_id, parse_labels, parse_name, parse_time, shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

# The argument that holds each role, for error messages.
_ARGUMENTS = {
    "id": "ids",
    "title": "titles",
    "label": "labels",
    "date": "times",
    "split": "splits",
    "text": "texts",
}


class _Texts(Source):
    """Texts in memory, with lists of ids, titles, labels, times, splits and metadata."""

    name = "texts"

    def __init__(self, texts: Iterable[str], known: dict[str, Any], metadata: Mapping[str, Iterable[Any]]) -> None:
        if isinstance(texts, str):
            raise CorpusError(f"texts is {shown(texts)}; give a list of texts, one per document")
        self._texts = texts
        self._known = {name: list(values) for name, values in known.items() if values is not None}
        self._metadata = {f"metadata[{shown(name)}]": list(values) for name, values in metadata.items()}
        self.metadata_fields = tuple(metadata)

    def records(self, problems: Problems) -> Iterator[Record]:
        number = 0
        for number, text in enumerate(self._texts, start=1):
            values = {name: self._at(values, name, number) for name, values in self._known.items()}
            yield Record(
                place=f"texts, item {number}",
                id=values.get("ids", number),
                words=None if is_missing(text) else text,
                form="text",
                title=values.get("titles"),
                labels=values.get("labels"),
                date=values.get("times"),
                split=values.get("splits"),
                metadata=[self._at(given, name, number) for name, given in self._metadata.items()],
            )
        for name, given in (self._known | self._metadata).items():
            if len(given) != number:
                raise CorpusError(f"{name} has {len(given):,} entries but there are {number:,} texts", field=name)

    def _at(self, values: list[Any], name: str, number: int) -> Any:
        if number > len(values):
            raise CorpusError(f"{name} has {len(values):,} entries but there are more texts", field=name)
        return values[number - 1]

    def field_name(self, role: str) -> str:
        return _ARGUMENTS.get(role, role)


def _check_metadata(metadata: Any) -> dict[str, Any]:
    """Return metadata by field; raise an error unless it maps names to values."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or any(isinstance(values, str) for values in metadata.values()):
        raise CorpusError(
            f'metadata is {shown(metadata)}; give a mapping from field to values, such as {{"party": ["a", "b"]}}',
            parameter="metadata",
        )
    return dict(metadata)


def _text_or_blank(value: Any) -> str:
    return "" if value is None else parse_name(value, "not text")


def _parsed(name: str, values: Iterable[Any], parse: Any) -> list[Any]:
    parsed = []
    for position, value in enumerate(values):
        try:
            parsed.append(parse(value))
        except BadValueError as error:
            place = f"{name}[{position}]"
            raise CorpusError(f"{place}: {error.message}", kind=error.kind, place=place, field=name) from error
    return parsed


class Constructors:
    """Constructors from data in memory; `Corpus` inherits them."""

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        *,
        ids: Iterable[Any] | None = None,
        titles: Iterable[Any] | None = None,
        labels: Iterable[Any] | None = None,
        links: Any = None,
        times: Iterable[Any] | None = None,
        splits: Iterable[Any] | None = None,
        metadata: Mapping[str, Iterable[Any]] | None = None,
        keep_empty: bool = False,
        on_error: str = "raise",
        text_options: TextOptions | None = None,
        like: Any = None,
        **text_settings: Any,
    ) -> Corpus:
        """Return a corpus of texts.

        Parameters
        ----------
        texts : iterable of str
            The documents. A generator is read one text at a time.
        ids, titles, labels, times, splits : iterable, optional
            One entry per document. The default ids are "1", "2", …; an entry of `labels` is one label, several, or
            None; an entry of `times` is an ISO date, a year, a date object, or None.
        metadata : mapping of str to iterable, optional
            Further fields by name, one text or number per document.
        links : path, networkx graph, sparse matrix, Links or iterable of tuples, optional
            Links between the documents; tuples are ``(source id, target id[, weight])``.
        keep_empty : bool, default False
            Whether documents without words (and missing texts) are kept as empty rows. Otherwise they are errors, or
            skipped.
        on_error : {"raise", "skip"}, default "raise"
            Whether invalid input raises an error, or is skipped and counted in ``skipped``.
        text_options : TextOptions, optional
            How text becomes words, in place of `text_settings`.
        like : Corpus or fitted model, optional
            Read text exactly as that corpus or the documents of that model were read. Limits are not repeated.
        **text_settings : object
            Options of `plait.TextOptions`, such as `language`, `stop_words`, `phrases` and `min_df`.

        Returns
        -------
        Corpus
            The corpus.

        Examples
        --------
        >>> from plait.corpus import Corpus
        >>> corpus = Corpus.from_texts(["The red fox", "the blue sea"], ids=["a", "b"], links=[("a", "b")])
        >>> corpus.vocabulary.tolist(), corpus.n_links
        (['blue', 'fox', 'red', 'sea'], 1)
        """
        known = {"ids": ids, "titles": titles, "labels": labels, "times": times, "splits": splits}
        return assemble(
            _Texts(texts, known, _check_metadata(metadata)),
            choose_options(text_settings, text_options, like),
            on_error=on_error,
            keep_empty=keep_empty,
            read_links=given_links(links),
        )

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        *,
        vocabulary: Iterable[str] | None = None,
        ids: Iterable[Any] | None = None,
        titles: Iterable[Any] | None = None,
        labels: Iterable[Any] | None = None,
        links: Any = None,
        times: Iterable[Any] | None = None,
        splits: Iterable[Any] | None = None,
        metadata: Mapping[str, Iterable[Any]] | None = None,
        fractional: bool = False,
    ) -> Corpus:
        """Return a corpus of a matrix of counts.

        Parameters
        ----------
        matrix : array or sparse matrix of shape (documents, words)
            Count of each word in each document.
        vocabulary : iterable of str, optional
            The words of the columns; the default is ``w0``, ``w1``, ….
        ids, titles, labels, times, splits : iterable, optional
            As in `from_texts`.
        metadata : mapping of str to iterable, optional
            As in `from_texts`.
        links : path, networkx graph, sparse matrix, Links or iterable of tuples, optional
            As in `from_texts`.
        fractional : bool, default False
            Whether counts may be fractions.

        Returns
        -------
        Corpus
            The corpus.

        Examples
        --------
        >>> from plait.corpus import Corpus
        >>> Corpus.from_matrix([[1, 0], [2, 3]], vocabulary=["red", "blue"], labels=["warm", "cold"])
        Corpus(2 documents, 2 words, 6 tokens, 2 labels)
        """
        counts = matrix if issparse(matrix) else np.asarray(matrix)
        if len(counts.shape) != 2:
            raise CorpusError(f"the matrix has {len(counts.shape)} dimensions; give documents × words", field="counts")
        n_documents, n_words = counts.shape
        names = [str(number) for number in range(1, n_documents + 1)] if ids is None else _parsed("ids", ids, parse_id)
        row_of = {name: row for row, name in enumerate(names)}
        read_links = given_links(links)
        if read_links is not None and len(row_of) == len(names):  # Corpus() rejects duplicate ids
            problems = Problems("raise")
            links = link_matrix(read_links(row_of, problems), row_of, (), problems)
        from plait.corpus.container.corpus import Corpus

        return Corpus(
            counts=counts,
            vocabulary=frozen_texts([f"w{column}" for column in range(n_words)] if vocabulary is None else vocabulary),
            ids=frozen_texts(names),
            titles=None if titles is None else frozen_texts(_parsed("titles", titles, _text_or_blank)),
            labels=None if labels is None else tuple(_parsed("labels", labels, parse_labels)),
            links=links,
            times=None if times is None else np.array(_parsed("times", times, parse_time), dtype="datetime64[s]"),
            splits=None if splits is None else frozen_texts(_parsed("splits", splits, _text_or_blank)),
            fractional=fractional,
            metadata={
                name: frozen_texts(_parsed(f"metadata[{shown(name)}]", values, _text_or_blank))
                for name, values in _check_metadata(metadata).items()
            },
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        text: str | Sequence[str] | None = None,
        tokens: str | None = None,
        counts: str | None = None,
        id: str | None = None,
        title: str | None = None,
        label: str | None = None,
        date: str | None = None,
        split: str | None = None,
        date_format: str | None = None,
        metadata: Sequence[str] = (),
        links: Any = None,
        fractional: bool = False,
        keep_empty: bool = False,
        on_error: str = "raise",
        max_skipped: float = MAX_SKIPPED,
        text_options: TextOptions | None = None,
        like: Any = None,
        **text_settings: Any,
    ) -> Corpus:
        """Return a corpus of a data frame.

        Parameters
        ----------
        frame : Polars, pandas or Arrow data frame
            One row per document; a named index of a pandas frame is a column, too. Other frames with the data frame
            interchange protocol need pyarrow.
        text : str or sequence of str, optional
            Column or columns with the text, as in `plait.read_corpus`.
        tokens, counts, id, title, label, date, split : str, optional
            Names of other columns, as in `plait.read_corpus`. Names that are not given are guessed.
        date_format : str, optional
            Format of dates that are text, as in `plait.read_corpus`.
        metadata : sequence of str, default ()
            Names of further columns to keep in ``corpus.metadata``.
        links : path, networkx graph, sparse matrix, Links or iterable of tuples, optional
            As in `from_texts`.
        fractional : bool, default False
            Whether counts may be fractions.
        keep_empty : bool, default False
            Whether documents without words are kept as empty rows, as in `from_texts`.
        on_error : {"raise", "skip"}, default "raise"
            Whether invalid input raises an error, or is skipped and counted in ``skipped``.
        max_skipped : float, default 0.05
            Largest share of the rows that may be skipped, as in `plait.read_corpus`.
        text_options : TextOptions, optional
            How text becomes words, in place of `text_settings`.
        like : Corpus or fitted model, optional
            Read text exactly as that corpus or the documents of that model were read. Limits are not repeated.
        **text_settings : object
            Options of `plait.TextOptions`, such as `language`, `stop_words`, `phrases` and `min_df`.

        Returns
        -------
        Corpus
            The corpus.

        Examples
        --------
        >>> import polars
        >>> from plait.corpus import Corpus
        >>> frame = polars.DataFrame({"abstract": ["red fox", "blue sea"], "year": [1990, 1991]})
        >>> corpus = Corpus.from_frame(frame)
        >>> corpus, str(corpus.times[0])
        (Corpus(2 documents, 4 words, 4 tokens), '1990-01-01T00:00:00')
        """
        from plait.corpus.readers.formats.frame import rows_of_frame

        fields = FieldNames(
            text=text,
            tokens=tokens,
            counts=counts,
            id=id,
            title=title,
            label=label,
            date=date,
            split=split,
            metadata=metadata,
        )
        source = RowSource("the data frame", rows_of_frame(frame, "the data frame"), fields)
        return assemble(
            source,
            choose_options(text_settings, text_options, like),
            on_error=on_error,
            max_skipped=max_skipped,
            fractional=fractional,
            date_format=date_format,
            keep_empty=keep_empty,
            copied=like is not None,
            read_links=given_links(links),
        )
