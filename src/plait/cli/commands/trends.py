"""`plait trends`: how the topics of a stream rose and fell."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.io.outputs import Force, check_output, written_whole
from plait.cli.options.models import ModelPath, load_model, with_article
from plait.cli.show.screen import Table
from plait.errors import PlaitError

_COLUMNS = ["slice", "topic", "share", "drift", "words"]
_DRAWN = 12  # topics, where none are named


def trends(
    model: ModelPath,
    topic: Annotated[
        list[int] | None,
        typer.Option(
            "--topic", "-t", metavar="NUMBER", help="Only this topic; give it again for several.", show_default="all"
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, max=20, help="How many words of each topic.")] = 7,
    table: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="FILE.csv",
            help="Table to write: slice, topic, share, drift (of its words from those of its window), words.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help=f"Drawing to write, .html, .png or .svg: a panel for each topic named, or for the {_DRAWN} largest.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Show how the share of each topic went from slice to slice.

    For models of plait stream and plait fit --model online. Bars go from 0 to the topic's own peak, which is
    printed; a blank is an empty slice. Words are those of the last slice, and in the table those of each.
    """
    from plait.report.trends import check_drawing_name, draw_trends, trend_rows

    if plot is not None:
        check_drawing_name(plot)
    targets = [None if path is None else check_output(path, overwrite=force) for path in (table, plot)]
    slices, topics = _followed(model, topic)
    _trends_table(slices, topics, top).show()
    print(f"{counted(len(slices), 'slice')}; first {slices[0].label}, last {slices[-1].label}")
    if targets[0] is not None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(trend_rows(slices, topics, top))
        _write(targets[0], text.getvalue().encode(), table)
    if targets[1] is not None and plot is not None:
        drawn = topics if topic else sorted(_largest(slices, topics))
        _write(targets[1], draw_trends(slices, drawn, plot), plot)


def _followed(path: Path, wanted: list[int] | None) -> tuple[list[Any], list[int]]:
    """Return the slices of a model and the topics that are asked for."""
    model: Any = load_model(path)
    if not getattr(model, "slices_", None):
        raise PlaitError(
            f"{path} holds {with_article(model)}, which knows no slices of time; use plait stream, or "
            "plait fit --model online"
        )
    for number in wanted or ():
        if not 0 <= number < model.n_topics:
            raise PlaitError(f"there is no topic {number}; {path} has topics 0 to {model.n_topics - 1}")
    return model.slices_, list(dict.fromkeys(wanted)) if wanted else list(range(model.n_topics))


def _trends_table(slices: list[Any], topics: list[int], top: int) -> Table:
    import numpy as np

    from plait.report.trends import shares_of, sparkline, top_words

    laid_out = Table(["topic", "now", "peak", "in", "trend", "words"], right={"topic", "now", "peak"})
    now = max(place for place, one in enumerate(slices) if not one.empty)
    for topic in topics:
        shares = np.array(shares_of(slices, topic))
        peak = int(np.nanargmax(shares))
        laid_out.add(
            str(topic),
            f"{shares[now]:.1%}",
            f"{shares[peak]:.1%}",
            slices[peak].label,
            sparkline(shares.tolist(), width=40),
            " ".join(top_words(slices, topic, top)),
        )
    return laid_out


def _largest(slices: list[Any], topics: list[int]) -> list[int]:
    """Return the topics with the largest shares, over all slices."""
    import numpy as np

    total = np.nansum([one.topic_tokens for one in slices], axis=0)
    return sorted(topics, key=lambda topic: -total[topic])[:_DRAWN]


def _write(target: Path, content: bytes, shown: Path | None) -> None:
    with written_whole(target) as part:
        part.write_bytes(content)
    print(f"wrote {shown}")
