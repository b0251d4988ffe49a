"""The contract of a response: what a document's topics must explain besides its words.

A response has three parts. The specification (`Response`) is what users write: a frozen data class of parameters. It
reads its share of what `fit` is given and makes the chain's half (`ChainResponse`), which owns the weights. The chain's
half cuts a half for every shard (`ShardResponse`), which owns the targets and the auxiliary variables of the shard's
documents. The halves exchange messages only:

    sums of every shard → added in the order of the shards → weights → message to the shards → observations, draws
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from plait.errors import PlaitError
from plait.inputs.words import Words
from plait.responses.carried import Carried
from plait.samplers.base import MovingDirections, Observations

Map: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]  # runs independent tasks, as Executor.map


def serial_map(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Return what a function returns for each item, one after the other."""
    return [function(item) for item in items]


class DocTopics(NamedTuple):
    """Topics of a shard's documents as they are now."""

    counts: np.ndarray  # documents × topics: n_dk
    lengths: np.ndarray  # tokens per document
    linked: Any = None  # counts and lengths of documents of other shards (engine.messages.LinkedTopics)


class Response(ABC):
    """Specification of something that topics must explain besides words; frozen, comparable, kept in model files."""

    kind: ClassVar[str]  # "labels", "values", "links": a model has at most one response of a kind

    @abstractmethod
    def check(self) -> None:
        """Reject invalid parameters."""

    @abstractmethod
    def read(self, X: Any, given: Any, words: Words, n_topics: int) -> Any:
        """Return the targets, checked and converted.

        Parameters
        ----------
        X : Corpus or array
            What `fit` was given; a Corpus may hold the targets.
        given : object
            What `fit` was given of this kind beside X, or None.
        words : Words
            The documents' words as the model takes them.
        n_topics : int
            Number of topics that are to explain the targets.
        """

    @abstractmethod
    def arrays(self, given: Any) -> list[np.ndarray]:
        """Return the targets as arrays for the resume fingerprint."""

    @abstractmethod
    def make(self, given: Any, *, exact: bool, mean: np.ndarray | None = None) -> ChainResponse:
        """Return the chain's half of the response.

        Parameters
        ----------
        given : object
            What `read` returned.
        exact : bool
            Whether τ follows every drawn topic; otherwise it is computed once per document.
        mean : array or None
            Mean of the weights' prior, as `expected` returns it; None for 0.
        """

    def carry(self, given: Any, weights: np.ndarray, before: Carried | None = None) -> Carried:
        """Return what a time slice passes on to later ones; by default its weights.

        Parameters
        ----------
        given : object
            What `read` returned for the slice.
        weights : array
            Expected weights (`Sample.weights`), or their mean over the samples of one chain.
        before : Carried or None
            What was passed on to the slice.
        """
        return Carried(weights)

    def expected(self, carried: Carried, given: Any) -> np.ndarray:
        """Return the mean of the weights' prior for these targets, from what earlier slices passed on."""
        return carried.weights


class ShardResponse(ABC):
    """A shard's half: targets and auxiliary variables of its documents. It can be pickled."""

    @abstractmethod
    def statistics(self, topics: DocTopics, map: Map) -> tuple[np.ndarray, ...]:
        """Return the sums over the shard's documents that the weights depend on."""

    @abstractmethod
    def draw_auxiliaries(self, topics: DocTopics, message: Any, key: np.uint64, map: Map) -> Any:
        """Draw the auxiliary variables given topics and weights; return what other shards must know (None: nothing)."""

    @abstractmethod
    def observations(self, topics: DocTopics, message: Any, width: int, map: Map) -> Observations:
        """Return the pseudo-observations of the shard's documents for the samplers."""

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """Return the auxiliary variables, in an order such that those of all shards can be joined."""


