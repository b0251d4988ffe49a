"""Which reader a file or folder needs, found by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from plait.corpus.prepared.manifest import is_prepared
from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.fields import FieldNames, Row, RowSource
from plait.corpus.readers.formats.frame import parquet_rows
from plait.corpus.readers.formats.jsonl import jsonl_rows
from plait.corpus.readers.formats.link_files import LINK_SUFFIXES, read_links
from plait.corpus.readers.formats.linqs import LinqsSource, linqs_files
from plait.corpus.readers.formats.svmlight import SvmlightSource
from plait.corpus.readers.formats.table import table_rows
from plait.corpus.readers.formats.txt_folder import TextFolder, has_text_files
from plait.corpus.readers.formats.uci import UciSource, is_docword
from plait.corpus.readers.formats.word_list import read_word_list
from plait.corpus.readers.formats.workbook import WORKBOOK_SUFFIXES, choose_sheet, workbook_rows
from plait.corpus.readers.links import LinkReader
from plait.corpus.readers.records import Source
from plait.corpus.readers.streams import COMPRESSED, plain_name
from plait.corpus.values import join_short

FORMATS = (
    "a folder with documents.jsonl, .csv, .tsv, .parquet, .xlsx or .ods (and links.*), .jsonl/.ndjson, .csv/.tsv and "
    ".parquet files, .xlsx and .ods workbooks, a folder of .txt files, UCI docword.*.txt, LINQS .content/.cites, "
    f"SVMlight .svm/.svmlight/.libsvm; each {COMPRESSED}"
)
UNKNOWN_FORMAT = "unknown format"
_ROW_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", *WORKBOOK_SUFFIXES)
_SVMLIGHT_SUFFIXES = (".svm", ".svmlight", ".libsvm")


class FoundDocuments(NamedTuple):
    """The documents at a path.

    Parameters
    ----------
    source : Source
        The documents.
    links : callable or None
        Yields the links that come with them.
    takes_fields : bool
        Whether the format has named fields.
    """

    source: Source
    links: LinkReader | None
    takes_fields: bool


def find_documents(path: Path, fields: FieldNames, encoding: str, by_values: bool = True) -> FoundDocuments:
    """Return a reader of the documents at a path, chosen by the name. Documents are not read yet.

    Parameters
    ----------
    path : Path
        A file or folder in one of the `FORMATS`.
    fields : FieldNames
        Names of the fields, for formats that have named fields.
    encoding : str
        Encoding of text files.
    by_values : bool, default True
        Whether fields without a plain name are guessed from a sample of their values.

    Returns
    -------
    FoundDocuments
        The documents and their links.
    """
    if path.is_dir():
        return _find_in_folder(path, fields, encoding, by_values)
    if not path.exists():
        raise CorpusError(f"{path} does not exist", place=str(path))
    return _find_file(path, fields, encoding, by_values)


def _find_file(path: Path, fields: FieldNames, encoding: str, by_values: bool) -> FoundDocuments:
    name = plain_name(path)
    if name.endswith(_ROW_SUFFIXES):
        return FoundDocuments(_row_source(path, fields, encoding, by_values), None, True)
    if is_docword(path):
        return FoundDocuments(UciSource(path, encoding), None, False)
    if name.endswith((".content", ".cites")):
        content, cites = linqs_files(path)
        links = None if cites is None else partial(read_links, cites, encoding)
        return FoundDocuments(LinqsSource(content, encoding), links, False)
    if name.endswith(_SVMLIGHT_SUFFIXES):
        return FoundDocuments(SvmlightSource(path, encoding), None, False)
    raise CorpusError(
        f"the name {path.name} has no known format; plait reads {FORMATS}", kind=UNKNOWN_FORMAT, place=path.name
    )


def _row_source(
    path: Path, fields: FieldNames, encoding: str, by_values: bool, vocabulary: Sequence[str] | None = None
) -> RowSource:
    is_workbook = plain_name(path).endswith(WORKBOOK_SUFFIXES)
    if fields.sheet is not None and not is_workbook:
        raise CorpusError(f"{path.name} is not a workbook, so it has no sheets; leave sheet out", parameter="sheet")
    sheets = choose_sheet(path, fields.sheet) if is_workbook else None
    rows = _row_reader(path, encoding) if sheets is None else partial(workbook_rows, path, sheets.chosen)
    cells = is_workbook or plain_name(path).endswith((".csv", ".tsv"))
    return RowSource(
        path.name, rows, fields, cells=cells, vocabulary=vocabulary, path=path, by_values=by_values, sheets=sheets
    )


def _row_reader(path: Path, encoding: str) -> Callable[[Problems], Iterator[Row]]:
    name = plain_name(path)
    if name.endswith((".csv", ".tsv")):
        return partial(table_rows, path, encoding)
    if name.endswith((".jsonl", ".ndjson")):
        return partial(jsonl_rows, path, encoding)
    return partial(parquet_rows, path)


def _find_in_folder(folder: Path, fields: FieldNames, encoding: str, by_values: bool) -> FoundDocuments:
    if is_prepared(folder):
        raise CorpusError(f"{folder} is a prepared corpus, whose texts cannot be read again; give the files it is from")
    documents = _only_file(folder, "documents", _ROW_SUFFIXES)
    if documents is not None:
        return _corpus_folder(folder, documents, fields, encoding, by_values)
    files = sorted(path for path in folder.iterdir() if path.is_file())
    for fits in (is_docword, lambda path: plain_name(path).endswith(".content")):
        matching = [path for path in files if fits(path)]
        if len(matching) > 1:
            raise CorpusError(f"{folder} contains {matching[0].name} and {matching[1].name}; give the path of one")
        if matching:
            return _find_file(matching[0], fields, encoding, by_values)
    if has_text_files(folder):
        return FoundDocuments(TextFolder(folder, encoding), None, False)
    names = join_short(path.name for path in files)
    raise CorpusError(f"the folder {folder} contains no documents (it contains {names}); plait reads {FORMATS}")


def _corpus_folder(folder: Path, documents: Path, fields: FieldNames, encoding: str, by_values: bool) -> FoundDocuments:
    words = folder / "vocabulary.txt"
    vocabulary = read_word_list(words, encoding) if words.is_file() else None
    links_file = _only_file(folder, "links", LINK_SUFFIXES)
    links = None if links_file is None else partial(read_links, links_file, encoding)
    return FoundDocuments(_row_source(documents, fields, encoding, by_values, vocabulary), links, True)


def _only_file(folder: Path, stem: str, suffixes: Sequence[str]) -> Path | None:
    """Return the file with this stem and one of these suffixes; raise an error if there are several."""
    names = {stem + suffix for suffix in suffixes}
    found = [path for path in sorted(folder.iterdir()) if path.is_file() and plain_name(path) in names]
    if len(found) > 1:
        raise CorpusError(f"{folder} contains {found[0].name} and {found[1].name}; keep one, or give its path")
    return found[0] if found else None
