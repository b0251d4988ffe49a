"""Corpora made from what is already in memory: texts, a count matrix, a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from plait.corpus.container.frozen import frozen_texts
from plait.corpus.problems import BadValueError, CorpusError, Problems
from plait.corpus.readers.builder import assemble
from plait.corpus.readers.fields import FieldNames, RowSource
from plait.corpus.readers.links import given_links, link_matrix
from plait.corpus.readers.records import Record, Source
from plait.corpus.text.analyzers import text_options
from plait.corpus.values import parse_id, parse_labels, parse_name, parse_time, shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

# What the arguments are called, for messages about the role they play.
_ARGUMENTS = {
    "id": "ids",
    "title": "titles",
    "label": "labels",
    "date": "times",
    "split": "splits",
    "text": "texts",
}


class _Texts(Source):
    """Texts in memory, with lists of whatever else is known about them."""

    name = "texts"

    def __init__(self, texts: Iterable[str], known: dict[str, Any]) -> None:
        if isinstance(texts, str):
            raise CorpusError(f"texts is {shown(texts)}; give a list of texts, one a document")
        self._texts = texts
        self._known = {name: list(values) for name, values in known.items() if values is not None}

    def records(self, problems: Problems) -> Iterator[Record]:
        number = 0
        for number, text in enumerate(self._texts, start=1):
            values = {name: self._at(values, name, number) for name, values in self._known.items()}
            yield Record(
                place=f"texts, item {number}",
                id=values.get("ids", number),
                words=text,
                form="text",
                title=values.get("titles"),
                labels=values.get("labels"),
                date=values.get("times"),
                split=values.get("splits"),
            )
        for name, given in self._known.items():
            if len(given) != number:
                raise CorpusError(f"{name} has {len(given):,} entries but there are {number:,} texts", field=name)

    def _at(self, values: list[Any], name: str, number: int) -> Any:
        if number > len(values):
            raise CorpusError(f"{name} has {len(values):,} entries but there are more texts", field=name)
        return values[number - 1]

    def field_name(self, role: str) -> str:
        return _ARGUMENTS.get(role, role)


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
    """The ways to make a corpus from what is in memory; `Corpus` inherits them."""

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
        on_error: str = "raise",
        **text_settings: Any,
    ) -> Corpus:
        """A corpus of texts.

        Parameters
        ----------
        texts : iterable of str
            The documents; a generator is read one text at a time.
        ids, titles, labels, times, splits : iterables, optional
            One entry a document. Ids are "1", "2", … by default; labels are one name or several, None for
            none; times are ISO dates, years or date objects, None for none.
        links : optional
            A file, a networkx graph, a sparse matrix, or ``(source id, target id[, weight])`` tuples.
        on_error : {"raise", "skip"}
            Whether something wrong is an error, or left out and counted in ``skipped``.
        **text_settings
            `stop_words`, `min_df`, `max_df`, `max_words`, `tokenizer`, `lowercase` as in `plait.read_corpus`.

        Examples
        --------
        >>> from plait.corpus import Corpus
        >>> corpus = Corpus.from_texts(["The red fox", "the blue sea"], ids=["a", "b"], links=[("a", "b")])
        >>> corpus.vocabulary.tolist(), corpus.n_links
        (['blue', 'fox', 'red', 'sea'], 1)
        """
        known = {"ids": ids, "titles": titles, "labels": labels, "times": times, "splits": splits}
        return assemble(
            _Texts(texts, known),
            text_options(text_settings),
            on_error=on_error,
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
        fractional: bool = False,
    ) -> Corpus:
        """A corpus of a matrix of counts, documents × words.

        Parameters
        ----------
        matrix : array or sparse matrix of shape (documents, words)
            How often each word is in each document.
        vocabulary : iterable of str, optional
            The words of the columns; ``w0``, ``w1``, … by default.
        ids, titles, labels, links, times, splits : optional
            As in `from_texts`.
        fractional : bool
            Whether counts may be fractions.

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
        if read_links is not None and len(row_of) == len(names):  # the constructor complains about repeated ids
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
        links: Any = None,
        fractional: bool = False,
        on_error: str = "raise",
        **text_settings: Any,
    ) -> Corpus:
        """A corpus of a data frame: Polars, pandas, Arrow, or what speaks the interchange protocol.

        Parameters
        ----------
        frame : data frame
            A row a document.
        text, tokens, counts, id, title, label, date, split : str, optional
            Names of the columns, guessed where they are not given; see `plait.read_corpus`.
        links, fractional, on_error, **text_settings
            As in `plait.read_corpus`.

        Examples
        --------
        >>> import polars
        >>> from plait.corpus import Corpus
        >>> frame = polars.DataFrame({"abstract": ["red fox", "blue sea"], "year": [1990, 1991]})
        >>> corpus = Corpus.from_frame(frame)
        >>> corpus, str(corpus.times[0])
        (Corpus(2 documents, 4 words, 4 tokens), '1990-01-01T00:00:00')
        """
        from plait.corpus.readers.formats.frame import frame_rows, polars_frame

        table = polars_frame(frame)
        fields = FieldNames(
            text=text, tokens=tokens, counts=counts, id=id, title=title, label=label, date=date, split=split
        )
        source = RowSource("the data frame", lambda _: frame_rows(table, "the data frame"), fields)
        return assemble(
            source,
            text_options(text_settings),
            on_error=on_error,
            fractional=fractional,
            read_links=given_links(links),
        )
