"""Fold-in by links: topics of new documents from the training documents that they are linked with.

Everything that a model has learned is kept as it is. Words of a new document are used where they are known; a token
whose word is not known has a topic as well. Sweeps over the tokens, by the loop of fold_kernels.py, alternate with
draws of the auxiliary variables of the pairs. All random numbers of a document are keyed by its own words and partners,
so it gets the same topics whichever documents it comes with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
import scipy.sparse as sparse

from plait.engine.fold_in import pad_topics
from plait.engine.fold_kernels import Folded, draw_pairs, fold_tokens, make_pair_keys, observe_pairs, start_topics
from plait.engine.sample import Sample
from plait.executors import Executor
from plait.responses.losses import Loss, Pseudo
from plait.responses.losses.keyed import KeyedRandom
from plait.samplers.base import Counts, Documents, Factors, Observations, padded_width
from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.tilt import map_documents
from plait.samplers.kernels.token_state import new_scratch
from plait.samplers.random import stream_key

_CHUNK = 64  # new documents per task
_BLOCK = 1024  # training documents per task
# Each turns a document's key into the key of one purpose.
_START, _OBSERVE = (stream_key(0, f"fold in by links: {name}") for name in ("start", "observe"))
# Direction of the link of a pair: not known, from the new document to the training document, or the reverse.
EITHER, TO, FROM = range(3)
_UNLINKED = [stream_key(0, f"fold in by links: unlinked{side}") for side in ("", ", to", ", from")]


class KnownLinks(NamedTuple):
    """The links of new documents in one direction, and the number of pairs without a link to draw per document."""

    side: int  # EITHER, TO or FROM
    linked: sparse.csr_array  # new documents × training documents, an entry per link
    n_unlinked: int  # at most all others


class KnownPairs(NamedTuple):
    """Pairs of new documents with training documents: document d has the pairs starts[d] up to starts[d + 1]."""

    starts: np.ndarray  # int64
    known: np.ndarray  # int64: training documents
    signs: np.ndarray  # float64: +1 linked, −1 not linked
    costs: np.ndarray  # float64
    sides: np.ndarray  # int64: EITHER, TO or FROM


class NewDocuments(NamedTuple):
    """New documents with known pairs."""

    counts: sparse.csr_array  # documents × (words + 1); the last column counts tokens whose word is not known
    pairs: KnownPairs
    keys: np.ndarray  # uint64, of every document: the key of its random numbers


class _Tables(NamedTuple):
    """What all chunks of a batch read."""

    loss: Loss
    n_sweeps: int
    factors: Factors
    words: np.ndarray  # float32, flat, (words + 1) × width: φ, and 1 for words that are not known
    directions: np.ndarray  # float32, flat, rows × width


class _Chunk(NamedTuple):
    """Some new documents with their pairs."""

    tokens: Documents
    keys: np.ndarray  # uint64, of every document
    starts: np.ndarray  # int64: document d has the pairs starts[d] up to starts[d + 1]
    rows: np.ndarray  # int32, of every pair: its row of the table of directions
    signs: np.ndarray
    costs: np.ndarray


def pair_documents(
    counts: sparse.csr_array, links: Sequence[KnownLinks], costs: tuple[float, float], seed: int
) -> NewDocuments:
    """Return new documents with their links, and with pairs without a link, which are drawn at random.

    Parameters
    ----------
    counts : csr_array of shape (new documents, words + 1)
        Known words; the last column counts tokens whose word is not known.
    links : sequence of KnownLinks
        The links, one entry per direction.
    costs : tuple of float
        Cost of a link, and of a pair without a link.
    seed : int
        Seed of the model.

    Returns
    -------
    NewDocuments
        The pairs and the key of a document depend on its own words and links only.
    """
    sides = tuple(each.side for each in links)
    linked = sparse.csr_array(sparse.hstack([each.linked for each in links], format="csr"))
    content = counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data.astype(np.int32)
    stream = stream_key(seed, "fold in by links" if sides == (EITHER,) else f"fold in by links: {sides}")
    keys = np.empty(linked.shape[0], np.uint64)
    make_pair_keys(stream, *content, linked.indptr.astype(np.int64), linked.indices.astype(np.int64), keys)
    drawn = [_draw_side(each, keys) for each in links]
    documents, known, signs, sides_of_pairs = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    order = np.argsort(documents, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=keys.size))]).astype(np.int64)
    signs = signs[order]
    pairs = KnownPairs(starts, known[order], signs, np.where(signs > 0, *costs), sides_of_pairs[order])
    return NewDocuments(counts, pairs, keys)


def _draw_side(links: KnownLinks, keys: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the pairs of one direction: new document, training document, sign and side of each."""
    side, linked, n_unlinked = links
    n_known = linked.shape[1]
    partner_starts, partners = linked.indptr.astype(np.int64), linked.indices.astype(np.int64)
    n_partners = np.diff(partner_starts)
    n_pairs = n_partners + np.minimum(n_known - n_partners, n_unlinked)
    starts = np.concatenate([[0], np.cumsum(n_pairs)]).astype(np.int64)
    known, signs = np.empty(starts[-1], np.int64), np.empty(starts[-1])
    draw_pairs(_UNLINKED[side], keys, partner_starts, partners, n_known, starts, known, signs)
    return np.repeat(np.arange(keys.size), n_pairs), known, signs, np.full(known.size, side)


