"""The far end of RayExecutor: a worker that holds a group of shards, and how messages travel.

A message is pickled without its arrays, which travel as buffers beside it. The receiver copies the buffers, so that
arrays are writable and aligned as they are in threads, or reads large ones where they lie in Ray's object store.
"""

from __future__ import annotations

import importlib
import pickle
import time
from typing import Any, NamedTuple

import numpy as np

from plait.executors.base import Executor
from plait.executors.threads import Threads
from plait.samplers.kernels.aligned import aligned_copy

SHARED_BYTES = 1 << 20  # arrays of at least this size are read in the object store, where the receiver only reads


class Packed(NamedTuple):
    """A pickled object and the memory of its arrays."""

    content: bytes
    buffers: list[np.ndarray]  # uint8
    seconds: float = 0.0  # that a worker took to compute it

    @property
    def n_bytes(self) -> int:
        """Number of bytes that travel."""
        return len(self.content) + sum(buffer.nbytes for buffer in self.buffers)


def pack(value: Any, dumps: Any = pickle.dumps) -> Packed:
    """Return an object as bytes and buffers; the buffers are the object's own arrays, not copies.

    Parameters
    ----------
    value : object
        Can be pickled.
    dumps : callable, default pickle.dumps
        Pickles the object. Ray's own also takes classes that are defined in a notebook.

    Examples
    --------
    >>> packed = pack({"counts": np.arange(1000)})
    >>> packed.n_bytes // 1000
    8
    """
    buffers: list[pickle.PickleBuffer] = []
    content = dumps(value, protocol=5, buffer_callback=buffers.append)
    return Packed(content, [np.asarray(buffer.raw()) for buffer in buffers])


def unpack(packed: Packed, shared_bytes: int | None = None) -> Any:
    """Return the object that `pack` was given.

    Parameters
    ----------
    packed : Packed
        What `pack` returned.
    shared_bytes : int or None, default None
        Arrays of at least this many bytes are not copied; they are read-only where they come from the object store.
        None copies all.

    Examples
    --------
    >>> unpack(pack([np.arange(3), "words"]))
    [array([0, 1, 2]), 'words']
    """
    buffers = [
        aligned_copy(buffer) if shared_bytes is None or buffer.nbytes < shared_bytes else buffer
        for buffer in packed.buffers
    ]
    return pickle.loads(packed.content, buffers=buffers)  # noqa: S301, from the driver or a worker of this fit


class StaleWorkerError(RuntimeError):
    """A worker has other shards than the chain believes: none, those of an earlier placement, or of another sweep."""


