"""The workers of a RayExecutor: actors that hold groups of shards, and what happens when one of them is lost.

Ray starts a lost actor again (`max_restarts=-1`), on another node if its own is gone, but repeats no call
(`max_task_retries=0`): a sweep that a fresh actor repeats would start from other counts than those of the chain,
without an error. Every call carries the epoch of the placement and its number. An actor that was started again has no
epoch, and one that missed a call has another number; both refuse. The fit then places all shards again, under the next
epoch.
"""

from __future__ import annotations

import importlib
import math
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from plait.errors import PlaitError
from plait.executors.base import Executor, WorkerError, WorkerLoad
from plait.executors.ray_worker import SHARED_BYTES, Packed, ShardWorker, StaleWorkerError

_POLL_SECONDS = 1.0  # between two looks at the cluster while workers start
RETRY_SECONDS = 0.2  # before a worker that is being started again is called again


class Worker(NamedTuple):
    """An actor and its shards."""

    actor: Any
    name: str
    first: int
    last: int  # exclusive


class WorkerGroup:
    """Actors that hold the shards of one chain.

    Parameters
    ----------
    ray : module
        Ray, connected.
    cpus_per_worker, gpus_per_worker : float
        CPUs and GPUs that Ray reserves for each actor.
    executor : Executor
        A specification of what works on the shards in each actor.
    timeout : float or None
        Seconds after which an actor that does not answer is given up.
    """

    def __init__(
        self,
        ray: Any,
        cpus_per_worker: float,
        gpus_per_worker: float,
        executor: Executor,
        timeout: float | None,
    ) -> None:
        self.ray = ray
        self._reserved = {"CPU": cpus_per_worker, "GPU": gpus_per_worker}
        self._executor = executor
        self.errors = importlib.import_module("ray.exceptions")
        self.timeout = timeout
        self.workers: list[Worker] = []
        self.n_lost = 0
        self.loads: list[WorkerLoad] = []
        self._calls: dict[str, Any] = {}  # by name; of the present actors
        self._epoch = 0
        self._n_calls: int | None = None  # since the shards were placed; None without shards

    @property
    def has_shards(self) -> bool:
        """Whether all shards are in their workers."""
        return self._n_calls is not None

    def place(self, groups: Callable[[], list[tuple[int, int]]], pack: Callable[[int, int], Packed]) -> int:
        """Give each worker its shards; return the number of bytes that were sent.

        Parameters
        ----------
        groups : callable
            Returns the first and the last shard (exclusive) of each worker, as many as the cluster has CPUs for now.
        pack : callable
            Returns some shards as they travel.

        Returns
        -------
        int
            The bytes.
        """
        self._n_calls = None
        self._epoch += 1
        deadline = math.inf if self.timeout is None else time.monotonic() + self.timeout
        n_bytes = 0
        wanted: list[tuple[int, int]] = []
        while True:
            now = groups()
            if now != wanted:  # at first, and where a node is gone: others take its shards
                wanted = now
                self._match(wanted)
                packed = [pack(worker.first, worker.last) for worker in self.workers]
                n_bytes += sum(one.n_bytes for one in packed)
                sent = [self.ray.put(one) for one in packed]
                pending: dict[int, Any] = {}
                missing = set(range(len(self.workers)))
            for number in sorted(missing - set(pending)):
                worker = self.workers[number]
                call = worker.actor.place.options(name=f"place, {worker.name}")
                pending[number] = call.remote(self._epoch, sent[number])
            self._receive_placed(pending, missing)
            if not missing:
                self._n_calls = 0
                return n_bytes
            if time.monotonic() > deadline:
                names = " and ".join(self.workers[number].name for number in sorted(missing))
                self.end()
                # Where no worker has ever started, another attempt would only wait as long again.
                raise (WorkerError if self.n_lost else PlaitError)(self._describe_late(names, "place"))

    def _receive_placed(self, pending: dict[int, Any], missing: set[int]) -> None:
        """Wait a moment for workers that take over shards. Those that are being started again are called again."""
        self.ray.wait(list(pending.values()), num_returns=len(pending), timeout=_POLL_SECONDS)
        for number, answer in list(pending.items()):
            try:
                self.ray.get(answer, timeout=0)
                missing.discard(number)
            except self.errors.GetTimeoutError:
                continue
            except self.errors.ActorUnavailableError:
                time.sleep(RETRY_SECONDS)
            except self.errors.RayTaskError as error:
                self.end()
                raise cause_of(error, self.errors.RayError) from error
            except self.errors.RayError as error:
                worker = self.workers[number]
                if getattr(error, "actor_init_failed", False):  # on its node plait is missing, or of another version
                    self.end()
                    said = " ".join(str(error).split())
                    raise PlaitError(f"{worker.name}: the worker cannot start; Ray: {said}") from error
                if _is_memory(error):
                    self.n_lost += 1
                    self.end()
                    raise WorkerError(describe_loss(worker.name, "place", error)) from error
                self._end(worker)
                self.workers[number] = self._start(worker.first, worker.last)
                time.sleep(RETRY_SECONDS)
            except BaseException:
                self.end()
                raise
            del pending[number]

    def call(self, method: str, sent: Sequence[Any]) -> list[Packed]:
        """Call a method of all shards; raise `WorkerError` if a worker is lost. Nothing is repeated.

        Parameters
        ----------
        method : str
            Name of the method.
        sent : sequence of ObjectRef
            The packed message of each worker.

        Returns
        -------
        list of Packed
            The answers of the workers.
        """
        epoch, number = self._next_call()
        pending = [
            self._named_call(worker, method).remote(epoch, number, method, message)
            for worker, message in zip(self.workers, sent, strict=True)
        ]
        answers = self._receive(pending, method)
        if method == "sweep":
            self.loads = [
                WorkerLoad(worker.name, worker.last - worker.first, one.seconds)
                for worker, one in zip(self.workers, answers, strict=True)
            ]
        return answers

    def _named_call(self, worker: Worker, method: str) -> Any:
        """Return `call` of an actor under a name for the dashboard; making it takes as long as calling it."""
        name = f"{method}, {worker.name}"
        if name not in self._calls:
            self._calls[name] = worker.actor.call.options(name=name)
        return self._calls[name]

    def exchange(self, method: str, sent: Any, function: Packed, parts: Sequence[Packed]) -> list[Packed]:
        """Call a method of all shards and reduce each part of the results in another worker, without the driver.

        Parameters
        ----------
        method : str
            Name of a method that returns a list with one result per part.
        sent : ObjectRef
            Its packed message.
        function : Packed
            Reduces the results of one part.
        parts : sequence of Packed
            First argument of the function, at most one part per worker.

        Returns
        -------
        list of Packed
            What the function returned for each part.
        """
        epoch, number = self._next_call()
        found: list[Sequence[Any]] = []
        for worker in self.workers:
            call = worker.actor.call_parts.options(name=f"{method}, {worker.name}", num_returns=len(parts))
            held = call.remote(epoch, number, method, sent, len(parts))
            found.append(held if len(parts) > 1 else [held])
        pending = [
            worker.actor.reduce_part.options(name=f"reduce {method}, {worker.name}").remote(
                function, part, *(held[place] for held in found)
            )
            for place, (worker, part) in enumerate(zip(self.workers, parts, strict=False))
        ]
        # A worker without a part answers with its results, so that its loss is noticed here, too.
        others = [held[0] for held in found[len(parts) :]]
        return self._receive(pending + others, method)[: len(parts)]

    def _next_call(self) -> tuple[int, int]:
        """Return the epoch and the number of the next call."""
        assert self._n_calls is not None
        self._n_calls += 1
        return self._epoch, self._n_calls

    def _receive(self, pending: list[Any], method: str) -> list[Packed]:
        """Return the answers of all workers; raise `WorkerError` if one is lost."""
        try:
            return list(self.ray.get(pending, timeout=self.timeout))
        except self.errors.RayTaskError as error:
            cause = cause_of(error, self.errors.RayError)
            # A worker that reduces the results of a lost one fails with the error of Ray.
            if isinstance(cause, StaleWorkerError) or isinstance(error.cause, self.errors.RayError):
                raise self._note_loss(pending, method, error) from error
            self.end()
            raise cause from error  # as threads raise it
        except self.errors.GetTimeoutError as error:
            raise self._replace_late(pending, method) from error
        except self.errors.RayError as error:
            raise self._note_loss(pending, method, error) from error
        except BaseException:  # Ctrl-C
            self.end()
            raise

    def _note_loss(self, pending: list[Any], method: str, error: Exception) -> WorkerError:
        """Return the error for lost workers. The others stay; they are given their shards again."""
        self.n_lost += 1
        self._n_calls = None
        return WorkerError(describe_loss(self._without_answer(pending), method, error))

    def _replace_late(self, pending: list[Any], method: str) -> WorkerError:
        """Return the error for workers that hang, and start others in their places."""
        self.n_lost += 1
        self._n_calls = None
        done, _ = self.ray.wait(pending, num_returns=len(pending), timeout=0)
        late = [number for number, one in enumerate(pending) if one not in done]
        text = self._describe_late(" and ".join(self.workers[number].name for number in late), method)
        for number in late:
            worker = self.workers[number]
            self._end(worker)
            self.workers[number] = self._start(worker.first, worker.last)
        return WorkerError(text)

    def _without_answer(self, pending: list[Any]) -> str:
        """Return the names of the workers that have not answered, or with an error."""
        names = []
        for worker, one in zip(self.workers, pending, strict=True):
            try:
                self.ray.get(one, timeout=0)
            except self.errors.GetTimeoutError:  # it still works, and is not lost
                continue
            except Exception:
                names.append(worker.name)
        return " and ".join(names)

    def _match(self, groups: Sequence[tuple[int, int]]) -> None:
        """Start workers for groups of shards, unless there are some with the same groups."""
        if groups != [(worker.first, worker.last) for worker in self.workers]:
            self.end()
            self.workers = [self._start(first, last) for first, last in groups]

    def start_idle(self, n_workers: int) -> None:
        """Start workers without shards, for independent tasks, unless there are workers.

        Parameters
        ----------
        n_workers : int
            Number of workers.
        """
        if not self.workers:
            self.workers = [self._start(number, number) for number in range(n_workers)]

    def _start(self, first: int, last: int) -> Worker:
        """Start an actor for some shards, or for none."""
        self._calls.clear()
        name = f"plait shards {first}-{last - 1}" if last > first else f"plait worker {first}"
        settings = {
            "num_cpus": self._reserved["CPU"],
            "num_gpus": self._reserved["GPU"],
            "max_restarts": -1,
            "max_task_retries": 0,
            "scheduling_strategy": "SPREAD",
            "namespace": f"plait-{uuid.uuid4().hex}",  # names are unique in it, also beside another executor
        }
        kind = self.ray.remote(ShardWorker)
        actor = kind.options(name=name, **settings).remote(name, self._executor, SHARED_BYTES)
        return Worker(actor, name, first, last)

    def _end(self, worker: Worker) -> None:
        self.ray.kill(worker.actor, no_restart=True)

    def end(self) -> None:
        """End all workers."""
        if self.ray.is_initialized():
            for worker in self.workers:
                self._end(worker)
        self.workers, self._n_calls = [], None

    def _describe_late(self, names: str, method: str) -> str:
        if method == "place":
            free = self.ray.available_resources()
            kinds = [f"{kind}s" for kind, reserved in self._reserved.items() if reserved]
            counts = " and ".join(f"{free.get(kind[:-1], 0.0):g} {kind}" for kind in kinds)
            reason = f"{' or '.join(kinds)} of the cluster may be in use by others ({counts} are free), or starting"
        else:
            reason = "it hangs, or the call"
        return f"{names}: no answer to {method} in {self.timeout:g} s; {reason} takes longer than timeout="


def describe_loss(names: str, method: str, error: Exception) -> str:
    """Return what to say about lost workers.

    Parameters
    ----------
    names : str
        Names of the workers.
    method : str
        What they were doing.
    error : Exception
        The error of Ray.
    """
    said = " ".join(str(error).split())
    if _is_memory(error):
        remedy = (
            "it was out of memory: set workers= or n_shards= higher, so that a worker holds fewer documents, or use "
        )
        return f"{names}: the worker was lost during {method}; {remedy}nodes with more memory. Ray: {said}"
    return f"{names}: the worker was lost during {method}. Ray: {said}"


def _is_memory(error: Exception) -> bool:
    """Return whether a worker was ended because its node was out of memory."""
    # Ray names the OOM killer among the common causes of any kill; only its own monitor is certain.
    return "memory" in type(error).__name__.lower() or "low on memory" in str(error)


def cause_of(error: Any, ray_error: type[Exception]) -> Exception:
    """Return the error that a shard or task raised, or that of Ray.

    Parameters
    ----------
    error : RayTaskError
        What Ray raised.
    ray_error : type
        Base class of the errors of Ray.
    """
    if isinstance(error.cause, Exception) and not isinstance(error.cause, ray_error):
        return error.cause
    return error
