"""Worker processes that are forked from one that has loaded the model, so that they share all of its memory.

A worker that ends, also by a crash or by `kill -9`, is forked again at once. A worker whose parent is gone ends.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from plait.serve.errors import LOG

_SOON = 1.0  # seconds: a worker that ends sooner is started again after a pause
_PAUSE = 0.5


def can_fork() -> bool:
    """Return whether processes can be forked; not so on Windows."""
    return hasattr(os, "fork")


class Supervisor:
    """Keeps a number of workers running until it is told to stop.

    Parameters
    ----------
    n_workers : int
        Number of workers.
    run_worker : callable
        What a worker does, until it gets SIGTERM.
    on_end : callable
        Called with the process id of a worker that has ended.
    patience : float
        Seconds that workers have to stop; then they are killed.
    """

    def __init__(
        self, n_workers: int, run_worker: Callable[[], None], on_end: Callable[[int], None], patience: float
    ) -> None:
        self._n_workers = n_workers
        self._run_worker = run_worker
        self._on_end = on_end
        self._patience = patience
        self._started: dict[int, float] = {}  # when each worker was started
        self._stopping = False

    def run(self) -> None:
        """Start the workers, start those again that end, and stop all on SIGTERM or SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGALRM, self._kill)
        gc.collect()
        gc.freeze()  # a collection in a worker would copy pages that only the collector has touched
        for _ in range(self._n_workers):
            self._start()
        while self._started:
            worker, status = os.waitpid(-1, 0)
            begun = self._started.pop(worker, None)
            if begun is None:
                continue
            self._on_end(worker)
            if self._stopping:
                continue
            LOG.warning("worker %d has ended (%s) and is started again", worker, _describe(status))
            if time.monotonic() - begun < _SOON:
                time.sleep(_PAUSE)
            if not self._stopping:
                self._start()
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _start(self) -> None:
        worker = os.fork()
        if worker:
            self._started[worker] = time.monotonic()
            if self._stopping:  # the signal came between
                os.kill(worker, signal.SIGTERM)
            return
        status = 1
        try:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
                signal.signal(number, signal.SIG_DFL)
            self._started.clear()
            self._run_worker()
            status = 0
        except BaseException as error:
            LOG.error("a worker failed", exc_info=error)
        finally:
            os._exit(status)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._signal(signal.SIGTERM)
        if not self._stopping:
            self._stopping = True
            signal.setitimer(signal.ITIMER_REAL, self._patience)

    def _kill(self, number: int, frame: FrameType | None) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: Any) -> None:
        for worker in list(self._started):
            os.kill(worker, number)


def _describe(status: int) -> str:
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit code {os.WEXITSTATUS(status)}"
