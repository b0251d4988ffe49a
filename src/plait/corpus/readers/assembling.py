"""Reading a source into a corpus: again if better fields are found, with a limit on what is skipped."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from plait._utils.wording import counted
from plait.corpus.problems import WARNED, CorpusError, Problems
from plait.corpus.readers.builder import CorpusBuilder
from plait.corpus.readers.header_check import warn_of_missing_header
from plait.corpus.readers.links import LinkReader
from plait.corpus.readers.records import Record, RestartError, Source
from plait.corpus.readers.remedies import check_share, name_date_format, name_encoding
from plait.corpus.text.guessing import SAMPLE_TEXTS
from plait.corpus.text.options import TextOptions

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

_SAMPLE_CHARACTERS = 1 << 21


def assemble(
    source: Source,
    options: TextOptions,
    *,
    on_error: str = "raise",
    max_skipped: float = 1.0,
    fractional: bool = False,
    date_format: str | None = None,
    keep_empty: bool = False,
    copied: bool = False,
    read_links: LinkReader | None = None,
    collect: Callable[[], Any] | None = None,
    known: Any = None,
) -> Corpus:
    """Read all documents of a source and return their corpus.

    Parameters
    ----------
    source : Source
        Where the documents come from.
    options : TextOptions
        Tokenizer, stop words and frequency limits.
    on_error : {"raise", "warn", "skip"}, default "raise"
        Whether invalid input raises an error, or is skipped and counted; "warn" does that for documents without words
        and for self-links only, with a warning.
    max_skipped : float, default 1.0
        Largest share of the rows that may be skipped.
    fractional : bool, default False
        Whether counts may be fractions.
    date_format : str, optional
        Format of dates that are text; None for ISO dates and years.
    keep_empty : bool, default False
        Whether documents without words are kept.
    copied : bool, default False
        Whether the options are those of another corpus or model, so that tokens and counts need not use them.
    read_links : callable, optional
        Yields the links, given the ids of the documents.
    collect : callable, optional
        Returns what takes the documents, as `CollectedDocuments` does; called again when the source is read again.
    known : PreparedCorpus, optional
        The corpus that documents are appended to.

    Returns
    -------
    Corpus
        The corpus.
    """
    while True:
        problems = Problems(on_error, max_skipped)
        documents = None if collect is None else collect()
        builder = CorpusBuilder(
            source, options, problems, fractional, date_format, keep_empty, copied, documents, known
        )
        try:
            records = source.records(problems)
            sample, failure = _take_sample(records)
            builder.prepare(sample)
            for record in chain(sample, records):
                builder.add(record)
            if failure is not None:
                raise failure
        except RestartError:
            continue
        except CorpusError as error:
            raise name_date_format(name_encoding(error, source), problems, source) from error
        if not source.complaint():
            check_share(problems, source)
        corpus = builder.finish(read_links)
        check_share(problems, source, "links")
        warn_of_missing_header(source)
        if on_error == "warn":
            _warn_of_skipped(problems, source)
        return corpus


def _warn_of_skipped(problems: Problems, source: Source) -> None:
    """Warn of documents that were skipped because they have no words, and of skipped self-links."""
    for kind in problems.skipped():
        if kind.name in WARNED:
            noun, _, rest = WARNED[kind.name].partition(" ")
            warnings.warn(
                f"{source.name}: skipped {counted(kind.count, noun)} {rest} ({'; '.join(kind.examples)}"
                f'{", …" if kind.count > len(kind.examples) else ""}); on_error="skip" skips them without a warning',
                stacklevel=4,
            )


def _take_sample(records: Iterator[Record]) -> tuple[list[Record], CorpusError | None]:
    """Return the first records, to guess the language, and the error that ended them early, if any."""
    sample: list[Record] = []
    characters = 0
    try:
        for record in records:
            sample.append(record)
            characters += len(record.words) if isinstance(record.words, str) else 0
            if len(sample) >= SAMPLE_TEXTS or characters > _SAMPLE_CHARACTERS or record.form != "text":
                break
    except CorpusError as error:  # of a later record: those before it come first
        return sample, error
    return sample, None
