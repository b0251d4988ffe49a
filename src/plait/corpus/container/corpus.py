"""Corpus: documents × words with ids, titles, labels, links and times, aligned and immutable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, NoReturn, overload

import numpy as np
from scipy.sparse import csr_array

from plait.corpus.container import labels as labelling
from plait.corpus.container import merging, selection, slices
from plait.corpus.container import vocabulary as words
from plait.corpus.container.constructors import Constructors
from plait.corpus.container.document import Document, document_at
from plait.corpus.container.frozen import frozen_array, frozen_csr, frozen_texts, give_away
from plait.corpus.container.validate import checked_parts
from plait.corpus.problems import Skipped


@dataclass(frozen=True, eq=False, repr=False)
class Corpus(Constructors):
    """A document collection: what a model is fitted to.

    `plait.read_corpus`, `from_texts`, `from_matrix` and `from_frame` return one. Every field is checked
    against the others and read-only.

    A corpus is a sequence of documents: ``len(corpus)``, iteration, ``corpus[i]`` for one `Document`, and
    ``corpus[rows]`` for a Corpus of the rows of a slice, of an array of positions or of a boolean mask. scikit-learn's
    ``KFold``, ``cross_val_score`` and ``GridSearchCV`` therefore accept it as X.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        How often each word is in each document: int32, or float64 where `fractional`.
    vocabulary : object array of str
        The word of each column.
    ids : object array of str
        The name of each document, all different.
    titles : object array of str, optional
        ``""`` where a document has none.
    labels : tuple of tuples of str, optional
        The labels of each document; an empty tuple where it has none.
    links : csr_array of shape (documents, documents), optional
        Weight of the link from the row's document to the column's.
    times : datetime64[s] array, optional
        NaT where a document has none.
    splits : object array of str, optional
        The part of a fixed split that each document belongs to, ``""`` for none.
    skipped : Skipped
        What was left out when the corpus was made.
    fractional : bool
        Whether counts may be fractions.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["red green", "green blue blue"], labels=["warm", "cold"])
    >>> corpus
    Corpus(2 documents, 3 words, 5 tokens, 2 labels)
    >>> corpus.vocabulary.tolist(), corpus.counts.toarray().tolist()
    (['blue', 'green', 'red'], [[0, 1, 1], [2, 1, 0]])
    >>> corpus[0].labels, corpus[[1]].shape
    (('warm',), (1, 3))
    """

    counts: csr_array
    vocabulary: np.ndarray
    ids: np.ndarray
    titles: np.ndarray | None = None
    labels: tuple[tuple[str, ...], ...] | None = None
    links: csr_array | None = None
    times: np.ndarray | None = None
    splits: np.ndarray | None = None
    skipped: Skipped = field(default_factory=Skipped)
    fractional: bool = False

    def __post_init__(self) -> None:
        for name, value in checked_parts(self).items():
            object.__setattr__(self, name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays come back writable; freeze them again.
        for name in ("counts", "links"):
            if state[name] is not None:
                state[name] = frozen_csr(state[name])
        for name in ("vocabulary", "ids", "titles", "splits"):
            if state[name] is not None:
                state[name] = frozen_texts(state[name])
        if state["times"] is not None:
            state["times"] = frozen_array(state["times"])
        self.__dict__.update(state)

    def _with(self, **parts: Any) -> Corpus:
        """The corpus with some parts exchanged, all of it checked again."""
        return Corpus(**({part.name: getattr(self, part.name) for part in fields(self)} | parts))

    def _rows(self, rows: np.ndarray) -> Corpus:
        """The documents in these rows, unchecked because rows of a checked corpus are sound."""
        part = object.__new__(Corpus)
        part.__dict__.update(
            counts=frozen_csr(give_away(self.counts[rows])),
            vocabulary=self.vocabulary,
            ids=frozen_array(self.ids[rows]),
            titles=None if self.titles is None else frozen_array(self.titles[rows]),
            labels=None if self.labels is None else tuple(self.labels[row] for row in rows),
            links=None if self.links is None else frozen_csr(give_away(self.links[rows][:, rows])),
            times=None if self.times is None else frozen_array(self.times[rows]),
            splits=None if self.splits is None else frozen_array(self.splits[rows]),
            skipped=Skipped(),
            fractional=self.fractional,
        )
        return part

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, which: int) -> Document: ...
    @overload
    def __getitem__(self, which: Any) -> Corpus: ...
    def __getitem__(self, which: Any) -> Document | Corpus:
        """Return one document for a position, otherwise a Corpus as `select` does."""
        # scikit-learn selects rows with corpus[rows, ...].
        if isinstance(which, tuple):
            which = selection.first_axis(which)
        if selection.is_position(which):
            return document_at(self, selection.row_at(self, which))
        return selection.select(self, which)

    def __iter__(self) -> Iterator[Document]:
        return (document_at(self, row) for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise TypeError("a Corpus is not an array; use corpus.counts for its counts")

    def __repr__(self) -> str:
        sizes = [(self.n_documents, "documents"), (self.n_words, "words"), (self.n_tokens, "tokens")]
        if self.links is not None:
            sizes.append((self.n_links, "links"))
        if self.labels is not None:
            sizes.append((len(self.label_names), "labels"))
        return f"Corpus({', '.join(f'{size:,} {name}' for size, name in sizes)})"

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and number of words."""
        return len(self.ids), len(self.vocabulary)

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(self.ids)

    @property
    def n_words(self) -> int:
        """How many words the vocabulary has."""
        return len(self.vocabulary)

    @property
    def n_tokens(self) -> int | float:
        """How many words all documents hold together, each counted as often as it occurs."""
        total = self.counts.data.sum(dtype=np.float64 if self.fractional else np.int64)
        return float(total) if self.fractional else int(total)

    @property
    def n_links(self) -> int:
        """How many different links there are."""
        return 0 if self.links is None else int(self.links.nnz)

    @property
    def lengths(self) -> np.ndarray:
        """How many tokens each document has."""
        return np.asarray(self.counts.sum(axis=1, dtype=np.float64 if self.fractional else np.int64)).ravel()

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """The labels that occur, sorted."""
        return tuple(sorted({name for names in self.labels or () for name in names}))

    @property
    def is_multilabel(self) -> bool:
        """Whether some document has more than one label."""
        return any(len(names) > 1 for names in self.labels or ())

    def label_vector(self) -> np.ndarray:
        """The one label of each document, or None; an error where a document has several.

        Examples
        --------
        >>> Corpus.from_texts(["red", "blue"], labels=["warm", None]).label_vector().tolist()
        ['warm', None]
        """
        return labelling.label_vector(self)

    def label_indicator(self) -> csr_array:
        """Which document (row) has which label (column, in the order of `label_names`).

        Examples
        --------
        >>> corpus = Corpus.from_texts(["red", "blue"], labels=[["warm", "bright"], ["cold"]])
        >>> corpus.label_indicator().toarray().tolist()
        [[True, False, True], [False, True, False]]
        """
        return labelling.label_indicator(self)

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.ids)}

    def select(self, which: Any) -> Corpus:
        """The documents chosen by a mask, positions, a slice or a list of ids, in that order.

        Links among them are kept; the vocabulary stays whole.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["red", "blue", "green"], ids="abc", links=[("a", "b"), ("b", "c")])
        >>> corpus.select(["c", "b"]).links.toarray().tolist()
        [[0.0, 0.0], [1.0, 0.0]]
        """
        return selection.select(self, which)

    def split(
        self, test_size: float | int = 0.2, random_state: Any = None, stratify: bool = False
    ) -> tuple[Corpus, Corpus]:
        """Two random parts: one to train on and one to test on; links between them are lost.

        With `stratify` both parts have about the same share of each label.

        Examples
        --------
        >>> train, test = Corpus.from_texts(["red", "blue", "green", "pink"]).split(0.25, random_state=0)
        >>> len(train), len(test)
        (3, 1)
        """
        return selection.split(self, test_size, random_state, stratify)

    def part(self, name: str) -> Corpus:
        """The documents whose split is `name`, such as ``"train"``."""
        return selection.part(self, name)

    def slice_by_time(
        self,
        by: Literal["day", "week", "month", "year"] | int | Sequence[Any],
        on_error: Literal["raise", "skip"] = "raise",
    ) -> slices.TimeSlices:
        """The documents cut into slices of time, oldest first, as a list of ``(label, Corpus)``.

        Parameters
        ----------
        by : {"day", "week", "month", "year"}, int or sequence
            A calendar unit; or how many slices of about equal numbers of documents; or the edges of the
            slices, each including its first edge and not its second. Empty slices in between are kept.
        on_error : {"raise", "skip"}
            Whether a document without a time, or outside the edges, is an error or left out and counted in
            the ``skipped`` of the list.

        Examples
        --------
        >>> times = ["1990-05-02", "1990-05-30", "1990-07-01"]
        >>> corpus = Corpus.from_texts(["red", "blue", "pink"], times=times)
        >>> [(label, len(part)) for label, part in corpus.slice_by_time("month")]
        [('1990-05', 2), ('1990-06', 0), ('1990-07', 1)]
        """
        return slices.slice_by_time(self, by, on_error)

    def merge(self, other: Corpus) -> Corpus:
        """Join another corpus to this one; its new words come after the words of this one.

        Examples
        --------
        >>> first = Corpus.from_texts(["red blue"], ids=["a"])
        >>> first.merge(Corpus.from_texts(["amber red"], ids=["b"])).vocabulary.tolist()
        ['blue', 'red', 'amber']
        """
        return merging.merge(self, other)

    def with_vocabulary(self, vocabulary: Iterable[str]) -> Corpus:
        """The same documents counted over another vocabulary, in its order.

        Tokens of other words are left out and counted in `skipped`.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["red blue blue"]).with_vocabulary(["red", "pink"])
        >>> corpus.counts.toarray().tolist(), corpus.skipped["token outside the vocabulary"]
        ([[1, 0]], 2)
        """
        return words.with_vocabulary(self, vocabulary)

    def restrict(self, words_kept: Iterable[str]) -> Corpus:
        """The same documents with only these words, in this corpus's order; unknown words are an error."""
        return words.restrict(self, words_kept)

    def filter_words(
        self,
        stop_words: Any = None,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_words: int | None = None,
    ) -> Corpus:
        """The same documents without stop words and words that are too rare or too common.

        `min_df` and `max_df` are numbers of documents (int) or shares of them (float); of the rest the
        `max_words` most frequent words stay. Words that never occur go too, unless `min_df` is 0.

        Examples
        --------
        >>> Corpus.from_texts(["red blue", "red green"]).filter_words(min_df=2).vocabulary.tolist()
        ['red']
        """
        return words.filter_words(self, stop_words, min_df, max_df, max_words)
