"""The contract of a sampler, read first: what one sweep over one shard of documents is given and gives back.

A sampler is a specification (frozen, comparable, cheap to copy) that knows which form its state has, and one
compiled sweep. Everything the sweep reads or changes arrives as the small groups of arrays below; `None` in
the place of an array means that the factor is absent and costs nothing.

Tables of topics are flat and padded: a row has `width` entries, the number of topics rounded up to
sixteen lanes. Padding has α = 0, so it can never be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from plait.samplers.kernels.lanes import LANES


class Documents(NamedTuple):
    """The words of one shard: entry e says that a document holds counts[e] occurrences of words[e]."""

    starts: np.ndarray  # entries of document d: starts[d] up to starts[d + 1]
    words: np.ndarray  # int32, rows of the shard's own word table
    counts: np.ndarray  # int32 occurrences; float32 where the state is shares
    offsets: np.ndarray  # occurrences before each document, and all; int64, or float64 for shares
    first: int  # number of the shard's first document in the corpus


class Candidates(NamedTuple):
    """For every document of the corpus those that its words may draw their topics from: first itself, then others."""

    starts: np.ndarray  # int64: document d has candidates starts[d] up to starts[d + 1]
    documents: np.ndarray  # int64
    gamma: np.ndarray  # float64: how much is expected of each before any word is seen


class Sources(NamedTuple):
    """The candidates of one shard's documents, and what was drawn from them.

    Rows of `source_topic` are documents of the corpus: the shard's own, and others that these may draw from.
    """

    starts: np.ndarray  # int64: candidates of the shard's documents
    rows: np.ndarray  # int64: where each candidate's row of `source_topic` begins
    gamma: np.ndarray  # float64: γ of each candidate
    source_topic: np.ndarray  # flat, rows × width: how often a topic was drawn from a document, whoever's word it was
    taken: np.ndarray  # float64: how many of the document's words were drawn from each candidate
    drawn: np.ndarray | None  # of every occurrence, the candidate that it was drawn from; None where words are spread
    share_starts: np.ndarray | None  # int64: where each document's shares begin, where words are spread


class Counts(NamedTuple):
    """How often topics were drawn: live inside the shard, the rest of the corpus as the sweep began."""

    word_topic: np.ndarray  # flat, shard words × width; int32, or float32 for shares
    totals: np.ndarray | None  # width; int64, or float64 for shares; None where the words of topics are fixed
    sources: Sources | None = None  # where words may draw from other documents than their own


class MovingDirections(NamedTuple):
    """Directions made of documents' topics, which follow them through a sweep.

    Map m gives document d the direction M_m z̄_d, row first_row + m · n_documents + d. The shard's own documents come
    first, and their rows are updated when a document has been swept. The rows of documents of other shards, which come
    after them, stay as the sweep began.
    """

    maps: np.ndarray  # float32, flat, maps × width × width: Mᵀ of each map, 0 in the padding
    n_documents: int  # that have a row: the shard's own, and documents of other shards
    first_row: int
    n_rows: int  # maps × documents


class Observations(NamedTuple):
    """What responses (labels, links) say of each document's mean topics z̄_d, as pseudo-observations.

    Observation r of document d is the factor exp(pull_r m_r − precision_r m_r² / 2) of the projection
    m_r = u_r · z̄_d on a direction u_r.
    """

    starts: np.ndarray  # int64: document d has observations starts[d] up to starts[d + 1]
    rows: np.ndarray  # int32: the direction of each observation, a row of `directions`
    pull: np.ndarray  # float64
    precision: np.ndarray  # float64
    directions: np.ndarray  # float32, flat, rows × width; 0 in the padding
    exact: bool  # whether the factor follows every drawn topic, or is computed once a document
    moving: MovingDirections | None = None  # which of the directions change when a document's topics do


class Factors(NamedTuple):
    """What the conditional multiplies the counts with."""

    n_topics: int
    alpha: np.ndarray  # float32, width; 0 in the padding
    prior_value: np.float32  # β of every word and topic when there is no table
    prior_table: np.ndarray | None  # β_kw, flat, shard words × width
    prior_sums: np.ndarray  # Σ_v β_kv, float32, width; 1 in the padding
    observations: Observations | None  # of the shard's documents


class SweepInfo(NamedTuple):
    """Diagnostics of a sweep: Σ log p(token | all others) before each draw, and the number of tokens drawn."""

    log_likelihood: float | None  # None where the sampler does not compute it
    occurrences: float


def padded_width(n_topics: int) -> int:
    """Return the row length of tables for so many topics.

    Examples
    --------
    >>> padded_width(16), padded_width(17)
    (16, 32)
    """
    return LANES * ((n_topics + LANES - 1) // LANES)


@dataclass(frozen=True)
class Sampler:
    """How topics are drawn. Subclasses name a form of state and give one compiled sweep.

    Attributes
    ----------
    state_form
        "tokens": each occurrence holds one topic. "shares": each distinct word of a document holds a
        distribution over topics, so counts may be real-valued.
    share_type
        What shares are kept in: float32; uint16 for half the memory and less exact ones (vectors.py says how).
    """

    name: ClassVar[str]
    state_form: ClassVar[str]
    share_type: ClassVar[type[np.number]] = np.float32

    def prepare(self, documents: Documents) -> Any:
        """Return arrays that sweeps need besides the documents, made once per fit (None if none)."""
        return None

    def open_sweep(self, documents: Documents, counts: Counts, factors: Factors, prepared: Any) -> Any:
        """Return what `sweep` gets as `prepared`: by default the result of `prepare`.

        A sampler that needs tables of the counts as they are when a sweep begins (alias tables) makes them here.
        """
        return prepared

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Resample the topics of a shard, changing state and counts in place.

        A sampler that does not get the likelihood as a by-product of normalising returns None for it; the shard then
        computes it.
        """
        raise TypeError(f"{type(self).__name__} has no sweep")

    @property
    def likelihood_window(self) -> int:
        """Over how many sweeps the likelihood is averaged when asking whether it has settled."""
        return 10
