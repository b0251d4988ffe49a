"""The options of models that predict labels, numbers or links, or that follow links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from plait.cli.options.model_options import INFLUENCE_PANEL, LABELS_PANEL, LINKS_PANEL, PREDICTION_PANEL, model_option
from plait.cli.options.reading import label_option, links_option
from plait.cli.options.targets import per_target


class Flow(StrEnum):
    """The source documents of a document: its link targets, its link sources, or both."""

    out = "out"
    in_ = "in"
    both = "both"


class Features(StrEnum):
    """What scores labels beside topics."""

    text = "text"
    none = "none"


def _class_weight(text: str) -> str | float:
    """Return "auto", "balanced", "none" or a number."""
    if text in ("auto", "balanced", "none"):
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not auto, balanced, none or a number") from None


def _most_links(text: str) -> str | int:
    """Return a number of links, or "all"."""
    if text == "all":
        return text
    if not text.isdecimal() or int(text) < 1:
        raise typer.BadParameter(f"{text!r} is not a number of links, 1 or more, or all")
    return int(text)


def _link_weights(text: str) -> str:
    """Return "full", "diagonal" or "low_rank(r)"."""
    from plait.errors import PlaitError
    from plait.responses import LinkResponse

    try:
        LinkResponse(form=text).check()
    except PlaitError:
        raise typer.BadParameter(f"{text!r} is not full, diagonal or low_rank(8) with any rank") from None
    return text


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number") from None


def _number_or_auto(text: str) -> str | float:
    try:
        return text if text == "auto" else float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number or auto") from None


def _loss(text: str) -> str:
    # Imported here, so that `plait --help` does not load the samplers.
    from plait.responses import LOSSES

    if text not in LOSSES:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(LOSSES)}")
    return text


def _pair_features(text: str) -> list[str]:
    """Return the names of pair features, an empty list for "none"; commas inside parentheses do not separate them."""
    from plait.errors import PlaitError
    from plait.pair_features import PairMatrix, read_features

    names = [name.strip() for name in re.split(r",(?![^(]*\))", text) if name.strip()]
    if names == ["none"]:
        return []
    try:
        features = read_features(names)
    except PlaitError as error:
        raise typer.BadParameter(str(error)) from None
    if not features:
        raise typer.BadParameter("name at least one feature, auto or none")
    if any(isinstance(feature, PairMatrix) for feature in features):
        raise typer.BadParameter("matrices of pairs are given to plait.RelationalTopicModel only; leave matrix out")
    return names


@dataclass(frozen=True)
class PredictionOptions:
    """The options of every model that predicts something. None leaves an option to the model's own default."""

    cost: Annotated[
        Any,
        model_option(
            "--cost",
            help="Weight of labels or links relative to words (c). With --model combined, this and other options may "
            "have a value per target: labels=4,links=2.",
            panel=PREDICTION_PANEL,
            parser=per_target(_number_or_auto),
            metavar="NUMBER|auto",
        ),
    ] = None
    loss: Annotated[
        Any,
        model_option(
            "--loss",
            help="Loss: hinge for a large margin, logistic or probit for probabilities.",
            panel=PREDICTION_PANEL,
            parser=per_target(_loss),
            metavar="NAME",
        ),
    ] = None
    ell: Annotated[
        Any,
        model_option(
            "--ell",
            help="Margin of the hinge loss (ℓ).",
            panel=PREDICTION_PANEL,
            parser=per_target(_number),
            metavar="NUMBER",
        ),
    ] = None
    nu: Annotated[
        Any,
        model_option(
            "--nu",
            help="Prior standard deviation of the weights (ν).",
            panel=PREDICTION_PANEL,
            parser=per_target(_number),
            metavar="NUMBER",
        ),
    ] = None
    chains: Annotated[
        int | None,
        model_option(
            "--chains",
            help="Number of chains whose predictions and influence are averaged.",
            panel=PREDICTION_PANEL,
            min=1,
        ),
    ] = None
    cached: Annotated[
        bool | None,
        model_option(
            "--cached",
            help="Compute the effect of labels or links once per document: faster, approximate.",
            panel=PREDICTION_PANEL,
        ),
    ] = None


