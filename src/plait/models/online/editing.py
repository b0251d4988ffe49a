"""A stream with edited topics: its past follows the topics, and its last slice is learned again.

The tokens of past slices are gone; their counts and records remain. Rows of merged topics are added, rows of dropped
topics are removed, and the row of a split topic is divided word by word in the proportions that its parts have in the
last slice: C_jw = C_kw n_jw / Σ_i n_iw over the parts i of topic k (for words that the topic does not have there, in
proportion to all its tokens). Drift and novelty of a changed topic are unknown in past slices (NaN).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from plait._utils.topic_rows import Origins, mean_rows, sum_rows
from plait.corpus import Corpus
from plait.models.editing.operations import TopicEdit
from plait.models.online.record import Slice
from plait.models.online.state import StreamState
from plait.responses.carried import Carried


def last_learned(slices: list[Slice]) -> int:
    """Return the number of the last slice with words.

    Parameters
    ----------
    slices : list of Slice
        Records of a stream, at least one with words.
    """
    return max(one.number for one in slices if not one.empty)


def select_last_slice(model: Any, corpus: Corpus) -> Corpus:
    """Return the documents of a corpus that belong to the last slice of a stream, by their times.

    Parameters
    ----------
    model : OnlineLDA
        A fitted stream.
    corpus : Corpus
        Documents of all slices, or of the last one.

    Returns
    -------
    Corpus
        The documents between the first and the last time of the slice; all, if the slice has no times.
    """
    last = model.slices_[last_learned(model.slices_)]
    if last.begins is None or last.ends is None or corpus.times is None:
        return corpus
    inside = (corpus.times >= np.datetime64(last.begins)) & (corpus.times <= np.datetime64(last.ends))
    return corpus.select(np.flatnonzero(inside))


def reopen_last_slice(state: StreamState) -> StreamState:
    """Return the state in which the last slice with words is about to be learned again.

    The weights of responses that were carried to it are gone; those that it carries on stand in for them.

    Parameters
    ----------
    state : StreamState
        State after the slice.
    """
    number = last_learned(state.slices)
    last = state.slices[number]
    return replace(
        state,
        slices=state.slices[:number],
        past=state.past[:-1],
        opened=(last.label, last.begins, last.ends),
        ahead=last.perplexity,
    )


def edit_stream(state: StreamState, edit: TopicEdit, counts: np.ndarray | None) -> StreamState:
    """Return the state of a stream whose past has edited topics.

    Parameters
    ----------
    state : StreamState
        State of the stream.
    edit : TopicEdit
        What becomes of the topics.
    counts : ndarray of shape (new topics, words) or None
        Topic–word counts of the edited topics in the last slice, which divide split topics; None: equal parts.
    """
    assert state.known_words is not None
    names, n_words = state.known_words.names, state.known_words.size
    fractions, overall = _fractions(edit, counts, n_words)
    column_of = {f"x{column}" if names is None else str(names[column]): column for column in range(n_words)}
    past = [
        np.stack([np.sum(held[list(own)], axis=0) * part[: held.shape[1]] for own, part in _zip(edit, fractions)])
        for held in state.past
    ]
    carried = {kind: _edit_carried(kind, one, edit.origins) for kind, one in state.carried.items()}
    return replace(
        state,
        slices=[_edit_record(one, edit, fractions, overall, column_of) for one in state.slices],
        past=[held.astype(np.float32) for held in past],
        carried=carried,
    )


def restore_stream(before: StreamState, after: StreamState, edit: TopicEdit, seed: int) -> StreamState:
    """Return the state of an edited stream with what its last slice said of words, and with later empty slices.

    Parameters
    ----------
    before : StreamState
        State before the edit.
    after : StreamState
        State after the last slice was learned again.
    edit : TopicEdit
        What became of the topics.
    seed : int
        Seed of the chain that learned it.
    """
    number = last_learned(before.slices)
    old = before.slices[number]
    last = replace(after.slices[-1], n_new_words=old.n_new_words, n_forgotten_words=old.n_forgotten_words, seed=seed)
    empty = edit_stream(replace(before, slices=before.slices[number + 1 :], past=[], carried={}), edit, None).slices
    return replace(
        after,
        slices=[*after.slices[:-1], last, *empty],
        new_words=before.new_words,
        known_words=before.known_words,
    )


def edit_doc_topic(doc_topic: np.ndarray, edit: TopicEdit, tokens: np.ndarray) -> np.ndarray:
    """Return the topic proportions of documents of past slices for edited topics.

    Parameters
    ----------
    doc_topic : ndarray of shape (documents, topics)
        Topic proportions before the edit.
    edit : TopicEdit
        What became of the topics.
    tokens : ndarray of shape (new topics,)
        Tokens per topic of the last slice, in whose proportions split topics are divided.

    Returns
    -------
    ndarray of shape (documents, new topics)
        Rows sum to 1.
    """
    _, overall = _fractions(edit, tokens[:, np.newaxis], 1)
    edited = np.stack([doc_topic[:, list(own)].sum(axis=1) * part for own, part in _zip(edit, overall)], axis=1)
    return edited / edited.sum(axis=1, keepdims=True)


def _zip(edit: TopicEdit, values: np.ndarray) -> Any:
    return zip(edit.origins, values, strict=True)


def _fractions(edit: TopicEdit, counts: np.ndarray | None, n_words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of each new topic in the tokens of its topics, by word and overall; 1 for unsplit topics."""
    fractions, overall = np.ones((edit.n_topics, n_words)), np.ones(edit.n_topics)
    for parts in edit.state_edit.parts.values():
        held = np.ones((len(parts), n_words)) if counts is None else counts[parts].astype(np.float64)
        totals = held.sum(axis=1)
        overall[parts] = totals / totals.sum() if totals.any() else 1 / len(parts)
        sums = held.sum(axis=0)
        fractions[parts] = np.where(sums > 0, held / np.where(sums > 0, sums, 1.0), overall[parts][:, np.newaxis])
    return fractions, overall


