"""The models that `plait fit` can build, by name, and what a saved model can predict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from plait.cli.options.model_options import MODEL_PANEL, PREDICTION_PANEL
from plait.cli.options.targets import Target, parse_use
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.models import TopicEstimator


class ModelChoice(NamedTuple):
    """A value of --model: its class in `plait.models`, what it does, and what it uses besides words."""

    class_name: str
    about: str
    target: Target | None = None


COMBINED = "combined"
ONLINE = "online"
# To add a model, add a line here; its parameters are read from the class.
MODELS: dict[str, ModelChoice] = {
    "lda": ModelChoice("LDA", "topics from words alone"),
    "medlda": ModelChoice("MedLDA", "predicts labels", Target.labels),
    "slda": ModelChoice("SupervisedLDA", "predicts a number", Target.values),
    "relational": ModelChoice("RelationalTopicModel", "predicts links", Target.links),
    "linked": ModelChoice("LinkedLDA", "measures influence along links", Target.influence),
    ONLINE: ModelChoice("OnlineLDA", "tracks topics over the time slices of --by"),
    COMBINED: ModelChoice("TopicModel", "combines what --use names"),
}
# The method that a model has if it predicts a target.
_METHODS = {Target.labels: "predict_labels", Target.values: "predict_values", Target.links: "suggest_links"}


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
        help=f"Model to fit. {'; '.join(f'{name}: {choice.about}' for name, choice in MODELS.items())}.",
        rich_help_panel=MODEL_PANEL,
    ),
]

UseNames = Annotated[
    Any,
    typer.Option(
        "--use",
        parser=parse_use,
        metavar="NAMES",
        help="With --model combined: what it uses besides words. labels or values (numbers), links, influence; "
        "several such as labels,links.",
        show_default=False,
        rich_help_panel=PREDICTION_PANEL,
    ),
]


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model that plait fit saved.", show_default=False)]


def targets_of(model: TopicEstimator) -> list[Target]:
    """Return what a model predicts besides words.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    list of Target
        Its targets, without influence; several for some `TopicModel`.
    """
    return [target for target, method in _METHODS.items() if hasattr(model, method)]


def requested_targets(name: str, use: list[Target] | None) -> list[Target]:
    """Return what the requested model uses besides words. A missing or needless --use is an error.

    Parameters
    ----------
    name : str
        One of `MODELS`.
    use : list of Target, optional
        Value of --use.

    Returns
    -------
    list of Target
        The targets.
    """
    if name != COMBINED:
        if use is not None:
            raise typer.BadParameter(f"--use is for --model {COMBINED}")
        target = MODELS[name].target
        return [] if target is None else [target]
    if use is None:
        raise typer.BadParameter(f"--model {COMBINED} needs --use, such as --use labels,links")
    return use


def follows_links(model: TopicEstimator) -> bool:
    """Return whether words of a model may come from linked documents.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    bool
        Whether its mixing is `LinkedDocuments`.
    """
    return hasattr(model, "most_influential")


def target_of(model: TopicEstimator) -> Target | None:
    """Return the first of labels, numbers and links that a model predicts, or None.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    Target or None
        The target.
    """
    return next(iter(targets_of(model)), None)


def weights_of(model: Any, target: Target) -> Any:
    """Return the weights of topics for a target of a model.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model that predicts the target.
    target : Target
        One of `targets_of`.

    Returns
    -------
    array
        The weights.
    """
    own = f"{target.value.removesuffix('s')}_weights_"  # if a model may have several targets
    return getattr(model, own) if hasattr(model, own) else model.weights_


def with_article(model: TopicEstimator) -> str:
    """Return the name of a model's class with its article, for messages.

    Parameters
    ----------
    model : TopicEstimator
        A model.

    Returns
    -------
    str
        Such as "an LDA".
    """
    name = type(model).__name__
    return f"{'an' if name in ('LDA', 'OnlineLDA') else 'a'} {name}"


def load_model(path: Path) -> TopicEstimator:
    """Return the model in a file; another file is an error.

    Parameters
    ----------
    path : Path
        File that `plait fit` or `plait stream` saved.

    Returns
    -------
    TopicEstimator
        The model.
    """
    from plait.models.fitting import checkpoint_folder
    from plait.priors import is_prior
    from plait.store import load
    from plait.store.checkpoints import has_checkpoint

    if not path.exists() and has_checkpoint(checkpoint_folder(path)):
        raise PlaitError(f"{path} does not exist yet: its fit is unfinished; plait fit --resume continues it")
    if not path.exists():
        raise PlaitError(f"{path} does not exist; give a model that plait fit saved")
    model: TopicEstimator = load(path)
    if is_prior(model):
        raise PlaitError(f"{path} holds a prior ({type(model).__name__}), not a model; use it with plait fit --prior")
    return model
