"""Ids, titles, labels, times and other fields of documents as arrays of a file, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from plait._utils.arrays import WHOLE
from plait._utils.joined_texts import join_texts, split_texts
from plait.corpus.prepared.files import damaged, take_array
from plait.corpus.values import NO_TIME
from plait.errors import PlaitError

TEXTS = ("ids", "titles", "splits", "excerpts")


def pack_texts(texts: Sequence[str] | np.ndarray) -> dict[str, np.ndarray] | None:
    """Return texts as arrays; None if all are blank.

    Parameters
    ----------
    texts : sequence of str
        The texts.

    Returns
    -------
    dict of str to ndarray, or None
        The arrays.
    """
    utf8, lengths = join_texts(texts)
    return {"utf8": utf8, "lengths": lengths} if utf8.size else None


def unpack_texts(path: Path, arrays: Mapping[str, np.ndarray] | None, n_texts: int) -> np.ndarray:
    """Return the texts of a file.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    arrays : mapping of str to ndarray, or None
        What `pack_texts` returned.
    n_texts : int
        Number of texts.

    Returns
    -------
    object array of str
        The texts.
    """
    if arrays is None:
        return np.full(n_texts, "", dtype=object)
    lengths = take_array(path, arrays, "lengths", (n_texts,), WHOLE, least=0)
    utf8 = take_array(path, arrays, "utf8", (None,), "u")
    try:
        return split_texts(utf8, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))
    except (PlaitError, UnicodeDecodeError) as error:
        raise damaged(path, str(error)) from error


def pack_times(times: np.ndarray) -> dict[str, np.ndarray] | None:
    """Return times as arrays; None if all are unknown.

    Parameters
    ----------
    times : datetime64 array
        The times.

    Returns
    -------
    dict of str to ndarray, or None
        The arrays.
    """
    return None if np.isnat(times).all() else {"seconds": times.astype("datetime64[s]").astype(np.int64)}


def unpack_times(path: Path, arrays: Mapping[str, np.ndarray] | None, n_documents: int) -> np.ndarray:
    """Return the times of a file.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    arrays : mapping of str to ndarray, or None
        What `pack_times` returned.
    n_documents : int
        Number of documents.

    Returns
    -------
    datetime64[s] array
        The times; their range is not checked here.
    """
    if arrays is None:
        return np.full(n_documents, NO_TIME, dtype="datetime64[s]")
    seconds = take_array(path, arrays, "seconds", (n_documents,), WHOLE)
    return seconds.astype(np.int64).view("datetime64[s]")


class LabelNumbers:
    """Numbers of labels in the order in which they were met.

    Parameters
    ----------
    names : sequence of str, default ()
        Labels that have numbers already.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}

    @property
    def names(self) -> list[str]:
        """All labels, by number."""
        return list(self._numbers)

    def pack(self, labels: Sequence[Sequence[str]]) -> dict[str, np.ndarray] | None:
        """Return the labels of documents as arrays; None if no document has any.

        Parameters
        ----------
        labels : sequence of sequences of str
            Labels of each document.

        Returns
        -------
        dict of str to ndarray, or None
            The arrays.
        """
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for names in labels for name in names]
        if not numbers:
            return None
        return {"lengths": np.array([*map(len, labels)], np.int32), "numbers": np.array(numbers, np.int32)}


def unpack_labels(
    path: Path, arrays: Mapping[str, np.ndarray] | None, n_documents: int, names: np.ndarray
) -> list[tuple[str, ...]]:
    """Return the labels of a file.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    arrays : mapping of str to ndarray, or None
        What `LabelNumbers.pack` returned.
    n_documents : int
        Number of documents.
    names : array of str
        Labels by number.

    Returns
    -------
    list of tuple of str
        Labels of each document.
    """
    if arrays is None:
        return [()] * n_documents
    lengths = take_array(path, arrays, "lengths", (n_documents,), WHOLE, least=0)
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    numbers = take_array(path, arrays, "numbers", (int(ends[-1]),), WHOLE, least=0, most=len(names) - 1)
    listed: list[Any] = names[numbers].tolist()
    if int(lengths.max(initial=0)) <= 1:  # one tuple per label rather than per document
        shared = {name: (name,) for name in names.tolist()}
        values = iter(listed)
        return [shared[next(values)] if length else () for length in lengths.tolist()]
    return [tuple(listed[begin:end]) for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
