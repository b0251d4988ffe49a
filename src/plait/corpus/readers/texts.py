"""The texts of documents, read again where the order of words matters: counts do not keep it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from plait.corpus.problems import BadValueError, Problems
from plait.corpus.readers.discovery import find_documents
from plait.corpus.readers.fields import FieldNames
from plait.corpus.readers.records import Record, RestartError, Source
from plait.corpus.values import check_text, parse_id


def read_texts(
    path: str | Path,
    *,
    text: str | Sequence[str] | None = None,
    tokens: str | None = None,
    counts: str | None = None,
    id: str | None = None,
    sheet: str | None = None,
    encoding: str = "utf-8",
) -> Iterator[tuple[str, str]] | None:
    r"""Return the ids and texts of the documents that `read_corpus` would read.

    Parameters
    ----------
    path : str or Path
        File or folder to read.
    text : str or sequence of str, optional
        As in `plait.read_corpus`.
    tokens, counts, id : str, optional
        As in `plait.read_corpus`. Lists of words are joined to texts.
    sheet : str, optional
        Sheet of a workbook; None for the first.
    encoding : str, default "utf-8"
        Encoding of text files.

    Returns
    -------
    iterator of (str, str) or None
        Id and text of each document; documents without an id or a text are skipped. None if the documents are
        counts, whose words have no order.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "papers.csv")
    >>> _ = path.write_text("id,text\na,The red fox\nb,\n")
    >>> list(read_texts(path))
    [('a', 'The red fox')]
    >>> folder.cleanup()
    """
    fields = FieldNames(text=text, tokens=tokens, counts=counts, id=id, sheet=sheet)
    source = find_documents(Path(path), fields, encoding).source
    return None if _holds_counts(source) else _texts(source)


def _holds_counts(source: Source) -> bool:
    """Return whether the documents are counts. All of the source is read once, to choose the fields."""
    while True:
        try:
            return "counts" in {record.form for record in source.records(Problems("skip"))}
        except RestartError:
            continue


def _texts(source: Source) -> Iterator[tuple[str, str]]:
    for record in source.records(Problems("skip")):
        try:
            name = parse_id(record.id)
            words = check_text(_joined(record))
        except BadValueError:
            continue
        if words:
            yield name, words


def _joined(record: Record) -> str:
    words = record.words
    if record.form == "tokens" and isinstance(words, list):
        return " ".join(word for word in words if isinstance(word, str))
    return words if isinstance(words, str) else ""
