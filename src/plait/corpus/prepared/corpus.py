"""PreparedCorpus: a Corpus in a folder, opened without reading it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from plait._utils.arrays import NUMBER, WHOLE
from plait.corpus.container.corpus import Corpus
from plait.corpus.container.frozen import FrozenCsr, frozen_csr, release
from plait.corpus.container.validate import check_field
from plait.corpus.prepared.counts import StoredCounts
from plait.corpus.prepared.fields import unpack_labels, unpack_texts, unpack_times
from plait.corpus.prepared.files import damaged, read_arrays, take_array
from plait.corpus.prepared.manifest import NAME, Manifest, read_manifest
from plait.corpus.problems import CorpusError


class PreparedCorpus(Corpus):
    """A corpus whose files are read when they are needed; `plait.read_corpus` opens one.

    It is a `Corpus` in every respect. `counts` reads all counts into memory, and keeps them only as long as somebody
    uses them; `word_counts` reads them chunk by chunk, and is what models are fitted to. ``corpus[rows]`` and the other
    selections read the documents that are selected. Its pickle is the folder, not its contents.

    Parameters
    ----------
    folder : Path
        The folder that `plait prepare` or `Corpus.write` wrote.
    """

    folder: Path
    manifest: Manifest

    def __init__(self, folder: Path) -> None:
        manifest = read_manifest(folder)
        self.__dict__.update(
            folder=folder,
            manifest=manifest,
            skipped=manifest.skipped,
            fractional=manifest.fractional,
            text_options=manifest.text_options,
            fields=manifest.choices,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return PreparedCorpus, (self.folder.absolute(),)

    def __len__(self) -> int:
        return self.manifest.n_documents

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and number of words."""
        return self.manifest.n_documents, self.manifest.n_words

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return self.manifest.n_documents

    @property
    def n_words(self) -> int:
        """Number of words in the vocabulary."""
        return self.manifest.n_words

    @cached_property
    def word_counts(self) -> StoredCounts:
        """The counts, read chunk by chunk."""
        return StoredCounts(self.folder, self.manifest)

    @property
    def counts(self) -> csr_array:
        """All counts in memory, of shape (documents, words)."""
        kept: Callable[[], FrozenCsr | None] = self.__dict__.get("_counts", lambda: None)
        found = kept()
        if found is None:
            found = frozen_csr(release(self.word_counts.tocsr()))
            self.__dict__["_counts"] = weakref.ref(found)
        return found

    @cached_property
    def vocabulary(self) -> np.ndarray:
        """The word of each column."""
        return self._checked("vocabulary", self._word_list("", self.manifest.n_words))

    @cached_property
    def label_list(self) -> np.ndarray:
        """All labels in the order in which they were met."""
        return self._word_list("label_", None)

    def _word_list(self, prefix: str, size: int | None) -> np.ndarray:
        path, arrays = self.folder / self.manifest.vocabulary.name, read_arrays(self.folder, self.manifest.vocabulary)
        own = {name: arrays[prefix + name] for name in ("utf8", "lengths") if prefix + name in arrays}
        return unpack_texts(path, own, len(own.get("lengths", ())) if size is None else size)

    @cached_property
    def ids(self) -> np.ndarray:
        """Id of each document."""
        found = self._read_field("ids", unpack_texts)
        return self._checked("ids", np.concatenate(found) if found else np.zeros(0, dtype=object))

    @cached_property
    def titles(self) -> np.ndarray | None:
        """Title of each document; None if no document has one."""
        return self._joined("titles", unpack_texts)

    @cached_property
    def splits(self) -> np.ndarray | None:
        """Fixed split of each document; None if no document has one."""
        return self._joined("splits", unpack_texts)

    @cached_property
    def excerpts(self) -> np.ndarray | None:
        """First characters of each document; None if no document has text."""
        return self._joined("excerpts", unpack_texts)

    @cached_property
    def times(self) -> np.ndarray | None:
        """Time of each document; None if no document has one."""
        return self._joined("times", unpack_times)

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...] | None:
        """Labels of each document; None if no document has any."""
        names = self.label_list
        found = self._read_field("labels", lambda path, arrays, size: unpack_labels(path, arrays, size, names))
        return self._checked("labels", tuple(own for part in found for own in part)) if found else None

    @cached_property
    def metadata(self) -> Any:
        """Further fields by name; None if there are none."""
        names = enumerate(self.manifest.metadata)
        found = {name: self._read_field(f"metadata {number}", unpack_texts) for number, name in names}
        blank = np.full(len(self), "", dtype=object)
        texts = {name: np.concatenate(parts) if parts else blank for name, parts in found.items()}
        return self._checked("metadata", texts) if texts else None

    @cached_property
    def links(self) -> csr_array | None:
        """Weights of links, documents × documents; None for a corpus without links."""
        if self.manifest.links is None:
            return None
        triples = [self._read_links(record) for record in self.manifest.links]
        n_documents = len(self)
        if not triples:
            return self._checked("links", csr_array((n_documents, n_documents)))
        sources, targets, weights = (np.concatenate(parts) for parts in zip(*triples, strict=True))
        matrix = coo_array((weights, (sources, targets)), shape=(n_documents, n_documents))
        return self._checked("links", release(csr_array(matrix)))

    def _read_links(self, record: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        path, arrays = self.folder / record.name, read_arrays(self.folder, record)
        weights = take_array(path, arrays, "weights", (None,), NUMBER)
        most = len(self) - 1
        ends = [take_array(path, arrays, name, (weights.size,), WHOLE, 0, most) for name in ("sources", "targets")]
        return ends[0], ends[1], weights

    def _joined(self, name: str, unpack: Callable[..., np.ndarray]) -> np.ndarray | None:
        parts = self._read_field(name, unpack)
        return self._checked(name, np.concatenate(parts)) if parts else None

    def _read_field(self, name: str, unpack: Callable[..., Any]) -> list[Any]:
        """Return the values of a field by chunk; an empty list if no chunk has a value."""
        if not any(name in chunk.files for chunk in self.manifest.fields):
            return []
        found = []
        for n_documents, files in self.manifest.fields:
            record = files.get(name)
            arrays = None if record is None else read_arrays(self.folder, record)
            found.append(unpack(self.folder / (NAME if record is None else record.name), arrays, n_documents))
        return found

    def _checked(self, name: str, value: Any) -> Any:
        """Return the value of a field, read-only; it must be one that a corpus can have."""
        try:
            return check_field(name, value, len(self), None if name != "links" else self.ids)
        except CorpusError as error:
            raise damaged(self.folder, str(error)) from error

    def check(self) -> None:
        """Read all files and raise an error if one is damaged.

        `read_corpus` reads what is needed when it is needed, and checks it then.
        """
        for name in ("vocabulary", "ids", "titles", "splits", "excerpts", "times", "labels", "metadata", "links"):
            getattr(self, name)
        counts = self.word_counts
        totals, documents = np.zeros_like(counts.totals), np.zeros(len(self.vocabulary), np.int64)
        for first, block in counts.blocks():
            last = first + block.shape[0]
            sums = np.asarray(block.sum(axis=1)).ravel()
            if not (np.array_equal(sums, counts.lengths[first:last])
                    and np.array_equal(np.diff(block.indptr), counts.entries[first:last])):  # fmt: skip
                raise damaged(self.folder, f"documents {first:,} to {last - 1:,} have other sizes than in its list")
            np.add.at(totals, block.indices, block.data.astype(totals.dtype))
            documents += np.bincount(block.indices, minlength=documents.size)
        if not (np.array_equal(totals, counts.totals) and np.array_equal(documents, counts.document_frequencies)):
            raise damaged(self.folder, "its words have other frequencies than in its list")
