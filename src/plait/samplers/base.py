"""The contract of a sampler, read first: arguments and result of one sweep over one shard of documents.

A sampler is a specification (frozen, comparable, cheap to copy) that names the form of its state, and one compiled
sweep. The sweep reads and changes only the tuples of arrays below. `None` instead of an array means that the factor is
absent; it then costs nothing.

Tables of topics are flat and padded: a row has `width` entries, the number of topics rounded up to a multiple of
sixteen lanes. Padding has α = 0, so it can never be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from plait.samplers.kernels.lanes import LANES


class Documents(NamedTuple):
    """Words of one shard: entry e is a distinct word of a document, words[e], with counts[e] tokens."""

    starts: np.ndarray  # entries of document d: starts[d] up to starts[d + 1]
    words: np.ndarray  # int32: rows of the shard's word table
    counts: np.ndarray  # int32; float32 if the state is shares
    offsets: np.ndarray  # tokens before each document, and in total; int64, or float64 for shares
    first: int  # number of the shard's first document in the corpus


class Candidates(NamedTuple):
    """Candidate source documents of every document of the corpus: first the document itself, then linked ones."""

    starts: np.ndarray  # int64: document d has candidates starts[d] up to starts[d + 1]
    documents: np.ndarray  # int64
    gamma: np.ndarray  # float64: γ, Dirichlet prior on the sources of a document's tokens


class Sources(NamedTuple):
    """Candidate sources of one shard's documents, and counts of the tokens drawn from them.

    Rows of `source_topic` are documents of the corpus: the shard's own, and other candidates of these.
    """

    starts: np.ndarray  # int64: document d has candidates starts[d] up to starts[d + 1]
    rows: np.ndarray  # int64: where each candidate's row of `source_topic` begins
    gamma: np.ndarray  # float64: γ of each candidate
    source_topic: np.ndarray  # flat, rows × width: n_ck, topics drawn from each document by tokens of any document
    taken: np.ndarray  # float64: m_dc, tokens of the document drawn from each candidate
    drawn: np.ndarray | None  # candidate of every token; None for shares
    share_starts: np.ndarray | None  # int64: where the shares of each document begin; None for tokens


class TopicLists(NamedTuple):
    """Topic–word counts as one list per word of the topics that it has, for many topics.

    Lists are padded to whole blocks of sixteen with a count of 0 and the topic `width`, which no token has.
    """

    starts: np.ndarray  # int64, words + 1: where the list of each word begins
    sizes: np.ndarray  # int32: topics of each word
    topics: np.ndarray  # uint16, increasing within a list
    counts: np.ndarray  # int32

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        return sum(array.nbytes for array in self)


class Moves(NamedTuple):
    """Tokens that left one entry of a frozen count table and were added to another, as pairs of positions.

    Rows are divided into ranges. The pairs of range r begin at a fixed place of `positions`, which has room for all
    tokens of the range, and end at ends[r].
    """

    positions: np.ndarray  # uint32, or int64 for large tables: the entry that loses a token, the one that gains it, ...
    ends: np.ndarray  # int64: place of the next pair of each range; changed in place
    range_of: np.ndarray  # uint8: range of each row


class Changes(NamedTuple):
    """What a sweep of a synchronous sampler changes; the counts themselves keep the values of the sweep's start."""

    words: Moves
    totals: np.ndarray  # int64, width: change of the tokens per topic
    sources: Moves | None = None  # with linked documents; one range


class Counts(NamedTuple):
    """Topic counts of the corpus: current inside the shard, as of the start of the sweep for other shards.

    A synchronous sampler does not change them; it records what it would change.
    """

    word_topic: np.ndarray | TopicLists  # flat, shard words × width; int32, or float32 for shares
    totals: np.ndarray | None  # width; int64, or float64 for shares; None with fixed topic–word weights (fold-in)
    sources: Sources | None = None  # with linked documents
    changes: Changes | None = None  # with a synchronous sampler


class MovingDirections(NamedTuple):
    """Directions that depend on the topics of documents and are updated during a sweep.

    Map m gives document d the direction M_m z̄_d, row first_row + m · n_documents + d. The shard's own documents come
    first; the row of a document is updated after its tokens were resampled. The rows of documents of other shards come
    after them and do not change during a sweep.
    """

    maps: np.ndarray  # float32, flat, maps × width × width: Mᵀ of each map, 0 in the padding
    n_documents: int  # documents with a row: the shard's own, and those of other shards
    first_row: int
    n_rows: int  # maps × documents


class Observations(NamedTuple):
    """Pseudo-observations of each document's mean topics z̄_d, made by responses (labels, values, links).

    Observation r of document d is the factor exp(pull_r m_r − precision_r m_r² / 2) of the projection
    m_r = u_r · z̄_d on a direction u_r.
    """

    starts: np.ndarray  # int64: document d has observations starts[d] up to starts[d + 1]
    rows: np.ndarray  # int32: the direction of each observation, a row of `directions`
    pull: np.ndarray  # float64
    precision: np.ndarray  # float64
    directions: np.ndarray  # float32, flat, rows × width; 0 in the padding
    exact: bool  # whether the factor is updated after every token; otherwise it is computed once per document
    moving: MovingDirections | None = None  # directions that depend on the topics of documents


