"""Selection of documents: by position, id or mask, at random, or by a fixed split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plait.corpus.container.document import Document, document_at
from plait.corpus.problems import CorpusError
from plait.corpus.values import shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

_FORMS = "give a mask, positions, a slice or a list of ids"


def get_item(corpus: Corpus, which: Any) -> Document | Corpus:
    """Return what ``corpus[which]`` stands for: one document, or a corpus of several.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    which : int, slice, array of int, array of bool or list of str
        A position, or what `Corpus.select` takes.

    Returns
    -------
    Document or Corpus
        A document for a position, otherwise a corpus.

    Raises
    ------
    IndexError
        If there is no document at the position.
    """
    if isinstance(which, tuple):
        which = _first_axis(which)
    if not isinstance(which, int | np.integer) or isinstance(which, bool):
        return select(corpus, which)
    row = int(which)
    if not -len(corpus) <= row < len(corpus):
        raise IndexError(f"there is no document at position {row}; there are {len(corpus):,} documents")
    return document_at(corpus, row % len(corpus))


def _first_axis(which: tuple[Any, ...]) -> Any:
    # scikit-learn selects rows with corpus[rows, ...].
    if len(which) == 2 and which[1] is Ellipsis:
        return which[0]
    raise CorpusError(
        f"a corpus is indexed by documents only, not by {shown(which)}; use corpus.counts[rows, columns] for counts, "
        "corpus.restrict(words) for words, or a list for several documents"
    )


def select(corpus: Corpus, which: Any) -> Corpus:
    """Return some documents of a corpus; see `Corpus.select`."""
    return corpus._rows(_positions(corpus, which))


def _positions(corpus: Corpus, which: Any) -> np.ndarray:
    if isinstance(which, slice):
        return np.arange(len(corpus))[which]
    if isinstance(which, str) or np.ndim(which) != 1:
        raise CorpusError(f"{shown(which)} selects no documents; {_FORMS}")
    selected = np.asarray(which)
    if selected.size == 0:
        return np.empty(0, dtype=np.int64)
    if selected.dtype == bool:
        if len(selected) != len(corpus):
            raise CorpusError(f"the mask has {len(selected):,} entries but there are {len(corpus):,} documents")
        return np.flatnonzero(selected)
    rows = _in_range(corpus, selected) if selected.dtype.kind in "iu" else _rows_of_ids(corpus, list(which))
    repeated = np.flatnonzero(np.bincount(rows) > 1)
    if repeated.size:
        raise CorpusError(f"document {shown(corpus.ids[repeated[0]])} is selected twice; select each document once")
    return rows


def _in_range(corpus: Corpus, positions: np.ndarray) -> np.ndarray:
    positions = positions.astype(np.int64)
    outside = (positions < -len(corpus)) | (positions >= len(corpus))
    if outside.any():
        raise CorpusError(
            f"there is no document at position {positions[outside][0]}; there are {len(corpus):,} documents"
        )
    return np.where(positions < 0, positions + len(corpus), positions)


def _rows_of_ids(corpus: Corpus, names: list[Any]) -> np.ndarray:
    row_of = corpus._row_of
    for name in names:
        if not isinstance(name, str):
            raise CorpusError(f"{shown(name)} in a list selects no document; {_FORMS}")
        if name not in row_of:
            raise CorpusError(f"no document has the id {shown(name)}; corpus.ids lists the ids")
    return np.array([row_of[name] for name in names], dtype=np.int64)


def split(corpus: Corpus, test_size: float | int, random_state: Any, stratify: bool) -> tuple[Corpus, Corpus]:
    """Return a random training set and a random test set; see `Corpus.split`."""
    from sklearn.model_selection import train_test_split

    groups = None
    if stratify:
        groups = ["" if name is None else name for name in corpus.label_vector()]
    try:
        train, test = train_test_split(
            np.arange(len(corpus)), test_size=test_size, random_state=random_state, stratify=groups
        )
    except ValueError as error:
        raise CorpusError(
            f"the {len(corpus):,} documents cannot be split with test_size={test_size!r} and "
            f"stratify={stratify!r}: {error}"
        ) from error
    return corpus._rows(np.sort(train)), corpus._rows(np.sort(test))


def part(corpus: Corpus, name: str) -> Corpus:
    """Return the documents of one fixed split; see `Corpus.part`."""
    if corpus.splits is None:
        raise CorpusError(
            "the corpus has no fixed split; when reading it, say which field has the split", parameter="split"
        )
    selected = corpus.splits == name
    if not selected.any():
        known = ", ".join(shown(split) for split in sorted(set(corpus.splits)))
        raise CorpusError(f"no document belongs to the split {shown(name)}; the splits are {known}")
    return corpus._rows(np.flatnonzero(selected))
