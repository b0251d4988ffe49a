"""The contract of a response: labels, values or links that topics predict.

A response has three classes. The specification (`Response`) is what users write: a frozen data class of parameters. It
reads the targets from the arguments of `fit` and makes the chain response (`ChainResponse`), which owns the weights.
The chain response makes one shard response (`ShardResponse`) per shard, which owns the targets and the auxiliary
variables of the shard's documents. They exchange messages only:

    sums of every shard → added in the order of the shards → weights → message to the shards → observations, draws
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from plait.inputs.words import Words
from plait.responses.carried import Carried
from plait.samplers.base import Observations

Map: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]  # runs independent tasks, as Executor.map


def serial_map(function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Return the results of a function for all items, computed one after the other.

    Parameters
    ----------
    function : callable
        Function of one argument.
    items : iterable
        Its arguments.

    Returns
    -------
    list
        Results in the order of the items.
    """
    return [function(item) for item in items]


class DocTopics(NamedTuple):
    """Current topics of a shard's documents.

    Examples
    --------
    >>> topics = DocTopics(np.array([[3, 1], [0, 2]]), np.array([4, 2]))
    >>> topics.counts.sum(axis=1).tolist() == topics.lengths.tolist()
    True
    """

    counts: np.ndarray  # documents × topics: n_dk
    lengths: np.ndarray  # tokens per document
    linked: Any = None  # counts and lengths of documents of other shards (engine.messages.LinkedTopics)


class Response(ABC):
    """Specification of targets that topics predict; frozen, comparable, stored in model files.

    Examples
    --------
    >>> from plait import LabelResponse, LinkResponse
    >>> LabelResponse().kind, LinkResponse().kind, isinstance(LabelResponse(), Response)
    ('labels', 'links', True)
    """

    kind: ClassVar[str]  # "labels", "values", "links": a model has at most one response of a kind

    @abstractmethod
    def check(self) -> None:
        """Reject invalid parameters."""

    @abstractmethod
    def read(self, X: Any, given: Any, words: Words, n_topics: int) -> Any:
        """Return the targets, validated and converted.

        Parameters
        ----------
        X : Corpus or matrix
            The documents that `fit` received; a Corpus may contain the targets.
        given : object or None
            The targets that `fit` received as an argument, or None.
        words : Words
            Word counts of the documents.
        n_topics : int
            Number of topics.
        """

    @abstractmethod
    def arrays(self, given: Any) -> list[np.ndarray]:
        """Return the targets as arrays for the resume fingerprint.

        Parameters
        ----------
        given : object
            What `read` returned.
        """

    @abstractmethod
    def make(self, given: Any, *, exact: bool, mean: np.ndarray | None = None) -> ChainResponse:
        """Return the chain response.

        Parameters
        ----------
        given : object
            What `read` returned.
        exact : bool
            Whether τ is updated after every token; otherwise it is computed once per document.
        mean : ndarray or None, default None
            Prior mean of the weights, as `expected` returns it; None for 0.
        """

    def carry(self, given: Any, weights: np.ndarray, before: Carried | None = None) -> Carried:
        """Return the weights that a time slice passes on to later slices.

        Parameters
        ----------
        given : object
            What `read` returned for the slice.
        weights : ndarray
            Expected weights (`Sample.weights`), or their mean over the samples of one chain.
        before : Carried or None, default None
            Weights that were passed on to the slice.
        """
        return Carried(weights)

    def expected(self, carried: Carried, given: Any) -> np.ndarray:
        """Return the prior mean of the weights for these targets.

        Parameters
        ----------
        carried : Carried
            Weights passed on by earlier slices.
        given : object
            What `read` returned.
        """
        return carried.weights


