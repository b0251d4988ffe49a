"""KnownDocuments: what a fitted model keeps of its training documents, so that answers can name them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from plait._utils.arrays import check_texts
from plait._utils.text import short
from plait.corpus.container.frozen import FrozenMapping, frozen_array, frozen_texts
from plait.corpus.excerpts import LONGEST_EXCERPT
from plait.errors import PlaitError

if TYPE_CHECKING:
    import polars

    from plait.corpus.container.corpus import Corpus

Kept = Literal["titles", "ids", "nothing"]
_TEXTS = ("ids", "titles", "excerpts", "splits")
_NAME_LENGTH = 80  # characters of an excerpt in place of a title


@dataclass(frozen=True, eq=False, repr=False)
class KnownDocuments:
    """Ids, titles, excerpts and other fields of documents, one entry per row; None for what is not known.

    It is the fitted attribute `documents_` of a model, aligned with the rows of `doc_topic_`.

    Parameters
    ----------
    n_documents : int
        Number of documents.
    ids, titles, excerpts, splits : object array of str, optional
        One text per document, as in `Corpus`.
    times : datetime64[s] array, optional
        Time of each document, NaT if it is unknown.
    labels : tuple of tuples of str, optional
        Labels of each document.
    metadata : mapping of str to object array of str, optional
        Further fields by name.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> corpus = Corpus.from_texts(["The red fox", "The blue sea"], ids=["a", "b"], titles=["Foxes", None])
    >>> known = KnownDocuments.from_corpus(corpus)
    >>> known
    KnownDocuments(2 documents: ids, titles, excerpts)
    >>> known.name(0), known.name(1), known.title(1)
    ('Foxes', 'The blue sea', '')
    """

    n_documents: int
    ids: np.ndarray | None = None
    titles: np.ndarray | None = None
    excerpts: np.ndarray | None = None
    splits: np.ndarray | None = None
    times: np.ndarray | None = None
    labels: tuple[tuple[str, ...], ...] | None = None
    metadata: Mapping[str, np.ndarray] | None = None

    def __post_init__(self) -> None:
        for name in _TEXTS:
            if (texts := getattr(self, name)) is not None:
                object.__setattr__(self, name, frozen_texts(texts))
        if self.times is not None:
            object.__setattr__(self, "times", frozen_array(self.times))
        if self.metadata is not None:
            frozen = {name: frozen_texts(values) for name, values in self.metadata.items()}
            object.__setattr__(self, "metadata", FrozenMapping(frozen))
        self.check_sizes(self.n_documents)

    @classmethod
    def from_corpus(cls, corpus: Corpus, keep: Kept = "titles") -> KnownDocuments:
        """Return what is kept of the documents of a corpus.

        Parameters
        ----------
        corpus : Corpus
            The documents.
        keep : {"titles", "ids", "nothing"}, default "titles"
            "titles": all fields; "ids": ids only; "nothing": the number of documents.

        Returns
        -------
        KnownDocuments
            The record.
        """
        if keep == "nothing":
            return cls(len(corpus))
        if keep == "ids":
            return cls(len(corpus), corpus.ids)
        return cls(len(corpus), **{name: getattr(corpus, name) for name in _FIELDS})

    def __len__(self) -> int:
        return self.n_documents

    def __repr__(self) -> str:
        found = [name for name in _FIELDS if name != "metadata" and getattr(self, name) is not None]
        found += [short(name) for name in self.metadata or ()]
        return f"KnownDocuments({self.n_documents:,} documents: {', '.join(found) or 'nothing kept'})"

    def reduce(self, keep: Kept) -> KnownDocuments:
        """Return the record with the fields that `keep` allows.

        Parameters
        ----------
        keep : {"titles", "ids", "nothing"}
            As in `from_corpus`.

        Returns
        -------
        KnownDocuments
            The record.
        """
        if keep == "titles":
            return self
        return KnownDocuments(self.n_documents, self.ids if keep == "ids" else None)

    def id(self, row: int) -> str:
        """Return the id of a document, or its row number if ids are not known."""
        return str(row) if self.ids is None else str(self.ids[row])

    def title(self, row: int) -> str:
        """Return the title of a document, "" if it has none."""
        return "" if self.titles is None else str(self.titles[row])

    def excerpt(self, row: int) -> str:
        """Return the first characters of a document, "" if they are not known."""
        return "" if self.excerpts is None else str(self.excerpts[row])

    def time(self, row: int) -> np.datetime64 | None:
        """Return the time of a document, None if it is not known."""
        return None if self.times is None or np.isnat(self.times[row]) else self.times[row]

    def name(self, row: int) -> str:
        """Return what to call a document: its title, else the start of its text, else its id or row number."""
        if title := self.title(row):
            return title
        excerpt = self.excerpt(row)
        if len(excerpt) > _NAME_LENGTH:
            excerpt = excerpt[: _NAME_LENGTH - 1].rstrip(" …") + "…"
        return excerpt or self.id(row)

    def has_names(self) -> bool:
        """Return whether documents can be called by more than an id: some have a title or an excerpt."""
        return self.titles is not None or self.excerpts is not None

    def field(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return the values of a field for every document; documents without a value have none.

        Parameters
        ----------
        name : str
            "label", "split", or a field of `metadata`.

        Returns
        -------
        tuple of tuples of str
            Values of each document.
        """
        if name in ("label", "labels") and self.labels is not None:
            return self.labels
        texts = self.splits if name in ("split", "splits") else (self.metadata or {}).get(name)
        if texts is not None:
            return tuple((str(text),) if text else () for text in texts)
        known = [*(["label"] if self.labels is not None else []), *(["split"] if self.splits is not None else [])]
        known += [short(repr(one)) for one in self.metadata or ()]
        raise PlaitError(
            f"the model knows no field {short(repr(name))} of its documents"
            + (f"; it knows {', '.join(known)}" if known else "")
            + "; read the corpus with metadata=[...] and fit with keep='titles'"
        )

    def select(self, rows: Any) -> KnownDocuments:
        """Return the record of some documents.

        Parameters
        ----------
        rows : slice or array of int
            Rows of the documents.

        Returns
        -------
        KnownDocuments
            The record.
        """
        chosen = np.arange(self.n_documents)[rows]
        texts = {name: getattr(self, name) for name in (*_TEXTS, "times")}
        return KnownDocuments(
            len(chosen),
            **{name: None if values is None else values[chosen] for name, values in texts.items()},
            labels=None if self.labels is None else tuple(self.labels[row] for row in chosen),
            metadata=None if self.metadata is None else {name: v[chosen] for name, v in self.metadata.items()},
        )

    def check_sizes(self, n_documents: int) -> None:
        """Raise an error unless all fields have one entry per document: the record may come from a file.

        Parameters
        ----------
        n_documents : int
            Number of documents.
        """
        if self.n_documents != n_documents:
            raise PlaitError(f"documents_ has {self.n_documents:,} documents, not {n_documents:,}")
        texts = {name: getattr(self, name) for name in _TEXTS} | dict(self.metadata or {})
        for name, values in texts.items():
            if values is not None:
                check_texts(f"{short(str(name))} of documents_", values, n_documents)
        if self.excerpts is not None and max(map(len, self.excerpts), default=0) > LONGEST_EXCERPT:
            raise PlaitError(f"documents_ has an excerpt of more than {LONGEST_EXCERPT} characters")
        if self.times is not None and (self.times.dtype != "datetime64[s]" or self.times.shape != (n_documents,)):
            raise PlaitError(f"times of documents_ are {self.times.dtype} of the shape {self.times.shape}")
        if self.labels is not None and len(self.labels) != n_documents:
            raise PlaitError(f"labels of documents_ are {len(self.labels):,}, but there are {n_documents:,} documents")

    def to_frame(self) -> polars.DataFrame:
        """Return the record as a Polars data frame, one row per document.

        Returns
        -------
        polars.DataFrame
            Columns for the fields that are known, first "id".
        """
        import polars

        columns: dict[str, Any] = {"id": [self.id(row) for row in range(self.n_documents)]}
        for column, name in (("title", "titles"), ("excerpt", "excerpts"), ("split", "splits")):
            if getattr(self, name) is not None:
                columns[column] = getattr(self, name).tolist()
        if self.times is not None:
            columns["time"] = self.times.astype("datetime64[ms]")
        if self.labels is not None:
            columns["labels"] = [list(names) for names in self.labels]
        for name, values in (self.metadata or {}).items():
            columns[name if name not in columns else f"metadata.{name}"] = values.tolist()
        return polars.DataFrame(columns)


