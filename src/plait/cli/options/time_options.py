"""The options of models that learn time slices in order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from plait.cli.options.model_options import TIME_PANEL, model_option
from plait.cli.options.reading import date_option

UNITS = ("day", "week", "month", "year")


class History(StrEnum):
    """The statistic of past slices that the prior of a topic is built from."""

    counts = "counts"
    distributions = "distributions"
    smoothed = "smoothed"


def _history_weights(text: str) -> float | list[float]:
    """Return the total weight of past slices, or one weight per slice of the window."""
    try:
        numbers = [float(item) for item in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number or a list such as 0.2,0.3,0.5") from None
    return numbers[0] if len(numbers) == 1 else numbers


@dataclass(frozen=True)
class TimeOptions:
    """The options of models of a stream. None leaves an option to the model's own default."""

    window: Annotated[
        int | None,
        model_option(
            "--window",
            help="Number of past slices that the prior of a slice uses; 0 for none (δ).",
            panel=TIME_PANEL,
            min=0,
        ),
    ] = None
    history_weights: Annotated[
        Any,
        model_option(
            "--history-weights",
            help="Weight of past slices: the total, or one number per slice of the window, oldest first.",
            panel=TIME_PANEL,
            parser=_history_weights,
            metavar="NUMBER[,NUMBER]",
        ),
    ] = None
    decay: Annotated[
        float | None,
        model_option("--decay", help="Weight of a past slice relative to the next one.", panel=TIME_PANEL),
    ] = None
    history: Annotated[
        History | None,
        model_option(
            "--history", help="Prior from past word counts, distributions or smoothed ones.", panel=TIME_PANEL
        ),
    ] = None
    forget_after: Annotated[
        int | None,
        model_option(
            "--forget-after",
            metavar="SLICES",
            help="Remove words from the vocabulary after so many slices without them.",
            panel=TIME_PANEL,
            min=1,
            show_default="never",
        ),
    ] = None


def parse_slices(text: str) -> str | int:
    """Return the calendar unit, or the number of slices."""
    if text in UNITS:
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"{text!r} is none of {', '.join(UNITS)}, or a number of slices")


@dataclass(frozen=True)
class SliceOptions:
    """How `plait fit --model online` divides a corpus into time slices."""

    by: Annotated[
        Any,
        typer.Option(
            "--by",
            parser=parse_slices,
            metavar="UNIT|NUMBER",
            help=f"With --model online: {', '.join(UNITS)}, or a number of slices of equal size.",
            show_default=False,
            rich_help_panel=TIME_PANEL,
        ),
    ] = None
    ahead: Annotated[
        bool,
        typer.Option(
            "--ahead",
            help="With --model online: measure the perplexity of each slice before it is learned.",
            rich_help_panel=TIME_PANEL,
        ),
    ] = False
    date_field: Annotated[str | None, date_option()] = None

    def check(self, *, online: bool) -> None:
        """Raise an error if the options do not apply to the model, or if --by is missing.

        Parameters
        ----------
        online : bool
            Whether the model learns time slices.
        """
        if not online and (self.by is not None or self.ahead):
            raise typer.BadParameter(f"{'--ahead' if self.ahead else '--by'} is for --model online")
        if online and self.by is None:
            raise typer.BadParameter("--model online learns time slices; set their length, such as --by month")

    def keywords(self, on_error: str) -> dict[str, Any]:
        """Return the arguments of `fit` and `resume` of a model; none for a model without slices.

        Parameters
        ----------
        on_error : {"raise", "skip"}
            What happens to documents without a date.

        Returns
        -------
        dict
            Keyword arguments.
        """
        return {} if self.by is None else {"times": self.by, "ahead": self.ahead, "on_error": on_error}