class Factors(NamedTuple):
    """Priors and responses: the factors of the conditional besides the counts."""

    n_topics: int
    alpha: np.ndarray  # float32, width; 0 in the padding
    prior_value: np.float32  # β of every word and topic if there is no table
    prior_table: np.ndarray | None  # β_kw, flat, shard words × width
    prior_sums: np.ndarray  # Σ_v β_kv, float32, width; 1 in the padding
    observations: Observations | None  # of the shard's documents


class SweepInfo(NamedTuple):
    """Diagnostics of a sweep: Σ log p(token | all others) before each draw, and the number of resampled tokens."""

    log_likelihood: float | None  # None if the sampler does not compute it
    n_tokens: float


def padded_width(n_topics: int) -> int:
    """Return the row length of topic tables: the number of topics, rounded up to a multiple of sixteen.

    Parameters
    ----------
    n_topics : int
        Number of topics.

    Examples
    --------
    >>> padded_width(16), padded_width(17)
    (16, 32)
    """
    return LANES * ((n_topics + LANES - 1) // LANES)


@dataclass(frozen=True)
class Sampler:
    """Base of samplers: a subclass names the form of its state and has one compiled sweep.

    Attributes
    ----------
    name : str
        Name by which models select the sampler.
    state_form : {"tokens", "shares"}
        "tokens": each token holds one topic. "shares": each distinct word of a document holds a distribution over
        topics, so counts may be real-valued.
    share_type : type, default np.float32
        Type of stored shares: np.float32, or np.uint16 for half the memory and less precision (kernels/lanes.py).
    synchronous : bool, default False
        Whether a sweep reads all counts as they are at its start and records its changes (`Changes`).

    Examples
    --------
    >>> from plait.samplers import Plain, Sparse
    >>> isinstance(Plain(), Sampler), Plain.state_form, Sparse.state_form
    (True, 'tokens', 'shares')
    """

    name: ClassVar[str]
    state_form: ClassVar[str]
    share_type: ClassVar[type[np.number]] = np.float32
    synchronous: ClassVar[bool] = False

    def prepare(self, documents: Documents) -> Any:
        """Return arrays that sweeps need besides the documents, computed once per fit; None by default.

        Parameters
        ----------
        documents : Documents
            Words of the shard.
        """
        return None

    def open_sweep(self, documents: Documents, counts: Counts, factors: Factors, prepared: Any) -> Any:
        """Return the argument `prepared` of `sweep`: by default the result of `prepare`.

        A sampler that needs tables of the counts at the start of a sweep, such as alias tables, computes them here.

        Parameters
        ----------
        documents : Documents
            Words of the shard.
        counts : Counts
            Counts of the shard at the start of the sweep.
        factors : Factors
            Priors and pseudo-observations.
        prepared : object
            What `prepare` returned.
        """
        return prepared

    def sweep(
        self, documents: Documents, state: Any, counts: Counts, factors: Factors, key: np.uint64, prepared: Any
    ) -> SweepInfo:
        """Resample the topics of a shard; state and counts are changed in place.

        A sampler that does not compute the likelihood while normalising returns None for it; the shard then computes
        it.

        Parameters
        ----------
        documents : Documents
            Words of the shard.
        state : object
            Topic assignments of the shard, in the form that `state_form` names; changed in place.
        counts : Counts
            Counts of the shard; changed in place.
        factors : Factors
            Priors and pseudo-observations.
        key : np.uint64
            Key of the sweep's random numbers.
        prepared : object
            What `open_sweep` returned.

        Returns
        -------
        SweepInfo
            Log-likelihood and number of resampled tokens.
        """
        raise TypeError(f"{type(self).__name__} has no sweep")

    def for_corpus(self, n_tokens: float, n_topics: int, *, lists: bool) -> Sampler:
        """Return the sampler of a chain; a sampler that is not "auto" returns itself.

        Parameters
        ----------
        n_tokens : float
            Tokens of the corpus.
        n_topics : int
            Number of topics.
        lists : bool
            Whether β is one number, tokens draw from their own document, and there are no responses.

        Returns
        -------
        Sampler
            What draws the topics.
        """
        return self

    def lists_topics(self, n_topics: int) -> bool:
        """Return whether sweeps read `TopicLists` for so many topics; False by default.

        Lists are used where β is one number and tokens draw from their own document.

        Parameters
        ----------
        n_topics : int
            Number of topics.
        """
        return False

    @property
    def likelihood_window(self) -> int:
        """Number of sweeps over which the likelihood is averaged to decide whether burn-in ends."""
        return 10
