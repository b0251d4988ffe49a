"""What is kept of a slice once it was learned: its record, and the state for the next slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from plait.errors import PlaitError
from plait.models.online.counts import doc_repeats, mean_counts, without_words
from plait.models.online.evolution import compare, find_risen, first_risen, novelty_of
from plait.models.online.growing import seen_in
from plait.models.online.record import KnownWords, Slice
from plait.models.online.state import SliceFit, StreamState
from plait.responses import Response

_KEPT_WORDS = 20  # top words of each topic that are kept of every slice


def close_slice(
    fit: SliceFit,
    attributes: dict[str, Any],
    names: np.ndarray,
    past: list[np.ndarray],
    weights: list[float],
    forget_after: int | None,
) -> tuple[StreamState, dict[str, Any]]:
    """Return the state and the fitted attributes after a slice.

    Parameters
    ----------
    fit : SliceFit
        The finished fit of the slice.
    attributes : dict of str to object
        Fitted attributes of the fit.
    names : ndarray of str
        The words.
    past : list of ndarray
        Topic–word counts of the slices in the window.
    weights : list of float
        Weights of these slices.
    forget_after : int or None
        Number of slices after which unseen words are forgotten.

    Returns
    -------
    StreamState
        The state before the next slice, without carried weights.
    dict of str to object
        Fitted attributes.
    """
    state, samples = fit.state, attributes["_chain_samples"][0]
    number, counts = len(state.slices), fit.words.counts
    now = mean_counts(samples)
    drift, noise = compare(now, past, weights)
    squares = np.asarray(counts.astype(np.float64).power(2).sum(axis=0)).ravel()
    risen = find_risen(now, past, weights, squares)
    known = seen_in(fit.words, state.known_words, number)
    word_counts, topic_word = attributes["word_counts_"], attributes["topic_word_"]
    new = state.n_known_words + np.argsort(-word_counts[state.n_known_words :], kind="stable")
    new = new[word_counts[new] > 0]
    kept = np.ones(known.size, dtype=bool)
    if forget_after is not None:
        kept = known.last_seen > number - forget_after
    first = np.argsort(-topic_word, axis=1, kind="stable")[:, :_KEPT_WORDS]
    label, begins, ends = state.opened
    record = Slice(
        number=number,
        label=label,
        begins=begins,
        ends=ends,
        n_documents=counts.shape[0],
        n_tokens=float(counts.sum(dtype=np.float64)),
        n_new_words=new.size,
        n_forgotten_words=int((~kept).sum()),
        seed=state.slice_seed,
        topic_tokens=now.sum(axis=1, dtype=np.float64),
        topic_repeats=doc_repeats(fit.words, attributes["doc_topic_"]),
        drift=drift,
        noise=noise,
        novelty=novelty_of(risen, now),
        risen=first_risen(risen, names, now.shape[0]),
        words=np.array([[str(names[word]) for word in row] for row in first], dtype=object),
        probabilities=np.take_along_axis(topic_word, first, axis=1).astype(np.float32),
        perplexity=state.ahead,
    )
    gathered = state.gathered
    if gathered is not None:
        gathered = [*gathered, (attributes["doc_topic_"], attributes["documents_"])]
    state = replace(
        state,
        slices=[*state.slices, record],
        new_words=[str(names[word]) for word in new],
        known_words=known,
        past=[*past, now],
        gathered=gathered,
    )
    # Seconds differ between a stream that was interrupted and one that was not; everything else is bit-identical.
    attributes = attributes | {"history_": [sweep._replace(seconds=0.0) for sweep in attributes["history_"]]}
    return (state, attributes) if kept.all() else _forget_words(state, attributes, kept)


def carry_weights(state: StreamState, fit: SliceFit, samples: list[Any], responses: Sequence[Response]) -> StreamState:
    """Return the state with the weights that a slice hands on to the next one.

    Parameters
    ----------
    state : StreamState
        State after the slice.
    fit : SliceFit
        Fit of the slice.
    samples : list of Sample
        Samples of its chain.
    responses : sequence of Response
        Responses of the model.

    Returns
    -------
    StreamState
        The state.
    """
    carried = dict(state.carried)
    for place, one in enumerate(responses):
        learned = np.mean([sample.weights[place] for sample in samples], axis=0)
        carried[one.kind] = one.carry(fit.given[one.kind], learned, state.carried.get(one.kind))
    return replace(state, carried=carried)


def close_empty_slice(state: StreamState, label: str | None, n_documents: int) -> StreamState:
    """Return the state after a slice without words.

    Parameters
    ----------
    state : StreamState
        State before the slice.
    label : str or None
        Its label; None for its number.
    n_documents : int
        Number of its documents.

    Returns
    -------
    StreamState
        The state, with a record of the empty slice.
    """
    if not state.slices:
        raise PlaitError("the first slice holds no words, so there is nothing to begin with; begin with one that does")
    last = next(one for one in reversed(state.slices) if not one.empty)
    nothing = np.full(last.topic_tokens.size, np.nan)
    record = Slice(
        number=len(state.slices),
        label=f"slice {len(state.slices)}" if label is None else label,
        begins=None,
        ends=None,
        n_documents=n_documents,
        n_tokens=0.0,
        n_new_words=0,
        n_forgotten_words=0,
        seed=state.slice_seed,
        topic_tokens=np.zeros(nothing.size),
        topic_repeats=np.zeros(nothing.size),
        drift=nothing,
        noise=nothing,
        novelty=nothing,
        risen=last.risen[:, :0],
        words=last.words[:, :0],
        probabilities=last.probabilities[:, :0],
    )
    return replace(state, slices=[*state.slices, record], new_words=[])


def _forget_words(
    state: StreamState, attributes: dict[str, Any], kept: np.ndarray
) -> tuple[StreamState, dict[str, Any]]:
    """Return the state and the attributes with some words removed."""
    assert state.known_words is not None
    assert state.known_words.names is not None
    known = KnownWords(state.known_words.names[kept], state.known_words.last_seen[kept])
    past = [counts[:, kept[: counts.shape[1]]] for counts in state.past]
    samples = [[without_words(sample, kept) for sample in samples] for samples in attributes["_chain_samples"]]
    topic_word = attributes["topic_word_"][:, kept]
    changed = {
        "_chain_samples": samples,
        "topic_word_": topic_word / topic_word.sum(axis=1, keepdims=True),
        "word_counts_": attributes["word_counts_"][kept],
        "vocabulary_": known.names,
        "beta_": samples[0][-1].beta,
        "n_features_in_": known.size,
    }
    if "feature_names_in_" in attributes:
        changed["feature_names_in_"] = known.names
    return replace(state, known_words=known, past=past), attributes | changed
