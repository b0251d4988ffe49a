"""Workers of Ray: shards live in processes of this machine or of a cluster; a fit gives the same bits as in threads.

The driver is the process that calls `fit`. An actor of Ray (`ray_worker.py`) holds a contiguous group of shards. The
driver puts each message into the object store once; the workers of a node read it there. `ray_group.py` starts the
actors, and notices when one is lost.
"""

from __future__ import annotations

import importlib
import itertools
import logging
import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from plait._utils.wording import counted
from plait.errors import PlaitError
from plait.executors.base import Executor, WorkerError, WorkerLoad
from plait.executors.ray_connection import check_reachable, import_ray, quiet_start
from plait.executors.threads import Threads

if TYPE_CHECKING:
    from plait.executors.ray_group import WorkerGroup


# Tokens × sweeps × topics from which a batch of new documents goes to the workers: about half a minute of one core.
# Workers take some seconds to start, so a smaller batch is done sooner in threads.
LEAST_WORK = 3e10
_PARAMETERS = ("address", "workers", "cpus_per_worker", "gpus_per_worker", "timeout")


class Traffic(NamedTuple):
    """Bytes that passed between the driver and the workers."""

    sent: int  # messages count once: the workers of a node share them
    received: int


class RayExecutor(Executor):
    """Run shards in workers of Ray, on this machine or on a cluster.

    The object is a specification: it can be copied, pickled and cloned with an estimator. Workers are started when a
    fit begins and end with it; inside a `with` block they are kept for the next fit. Large batches of new documents
    (`transform`, `predict`) are spread over the workers; small ones, and reductions, run in threads of the driver.

    Parameters
    ----------
    address : str or None, default None
        Address of a running cluster, as `"host:6379"`, or `"auto"` on one of its nodes. None uses the connection of
        this process, if it has one, and starts a local instance of Ray otherwise.
    workers : int or None, default None
        Number of workers; None for as many as the CPUs and GPUs of the cluster allow. There are at most as many as
        shards.
    cpus_per_worker : float, default 1
        CPUs that Ray reserves for each worker. A worker computes with as many threads, at least one.
    gpus_per_worker : float, default 0
        GPUs that Ray reserves for each worker. Above 0 each worker draws topics on its GPU, as `CudaExecutor` does; it
        uses one, so reserve 1, or a fraction for several workers on the same device.
    timeout : float or None, default 3600
        Seconds after which a worker that does not answer is replaced; None waits forever.

    Examples
    --------
    >>> from plait import LDA
    >>> model = LDA(n_topics=20, executor=RayExecutor(workers=2))
    >>> model.executor
    RayExecutor(address=None, workers=2, cpus_per_worker=1, gpus_per_worker=0, timeout=3600)
    """

    def __init__(
        self,
        address: str | None = None,
        workers: int | None = None,
        *,
        cpus_per_worker: float = 1,
        gpus_per_worker: float = 0,
        timeout: float | None = 3600,
    ) -> None:
        self.address = _checked_address(address)
        self.workers = _checked_workers(workers)
        for name, value in (("cpus_per_worker", cpus_per_worker), ("timeout", timeout)):
            if name == "timeout" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < math.inf:
                raise PlaitError(f"{name} must be a number above 0, not {value!r}", parameter=name)
        self.cpus_per_worker = cpus_per_worker
        self.gpus_per_worker = _checked_gpus(gpus_per_worker)
        self.timeout = timeout
        self._ray: Any = None
        self._started_ray = False
        self._n_entered = 0
        self._group: WorkerGroup | None = None
        self._threads: Threads | None = None
        self._traffic = Traffic(0, 0)

    def __repr__(self) -> str:
        return f"RayExecutor({', '.join(f'{name}={value!r}' for name, value in self.__getstate__().items())})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _PARAMETERS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # a copy is not connected

    @property
    def traffic(self) -> Traffic:
        """Bytes sent and received since this object was made."""
        return self._traffic

    def __enter__(self) -> Self:
        self._connect()
        self._n_entered += 1
        return self

    def __exit__(self, *error: object) -> None:
        self._n_entered -= 1
        if self._n_entered == 0:
            self.close()

    def release(self) -> None:
        """End the workers after a fit, unless they are kept by a `with` block."""
        if self._n_entered == 0:
            self.close()

    def check(self, sampler: Any) -> None:
        """Raise an error if workers with a GPU are given another sampler than the synchronous one."""
        if self.gpus_per_worker and not sampler.synchronous and sampler.name != "auto":
            raise PlaitError(
                f"workers with a GPU draw topics with the sampler 'synchronous' only, not {sampler.name!r}",
                parameter="sampler",
            )

    def place(self, shards: Sequence[Any]) -> None:
        """Send each worker its group of shards. Workers of the fit before are used again if the groups are the same."""
        if self.gpus_per_worker:
            self.check(shards[0].sampler)  # "auto" has chosen one for the corpus
        self._connect()
        sent = self._open_group().place(
            lambda: group_shards(len(shards), self._count_workers(len(shards))),
            lambda first, last: self._pack(shards[first:last]),
        )
        self._count_traffic(sent=sent)

    def each(self, method: str, message: Any = None) -> list[Any]:
        """Call a method of every shard. The message is put into the object store once."""
        group = self._placed_group(method)
        packed = self._pack(message)
        return self._call(method, [self._ray.put(packed)] * len(group.workers), packed.n_bytes)

    def each_narrowed(self, method: str, message: Any, narrow: Callable[[int, int], Any]) -> list[Any]:
        """Call a method of every shard; each worker is sent what its shards need, never the whole message.

        On a device words are numbered by row of the whole table, so workers with a GPU are sent all of it.
        """
        if self.gpus_per_worker:
            return self.each(method, message)
        sent, n_bytes = [], 0
        for worker in self._placed_group(method).workers:
            packed = self._pack(narrow(worker.first, worker.last))
            sent.append(self._ray.put(packed))
            n_bytes += packed.n_bytes
        return self._call(method, sent, n_bytes)

    def count_places(self) -> int:
        """Return the number of workers that hold shards."""
        return 1 if self._group is None else max(1, len(self._group.workers))

    def exchange(
        self, method: str, message: Any, function: Callable[[Any, Sequence[Any]], Any], parts: Sequence[Any]
    ) -> list[Any]:
        """Call a method of every shard and reduce each part of the results in one worker.

        The results pass from worker to worker; `traffic` does not count them.
        """
        from plait.executors.ray_worker import unpack

        group = self._placed_group(method)
        group.timeout = self.timeout
        packed, messages = self._pack(message), [self._pack(part) for part in parts]
        answers = group.exchange(method, self._ray.put(packed), self._pack(function), messages)
        n_sent = packed.n_bytes + sum(one.n_bytes for one in messages)
        self._count_traffic(n_sent, sum(one.n_bytes for one in answers))
        return [unpack(one) for one in answers]

    def _placed_group(self, method: str) -> WorkerGroup:
        """Return the workers if they hold shards; raise an error otherwise."""
        if self._group is None or not self._group.has_shards:
            raise RuntimeError(f"there is no shard to call {method} of: none was placed, or the executor was closed")
        if not self._ray.is_initialized():  # `ray.put` would start another instance
            self._group = None
            raise WorkerError(f"Ray was shut down before {method}")
        return self._group

    def _call(self, method: str, sent: list[Any], n_bytes: int) -> list[Any]:
        """Call a method of every shard with messages that are in the object store, one per worker."""
        from plait.executors.ray_worker import unpack

        answers = self._open_group().call(method, sent)
        self._count_traffic(n_bytes, sum(one.n_bytes for one in answers))
        # Copied: memory of the object store is read-only, and gone when Ray is shut down. One answer after the other,
        # so that the driver does not hold all of them twice. The chain adds the changes of a sweep at once, so these
        # are read where they are.
        shared = 0 if method == "sweep" else None
        results: list[Any] = []
        answers.reverse()
        while answers:
            results += unpack(answers.pop(), shared)
        return results

    def loads(self) -> list[WorkerLoad]:
        """Return the shards and the seconds of each worker in the last sweep."""
        return [] if self._group is None else self._group.loads

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Run independent tasks in threads of the driver, on all cores: they may write to arrays that they share."""
        if self._threads is None:
            self._threads = Threads(-1)
        return self._threads.map(function, items)

    def spread(
        self, function: Callable[[Any, Any], Any], shared: Any, parts: Sequence[Any], work: float = 0.0
    ) -> list[Any]:
        """Run tasks that only exchange messages: on the workers if there is much work, else in threads of the driver.

        What all parts need is put into the object store once. A task of a lost worker is repeated by another.
        """
        if work < LEAST_WORK or len(parts) < 2:
            return super().spread(function, shared, parts)
        self._connect()
        from plait.executors.ray_tasks import spread
        from plait.executors.ray_worker import unpack

        group = self._open_group()
        group.start_idle(self._count_workers(len(parts)))
        results, n_sent, n_received = spread(group, self._pack, unpack, function, shared, parts)
        self._count_traffic(n_sent, n_received)
        return results

    def close(self) -> None:
        """End the workers and threads, and shut Ray down if this executor started it."""
        if self._group is not None:
            self._group.end()
            self._group = None
        if self._threads is not None:
            self._threads.close()
            self._threads = None
        if self._started_ray:
            self._ray.shutdown()
        self._ray = None
        self._started_ray = False

    def _connect(self) -> None:
        """Connect to Ray, or start a local instance."""
        if self._ray is not None and self._ray.is_initialized():
            return
        self._group = None
        self._ray = import_ray()
        self._started_ray = not self._ray.is_initialized()
        if self._started_ray:
            try:
                self._start_or_join()
            except BaseException:
                self._started_ray, self._ray = False, None
                raise
        elif self.address not in (None, "auto", found := self._ray.get_runtime_context().gcs_address):
            self._ray = None
            raise PlaitError(
                f"this process is connected to Ray at {found}, not at {self.address}; leave address out to use that "
                "connection, or call ray.shutdown() before",
                parameter="address",
            )

    def _start_or_join(self) -> None:
        """Call ray.init without output. A local instance has a CPU for every worker that was asked for."""
        settings: dict[str, Any] = {"address": self.address}
        if self.address is None:  # "local" never connects to a cluster that an old file names
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            wanted = math.ceil((self.workers or 1) * self.cpus_per_worker)
            settings = {"address": "local", "num_cpus": max(cores, wanted), "include_dashboard": False}
        elif self.address != "auto":
            check_reachable(self.address)
        try:
            with quiet_start():
                self._ray.init(**settings, log_to_driver=False, logging_level=logging.ERROR)
        except Exception as error:
            where = "a local instance of Ray did not start" if self.address is None else f"no Ray at {self.address}"
            raise PlaitError(f"{where} ({type(error).__name__}: {error})", parameter="address") from error

    def _open_group(self) -> WorkerGroup:
        """Return the workers; at first there are none."""
        if self._group is None:
            from plait.executors.ray_group import WorkerGroup

            self._group = WorkerGroup(
                self._ray, self.cpus_per_worker, self.gpus_per_worker, self._make_executor(), self.timeout
            )
        self._group.timeout = self.timeout
        return self._group

    def _make_executor(self) -> Executor:
        """Return what works on the shards in each worker."""
        n_threads = max(1, int(self.cpus_per_worker))
        if not self.gpus_per_worker:
            return Threads(n_threads)
        from plait.executors.cuda_worker import CudaWorker

        return CudaWorker(n_jobs=n_threads)

    def _count_workers(self, n_shards: int) -> int:
        """Return the number of workers for some shards; raise an error if the cluster is too small for them.

        After a loss there are as many as fit into what is left of the cluster.
        """
        present = self._ray.cluster_resources()
        reserved = {"CPU": self.cpus_per_worker, "GPU": self.gpus_per_worker}
        possible = min(math.floor(present.get(kind, 0.0) / each + 1e-9) for kind, each in reserved.items() if each)
        wanted = min(self.workers or max(possible, 1), n_shards)
        if wanted > possible and self._group is not None and self._group.n_lost:
            return max(possible, 1)
        if wanted > possible:
            kinds = [kind for kind, each in reserved.items() if each]
            asked = " and ".join(f"{reserved[kind]:g} {kind}s" for kind in kinds)
            found = " and ".join(f"{present.get(kind, 0.0):g} {kind}s" for kind in kinds)
            smaller = " or ".join(f"{kind.lower()}s_per_worker" for kind in kinds)
            raise PlaitError(
                f"{counted(wanted, 'worker')} with {asked} each do not fit into a cluster of {found}; take fewer "
                f"workers, or a smaller {smaller}",
                parameter="workers",
            )
        return wanted

    def _pack(self, value: Any) -> Any:
        from plait.executors.ray_worker import pack

        return pack(value, importlib.import_module("ray.cloudpickle").dumps)

    def _count_traffic(self, sent: int = 0, received: int = 0) -> None:
        self._traffic = Traffic(self._traffic.sent + sent, self._traffic.received + received)


def group_shards(n_shards: int, n_workers: int) -> list[tuple[int, int]]:
    """Return the first and the last shard (exclusive) of each worker; the sizes of groups differ by one at most.

    Parameters
    ----------
    n_shards, n_workers : int
        Numbers of shards and workers.

    Examples
    --------
    >>> group_shards(8, 3)
    [(0, 3), (3, 6), (6, 8)]
    """
    size, more = divmod(n_shards, n_workers)
    edges = [number * size + min(number, more) for number in range(n_workers + 1)]
    return list(itertools.pairwise(edges))


def _checked_address(address: Any) -> str | None:
    if address is not None and not (isinstance(address, str) and address):
        raise PlaitError(f'address must be None or a str such as "host:6379", not {address!r}', parameter="address")
    if address is not None and address.startswith("ray://"):
        raise PlaitError(
            f'address {address} is that of a Ray client; run on a node of the cluster and give "auto" or "host:6379"',
            parameter="address",
        )
    return None if address == "local" else address


def _checked_gpus(gpus: Any) -> float:
    if isinstance(gpus, bool) or not isinstance(gpus, (int, float)) or not 0 <= gpus <= 1:
        raise PlaitError(f"gpus_per_worker must be a number from 0 to 1, not {gpus!r}", parameter="gpus_per_worker")
    return gpus


def _checked_workers(workers: Any) -> int | None:
    if workers is None:
        return None
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1:
        raise PlaitError(f"workers must be None or a whole number, 1 or more, not {workers!r}", parameter="workers")
    return int(workers)
