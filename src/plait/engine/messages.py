"""Messages between a chain and its shards: plain data, so that a shard can live anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.executors.base import HeldTable, TableChanges
from plait.samplers.base import SweepInfo
from plait.samplers.kernels.aligned import aligned_zeros


class Priors(NamedTuple):
    """α and β as the samplers take them; sent at the start and whenever one of them changes."""

    alpha: np.ndarray  # float32, width; 0 in the padding
    value: np.float32  # β of every word and topic when there is no table
    sums: np.ndarray  # float32, width: Σ_v β_kv; 1 in the padding
    table: np.ndarray | None  # float32, words × width: β_kw, words by falling frequency
    words: np.ndarray | None = None  # int64, increasing: the words that `table` has rows of; None: all


def make_priors(alpha: np.ndarray, beta: float | np.ndarray, order: np.ndarray, width: int) -> Priors:
    """Return α and β as the samplers take them.

    Parameters
    ----------
    alpha : array of float64
        α of each topic.
    beta : float or array of shape (topics, words)
        β, one number or a table in the order of the corpus.
    order : array of int64
        Words by falling frequency.
    width : int
        Padded number of topics.
    """
    n_topics = alpha.size
    padded, sums = aligned_zeros(width), aligned_zeros(width)
    padded[:n_topics] = alpha
    sums[:] = 1.0
    if isinstance(beta, float):
        sums[:n_topics] = beta * order.size
        return Priors(padded, np.float32(beta), sums, None)
    sums[:n_topics] = beta.sum(axis=1)
    table = np.zeros((order.size, width), dtype=np.float32)
    table[:, :n_topics] = beta.T[order]
    return Priors(padded, np.float32(0.0), sums, table)


class LinkedTopics(NamedTuple):
    """Document–topic counts of the documents that responses of other shards depend on."""

    counts: sparse.csr_array  # rows: those documents, in their order in the corpus
    lengths: np.ndarray  # tokens per document


class Broadcast(NamedTuple):
    """What every shard is sent for a sweep."""

    key: np.uint64  # of the sweep's random numbers
    # ndarray, flat, shared words × width; TopicLists of a synchronous sampler with many topics; HeldTable
    word_topic: Any
    source_topic: Any  # ndarray, flat, shared source documents × width; HeldTable
    totals: np.ndarray  # tokens per topic
    responses: Sequence[Any]  # one message per response: its weights
    linked_topics: LinkedTopics | None
    word_rows: np.ndarray | None = None  # int64, increasing: the shared rows that `word_topic` has; None: all
    source_rows: np.ndarray | None = None  # the same of `source_topic`


class RowDeltas(NamedTuple):
    """Changes of shared rows of a count table.

    Sparse where `positions` is given: `values` are added at these positions of the flat shared table, and `rows` is
    empty. Otherwise `values` holds whole rows, one for each of `rows`.
    """

    values: np.ndarray
    positions: np.ndarray | None
    rows: np.ndarray


class RowMoves(NamedTuple):
    """Tokens that moved between entries of a frozen count table: pairs of positions, lost and gained.

    The rows of a table are divided into ranges. A move of a word stays within its row, and so within its range.
    """

    ranges: Sequence[np.ndarray]


class SweepResult(NamedTuple):
    """What a shard returns from a sweep."""

    info: SweepInfo
    # Moves of a synchronous sampler; HeldTable if they have been added, TableChanges if those of a worker have.
    word_topic: RowDeltas | RowMoves | HeldTable | TableChanges
    # The same; None of a synchronous sampler without linked documents.
    source_topic: RowDeltas | RowMoves | HeldTable | TableChanges | None
    totals: np.ndarray  # change of the tokens per topic
    linked_topics: sparse.csr_array | None  # counts of the shard's documents that other shards depend on


class ShardCounts(NamedTuple):
    """Counts of a shard rebuilt from its assignments: the rows that it shares, and its totals."""

    # Shared rows × width; sparse for counts of tokens, most of which are 0; HeldTable: counts of all shards.
    word_topic: np.ndarray | sparse.csr_array | HeldTable
    source_topic: np.ndarray | sparse.csr_array | HeldTable | None  # sparse of a synchronous sampler
    totals: np.ndarray


class RunningCounts(NamedTuple):
    """Real-valued counts of a checkpoint, which do not follow from the shares to the last bit."""

    word_topic: np.ndarray  # words × width, words by falling frequency
    source_topic: np.ndarray  # documents × width; nothing where tokens draw from their own document
    words: np.ndarray | None = None  # int64, increasing: the words that `word_topic` has rows of; None: all
    sources: np.ndarray | None = None  # the same of `source_topic`


class ReadState(NamedTuple):
    """What a shard returns when it has read its part of a checkpoint."""

    problem: str | None  # why it could not; None if it did
    recounts: bool = False  # whether counts follow from the assignments


class ResponseRequest(NamedTuple):
    """What shards need to compute statistics or to draw auxiliary variables."""

    numbers: Sequence[int]  # which responses
    messages: Sequence[Any]  # of each response of the chain: its weights
    linked_topics: LinkedTopics | None
    keys: Sequence[np.uint64] = ()  # one per number, for draws


class LabelRequest(NamedTuple):
    """A request for the statistics of one response, label by label."""

    request: ResponseRequest
    ranges: Sequence[tuple[int, int]]  # first and last label (exclusive) of each part
