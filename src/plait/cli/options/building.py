"""From options to an estimator: what each option sets, and which models take it."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from plait.cli.options.combined import build_combined, described_parts, not_in_use, parts_with
from plait.cli.options.model_options import Options, option_name
from plait.cli.options.models import COMBINED, MODELS, ONLINE
from plait.cli.options.priors import with_prior
from plait.cli.options.used_responses import EachOwn, Target
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.models import TopicEstimator

# Options whose estimators' parameters have another name.
_PARAMETERS = {
    "topics": "n_topics",
    "sweeps": "n_sweeps",
    "samples": "n_samples",
    "shards": "n_shards",
    "jobs": "n_jobs",
    "seed": "random_state",
    "cost": "c",
    "chains": "n_chains",
    "negatives": "negatives_per_link",
    "negative_cost": "c_negative",
    "openness": "p",
    "prior": "beta",
    "seeds": "beta",
    "history": "history_form",
}
# Options that say what is learnt and nothing about how, and what they are about.
_NOT_PARAMETERS = {
    "label_field": [Target.labels, Target.values],
    "min_label_documents": [Target.labels],
    "links": [Target.links, Target.influence],
}
# Values that stand for None, which no option can be given as.
_NONE = {"class_weight": "none", "most_links": "all"}


def build_model(name: str, targets: list[Target], *groups: Options, verbose: bool = True) -> TopicEstimator:
    """Return the estimator that the options ask for; refuse options that it does not take.

    Parameters
    ----------
    name
        One of `MODELS`.
    targets
        What it uses besides words.
    """
    from plait.samplers import as_sampler

    given = with_prior(_given(*groups))
    if "sampler" in given:
        as_sampler(given["sampler"])  # one that does not exist is refused before the corpus is read
    parameters: dict[str, tuple[str, Any]] = {}
    for option, value in given.items():
        if option not in _NOT_PARAMETERS:
            parameters[_parameter_of(option, name)] = option, value
        elif not set(targets) & set(_NOT_PARAMETERS[option]):
            about = _NOT_PARAMETERS[option]
            raise not_in_use(option, about) if name == COMBINED else _refusal(option, [*map(_named, about), COMBINED])
    if name == COMBINED:
        alpha, beta = _default_priors(targets, parameters)
        return build_combined(targets, parameters, alpha, beta, verbose=verbose)
    for parameter, (option, value) in parameters.items():
        if parameter not in _parameters_of(name):
            takers = [other for other in MODELS if parameter in _parameters_of(other)]
            raise _refusal(option, takers + [COMBINED] * bool(parts_with(parameter)))
        if option == "weights" and isinstance(value, str) == (name == ONLINE):
            kind = "numbers" if name == ONLINE else "full or diagonal"
            raise typer.BadParameter(f"--weights of --model {name} are {kind}, not {value}")
        if isinstance(value, EachOwn):
            raise typer.BadParameter(f"{option_name(option)} for each part is for --model {COMBINED}; give one value")
    return _class_of(name)(**{name: value for name, (_, value) in parameters.items()}, verbose=verbose)


def settings_of(model: TopicEstimator) -> dict[str, Any]:
    """Return a model's parameters; those of the parts of a combined one as PART.PARAMETER."""
    from plait.samplers import as_sampler

    settings = {**model.get_params(deep=False), **described_parts(model)}
    return settings | {"sampler": as_sampler(settings["sampler"])}


def set_by(option: str, settings: dict[str, Any]) -> list[str]:
    """Return which of a model's parameters an option sets; none where it says nothing about the model.

    Examples
    --------
    >>> set_by("cost", {"n_topics": 20, "labels.c": 4.0, "links.c": 2.0})
    ['labels.c', 'links.c']
    """
    name = _parameter_of(option, ONLINE if "window" in settings else "")
    return [setting for setting in settings if setting == name or setting.endswith(f".{name}")]


def options_given(context: typer.Context) -> set[str]:
    """Return the options that stood on the command line, as against their defaults."""
    sources = ((name, context.get_parameter_source(name)) for name in context.params)
    return {name for name, source in sources if source is not None and source.name == "COMMANDLINE"}


def go_on_with(model: TopicEstimator, asked: TopicEstimator, given: set[str], path: Path, way_out: str) -> None:
    """Make a loaded model fit to go on; options given now must say what they said when it began.

    Parameters
    ----------
    model, asked
        The one that was begun, and the one that the options ask for.
    given
        The options that stand on the command line; others are left as they were.
    path, way_out
        Where the model is, and what may be done about another setting, for messages.
    """
    import numpy as np

    now, before = settings_of(asked), settings_of(model)
    for option in sorted(given):
        for name in set_by(option, now):
            # A model fitted in Python may have arrays here.
            if name == "n_jobs" or np.array_equal(now[name], before[name]):
                continue
            raise PlaitError(f"{path} was begun with {option_name(option)} {before[name]}, not {now[name]}; {way_out}")
    # Neither changes the result, so both may be other than before.
    model.set_params(n_jobs=asked.n_jobs, verbose=asked.verbose)


def _given(*groups: Options) -> dict[str, Any]:
    """Return the options that were given, as an estimator wants them."""
    found: dict[str, Any] = {}
    for group in groups:
        for field in fields(group):
            value = getattr(group, field.name)
            if value is not None:
                found[field.name] = value.value if isinstance(value, Enum) else value
    return found | {name: None for name, none in _NONE.items() if found.get(name) == none}


def _parameter_of(option: str, name: str) -> str:
    """Return the parameter that an option sets, for a model of `MODELS`."""
    if option == "weights" and name == ONLINE:
        return "history_weights"
    return _PARAMETERS.get(option, option)


def _default_priors(targets: list[Target], parameters: dict[str, Any]) -> tuple[Any, Any]:
    """Return α and β of the named model for links if these are to be predicted, else of that for the first part."""
    topics = parameters.get("n_topics", (None, _class_of(COMBINED)().n_topics))[1]
    leading = Target.links if Target.links in targets else targets[0]
    named = _class_of(_named(leading))(n_topics=topics)
    return named._make_mixing().alpha, named.beta


def _named(target: Target) -> str:
    """Return the model that is there for one target alone."""
    return next(name for name, choice in MODELS.items() if choice.target is target)


def _class_of(name: str) -> type[TopicEstimator]:
    from plait import models

    return models.MODELS[MODELS[name].class_name]


def _parameters_of(name: str) -> set[str]:
    return set(_class_of(name)._get_param_names())


def _refusal(option: str, models: list[str]) -> typer.BadParameter:
    return typer.BadParameter(f"{option_name(option)} is for --model {' or '.join(models)}")
