"""Held-out values of topics: training documents that are folded in by short chains that did not see their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.engine.run import Schedule
from plait.executors import open_executor
from plait.inputs.words import Words
from plait.models.answers.tasks import task_values
from plait.models.chain_loop import run_chains
from plait.models.fitting import Fit, chain_settings, plan_chains
from plait.models.folding import FittedChains
from plait.models.inputs import Documents
from plait.responses import GivenLabels, LabelResponse
from plait.samplers.random import stream_key

_BURN_IN, _N_SAMPLES, _SAMPLE_EVERY = 14, 3, 2  # sweeps and samples of a short chain


@dataclass(frozen=True)
class HeldOutChains:
    """Runs short chains without the labels of a fold, and scores the documents of the fold.

    Words of the fold take part in the chains, as those of unlabelled documents do.
    """

    model: Any  # the estimator that is fitted
    words: Words
    given: GivenLabels
    folds: np.ndarray  # of every document, −1 for none
    seed: int

    def values(self, response: LabelResponse, fold: int, number: int = 0) -> np.ndarray:
        """Return the values of the documents of a fold (documents × tasks).

        Parameters
        ----------
        response : LabelResponse
            The response with the cost and class weights to try.
        fold : int
            Number of the fold.
        number : int, default 0
            Number of the chain: chains of one fold differ in their start.

        Returns
        -------
        ndarray
            Values η · z̄, averaged over the samples of the chain.
        """
        model, held_out = self.model, self.folds == fold
        given = GivenLabels(self.given.targets, np.where(held_out[:, np.newaxis], 0, self.given.seen))
        every = min(_SAMPLE_EVERY, model.sample_every)
        schedule = Schedule(
            min(_BURN_IN, model.n_sweeps), min(_N_SAMPLES, model.n_samples), every, 0.0, *model._learned_priors()
        )
        seed = int(stream_key(self.seed, f"held-out labels {number}", fold))

        def make_responses(plan: Any) -> list[Any]:
            return [response.make(given, exact=model._exact, **model._response_options(plan.group))]

        fit = Fit(
            self.words,
            {"labels": given},
            "",
            chain_settings(model, model._make_prior())._replace(schedule=schedule),
            plan_chains(1, model._n_groups({"labels": given})),
            seed=seed,
            chain_seed=seed,
            make_responses=make_responses,
            target_arrays={},
        )
        title = f"{type(model).__name__}, held-out labels"
        if run_chains(fit, None, open_executor(model.executor, model.n_jobs), (model.verbose, title)):
            raise KeyboardInterrupt
        runs = fit.kept_runs()
        groups = [plan.group for plan in fit.plans]
        chains = FittedChains([list(run.samples) for run in runs], groups, model._fold_in_settings(seed))
        documents = Documents(self.words.counts[np.flatnonzero(held_out)])
        return task_values(chains, documents, 0, given.seen.shape[1], model._task_layout())
