"""Threads of this process: compiled sweeps let go of the GIL, so threads use all cores without copies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from plait.errors import PlaitError


def count_jobs(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` means: None is one, -1 all cores, -2 all but one.

    Examples
    --------
    >>> count_jobs(None), count_jobs(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0 or int(n_jobs) != n_jobs:
        raise PlaitError(
            f"n_jobs must be a whole number other than 0 (-1 for all cores), not {n_jobs!r}", parameter="n_jobs"
        )
    if n_jobs > 0:
        return int(n_jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + int(n_jobs))


class Threads:
    """Run a function over items in so many threads; results come in the order of the items.

    Examples
    --------
    >>> with Threads(2) as threads:
    ...     threads.map(abs, [-1, 2, -3])
    [1, 2, 3]
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = count_jobs(n_jobs)
        self._pool = ThreadPoolExecutor(self.n_jobs, thread_name_prefix="plait") if self.n_jobs > 1 else None

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Return what the function returns for each item; the first error is raised."""
        if self._pool is None:
            return [function(item) for item in items]
        return list(self._pool.map(function, items))

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True)
