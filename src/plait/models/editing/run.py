"""An edited model: its chains start from the edited state of the model before, and are settled by sweeps."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from plait._utils.topic_rows import sum_rows
from plait._utils.validation import check_whole
from plait.engine.chain import Chain
from plait.engine.editing import EditedPriors, counts_prior, edit_state, hold_sample, word_topic_counts
from plait.engine.hyperparameters import SYMMETRIC
from plait.errors import PlaitError
from plait.executors import open_executor
from plait.models.chain_loop import run_chains
from plait.models.editing.operations import TopicEdit
from plait.models.editing.parameters import edited_names
from plait.models.fitting import Fit
from plait.models.inputs import Inputs
from plait.models.pair_learning import pair_attributes
from plait.samplers.random import stream_key

_TOLERANCE = 1e-3  # for None: a chain that starts from topics has gained nothing yet to compare a gain with


def check_editable(model: Any) -> None:
    """Raise an error unless topics of a model can be merged, dropped and split.

    Parameters
    ----------
    model : TopicEstimator
        The model.
    """
    check_is_fitted(model)
    if model._unfinished is not None or getattr(model, "_gathered", None) is not None:
        raise PlaitError("the fit of this model was interrupted; resume it before its topics are edited")
    if model._task_layout().one_vs_all:
        raise PlaitError(
            "with one_vs_all every label has topics of its own, and all labels have the same number of them; fit a "
            "model with shared topics (one_vs_all=False) to edit them"
        )


def edit_topics(model: Any, edit: TopicEdit, X: Any, inputs: Inputs, n_sweeps: int) -> Any:
    """Return a model with edited topics.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model, which does not change.
    edit : TopicEdit
        What becomes of its topics.
    X : object
        The documents that the model was fitted to; of a stream, those of the last slice.
    inputs : Inputs
        Their labels, values and links.
    n_sweeps : int
        Maximum number of sweeps before samples are kept.

    Returns
    -------
    TopicEstimator
        The edited model.
    """
    check_whole("n_sweeps", n_sweeps, least=1)
    if X is None:
        raise PlaitError(
            "a model does not keep the tokens of its documents: give X, the documents that it was fitted to"
        )
    seed = edit_seed(model)
    before = copy.copy(model)._fit_again(X, inputs)
    even = model._with_topics(edit, None)
    assignments, counts = _edited_assignments(model, before, edit, even._fit_again(X, inputs, before), seed)
    edited = model._with_topics(edit, counts)
    after = edited._fit_again(X, inputs, before)
    after.chain_seed = seed
    schedule = after.settings.schedule
    tolerance = _TOLERANCE if schedule.tolerance is None else schedule.tolerance
    after.settings = after.settings._replace(schedule=replace(schedule, n_sweeps=int(n_sweeps), tolerance=tolerance))
    after.names = edited_names(model.topic_names_, edit.origins)
    after.edits = [*model.edits_, {**edit.record, "n_topics": edit.n_before, "n_sweeps": int(n_sweeps)}]
    after.learned = pair_attributes(model)  # the weights of the topics are those of a similar model
    after.begin = lambda chain, executor: _learned(chain, model, edit).start(executor, assignments)
    executor = open_executor(model.executor, model.n_jobs)
    run_chains(after, None, executor, (model.verbose, type(model).__name__))
    if not after.finished:
        raise KeyboardInterrupt("the edit was interrupted; the model is as it was before")
    edited._set_fitted(edited._fitted_attributes(after))
    edited._finish_edit(model, edit)
    return edited


def edit_seed(model: Any) -> int:
    """Return the seed of the next edit of a model: a function of its seed and of the number of its edits.

    Parameters
    ----------
    model : TopicEstimator
        The model before the edit.
    """
    return int(stream_key(model.seed_, "edit", len(model.edits_)))


def _edited_assignments(
    model: Any, before: Fit, edit: TopicEdit, after: Fit, seed: int
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the edited topics of all tokens, and their topic–word counts."""
    sample = model._chain_samples[0][-1]
    target = _learned(after.make_chain(after.plans[0]), model, edit)
    priors = EditedPriors(target.alpha, target.beta, target.sampler, seed)
    before.chain_seed = int(stream_key(seed, "hold"))  # other random numbers than those of the edited chain
    schedule = replace(before.settings.schedule, learn_beta=False)
    before.settings = before.settings._replace(prior=counts_prior(sample), schedule=schedule)
    counts, candidates = before.words.counts, target.candidates
    with open_executor(model.executor, model.n_jobs) as executor:
        held = hold_sample(before.make_chain(before.plans[0]), sample, executor)
        assignments = edit_state(held, counts, candidates, edit.n_before, edit.state_edit, priors, executor)
    return assignments, word_topic_counts(assignments, counts, candidates, edit.n_topics)


def _learned(chain: Chain, model: Any, edit: TopicEdit) -> Chain:
    """Return a chain of the edited model with α and β that the model has learned."""
    sample = model._chain_samples[0][-1]
    learned = model._learned_priors()
    if learned.alpha == SYMMETRIC:
        chain.alpha = np.full(edit.n_topics, sample.alpha[0])
    elif learned.alpha:
        chain.alpha = sum_rows(sample.alpha, edit.origins)
    if learned.beta:
        chain.beta = float(sample.beta)
    return chain
