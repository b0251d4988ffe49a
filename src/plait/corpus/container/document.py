"""Document: one document of a corpus, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from plait._utils.text import printable
from plait._utils.wording import counted

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus


@dataclass(frozen=True, repr=False)
class Document:
    """One document of a corpus: what ``corpus[i]`` returns. It is immutable.

    Parameters
    ----------
    id : str
        Id of the document.
    counts : mapping of str to int or float
        Count of each word that occurs in the document, in the order of the vocabulary.
    title : str, default ""
        Title, or ``""`` if there is none.
    labels : tuple of str, default ()
        Labels, empty if there are none.
    links : mapping of str to float, default {}
        Weight of each link that starts in this document, by the id of the target.
    time : datetime64[s] or None, default None
        Time, or None if it is unknown.
    split : str, default ""
        Name of the split that the document belongs to, or ``""``.
    excerpt : str, default ""
        First 200 characters of the text, or ``""`` if there is none.
    metadata : mapping of str to str, default {}
        Further fields by name.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> corpus = Corpus.from_texts(["red fox", "blue sea"], ids="ab", links=[("a", "b")])
    >>> document = corpus[0]
    >>> document
    Document('a', 2 words, 2 tokens, 1 link)
    >>> document.id, dict(document.counts), dict(document.links)
    ('a', {'fox': 1, 'red': 1}, {'b': 1.0})
    """

    id: str
    counts: Mapping[str, int | float] = field(hash=False)
    title: str = ""
    labels: tuple[str, ...] = ()
    links: Mapping[str, float] = field(default_factory=dict, hash=False)
    time: np.datetime64 | None = None
    split: str = ""
    excerpt: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("counts", "links", "metadata"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __repr__(self) -> str:
        sizes = [counted(len(self.counts), "word"), f"{sum(self.counts.values()):,} tokens"]
        if self.links:
            sizes.append(counted(len(self.links), "link"))
        if self.labels:
            sizes.append(f"labels {', '.join(map(printable, self.labels))}")
        return f"Document({self.id!r}, {', '.join(sizes)})"

    def __reduce__(self) -> tuple[type[Document], tuple[object, ...]]:
        # A mapping proxy cannot be pickled.
        parts = (self.id, dict(self.counts), self.title, self.labels, dict(self.links), self.time, self.split)
        return Document, (*parts, self.excerpt, dict(self.metadata))


def document_at(corpus: Corpus, row: int) -> Document:
    """Return the document in a row of a corpus.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    row : int
        Row of the document, from 0.

    Returns
    -------
    Document
        The document.
    """
    time = None if corpus.times is None or np.isnat(corpus.times[row]) else corpus.times[row]
    return Document(
        id=corpus.ids[row],
        counts=_row_entries(corpus.word_counts, row, corpus.vocabulary),
        title="" if corpus.titles is None else corpus.titles[row],
        labels=() if corpus.labels is None else corpus.labels[row],
        links={} if corpus.links is None else _row_entries(corpus.links, row, corpus.ids),
        time=time,
        split="" if corpus.splits is None else corpus.splits[row],
        excerpt="" if corpus.excerpts is None else corpus.excerpts[row],
        metadata={name: values[row] for name, values in (corpus.metadata or {}).items()},
    )


def _row_entries(matrix: Any, row: int, names: np.ndarray) -> dict[str, float]:
    if not isinstance(matrix, csr_array):  # of a prepared corpus
        matrix, row = matrix.read(row, row + 1), 0
    start, end = matrix.indptr[row : row + 2]
    return dict(zip(names[matrix.indices[start:end]].tolist(), matrix.data[start:end].tolist(), strict=True))
