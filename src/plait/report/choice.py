"""Drawing of the choice of the number of topics: perplexity and coherence by number of topics."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Protocol

from plait.report.drawing import draw_as

_PANELS = {
    "perplexity": "held-out perplexity (lower is better)",
    "npmi": "NPMI coherence (higher is better)",
    "c_v": "C_v coherence (higher is better)",
}
_LINE, _BEST = "#1f77b4", "#ff7f0e"


# The results are defined in `plait.evaluation.choose`, which imports this package: only the attributes read are named.
class _Trial(Protocol):
    """Metrics of one number of topics."""

    @property
    def n_topics(self) -> int: ...
    @property
    def perplexity(self) -> float: ...
    @property
    def npmi(self) -> float: ...
    @property
    def c_v(self) -> float: ...


class _Choice(Protocol):
    """The trials and the best number of topics."""

    @property
    def rows(self) -> Sequence[_Trial]: ...
    @property
    def best(self) -> int: ...


def draw_choice(choice: _Choice, path: Path) -> bytes:
    """Return a drawing of a `TopicChoice` as file content; nothing is written.

    Parameters
    ----------
    choice : TopicChoice
        Result of `choose_n_topics`.
    path : Path
        File that the drawing is for. Its ending selects the format: .html (Plotly), .png or .svg (Matplotlib).

    Returns
    -------
    bytes
        Content of the file.
    """
    best = choice.best
    rows = sorted(choice.rows, key=lambda row: row.n_topics)
    return draw_as(path, lambda: _page(rows, best), lambda kind: _picture(rows, best, kind))


def _title(best: int) -> str:
    """Return the title of the drawing."""
    return f"lowest held-out perplexity: {best:,} topics (orange)"


def _scale(numbers: list[int]) -> str:
    """Return the scale of the axis: logarithmic if the numbers of topics differ by a factor of 10 or more."""
    return "log" if numbers[-1] >= 10 * numbers[0] else "linear"


def _picture(rows: list[_Trial], best: int, kind: str) -> bytes:
    """Return a picture drawn with Matplotlib."""
    from matplotlib.figure import Figure

    numbers = [row.n_topics for row in rows]
    figure = Figure(figsize=(7, 8), layout="constrained")
    panels = figure.subplots(len(_PANELS), sharex=True)
    for panel, (name, label) in zip(panels, _PANELS.items(), strict=True):
        values = [getattr(row, name) for row in rows]
        panel.plot(numbers, values, marker="o", color=_LINE)
        panel.plot(best, values[numbers.index(best)], marker="o", markersize=10, color=_BEST)
        panel.set_ylabel(label)
        panel.grid(alpha=0.3)
    panels[0].set_title(_title(best), fontsize="medium")
    panels[-1].set_xlabel("number of topics")
    panels[-1].set_xscale(_scale(numbers))
    panels[-1].set_xticks(numbers, [f"{number:,}" for number in numbers])
    panels[-1].minorticks_off()
    file = BytesIO()
    figure.savefig(file, format=kind, dpi=150)
    return file.getvalue()


def _page(rows: list[_Trial], best: int) -> bytes:
    """Return a web page drawn with Plotly that needs no network."""
    from plotly.subplots import make_subplots

    numbers = [row.n_topics for row in rows]
    marker = {
        "color": [_BEST if number == best else _LINE for number in numbers],
        "size": [14 if number == best else 8 for number in numbers],
    }
    figure = make_subplots(len(_PANELS), 1, shared_xaxes=True, vertical_spacing=0.05)
    for row_number, (name, label) in enumerate(_PANELS.items(), start=1):
        values = [getattr(row, name) for row in rows]
        figure.add_scatter(
            x=numbers,
            y=values,
            name=label,
            mode="lines+markers",
            line_color=_LINE,
            marker=marker,
            row=row_number,
            col=1,
        )
        figure.update_yaxes(title_text=label, row=row_number, col=1)
    figure.update_xaxes(tickvals=numbers, type=_scale(numbers))
    figure.update_xaxes(title_text="number of topics", row=len(_PANELS), col=1)
    figure.update_layout(title_text=_title(best), showlegend=False, height=800)
    page: str = figure.to_html(include_plotlyjs=True)
    return page.encode()
