"""An executor that keeps every shard in a process of its own: the contract of plait.executors needs no more."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
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
        return self.each_narrowed(method, message, lambda first, last: message)

    def each_narrowed(self, method: str, message: Any, narrow: Any) -> list[Any]:
        """Send every process its part of the message."""
        try:
            for number, (_, pipe) in enumerate(self._workers):
                pipe.send((method, narrow(number, number + 1)))
            answers = [pipe.recv() for _, pipe in self._workers]
        except (EOFError, OSError) as error:
            self.close()
            raise WorkerError(f"a process was lost during {method}") from error
        for worked, answer in answers:
            if not worked:
                raise RuntimeError(answer)
        return [answer for _, answer in answers]

    def spread(self, function: Any, shared: Any, parts: Sequence[Any], work: float = 0.0) -> list[Any]:
        """Run independent tasks in two other processes; everything is pickled."""
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("forkserver")) as pool:
            waiting = [pool.submit(function, shared, part) for part in parts]
            return [one.result() for one in waiting]

    def close(self) -> None:
        """End all processes."""
        for process, pipe in self._workers:
            with contextlib.suppress(OSError):  # it was killed
                pipe.send(None)
            process.join()
        self._workers = []


class Pickled(Executor):
    """Shards in this process, but only pickled messages pass, as between processes: a cheap check of the contract."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []  # methods and messages

    def count_places(self) -> int:
        """Divide labels, as if there were two workers."""
        return 2

    def place(self, shards: Sequence[Any]) -> None:
        """Keep copies of the shards."""
        self._shards = pickled(list(shards))

    def each(self, method: str, message: Any = None) -> list[Any]:
        """Call every shard with a copy of the message."""
        return self.each_narrowed(method, message, lambda first, last: message)

    def each_narrowed(self, method: str, message: Any, narrow: Any) -> list[Any]:
        """Call every shard with a copy of its part of the message."""
        answers = []
        for number, shard in enumerate(self._shards):
            sent = pickled(narrow(number, number + 1))
            self.sent.append((method, sent))
            answers.append(pickled(getattr(shard, method)(sent)))
        return answers

    def spread(self, function: Any, shared: Any, parts: Sequence[Any], work: float = 0.0) -> list[Any]:
        """Run every task on copies, in reverse order."""
        function, shared = pickled((function, shared))
        return [pickled(function(shared, pickled(part))) for part in reversed(parts)][::-1]


def pickled(value: Any) -> Any:
    """Return a copy of an object that went through pickle."""
    return pickle.loads(pickle.dumps(value))
