"""`prepare_corpus`: from files in any format to a prepared corpus, one document at a time."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait._utils.atomic import write_errors
from plait._utils.locking import lock_for_writing
from plait.corpus.prepared.corpus import PreparedCorpus
from plait.corpus.prepared.manifest import NAME, is_prepared
from plait.corpus.prepared.spool import SpooledDocuments
from plait.corpus.prepared.writer import check_target, new_folder
from plait.corpus.problems import CorpusError
from plait.corpus.readers.read import read_documents, reading_arguments

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


def prepare_corpus(
    path: str | Path, folder: str | Path, *, append: bool = False, overwrite: bool = False, **reading: Any
) -> Corpus:
    r"""Write the documents at a path to a prepared corpus, and return it as `plait.read_corpus` opens it.

    Documents are read one at a time. In memory are their ids and the vocabulary, so the documents may be larger than
    the memory; with ``phrases=True`` the word numbers of all texts, too. An interrupted run leaves nothing behind.

    Parameters
    ----------
    path : str or Path
        File or folder to read, in any format of `plait.read_corpus`.
    folder : str or Path
        The folder to write, such as ``"papers.corpus"``.
    append : bool, default False
        Whether the documents are added to a prepared corpus that exists. Texts are read as those before. New words get
        columns after the known ones; `min_df`, `max_df` and `max_words` may be given and are about the new words in the
        new documents. Links may point to documents that are there already.
    overwrite : bool, default False
        Whether a prepared corpus that exists is replaced.
    **reading : object
        Further arguments of `plait.read_corpus`.

    Returns
    -------
    Corpus
        The corpus in the folder.

    Examples
    --------
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "papers.csv")
    >>> _ = path.write_text("id,text\na,red fox\nb,blue sea\n")
    >>> prepare_corpus(path, Path(folder.name, "papers.corpus"))
    Corpus(2 documents, 4 words, 4 tokens)
    >>> folder.cleanup()
    """
    target = Path(folder)
    if append:
        if overwrite:
            raise CorpusError("append and overwrite are both given; give one of them", parameter="append")
        return _append(Path(path), target, reading)
    check_target(target, overwrite)
    arguments = reading_arguments(path, reading)
    with new_folder(target, overwrite) as place, _scratch(target) as scratch:

        def collect(metadata: Any) -> SpooledDocuments:
            _clean(place, set())
            return SpooledDocuments(place, scratch, arguments["fractional"], metadata)

        read_documents(arguments, collect=collect).finish(Path(path).name)
    return PreparedCorpus(target)


def _append(path: Path, target: Path, reading: dict[str, Any]) -> Corpus:
    """Add documents to a prepared corpus."""
    if not is_prepared(target):
        raise CorpusError(
            f"{target} is not a prepared corpus, so nothing can be appended; prepare it without --append (append=True)",
            parameter="append",
        )
    with lock_for_writing(target / NAME), _scratch(target) as scratch:
        before = PreparedCorpus(target)
        if before.text_options is not None and "like" not in reading and "text_options" not in reading:
            reading = {**reading, "like": before}
        arguments = reading_arguments(path, reading)
        if arguments["fractional"] and not before.fractional:
            raise CorpusError(
                f"{target} has whole counts, so fractions cannot be appended; prepare it again with all documents and "
                "fractional=True",
                parameter="fractional",
            )
        arguments["fractional"] = before.fractional

        def collect(metadata: Any) -> SpooledDocuments:
            _clean(target, {one.name for one in before.manifest.files()})
            return SpooledDocuments(target, scratch, before.fractional, metadata, before)

        try:
            read_documents(arguments, collect=collect, known=before).finish(path.name)
        except BaseException:
            _clean(target, {one.name for one in before.manifest.files()})
            raise
    return PreparedCorpus(target)


@contextlib.contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    """Give a folder for temporary files, on the disk of the corpus."""
    with write_errors(target):
        folder = tempfile.TemporaryDirectory(prefix=".plait-", dir=target.parent)
    with folder as name:
        yield Path(name)


def _clean(folder: Path, used: set[str]) -> None:
    """Remove the files of arrays that no manifest has: an interrupted run or a first reading left them."""
    for path in folder.glob("*.safetensors"):
        if path.name not in used:
            path.unlink(missing_ok=True)
