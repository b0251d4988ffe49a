"""The options of `plait fit` that say how a model is built; one that is not given is left to the model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from plait.cli.options.reading import label_option, links_option
from plait.cli.options.used_responses import of_parts

MODEL_PANEL = "The model"
PREDICTION_PANEL = "Models that predict labels, numbers or links"
LABELS_PANEL = "Models with labels"
LINKS_PANEL = "Models with links"
INFLUENCE_PANEL = "Models with influence along links"
TIME_PANEL = "Models of a stream"
RUN_PANEL = "How long it runs"
_LINK_WEIGHTS = ("full", "diagonal")

Topics = Annotated[int, typer.Option("--topics", "-k", min=1, help="How many topics.", rich_help_panel=MODEL_PANEL)]
Jobs = Annotated[
    int,
    typer.Option("--jobs", "-j", help="Threads; -1 for all cores. The result is the same with any number."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the random numbers: same seed, same model.")]


class Loss(StrEnum):
    """By what a model learns to tell labels apart, or links from other pairs."""

    hinge = "hinge"
    logistic = "logistic"


class Flow(StrEnum):
    """Whom a document may draw from: those that it links to, those that link to it, or both."""

    out = "out"
    in_ = "in"
    both = "both"


class History(StrEnum):
    """What a topic takes over from past slices: how often it held words, or their shares of it."""

    counts = "counts"
    distributions = "distributions"


def _class_weight(text: str) -> str | float:
    """Read "balanced", "none" or a number."""
    if text in ("balanced", "none"):
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not balanced, none or a number") from None


def _most_links(text: str) -> str | int:
    """Read a number of links, or "all"."""
    if text == "all":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is not a number of links, 1 or more, or all")
    return int(text)


def _past_weights(text: str) -> float | list[float]:
    """Read the weight of the past, or one for each slice of the window."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number, or several such as 0.2,0.3,0.5") from None
    return numbers[0] if len(numbers) == 1 else numbers


def _weights(text: str) -> str | float | list[float]:
    """Read which topics may link to which, or the weight of the past."""
    return text if text in _LINK_WEIGHTS else _past_weights(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number") from None


def _loss(text: str) -> str:
    if text not in tuple(Loss):
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(Loss)}")
    return text


def _option(*names: str, help: str, panel: str = MODEL_PANEL, **more: Any) -> Any:
    """Describe an option that is left to the model's own default when it is not given."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **({"show_default": "by the model"} | more))


@dataclass(frozen=True)
class ModelOptions:
    """The options that every topic model takes; None leaves one to the model's own default."""

    topics: Annotated[int | None, _option("--topics", "-k", help="How many topics.", min=1)] = None
    alpha: Annotated[float | None, _option("--alpha", help="How evenly a document spreads over topics.")] = None
    beta: Annotated[float | None, _option("--beta", help="How evenly a topic spreads over words.")] = None
    prior: Annotated[
        Path | None,
        _option(
            "--prior", metavar="PRIOR.plait", help="Topics begin from what plait knowledge saved.", show_default=False
        ),
    ] = None
    seeds: Annotated[
        Path | None,
        _option(
            "--seeds",
            metavar="FILE",
            help='Topics with names begin from words: JSON {"name": ["word", ...]}, or lines of "name: word word".',
            show_default=False,
        ),
    ] = None
    seed_strength: Annotated[
        float | None,
        _option(
            "--seed-strength",
            metavar="NUMBER",
            help="How often a topic has seen each of its --seeds beforehand.",
            min=0.0,
            show_default="10",
        ),
    ] = None
    learn_alpha: Annotated[bool | None, _option("--learn-alpha", help="Fit alpha to the documents.")] = None
    learn_beta: Annotated[bool | None, _option("--learn-beta", help="Fit beta to the documents.")] = None
    sampler: Annotated[
        str | None,
        _option(
            "--sampler",
            help="plain (exact), aggregated, limit, sparse(10) or aggregated_sparse(10); the others are approximate.",
            panel=RUN_PANEL,
        ),
    ] = None
    sweeps: Annotated[
        int | None, _option("--sweeps", help="At most so many sweeps to settle.", panel=RUN_PANEL, min=1)
    ] = None
    samples: Annotated[
        int | None, _option("--samples", help="States that are kept after that.", panel=RUN_PANEL, min=1)
    ] = None
    sample_every: Annotated[
        int | None, _option("--sample-every", help="Sweeps between two kept states.", panel=RUN_PANEL, min=1)
    ] = None
    tolerance: Annotated[
        float | None,
        _option(
            "--tolerance",
            help="Settled when perplexity falls by less than this share; 0 makes all sweeps.",
            panel=RUN_PANEL,
            min=0.0,
        ),
    ] = None
    shards: Annotated[
        int | None,
        _option(
            "--shards",
            help="Parts the documents are cut into; 1 is the exact chain. Changes the result, unlike --jobs.",
            panel=RUN_PANEL,
            min=1,
            show_default="by the size of the corpus",
        ),
    ] = None
    jobs: Jobs = 1
    seed: Seed = 0


