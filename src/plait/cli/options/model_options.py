"""The options of `plait fit` that every topic model takes. An option that is not given is left to the model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

MODEL_PANEL = "Model"
PRIOR_PANEL = "Priors"
PREDICTION_PANEL = "Predictions"
LABELS_PANEL = "Labels"
LINKS_PANEL = "Links"
INFLUENCE_PANEL = "Influence along links"
TIME_PANEL = "Time slices"
RUN_PANEL = "Sampling"
FILE_PANEL = "Model file"

Topics = Annotated[int, typer.Option("--topics", "-k", min=1, help="Number of topics.", rich_help_panel=MODEL_PANEL)]
Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="NUMBER", help="Threads, -1 for all cores; results are the same."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", min=0, help="Seed of the random numbers.")]


def model_option(*names: str, help: str, panel: str = MODEL_PANEL, **more: Any) -> Any:
    """Return the description of an option whose default is the model's own.

    Parameters
    ----------
    *names : str
        Names of the option.
    help : str
        Help text.
    panel : str
        Panel of the help page.
    **more : object
        Further arguments of `typer.Option`.

    Returns
    -------
    object
        The result of `typer.Option`.
    """
    return typer.Option(*names, help=help, rich_help_panel=panel, **({"show_default": False} | more))


class Kept(StrEnum):
    """What a model file keeps of the documents."""

    titles = "titles"
    ids = "ids"
    nothing = "nothing"


@dataclass(frozen=True)
class ModelOptions:
    """The options that every topic model takes. None leaves an option to the model's own default."""

    topics: Annotated[int | None, model_option("--topics", "-k", help="Number of topics.", min=1)] = None
    alpha: Annotated[
        float | None,
        model_option(
            "--alpha", help="Dirichlet prior on document–topic distributions; lda learns it.", panel=PRIOR_PANEL
        ),
    ] = None
    beta: Annotated[
        float | None,
        model_option(
            "--beta", help="Dirichlet prior on topic–word distributions; lda learns one number.", panel=PRIOR_PANEL
        ),
    ] = None
    prior: Annotated[
        Path | None,
        model_option("--prior", metavar="PRIOR.plait", help="Prior that plait knowledge saved.", panel=PRIOR_PANEL),
    ] = None
    seeds: Annotated[
        Path | None,
        model_option(
            "--seeds",
            metavar="FILE",
            help='Seed words of named topics: JSON {"name": ["word", ...]}, or one line "name: word word" per topic.',
            panel=PRIOR_PANEL,
            show_default=False,
        ),
    ] = None
    seed_strength: Annotated[
        float | None,
        model_option(
            "--seed-strength",
            metavar="NUMBER",
            help="Pseudo-count of each word of --seeds.",
            panel=PRIOR_PANEL,
            min=0.0,
            show_default="10",
        ),
    ] = None
    keep: Annotated[
        Kept | None,
        model_option(
            "--keep",
            help="What the model file keeps of the documents: titles, dates and excerpts; ids; or nothing.",
            show_default="titles",
            panel=FILE_PANEL,
        ),
    ] = None
    learn_alpha: Annotated[
        bool | None,
        model_option("--learn-alpha", help="Estimate one alpha per topic from the documents.", panel=PRIOR_PANEL),
    ] = None
    learn_beta: Annotated[
        bool | None,
        model_option("--learn-beta", help="Estimate one beta from the documents.", panel=PRIOR_PANEL),
    ] = None
    sampler: Annotated[
        str | None,
        model_option(
            "--sampler",
            metavar="NAME",
            help="plain (exact); approximate: aggregated, limit, sparse(10), aggregated_sparse(10), synchronous; auto.",
            panel=RUN_PANEL,
        ),
    ] = None
    sweeps: Annotated[
        int | None, model_option("--sweeps", help="Maximum number of burn-in sweeps.", panel=RUN_PANEL, min=1)
    ] = None
    samples: Annotated[
        int | None, model_option("--samples", help="Samples kept after burn-in.", panel=RUN_PANEL, min=1)
    ] = None
    sample_every: Annotated[
        int | None, model_option("--sample-every", help="Sweeps per sample.", panel=RUN_PANEL, min=1)
    ] = None
    tolerance: Annotated[
        float | None,
        model_option(
            "--tolerance",
            help="Burn-in ends when perplexity falls by less than this share; 0 runs all sweeps.",
            panel=RUN_PANEL,
            min=0.0,
        ),
    ] = None
    shards: Annotated[
        int | None,
        model_option(
            "--shards",
            help="Shards of the corpus; 1 is the exact chain. Changes the result, unlike --jobs.",
            panel=RUN_PANEL,
            min=1,
            show_default="by the size of the corpus",
        ),
    ] = None
    jobs: Jobs = 1
    seed: Seed = 0


AUTO = "auto"


def _parse_topics(text: str) -> int | str | list[int]:
    """Return a number of topics, several to choose from, or "auto"."""
    if text == AUTO:
        return text
    try:
        numbers = [int(item) for item in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number of topics, a list such as 10,20,50, or {AUTO}") from None
    if min(numbers) < 1:
        raise typer.BadParameter(f"{min(numbers)} is not a number of topics; give 1 or more")
    return numbers[0] if len(numbers) == 1 else numbers


@dataclass(frozen=True)
class FitOptions(ModelOptions):
    """The options that every model of `plait fit` takes; the number of topics may be chosen on the corpus."""

    topics: Annotated[
        Any,
        model_option(
            "--topics",
            "-k",
            parser=_parse_topics,
            metavar="NUMBER|auto",
            help=f"Number of topics. {AUTO} chooses it on the corpus, 10,20,50 chooses one of these.",
            show_default="20",
        ),
    ] = None

    @property
    def compares_topics(self) -> bool:
        """Whether the number of topics is chosen by a comparison."""
        return self.topics is not None and not isinstance(self.topics, int)


def option_name(option: str) -> str:
    """Return an option as it is typed.

    Parameters
    ----------
    option : str
        Name of the option's field.

    Returns
    -------
    str
        The option.

    Examples
    --------
    >>> option_name("label_field"), option_name("class_weight")
    ('--label', '--class-weight')
    """
    return "--label" if option == "label_field" else f"--{option.replace('_', '-')}"