@dataclass(frozen=True)
class LabelOptions:
    """The options of models that learn labels or numbers. None leaves an option to the model's own default."""

    label_field: Annotated[str | None, label_option(LABELS_PANEL)] = None
    min_label_documents: Annotated[
        int | None,
        model_option(
            "--min-label-documents",
            metavar="NUMBER",
            help="Minimum number of documents per label; rarer labels are removed and listed.",
            panel=LABELS_PANEL,
            min=2,
            show_default="all labels",
        ),
    ] = None
    sigma: Annotated[
        float | None,
        model_option(
            "--sigma",
            help="Noise of the numbers, relative to their standard deviation (σ).",
            panel=LABELS_PANEL,
            min=0.0,
        ),
    ] = None
    class_weight: Annotated[
        Any,
        model_option(
            "--class-weight",
            help="Weight of documents with a label: auto, balanced (by its frequency), none, or a number.",
            panel=LABELS_PANEL,
            parser=_class_weight,
            metavar="auto|balanced|none|NUMBER",
        ),
    ] = None
    threshold: Annotated[
        Any,
        model_option(
            "--threshold",
            help="Score above which a label is predicted, if documents have several labels; auto: one per label.",
            panel=LABELS_PANEL,
            parser=_number_or_auto,
            metavar="NUMBER|auto",
        ),
    ] = None
    features: Annotated[
        Features | None,
        model_option(
            "--features",
            help="What scores labels beside topics: text (linear machines on TF-IDF), or none.",
            panel=LABELS_PANEL,
        ),
    ] = None
    one_vs_all: Annotated[
        bool | None,
        model_option("--one-vs-all", help="Fit separate topics for each label.", panel=LABELS_PANEL),
    ] = None


@dataclass(frozen=True)
class LinkOptions:
    """The options of models that learn links. None leaves an option to the model's own default."""

    links: Annotated[Path | None, links_option(LINKS_PANEL)] = None
    link_weights: Annotated[
        Any,
        model_option(
            "--link-weights",
            help="Weights for all pairs of topics (full), for equal topics only (diagonal), or of a low rank "
            "('low_rank(8)', for many topics).",
            panel=LINKS_PANEL,
            parser=_link_weights,
            metavar="full|diagonal|low_rank(r)",
        ),
    ] = None
    directed: Annotated[
        bool | None,
        model_option(
            "--directed/--undirected",
            help="Whether a link differs from its reverse.",
            panel=LINKS_PANEL,
            show_default="directed, unless every link has its reverse",
        ),
    ] = None
    negatives: Annotated[
        float | None,
        model_option("--negatives", help="Unlinked pairs to learn from, per link.", panel=LINKS_PANEL, min=0.0),
    ] = None
    negative_share: Annotated[
        float | None,
        model_option(
            "--negative-share",
            help="Unlinked pairs to learn from, as a share of all of them.",
            panel=LINKS_PANEL,
            min=0.0,
            max=1.0,
        ),
    ] = None
    fresh_negatives: Annotated[
        int | None,
        model_option(
            "--fresh-negatives",
            help="Sweeps after which new unlinked pairs are drawn; 0 for never.",
            panel=LINKS_PANEL,
            min=0,
        ),
    ] = None
    negative_cost: Annotated[
        float | None,
        model_option("--negative-cost", help="Weight of an unlinked pair (c).", panel=LINKS_PANEL, min=0.0),
    ] = None
    weights_every: Annotated[
        int | None,
        model_option("--weights-every", help="Sweeps per draw of the link weights.", panel=LINKS_PANEL, min=1),
    ] = None
    pair_features: Annotated[
        Any,
        model_option(
            "--pair-features",
            help="Features of pairs beside topics: auto, none, or a list such as text,votes(20),same(venue).",
            panel=LINKS_PANEL,
            parser=_pair_features,
            metavar="NAMES",
        ),
    ] = None


@dataclass(frozen=True)
class InfluenceOptions:
    """The options of models whose words may come from linked documents. None leaves an option to the model."""

    openness: Annotated[
        float | None,
        model_option(
            "--openness",
            "--p",
            help="Prior strength of the source distribution: document length / p tokens (p).",
            panel=INFLUENCE_PANEL,
            min=0.0,
        ),
    ] = None
    most_links: Annotated[
        Any,
        model_option(
            "--most-links",
            help="Number of links followed per document, heaviest first, or all.",
            panel=INFLUENCE_PANEL,
            parser=_most_links,
            metavar="NUMBER|all",
        ),
    ] = None
    direction: Annotated[
        Flow | None,
        model_option(
            "--direction",
            help="Source documents: those it links to (out), that link to it (in), or both.",
            panel=INFLUENCE_PANEL,
        ),
    ] = None
