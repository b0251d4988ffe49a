"""`read_corpus`: any format that plait knows, found by the name of the file or folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from plait.corpus.builder import assemble
from plait.corpus.fields import FieldNames, Row, RowSource
from plait.corpus.links import LinkReader, given_links
from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.frame import parquet_rows
from plait.corpus.readers.jsonl import jsonl_rows
from plait.corpus.readers.links import LINK_SUFFIXES, read_links
from plait.corpus.readers.linqs import LinqsSource, linqs_files
from plait.corpus.readers.streams import plain_name
from plait.corpus.readers.svmlight import SvmlightSource
from plait.corpus.readers.table import table_rows
from plait.corpus.readers.txt_folder import TextFolder, text_files
from plait.corpus.readers.uci import UciSource, is_docword
from plait.corpus.readers.word_list import read_word_list
from plait.corpus.records import Source
from plait.corpus.text.analyzers import AUTO, TextOptions

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

FORMATS = (
    "a folder with documents.jsonl, .csv, .tsv or .parquet (and links.*), .jsonl/.ndjson, .csv/.tsv and "
    ".parquet files, a folder of .txt files, UCI docword.*.txt, LINQS .content/.cites, SVMlight "
    ".svm/.svmlight/.libsvm; each plain, .gz or .zst"
)
_ROW_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
_SVMLIGHT_SUFFIXES = (".svm", ".svmlight", ".libsvm")


class FoundDocuments(NamedTuple):
    """The documents at a path, and how to read the links that came with them."""

    source: Source
    links: LinkReader | None
    takes_fields: bool  # whether the format has named fields


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
    links: Any = None,
    stop_words: Any = AUTO,
    min_df: int | float = 1,
    max_df: int | float = 1.0,
    max_words: int | None = None,
    tokenizer: Any = None,
    lowercase: bool = True,
    fractional: bool = False,
    on_error: str = "raise",
    encoding: str = "utf-8",
) -> Corpus:
    r"""Read a corpus from a file or folder, one document at a time.

    The format is told by the name: a corpus folder (``documents.*`` and, where documents are linked,
    ``links.*``; a ``vocabulary.txt`` there fixes the columns), JSON lines, CSV, TSV, Parquet, a folder of
    ``.txt`` files (sub-folders are labels), UCI bag of words, LINQS, SVMlight; plain, ``.gz`` or ``.zst``.

    Parameters
    ----------
    path : str or path
        What to read.
    text, tokens, counts : str, optional
        The field with the words, as text (also several fields, joined), as a list of words or as
        ``{word: count}``. By default the first of counts, tokens and text that any document has.
    id, title, label, date, split : str, optional
        Names of further fields, guessed where they are not given. Documents are numbered from 1 where
        nothing looks like an id. Dates are ISO dates or years. What no document has is None in the corpus.
    links : optional
        A file of links, a networkx graph, a sparse matrix, or ``(source id, target id[, weight])`` tuples,
        in place of those that come with the documents.
    stop_words : str, path, collection of str or None
        ``"auto"`` (English for text, none for tokens and counts), ``"english"``, a list, a file, or None.
    min_df, max_df : int or float
        A word stays when it is in at least / at most so many documents (int) or that share of them (float).
    max_words : int, optional
        Keep only so many words, the most frequent ones.
    tokenizer : callable or scikit-learn vectoriser, optional
        Turns a text into words. A vectoriser brings its own lower-casing and stop words.
    lowercase : bool
        Whether text is put in lower case first.
    fractional : bool
        Whether counts may be fractions.
    on_error : {"raise", "skip"}
        Whether something wrong is an error that names file, line and field; or left out (the document, the
        link, the date) and counted in ``corpus.skipped``.
    encoding : str
        The encoding of text files.

    Returns
    -------
    Corpus
        The documents, aligned and immutable.

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
        text=text, tokens=tokens, counts=counts, id=id, title=title, label=label, date=date, split=split
    )
    options = TextOptions(stop_words, min_df, max_df, max_words, tokenizer, lowercase)
    found = find_documents(Path(path), fields, encoding)
    if not found.takes_fields and fields != FieldNames():
        raise CorpusError(
            f"{found.source.name} has no named fields; leave text=, id=, label= and the others out", parameter="text"
        )
    return assemble(
        found.source,
        options,
        on_error=on_error,
        fractional=fractional,
        read_links=given_links(links, encoding) or found.links,
    )


