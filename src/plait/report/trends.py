"""Topic shares over time: sparklines for a terminal, rows for a table, and a drawing with one panel per topic.

A topic of a stream changes its words. So words are always shown beside the time slice that they are of: the slice where
the share of the topic is largest, or the current one.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from plait.report.drawing import check_drawing_name, draw_as

__all__ = [
    "average_groups",
    "check_drawing_name",
    "current_slice",
    "draw_trends",
    "peak_slice",
    "shares_of",
    "sparkline",
    "time_range",
    "top_words",
    "trend_rows",
]

_BARS = "▁▂▃▄▅▆▇█"
_LINE = "#1f77b4"
_COLUMNS = 3  # panels side by side
_TICKS = 3  # labels below a panel
_TITLE_WORDS = 4
_TITLE = "topic shares by time slice (share of tokens)"


# The slices are defined in `plait.models.online`, which is above this package: only the attributes read are named.
class _Slice(Protocol):
    """One time slice of a stream."""

    @property
    def label(self) -> str: ...
    @property
    def begins(self) -> str | None: ...
    @property
    def ends(self) -> str | None: ...
    @property
    def topic_share(self) -> np.ndarray: ...
    @property
    def drift(self) -> np.ndarray: ...
    @property
    def words(self) -> np.ndarray: ...
    @property
    def empty(self) -> bool: ...


def sparkline(values: Sequence[float], width: int = 60) -> str:
    """Return values as text bars, from 0 to the maximum; NaN is a blank.

    Parameters
    ----------
    values : sequence of float
        Non-negative numbers or NaN.
    width : int, default 60
        Maximum number of bars; more values are averaged in groups.

    Returns
    -------
    str
        One character per bar.

    Examples
    --------
    >>> sparkline([0.0, 0.1, 0.2, float("nan"), 0.4])
    '▁▃▅ █'
    """
    bars = average_groups(np.asarray(values, dtype=np.float64), width)
    highest = np.nanmax(bars, initial=0.0)
    top = len(_BARS) - 1
    heights = np.zeros(bars.size) if highest == 0 else np.nan_to_num(bars) / highest * top
    return "".join(
        " " if np.isnan(value) else _BARS[round(height)] for value, height in zip(bars, heights, strict=True)
    )


def average_groups(values: np.ndarray, limit: int) -> np.ndarray:
    """Return at most `limit` values; more values are averaged in groups of neighbours.

    Parameters
    ----------
    values : ndarray
        Numbers; NaN is left out of an average.
    limit : int
        Maximum number of values.

    Returns
    -------
    ndarray
        Averages; NaN for groups of NaN only.
    """
    if values.size <= limit:
        return values
    known = [group[~np.isnan(group)] for group in np.array_split(values, limit)]
    return np.array([group.mean() if group.size else np.nan for group in known])


def shares_of(slices: Sequence[_Slice], topic: int) -> list[float]:
    """Return the share of a topic in each time slice.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream.
    topic : int
        The topic.

    Returns
    -------
    list of float
        Shares; NaN for an empty slice.
    """
    return [float(one.topic_share[topic]) for one in slices]


def peak_slice(slices: Sequence[_Slice], topic: int) -> int:
    """Return the position of the time slice where the share of a topic is largest.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream, not all of them empty.
    topic : int
        The topic.

    Returns
    -------
    int
        Position in `slices`; the first of several equal ones.
    """
    return int(np.nanargmax(shares_of(slices, topic)))


def current_slice(slices: Sequence[_Slice]) -> int:
    """Return the position of the last time slice with tokens.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream, not all of them empty.

    Returns
    -------
    int
        Position in `slices`.
    """
    return max(place for place, one in enumerate(slices) if not one.empty)


def top_words(one: _Slice, topic: int, top: int) -> list[str]:
    """Return the top words of a topic in a time slice; none if the topic has no token there.

    Parameters
    ----------
    one : Slice
        The time slice.
    topic : int
        The topic.
    top : int
        Number of words.

    Returns
    -------
    list of str
        Words.
    """
    return [str(word) for word in one.words[topic][:top]] if one.topic_share[topic] > 0 else []


def time_range(slices: Sequence[_Slice]) -> str:
    """Return the time from the first to the last slice, as text.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream.

    Returns
    -------
    str
        Such as "1790-01-01 to 2020-01-01", or the labels of the slices where the times of documents are unknown.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> early = SimpleNamespace(label="1790-01-01 to 1808-01-01", begins="1790-01-01T00", ends="1808-01-01T00")
    >>> late = SimpleNamespace(label="2001-01-01 to 2020-01-01", begins="2001-01-01T00", ends="2020-01-01T00")
    >>> time_range([early, late])
    '1790-01-01 to 2020-01-01'
    """
    known = [(one.begins[:10], one.ends[:10]) for one in slices if one.begins is not None and one.ends is not None]
    first, last = (known[0][0], known[-1][1]) if known else (slices[0].label, slices[-1].label)
    return first if first == last else f"{first} to {last}"


def trend_rows(slices: Sequence[_Slice], topics: Sequence[int], top: int) -> Iterator[list[Any]]:
    """Yield one row per time slice and topic: label, topic, share, drift and top words.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream.
    topics : sequence of int
        Topics.
    top : int
        Number of words.

    Yields
    ------
    list
        One row; None for unknown values.
    """
    for one in slices:
        for topic in topics:
            known = [None if np.isnan(value) else float(value) for value in (one.topic_share[topic], one.drift[topic])]
            yield [one.label, topic, *known, " ".join(map(str, one.words[topic][:top]))]


def draw_trends(slices: Sequence[_Slice], topics: Sequence[int], path: Path) -> bytes:
    """Return a drawing of topic shares over time as file content; nothing is written.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream.
    topics : sequence of int
        Topics to draw, one panel each.
    path : Path
        File that the drawing is for. Its ending selects the format: .html (Plotly), .png or .svg (Matplotlib).

    Returns
    -------
    bytes
        Content of the file.
    """
    return draw_as(path, lambda: _page(slices, topics), lambda kind: _picture(slices, topics, kind))


def _panel_titles(slices: Sequence[_Slice], topic: int) -> list[str]:
    """Return the lines above a panel: the words of a topic where its share is largest, and its current words."""
    peak, now = peak_slice(slices, topic), current_slice(slices)
    lines = [f"{topic}: {' '.join(top_words(slices[peak], topic, _TITLE_WORDS))} ({slices[peak].label})"]
    if peak != now:
        lines.append(f"now: {' '.join(top_words(slices[now], topic, _TITLE_WORDS)) or 'no tokens'}")
    return lines


def _ticks(slices: Sequence[_Slice]) -> tuple[list[int], list[str]]:
    """Return the positions of the ticks below a panel, and the start of their time slices."""
    ticks = sorted({round(tick) for tick in np.linspace(0, len(slices) - 1, min(_TICKS, len(slices)))})
    return ticks, [slices[tick].label.partition(" to ")[0].partition(" until ")[0] for tick in ticks]


def _picture(slices: Sequence[_Slice], topics: Sequence[int], kind: str) -> bytes:
    """Return a picture drawn with Matplotlib."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    columns = min(_COLUMNS, len(topics))
    n_rows = -(-len(topics) // columns)
    figure = Figure(figsize=(4.6 * columns, 2.4 * n_rows + 0.6), layout="constrained")
    panels = figure.subplots(n_rows, columns, sharex=True, squeeze=False).ravel()
    positions = range(len(slices))
    for panel, topic in zip(panels, topics, strict=False):
        panel.plot(positions, shares_of(slices, topic), marker=".", color=_LINE)
        panel.set_title("\n".join(_panel_titles(slices, topic)).replace("$", r"\$"), fontsize="small")
        panel.set_ylim(bottom=0)
        panel.yaxis.set_major_formatter(PercentFormatter(1.0))
        panel.grid(alpha=0.3)
    for panel in panels[len(topics) :]:
        panel.set_axis_off()
    ticks, labels = _ticks(slices)
    for panel in panels[: len(topics)][-columns:]:
        panel.set_xticks(ticks, [label.replace("$", r"\$") for label in labels], fontsize="small")
        panel.tick_params(axis="x", labelbottom=True)
    figure.suptitle(_TITLE, fontsize="medium")
    file = BytesIO()
    figure.savefig(file, format=kind, dpi=150)
    return file.getvalue()


def _page(slices: Sequence[_Slice], topics: Sequence[int]) -> bytes:
    """Return a web page drawn with Plotly that needs no network."""
    from plotly.subplots import make_subplots

    columns = min(_COLUMNS, len(topics))
    n_rows = -(-len(topics) // columns)
    figure = make_subplots(
        n_rows,
        columns,
        subplot_titles=["<br>".join(map(html.escape, _panel_titles(slices, topic))) for topic in topics],
        vertical_spacing=min(0.16, 0.35 / n_rows),
        horizontal_spacing=0.06,
    )
    positions = list(range(len(slices)))
    for number, topic in enumerate(topics):
        row, column = divmod(number, columns)
        hover = [
            f"{html.escape(one.label)}: {share:.1%}<br>{html.escape(' '.join(map(str, one.words[topic][:10])))}"
            for one, share in zip(slices, shares_of(slices, topic), strict=True)
        ]
        figure.add_scatter(
            x=positions,
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
    figure.update_layout(title_text=_TITLE, showlegend=False, height=120 + 260 * n_rows)
    page: str = figure.to_html(include_plotlyjs=True)
    return page.encode()
