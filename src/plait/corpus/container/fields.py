"""The fields of a corpus: rows of them selected, and read-only again after unpickling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from plait.corpus.container.frozen import FrozenMapping, frozen_array, frozen_csr, frozen_texts, release
from plait.corpus.problems import Skipped

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

TEXT_FIELDS = ("ids", "titles", "splits", "excerpts")  # one text per document


def select_rows(corpus: Corpus, rows: np.ndarray) -> dict[str, Any]:
    """Return the fields of a corpus for some of its documents. Fields without documents are the same.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    rows : ndarray of int
        Rows of the documents.

    Returns
    -------
    dict of str to object
        Fields by name, read-only. Rows of a valid corpus are valid.
    """
    by_row: dict[str, Callable[[Any], Any]] = {
        "counts": lambda counts: frozen_csr(release(counts[rows])),
        "links": lambda links: frozen_csr(release(links[rows][:, rows])),
        "labels": lambda labels: tuple(labels[row] for row in rows),
        "metadata": lambda metadata: FrozenMapping(
            {name: frozen_array(values[rows]) for name, values in metadata.items()}
        ),
    }
    for name in (*TEXT_FIELDS, "times"):
        by_row[name] = lambda values: frozen_array(values[rows])
    selected = {one.name: getattr(corpus, one.name) for one in fields(corpus) if one.name != "counts"}
    selected["counts"] = corpus.word_counts
    for name, select in by_row.items():
        if selected[name] is not None:
            selected[name] = select(selected[name])
    return selected | {"skipped": Skipped()}


def freeze_state(state: dict[str, Any]) -> dict[str, Any]:
    """Return the unpickled fields of a corpus, read-only; pickles of earlier versions lack some.

    Parameters
    ----------
    state : dict of str to object
        Fields by name; unpickled arrays are writable.

    Returns
    -------
    dict of str to object
        All fields by name.
    """
    state = {"excerpts": None, "metadata": None, "text_options": None, "fields": ()} | state
    freeze: dict[str, Callable[[Any], Any]] = dict.fromkeys((*TEXT_FIELDS, "vocabulary"), frozen_texts)
    freeze |= {"counts": frozen_csr, "links": frozen_csr, "times": frozen_array, "metadata": freeze_metadata}
    return {
        name: freeze[name](value) if name in freeze and value is not None else value for name, value in state.items()
    }


def freeze_metadata(metadata: Any) -> FrozenMapping:
    """Return metadata as a read-only mapping of read-only arrays."""
    return FrozenMapping({name: frozen_texts(values) for name, values in metadata.items()})
