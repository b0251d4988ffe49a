"""Running the chains of a fit: the only place where models call the engine's chains; checkpoints, and lost workers.

All shards are rolled back when one is lost, to the last checkpoint or to the start of the chain: shards of different
sweeps do not add up to the counts of a chain. Everything that is drawn is a function of the seed, so the sweeps that
are done again give the same bits.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager

import numpy as np

from plait._utils.atomic import WriteError
from plait._utils.validation import check_whole
from plait.engine.chain import Chain
from plait.engine.history import Record
from plait.engine.interrupt import StopRequest
from plait.engine.progress import FitProgress
from plait.engine.run import Run, run
from plait.errors import PlaitError
from plait.executors import Executor, WorkerError
from plait.models.fitting import CheckpointWriter, Fit

_MOST_LOSSES = 5  # of workers in a row, without a sweep that was not done before


def run_chains(
    fit: Fit,
    state: Mapping[str, np.ndarray] | None,
    executor: AbstractContextManager[Executor],
    progress: tuple[bool, str],
    writer: CheckpointWriter | None = None,
    save_every: int = 50,
) -> bool:
    """Run the chains of a fit to their end, or until Ctrl-C; return whether Ctrl-C was pressed.

    The first checkpoint is written before the first sweep, and it is an error if it cannot be written. Later ones that
    cannot be written, for example because the disk is full, are warnings: the fit continues.

    Parameters
    ----------
    fit : Fit
        The fit; its runs, current chain and `finished` are updated.
    state : mapping of str to ndarray, or None
        State of the interrupted chain, whose run is the last of `fit.runs`; None to start a new chain.
    executor : context manager
        Yields the executor.
    progress : tuple of (bool, str)
        Whether to show a progress bar, and its title.
    writer : CheckpointWriter or None, default None
        Writes checkpoints. With one, SIGTERM stops the fit like Ctrl-C, and ends the process afterwards.
    save_every : int, default 50
        Sweeps between two checkpoints.
    """
    check_whole("checkpoint_every", save_every, least=1)
    schedule = fit.settings.schedule
    per_chain = schedule.n_sweeps + (schedule.n_samples - 1) * schedule.sample_every
    show, title = progress
    bar = FitProgress(show, len(fit.plans) * per_chain, title)
    fit.finished = False
    with StopRequest() as stop, executor as workers, bar:
        if writer is not None:
            stop.watch_termination()
        loop = _ChainLoop(fit, workers, stop, bar, writer, save_every)
        loop.run(state)
    return stop.requested


class _ChainLoop:
    """Runs the chains that are left, writes checkpoints, and rolls back where workers are lost."""

    def __init__(
        self,
        fit: Fit,
        executor: Executor,
        stop: StopRequest,
        bar: FitProgress,
        writer: CheckpointWriter | None,
        save_every: int,
    ) -> None:
        self._fit = fit
        self._executor = executor
        self._stop = stop
        self._bar = bar
        self._writer = writer
        self._save_every = save_every
        self._saved_at: int | None = None  # sweeps of all chains at the last checkpoint
        # Without a checkpoint: the start of the current chain, or the state from which it was resumed.
        self._start: tuple[Mapping[str, np.ndarray] | None, list[Run]] = (None, [])
        self._losses = _Losses()

    def run(self, state: Mapping[str, np.ndarray] | None) -> None:
        """Run all chains to their end or until a stop is requested, and close the fit."""
        while True:
            try:
                self._fit.finished = self._run_plans(state)
                if not self._fit.finished and self._writer is not None and self._saved_at != self._done():
                    self._save_or_warn()
                self._fit.close()
                return
            except WorkerError as error:
                state = self._roll_back(error)

    def _done(self) -> int:
        return sum(one.n_sweeps for one in self._fit.runs)

    def _run_plans(self, state: Mapping[str, np.ndarray] | None) -> bool:
        fit = self._fit
        for plan in fit.plans[len(fit.runs) - (state is not None) :]:
            if self._stop.requested and fit.runs:
                fit.chain = None
                return False
            self._start = (state, [one.copy() for one in fit.runs])
            fit.chain = fit.make_chain(plan)
            if state is None:
                (Chain.start if fit.begin is None else fit.begin)(fit.chain, self._executor)
                fit.runs.append(Run())
            else:
                fit.chain.restore(state, self._executor)
                _check_weights(fit.runs, fit.chain)
                state = None
            if self._writer is not None and self._saved_at is None:
                self._writer.write(fit)  # a full disk or a read-only folder is an error before the first sweep
                self._saved_at = self._done()
            if not run(fit.chain, fit.settings.schedule, fit.runs[-1], self._stop, self._after_sweep):
                return False
        return True

    def _after_sweep(self, record: Record) -> None:
        fit, schedule = self._fit, self._fit.settings.schedule
        per_chain = schedule.n_sweeps + (schedule.n_samples - 1) * schedule.sample_every
        skipped = sum(per_chain - one.n_sweeps for one in fit.runs[:-1])
        settled = fit.runs[-1].settled_at
        skipped += 0 if settled is None else schedule.n_sweeps - settled
        done = self._done()
        self._bar.show(record, done, len(fit.plans) * per_chain - skipped, self._executor.loads())
        # The default of `save_every` may be the length of a chain, so its last sweep counts, too.
        unfinished = len(fit.runs[-1].samples) < schedule.n_samples or len(fit.runs) < len(fit.plans)
        if self._writer is not None and unfinished and done % self._save_every == 0:
            self._save_or_warn()

    def _save_or_warn(self) -> None:
        assert self._writer is not None
        try:
            self._writer.write(self._fit)
            self._saved_at = self._done()
        except WriteError as error:
            warnings.warn(f"the fit continues without this checkpoint: {error}", stacklevel=2)

    def _roll_back(self, error: WorkerError) -> Mapping[str, np.ndarray] | None:
        """Return the state from which all shards continue after a loss; raise an error if that does not help."""
        has_checkpoint = self._writer is not None and self._saved_at is not None
        self._losses.add(self._done(), error, has_checkpoint)
        state, runs = self._start
        if has_checkpoint:
            assert self._writer is not None
            try:
                state, runs = self._writer.read()
            except PlaitError as problem:  # the folder is gone or damaged; the chain is deterministic
                warnings.warn(f"the checkpoint cannot be read: {problem}", stacklevel=2)
                has_checkpoint = False
        self._fit.runs[:] = [one.copy() for one in runs]
        self._fit.chain = None
        self._bar.note_loss(self._losses.total)
        sweeps = self._done()
        where = f"from sweep {sweeps}" if sweeps else "from the start"
        kept = "" if has_checkpoint or not sweeps else ", the start of its chain"
        warnings.warn(f"{error}; the fit continues {where}{kept}", stacklevel=2)
        return state


def _check_weights(runs: list[Run], chain: Chain) -> None:
    """Raise an error unless the samples of a checkpoint have weights of the same shapes as the responses."""
    wanted = [np.shape(response.weights) for response in chain.responses if hasattr(response, "weights")]
    for sample in [sample for one in runs for sample in one.samples]:
        if len(wanted) == len(chain.responses) and [np.shape(own) for own in sample.weights] != wanted:
            raise PlaitError("the checkpoint is damaged: a sample has weights of other responses; fit again")


class _Losses:
    """Counts lost workers, in all and without progress between them."""

    def __init__(self) -> None:
        self.total = 0
        self._in_a_row = 0
        self._furthest = -1

    def add(self, done: int, error: WorkerError, has_checkpoint: bool) -> None:
        """Note a loss after some sweeps; raise an error if the last ones came without a new sweep in between."""
        self.total += 1
        self._in_a_row = 1 if done > self._furthest else self._in_a_row + 1
        self._furthest = max(self._furthest, done)
        if self._in_a_row >= _MOST_LOSSES:
            remedy = (
                "the last checkpoint is kept: resume the fit from it when the workers are well again, with any executor"
                if has_checkpoint
                else "give checkpoint= to lose less work, or run the fit in threads"
            )
            raise WorkerError(
                f"{error}; workers were lost {self._in_a_row} times without progress after sweep {self._furthest}; "
                f"{remedy}"
            ) from error
