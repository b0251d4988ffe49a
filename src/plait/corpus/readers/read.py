"""`read_corpus`: a corpus from a file or folder in any known format."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.corpus.prepared.manifest import is_prepared
from plait.corpus.problems import MAX_SKIPPED, CorpusError
from plait.corpus.readers.assembling import assemble
from plait.corpus.readers.discovery import find_documents
from plait.corpus.readers.fields import FieldNames
from plait.corpus.readers.links import given_links
from plait.corpus.text.choosing import choose_options
from plait.corpus.text.options import AUTO, TextOptions

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
    ``.bz2``, ``.xz`` or ``.zst``. Links to folders are not followed. A prepared corpus, which `plait.prepare_corpus` or
    `Corpus.write` wrote, is opened without being read.

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
        as texts of stop words alone, and links from a document to itself, with one warning each.
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
    given = {name: value for name, value in locals().items() if name != "text_settings"}
    return read_documents(given | {"text_settings": text_settings})


def reading_arguments(path: str | Path, reading: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments of `read_corpus`, with defaults for those that are not given.

    Parameters
    ----------
    path : str or Path
        File or folder to read.
    reading : dict of str to object
        Arguments by name.

    Returns
    -------
    dict of str to object
        Arguments for `read_documents`.
    """
    bound = inspect.signature(read_corpus).bind(path, **reading)
    bound.apply_defaults()
    return dict(bound.arguments)


def read_documents(given: dict[str, Any], collect: Callable[[Any], Any] | None = None, known: Any = None) -> Any:
    """Read documents with the arguments of `read_corpus`.

    Parameters
    ----------
    given : dict of str to object
        Arguments by name; options of text under "text_settings".
    collect : callable, optional
        Returns what takes the documents, given the names of further fields; None for memory.
    known : PreparedCorpus, optional
        The corpus that documents are appended to.

    Returns
    -------
    Corpus
        The documents, or what `collect` makes of them.
    """
    path, encoding, like = Path(given["path"]), given["encoding"], given["like"]
    fields = FieldNames(**{one.name: given[one.name] for one in dataclasses.fields(FieldNames)})
    options = choose_options(given["text_settings"], given["text_options"], like)
    if path.is_dir() and is_prepared(path):
        return _open_prepared(path, fields, options, given, collect is not None)
    found = find_documents(path, fields, encoding)
    if not found.takes_fields and fields != FieldNames():
        raise CorpusError(
            f"{found.source.name} has no named fields; leave text=, id=, label= and the others out", parameter="text"
        )
    return assemble(
        found.source,
        options,
        **{name: given[name] for name in ("on_error", "max_skipped", "fractional", "date_format")},
        copied=like is not None,
        read_links=given_links(given["links"], encoding) or found.links,
        collect=None if collect is None else lambda: collect(found.source.metadata_fields),
        known=known,
    )


def _open_prepared(path: Path, fields: FieldNames, options: TextOptions, given: dict[str, Any], again: bool) -> Corpus:
    """Return a prepared corpus; arguments that say how documents are read are errors, because they were read."""
    from plait.corpus.prepared.corpus import PreparedCorpus

    if again:
        raise CorpusError(f"{path} is a prepared corpus already; give the files that it was made from")
    changed = [one.name for one in dataclasses.fields(FieldNames) if getattr(fields, one.name) not in (None, ())]
    changed += [name for name in ("date_format", "links") if given[name] is not None]
    changed += ["fractional"] if given["fractional"] else []
    changed += list(TextOptions().differences(options)) if given["like"] is None else []
    if given["like"] is None and (options.min_df, options.max_df, options.max_words) != (AUTO, AUTO, None):
        changed.append("min_df, max_df or max_words")
    if changed:
        raise CorpusError(
            f"{path} is a prepared corpus: its documents were read when it was prepared; leave {changed[0]} out, or "
            "prepare the corpus again with it",
            parameter=changed[0].partition(",")[0],
        )
    return PreparedCorpus(path)
