"""Which models `plait fit` can build, by name, and the options that say how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.models import TopicEstimator

_MODEL = "The model"
_RUN = "How long it runs"

Topics = Annotated[int, typer.Option("--topics", "-k", min=1, help="How many topics.", rich_help_panel=_MODEL)]
Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", help="Threads; -1 for all cores. The result is the same with any number."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the random numbers: same seed, same model.")]


def _option(name: str, help: str, panel: str, **more: Any) -> Any:
    return typer.Option(f"--{name}", help=help, rich_help_panel=panel, **more)


@dataclass(frozen=True)
class ModelOptions:
    """The options that every topic model takes."""

    topics: Topics = 20
    alpha: Annotated[float, _option("alpha", "How evenly a document spreads over topics.", _MODEL)] = 0.1
    beta: Annotated[float, _option("beta", "How evenly a topic spreads over words.", _MODEL)] = 0.01
    learn_alpha: Annotated[bool, _option("learn-alpha", "Fit alpha to the documents.", _MODEL)] = False
    learn_beta: Annotated[bool, _option("learn-beta", "Fit beta to the documents.", _MODEL)] = False
    sampler: Annotated[
        str,
        _option(
            "sampler",
            "plain (exact), aggregated, limit, sparse(10) or aggregated_sparse(10); the others are approximate.",
            _RUN,
        ),
    ] = "plain"
    sweeps: Annotated[int, _option("sweeps", "At most so many sweeps to settle.", _RUN, min=1)] = 200
    samples: Annotated[int, _option("samples", "States that are kept after that.", _RUN, min=1)] = 5
    sample_every: Annotated[int, _option("sample-every", "Sweeps between two kept states.", _RUN, min=1)] = 5
    tolerance: Annotated[
        float,
        _option(
            "tolerance",
            "Settled when perplexity falls by less than this share; 0 makes all sweeps.",
            _RUN,
            min=0.0,
        ),
    ] = 1e-3
    shards: Annotated[
        int | None,
        _option(
            "shards",
            "Parts the documents are cut into; 1 is the exact chain. Changes the result, unlike --jobs.",
            _RUN,
            min=1,
            show_default="by the size of the corpus",
        ),
    ] = None
    jobs: Jobs = 1
    seed: Seed = 0

    def parameters(self) -> dict[str, Any]:
        """Return the same as parameters of an estimator; refuse a sampler that does not exist."""
        from plait.samplers import as_sampler

        as_sampler(self.sampler)
        return {_PARAMETERS.get(field.name, field.name): getattr(self, field.name) for field in fields(self)}


# Options whose estimators' parameters have another name.
_PARAMETERS = {
    "topics": "n_topics",
    "sweeps": "n_sweeps",
    "samples": "n_samples",
    "shards": "n_shards",
    "jobs": "n_jobs",
    "seed": "random_state",
}


def parameter_of(option: str) -> str | None:
    """Return the estimator's parameter that an option sets; None where it says nothing about the model."""
    names = {field.name for field in fields(ModelOptions)}
    return _PARAMETERS.get(option, option) if option in names else None


def _build_lda(options: ModelOptions, verbose: bool) -> TopicEstimator:
    from plait.models import LDA

    return LDA(**options.parameters(), verbose=verbose)


# A new model: a function that builds it from the options, and a line here.
MODELS: dict[str, Callable[[ModelOptions, bool], TopicEstimator]] = {"lda": _build_lda}


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
        help="Which model to fit: lda finds topics from words alone.",
        rich_help_panel=_MODEL,
    ),
]


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="A model that plait fit saved.", show_default=False)]


def load_model(path: Path) -> TopicEstimator:
    """Load a model file, with an error that says what such a file is."""
    from plait.store import load

    if not path.exists():
        raise PlaitError(f"{path} does not exist; give a model that plait fit saved")
    model: TopicEstimator = load(path)
    return model
