"""Which models `plait fit` can build, by name, and what a saved one can say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from plait.cli.options.model_options import MODEL_PANEL
from plait.cli.options.used_responses import Target, read_use
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.models import TopicEstimator


class ModelChoice(NamedTuple):
    """A model that can be asked for: its class in `plait.models`, what it does, and what it uses besides words."""

    class_name: str
    about: str
    target: Target | None = None


COMBINED = "combined"
ONLINE = "online"
# A new model: a line here; its parameters are looked up in the class.
MODELS: dict[str, ModelChoice] = {
    "lda": ModelChoice("LDA", "finds topics from words alone"),
    "medlda": ModelChoice("MedLDA", "also learns to predict labels, one or several a document", Target.labels),
    "slda": ModelChoice("SupervisedLDA", "also learns to predict a number", Target.values),
    "relational": ModelChoice("RelationalTopicModel", "also learns from links, and suggests new ones", Target.links),
    "linked": ModelChoice("LinkedLDA", "says along which links documents shape each other", Target.influence),
    ONLINE: ModelChoice("OnlineLDA", "follows topics through slices of time, as --by cuts them"),
    COMBINED: ModelChoice("TopicModel", "does several of these at once, as --use says"),
}


def _known_model(name: str) -> str:
    if name not in MODELS:
        raise typer.BadParameter(f"{name!r} is not a model; there is {', '.join(MODELS)}")
    return name


ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="NAME",
        callback=_known_model,
        help=f"Which model to fit: {'; '.join(f'{name} {choice.about}' for name, choice in MODELS.items())}.",
        rich_help_panel=MODEL_PANEL,
    ),
]

UseNames = Annotated[
    Any,
    typer.Option(
        "--use",
        parser=read_use,
        metavar=",".join(target for target in Target if target is not Target.values),
        help="What --model combined uses besides words, any of labels, links (to be predicted) and influence (along "
        "links); values in place of labels for numbers. Options that two of these take are given for each: "
        "--cost labels=4,links=2.",
        show_default=False,
        rich_help_panel=MODEL_PANEL,
    ),
]


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model that plait fit saved.", show_default=False)]


def targets_of(model: TopicEstimator) -> list[Target]:
    """Return what a model predicts besides words; a TopicModel may predict several things."""
    return [target for target in Target if model._explains(target.value)]


def asked_targets(name: str, use: list[Target] | None) -> list[Target]:
    """Return what a model that is asked for uses besides words; refuse --use where it is missing or says nothing."""
    if name != COMBINED:
        if use is not None:
            raise typer.BadParameter(f"--use is for --model {COMBINED}")
        target = MODELS[name].target
        return [] if target is None else [target]
    if use is None:
        raise typer.BadParameter(f"--model {COMBINED} puts parts together; name them, such as --use labels,links")
    return use


def follows_links(model: TopicEstimator) -> bool:
    """Whether words of a model may draw from linked documents."""
    return hasattr(model, "most_influential")


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
    return f"{'an' if name in ('LDA', 'OnlineLDA') else 'a'} {name}"


def load_model(path: Path) -> TopicEstimator:
    """Load a model file, with an error that says what such a file is."""
    from plait.priors import is_prior
    from plait.store import load

    if not path.exists():
        raise PlaitError(f"{path} does not exist; give a model that plait fit saved")
    model: TopicEstimator = load(path)
    if is_prior(model):
        raise PlaitError(
            f"{path} holds a prior ({type(model).__name__}), not a model; plait fit --prior makes use of it"
        )
    return model
