"""Threads of this process: compiled sweeps release the GIL, so threads use all cores without copies."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from plait.errors import PlaitError
from plait.executors.base import Executor


def count_jobs(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` means: None is one, -1 all cores, -2 all but one.

    Parameters
    ----------
    n_jobs : int or None
        As in scikit-learn.

    Examples
    --------
    >>> count_jobs(None), count_jobs(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0 or not math.isfinite(n_jobs) or int(n_jobs) != n_jobs:
        raise PlaitError(
            f"n_jobs must be a whole number other than 0 (-1 for all cores), not {n_jobs!r}", parameter="n_jobs"
        )
    if n_jobs > 0:
        return int(n_jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + int(n_jobs))


class _Job:
    """Tasks that several threads share.

    A helper that was cancelled stays in the queue of a busy pool. `close` therefore drops the function, with everything
    that it refers to; otherwise tasks that call `map` themselves would keep the memory of all of them.
    """

    def __init__(self, function: Callable[[Any], Any], tasks: list[tuple[int, Any]]) -> None:
        self._function: Callable[[Any], Any] | None = function
        self._results: list[Any] = [None] * len(tasks)
        self._remaining = iter(tasks)  # a list iterator hands every task to one thread only

    def work(self) -> None:
        """Run tasks until none is left."""
        function = self._function
        assert function is not None
        for place, item in self._remaining:
            self._results[place] = function(item)

    def skip_rest(self) -> None:
        """Leave the tasks that no thread has begun."""
        for _ in self._remaining:
            pass

    def close(self) -> list[Any]:
        """Return the results and forget everything."""
        results, self._results = self._results, []
        self._function = None
        self._remaining = iter([])
        return results


class Threads(Executor):
    """Run shards and tasks in threads of this process.

    Parameters
    ----------
    n_jobs : int or None, default None
        Number of threads: None for one, -1 for all cores.

    Examples
    --------
    >>> with Threads(2) as threads:
    ...     threads.map(abs, [-1, 2, -3])
    [1, 2, 3]
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = count_jobs(n_jobs)
        self._shards: list[Any] = []
        self._pool: ThreadPoolExecutor | None = None

    def place(self, shards: Sequence[Any]) -> None:
        """Keep the shards; each may spread work inside itself over the same threads."""
        self._shards = list(shards)
        for shard in self._shards:
            shard.map = self.map

    def each(self, method: str, message: Any = None) -> list[Any]:
        """Call a method of every shard, one shard per task."""
        if not self._shards:
            raise RuntimeError(f"there is no shard to call {method} of: none was placed, or the executor was closed")
        return self.map(lambda shard: getattr(shard, method)(message), self._shards)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Return what a function returns for each item; the first error is raised.

        The calling thread works, too, so a task may call `map` itself: where all threads are busy, it does everything
        alone.
        """
        tasks = list(enumerate(items))
        if self.n_jobs == 1 or len(tasks) <= 1:
            return [function(item) for _, item in tasks]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.n_jobs - 1, thread_name_prefix="plait")
        job = _Job(function, tasks)
        helpers = [self._pool.submit(job.work) for _ in range(min(self.n_jobs, len(tasks)) - 1)]
        try:
            job.work()
        finally:
            job.skip_rest()  # after an error no new task is started
            for helper in helpers:
                helper.cancel()
            wait([helper for helper in helpers if not helper.cancelled()])
            results = job.close()
        for helper in helpers:
            if not helper.cancelled():
                helper.result()
        return results

    def close(self) -> None:
        """End the threads and drop the shards."""
        self._shards = []
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None
