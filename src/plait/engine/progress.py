"""Progress bar of a fit: sweeps, tokens per second, perplexity and remaining time; only on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from plait.engine.history import Record


class FitProgress:
    """Context manager that shows a progress bar on standard error.

    Nothing is shown with verbose=False, or if standard error is not a terminal.

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
        self._bar: Any = None
        self._task: Any = None
        self._shown = verbose and sys.stderr.isatty()
        self._last_seconds = 0.0

    def __enter__(self) -> FitProgress:
        if self._shown:
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
            self._task = self._bar.add_task(self._name, total=self._total, speed="", perplexity="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, record: Record, done_sweeps: int, total_sweeps: int) -> None:
        """Show the state after a sweep.

        Parameters
        ----------
        record : Record
            Record of the sweep.
        done_sweeps, total_sweeps : int
            Sweeps done and in total; the total falls if burn-in ends early.
        """
        if self._bar is None:
            return
        if record.seconds < self._last_seconds:  # the first sweep of the next chain
            self._last_seconds = 0.0
        seconds = max(record.seconds - self._last_seconds, 1e-9)
        self._last_seconds = record.seconds
        self._bar.update(
            self._task,
            completed=done_sweeps,
            total=total_sweeps,
            speed=f"{record.occurrences / seconds / 1e6:.1f} M tokens/s",
            perplexity=f"perplexity {record.perplexity:,.0f}",
        )
