"""Progress bar of a fit: sweeps, tokens per second, perplexity and remaining time; on a terminal or in a notebook."""

from __future__ import annotations

import html
import importlib
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from plait._utils.wording import counted
from plait.engine.history import Record
from plait.executors.base import WorkerLoad

_REFRESH_SECONDS = 0.2  # between two updates in a notebook


class FitProgress:
    """Context manager that shows a progress bar: on standard error of a terminal, or in the output of a notebook.

    Nothing is shown with verbose=False, or where there is neither a terminal nor a notebook. The bar is removed at
    the end.

    Parameters
    ----------
    verbose : bool
        Whether to show the bar.
    total_sweeps : int
        Maximum number of sweeps.
    name : str
        Description in front of the bar.
    """

    def __init__(self, verbose: bool, total_sweeps: int, name: str) -> None:
        self._total = total_sweeps
        self._name = name
        self._bar: _TerminalBar | _NotebookBar | None = None
        self._verbose = verbose
        self._last_seconds = 0.0
        self._lost = ""

    def __enter__(self) -> FitProgress:
        if self._verbose and is_notebook():
            self._bar = _NotebookBar(self._name, self._total)
        elif self._verbose and sys.stderr.isatty():
            self._bar = _TerminalBar(self._name, self._total)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def note_loss(self, n_lost: int) -> None:
        """Show from now on how often workers were lost.

        Parameters
        ----------
        n_lost : int
            Number of losses so far.
        """
        self._lost = f"{n_lost} lost"

    def show(self, record: Record, done_sweeps: int, total_sweeps: int, loads: Sequence[WorkerLoad] = ()) -> None:
        """Show the state after a sweep.

        Parameters
        ----------
        record : Record
            Record of the sweep.
        done_sweeps, total_sweeps : int
            Sweeps done and in total; the total falls if burn-in ends early.
        loads : sequence of WorkerLoad, default ()
            What each worker had to do in the sweep.
        """
        if self._bar is None:
            return
        if record.seconds < self._last_seconds:  # the first sweep of the next chain
            self._last_seconds = 0.0
        seconds = max(record.seconds - self._last_seconds, 1e-9)
        self._last_seconds = record.seconds
        speed = f"{record.occurrences / seconds / 1e6:.1f} M tokens/s"
        workers = describe_loads(loads, self._lost)
        self._bar.update(done_sweeps, total_sweeps, speed, f"perplexity {record.perplexity:,.0f}{workers}")


def describe_loads(loads: Sequence[WorkerLoad], lost: str = "") -> str:
    """Return the number of workers and the seconds of the quickest and the slowest, to show behind the perplexity.

    Parameters
    ----------
    loads : sequence of WorkerLoad
        What each worker had to do in a sweep.
    lost : str, default ""
        How often workers were lost.

    Returns
    -------
    str
        The text, with a comma in front; empty without workers.

    Examples
    --------
    >>> describe_loads([WorkerLoad("shards 0-1", 2, 0.51), WorkerLoad("shards 2-2", 1, 0.3)], "1 lost")
    ', 2 workers 0.30-0.51 s (shards 0-1 slowest), 1 lost'
    """
    parts = []
    if loads:
        slowest = max(loads, key=lambda one: one.seconds)
        least = min(one.seconds for one in loads)
        name = slowest.name.removeprefix("plait ")
        parts.append(f"{counted(len(loads), 'worker')} {least:.2f}-{slowest.seconds:.2f} s ({name} slowest)")
    return "".join(f", {part}" for part in [*parts, lost] if part)


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook.

    Returns
    -------
    bool
        True in Jupyter, Colab and editors with notebooks; False in a terminal, also in that of IPython.
    """
    ipython = sys.modules.get("IPython")  # a notebook has imported it
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None


class _TerminalBar:
    """A progress bar of Rich."""

    def __init__(self, name: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("sweeps"),
            TextColumn("{task.fields[speed]}"),
            TextColumn("{task.fields[perplexity]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(name, total=total, speed="", perplexity="")
        self._bar.start()

    def update(self, done: int, total: int, speed: str, perplexity: str) -> None:
        self._bar.update(self._task, completed=done, total=total, speed=speed, perplexity=perplexity)

    def close(self) -> None:
        self._bar.stop()


class _NotebookBar:
    """A progress bar as HTML that is updated in place; Rich would need ipywidgets for it."""

    def __init__(self, name: str, total: int) -> None:
        display = importlib.import_module("IPython.display").display
        self._name = name
        self._shown_at = self._start = time.perf_counter()
        self._handle: Any = display(self._content(0, total, "", ""), raw=True, display_id=True)

    def update(self, done: int, total: int, speed: str, perplexity: str) -> None:
        now = time.perf_counter()
        if now - self._shown_at < _REFRESH_SECONDS and done < total:
            return
        self._shown_at = now
        self._handle.update(self._content(done, total, speed, perplexity), raw=True)

    def close(self) -> None:
        self._handle.update({"text/plain": "", "text/html": ""}, raw=True)

    def _content(self, done: int, total: int, speed: str, perplexity: str) -> dict[str, str]:
        elapsed = time.perf_counter() - self._start
        left = f"{elapsed * (total - done) / done:.0f} s left" if done else ""
        parts = [f"{done}/{total} sweeps", speed, perplexity, left]
        text = html.escape(" · ".join(part for part in parts if part))
        bar = f'<progress value="{done}" max="{total}"></progress>'
        return {"text/plain": f"{self._name}: {text}", "text/html": f"{html.escape(self._name)} {bar} {text}"}
