"""CorpusWriter: writes the files of a prepared corpus part by part, and its manifest at the end.

A new corpus is written in a folder beside its place and renamed when it is whole. An append writes new files into the
folder and then replaces the manifest: until then, and after an interruption, readers see the corpus as it was. Files
that only the manifest before had stay until the next append, because somebody may have opened it.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from plait._utils.atomic import WriteError, write_errors
from plait._utils.joined_texts import join_texts
from plait.corpus.prepared.corpus import PreparedCorpus
from plait.corpus.prepared.counts import CountsDigest
from plait.corpus.prepared.fields import TEXTS, LabelNumbers, pack_texts, pack_times
from plait.corpus.prepared.files import FileRecord, write_arrays
from plait.corpus.prepared.manifest import FieldChunk, Manifest, WordChunk, is_prepared
from plait.corpus.problems import Skipped

MOST_ENTRIES = 1 << 20  # distinct words of documents per file of counts: 8 MiB
MOST_DOCUMENTS = 1 << 16  # documents per file of a field


class CorpusWriter:
    """Writes documents to the files of a prepared corpus.

    Parameters
    ----------
    folder : Path
        The folder to write to.
    fractional : bool
        Whether counts may be fractions.
    metadata : sequence of str
        Names of further fields.
    before : PreparedCorpus or None, default None
        The corpus that documents are appended to; None for a new one.
    """

    def __init__(
        self, folder: Path, fractional: bool, metadata: Sequence[str], before: PreparedCorpus | None = None
    ) -> None:
        self._folder = folder
        self._fractional = fractional
        known = None if before is None else before.manifest
        self._metadata = list(dict.fromkeys([*(known.metadata if known else ()), *metadata]))
        self._words = list(known.words) if known else []
        self._fields = list(known.fields) if known else []
        self._links = None if known is None or known.links is None else list(known.links)
        self._labels = LabelNumbers(() if before is None else before.label_list.tolist())
        self._digest = CountsDigest()
        self._lengths, self._entries = array("d" if fractional else "q"), array("q")
        self._totals = np.zeros(0, np.float64 if fractional else np.int64)
        self._documents = np.zeros(0, np.int64)
        if before is not None:
            self._lengths.frombytes(before.word_counts.sum(axis=1).tobytes())
            self._entries.frombytes(before.word_counts.entries.astype(np.int64).tobytes())
            self._totals = before.word_counts.sum(axis=0)
            self._documents = before.word_counts.document_frequencies.astype(np.int64)
            for _, block in before.word_counts.blocks():
                self._digest.add(block)
        # Later names do not replace files of the manifest that is there.
        self._version = len(self._words) + len(self._fields) + len(self._links or ())

    @property
    def metadata(self) -> list[str]:
        """Names of all further fields."""
        return self._metadata

    def add_fields(self, fields: Mapping[str, Any], metadata: Mapping[str, Sequence[str]]) -> None:
        """Write ids, titles and other fields of the next documents.

        Parameters
        ----------
        fields : mapping of str to sequence
            Values of "ids", "titles", "splits", "excerpts", "labels" and "times"; what is missing is blank.
        metadata : mapping of str to sequence of str
            Values of further fields.
        """
        packed = {name: pack_texts(fields[name]) for name in TEXTS if fields.get(name) is not None}
        if fields.get("labels") is not None:
            packed["labels"] = self._labels.pack(fields["labels"])
        if fields.get("times") is not None:
            packed["times"] = pack_times(np.asarray(fields["times"], dtype="datetime64[s]"))
        for name, texts in metadata.items():
            packed[f"metadata {self._metadata.index(name)}"] = pack_texts(texts)
        number = len(self._fields)
        files = {}
        for name, arrays in packed.items():
            if arrays is not None:
                kind, _, field = name.partition(" ")
                place = f"{kind}-{number:06d}" + (f"-{field}" if field else "")
                files[name] = self._write(f"{place}.safetensors", arrays)
        self._fields.append(FieldChunk(len(fields["ids"]), files))

    def add_counts(self, counts: Any) -> None:
        """Write the counts of the next documents, as one file.

        Parameters
        ----------
        counts : csr_array of shape (documents, words)
            Counts in columns of the vocabulary that `finish` takes; columns of a row are sorted.
        """
        n_words = counts.shape[1]
        if self._totals.size < n_words:  # words that the documents before did not have
            more = n_words - self._totals.size
            self._totals = np.concatenate([self._totals, np.zeros(more, self._totals.dtype)])
            self._documents = np.concatenate([self._documents, np.zeros(more, np.int64)])
        np.add.at(self._totals, counts.indices, counts.data.astype(self._totals.dtype, copy=False))
        self._documents += np.bincount(counts.indices, minlength=n_words)
        kind = np.float64 if self._fractional else np.int64
        self._lengths.frombytes(np.asarray(counts.sum(axis=1, dtype=kind)).astype(kind).ravel().tobytes())
        self._entries.frombytes(np.diff(counts.indptr).astype(np.int64).tobytes())
        self._digest.add(counts)
        arrays = {
            "starts": counts.indptr.astype(np.int64),
            "words": counts.indices.astype(np.int32),
            "counts": counts.data.astype(np.float64 if self._fractional else np.int32),
        }
        record = self._write(f"words-{len(self._words):06d}.safetensors", arrays)
        self._words.append(WordChunk(counts.shape[0], int(counts.nnz), record))

    def add_links(self, links: Any) -> None:
        """Write links; weights of links that are there already are added up when they are read.

        Parameters
        ----------
        links : sparse array of shape (documents, documents)
            Weights, from source (row) to target (column).
        """
        entries = coo_array(links)
        self._links = [] if self._links is None else self._links
        for first in range(0, entries.nnz, MOST_ENTRIES):
            part = slice(first, first + MOST_ENTRIES)
            arrays = {
                "sources": entries.row[part].astype(np.int64),
                "targets": entries.col[part].astype(np.int64),
                "weights": entries.data[part].astype(np.float64),
            }
            self._links.append(self._write(f"links-{len(self._links):06d}.safetensors", arrays))

    def finish(self, vocabulary: Sequence[str] | np.ndarray, text_options: Any, skipped: Skipped, choices: Any) -> None:
        """Write the vocabulary and the manifest.

        Parameters
        ----------
        vocabulary : sequence of str
            The word of each column.
        text_options : TextOptions or None
            How the texts were read.
        skipped : Skipped
            What was skipped.
        choices : tuple of FieldChoice
            Which fields of the input were taken.
        """
        more = len(vocabulary) - self._totals.size
        words, word_lengths = join_texts(vocabulary)
        labels, label_lengths = join_texts(self._labels.names)
        arrays = {
            "utf8": words,
            "lengths": word_lengths,
            "label_utf8": labels,
            "label_lengths": label_lengths,
            "totals": np.concatenate([self._totals, np.zeros(more, self._totals.dtype)]),
            "documents": np.concatenate([self._documents, np.zeros(more, np.int64)]),
        }
        sizes = {"lengths": np.array(self._lengths), "entries": np.array(self._entries)}
        version = f"{self._version:06d}.safetensors"
        manifest = Manifest(
            n_documents=len(self._lengths),
            n_words=len(vocabulary),
            n_entries=sum(one.n_entries for one in self._words),
            fractional=self._fractional,
            counts_digest=self._digest.hexdigest(),
            vocabulary=self._write(f"vocabulary-{version}", arrays),
            sizes=self._write(f"sizes-{version}", sizes),
            words=tuple(self._words),
            fields=tuple(self._fields),
            links=None if self._links is None else tuple(self._links),
            metadata=tuple(self._metadata),
            text_options=text_options,
            skipped=skipped,
            choices=tuple(choices),
        )
        manifest.write(self._folder)

    def _write(self, name: str, arrays: Mapping[str, np.ndarray]) -> FileRecord:
        with write_errors(self._folder / name):
            return write_arrays(self._folder, name, arrays)


@contextlib.contextmanager
def new_folder(target: Path, overwrite: bool = False) -> Iterator[Path]:
    """Give a folder to write a corpus to; it is renamed to its place when the block succeeds.

    Parameters
    ----------
    target : Path
        The place.
    overwrite : bool, default False
        Whether a prepared corpus at this place is replaced. Other folders are never replaced.

    Yields
    ------
    Path
        An empty folder beside the place. If the block fails, it is removed.
    """
    check_target(target, overwrite)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    with write_errors(target):
        temporary.mkdir()
    try:
        yield temporary
        with write_errors(target):
            _rename(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_target(target: Path, overwrite: bool) -> None:
    """Raise an error unless a corpus can be written to a place.

    Parameters
    ----------
    target : Path
        The place.
    overwrite : bool
        As in `new_folder`.
    """
    if not target.parent.is_dir():
        raise WriteError(f"{target} cannot be written: there is no folder {target.parent}; make it first")
    if not target.exists():
        return
    if not target.is_dir() or (not is_prepared(target) and any(target.iterdir())):
        raise WriteError(f"{target} exists and is not a prepared corpus, so it is not replaced; give another name")
    if is_prepared(target) and not overwrite:
        raise WriteError(
            f"{target} is a prepared corpus already; replace it with --force (overwrite=True), or add documents to it "
            "with --append (append=True)"
        )


def _rename(temporary: Path, target: Path) -> None:
    """Put a folder in its place; a corpus that is there is moved away before and removed after."""
    before = temporary.with_suffix(".old")
    if target.exists():
        target.rename(before)
    temporary.rename(target)
    shutil.rmtree(before, ignore_errors=True)


def cut_rows(ends: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield runs of documents whose counts make one file: at most `MOST_ENTRIES` entries unless one document has more.

    Parameters
    ----------
    ends : array of int
        Number of entries before each document, and in total.

    Yields
    ------
    first, last : int
        The first document of a run, and the one after the last.
    """
    first = 0
    while first < len(ends) - 1:
        last = int(np.searchsorted(ends, ends[first] + MOST_ENTRIES, side="right")) - 1
        last = min(max(last, first + 1), first + MOST_DOCUMENTS, len(ends) - 1)
        yield first, last
        first = last
