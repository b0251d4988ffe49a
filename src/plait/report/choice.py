"""Drawing of the choice of the number of topics: likelihood, coherence and stability by number of topics."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Protocol

from plait.report.drawing import draw_as

_PANELS = {
    "log_likelihood": "held-out log-likelihood per token",
    "coherence": "NPMI coherence",
    "stability": "stability between seeds",
}
_ERRORS = {"log_likelihood": "standard_error"}  # drawn as error bars
_LINE, _CHOSEN = "#1f77b4", "#ff7f0e"


# The results are defined in `plait.evaluation.choice`, which imports this package: only the attributes read are named.
class _Trial(Protocol):
    """Scores of one number of topics."""

    @property
    def n_topics(self) -> int: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def standard_error(self) -> float: ...
    @property
    def coherence(self) -> float: ...
    @property
    def stability(self) -> float: ...


class _Choice(Protocol):
    """The trials, the recommended number of topics and the one with the highest likelihood."""

    @property
    def rows(self) -> Sequence[_Trial]: ...
    @property
    def recommended(self) -> int: ...
    @property
    def best(self) -> int: ...


def draw_choice(choice: _Choice, path: Path) -> bytes:
    """Return a drawing of a `TopicChoice` as file content; nothing is written.

    The recommended number is the smallest whose error bar reaches the dashed line, the likelihood of the best number.

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
    title = f"recommended: {choice.recommended:,} topics (orange); highest likelihood: {choice.best:,} topics"
    return draw_as(path, lambda: _page(choice, title), lambda kind: _picture(choice, title, kind))


def _scale(numbers: list[int]) -> str:
    """Return the scale of the axis: logarithmic if the numbers of topics differ by a factor of 10 or more."""
    return "log" if numbers[-1] >= 10 * numbers[0] else "linear"


def _columns(choice: _Choice, name: str) -> tuple[list[float], list[float] | None, float | None]:
    """Return the values of a panel, their error bars, and where its line is."""
    values = [float(getattr(row, name)) for row in choice.rows]
    if name not in _ERRORS:
        return values, None, None
    return values, [float(getattr(row, _ERRORS[name])) for row in choice.rows], max(values)


def _picture(choice: _Choice, title: str, kind: str) -> bytes:
    """Return a picture drawn with Matplotlib."""
    from matplotlib.figure import Figure

    numbers = [row.n_topics for row in choice.rows]
    figure = Figure(figsize=(7, 8), layout="constrained")
    panels = figure.subplots(len(_PANELS), sharex=True)
    for panel, (name, label) in zip(panels, _PANELS.items(), strict=True):
        values, errors, line = _columns(choice, name)
        panel.errorbar(numbers, values, yerr=errors, marker="o", capsize=3, color=_LINE)
        chosen = values[numbers.index(choice.recommended)]
        panel.plot(choice.recommended, chosen, marker="o", markersize=10, color=_CHOSEN, zorder=3)
        if line is not None:
            panel.axhline(line, linestyle="--", linewidth=1, color=_LINE)
        panel.set_ylabel(label)
        panel.grid(alpha=0.3)
    panels[0].set_title(title, fontsize="medium")
    panels[-1].set_xlabel("number of topics")
    panels[-1].set_xscale(_scale(numbers))
    panels[-1].set_xticks(numbers, [f"{number:,}" for number in numbers])
    panels[-1].minorticks_off()
    file = BytesIO()
    figure.savefig(file, format=kind, dpi=150)
    return file.getvalue()


def _page(choice: _Choice, title: str) -> bytes:
    """Return a web page drawn with Plotly that needs no network."""
    from plotly.subplots import make_subplots

    numbers = [row.n_topics for row in choice.rows]
    marker = {
        "color": [_CHOSEN if number == choice.recommended else _LINE for number in numbers],
        "size": [14 if number == choice.recommended else 8 for number in numbers],
    }
    figure = make_subplots(len(_PANELS), 1, shared_xaxes=True, vertical_spacing=0.05)
    for row_number, (name, label) in enumerate(_PANELS.items(), start=1):
        values, errors, line = _columns(choice, name)
        figure.add_scatter(
            x=numbers,
            y=values,
            error_y=None if errors is None else {"type": "data", "array": errors},
            name=label,
            mode="lines+markers",
            line_color=_LINE,
            marker=marker,
            row=row_number,
            col=1,
        )
        if line is not None:
            figure.add_hline(line, line_dash="dash", line_width=1, line_color=_LINE, row=row_number, col=1)
        figure.update_yaxes(title_text=label, row=row_number, col=1)
    figure.update_xaxes(tickvals=numbers, type=_scale(numbers))
    figure.update_xaxes(title_text="number of topics", row=len(_PANELS), col=1)
    figure.update_layout(title_text=title, showlegend=False, height=800)
    page: str = figure.to_html(include_plotlyjs=True)
    return page.encode()
