"""`plait trends`: the shares of topics over time."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.io.outputs import Force, check_output
from plait.cli.io.safe_csv import SafeCsv, check_safe_csv, safe_cell
from plait.cli.options.models import ModelPath, load_model, with_article
from plait.cli.options.time_options import UNITS, parse_slices
from plait.cli.show.screen import Table, print_text
from plait.errors import PlaitError

_COLUMNS = ["slice", "topic", "share", "drift", "words"]
_MAX_DRAWN = 12  # topics without --topic


def trends(
    model: ModelPath,
    topic: Annotated[
        list[int] | None,
        typer.Option(
            "--topic", "-t", metavar="NUMBER", help="Only this topic. Repeat for several.", show_default="all"
        ),
    ] = None,
    by: Annotated[
        Any,
        typer.Option(
            "--by",
            parser=parse_slices,
            metavar=f"{'|'.join(UNITS)}|NUMBER",
            help="Slices of a model that was fitted to all documents at once.",
            show_default="the longest unit with 4 slices or more",
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, max=20, help="Words per topic.")] = 5,
    table: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="FILE.csv",
            help="Table to write: slice, topic, share, drift (distance of its words from its window), words.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help=f"Plot to write, .html, .png or .svg: one panel per --topic, or the {_MAX_DRAWN} largest topics.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    safe_csv: SafeCsv = False,
) -> None:
    """Print the share of each topic over the time slices.

    Slices are those of plait stream and plait fit --model online; any other model needs documents with dates, and its
    shares are means over the documents of a slice. Bars are scaled to the peak of each topic; a blank is an empty
    slice. Topics of a stream change their words over time: "now" and "words now" are of the last slice with tokens,
    "peak" and "words then" of the slice with the largest share. The table of --csv has the words of each slice.
    """
    from plait.plots import topic_trends
    from plait.plots.files import check_figure_name, figure_content
    from plait.report.trends import time_range, trend_rows

    if plot is not None:
        check_figure_name(plot)
    check_safe_csv(safe_csv, table is not None)
    targets = [None if path is None else check_output(path, overwrite=force, inputs=[model]) for path in (table, plot)]
    slices, topics, names, changing = _load_slices(model, topic, by)
    _trends_table(slices, topics, names, top, changing).show()
    print_text(f"{counted(len(slices), 'slice')}, {time_range(slices)}")
    if targets[0] is not None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for row in trend_rows(slices, topics, top):
            writer.writerow(map(safe_cell, row) if safe_csv else row)
        _write(targets[0], text.getvalue().encode(), table)
    if targets[1] is not None and plot is not None:
        drawn = topics if topic else sorted(_largest(slices, topics))
        _write(targets[1], figure_content(topic_trends(slices, drawn), plot), plot)


def _load_slices(path: Path, wanted: list[int] | None, by: Any) -> tuple[list[Any], list[int], list[str], bool]:
    """Return the slices of a model, the requested topics, the names of all topics, and whether their words change."""
    from plait.models.methods.documents import topic_slices
    from plait.report.trends import longest_unit

    model: Any = load_model(path)
    slices = getattr(model, "slices_", None)
    if slices and by is not None:
        raise typer.BadParameter("--by is for a model that was fitted to all documents at once; leave it out")
    if not slices:
        times = model.documents_.times
        if times is None:
            raise PlaitError(
                f"{path} holds {with_article(model)}, and its documents have no dates; name their field with plait fit "
                "--date-field, or use plait stream"
            )
        slices = topic_slices(model, longest_unit(times) if by is None else by)
    n_topics = len(model.topic_word_)
    for number in wanted or ():
        if not 0 <= number < n_topics:
            raise PlaitError(f"there is no topic {number}; {path} has topics 0 to {n_topics - 1}")
    chosen = list(dict.fromkeys(wanted)) if wanted else list(range(n_topics))
    return slices, chosen, model.topic_names_, hasattr(model, "slices_")


def _trends_table(slices: list[Any], topics: list[int], names: list[str], top: int, changing: bool) -> Table:
    """Return the table of trends; `changing` says whether the words of a topic change from slice to slice."""
    from plait.report.trends import current_slice, peak_slice, shares_of, sparkline, top_words

    named = any(names[topic] for topic in topics)
    words = ("words now", "words then") if changing else ("words",)
    columns = ["topic", *["name"] * named, "trend", "now", words[0], "peak", "in", *words[1:]]
    table = Table(columns, right={"topic", "now", "peak"}, lists=set(words))
    now = current_slice(slices)
    for topic in topics:
        shares = shares_of(slices, topic)
        peak = peak_slice(slices, topic)
        table.add(
            str(topic),
            *[names[topic]] * named,
            sparkline(shares, width=30),
            f"{shares[now]:.1%}",
            " ".join(top_words(slices[now], topic, top)),
            f"{shares[peak]:.1%}",
            slices[peak].label,
            *[" ".join(top_words(slices[peak], topic, top))] * changing,
        )
    return table


def _largest(slices: list[Any], topics: list[int]) -> list[int]:
    """Return the topics with most tokens over all slices."""
    import numpy as np

    total = np.nansum([one.topic_tokens for one in slices], axis=0)
    return sorted(topics, key=lambda topic: -total[topic])[:_MAX_DRAWN]


def _write(target: Path, content: bytes, path: Path | None) -> None:
    from plait._utils.atomic import replace_file

    replace_file(target, lambda file: file.write(content))
    print_text(f"wrote {path}")
