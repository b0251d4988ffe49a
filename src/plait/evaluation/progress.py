"""Progress bar of a comparison of numbers of topics; only on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any

from plait.evaluation.choice import Trial


class ChoiceProgress:
    """Context manager that shows the fits of a comparison on standard error.

    Nothing is shown with verbose=False, or if standard error is not a terminal.

    Parameters
    ----------
    verbose : bool
        Whether to show the bar.
    n_fits : int
        Largest number of fits.
    time_limit : float or None
        Seconds after which no candidate is begun.
    """

    def __init__(self, verbose: bool, n_fits: int, time_limit: float | None) -> None:
        self._n_fits = n_fits
        self._time_limit = time_limit
        self._bar: Any = None
        self._task: Any = None
        self._shown = verbose and sys.stderr.isatty()
        self._n_begun = 0

    def __enter__(self) -> ChoiceProgress:
        if self._shown:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            limit = "" if self._time_limit is None else f"of at most {self._time_limit:,.0f} s"
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("fits at most,"),
                TimeElapsedColumn(),
                TextColumn(limit),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task("", total=self._n_fits)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, n_topics: int, number: int) -> None:
        """Show that a fit begins.

        Parameters
        ----------
        n_topics : int
            Number of topics.
        number : int
            Number of the fit among those with this number of topics, from 0.
        """
        if self._bar is not None:
            self._bar.update(self._task, completed=self._n_begun, description=f"{n_topics:,} topics, seed {number + 1}")
            self._n_begun += 1

    def finish(self, trial: Trial) -> None:
        """Print the scores of a candidate above the bar.

        Parameters
        ----------
        trial : Trial
            The scores.
        """
        if self._bar is not None:
            scores = f"log-likelihood {trial.log_likelihood:.4f}, NPMI {trial.coherence:.3f}"
            text = f"{trial.n_topics:,} topics: {scores}, stability {trial.stability:.2f}, {trial.seconds:,.1f} s"
            self._bar.console.print(text, highlight=False)