class ShardResponse(ABC):
    """Response of one shard: targets and auxiliary variables of its documents. It can be pickled.

    Examples
    --------
    >>> from plait.responses.linear.targets import ShardTargets
    >>> issubclass(ShardTargets, ShardResponse)  # the shard half of labels and values
    True
    """

    observes_topics: ClassVar[bool] = True  # whether `observations` reads the topics of documents
    # Whether `statistics` are sums of a regression on the topics of the own documents, as those of `ShardTargets`, so
    # that an executor can compute them elsewhere.
    regresses_documents: ClassVar[bool] = False

    def prepare(self) -> None:
        """Make what is kept until the end of the chain, where the shard lives, before the first sweep.

        Made between the short-lived arrays of a sweep, it would keep the memory of these from being used again.
        """
        return

    @abstractmethod
    def statistics(self, topics: DocTopics, message: Any, map: Map) -> tuple[np.ndarray, ...]:
        """Return the sums over the shard's documents that the weights depend on.

        Parameters
        ----------
        topics : DocTopics
            Current topics of the shard's documents.
        message : object
            What `ChainResponse.message` returned.
        map : callable
            Runs the tasks, as `Executor.map`.

        Returns
        -------
        tuple of ndarray
            Sums; those of all shards are added.
        """

    @abstractmethod
    def draw_auxiliaries(self, topics: DocTopics, message: Any, key: np.uint64, map: Map) -> Any:
        """Draw the auxiliary variables given topics and weights.

        Parameters
        ----------
        topics : DocTopics
            Current topics of the shard's documents.
        message : object
            What `ChainResponse.message` returned.
        key : np.uint64
            Key of the random numbers.
        map : callable
            Runs the tasks, as `Executor.map`.

        Returns
        -------
        object or None
            Message to the chain (`ChainResponse.receive`); None if other shards do not depend on the shard.
        """

    @abstractmethod
    def observations(self, topics: DocTopics, message: Any, width: int, map: Map) -> Observations:
        """Return the pseudo-observations of the shard's documents for the samplers.

        Parameters
        ----------
        topics : DocTopics
            Current topics of the shard's documents.
        message : object
            What `ChainResponse.message` returned.
        width : int
            Padded number of topics.
        map : callable
            Runs the tasks, as `Executor.map`.
        """

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """Return the auxiliary variables, ordered so that the arrays of all shards can be concatenated."""

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore auxiliary variables, if `ChainResponse.shards_load`.

        Parameters
        ----------
        arrays : dict of str to ndarray
            What `arrays` of this shard returned.
        """
        raise TypeError(f"{type(self).__name__} does not restore its auxiliary variables")


class ChainResponse(ABC):
    """Response of one chain: the weights.

    Weights have the prior N(m, ν² I) and start at m. Like ν and the targets, m is not stored in the state: a chain is
    restored with responses that were made with the same m.

    Examples
    --------
    >>> from plait.responses.linear.targets import ChainTargets
    >>> issubclass(ChainTargets, ChainResponse)  # the chain half of labels and values
    True
    """

    keeps_topics: ClassVar[bool] = False  # whether predictions need the topics of the training documents

    divides_labels: ClassVar[bool] = False  # whether weights of labels are independent, as `label_parts.py` needs

    shards_load: ClassVar[bool] = False  # whether shards can restore their auxiliary variables, and `load_own` the rest

    weights: np.ndarray  # topics are the last axis; weights of features of documents come after those of topics

    n_features: int = 0  # features of documents that have weights

    @abstractmethod
    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Set the initial weights.

        Parameters
        ----------
        n_topics : int
            Number of topics.
        key : np.uint64
            Key of the random numbers.
        """

    @abstractmethod
    def cut(self, runs: Sequence[tuple[int, int]]) -> tuple[list[Any], list[np.ndarray] | None]:
        """Return the response of every shard, and the documents of each on which other shards depend.

        Parameters
        ----------
        runs : sequence of (int, int)
            First and last (exclusive) document of every shard.

        Returns
        -------
        tuple
            Shard responses, and one array of document numbers within the shard per shard (None: no dependence).
        """

    @abstractmethod
    def message(self) -> Any:
        """Return the message to the shards: the weights."""

    def release(self) -> None:
        """Forget what only the shards need after they were placed."""
        return

    def due(self) -> bool:
        """Return whether the weights are drawn in this sweep."""
        return True

    def n_rounds(self) -> int:
        """Return the number of parts of the weights that are drawn one after the other, each from sums of its own."""
        return 1

    @abstractmethod
    def draw_weights(self, sums: tuple[np.ndarray, ...], key: np.uint64, map: Map) -> None:
        """Draw the weights given the sums of all shards.

        Parameters
        ----------
        sums : tuple of ndarray
            What `ShardResponse.statistics` returned, added over the shards.
        key : np.uint64
            Key of the random numbers.
        map : callable
            Runs the tasks, as `Executor.map`.
        """

    @abstractmethod
    def mean_weights(self, sums: tuple[np.ndarray, ...], map: Map) -> np.ndarray:
        """Return the expected weights given the sums of all shards; predictions use them.

        Parameters
        ----------
        sums : tuple of ndarray
            What `ShardResponse.statistics` returned, added over the shards.
        map : callable
            Runs the tasks, as `Executor.map`.
        """

    def renew(self, key: np.uint64) -> bool:
        """Draw new targets if they are due, before auxiliary variables.

        Parameters
        ----------
        key : np.uint64
            Key of the random numbers.

        Returns
        -------
        bool
            Whether targets changed, so that `cut` must be called again.
        """
        return False

    def receive(self, messages: Sequence[Any]) -> None:
        """Store the messages of the shards.

        Parameters
        ----------
        messages : sequence of object
            What `ShardResponse.draw_auxiliaries` returned, in the order of the shards.
        """
        return

    @abstractmethod
    def arrays(self) -> dict[str, np.ndarray]:
        """Return the state of the chain response."""

    @abstractmethod
    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore a state.

        Parameters
        ----------
        arrays : dict of str to ndarray
            What `arrays` of the chain response returned, and the concatenated arrays of the shards.
        """

    def load_own(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore a state without the auxiliary variables, if `shards_load`.

        Parameters
        ----------
        arrays : dict of str to ndarray
            What `arrays` of the chain response returned.
        """
        raise TypeError(f"{type(self).__name__} needs the auxiliary variables of its shards")
