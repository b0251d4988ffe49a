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
        raise CorpusError(f"{found.source.name} has no named fields; leave text=, id=, label= and the others out")
    return assemble(
        found.source,
        options,
        on_error=on_error,
        fractional=fractional,
        read_links=given_links(links, encoding) or found.links,
    )
