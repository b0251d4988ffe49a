"""Corpus: counts of documents × words with ids, titles, labels, links, times and metadata; immutable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, NoReturn, overload

import numpy as np
from scipy.sparse import csr_array

from plait.corpus.container import labels as labelling
from plait.corpus.container import merging, selection, slices, summary, writing
from plait.corpus.container import vocabulary as words
from plait.corpus.container.constructors import Constructors
from plait.corpus.container.document import Document, document_at
from plait.corpus.container.fields import freeze_state, select_rows
from plait.corpus.container.validate import validate_fields
from plait.corpus.problems import Skipped
from plait.corpus.readers.field_guesses import FieldChoice
from plait.corpus.text.options import TextOptions


@dataclass(frozen=True, eq=False, repr=False)
class Corpus(Constructors):
    """A collection of documents, the input of a model.

    `plait.read_corpus`, `from_texts`, `from_matrix` and `from_frame` return one. Every field is checked
    against the others and read-only.

    A corpus is a sequence of documents: ``len(corpus)``, iteration, ``corpus[i]`` for one `Document`, and
    ``corpus[rows]`` for a Corpus of the rows of a slice, of an array of positions or of a boolean mask. scikit-learn's
    ``KFold``, ``cross_val_score`` and ``GridSearchCV`` therefore accept it as X.

    Parameters
    ----------
    counts : csr_array of shape (documents, words)
        Count of each word in each document: int32, or float64 if `fractional`.
    vocabulary : object array of str
        Word of each column. No word occurs twice.
    ids : object array of str
        Id of each document. No id occurs twice.
    titles : object array of str, optional
        Title of each document, ``""`` if it has none.
    labels : tuple of tuples of str, optional
        Labels of each document, an empty tuple if it has none.
    links : csr_array of shape (documents, documents), optional
        Weight of the link from a source (row) to a target (column).
    times : datetime64[s] array, optional
        Time of each document, NaT if it is unknown.
    splits : object array of str, optional
        Fixed split of each document, such as ``"train"``; ``""`` if it has none.
    skipped : Skipped, optional
        What was skipped while the corpus was read.
    fractional : bool, default False
        Whether counts may be fractions.
    text_options : TextOptions, optional
        How its texts were read, with the language and phrases that were found; None for tokens, counts and matrices.
    excerpts : object array of str, optional
        First 200 characters of the text of each document, ``""`` if it has no text. Constructors and readers of
        texts make them.
    metadata : mapping of str to object array of str, optional
        Further fields by name, such as "party"; one text per document, ``""`` if it has none.
    fields : tuple of FieldChoice, default ()
        Which fields of the input were taken as text, id, title, date and label, and why.

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
    text_options: TextOptions | None = None
    excerpts: np.ndarray | None = None
    metadata: Mapping[str, np.ndarray] | None = None
    fields: tuple[FieldChoice, ...] = ()

    def __post_init__(self) -> None:
        for name, value in validate_fields(self).items():
            object.__setattr__(self, name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(freeze_state(state))

    def _with(self, **replaced: Any) -> Corpus:
        """Return the corpus with some fields replaced; all fields are validated again."""
        return Corpus(**({one.name: getattr(self, one.name) for one in fields(self)} | replaced))

    def _rows(self, rows: np.ndarray) -> Corpus:
        """Return the documents in these rows. Rows of a valid corpus are valid, so nothing is checked."""
        selected = object.__new__(Corpus)
        selected.__dict__.update(select_rows(self, rows))
        return selected

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, which: int) -> Document: ...
    @overload
    def __getitem__(self, which: Any) -> Corpus: ...
    def __getitem__(self, which: Any) -> Document | Corpus:
        """Return one document for a position, otherwise a Corpus as `select` does."""
        return selection.get_item(self, which)

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

    def _repr_html_(self) -> str:
        return summary.to_html(self)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and number of words."""
        return len(self.ids), len(self.vocabulary)

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.ids)

    @property
    def n_words(self) -> int:
        """Number of words in the vocabulary."""
        return len(self.vocabulary)

    @property
    def word_counts(self) -> Any:
        """The counts as models read them: `counts`, or those of a prepared corpus chunk by chunk."""
        return self.counts

    @property
    def n_tokens(self) -> int | float:
        """Number of tokens in all documents: the sum of the counts."""
        total = self.word_counts.sum(dtype=np.float64 if self.fractional else np.int64)
        return float(total) if self.fractional else int(total)

    @property
    def n_links(self) -> int:
        """Number of links."""
        return 0 if self.links is None else int(self.links.nnz)

    @property
    def lengths(self) -> np.ndarray:
        """Number of tokens of each document."""
        return np.asarray(self.word_counts.sum(axis=1, dtype=np.float64 if self.fractional else np.int64)).ravel()

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """All labels, sorted."""
        return tuple(sorted({name for names in self.labels or () for name in names}))

    @property
    def is_multilabel(self) -> bool:
        """Whether some document has more than one label."""
        return any(len(names) > 1 for names in self.labels or ())

    def label_vector(self) -> np.ndarray:
        """Return the label of each document; raise an error if a document has several.

        Returns
        -------
        object array of str or None
            The labels, None for documents without one.

        Examples
        --------
        >>> Corpus.from_texts(["red", "blue"], labels=["warm", None]).label_vector().tolist()
        ['warm', None]
        """
        return labelling.label_vector(self)

    def label_indicator(self) -> csr_array:
        """Return which document has which label.

        Returns
        -------
        csr_array of bool, shape (documents, labels)
            The columns are in the order of `label_names`.

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
        """Return some of the documents. Links among them are kept, and so is the whole vocabulary.

        Parameters
        ----------
        which : array of bool, array of int, slice or list of str
            A mask, positions, a slice, or ids. Positions and ids give the order of the documents.

        Returns
        -------
        Corpus
            The selected documents.

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
        """Split the documents at random into a training set and a test set.

        Links between the two sets are dropped.

        Parameters
        ----------
        test_size : float or int, default 0.2
            Share (float) or number (int) of the documents in the test set.
        random_state : int, RandomState or None, default None
            Seed of the split.
        stratify : bool, default False
            Whether both sets have about the same share of each label.

        Returns
        -------
        train, test : Corpus
            The two sets.

        Examples
        --------
        >>> train, test = Corpus.from_texts(["red", "blue", "green", "pink"]).split(0.25, random_state=0)
        >>> len(train), len(test)
        (3, 1)
        """
        return selection.split(self, test_size, random_state, stratify)

    def part(self, name: str) -> Corpus:
        """Return the documents of one fixed split.

        Parameters
        ----------
        name : str
            Name of the split, such as ``"train"``.

        Returns
        -------
        Corpus
            The documents whose split is `name`.
        """
        return selection.part(self, name)

    def slice_by_time(
        self,
        by: Literal["day", "week", "month", "year"] | int | Sequence[Any],
        on_error: Literal["raise", "skip"] = "raise",
    ) -> slices.TimeSlices:
        """Split the documents into time slices.

        Parameters
        ----------
        by : {"day", "week", "month", "year"}, int or sequence of times
            A calendar unit; or a number of slices with about equal numbers of documents; or the boundaries of the
            slices, where a slice includes its start and excludes its end. Empty slices in between are kept; more
            than 1,000 calendar units without a document are an error, because the date is probably wrong.
        on_error : {"raise", "skip"}, default "raise"
            Whether a document without a time, or with a time outside the boundaries, raises an error or is skipped
            and counted in the ``skipped`` attribute of the result.

        Returns
        -------
        TimeSlices
            A list of ``(label, Corpus)``, oldest slice first.

        Examples
        --------
        >>> times = ["1990-05-02", "1990-05-30", "1990-07-01"]
        >>> corpus = Corpus.from_texts(["red", "blue", "pink"], times=times)
        >>> [(label, len(documents)) for label, documents in corpus.slice_by_time("month")]
        [('1990-05', 2), ('1990-06', 0), ('1990-07', 1)]
        """
        return slices.slice_by_time(self, by, on_error)

    merge, write = merging.merge, writing.write

    def with_vocabulary(self, vocabulary: Iterable[str]) -> Corpus:
        """Return the documents with the counts of another vocabulary.

        Parameters
        ----------
        vocabulary : iterable of str
            The words of the new columns. Tokens of other words are skipped and counted in `skipped`.

        Returns
        -------
        Corpus
            The same documents.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["red blue blue"]).with_vocabulary(["red", "pink"])
        >>> corpus.counts.toarray().tolist(), corpus.skipped["token outside the vocabulary"]
        ([[1, 0]], 2)
        """
        return words.with_vocabulary(self, vocabulary)

    def restrict(self, words_kept: Iterable[str]) -> Corpus:
        """Return the documents with some of their words.

        Parameters
        ----------
        words_kept : iterable of str
            Words of the vocabulary; other words raise an error. The columns keep their order.

        Returns
        -------
        Corpus
            The same documents.
        """
        return words.restrict(self, words_kept)

    def filter_words(
        self,
        stop_words: Any = None,
        min_df: int | float | str = 1,
        max_df: int | float | str = 1.0,
        max_words: int | None = None,
        even_words: str = "keep",
    ) -> Corpus:
        """Return the documents without stop words, rare words and common words.

        Parameters
        ----------
        stop_words : str, path, collection of str or None, default None
            Words to remove: a language such as "english", a file with one word per line, a collection, or none.
        min_df, max_df : int, float or "auto", default 1 and 1.0
            As in `plait.TextOptions`. Words that never occur are removed unless `min_df` is 0.
        max_words : int or None, default None
            Number of words to keep, the most frequent ones; None for all.
        even_words : {"keep", "drop", "auto"}, default "keep"
            As in `plait.TextOptions`.

        Returns
        -------
        Corpus
            The same documents.

        Examples
        --------
        >>> Corpus.from_texts(["red blue", "red green"]).filter_words(min_df=2).vocabulary.tolist()
        ['red']
        """
        return words.filter_words(self, stop_words, min_df, max_df, max_words, even_words)
