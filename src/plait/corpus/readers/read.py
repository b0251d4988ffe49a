"""`read_corpus`: a corpus from a file or folder in any known format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.corpus.problems import MAX_SKIPPED, CorpusError
from plait.corpus.readers.assembling import assemble
from plait.corpus.readers.discovery import find_documents
from plait.corpus.readers.fields import FieldNames
from plait.corpus.readers.links import given_links
from plait.corpus.text.choosing import choose_options
from plait.corpus.text.options import TextOptions

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


def read_corpus(
    path: str | Path,
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
    sheet: str | None = None,
    metadata: Sequence[str] = (),
    links: Any = None,
    fractional: bool = False,
    on_error: str = "warn",
    max_skipped: float = MAX_SKIPPED,
    encoding: str = "utf-8",
    text_options: TextOptions | None = None,
    like: Any = None,
    **text_settings: Any,
) -> Corpus:
    r"""Read a corpus from a file or folder, one document at a time.

    The name determines the format: a corpus folder (``documents.*``, and ``links.*`` if documents are linked; a
    ``vocabulary.txt`` fixes the columns), JSON lines, CSV, TSV, Parquet, ``.xlsx`` and ``.ods``
    workbooks, a folder of ``.txt`` files (sub-folders are labels), UCI bag of words, LINQS, SVMlight; plain, ``.gz``,
    ``.bz2``, ``.xz`` or ``.zst``. Links to folders are not followed.

    Parameters
    ----------
    path : str or Path
        File or folder to read.
    text : str or sequence of str, optional
        Field with text; several fields are joined. By default, the first of counts, tokens and text that any
        document has is used.
    tokens : str, optional
        Field with a list of words.
    counts : str, optional
        Field with a mapping ``{word: count}``.
    id, title, label, date, split : str, optional
        Names of other fields; names that are not given are guessed. Documents without an id field are numbered from
        1. Dates are ISO dates or years.
    date_format : str, optional
        Format of dates that are text, such as ``"%d.%m.%Y"`` for 31.05.2024 (`datetime.datetime.strptime`). None for
        ISO dates and years.
    sheet : str, optional
        Sheet of a workbook; None for the first.
    metadata : sequence of str, default ()
        Names of further fields to keep in ``corpus.metadata``, such as ``["party"]``: texts or numbers.
    links : path, networkx graph, sparse matrix, Links or iterable of tuples, optional
        Links that replace those that come with the documents; tuples are ``(source id, target id[, weight])``.
    fractional : bool, default False
        Whether counts may be fractions.
    on_error : {"warn", "raise", "skip"}, default "warn"
        "skip" skips invalid input (the document, the link or the date) and counts it in ``corpus.skipped``. "raise"
        raises an error that names file, line and field. "warn" does so, too, but skips documents without a word, such
        as texts of stop words alone, with one warning.
    max_skipped : float, default 0.05
        Largest share of the rows (or of their dates, labels …) that may be skipped. More is an error that names the
        likely remedy, such as an encoding. 1.0 accepts any share. Links to unknown documents have no limit.
    encoding : str, default "utf-8"
        Encoding of text files.
    text_options : TextOptions, optional
        How text becomes words, in place of `text_settings`.
    like : Corpus or fitted model, optional
        Read text exactly as that corpus or the documents of that model were read. Limits are not repeated.
    **text_settings : object
        Options of `plait.TextOptions`: `language`, `tokenizer`, `lowercase`, `accents`, `numbers`, `urls`, `html`,
        `min_length`, `stop_words`, `normalize`, `phrases`, `min_df`, `max_df`, `max_words`,
        `even_words`.

    Returns
    -------
    Corpus
        The documents.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "papers.csv")
    >>> _ = path.write_text("id,text,year\na,red fox,1990\nb,blue sea,1991\n")
    >>> read_corpus(path)
    Corpus(2 documents, 4 words, 4 tokens)
    >>> folder.cleanup()
    """
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
        sheet=sheet,
    )
    options = choose_options(text_settings, text_options, like)
    found = find_documents(Path(path), fields, encoding)
    if not found.takes_fields and fields != FieldNames():
        raise CorpusError(
            f"{found.source.name} has no named fields; leave text=, id=, label= and the others out", parameter="text"
        )
    return assemble(
        found.source,
        options,
        on_error=on_error,
        max_skipped=max_skipped,
        fractional=fractional,
        date_format=date_format,
        copied=like is not None,
        read_links=given_links(links, encoding) or found.links,
    )
