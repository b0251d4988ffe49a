"""The task of a fold-in: a chunk of new documents under one sample. Messages only, so that it can run anywhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.engine.fold_kernels import Folded, fold_shares, fold_tokens
from plait.samplers.base import Counts, Documents, Factors, Sources
from plait.samplers.kernels import share_state, token_state
from plait.samplers.kernels.aligned import aligned_zeros


class FoldTables(NamedTuple):
    """What all chunks read: the tables of one sample."""

    n_topics: int
    real: bool  # whether counts may be real numbers
    n_sweeps: int
    alpha: np.ndarray  # float32, width
    words: np.ndarray  # float32, flat, words × width: φ
    known: np.ndarray  # float32, flat, training documents × width, with links: how often each topic was drawn


class ChunkSources(NamedTuple):
    """Candidate sources of the documents of a chunk, as in `Groups` and `Candidates`."""

    starts: np.ndarray  # document d has the candidates starts[d] up to starts[d + 1]
    rows: np.ndarray  # of every candidate: its row, counted from the first of its group
    gamma: np.ndarray
    row_starts: np.ndarray  # group g has the rows row_starts[g] up to row_starts[g + 1]
    row_documents: np.ndarray


class Chunk(NamedTuple):
    """Some new documents, in whole groups."""

    starts: np.ndarray  # int64: document d has the entries starts[d] up to starts[d + 1]
    rows: np.ndarray  # int32, of every entry: its row in the table of words
    data: np.ndarray  # of every entry: its count
    keys: np.ndarray  # uint64, of every document
    group_starts: np.ndarray  # group g has the documents group_starts[g] up to group_starts[g + 1]
    sources: ChunkSources | None


def fold_chunk(tables: FoldTables, chunk: Chunk) -> Folded:
    """Sweep new documents and return what is found of them.

    Parameters
    ----------
    tables : FoldTables
        Tables of a sample.
    chunk : Chunk
        The documents.

    Returns
    -------
    Folded
        One row per document of the chunk, one influence per candidate; `own` has no columns without candidates.
    """
    alpha = tables.alpha
    documents = _make_documents(chunk, tables.real)
    sources = _make_sources(chunk.sources, tables, documents)
    counts = Counts(tables.words, None, sources)
    factors = Factors(tables.n_topics, alpha, np.float32(0.0), None, alpha, None)
    size, n_own = chunk.keys.size, 0 if chunk.sources is None else tables.n_topics
    n_candidates = 0 if chunk.sources is None else chunk.sources.rows.size
    result = Folded(np.zeros((size, tables.n_topics)), np.zeros((size, n_own)), np.zeros(n_candidates))
    row_starts = row_documents = np.zeros(0, np.int64)
    if chunk.sources is not None:
        row_starts, row_documents = chunk.sources.row_starts, chunk.sources.row_documents
    known = (row_starts, row_documents, tables.known)
    if tables.real:
        n_shares = int(share_state.share_starts(documents, sources, alpha.size)[-1])
        state = share_state.Shares(aligned_zeros(n_shares), aligned_zeros(chunk.keys.size * alpha.size))
        shares = share_state.new_scratch(factors, sources)
        fold_shares(chunk.group_starts, documents, state, counts, factors, tables.n_sweeps, *known, result, shares)
    else:
        topics = np.full(int(documents.offsets[-1]), -1, np.int32)
        tokens = token_state.new_scratch(alpha.size, None, sources)
        sweeps = (0, tables.n_sweeps + 1, tables.n_sweeps)
        fold_tokens(chunk.group_starts, documents, topics, counts, factors, chunk.keys, *sweeps, *known, result, tokens)
    return result


def join_chunks(found: list[Folded], n_topics: int) -> Folded:
    """Return what was found of all chunks in their order.

    Parameters
    ----------
    found : list of Folded
        Results of `fold_chunk`; the list is emptied, so that nothing is held twice for long.
    n_topics : int
        Number of topics.

    Returns
    -------
    Folded
        One row per document.
    """
    last = sum(one.proportions.shape[0] for one in found)
    last_candidate = sum(one.influence.size for one in found)
    n_own = found[0].own.shape[1] if found else 0
    joined = Folded(np.empty((last, n_topics)), np.empty((last, n_own)), np.empty(last_candidate))
    while found:
        one = found.pop()
        first, first_candidate = last - one.proportions.shape[0], last_candidate - one.influence.size
        joined.proportions[first:last] = one.proportions
        joined.own[first:last] = one.own
        joined.influence[first_candidate:last_candidate] = one.influence
        last, last_candidate = first, first_candidate
    return joined


def _make_documents(chunk: Chunk, real: bool) -> Documents:
    data = chunk.data.astype(np.float32 if real else np.int32)
    lengths = np.add.reduceat(np.append(data, 0), chunk.starts)[:-1] * (np.diff(chunk.starts) > 0)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.float64 if real else np.int64)
    return Documents(chunk.starts, chunk.rows, data, offsets, 0)


def _make_sources(given: ChunkSources | None, tables: FoldTables, documents: Documents) -> Sources | None:
    if given is None:
        return None
    width = tables.alpha.size
    sources = Sources(
        starts=given.starts,
        rows=given.rows * width,
        gamma=given.gamma,
        source_topic=aligned_zeros(int(np.diff(given.row_starts).max(initial=1)) * width),
        taken=np.zeros(given.rows.size),
        drawn=None if tables.real else np.zeros(int(documents.offsets[-1]), np.uint32),
        share_starts=None,
    )
    if tables.real:
        return sources._replace(share_starts=share_state.share_starts(documents, sources, width))
    return sources
