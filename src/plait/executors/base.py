"""The contract of an executor, read first: where shards live, and how the chain talks to them.

A shard owns its documents, their topic assignments, its counts and its documents' auxiliary variables. The chain owns
what is global: shared counts, totals, α, β and the weights of responses. They exchange messages only:

    executor.place(shards)                # hand the shards over: threads keep them, other executors send them away
    executor.each("sweep", broadcast)     # call a method of every shard with the same message

The results of `each` come in the order of the shards, and the chain reduces them in that order. A message is data
(arrays and named tuples of arrays), and nothing is read through a shared attribute. So a shard can live in another
thread, process, machine or device, and where it lives cannot change a bit.

Where shards can be lost (a worker is killed, a machine is gone), `place` and `each` raise `WorkerError`. The executor
then has no shards, and is ready for `place` again. It never repeats a call by itself: a sweep that is done twice gives
other counts than those of the chain, without an error. The fit rolls all shards back to the last checkpoint instead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from plait.errors import PlaitError


class WorkerError(PlaitError):
    """Shards were lost with their worker, or it did not answer in time; a fit continues from its last checkpoint.

    Examples
    --------
    >>> try:
    ...     raise WorkerError("worker 1 did not answer in 60 seconds")
    ... except PlaitError as error:
    ...     print(error)
    worker 1 did not answer in 60 seconds
    """


class WorkerLoad(NamedTuple):
    """What a worker had to do in the last sweep."""

    name: str
    n_shards: int
    seconds: float


class HeldTable(ABC):
    """Counts that an executor keeps beside its shards; a chain sends the object back in place of a table.

    An executor that adds up the changes of all shards itself returns one with every recount and sweep. It is valid
    until the next of them.

    Examples
    --------
    >>> from plait.executors import HeldTable
    >>> HeldTable.nbytes  # nothing travels with a message
    0
    """

    nbytes: ClassVar[int] = 0

    @abstractmethod
    def fetch(self) -> Any:
        """Return the counts, in the form in which the chain has them."""


class TableChanges(NamedTuple):
    """What all shards of a worker changed in a table of counts; the chain adds the changes of all workers.

    The first shard of a worker returns them, and the others return none.
    """

    positions: np.ndarray  # uint32 or int64, increasing: places in the flat table, rows × width
    values: np.ndarray  # int32, what is added there


class NewDocuments(NamedTuple):
    """New documents whose topics are inferred under one sample, and the tables of that sample.

    Tokens draw from their own document, and topic–word weights are fixed (engine/fold_in.py).
    """

    starts: np.ndarray  # int64: document d has the entries starts[d] up to starts[d + 1]
    rows: np.ndarray  # int32, of every entry: its row in the table of words
    counts: np.ndarray  # int32, of every entry
    keys: np.ndarray  # uint64, of every document
    n_topics: int
    n_sweeps: int
    alpha: np.ndarray  # float32, width
    words: np.ndarray  # float32, flat, words × width: φ


class Executor(ABC):
    """Where the work of a fit runs.

    A subclass implements `place` and `each`. It may also override `map`, which runs independent tasks beside the
    shards (rows of a reduction), `spread`, which runs those that could run elsewhere (batches of new documents),
    `fold_in`, which infers the topics of new documents in a way of its own, `release` and `close`. One chain uses an
    executor at a time; `place` replaces the shards of the chain before.

    Examples
    --------
    >>> from plait import LDA
    >>> from plait.executors import Executor
    >>> class Serial(Executor):
    ...     def place(self, shards):
    ...         self.shards = list(shards)
    ...
    ...     def each(self, method, message=None):
    ...         return [getattr(shard, method)(message) for shard in self.shards]
    >>> LDA(2, executor=Serial(), n_sweeps=5, verbose=False).fit(["river stream", "bank loan"] * 5).n_sweeps_ > 0
    True
    """

    @abstractmethod
    def place(self, shards: Sequence[Any]) -> None:
        """Take over the shards of a chain.

        Parameters
        ----------
        shards : sequence of Shard
            They can be pickled. The caller keeps no reference to them.
        """

    @abstractmethod
    def each(self, method: str, message: Any = None) -> list[Any]:
        """Call a method of every shard with one message and return the results in the order of the shards.

        Parameters
        ----------
        method : str
            Name of a method of `Shard` that takes the message as its only argument.
        message : object
            The same for all shards. Shards do not change it; `sweep` does not keep it either, so its arrays may be
            read-only. A result may refer to memory that the shard reuses in its next call, so the caller consumes it
            before calling `each` again.
        """

    def each_narrowed(self, method: str, message: Any, narrow: Callable[[int, int], Any]) -> list[Any]:
        """Do the same as `each`, where a part of a large message is enough for each group of shards.

        Parameters
        ----------
        method : str
            Name of a method of `Shard`.
        message : object
            The whole message; shards that share memory with the caller are given it.
        narrow : callable
            Returns the message for shards `first` up to `last` (exclusive). The results are the same.
        """
        return self.each(method, message)

    def check(self, sampler: Any) -> None:
        """Raise an error if the executor cannot run a sampler; called before anything is computed.

        Parameters
        ----------
        sampler : Sampler
            Sampler of the model.
        """
        return

    def count_places(self) -> int:
        """Return the number of workers among which `exchange` can divide work; 1 where all memory is shared."""
        return 1

    def exchange(
        self, method: str, message: Any, function: Callable[[Any, Sequence[Any]], Any], parts: Sequence[Any]
    ) -> list[Any]:
        """Call a method of every shard, and reduce each part of the results where it is least work to bring it.

        Parameters
        ----------
        method : str
            Name of a method of `Shard` that returns a list with one result per part.
        message : object
            The same for all shards.
        function : callable
            Takes a part and the results for it, in the order of the shards. It may change these.
        parts : sequence
            At most `count_places()` messages.

        Returns
        -------
        list
            What the function returned for each part.
        """
        answers = self.each(method, message)
        return self.map(lambda number: function(parts[number], [one[number] for one in answers]), range(len(parts)))

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Return what a function returns for each of some independent items, in their order."""
        return [function(item) for item in items]

    def spread(
        self, function: Callable[[Any, Any], Any], shared: Any, parts: Sequence[Any], work: float = 0.0
    ) -> list[Any]:
        """Return `function(shared, part)` for each of some independent parts, in their order.

        Unlike the tasks of `map`, these exchange messages only: they write to nothing that others read, so an executor
        may run them in other processes, and again where one was lost.

        Parameters
        ----------
        function : callable
            Defined in a module, so that it can be pickled. It changes neither argument.
        shared : object
            What all parts need, such as the tables of a model. It is sent once.
        parts : sequence
            One message per task.
        work : float, default 0
            Numbers of tokens × sweeps × topics, from which an executor may decide where the tasks run.
        """
        return self.map(lambda part: function(shared, part), parts)

    def fold_in(self, documents: NewDocuments) -> np.ndarray | None:
        """Return the topic proportions of new documents, or None if the executor has no way of its own to infer them.

        The bits must be those of the tasks that are otherwise given to `spread`.

        Parameters
        ----------
        documents : NewDocuments
            The documents, and the tables of a sample.

        Returns
        -------
        ndarray of shape (documents, topics) or None
            Proportions, float64.
        """
        return None

    def loads(self) -> list[WorkerLoad]:
        """Return the shards and the seconds of each worker in the last sweep; nothing where there are no workers."""
        return []

    def close(self) -> None:
        """Release threads, processes or connections. Called once, when no more work follows."""
        return

    def release(self) -> None:
        """Give back what is held for one fit only; called after each fit with an executor that the caller made.

        An executor with workers that others wait for ends them here, unless a `with` block of the caller keeps them.
        """
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
