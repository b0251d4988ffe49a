"""The state of an interrupted chain: what its arrays must be before a chain continues from them.

The state comes from a file, and compiled code uses its topics, sources and pairs as indices. `check_state` checks what
follows from the sizes of the model. What only the corpus decides, the number of tokens and the candidate sources of
each, is checked where the arrays are taken over: by the chain, by the assignments and by the responses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from plait._utils.arrays import NUMBER, WHOLE, check_array
from plait._utils.text import short
from plait.engine.sample import check_priors, check_weights
from plait.engine.state_files import StoredState
from plait.errors import PlaitError
from plait.samplers.base import padded_width

_MOST_COUNT = 1e30  # of real-valued counts, which are kept in float32


def check_state(state: Any, n_words: int, n_topics: int, n_documents: int) -> None:
    """Raise an error unless a state of a chain has these sizes, and topics and documents in their ranges.

    Parameters
    ----------
    state : object
        What `Chain.state` returned, or what a file has in its place.
    n_words, n_topics, n_documents : int
        Sizes of the model.
    """
    if not isinstance(state, Mapping) or not all(isinstance(name, str) for name in state):
        raise PlaitError("the state of the chain is not a dict of arrays")
    _check_own(state, n_words, n_topics)
    _check_names(state, "shares" if "shares" in state else "topics")
    check_arrays(state, n_words, n_topics, n_documents)


def check_stored(state: StoredState, n_words: int, n_topics: int, n_documents: int) -> None:
    """Raise an error unless the arrays of the chain itself are valid; those of the shards are not read.

    Parameters
    ----------
    state : StoredState
        State whose shards' arrays are in files.
    n_words, n_topics, n_documents : int
        Sizes of the model.
    """
    _check_own(state.own, n_words, n_topics)
    check_arrays(state.own, n_words, n_topics, n_documents)


def _check_names(state: Mapping[str, Any], *names: str) -> None:
    for name in names:
        if name not in state:
            raise PlaitError(f"the state of the chain has no {name}")


def _check_own(state: Mapping[str, Any], n_words: int, n_topics: int) -> None:
    """Raise an error unless the number of sweeps, α and β are there and valid."""
    _check_names(state, "n_sweeps", "alpha", "beta")
    check_array("n_sweeps of the chain", state["n_sweeps"], (), WHOLE, least=0)
    check_priors(state["alpha"], state["beta"], n_words, n_topics)


def check_arrays(state: Mapping[str, Any], n_words: int, n_topics: int, n_documents: int) -> None:
    """Raise an error unless the arrays that compiled code uses have these sizes and their ranges.

    Parameters
    ----------
    state : mapping of str to ndarray
        Arrays of a chain, or of a shard.
    n_words, n_topics, n_documents : int
        Sizes of the model, or documents of the shard.
    """
    width = padded_width(n_topics)
    shapes: dict[str, tuple[int | None, ...]] = {
        "doc_shares": (n_documents * width,),
        "word_shares": (n_words, width),
        "totals": (width,),
        "source_shares": (n_documents * width,),
        "taken": (None,),
        "shared word_shares": (None, width),
        "shared source_shares": (None, width),
        "private word_shares": (None, width),
        "private source_shares": (None, width),
    }
    for name, array in state.items():
        where = f"{short(name)} of the chain"
        if name == "topics":
            check_array(where, array, (None,), WHOLE, least=0, most=n_topics - 1)
        elif name == "sources":
            check_array(where, array, (None,), WHOLE, least=0)
        elif name == "shares":
            check_array(where, array, (None,), NUMBER, least=0)
        elif name in shapes:
            check_array(where, array, shapes[name], NUMBER, least=-_MOST_COUNT, most=_MOST_COUNT)
        elif found := re.fullmatch(r"response \d+ (\w+)", name):
            _check_response(where, found[1], array, n_topics, n_documents)


def _check_response(where: str, name: str, array: Any, n_topics: int, n_documents: int) -> None:
    """Raise an error unless an array of a response is valid."""
    if name in ("sources", "targets"):
        check_array(where, array, (None,), WHOLE, least=0, most=n_documents - 1)
    elif name == "weights":
        check_weights(where, array, n_topics)
    elif name in ("pull", "precision"):
        check_array(where, array, (None,), least=0 if name == "precision" else None)
    elif name == "n_sweeps":
        check_array(where, array, (), WHOLE, least=0)
    else:  # of a response that plait does not have itself
        check_array(where, array, np.shape(array), NUMBER)