_FIELDS = tuple(one.name for one in fields(KnownDocuments) if one.name != "n_documents")


def join_documents(parts: Sequence[KnownDocuments]) -> KnownDocuments:
    """Return one record of the documents of several; what one of them does not know is "" or missing.

    Parameters
    ----------
    parts : sequence of KnownDocuments
        At least one record.

    Returns
    -------
    KnownDocuments
        All documents in order; ids are kept only if all records have them.
    """
    missing: dict[str, Any] = dict.fromkeys(("titles", "excerpts", "splits"), "") | {"times": np.datetime64("NaT", "s")}
    joined: dict[str, Any] = {}
    if all(one.ids is not None for one in parts):
        joined["ids"] = np.concatenate([one.ids for one in parts if one.ids is not None])
    for name, blank in missing.items():
        joined[name] = _join([getattr(one, name) for one in parts], parts, blank)
    if any(one.labels is not None for one in parts):
        joined["labels"] = tuple(names for one in parts for names in one.labels or ((),) * len(one))
    names = dict.fromkeys(name for one in parts for name in one.metadata or ())
    if names:
        joined["metadata"] = {
            name: _join([(one.metadata or {}).get(name) for one in parts], parts, "") for name in names
        }
    return KnownDocuments(sum(map(len, parts)), **joined)


def _join(found: Sequence[np.ndarray | None], parts: Sequence[KnownDocuments], blank: Any) -> np.ndarray | None:
    dtype = next((values.dtype for values in found if values is not None), None)
    if dtype is None:
        return None
    filled = zip(found, parts, strict=True)
    return np.concatenate([np.full(len(one), blank, dtype) if values is None else values for values, one in filled])
