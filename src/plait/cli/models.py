"""Which models `plait fit` can build, by name, and the options that say how."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from plait.cli.model_options import MODEL_PANEL, LabelOptions, LinkOptions, ModelOptions, Options, PredictionOptions
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.models import TopicEstimator


class Target(StrEnum):
    """What a model learns to predict besides words."""

    labels = "labels"
    values = "values"
    links = "links"


class ModelChoice(NamedTuple):
    """A model that can be asked for: its class in `plait.models`, what it does, and what it predicts."""

    class_name: str
    about: str
    target: Target | None = None


# A new model: a line here; its parameters are looked up in the class.
MODELS: dict[str, ModelChoice] = {
    "lda": ModelChoice("LDA", "finds topics from words alone"),
    "medlda": ModelChoice("MedLDA", "also learns to predict labels, one or several a document", Target.labels),
    "slda": ModelChoice("SupervisedLDA", "also learns to predict a number", Target.values),
    "relational": ModelChoice("RelationalTopicModel", "also learns from links, and suggests new ones", Target.links),
}


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
}
# Options that say what is learnt and nothing about how, and the targets they are about.
_NOT_PARAMETERS = {
    "label_field": {Target.labels, Target.values},
    "min_label_documents": {Target.labels},
    "links": {Target.links},
}


def parameter_of(option: str) -> str | None:
    """Return the estimator's parameter that an option sets; None where it says nothing about the model."""
    groups = (ModelOptions, PredictionOptions, LabelOptions, LinkOptions)
    names = {field.name for group in groups for field in fields(group)}
    return _PARAMETERS.get(option, option) if option in names - _NOT_PARAMETERS.keys() else None


def option_name(option: str) -> str:
    """Return an option as people type it.

    Examples
    --------
    >>> option_name("label_field"), option_name("class_weight")
    ('--label', '--class-weight')
    """
    return "--label" if option == "label_field" else f"--{option.replace('_', '-')}"


def build_model(name: str, *groups: Options, verbose: bool = True) -> TopicEstimator:
    """Return the estimator that the options ask for; refuse options that it does not take."""
    from plait.samplers import as_sampler

    given = _given(*groups)
    if "sampler" in given:
        as_sampler(given["sampler"])  # one that does not exist is refused before the corpus is read
    model = _class_of(name)
    parameters: dict[str, Any] = {}
    for option, value in given.items():
        if option in _NOT_PARAMETERS:
            if MODELS[name].target not in _NOT_PARAMETERS[option]:
                about = _NOT_PARAMETERS[option]
                raise _refusal(option, [other for other, choice in MODELS.items() if choice.target in about])
            continue
        parameter = _PARAMETERS.get(option, option)
        if parameter not in _parameters_of(name):
            raise _refusal(option, [other for other in MODELS if parameter in _parameters_of(other)])
        parameters[parameter] = value
    return model(**parameters, verbose=verbose)


def _given(*groups: Options) -> dict[str, Any]:
    """Return the options that were given, as an estimator wants them."""
    found: dict[str, Any] = {}
    for group in groups:
        for field in fields(group):
            value = getattr(group, field.name)
            if value is not None:
                found[field.name] = value.value if isinstance(value, Enum) else value
    if found.get("class_weight") == "none":
        found["class_weight"] = None
    return found


def _class_of(name: str) -> type[TopicEstimator]:
    from plait import models

    return models.MODELS[MODELS[name].class_name]


def _parameters_of(name: str) -> set[str]:
    return set(_class_of(name)._get_param_names())


def _refusal(option: str, models: list[str]) -> typer.BadParameter:
    return typer.BadParameter(f"{option_name(option)} is for --model {' or '.join(models)}")


def _known_model(name: str) -> str:
    if name not in MODELS:
        raise typer.BadParameter(f"{name!r} is not a model; there is {', '.join(MODELS)}")
    return name


ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="|".join(MODELS),
        callback=_known_model,
        help=f"Which model to fit: {'; '.join(f'{name} {choice.about}' for name, choice in MODELS.items())}.",
        rich_help_panel=MODEL_PANEL,
    ),
]


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model that plait fit saved.", show_default=False)]


def targets_of(model: TopicEstimator) -> list[Target]:
    """Return what a model predicts besides words; a TopicModel may predict several things."""
    return [target for target in Target if model._explains(target.value)]


def target_of(model: TopicEstimator) -> Target | None:
    """Return what a model predicts besides words; of several things the first of labels, numbers, links."""
    return next(iter(targets_of(model)), None)


def weights_of(model: Any, target: Target) -> Any:
    """Return the weights of topics for something that a model predicts."""
    own = f"{target.value.removesuffix('s')}_weights_"  # where a model may predict several things
    return getattr(model, own) if hasattr(model, own) else model.weights_


def with_article(model: TopicEstimator) -> str:
    """Return the name of a model's class as a sentence has it."""
    name = type(model).__name__
    return f"{'an' if name == 'LDA' else 'a'} {name}"


def load_model(path: Path) -> TopicEstimator:
    """Load a model file, with an error that says what such a file is."""
    from plait.store import load

    if not path.exists():
        raise PlaitError(f"{path} does not exist; give a model that plait fit saved")
    model: TopicEstimator = load(path)
    return model