class PairFoldIn:
    """Topics of new documents with known links, under one sample of a chain.

    Parameters
    ----------
    sample : Sample
        A sample with the topics of the training documents.
    lengths : ndarray of shape (training documents,)
        Number of tokens of each training document.
    loss : Loss
        Loss of the link response.
    place : int, default 0
        Index of the link response among those of the model.
    """

    def __init__(self, sample: Sample, lengths: np.ndarray, loss: Loss, place: int = 0) -> None:
        self.sample = sample
        self.lengths = lengths
        self.loss = loss
        self.n_topics = sample.alpha.size
        self.topic_word = sample.topic_word()
        weights = sample.weights[place]
        # M of each side: the value of a pair is u · z̄ of the new document with u = M z̄ of the training document. Where
        # the direction of a link is not known, it counts half for each.
        self._maps = {EITHER: 0.5 * (weights + weights.T), TO: weights, FROM: weights.T}

    def proportions(self, documents: NewDocuments, n_sweeps: int, executor: Executor) -> np.ndarray:
        """Return ϑ of each document, averaged over the second half of the sweeps.

        Parameters
        ----------
        documents : NewDocuments
            Known words and pairs.
        n_sweeps : int
            Number of sweeps.
        executor : Executor
            Runs chunks of documents in parallel.

        Returns
        -------
        ndarray of shape (documents, topics)
            Rows sum to 1.
        """
        n_documents = documents.counts.shape[0]
        pairs = documents.pairs
        ends, rows = np.unique(pairs.sides * self.lengths.size + pairs.known, return_inverse=True)
        tables = self._make_tables(ends, n_sweeps, executor)
        rows = rows.astype(np.int32)
        chunks = [
            _cut(documents, rows, first, min(first + _CHUNK, n_documents)) for first in range(0, n_documents, _CHUNK)
        ]
        work = float(documents.counts.data.sum()) * (n_sweeps + 1) * tables.factors.alpha.size
        found = executor.spread(_fold_chunk, tables, chunks, work)
        return np.concatenate([np.zeros((0, self.n_topics)), *found])

    def _make_tables(self, ends: np.ndarray, n_sweeps: int, executor: Executor) -> _Tables:
        width = padded_width(self.n_topics)
        words = aligned_zeros((self.topic_word.shape[1] + 1, width))
        words[:-1, : self.n_topics] = self.topic_word.T
        words[-1, : self.n_topics] = 1.0
        alpha = pad_topics(self.sample.alpha, width)
        factors = Factors(self.n_topics, alpha, np.float32(0.0), None, alpha, None)
        return _Tables(self.loss, n_sweeps, factors, words.ravel(), self._make_directions(ends, width, executor))

    def _make_directions(self, ends: np.ndarray, width: int, executor: Executor) -> np.ndarray:
        """Return M z̄ of training documents (flat, ends × width); an end is side × training documents + document."""
        doc_topic = self.sample.doc_topic
        assert doc_topic is not None
        sides, known = np.divmod(ends, self.lengths.size)
        directions = aligned_zeros(known.size * width)
        maps = {side: aligned_zeros((width, width)) for side in np.unique(sides)}
        for side, columns in maps.items():
            columns[: self.n_topics, : self.n_topics] = self._maps[int(side)].T

        def fill(block: tuple[int, int]) -> None:
            first, last = block
            own = known[first:last]
            counts = pad_topics(doc_topic[own].toarray(), width).ravel()
            own_map = maps[sides[first]].ravel()
            map_documents(own_map, directions, known.size, first, last, counts, self.lengths[own], width)

        executor.map(fill, [block for side in maps for block in _blocks(sides, int(side))])
        return directions


