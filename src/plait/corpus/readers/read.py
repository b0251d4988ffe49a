"""`read_corpus`: a corpus from a file or folder in any known format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.corpus.problems import CorpusError
from plait.corpus.readers.builder import assemble
from plait.corpus.readers.discovery import find_documents
from plait.corpus.readers.fields import FieldNames
from plait.corpus.readers.links import given_links
from plait.corpus.text.analyzers import AUTO, TextOptions

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
    metadata: Sequence[str] = (),
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

    The name determines the format: a corpus folder (``documents.*``, and ``links.*`` if documents are linked; a
    ``vocabulary.txt`` fixes the columns), JSON lines, CSV, TSV, Parquet, a folder of ``.txt`` files (sub-folders are
    labels), UCI bag of words, LINQS, SVMlight; plain, ``.gz``, ``.bz2``, ``.xz`` or ``.zst``. Links to folders are not
    followed.

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
    metadata : sequence of str, default ()
        Names of further fields to keep in ``corpus.metadata``, such as ``["party"]``: texts or numbers.
    links : path, networkx graph, sparse matrix, Links or iterable of tuples, optional
        Links that replace those that come with the documents; tuples are ``(source id, target id[, weight])``.
    stop_words : {"auto", "english"}, path, collection of str or None, default "auto"
        Words to remove: ``"auto"`` is English for text and none for tokens and counts; a file has one word per line.
    min_df, max_df : int or float, default 1 and 1.0
        A word is kept if it occurs in at least `min_df` and at most `max_df` documents, as a number (int) or a share
        (float) of the documents.
    max_words : int, optional
        Number of words to keep, the most frequent ones.
    tokenizer : callable or scikit-learn vectorizer, optional
        Splits a text into words. A vectorizer uses its own lower-casing and stop words.
    lowercase : bool, default True
        Whether text is converted to lower case.
    fractional : bool, default False
        Whether counts may be fractions.
    on_error : {"raise", "skip"}, default "raise"
        Whether invalid input raises an error that names file, line and field; or is skipped (the document, the link
        or the date) and counted in ``corpus.skipped``.
    encoding : str, default "utf-8"
        Encoding of text files.

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