class ShardWorker:
    """Holds a group of shards and answers numbered calls; Ray runs it as an actor.

    Every call carries the epoch of the placement and its number. A worker that was started again, missed a call, or is
    given one twice, has other counts than the chain, so it refuses to answer.

    Parameters
    ----------
    name : str
        Name of the worker in messages.
    executor : Executor or None, default None
        What works on the shards; None for one thread.
    shared_bytes : int, default SHARED_BYTES
        Size from which arrays of a sweep's message are read in the object store.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> worker = ShardWorker("plait shards 0-1")
    >>> worker.place(1, pack([SimpleNamespace(measure=abs), SimpleNamespace(measure=float)]))
    >>> unpack(worker.call(1, 1, "measure", pack(-2)))
    [2, -2.0]
    """

    def __init__(self, name: str, executor: Executor | None = None, shared_bytes: int = SHARED_BYTES) -> None:
        self.name = name
        self._shared_bytes = shared_bytes
        self._executor = Threads(1) if executor is None else executor
        self._epoch: int | None = None  # of the placement; a worker that was started again has none
        self._n_calls = 0
        self._shared: tuple[Any, Any] | None = None  # of independent tasks: where it came from, and what it is

    def __repr__(self) -> str:
        return self.name

    def place(self, epoch: int, shards: Packed) -> None:
        """Take over a group of shards; the next call is number 1 of this epoch.

        Parameters
        ----------
        epoch : int
            Number of the placement. Calls of another one are refused.
        shards : Packed
            The shards.
        """
        self._epoch = None
        self._executor.place(unpack(shards))
        self._epoch, self._n_calls = epoch, 0

    def call(self, epoch: int, number: int, method: str, message: Packed) -> Packed:
        """Call a method of every shard and return the results in the order of the shards.

        Parameters
        ----------
        epoch : int
            Number of the placement.
        number : int
            Number of the call since the shards were placed.
        method : str
            Name of a method of the shards.
        message : Packed
            Its argument.
        """
        begin = time.perf_counter()
        results = self._call_shards(epoch, number, method, message)
        return pack(results)._replace(seconds=time.perf_counter() - begin)

    def call_parts(self, epoch: int, number: int, method: str, message: Packed, n_parts: int) -> Any:
        """Call a method of every shard that returns a list of parts; return the results of each part for itself.

        Parameters
        ----------
        epoch, number, method, message
            As for `call`.
        n_parts : int
            Length of the list.
        """
        results = self._call_shards(epoch, number, method, message)
        packed = tuple(pack([one[part] for one in results]) for part in range(n_parts))
        return packed if n_parts > 1 else packed[0]

    def reduce_part(self, function: Packed, part: Packed, *results: Packed) -> Packed:
        """Return `function(part, results)`, where the results are those of all workers; shards are not touched.

        Parameters
        ----------
        function, part : Packed
            The function, and its first argument.
        *results : Packed
            What `call_parts` of each worker returned for the part, in the order of the workers.
        """
        joined = [one for packed in results for one in unpack(packed)]
        return pack(unpack(function)(unpack(part), joined))

    def _call_shards(self, epoch: int, number: int, method: str, message: Packed) -> list[Any]:
        """Call a method of every shard, if the call is the next one of this placement."""
        if epoch != self._epoch:
            found = "holds no shards" if self._epoch is None else f"holds the shards of placement {self._epoch}"
            raise StaleWorkerError(f"{self.name}: call {number} ({method}) of placement {epoch}: the worker {found}")
        if number != self._n_calls + 1:
            raise StaleWorkerError(
                f"{self.name}: call {number} ({method}) follows call {self._n_calls}, so the counts of these shards "
                "are not those of the chain"
            )
        # Only a sweep leaves its message as it is: other methods may keep arrays and write to them.
        shared = self._shared_bytes if method == "sweep" else None
        results = self._executor.each(method, unpack(message, shared))
        self._n_calls = number  # after an error the worker answers no more
        return results

    def run_parts(self, function: Packed, shared: list[Any], parts: Packed) -> Packed:
        """Return `function(shared, part)` of each part; shards are not touched.

        Parameters
        ----------
        function : Packed
            The function.
        shared : list of one ObjectRef or Packed
            What all parts need. It is fetched and copied once, with the first parts.
        parts : Packed
            A list.
        """
        if self._shared is None or self._shared[0] != shared[0]:
            self._shared = None  # frees the tables of an earlier batch first
            self._shared = (shared[0], unpack(fetch(shared[0])))
        run, common = unpack(function), self._shared[1]
        begin = time.perf_counter()
        results = self._executor.map(lambda part: run(common, part), unpack(parts))
        return pack(results)._replace(seconds=time.perf_counter() - begin)

    def forget_shared(self) -> None:
        """Free what the parts of the last batch needed."""
        self._shared = None


def fetch(held: Any) -> Packed:
    """Return what an ObjectRef of Ray refers to; something packed is returned as it is.

    Parameters
    ----------
    held : ObjectRef or Packed
        Inside a list it reaches a worker unopened.
    """
    if isinstance(held, Packed):
        return held
    packed: Packed = importlib.import_module("ray").get(held)
    return packed
