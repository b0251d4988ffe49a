"""`Corpus.write`: a corpus in memory written to a folder, from which it can be opened without reading all of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


def write(self: Corpus, folder: str | Path, *, overwrite: bool = False) -> Corpus:
    """Write the corpus to a folder, a *prepared corpus*, and return it as `plait.read_corpus` opens it.

    Models that are fitted to a prepared corpus read it chunk by chunk, and workers on other machines read their own
    documents. The result is the same to the last bit. `plait prepare` and `plait.prepare_corpus` write one from files
    that need not fit into memory.

    Parameters
    ----------
    folder : str or Path
        The folder, which is created; such as ``"papers.corpus"``.
    overwrite : bool, default False
        Whether a prepared corpus in this folder is replaced.

    Returns
    -------
    Corpus
        The corpus in the folder.

    Examples
    --------
    >>> import tempfile
    >>> from plait.corpus import Corpus
    >>> corpus = Corpus.from_texts(["red green", "green blue blue"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     corpus.write(f"{folder}/colours.corpus")
    Corpus(2 documents, 3 words, 5 tokens)
    """
    from plait.corpus.prepared.corpus import PreparedCorpus
    from plait.corpus.prepared.writer import MOST_DOCUMENTS, CorpusWriter, cut_rows, new_folder

    target = Path(folder)
    metadata: dict[str, Any] = dict(self.metadata or {})
    with new_folder(target, overwrite) as place:
        writer = CorpusWriter(place, self.fractional, list(metadata))
        names = ("ids", "titles", "splits", "excerpts", "labels", "times")
        fields = {name: values for name in names if (values := getattr(self, name)) is not None}
        for first in range(0, len(self), MOST_DOCUMENTS):
            part = slice(first, first + MOST_DOCUMENTS)
            writer.add_fields(
                {name: values[part] for name, values in fields.items()},
                {name: values[part] for name, values in metadata.items()},
            )
        counts = self.word_counts
        ends = np.concatenate([[0], np.cumsum(counts.entries)]) if hasattr(counts, "entries") else counts.indptr
        for first, last in cut_rows(ends):
            writer.add_counts(counts[first:last])
        if self.links is not None:
            writer.add_links(self.links)
        writer.finish(self.vocabulary, self.text_options, self.skipped, self.fields)
    return PreparedCorpus(target)
