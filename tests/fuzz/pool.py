"""A pool of child processes that run cases; a child that dies or hangs is replaced."""

from __future__ import annotations

import multiprocessing
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.fuzz.case import Case
from tests.fuzz.outcome import HANG, TRACEBACK, Outcome

SECONDS = 10.0
WAITING = 6  # how much longer a case may wait than compute
MEMORY = 1 << 30
START_SECONDS = 900.0  # the first child of a tree compiles the sweeps
PATIENCE = 5.0  # beyond the child's own time limit, in seconds


class Child:
    """One child process and its folder.

    Parameters
    ----------
    seconds : float
        Processor time limit of a case; a case that only waits has `WAITING` times as long.
    memory : int
        Memory limit of a case in bytes.
    commands : bool
        Whether the child fits models for all commands; else only `plait inspect` is run.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY, commands: bool = True) -> None:
        self._arguments = (memory, seconds, commands)
        self._seconds = seconds
        self._process: Any = None

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def run(self, case: Case) -> Outcome:
        """Return the outcome of a case; the child is started if there is none.

        Parameters
        ----------
        case : Case
            The case.

        Returns
        -------
        Outcome
            The outcome; a hang or a traceback if the child did not answer.
        """
        if self._process is None:
            self._start()
        try:
            self._pipe.send(case)
            if self._pipe.poll(WAITING * self._seconds + PATIENCE):
                outcome: Outcome = self._pipe.recv()
                return outcome
        except (EOFError, OSError):
            pass
        return self._why_silent()

    def _start(self) -> None:
        from tests.fuzz.child import serve

        self._home = Path(tempfile.mkdtemp(prefix="plait-fuzz-"))
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, str(self._home), *self._arguments), daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(START_SECONDS):
            raise RuntimeError("the child process did not start")
        self._pipe.recv()

    def _why_silent(self) -> Outcome:
        self._process.join(PATIENCE)
        code = self._process.exitcode
        stack = (self._home / "stack.txt").read_text()
        frames = re.findall(r'File ".*/plait/(\S+)", line \d+ in (\w+)', stack)
        place = ", ".join(frames[0]) if frames else "a library"
        self._stop()
        if stack or code is None:
            return Outcome(HANG, f"no answer in {self._seconds:g} s of processor time", place)
        return Outcome(TRACEBACK, f"the process died with exit code {code}", f"exit code {code}")

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            shutil.rmtree(self._home, ignore_errors=True)
            self._process = None


def run_all(cases: Iterable[Case], jobs: int, **limits: Any) -> Iterator[tuple[Case, Outcome]]:
    """Yield cases and their outcomes, in the order of the cases.

    Parameters
    ----------
    cases : iterable of Case
        The cases.
    jobs : int
        Number of child processes.
    **limits : object
        Arguments of `Child`.

    Yields
    ------
    case, outcome : Case, Outcome
        A case and its outcome.
    """
    iterator = iter(cases)
    children = [Child(**limits) for _ in range(jobs)]
    try:
        with ThreadPoolExecutor(jobs) as executor:
            # Child n runs every case n of a batch in turn; a batch is large, so that no child waits long.
            while batch := list(islice(iterator, 50 * jobs)):
                shares = [batch[start::jobs] for start in range(jobs)]
                found = executor.map(lambda child, share: [child.run(case) for case in share], children, shares)
                outcomes: list[Any] = [None] * len(batch)
                for start, done in enumerate(found):
                    outcomes[start::jobs] = done
                yield from zip(batch, outcomes, strict=True)
    finally:
        for child in children:
            child.__exit__(None, None, None)
