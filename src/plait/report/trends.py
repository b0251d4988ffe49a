"""Shares of topics through time: sparklines for a terminal, rows for a table, and a drawing with a panel a topic."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from plait.errors import PlaitError

_BARS = "▁▂▃▄▅▆▇█"
_LINE = "#1f77b4"
_COLUMNS = 3  # panels side by side
_TICKS = 3  # labels below a panel
_TITLE_WORDS = 4
_NEAR_PEAK = 1 / 3  # of a topic's largest share


# `plait.models.online` defines the slices; views stand below the models, so they name only what they read.
class _Slice(Protocol):
    """One slice of a stream."""

    @property
    def label(self) -> str: ...
    @property
    def topic_share(self) -> np.ndarray: ...
    @property
    def drift(self) -> np.ndarray: ...
    @property
    def words(self) -> np.ndarray: ...
    @property
    def empty(self) -> bool: ...


def sparkline(values: Sequence[float], width: int = 60) -> str:
    """Return values as bars from 0 to the largest; a blank where there is none.

    Parameters
    ----------
    values
        NaN for none.
    width
        At most so many bars; of more values, neighbours are averaged.

    Examples
    --------
    >>> sparkline([0.0, 0.1, 0.2, float("nan"), 0.4])
    '▁▃▅ █'
    """
    found = np.asarray(values, dtype=np.float64)
    if found.size > width:
        found = np.array([_mean(part) for part in np.array_split(found, width)])
    most = np.nanmax(found, initial=0.0)
    top = len(_BARS) - 1
    heights = np.zeros(found.size) if most == 0 else np.nan_to_num(found) / most * top
    return "".join(
        " " if np.isnan(value) else _BARS[round(height)] for value, height in zip(found, heights, strict=True)
    )


def shares_of(slices: Sequence[_Slice], topic: int) -> list[float]:
    """Return the share of a topic in each slice; NaN for an empty one."""
    return [float(one.topic_share[topic]) for one in slices]


def first_words(slices: Sequence[_Slice], topic: int, top: int) -> list[str]:
    """Return the first words of a topic in the last slice in which it was not far from its peak.

    What a topic says of a slice that it hardly holds words of is chance, or no more than its prior.
    """
    shares = np.nan_to_num(shares_of(slices, topic))
    last = np.flatnonzero(shares >= _NEAR_PEAK * shares.max())[-1]
    return [str(word) for word in slices[last].words[topic][:top]]


def trend_rows(slices: Sequence[_Slice], topics: Sequence[int], top: int) -> Iterator[list[Any]]:
    """Return a row for each slice and topic: slice, topic, share, drift and first words; None for what is not known."""
    for one in slices:
        for topic in topics:
            known = [None if np.isnan(value) else float(value) for value in (one.topic_share[topic], one.drift[topic])]
            yield [one.label, topic, *known, " ".join(map(str, one.words[topic][:top]))]


def draw_trends(slices: Sequence[_Slice], topics: Sequence[int], place: Path) -> bytes:
    """Return the drawing of topics' shares as the content of a file; nothing is written.

    Parameters
    ----------
    slices
        The slices of a stream.
    topics
        Which topics to draw, a panel each.
    place
        The file it is for, whose ending says how to draw: .html (Plotly), .png or .svg (Matplotlib).
    """
    kind = check_drawing_name(place)
    try:
        return _page(slices, topics) if kind == ".html" else _picture(slices, topics, kind[1:])
    except ImportError as error:
        drawer = "Plotly" if kind == ".html" else "Matplotlib"
        raise PlaitError(f"drawing {place} needs {drawer}: pip install plait[plots]") from error


def check_drawing_name(place: Path) -> str:
    """Return the suffix of a drawing's file, or say which there are."""
    kind = place.suffix.lower()
    if kind not in (".html", ".png", ".svg"):
        raise PlaitError(f"{place} must end in .html, .png or .svg, which says how to draw")
    return kind


def _mean(part: np.ndarray) -> float:
    known = part[~np.isnan(part)]
    return float(known.mean()) if known.size else float("nan")


def _title(slices: Sequence[_Slice], topic: int) -> str:
    return f"{topic}: {' '.join(first_words(slices, topic, _TITLE_WORDS))}"


def _ticks(slices: Sequence[_Slice]) -> tuple[list[int], list[str]]:
    """Return the slices that are named below a panel, and their names: of a span of time its beginning."""
    places = sorted({round(place) for place in np.linspace(0, len(slices) - 1, min(_TICKS, len(slices)))})
    return places, [slices[place].label.partition(" to ")[0].partition(" until ")[0] for place in places]


def _picture(slices: Sequence[_Slice], topics: Sequence[int], kind: str) -> bytes:
    """Return a picture file."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    columns = min(_COLUMNS, len(topics))
    n_rows = -(-len(topics) // columns)
    figure = Figure(figsize=(4.2 * columns, 2.2 * n_rows + 0.6), layout="constrained")
    panels = figure.subplots(n_rows, columns, sharex=True, squeeze=False).ravel()
    places = range(len(slices))
    for panel, topic in zip(panels, topics, strict=False):
        panel.plot(places, shares_of(slices, topic), marker=".", color=_LINE)
        panel.set_title(_title(slices, topic).replace("$", r"\$"), fontsize="small")
        panel.set_ylim(bottom=0)
        panel.yaxis.set_major_formatter(PercentFormatter(1.0))
        panel.grid(alpha=0.3)
    for panel in panels[len(topics) :]:
        panel.set_axis_off()
    ticks, labels = _ticks(slices)
    for panel in panels[: len(topics)][-columns:]:
        panel.set_xticks(ticks, [label.replace("$", r"\$") for label in labels], fontsize="small")
        panel.tick_params(axis="x", labelbottom=True)
    figure.suptitle("share of each topic in the words of a slice", fontsize="medium")
    file = BytesIO()
    figure.savefig(file, format=kind, dpi=150)
    return file.getvalue()


def _page(slices: Sequence[_Slice], topics: Sequence[int]) -> bytes:
    """Return a web page that needs no network."""
    from plotly.subplots import make_subplots

    columns = min(_COLUMNS, len(topics))
    n_rows = -(-len(topics) // columns)
    figure = make_subplots(
        n_rows,
        columns,
        subplot_titles=[html.escape(_title(slices, topic)) for topic in topics],
        vertical_spacing=min(0.12, 0.25 / n_rows),
        horizontal_spacing=0.06,
    )
    places = list(range(len(slices)))
    for number, topic in enumerate(topics):
        row, column = divmod(number, columns)
        hover = [
            f"{html.escape(one.label)}: {share:.1%}<br>{html.escape(' '.join(map(str, one.words[topic][:10])))}"
            for one, share in zip(slices, shares_of(slices, topic), strict=True)
        ]
        figure.add_scatter(
            x=places,
            y=shares_of(slices, topic),
            mode="lines+markers",
            line_color=_LINE,
            marker_size=4,
            hovertext=hover,
            hoverinfo="text",
            row=row + 1,
            col=column + 1,
        )
    ticks, labels = _ticks(slices)
    figure.update_xaxes(tickvals=ticks, ticktext=[html.escape(label) for label in labels], tickangle=0)
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    figure.update_annotations(font_size=12)
    figure.update_layout(
        title_text="share of each topic in the words of a slice", showlegend=False, height=120 + 240 * n_rows
    )
    page: str = figure.to_html(include_plotlyjs=True)
    return page.encode()
