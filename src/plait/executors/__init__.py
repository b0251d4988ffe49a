"""Where sweeps run. Read `base.py` first: it is the contract. `threads.py` is the default executor.

`cuda.py` sweeps on a GPU: `cuda_tokens.py` has the tokens there, `cuda_sweep.py` the sweeps, `cuda_lists.py` those with
many topics, `cuda_fold.py` new documents, `cuda_observations.py` responses, `cuda_regression.py` the sums for their
weights, `cuda_sources.py` linked documents, `cuda_memory.py` what it needs, and `cuda_device.py` memory and kernels.
`cuda_worker.py` is a GPU of a worker of Ray.
`ray.py` sends shards to workers of Ray, `ray_connection.py` connects to it, `ray_group.py` starts the workers and
notices when one is lost, `ray_tasks.py` gives them batches of new documents, and `ray_worker.py` is what runs there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from plait._utils.lazy import import_on_use
from plait.errors import PlaitError
from plait.executors.base import Executor, HeldTable, WorkerError
from plait.executors.threads import Threads, count_jobs

if TYPE_CHECKING:
    from plait.executors.cuda import CudaExecutor
    from plait.executors.ray import RayExecutor

__all__ = [
    "CudaExecutor",
    "Executor",
    "HeldTable",
    "RayExecutor",
    "Threads",
    "WorkerError",
    "as_executor",
    "open_executor",
]

__getattr__ = import_on_use(__name__, {"CudaExecutor": "plait.executors.cuda", "RayExecutor": "plait.executors.ray"})


def as_executor(executor: Any = None, n_jobs: int | None = None) -> Executor:
    """Return the executor that an estimator's parameters `executor` and `n_jobs` stand for.

    Parameters
    ----------
    executor : None, "threads", "ray", "cuda" or Executor
        None and "threads" give `Threads(n_jobs)`, "ray" gives `RayExecutor(workers=n_jobs)`, "cuda" gives
        `CudaExecutor(n_jobs=n_jobs)`. An object is returned as it is.
    n_jobs : int or None
        Number of threads or workers. With "ray", None and -1 use all CPUs of the cluster.

    Examples
    --------
    >>> as_executor("threads", 2).n_jobs
    2
    """
    if executor is None or executor == "threads":
        return Threads(n_jobs)
    if isinstance(executor, Executor):
        return executor
    if isinstance(executor, str) and executor == "ray":
        from plait.executors.ray import RayExecutor

        return RayExecutor(workers=None if n_jobs in (None, -1) else count_jobs(n_jobs))
    if isinstance(executor, str) and executor == "cuda":
        from plait.executors.cuda import CudaExecutor

        count_jobs(n_jobs)
        return CudaExecutor(n_jobs=n_jobs)
    raise PlaitError(
        f"executor must be None, 'threads', 'ray', 'cuda' or an Executor such as Threads(4), not {executor!r}"
    )


@contextmanager
def open_executor(executor: Any = None, n_jobs: int | None = None) -> Iterator[Executor]:
    """Give the executor that an estimator's parameters stand for; one that the caller made stays open afterwards.

    Examples
    --------
    >>> with open_executor("threads", 2) as executor:
    ...     executor.map(abs, [-1, 2])
    [1, 2]
    """
    chosen = as_executor(executor, n_jobs)
    try:
        yield chosen
    finally:
        if chosen is executor:
            chosen.release()
        else:
            chosen.close()
