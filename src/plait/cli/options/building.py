"""The estimator that options describe: which parameter each option sets, and which models have it."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from plait.cli.options.combined import build_combined, not_in_use, settings_of_parts, targets_with
from plait.cli.options.model_options import ModelOptions, option_name
from plait.cli.options.models import COMBINED, MODELS, ONLINE
from plait.cli.options.priors import with_prior
from plait.cli.options.response_options import InfluenceOptions, LabelOptions, LinkOptions, PredictionOptions
from plait.cli.options.targets import Target, ValuePerTarget
from plait.cli.options.time_options import TimeOptions
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.models import TopicEstimator

Options = ModelOptions | PredictionOptions | LabelOptions | LinkOptions | InfluenceOptions | TimeOptions

# The parameter that an option sets, where its name differs: the one place that maps options to parameters.
PARAMETERS = {
    # of estimators
    "topics": "n_topics",
    "sweeps": "n_sweeps",
    "samples": "n_samples",
    "shards": "n_shards",
    "jobs": "n_jobs",
    "seed": "random_state",
    "cost": "c",
    "chains": "n_chains",
    "link_weights": "form",
    "history": "history_form",
    "negatives": "negatives_per_link",
    "negative_cost": "c_negative",
    "openness": "p",
    "prior": "beta",
    "seeds": "beta",
    "min_label_documents": "min_documents",
    # of functions that read corpora, learn streams and evaluate models
    "text_field": "text",
    "tokens_field": "tokens",
    "counts_field": "counts",
    "id_field": "id",
    "title_field": "title",
    "label_field": "label",
    "date_field": "date",
    "split": "name",
    "split_field": "split",
    "strict": "on_error",
    "allow_skips": "max_skipped",
}
# Options whose parameters share a name with a parameter of another model: the models that they are for.
_ONLY_FOR = {"link_weights": ["relational", COMBINED], "history_weights": [ONLINE], "features": ["medlda"]}
# Options that select targets rather than set parameters, and the targets they are for.
_SELECT_TARGETS = {
    "label_field": [Target.labels, Target.values],
    "min_label_documents": [Target.labels],
    "links": [Target.links, Target.influence],
}
# Option values that stand for None.
_NONE = {"class_weight": "none", "most_links": "all", "features": "none"}


def build_model(name: str, targets: list[Target], *groups: Options, verbose: bool = True) -> TopicEstimator:
    """Return the estimator that the options describe. An option that the model does not have is an error.

    Parameters
    ----------
    name : str
        One of `MODELS`.
    targets : list of Target
        What the model uses besides words.
    *groups : Options
        Groups of options.
    verbose : bool
        Whether the fit prints its progress.

    Returns
    -------
    TopicEstimator
        The unfitted estimator.
    """
    from plait.samplers import as_sampler

    given = with_prior(_given(*groups))
    if "sampler" in given:
        as_sampler(given["sampler"])  # an unknown sampler is an error before the corpus is read
    parameters: dict[str, tuple[str, Any]] = {}
    for option, value in given.items():
        if option in _ONLY_FOR and name not in _ONLY_FOR[option]:
            raise _wrong_model(option, _ONLY_FOR[option])
        if option not in _SELECT_TARGETS:
            parameters[PARAMETERS.get(option, option)] = option, value
        elif not set(targets) & set(_SELECT_TARGETS[option]):
            wanted = _SELECT_TARGETS[option]
            raise (
                not_in_use(option, wanted)
                if name == COMBINED
                else _wrong_model(option, [*map(_model_for, wanted), COMBINED])
            )
    if name == COMBINED:
        alpha, beta = _default_priors(targets, parameters)
        return build_combined(targets, parameters, alpha, beta, verbose=verbose)
    for parameter, (option, value) in parameters.items():
        if parameter not in _parameters_of(name):
            others = [other for other in MODELS if parameter in _parameters_of(other)]
            raise _wrong_model(option, others + [COMBINED] * bool(targets_with(parameter)))
        if isinstance(value, ValuePerTarget):
            raise typer.BadParameter(
                f"{option_name(option)} with a value per target is for --model {COMBINED}; give one value"
            )
    return _class_of(name)(**{name: value for name, (_, value) in parameters.items()}, verbose=verbose)


def settings_of(model: TopicEstimator) -> dict[str, Any]:
    """Return a model's parameters; those of the parts of a combined model are named TARGET.PARAMETER.

    Parameters
    ----------
    model : TopicEstimator
        An estimator.

    Returns
    -------
    dict
        Values of parameters by name.
    """
    from plait.samplers import as_sampler

    settings = {**model.get_params(deep=False), **settings_of_parts(model)}
    return settings | {"sampler": as_sampler(settings["sampler"])}


def settings_set_by(option: str, settings: dict[str, Any]) -> list[str]:
    """Return the names of the settings that an option sets; none if it does not concern the model.

    Parameters
    ----------
    option : str
        Name of the option's field.
    settings : dict
        Result of `settings_of`.

    Returns
    -------
    list of str
        Names of settings.

    Examples
    --------
    >>> settings_set_by("cost", {"n_topics": 20, "labels.c": 4.0, "links.c": 2.0})
    ['labels.c', 'links.c']
    """
    name = PARAMETERS.get(option, option)
    return [setting for setting in settings if setting == name or setting.endswith(f".{name}")]


def options_given(context: typer.Context) -> set[str]:
    """Return the names of the options that stand on the command line.

    Parameters
    ----------
    context : typer.Context
        Context of the command.

    Returns
    -------
    set of str
        Names of the options' fields.
    """
    sources = ((name, context.get_parameter_source(name)) for name in context.params)
    return {name for name, source in sources if source is not None and source.name == "COMMANDLINE"}


def prepare_to_continue(
    model: TopicEstimator, requested: TopicEstimator, given: set[str], path: Path, remedy: str
) -> None:
    """Set the number of threads of a loaded model. An option with another value than at the start is an error.

    Parameters
    ----------
    model : TopicEstimator
        The loaded model, which is changed.
    requested : TopicEstimator
        The model that the options describe.
    given : set of str
        Options on the command line; other parameters keep their values.
    path : Path
        File of the model, for messages.
    remedy : str
        What the user can do about another value, for messages.
    """
    import numpy as np

    now, before = settings_of(requested), settings_of(model)
    for option in sorted(given):
        for name in settings_set_by(option, now):
            # A model fitted in Python may have arrays here.
            if name == "n_jobs" or np.array_equal(now[name], before[name]):
                continue
            raise PlaitError(f"{path} was started with {option_name(option)} {before[name]}, not {now[name]}; {remedy}")
    # Neither changes the result.
    model.set_params(n_jobs=requested.n_jobs, verbose=requested.verbose)


def _given(*groups: Options) -> dict[str, Any]:
    """Return the values of the options that were given."""
    found: dict[str, Any] = {}
    for group in groups:
        for field in fields(group):
            value = getattr(group, field.name)
            if value is not None:
                found[field.name] = value.value if isinstance(value, Enum) else value
    return found | {name: None for name, none in _NONE.items() if found.get(name) == none}


def _default_priors(targets: list[Target], parameters: dict[str, Any]) -> tuple[Any, Any]:
    """Return α and β of the named model for links if links are predicted, else of that for the first target."""
    topics = parameters.get("n_topics", (None, _class_of(COMBINED)().n_topics))[1]
    leading = Target.links if Target.links in targets else targets[0]
    named = _class_of(_model_for(leading))(n_topics=topics)
    return named._make_mixing().alpha, named.beta  # α is 4 / n_topics in some models


def _model_for(target: Target) -> str:
    """Return the name of the model for one target alone."""
    return next(name for name, choice in MODELS.items() if choice.target is target)


def _class_of(name: str) -> type[TopicEstimator]:
    from plait import models

    return models.MODELS[MODELS[name].class_name]


def _parameters_of(name: str) -> set[str]:
    return set(_class_of(name)().get_params(deep=False))


def _wrong_model(option: str, models: list[str]) -> typer.BadParameter:
    return typer.BadParameter(f"{option_name(option)} is for --model {' or '.join(models)}")