def _edit_carried(kind: str, carried: Carried, origins: Origins) -> Carried:
    """Return carried weights: means for merged topics, copies for split ones."""
    weights = carried.weights
    if kind != "links":
        return carried._replace(weights=mean_rows(weights.T, origins).T)
    if carried.form == "diagonal":
        return carried._replace(weights=np.diag(mean_rows(np.diag(weights), origins)))
    return carried._replace(weights=mean_rows(mean_rows(weights, origins).T, origins).T)


def _edit_record(
    record: Slice, edit: TopicEdit, fractions: np.ndarray, overall: np.ndarray, column_of: dict[str, int]
) -> Slice:
    """Return the record of a past slice for edited topics."""
    tokens, origins, changed = record.topic_tokens, edit.origins, edit.changed
    first = [own[0] for own in origins]

    def unless_changed(values: np.ndarray) -> np.ndarray:
        return np.where(changed, np.nan, values[first])

    weighted = sum_rows(tokens * record.topic_repeats, origins)
    totals = sum_rows(tokens, origins)
    words, probabilities = record.words[first].copy(), record.probabilities[first].copy()
    for new in np.flatnonzero(changed) if record.words.shape[1] else ():
        words[new], probabilities[new] = _edit_words(record, origins[new], fractions[new], overall[new], column_of)
    risen = record.risen[first].copy()
    risen[changed] = ""
    return replace(
        record,
        topic_tokens=np.array([tokens[list(own)].sum() * part for own, part in _zip(edit, overall)]),
        topic_repeats=np.where(totals > 0, weighted / np.where(totals > 0, totals, 1.0), record.topic_repeats[first]),
        drift=unless_changed(record.drift),
        noise=unless_changed(record.noise),
        novelty=unless_changed(record.novelty),
        risen=risen,
        words=words,
        probabilities=probabilities,
    )


def _edit_words(
    record: Slice, own: tuple[int, ...], fraction: np.ndarray, overall: float, column_of: dict[str, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the top words of a changed topic in a past slice, and their probabilities."""
    tokens = record.topic_tokens[list(own)]
    shares = tokens / tokens.sum() if tokens.sum() > 0 else np.full(len(own), 1 / len(own))
    found: dict[str, float] = {}
    for topic, share in zip(own, shares, strict=True):
        for word, probability in zip(record.words[topic], record.probabilities[topic], strict=True):
            column = column_of.get(str(word), -1)
            part = (fraction[column] if column >= 0 else overall) / max(overall, 1e-12)
            found[str(word)] = found.get(str(word), 0.0) + share * float(probability) * part
    ranked = sorted(found.items(), key=lambda item: -item[1])[: record.words.shape[1]]
    return np.array([word for word, _ in ranked], dtype=object), np.array([min(p, 1.0) for _, p in ranked], np.float32)
