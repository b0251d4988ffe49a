"""Running the chains of a fit: the only place where models call the engine's chains and choose an executor."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.utils import check_random_state

from plait._utils.atomic import WriteError, check_replaceable
from plait._utils.locking import lock_for_writing
from plait._utils.validation import check_whole
from plait.engine.chain import Chain
from plait.engine.history import Record
from plait.engine.interrupt import StopRequest
from plait.engine.progress import FitProgress
from plait.engine.run import Run, Schedule, run
from plait.errors import PlaitError
from plait.executors import Executor
from plait.inputs.words import Words
from plait.mixing import Mixing
from plait.priors import AnyPrior, align_prior
from plait.responses.base import ChainResponse
from plait.samplers import Sampler, as_sampler
from plait.samplers.random import stream_key


class ChainPlan(NamedTuple):
    """One chain to run. Chains of a group learn the same topics from different starts; the first one's are shown."""

    number: int
    group: int


class Checkpoints(NamedTuple):
    """Where an unfinished fit is saved, and after how many sweeps; None for nowhere."""

    path: str | Path | None = None
    every: int = 50

    def lock(self) -> AbstractContextManager[None]:
        """Return a context that keeps other processes from writing the file; nothing without a file."""
        if self.path is None:
            return nullcontext()
        check_replaceable(Path(self.path))  # before the first sweep rather than at the first checkpoint
        return lock_for_writing(Path(self.path))


class ChainSettings(NamedTuple):
    """What all chains of a fit are made with."""

    n_topics: int
    sampler: Sampler
    mixing: Mixing
    prior: AnyPrior
    n_shards: int | None
    schedule: Schedule


def chain_settings(model: Any, prior: AnyPrior) -> ChainSettings:
    """Return what the chains of a fit are made with.

    Parameters
    ----------
    model : TopicEstimator
        The model, whose parameters are read.
    prior : prior
        The prior, which may depend on more than the parameters.
    """
    learn_beta = getattr(model, "learn_beta", False)
    schedule = Schedule(
        model.n_sweeps, model.n_samples, model.sample_every, model.tolerance, model.learn_alpha, learn_beta
    )
    return ChainSettings(
        model.n_topics, as_sampler(model.sampler), model._make_mixing(), prior, model.n_shards, schedule
    )


@dataclass
class Fit:
    """A fit: its inputs, its chains, and how far they have come.

    Parameters
    ----------
    words : Words
        Words of the training documents.
    given : dict of str to object
        What the responses read, by kind; the links of the mixing under "influence".
    fingerprint : str
        Digest of words and targets, by which `resume` recognises them.
    settings : ChainSettings
        What the chains are made with.
    plans : list of ChainPlan
        The chains to run, in order.
    seed : int
        Seed of the model.
    chain_seed : int
        Seed of the first chain, from which the other chains derive theirs.
    make_responses : callable
        Returns the chain halves of the responses for the chain of a plan.
    runs : list of Run, optional
        The runs of the chains so far.
    begin : callable or None, default None
        Starts a new chain; None: with topics drawn from the priors.
    names : list of str or None, default None
        Names that topics keep; None for those that the prior gives.
    edits : list of dict, optional
        Records of what was done to the topics before this fit.
    """

    words: Words
    given: dict[str, Any]
    fingerprint: str
    settings: ChainSettings
    plans: list[ChainPlan]
    seed: int
    chain_seed: int
    make_responses: Callable[[ChainPlan], list[ChainResponse]]
    runs: list[Run] = field(default_factory=list)
    begin: Callable[[Chain, Executor], None] | None = None
    names: list[str] | None = None
    edits: list[dict[str, Any]] = field(default_factory=list)
    chain: Chain | None = None  # the current chain, if one is running or was interrupted
    finished: bool = False
    _closed: bool = False
    _kept: list[Run] = field(default_factory=list)
    _unfinished: tuple[dict[str, np.ndarray] | None, list[Run]] | None = None

    @property
    def links(self) -> sparse.csr_array | None:
        """The links of the mixing, documents × documents; None for a mixing without links."""
        return self.given.get("influence")

    def close(self) -> None:
        """Note what is needed of the current chain, whose shards are gone when the executor is closed."""
        self._kept, self._unfinished = self.kept_runs(), self.unfinished()
        self.chain = None
        self._closed = True

    def kept_runs(self) -> list[Run]:
        """Return the runs so far, each with at least one sample."""
        if self._closed:
            return self._kept
        kept = list(self.runs)
        if not kept[-1].samples and self.chain is not None:  # interrupted in burn-in: use the current state
            kept[-1] = Run(history=kept[-1].history)
            kept[-1].keep_sample(self.chain)
        return kept

    def unfinished(self) -> tuple[dict[str, np.ndarray] | None, list[Run]] | None:
        """Return what `resume` needs: the state of the current chain and all runs; None for a finished fit."""
        if self._closed:
            return self._unfinished
        if self.finished:
            return None
        return None if self.chain is None else self.chain.state(), list(self.runs)

    def make_chain(self, plan: ChainPlan) -> Chain:
        """Return the chain of a plan."""
        settings = self.settings
        chain = Chain(
            self.words.counts,
            settings.n_topics,
            mixing=settings.mixing,
            prior=align_prior(settings.prior, self.words.vocabulary, settings.n_topics),
            sampler=settings.sampler,
            seed=self.chain_seed if plan.number == 0 else int(stream_key(self.chain_seed, "chain", plan.number)),
            n_shards=settings.n_shards,
            responses=self.make_responses(plan),
            links=self.links,
        )
        if settings.schedule.learn_beta and not isinstance(chain.beta, float):
            raise PlaitError("learn_beta fits one number; give beta (or the prior) as a number, not as a table")
        return chain