class ChainResponse(ABC):
    """The chain's half: the weights.

    Weights have the prior N(m, ν² I), and start at m. Like ν and the targets, m is no part of the state: whoever
    restores a chain makes its responses with the same m.
    """

    keeps_topics: ClassVar[bool] = False  # whether predictions need the topics of the training documents

    weights: np.ndarray

    @abstractmethod
    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Set the initial weights; random parts use the key."""

    @abstractmethod
    def cut(self, runs: Sequence[tuple[int, int]]) -> tuple[list[Any], list[np.ndarray] | None]:
        """Return the half of every shard, and which of its documents other shards depend on (None: no documents).

        Parameters
        ----------
        runs : sequence of (first, last)
            The documents of every shard.
        """

    @abstractmethod
    def message(self) -> Any:
        """Return what shards need to know: the weights."""

    def due(self) -> bool:
        """Return whether the weights are drawn in this sweep."""
        return True

    @abstractmethod
    def draw_weights(self, sums: tuple[np.ndarray, ...], key: np.uint64, map: Map) -> None:
        """Draw the weights given the sums of all shards."""

    @abstractmethod
    def mean_weights(self, sums: tuple[np.ndarray, ...], map: Map) -> np.ndarray:
        """Return the expected weights given the sums of all shards: predictions use them, without the draw's noise."""

    def renew(self, key: np.uint64) -> bool:
        """Draw new targets if it is time, before auxiliary variables; return whether shards must be cut again."""
        return False

    def receive(self, messages: Sequence[Any]) -> None:
        """Take over what the shards returned from `draw_auxiliaries`."""
        return

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """Return the chain's part of the state."""

    @abstractmethod
    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over a state: what `arrays` returned, and the joined arrays of the shards."""


def add_sums(sums: Sequence[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """Add the sums of all shards in their order."""
    first, *others = sums
    for other in others:
        for total, addend in zip(first, other, strict=True):
            total += addend
    return first


def check_mean(mean: np.ndarray | None, n_rows: int | None = None) -> np.ndarray | None:
    """Return a copy of the prior mean of weights; reject it unless it is a finite table (with so many rows)."""
    if mean is None:
        return None
    table = np.array(mean, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != (table.shape[-1] if n_rows is None else n_rows):
        wanted = "topics × topics" if n_rows is None else f"{n_rows} × topics"
        raise PlaitError(f"the mean of the weights' prior has the shape {table.shape}; give {wanted}")
    if not np.isfinite(table).all():
        raise PlaitError("the mean of the weights' prior holds NaN or infinite numbers; give finite ones")
    return table


def initial_weights(mean: np.ndarray | None, shape: tuple[int, int]) -> np.ndarray:
    """Return weights of a shape at their prior mean: 0, or a copy of it."""
    if mean is None:
        return np.zeros(shape)
    if mean.shape != shape:
        raise PlaitError(
            f"the mean of the weights' prior has {mean.shape[1]} topics, but the chain has {shape[1]}; pass weights on "
            "only between models with the same number of topics"
        )
    return mean.copy()


def join_observations(observations: Sequence[Observations], width: int) -> Observations | None:
    """Join the pseudo-observations of several responses, document by document (None for none)."""
    if len(observations) < 2:
        return observations[0] if observations else None
    observations = sorted(observations, key=lambda each: each.moving is not None)  # directions that move come last
    sizes = np.array([np.diff(each.starts) for each in observations])
    starts = np.concatenate([[0], np.cumsum(sizes.sum(axis=0))]).astype(np.int64)
    before = np.cumsum(sizes, axis=0) - sizes  # observations of earlier responses in the same document
    rows, pull, precision = np.empty(starts[-1], np.int32), np.empty(starts[-1]), np.empty(starts[-1])
    first_row = 0
    for each, size, ahead in zip(observations, sizes, before, strict=True):
        places = np.arange(size.sum()) + np.repeat(starts[:-1] + ahead - each.starts[:-1] + each.starts[0], size)
        entries = slice(each.starts[0], each.starts[-1])
        rows[places] = each.rows[entries] + first_row
        pull[places], precision[places] = each.pull[entries], each.precision[entries]
        first_row += each.directions.size // width
    directions = np.concatenate([each.directions for each in observations])
    exact = all(each.exact for each in observations)
    return Observations(starts, rows, pull, precision, directions, exact, _join_moving(observations, first_row))


def _join_moving(observations: Sequence[Observations], n_rows: int) -> MovingDirections | None:
    moving = [each.moving for each in observations if each.moving is not None]
    if not moving:
        return None
    if len(moving) > 1:
        raise PlaitError("a model can have one response with directions made of other documents' topics: links")
    (one,) = moving
    return one._replace(first_row=n_rows - one.n_rows)
