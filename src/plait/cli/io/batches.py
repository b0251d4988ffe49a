"""The documents that a model is applied to, read in batches."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plait._utils.wording import join_names
from plait.cli.io.reading import like_model, vocabulary_of, warn_of_other_words
from plait.cli.options.reading import SplitOptions, WordSource

if TYPE_CHECKING:
    from plait.corpus import Corpus, Skipped
    from plait.corpus.problems import Problems
    from plait.corpus.readers.field_guesses import FieldChoice
    from plait.corpus.readers.records import Record, Source

DOCUMENTS_AT_ONCE = 2048
_ALL = SplitOptions()


class Batches:
    """The documents at a path in the columns of a vocabulary, one corpus per batch.

    Only one batch is in memory, and eight bytes per id to find duplicate ids. Iterating may raise `RestartError` if
    better fields than those in use, or the first titles, are found: iterate again from the start.

    Parameters
    ----------
    path : Path
        The corpus.
    source : WordSource
        Fields of the words.
    model : TopicEstimator
        A fitted model with a vocabulary; texts become words as those of the model did.
    split : SplitOptions, optional
        Which documents are used.
    together : bool, default False
        Whether all documents are one batch.
    title : str, optional
        Field with the title; None to guess.

    Attributes
    ----------
    skipped : Skipped
        Tally of what was skipped so far.
    """

    def __init__(
        self,
        path: Path,
        source: WordSource,
        model: Any,
        split: SplitOptions = _ALL,
        *,
        together: bool = False,
        title: str | None = None,
    ) -> None:
        from plait.corpus import Skipped
        from plait.inputs.texts import text_options_of

        keywords = source.keywords()
        self._model = model
        self._words = vocabulary_of(model)
        self._source = _open_source(path, source, split, title)
        self._split = split.split
        self._splits: set[str] = set()
        self._options = text_options_of(like_model(model, source))
        self._on_error: str = keywords["on_error"]
        self._max_skipped: float = keywords["max_skipped"]
        self._fractional = source.fractional
        self._at_once = None if together else DOCUMENTS_AT_ONCE
        self._with_titles = False
        self.skipped: Skipped = Skipped()

    @property
    def fields(self) -> Sequence[FieldChoice]:
        """The fields that were taken, known after all documents were read."""
        return self._source.choices()

    def __iter__(self) -> Iterator[Corpus]:
        from plait.corpus import CorpusError
        from plait.corpus.problems import Problems
        from plait.corpus.readers.records import RestartError
        from plait.corpus.readers.remedies import check_share

        problems = Problems(self._on_error, self._max_skipped)
        outside = type(self.skipped)()
        ids = _SeenIds()
        found = 0
        records = self._records(problems)
        while batch_records := list(itertools.islice(records, self._at_once)):
            batch = self._chosen(self._corpus(batch_records, problems))
            if batch is None:
                continue
            if not found:
                warn_of_other_words(self._model, batch)
            new = ids.are_new(batch.ids)
            if not new.all() and self._source.reject("id"):
                raise RestartError
            for name in batch.ids[~new]:
                problems.report(
                    "duplicate id", self._source.name, f'an earlier document has the id "{name}" too', lost="document"
                )
            aligned = self._titled(batch.select(new).with_vocabulary(self._words), first=not found)
            outside += aligned.skipped
            self.skipped = problems.skipped() + outside
            found += len(aligned)
            yield aligned
        self.skipped = problems.skipped() + outside
        check_share(problems, self._source, values=False)  # titles and splits have no limit
        if not found and self._split is not None and self._splits:
            raise CorpusError(
                f'no document of {self._source.name} belongs to the split "{self._split}"; its splits are '
                f"{join_names(sorted(self._splits))}",
                parameter="name",
            )
        if not found:
            why = "; ".join(self.skipped.lines()) or "it is empty"
            raise CorpusError(f"{self._source.name} holds no usable documents: {why}", kind="no documents")

    def _records(self, problems: Problems) -> Iterator[Record]:
        """Yield the records; an error about the encoding names the likely one."""
        from plait.corpus import CorpusError
        from plait.corpus.readers.remedies import name_encoding

        try:
            yield from self._source.records(problems)
        except CorpusError as error:
            raise name_encoding(error, self._source) from error

    def _chosen(self, batch: Corpus | None) -> Corpus | None:
        """Return the documents of the split; None if there is none."""
        if batch is None or self._split is None:
            return batch
        names = np.full(len(batch), "", dtype=object) if batch.splits is None else batch.splits
        self._splits.update(name or "(none)" for name in names)
        return batch.select(names == self._split) if (names == self._split).any() else None

    def _titled(self, batch: Corpus, *, first: bool) -> Corpus:
        """Return a batch with titles if any batch has some: all batches have the same fields."""
        from plait.corpus.readers.records import RestartError

        if batch.titles is None:
            return batch._with(titles=[""] * len(batch)) if self._with_titles else batch
        if not self._with_titles:
            self._with_titles = True
            if not first:
                raise RestartError
        return batch

    def _corpus(self, records: list[Record], problems: Problems) -> Corpus | None:
        """Return the corpus of some records; None if none of them can be used."""
        from plait.corpus.readers.builder import CorpusBuilder

        builder = CorpusBuilder(self._source, self._options, problems, self._fractional, copied=True)
        for record in records:
            builder.add(replace(record, date=None, labels=None))  # not used, so what is wrong with them does not matter
        return builder.finish_if_any()


def _open_source(path: Path, source: WordSource, split: SplitOptions, title: str | None) -> Source:
    """Find the documents at a path without reading them."""
    from plait.corpus import CorpusError
    from plait.corpus.readers.discovery import find_documents
    from plait.corpus.readers.fields import FieldNames

    keywords = source.keywords()
    named = {name: keywords[name] for name in ("text", "tokens", "counts", "id", "sheet")}
    fields = FieldNames(**named, title=title, split=split.split_field)
    found = find_documents(path, fields, source.encoding)
    if not found.takes_fields and fields != FieldNames():
        raise CorpusError(
            f"{found.source.name} has no named fields; leave text=, id=, label= and the others out", parameter="text"
        )
    return found.source


class _SeenIds:
    """Sorted 64-bit hashes of the ids seen so far."""

    def __init__(self) -> None:
        self._hashes = np.empty(0, dtype=np.int64)

    def are_new(self, ids: np.ndarray) -> np.ndarray:
        """Return which of some distinct ids are new, and add them."""
        hashes = np.array([hash(name) for name in ids], dtype=np.int64)
        new = ~np.isin(hashes, self._hashes)
        self._hashes = np.union1d(self._hashes, hashes)
        return new