def plan_chains(n_chains: int, n_groups: int) -> list[ChainPlan]:
    """Return the chains of a fit, group by group.

    Examples
    --------
    >>> plan_chains(2, 1)
    [ChainPlan(number=0, group=0), ChainPlan(number=1, group=0)]
    """
    return [ChainPlan(number, number // n_chains) for number in range(n_groups * n_chains)]


def run_chains(
    fit: Fit,
    state: dict[str, np.ndarray] | None,
    executor: AbstractContextManager[Executor],
    progress: tuple[bool, str],
    save: Callable[[], None] | None,
    save_every: int,
) -> bool:
    """Run the chains of a fit to their end, or until Ctrl-C; return whether Ctrl-C was pressed.

    A checkpoint that cannot be saved, for example because the disk is full, is a warning: the fit continues.

    Parameters
    ----------
    fit : Fit
        The fit; its runs, current chain and `finished` are updated.
    state : dict of str to ndarray, or None
        State of the interrupted chain, whose run is the last of `fit.runs`; None to start a new chain.
    executor : context manager
        Yields the executor.
    progress : tuple of (bool, str)
        Whether to show a progress bar, and its title.
    save : callable or None
        Saves the unfinished model.
    save_every : int
        Sweeps between two saves.
    """
    check_whole("checkpoint_every", save_every, least=1)
    schedule, plans, runs = fit.settings.schedule, fit.plans, fit.runs
    per_chain = schedule.n_sweeps + (schedule.n_samples - 1) * schedule.sample_every
    show, title = progress
    bar = FitProgress(show, len(plans) * per_chain, title)

    def after_sweep(record: Record) -> None:
        saved = sum(per_chain - one.n_sweeps for one in runs[:-1])
        settled = runs[-1].settled_at
        saved += 0 if settled is None else schedule.n_sweeps - settled
        done = sum(one.n_sweeps for one in runs)
        bar.show(record, done, len(plans) * per_chain - saved)
        # The default of `save_every` may be the length of a chain, so its last sweep counts, too.
        unfinished = len(runs[-1].samples) < schedule.n_samples or len(runs) < len(plans)
        if save is not None and unfinished and done % save_every == 0:
            _save_or_warn(save)

    fit.finished = False
    with StopRequest() as stop, executor as workers, bar:
        fit.finished = _run_plans(fit, state, workers, stop, after_sweep)
        fit.close()
    return stop.requested


def _save_or_warn(save: Callable[[], None]) -> None:
    try:
        save()
    except WriteError as error:
        warnings.warn(f"the fit continues without this checkpoint: {error}", stacklevel=2)


def _run_plans(
    fit: Fit,
    state: dict[str, np.ndarray] | None,
    executor: Executor,
    stop: StopRequest,
    after_sweep: Callable[[Record], None],
) -> bool:
    """Run the chains that are left, one after the other; return whether all came to their end."""
    for plan in fit.plans[len(fit.runs) - (state is not None) :]:
        if stop.requested and fit.runs:
            fit.chain = None
            return False
        fit.chain = fit.make_chain(plan)
        if state is None:
            (Chain.start if fit.begin is None else fit.begin)(fit.chain, executor)
            fit.runs.append(Run())
        else:
            fit.chain.restore(state, executor)
            state = None
        if not run(fit.chain, fit.settings.schedule, fit.runs[-1], stop, after_sweep):
            return False
    return True


def make_seed(random_state: Any) -> int:
    """Return a seed: the given number, a draw from the given generator, or a random one for None."""
    if random_state is None:
        return secrets.randbits(62)
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise PlaitError(f"random_state must be 0 or more, not {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**62))
    return int(check_random_state(random_state).randint(2**31 - 1))
