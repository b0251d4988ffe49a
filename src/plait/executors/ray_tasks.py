"""Independent tasks on workers of Ray: batches of new documents.

The tasks are pure functions of their messages. So a task of a lost worker is given to another one, unlike the calls of
shards (`ray_group.py`), which are never repeated.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from plait.executors.base import WorkerError
from plait.executors.ray_group import RETRY_SECONDS, WorkerGroup, cause_of, describe_loss
from plait.executors.ray_worker import Packed

_RUNS_PER_WORKER = 8  # so that a worker with less to do takes over from others
_MOST_LOSSES = 3  # of workers in a row, without an answer in between


def cut_parts(n_parts: int, n_workers: int) -> list[slice]:
    """Return runs of parts, several per worker; a run is one message.

    Parameters
    ----------
    n_parts, n_workers : int
        Numbers of parts and workers.

    Examples
    --------
    >>> cut_parts(20, 1)[:2]
    [slice(0, 3, None), slice(3, 6, None)]
    """
    size = -(-n_parts // (_RUNS_PER_WORKER * n_workers))
    return [slice(first, min(first + size, n_parts)) for first in range(0, n_parts, size)]


def spread(
    group: WorkerGroup,
    pack: Callable[[Any], Packed],
    unpack: Callable[[Packed], Any],
    function: Callable[[Any, Any], Any],
    shared: Any,
    parts: Sequence[Any],
) -> tuple[list[Any], int, int]:
    """Return the results of all parts in their order, and the bytes that were sent and received.

    Parameters
    ----------
    group : WorkerGroup
        Started workers.
    pack, unpack : callable
        How messages travel.
    function, shared, parts
        As in `Executor.spread`.

    Returns
    -------
    tuple of (list, int, int)
        Results, bytes sent, bytes received.
    """
    runs = cut_parts(len(parts), len(group.workers))
    sent, packed_function = pack(shared), pack(function)
    held = [group.ray.put(sent)]  # in a list: the worker fetches it once, not for every run
    results: list[Any] = [None] * len(runs)
    n_sent, n_received, n_losses = sent.n_bytes, 0, 0
    waiting, free = deque(range(len(runs))), deque(range(len(group.workers)))
    busy: dict[Any, tuple[int, int]] = {}
    try:
        while waiting or busy:
            while waiting and free:
                run, place = waiting.popleft(), free.popleft()
                worker, message = group.workers[place], pack(list(parts[runs[run]]))
                call = worker.actor.run_parts.options(name=f"batch {run}, {worker.name}")
                busy[call.remote(packed_function, held, message)] = (run, place)
                n_sent += message.n_bytes
            done = _first_answer(group, busy)
            run, place = busy.pop(done)
            free.append(place)
            try:
                answer = group.ray.get(done)
                results[run] = unpack(answer)
                n_received, n_losses = n_received + answer.n_bytes, 0
            except group.errors.RayTaskError as error:
                raise cause_of(error, group.errors.RayError) from error
            except group.errors.RayError as error:
                n_losses += 1
                if n_losses > _MOST_LOSSES * len(group.workers):
                    name = group.workers[place].name
                    raise WorkerError(describe_loss(name, "a batch of documents", error)) from error
                waiting.append(run)
                time.sleep(RETRY_SECONDS)
    except BaseException:
        group.end()
        raise
    for worker in group.workers:
        worker.actor.forget_shared.remote()
    return [result for run in results for result in run], n_sent, n_received


def _first_answer(group: WorkerGroup, busy: dict[Any, tuple[int, int]]) -> Any:
    """Wait for the next worker that answers."""
    done, _ = group.ray.wait(list(busy), num_returns=1, timeout=group.timeout)
    if not done:
        names = " and ".join(group.workers[place].name for _, place in busy.values())
        raise WorkerError(f"{names}: no answer to a batch of documents in {group.timeout:g} s; set timeout= higher")
    return done[0]