@dataclass(frozen=True)
class PredictionOptions:
    """The options of every model that predicts something; None leaves one to the model's own default."""

    cost: Annotated[
        Any,
        _option(
            "--cost",
            help="How much labels or links count beside the words (c).",
            panel=PREDICTION_PANEL,
            parser=of_parts(_number),
            metavar="NUMBER",
        ),
    ] = None
    loss: Annotated[
        Any,
        _option(
            "--loss",
            help="hinge for the widest margin, logistic for probabilities.",
            panel=PREDICTION_PANEL,
            parser=of_parts(_loss),
            metavar="|".join(Loss),
        ),
    ] = None
    ell: Annotated[
        Any,
        _option(
            "--ell",
            help="The margin by which a label or link should win (ℓ).",
            panel=PREDICTION_PANEL,
            parser=of_parts(_number),
            metavar="NUMBER",
        ),
    ] = None
    nu: Annotated[
        Any,
        _option(
            "--nu",
            help="How large weights may be: their standard deviation beforehand (ν).",
            panel=PREDICTION_PANEL,
            parser=of_parts(_number),
            metavar="NUMBER",
        ),
    ] = None
    chains: Annotated[
        int | None,
        _option(
            "--chains",
            help="Fits from different starts, over which predictions and influence are averaged: better and slower.",
            panel=PREDICTION_PANEL,
            min=1,
        ),
    ] = None
    cached: Annotated[
        bool | None,
        _option(
            "--cached",
            help="Weigh labels or links once a document and not at every word: faster, approximate.",
            panel=PREDICTION_PANEL,
        ),
    ] = None


@dataclass(frozen=True)
class LabelOptions:
    """The options of models that learn from labels or numbers; None leaves one to the model's own default."""

    label_field: Annotated[str | None, label_option(LABELS_PANEL)] = None
    min_label_documents: Annotated[
        int | None,
        _option(
            "--min-label-documents",
            metavar="NUMBER",
            help="Learn only labels that at least so many documents have; the others are left out and named.",
            panel=LABELS_PANEL,
            min=2,
            show_default="all labels",
        ),
    ] = None
    sigma: Annotated[
        float | None,
        _option(
            "--sigma",
            help="How much of the numbers' spread is noise: a share of their standard deviation (σ).",
            panel=LABELS_PANEL,
            min=0.0,
        ),
    ] = None
    class_weight: Annotated[
        Any,
        _option(
            "--class-weight",
            help="How much more documents with a label count: balanced (by how rare it is), none, or a number.",
            panel=LABELS_PANEL,
            parser=_class_weight,
            metavar="balanced|none|NUMBER",
        ),
    ] = None
    threshold: Annotated[
        float | None,
        _option(
            "--threshold",
            help="Score above which a document gets a label, where it may have several; below 0 finds more.",
            panel=LABELS_PANEL,
        ),
    ] = None
    one_vs_all: Annotated[
        bool | None,
        _option(
            "--one-vs-all", help="Learn topics for every label by itself, instead of shared ones.", panel=LABELS_PANEL
        ),
    ] = None


