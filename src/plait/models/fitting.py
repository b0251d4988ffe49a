"""A fit: its inputs, its chains and how far they have come, and where its checkpoints are; `chain_loop` runs it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sparse
from sklearn.utils import check_random_state

from plait._utils.atomic import WriteError
from plait._utils.locking import lock_for_writing
from plait.engine.chain import Chain
from plait.engine.cut import ShardPlan
from plait.engine.run import Run, Schedule
from plait.errors import PlaitError
from plait.executors import Executor
from plait.inputs.words import Words
from plait.mixing import Mixing
from plait.priors import AnyPrior, align_prior
from plait.responses.base import ChainResponse
from plait.samplers import Sampler, as_sampler
from plait.samplers.random import stream_key

CHECKPOINT_SUFFIX = ".checkpoint"


class ChainPlan(NamedTuple):
    """One chain to run. Chains of a group learn the same topics from different starts; the first one's are shown."""

    number: int
    group: int


class Checkpoints(NamedTuple):
    """Where checkpoints of a fit are written (`checkpoint_folder`), and after how many sweeps; None for nowhere."""

    path: str | Path | None = None
    every: int = 50

    def lock(self) -> AbstractContextManager[None]:
        """Return a context that keeps other processes from writing the checkpoint; nothing without one."""
        if self.path is None:
            return nullcontext()
        folder = checkpoint_folder(self.path)
        check_folder(folder)
        return lock_for_writing(folder.with_name(folder.name.removesuffix(CHECKPOINT_SUFFIX)))


class ChainSettings(NamedTuple):
    """What all chains of a fit are made with."""

    n_topics: int
    sampler: Sampler
    mixing: Mixing
    prior: AnyPrior
    n_shards: int | None
    schedule: Schedule


def checkpoint_folder(path: str | os.PathLike[str]) -> Path:
    """Return the folder of the checkpoints that belong to a path: the name of a model, or that of the folder.

    Parameters
    ----------
    path : str or path
        The argument `checkpoint` of `fit`.

    Returns
    -------
    Path
        The folder, which need not exist.

    Examples
    --------
    >>> checkpoint_folder("papers.plait").name, checkpoint_folder("papers.plait.checkpoint").name
    ('papers.plait.checkpoint', 'papers.plait.checkpoint')
    """
    place = Path(path)
    return place if place.name.endswith(CHECKPOINT_SUFFIX) else place.with_name(place.name + CHECKPOINT_SUFFIX)


def check_folder(folder: Path) -> None:
    """Raise an error if checkpoints cannot be written to a folder, before the fit begins.

    Parameters
    ----------
    folder : Path
        The folder of the checkpoints.
    """
    if folder.exists() and not folder.is_dir():
        raise WriteError(f"{folder} is a file, and checkpoints are a folder; name another checkpoint, or remove it")
    if not folder.parent.is_dir():
        raise WriteError(f"{folder} cannot be written: there is no folder {folder.parent}; make it first")


class CheckpointWriter(Protocol):
    """Writes the checkpoints of a fit and reads the last one (`plait.store.checkpoints`)."""

    def write(self, fit: Fit) -> None:
        """Write a checkpoint; raise `WriteError` if that fails."""

    def read(self) -> tuple[Mapping[str, np.ndarray] | None, list[Run]]:
        """Return the state of the chain and the runs of the last checkpoint."""


def chain_settings(model: Any, prior: AnyPrior) -> ChainSettings:
    """Return what the chains of a fit are made with.

    Parameters
    ----------
    model : TopicEstimator
        The model, whose parameters are read.
    prior : prior
        The prior, which may depend on more than the parameters.
    """
    schedule = Schedule(model.n_sweeps, model.n_samples, model.sample_every, model.tolerance, *model._learned_priors())
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
    target_arrays : dict of str to list of ndarray, optional
        Targets and links as arrays, by kind, for `resume`.
    runs : list of Run, optional
        The runs of the chains so far.
    begin : callable or None, default None
        Starts a new chain; None: with topics drawn from the priors.
    names : list of str or None, default None
        Names that topics keep; None for those that the prior gives.
    edits : list of dict, optional
        Records of what was done to the topics before this fit.
    learned : dict of str to object, optional
        Fitted attributes that are learned before the first sweep: weights of pair features.
    """

    words: Words
    given: dict[str, Any]
    fingerprint: str
    settings: ChainSettings
    plans: list[ChainPlan]
    seed: int
    chain_seed: int
    make_responses: Callable[[ChainPlan], list[ChainResponse]]
    target_arrays: dict[str, list[np.ndarray]] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    begin: Callable[[Chain, Executor], None] | None = None
    names: list[str] | None = None
    edits: list[dict[str, Any]] = field(default_factory=list)
    learned: dict[str, Any] = field(default_factory=dict)
    chain: Chain | None = None  # the current chain, if one is running or was interrupted
    finished: bool = False
    _closed: bool = False
    _plan: ShardPlan | None = None  # how the corpus is cut: the same for all chains, and after a loss
    _kept: list[Run] = field(default_factory=list)
    _unfinished: tuple[Mapping[str, np.ndarray] | None, list[Run]] | None = None

    @property
    def continues(self) -> bool:
        """Whether it continues an earlier fit, whose checkpoints are still good."""
        return bool(self.runs)

    @property
    def links(self) -> sparse.csr_array | None:
        """The links of the mixing, documents × documents; None for a mixing without links."""
        return self.given.get("influence")

    def close(self) -> None:
        """Note what is needed of the current chain, whose shards are gone when the executor is closed."""
        self._kept, self._unfinished = self.kept_runs(), self.unfinished()
        self.chain = self._plan = None
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

    def unfinished(self) -> tuple[Mapping[str, np.ndarray] | None, list[Run]] | None:
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
            plan=self._plan,
        )
        self._plan = chain.plan
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
