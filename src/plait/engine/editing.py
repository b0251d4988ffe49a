"""Edits of a state: topics of a chain are merged, dropped or split, and another chain starts from the result.

A finished model keeps counts, not the topic of every token. `hold_sample` draws the assignments again: a chain whose
prior is the counts of a sample, so that its topics are those of the sample. `StateEdit` then changes them. Where tokens
hold one topic, n are the counts of the tokens whose topics are kept, o is the document that a token was drawn from (its
own, without linked mixing), and α and β are those of the edited model:

- merge: the tokens of the group hold one topic.
- drop: each token of the topic draws another one, p(k) ∝ (n_ok + α_k) (n_kw + β_kw) / (n_k + Σ_v β_kv).
- split: the tokens of the topic are resampled among its parts. This restricted sweep has the conditional of a chain on
  a corpus of these tokens alone, because all other counts cancel; so it is one.

Where words hold shares of topics, the same is done with the shares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.engine.chain import Chain
from plait.engine.documents import rank_words
from plait.engine.sample import Sample
from plait.errors import PlaitError
from plait.executors import Executor
from plait.mixing import OwnDocument
from plait.priors import SymmetricPrior, TablePrior
from plait.samplers import Sampler
from plait.samplers.base import Candidates, padded_width
from plait.samplers.kernels.aligned import aligned_copy
from plait.samplers.kernels.share_state import shares_as
from plait.samplers.random import generator, stream_key

_CHUNK = 4096  # tokens whose probabilities are computed at once
_LEAST = 1e-6  # tokens of a row of shares that are worth dividing; less stays with the first part
HOLD_SWEEPS = 10  # sweeps after which the assignments follow from the counts of a sample
SPLIT_SWEEPS = 50  # restricted sweeps that separate the parts of a topic


class HeldTopics(NamedTuple):
    """Topics of a state: of every token, or shares of every distinct word of each document and source."""

    owners: np.ndarray  # of each token or row of shares: the document that it was drawn from
    words: np.ndarray  # of each: its word
    sizes: np.ndarray  # of each: number of tokens
    topics: np.ndarray  # of each token: its topic; of each row of shares: shares, rows × topics
    n_topics: int
    shape: tuple[int, int]  # documents and words of the corpus

    @property
    def spread(self) -> bool:
        """Whether words hold shares of topics."""
        return self.topics.ndim == 2

    def held(self, topic: int) -> np.ndarray:
        """Return how many tokens each token or row gives to a topic."""
        return self.sizes * (self.topics[:, topic] if self.spread else self.topics == topic)

    def count_by(self, places: np.ndarray, n_places: int) -> np.ndarray:
        """Return the tokens per place (a document or a word) and topic."""
        if not self.spread:
            return sparse.coo_array((self.sizes, (places, self.topics)), shape=(n_places, self.n_topics)).toarray()
        added = sparse.coo_array((self.sizes, (places, np.arange(places.size))), shape=(n_places, places.size))
        return np.asarray(added.tocsr() @ self.topics)


class StateEdit(NamedTuple):
    """What becomes of every topic of a state.

    Parameters
    ----------
    labels : ndarray of int
        New topic of every topic; -1 for a dropped one. A split topic has the number of its first part.
    parts : dict of int to list of int
        Topics that are split, and the new topics that they become.
    n_topics : int
        Number of topics after the edit.
    """

    labels: np.ndarray
    parts: dict[int, list[int]]
    n_topics: int


class EditedPriors(NamedTuple):
    """α and β of the edited model, the sampler of its chains, and a seed."""

    alpha: np.ndarray
    beta: float | np.ndarray
    sampler: Sampler
    seed: int


def hold_sample(chain: Chain, sample: Sample, executor: Executor) -> dict[str, np.ndarray]:
    """Draw the topics of all tokens given the topics of a sample.

    Parameters
    ----------
    chain : Chain
        A new chain whose prior is that of `counts_prior`.
    sample : Sample
        The sample.
    executor : Executor
        Runs the sweeps.

    Returns
    -------
    dict of str to ndarray
        Assignments, named as in `Chain.state`.
    """
    chain.alpha = sample.alpha.copy()
    chain.start(executor)
    for _ in range(HOLD_SWEEPS):
        chain.sweep()
    state = chain.state()
    return {name: state[name] for name in ("topics", "sources", "shares", "taken") if name in state}


def counts_prior(sample: Sample) -> TablePrior:
    """Return the prior of a chain that holds a sample: its topic–word counts and its own β."""
    return TablePrior(sample.word_topic.T.toarray() + np.asarray(sample.beta, dtype=np.float64))


def edit_state(
    state: dict[str, np.ndarray],
    counts: sparse.csr_array,
    candidates: Candidates | None,
    n_topics: int,
    edit: StateEdit,
    priors: EditedPriors,
    executor: Executor,
) -> dict[str, np.ndarray]:
    """Return the assignments of the edited topics.

    Parameters
    ----------
    state : dict of str to ndarray
        Assignments that `hold_sample` returned.
    counts : csr_array of shape (documents, words)
        The corpus.
    candidates : Candidates or None
        Source documents, with linked mixing.
    n_topics : int
        Number of topics of the state.
    edit : StateEdit
        What becomes of the topics.
    priors : EditedPriors
        Of the edited model.
    executor : Executor
        Runs restricted sweeps.

    Returns
    -------
    dict of str to ndarray
        Assignments for `Chain.start`.
    """
    before = _read(state, counts, candidates, n_topics)
    topics = _relabel(before, edit)
    for topic, parts in edit.parts.items():
        _split(before, topics, topic, parts, priors, executor)
    dropped = np.flatnonzero(edit.labels < 0)
    if dropped.size:
        _redraw(before, topics, dropped, priors)
    width = padded_width(edit.n_topics)
    if not before.spread:
        return {"topics": topics, **{name: state[name] for name in ("sources",) if name in state}}
    shares = np.zeros((len(topics), width), np.float32)
    shares[:, : edit.n_topics] = topics
    found = {"shares": shares.ravel(), "doc_shares": np.zeros(counts.shape[0] * width, np.float32)}
    return found | {name: state[name] for name in ("taken",) if name in state}


def word_topic_counts(
    state: dict[str, np.ndarray], counts: sparse.csr_array, candidates: Candidates | None, n_topics: int
) -> np.ndarray:
    """Return the topic–word counts of assignments, topics × words; the parameters are those of `edit_state`."""
    found = _read(state, counts, candidates, n_topics)
    return found.count_by(found.words, counts.shape[1]).T


def _read(
    state: dict[str, np.ndarray], counts: sparse.csr_array, candidates: Candidates | None, n_topics: int
) -> HeldTopics:
    """Return the assignments of a state with the document and word of each."""
    ranked, order = rank_words(counts.tocsr())
    documents = np.repeat(np.arange(counts.shape[0]), np.diff(ranked.indptr))
    words = order[ranked.indices]
    if "topics" in state:
        documents, words = np.repeat(documents, ranked.data), np.repeat(words, ranked.data)
        owners = documents
        if candidates is not None:
            owners = candidates.documents[candidates.starts[documents] + state["sources"]]
        topics = state["topics"].astype(np.int64)
        return HeldTopics(owners, words, np.ones(topics.size), topics, n_topics, counts.shape)
    sizes, owners = ranked.data.astype(np.float64), documents
    if candidates is not None:  # one row per candidate source of the document
        degrees = np.diff(candidates.starts)[documents]
        first = np.repeat(candidates.starts[documents] - np.cumsum(degrees) + degrees, degrees)
        owners = candidates.documents[first + np.arange(first.size)]
        words, sizes = np.repeat(words, degrees), np.repeat(sizes, degrees)
    shares = shares_as(aligned_copy(state["shares"]), np.float32).reshape(-1, padded_width(n_topics))[:, :n_topics]
    return HeldTopics(owners, words, sizes, shares.astype(np.float64), n_topics, counts.shape)


def _relabel(before: HeldTopics, edit: StateEdit) -> np.ndarray:
    """Return topics with new numbers: -1 for tokens of dropped topics; shares of these are left out."""
    if not before.spread:
        return edit.labels[before.topics]
    shares = np.zeros((len(before.topics), edit.n_topics))
    for topic, label in enumerate(edit.labels):
        if label >= 0:
            shares[:, label] += before.topics[:, topic]
    return shares


def _split(
    before: HeldTopics, topics: np.ndarray, topic: int, parts: list[int], priors: EditedPriors, executor: Executor
) -> None:
    """Resample the tokens of a topic among its parts, in place."""
    held = before.held(topic)
    rows = np.flatnonzero(held > _LEAST)
    if held.sum() < len(parts):
        raise PlaitError(
            f"topic {topic} has {held.sum():g} tokens, too few for {len(parts)} parts; drop it, or split a larger one"
        )
    own = sparse.coo_array((held[rows], (before.owners[rows], before.words[rows])), shape=before.shape).tocsr()
    own.sum_duplicates()
    if not before.spread:
        own = own.astype(np.int32)
    beta = priors.beta
    chain = Chain(
        own,
        len(parts),
        mixing=OwnDocument(priors.alpha[parts]),
        prior=SymmetricPrior(beta) if isinstance(beta, float) else TablePrior(beta[parts]),
        sampler=priors.sampler,
        seed=int(stream_key(priors.seed, "split", topic)),
    )
    chain.start(executor)
    for _ in range(SPLIT_SWEEPS):
        chain.sweep()
    found = _read(chain.state(), own, None, len(parts))
    new = np.array(parts)
    if not before.spread:
        # Tokens of one word in one document are alike, so they may be taken in any order.
        topics[rows[np.lexsort((before.words[rows], before.owners[rows]))]] = new[
            found.topics[np.lexsort((found.words, found.owners))]
        ]
        return
    keys = found.owners * before.shape[1] + found.words
    places = np.argsort(keys)
    entry = places[np.searchsorted(keys[places], before.owners[rows] * before.shape[1] + before.words[rows])]
    fractions = found.topics[entry] / found.topics[entry].sum(axis=1, keepdims=True)
    topics[rows, new[0]] -= before.topics[rows, topic]
    topics[rows[:, np.newaxis], new] += before.topics[rows, topic][:, np.newaxis] * fractions
    np.maximum(topics, 0.0, out=topics)


def _redraw(before: HeldTopics, topics: np.ndarray, dropped: np.ndarray, priors: EditedPriors) -> None:
    """Draw new topics for the tokens of dropped topics given those of all others, in place."""
    n_topics = priors.alpha.size
    if before.spread:
        kept, lost = before._replace(topics=topics, n_topics=n_topics), before.topics[:, dropped].sum(axis=1)
    else:
        known = topics >= 0
        kept = HeldTopics(
            before.owners[known], before.words[known], before.sizes[known], topics[known], n_topics, before.shape
        )
        lost = (~known).astype(np.float64)
    by_owner, by_word = kept.count_by(kept.owners, before.shape[0]), kept.count_by(kept.words, before.shape[1])
    sums = priors.beta * before.shape[1] if isinstance(priors.beta, float) else priors.beta.sum(axis=1)
    scale = 1.0 / (by_word.sum(axis=0) + sums)
    rows = np.flatnonzero(lost > 0)
    uniforms = generator(stream_key(priors.seed, "dropped topics")).random(rows.size)
    for first in range(0, rows.size, _CHUNK):
        own = rows[first : first + _CHUNK]
        words = before.words[own]
        expected = priors.beta if isinstance(priors.beta, float) else priors.beta[:, words].T
        weights = (by_owner[before.owners[own]] + priors.alpha) * (by_word[words] + expected) * scale
        weights /= weights.sum(axis=1, keepdims=True)
        if before.spread:
            topics[own] += lost[own][:, np.newaxis] * weights
        else:
            below = weights.cumsum(axis=1) < uniforms[first : first + _CHUNK, np.newaxis]
            topics[own] = np.minimum(below.sum(axis=1), n_topics - 1)
