"""Documents on their way from a reader to the files of a prepared corpus, with bounded memory.

The vocabulary is known when all documents were read. Until then, word numbers and counts are in temporary files; then
they are read again block by block, renumbered and written. In memory are the ids, the vocabulary and one block.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from plait._utils.atomic import write_errors
from plait.corpus.prepared.corpus import PreparedCorpus
from plait.corpus.prepared.writer import MOST_DOCUMENTS, MOST_ENTRIES, CorpusWriter
from plait.corpus.problems import CorpusError
from plait.corpus.readers.collected import FIELDS, WordChoice


class SpooledDocuments:
    """Takes documents as `CollectedDocuments` does, and writes them to files.

    Parameters
    ----------
    folder : Path
        The folder of the corpus.
    scratch : Path
        An empty folder for temporary files.
    fractional : bool
        Whether counts may be fractions.
    metadata_fields : sequence of str
        Names of further fields.
    before : PreparedCorpus or None, default None
        The corpus that documents are appended to.
    """

    def __init__(
        self,
        folder: Path,
        scratch: Path,
        fractional: bool,
        metadata_fields: Sequence[str],
        before: PreparedCorpus | None = None,
    ) -> None:
        self._folder = folder
        self._before = before
        self._writer = CorpusWriter(folder, fractional, metadata_fields, before)
        self._path = scratch / "words"
        self._path.unlink(missing_ok=True)  # of a first reading with other fields
        self._kind = np.dtype(np.float64 if fractional else np.int32)
        self._blocks: list[tuple[int, int]] = []  # documents and entries of each
        self._numbers, self._counts, self._sizes = array("i"), array("d" if fractional else "i"), array("q")
        self._totals, self._documents = np.zeros(0), np.zeros(0, np.int64)
        self._ids: list[str] = []
        self._fields: dict[str, list[Any]] = {name: [] for name in FIELDS}
        self._metadata: dict[str, list[str]] = {name: [] for name in metadata_fields}

    def add_words(self, numbers: Iterable[int], counts: Iterable[Any]) -> None:
        """Add the words of the next document; the parameters are those of `CollectedDocuments`."""
        before = len(self._numbers)
        self._numbers.extend(numbers)
        self._counts.extend(counts)
        self._sizes.append(len(self._numbers) - before)
        if len(self._numbers) >= MOST_ENTRIES or len(self._sizes) >= MOST_DOCUMENTS:
            self._flush_words()

    def add_fields(self, name: str, fields: Mapping[str, Any], metadata: Sequence[str]) -> None:
        """Add the other fields of the next document; the parameters are those of `CollectedDocuments`."""
        self._ids.append(name)
        for field, values in self._fields.items():
            values.append(fields[field])
        for values, value in zip(self._metadata.values(), metadata, strict=True):
            values.append(value)
        if len(self._ids) >= MOST_DOCUMENTS:
            self._flush_fields()

    def _flush_fields(self) -> None:
        if self._ids:
            self._writer.add_fields({"ids": self._ids, **self._fields}, self._metadata)
        for values in (self._ids, *self._fields.values(), *self._metadata.values()):
            values.clear()

    def _flush_words(self) -> None:
        """Write the words in memory to the temporary file, and add up their frequencies."""
        if not self._sizes:
            return
        numbers = np.frombuffer(self._numbers, np.int32)
        counts = np.frombuffer(self._counts, self._kind)
        self._grow(int(numbers.max(initial=-1)) + 1)
        np.add.at(self._totals, numbers, counts.astype(np.float64))
        self._documents += np.bincount(numbers, minlength=self._documents.size)
        with write_errors(self._path), self._path.open("ab") as file:
            for values in (self._sizes, self._numbers, self._counts):
                values.tofile(file)
        self._blocks.append((len(self._sizes), len(numbers)))
        del numbers, counts  # arrays that are used elsewhere cannot be cleared
        self._numbers, self._counts, self._sizes = (
            array(one.typecode) for one in (self._numbers, self._counts, self._sizes)
        )

    def _grow(self, n_words: int) -> None:
        if n_words > self._totals.size:
            size = max(n_words, 2 * self._totals.size)
            more = size - self._totals.size
            self._totals = np.concatenate([self._totals, np.zeros(more)])
            self._documents = np.concatenate([self._documents, np.zeros(more, np.int64)])

    def frequencies(self, n_words: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the number of tokens and of documents of each word number."""
        self._flush_words()
        self._grow(n_words)
        return self._totals[:n_words], self._documents[:n_words]

    def make_corpus(self, choice: WordChoice, ids: Iterable[str], links: csr_array | None, more: Any) -> Any:
        """Write all counts and links, and return what writes the manifest; the parameters are as elsewhere."""
        self._flush_words()
        self._flush_fields()
        with self._path.open("rb") as file:
            for n_documents, n_entries in self._blocks:
                sizes = np.fromfile(file, np.int64, n_documents)
                numbers = np.fromfile(file, np.int32, n_entries)
                counts = np.fromfile(file, self._kind, n_entries)
                self._writer.add_counts(choice.apply(numbers, counts, np.concatenate([[0], np.cumsum(sizes)])))
        if links is not None:
            self._writer.add_links(links)
        return SpooledCorpus(self._writer, self._before, choice.vocabulary, more)


class SpooledCorpus:
    """A corpus whose files are written, except for the manifest.

    Parameters
    ----------
    writer : CorpusWriter
        Has written the files.
    before : PreparedCorpus or None
        The corpus that documents are appended to.
    vocabulary : object array of str
        The words.
    more : mapping of str to object
        Skipped input, text options and chosen fields.
    """

    def __init__(self, writer: CorpusWriter, before: PreparedCorpus | None, vocabulary: np.ndarray, more: Any) -> None:
        self._writer = writer
        self._before = before
        self._vocabulary = vocabulary
        self._more = more

    def finish(self, name: str) -> None:
        """Write the manifest.

        Parameters
        ----------
        name : str
            Name of the documents that were read, for error messages.
        """
        options, skipped, fields = (self._more[key] for key in ("text_options", "skipped", "fields"))
        if self._before is not None:
            known = self._before.text_options
            if (known is None) != (options is None):
                forms = ("tokens, counts or a matrix", "text")
                raise CorpusError(
                    f"the words of {self._before.folder} came as {forms[known is not None]}, and those of {name} as "
                    f"{forms[options is not None]}; append documents of the same form",
                    parameter="append",
                )
            options, fields = known, self._before.fields
            skipped = self._before.skipped + skipped
        self._writer.finish(self._vocabulary, options, skipped, fields)
