"""An executor that keeps every shard in a process of its own: the contract of plait.executors needs no more."""

from __future__ import annotations

import contextlib
import multiprocessing
import traceback
from collections.abc import Sequence
from typing import Any

from plait.executors import Executor, WorkerError


def serve(pipe: Any) -> None:
    """Answer the messages of a parent process: the first is the shard, the others name one of its methods."""
    shard = pipe.recv()
    while (call := pipe.recv()) is not None:
        method, message = call
        try:
            pipe.send((True, getattr(shard, method)(message)))
        except Exception:  # the parent raises it
            pipe.send((False, traceback.format_exc()))


class Processes(Executor):
    """One process per shard; only pickled messages pass."""

    def __init__(self) -> None:
        self._workers: list[tuple[Any, Any]] = []

    def place(self, shards: Sequence[Any]) -> None:
        """Start a process for every shard and send it there."""
        self.close()
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["plait.engine.shard"])
        for shard in shards:
            pipe, far_end = context.Pipe()
            process = context.Process(target=serve, args=(far_end,), daemon=True)
            process.start()
            far_end.close()  # else a killed process would not end the wait for its answer
            pipe.send(shard)
            self._workers.append((process, pipe))

    def each(self, method: str, message: Any = None) -> list[Any]:
        """Send the message to all processes, then collect the answers in the order of the shards."""
        try:
            for _, pipe in self._workers:
                pipe.send((method, message))
            answers = [pipe.recv() for _, pipe in self._workers]
        except (EOFError, OSError) as error:
            self.close()
            raise WorkerError(f"a process was lost during {method}") from error
        for worked, answer in answers:
            if not worked:
                raise RuntimeError(answer)
        return [answer for _, answer in answers]

    def close(self) -> None:
        """End all processes."""
        for process, pipe in self._workers:
            with contextlib.suppress(OSError):  # it was killed
                pipe.send(None)
            process.join()
        self._workers = []
