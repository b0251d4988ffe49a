"""What the model of a stream from a file must be: its slices, known words, past counts and carried weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from plait._utils.arrays import check_array, check_counts
from plait.corpus.known_documents import KnownDocuments
from plait.errors import PlaitError
from plait.models.online import Consumed, KnownWords, OnlineLDA, Slice
from plait.responses.carried import Carried
from plait.store.fields import check_types


def check_stream(model: OnlineLDA, n_words: int) -> None:
    """Raise an error unless the state of a stream agrees with the sizes of its model.

    Parameters
    ----------
    model : OnlineLDA
        A model with the attributes of a file.
    n_words : int
        Number of words of the model.
    """
    state = check_types(
        vars(model),
        {
            "slices_": list[Slice],
            "new_words_": list[str],
            "_known_words": KnownWords | None,
            "_past": list[np.ndarray],
            "_opened": tuple[str, str | None, str | None],
            "_ahead": float | None,
            "_carried": dict[str, Carried],
            "_gathered": list[tuple[np.ndarray, KnownDocuments]] | None,
        },
    )
    for one in state["slices_"]:
        one.check_sizes(model.n_topics)
    if any(one.number != number for number, one in enumerate(state["slices_"])):
        raise PlaitError("its slices are not numbered from 0")
    if state["slices_"] and all(one.empty for one in state["slices_"]):
        raise PlaitError("all its slices are empty")
    _check_words(model, state, n_words)
    for carried in state["_carried"].values():
        carried.check_sizes(model.n_topics)
    for doc_topic, documents in state["_gathered"] or []:
        check_array("topics of a slice", doc_topic, (None, model.n_topics))
        documents.check_sizes(len(doc_topic))
    consumed = vars(model).get("consumed_")
    if consumed is not None:
        check_types({"consumed_": consumed}, {"consumed_": Consumed})
        consumed.check_sizes()


def _check_words(model: OnlineLDA, state: dict[str, Any], n_words: int) -> None:
    """Check the known words and the counts of past slices."""
    known = state["_known_words"]
    if (known is None) != (not state["slices_"]):
        raise PlaitError(f"it has {len(state['slices_'])} slices, but their words are missing")
    if known is not None:
        known.check_sizes(n_words)
        if model._unfinished is None and known.size != n_words:
            raise PlaitError(f"there are {known.size:,} known words, but the model has {n_words:,}")
    for counts in state["_past"]:
        check_counts("counts of a past slice", counts, (model.n_topics, None))
        if counts.shape[1] > (0 if known is None else known.size):
            raise PlaitError(f"a past slice has {counts.shape[1]:,} words, more than are known")