@dataclass(frozen=True)
class LinkOptions:
    """The options of models that learn from links; None leaves one to the model's own default."""

    links: Annotated[Path | None, links_option(LINKS_PANEL)] = None
    weights: Annotated[
        Any,
        _option(
            "--weights",
            help="full: any topic may link to any other; diagonal: only to itself. With --model online: how much the "
            "past counts beside the present, in all, or for each slice of the window, oldest first.",
            panel=LINKS_PANEL,
            parser=_weights,
            metavar="full|diagonal|NUMBER[,NUMBER]",
        ),
    ] = None
    directed: Annotated[
        bool | None,
        _option(
            "--directed/--undirected",
            help="Whether a link from one document to another differs from its reverse.",
            panel=LINKS_PANEL,
            show_default="directed, unless every link has its reverse",
        ),
    ] = None
    negatives: Annotated[
        float | None,
        _option(
            "--negatives",
            help="Pairs without a link to learn from, for every link.",
            panel=LINKS_PANEL,
            min=0.0,
        ),
    ] = None
    negative_share: Annotated[
        float | None,
        _option(
            "--negative-share",
            help="The same as a share of all pairs without a link, such as 0.01.",
            panel=LINKS_PANEL,
            min=0.0,
            max=1.0,
        ),
    ] = None
    fresh_negatives: Annotated[
        int | None,
        _option(
            "--fresh-negatives",
            help="Sweeps after which other pairs without a link are drawn; 0 keeps them.",
            panel=LINKS_PANEL,
            min=0,
        ),
    ] = None
    negative_cost: Annotated[
        float | None,
        _option(
            "--negative-cost", help="How much a pair without a link counts (c of those).", panel=LINKS_PANEL, min=0.0
        ),
    ] = None
    weights_every: Annotated[
        int | None,
        _option("--weights-every", help="Sweeps between two draws of the weights.", panel=LINKS_PANEL, min=1),
    ] = None


@dataclass(frozen=True)
class InfluenceOptions:
    """The options of models whose words may draw from linked documents; None leaves one to the model's own default."""

    openness: Annotated[
        float | None,
        _option(
            "--openness",
            "--p",
            help="How far the words decide which links matter: what is expected beforehand, each link by its weight, "
            "counts like a p-th of the document (p).",
            panel=INFLUENCE_PANEL,
            min=0.0,
        ),
    ] = None
    most_links: Annotated[
        Any,
        _option(
            "--most-links",
            help="Follow so many links of a document, the heaviest, or all; time grows with it.",
            panel=INFLUENCE_PANEL,
            parser=_most_links,
            metavar="NUMBER|all",
        ),
    ] = None
    direction: Annotated[
        Flow | None,
        _option(
            "--direction",
            help="Whom a document draws from: those that it links to (out), those that link to it (in), or both.",
            panel=INFLUENCE_PANEL,
        ),
    ] = None


@dataclass(frozen=True)
class TimeOptions:
    """The options of models that live on from slice to slice; None leaves one to the model's own default."""

    window: Annotated[
        int | None,
        _option(
            "--window",
            help="How many past slices a slice builds on; 0 learns each alone (δ).",
            panel=TIME_PANEL,
            min=0,
        ),
    ] = None
    decay: Annotated[
        float | None,
        _option("--decay", help="How much a past slice counts, relative to the one after it.", panel=TIME_PANEL),
    ] = None
    history: Annotated[
        History | None,
        _option("--history", help="What is taken over of the past: counts of words, or shares.", panel=TIME_PANEL),
    ] = None
    forget_after: Annotated[
        int | None,
        _option(
            "--forget-after",
            metavar="SLICES",
            help="Forget words that so many slices did not hold.",
            panel=TIME_PANEL,
            min=1,
            show_default="never",
        ),
    ] = None


@dataclass(frozen=True)
class PastOptions:
    """How much the past counts, for a command that has no other weights."""

    weights: Annotated[
        Any,
        _option(
            "--weights",
            help="How much the past counts beside the present: in all, or for each slice of the window, oldest first.",
            panel=TIME_PANEL,
            parser=_past_weights,
            metavar="NUMBER[,NUMBER]",
        ),
    ] = None


Options = ModelOptions | PredictionOptions | LabelOptions | LinkOptions | InfluenceOptions | TimeOptions | PastOptions


def option_name(option: str) -> str:
    """Return an option as people type it.

    Examples
    --------
    >>> option_name("label_field"), option_name("class_weight")
    ('--label', '--class-weight')
    """
    return "--label" if option == "label_field" else f"--{option.replace('_', '-')}"