def _blocks(sides: np.ndarray, side: int) -> list[tuple[int, int]]:
    """Return the blocks of one side in a sorted array of sides."""
    begin, end = np.searchsorted(sides, [side, side + 1])
    return [(first, min(first + _BLOCK, int(end))) for first in range(int(begin), int(end), _BLOCK)]


def _cut(documents: NewDocuments, rows: np.ndarray, first: int, last: int) -> _Chunk:
    """Return some documents; pairs are views."""
    starts = documents.pairs.starts[first : last + 1]
    own = slice(starts[0], starts[-1])
    return _Chunk(
        _make_tokens(documents.counts, first, last - first),
        documents.keys[first:last],
        starts - starts[0],
        rows[own],
        documents.pairs.signs[own],
        documents.pairs.costs[own],
    )


def _fold_chunk(tables: _Tables, chunk: _Chunk) -> np.ndarray:
    """Return ϑ of some documents; messages only, so that it can run anywhere."""
    loss, n_sweeps, factors = tables[:3]
    tokens, keys, starts, rows, signs, costs = chunk
    pseudo = loss.begin(signs, costs)
    observations = Observations(starts, rows, *pseudo, tables.directions, exact=True)
    topics = np.empty(int(tokens.offsets[-1]), np.int32)
    start_topics(_START, tokens.offsets, keys, factors.alpha, factors.n_topics, topics)
    folded = Folded(np.zeros((keys.size, factors.n_topics)), np.zeros((0, 0)), np.zeros(0))
    values, pair_keys = np.empty(signs.size), np.empty(signs.size, np.uint64)
    groups, no_sources = np.arange(keys.size + 1), (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    counts = Counts(tables.words, None, None)
    scratch = new_scratch(factors.alpha.size, observations)
    assert scratch.exact_tilt is not None
    for sweep in range(n_sweeps + 1):
        observations = observations._replace(pull=_as_doubles(pseudo.pull), precision=_as_doubles(pseudo.precision))
        observed = factors._replace(observations=observations)
        scratch.exact_tilt.owner[:] = -1  # rows of A depend on the auxiliary variables
        sweeps = (sweep, sweep + 1, n_sweeps)
        fold_tokens(groups, tokens, topics, counts, observed, keys, *sweeps, *no_sources, folded, scratch)
        observe_pairs(_OBSERVE, sweep, tokens.offsets, topics, keys, observations, scratch.doc_topic, values, pair_keys)
        random = cast(np.random.Generator, KeyedRandom(pair_keys))  # it has the methods that losses use
        pseudo = Pseudo(*loss.observe(signs, values, costs, random))
    return folded.proportions


def _make_tokens(counts: sparse.csr_array, first: int, n_documents: int) -> Documents:
    """Return the words of some documents."""
    starts = counts.indptr[first : first + n_documents + 1].astype(np.int64)
    own = slice(starts[0], starts[-1])
    data = counts.data[own].astype(np.int32)
    before = np.concatenate([[0], np.cumsum(data, dtype=np.int64)])
    return Documents(starts - starts[0], counts.indices[own].astype(np.int32), data, before[starts - starts[0]], 0)


def _as_doubles(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, np.float64)
