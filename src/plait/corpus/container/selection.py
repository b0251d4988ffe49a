"""Choosing documents of a corpus: by position, by id, at random, or by a fixed split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plait.corpus.problems import CorpusError
from plait.corpus.values import shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

_WAYS = "give a mask, positions, a slice or a list of ids"


def select(corpus: Corpus, which: Any) -> Corpus:
    """The documents chosen by a mask, positions, a slice or a list of ids, in that order."""
    return corpus._rows(_positions(corpus, which))


def _positions(corpus: Corpus, which: Any) -> np.ndarray:
    if isinstance(which, slice):
        return np.arange(len(corpus))[which]
    if isinstance(which, str) or np.ndim(which) != 1:
        raise CorpusError(f"select was given {shown(which)}; {_WAYS}")
    chosen = np.asarray(which)
    if chosen.size == 0:
        return np.empty(0, dtype=np.int64)
    if chosen.dtype == bool:
        if len(chosen) != len(corpus):
            raise CorpusError(f"the mask has {len(chosen):,} entries but there are {len(corpus):,} documents")
        return np.flatnonzero(chosen)
    rows = _in_range(corpus, chosen) if chosen.dtype.kind in "iu" else _rows_of_ids(corpus, list(which))
    repeated = np.flatnonzero(np.bincount(rows) > 1)
    if repeated.size:
        raise CorpusError(f"document {shown(corpus.ids[repeated[0]])} is chosen twice; choose each once")
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
            raise CorpusError(f"select was given {shown(name)} in a list; {_WAYS}")
        if name not in row_of:
            raise CorpusError(f"no document has the id {shown(name)}; see corpus.ids for those there are")
    return np.array([row_of[name] for name in names], dtype=np.int64)


def split(corpus: Corpus, test_size: float | int, random_state: Any, stratify: bool) -> tuple[Corpus, Corpus]:
    """Two random parts, each in the order of the corpus: one to train on and one to test on."""
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
    """The documents whose split is `name`."""
    if corpus.splits is None:
        raise CorpusError(
            "the corpus has no fixed split; name its field with split= when reading it", parameter="split"
        )
    chosen = corpus.splits == name
    if not chosen.any():
        known = ", ".join(shown(part) for part in sorted(set(corpus.splits)))
        raise CorpusError(f"no document belongs to the split {shown(name)}; there are {known}")
    return corpus._rows(np.flatnonzero(chosen))