def find_documents(path: Path, fields: FieldNames, encoding: str) -> FoundDocuments:
    """Say which reader a path needs, by its name, and set it up; the documents are not read yet.

    Parameters
    ----------
    path
        A file or folder in one of the `FORMATS`.
    fields
        Names of the fields of the documents, for formats that have named fields.
    encoding
        The encoding of text files.
    """
    if path.is_dir():
        return _find_in_folder(path, fields, encoding)
    if not path.exists():
        raise CorpusError(f"{path} does not exist; plait reads {FORMATS}", place=str(path))
    return _find_file(path, fields, encoding)


def _find_file(path: Path, fields: FieldNames, encoding: str) -> FoundDocuments:
    name = plain_name(path)
    if name.endswith(_ROW_SUFFIXES):
        return FoundDocuments(_row_source(path, fields, encoding), None, True)
    if is_docword(path):
        return FoundDocuments(UciSource(path, encoding), None, False)
    if name.endswith((".content", ".cites")):
        content, cites = linqs_files(path)
        links = None if cites is None else partial(read_links, cites, encoding)
        return FoundDocuments(LinqsSource(content, encoding), links, False)
    if name.endswith(_SVMLIGHT_SUFFIXES):
        return FoundDocuments(SvmlightSource(path, encoding), None, False)
    raise CorpusError(f"the format of {path.name} is not known from its name; plait reads {FORMATS}", place=path.name)


def _row_source(path: Path, fields: FieldNames, encoding: str, vocabulary: Sequence[str] | None = None) -> RowSource:
    rows = _row_reader(path, encoding)
    cells = plain_name(path).endswith((".csv", ".tsv"))
    return RowSource(path.name, rows, fields, cells=cells, vocabulary=vocabulary)


def _row_reader(path: Path, encoding: str) -> Callable[[Problems], Iterator[Row]]:
    name = plain_name(path)
    if name.endswith((".csv", ".tsv")):
        return partial(table_rows, path, encoding)
    if name.endswith((".jsonl", ".ndjson")):
        return partial(jsonl_rows, path, encoding)
    return lambda _: parquet_rows(path)


def _find_in_folder(folder: Path, fields: FieldNames, encoding: str) -> FoundDocuments:
    documents = _only_file(folder, "documents", _ROW_SUFFIXES)
    if documents is not None:
        return _corpus_folder(folder, documents, fields, encoding)
    files = sorted(path for path in folder.iterdir() if path.is_file())
    for fits in (is_docword, lambda path: plain_name(path).endswith(".content")):
        matching = [path for path in files if fits(path)]
        if len(matching) > 1:
            raise CorpusError(f"{folder} holds {matching[0].name} and {matching[1].name}; give the path of one")
        if matching:
            return _find_file(matching[0], fields, encoding)
    if text_files(folder):
        return FoundDocuments(TextFolder(folder, encoding), None, False)
    names = ", ".join(path.name for path in files[:5]) or "nothing"
    raise CorpusError(f"the folder {folder} holds no documents (it holds {names}); plait reads {FORMATS}")


def _corpus_folder(folder: Path, documents: Path, fields: FieldNames, encoding: str) -> FoundDocuments:
    words = folder / "vocabulary.txt"
    vocabulary = read_word_list(words, encoding) if words.is_file() else None
    links_file = _only_file(folder, "links", LINK_SUFFIXES)
    links = None if links_file is None else partial(read_links, links_file, encoding)
    return FoundDocuments(_row_source(documents, fields, encoding, vocabulary), links, True)


def _only_file(folder: Path, stem: str, suffixes: Sequence[str]) -> Path | None:
    """The file with this stem in a folder, in whatever format; an error when there are several."""
    names = {stem + suffix for suffix in suffixes}
    found = [path for path in sorted(folder.iterdir()) if path.is_file() and plain_name(path) in names]
    if len(found) > 1:
        raise CorpusError(f"{folder} holds {found[0].name} and {found[1].name}; keep one, or give its path")
    return found[0] if found else None
