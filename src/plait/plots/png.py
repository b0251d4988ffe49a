"""Figures as PNG pictures drawn with Matplotlib; needs the extra `plots`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from plait._utils.text import printable
from plait.plots.colours import colour_of, scale_colours
from plait.plots.figure import Area, Axis, Bars, Cells, Edges, Figure, Line, Mark, Points
from plait.plots.frame import axis_ranges

_INCHES = 9.0  # width
_DPI = 120
_MOST_TEXTS = 40


def draw_png(figures: Sequence[Figure], title: str, columns: int) -> bytes:
    """Return figures as one PNG picture.

    Parameters
    ----------
    figures : sequence of Figure
        The figures, row by row.
    title : str
        Title of all.
    columns : int
        Figures per row.

    Returns
    -------
    bytes
        The picture.
    """
    import matplotlib.figure

    columns = min(columns, len(figures))
    n_rows = -(-len(figures) // columns)
    size = (_INCHES, sum(max(_inches(one, columns) for one in _row(figures, row, columns)) for row in range(n_rows)))
    drawn = matplotlib.figure.Figure(figsize=size, layout="constrained")
    panels = drawn.subplots(n_rows, columns, squeeze=False).ravel()
    for panel, figure in zip(panels, figures, strict=False):
        for mark in figure.marks:
            _DRAWERS[type(mark)](panel, mark)
        _set_axis(panel, figure.x, axis_ranges(figure)[0], "x")
        _set_axis(panel, figure.y, axis_ranges(figure)[1], "y")
        if figure.square:
            panel.set_aspect("equal", adjustable="box")
        if figure.legend:
            _add_legend(panel, figure)
        if len(figures) > 1:
            panel.set_title(_text(figure.title), fontsize="small")
    for panel in panels[len(figures) :]:
        panel.set_axis_off()
    drawn.suptitle(_text(title))
    file = BytesIO()
    drawn.savefig(file, format="png", dpi=_DPI)
    return file.getvalue()


def _row(figures: Sequence[Figure], row: int, columns: int) -> Sequence[Figure]:
    return figures[row * columns : (row + 1) * columns]


def _inches(figure: Figure, columns: int) -> float:
    if figure.row_height is not None:
        low, high = axis_ranges(figure)[1]
        return 1.2 + figure.row_height * abs(high - low) / 90
    return 0.8 + _INCHES * figure.aspect / columns


def _text(text: str) -> str:
    return printable(text, keep="\n").replace("$", r"\$")


def _set_axis(panel: Any, axis: Axis, between: tuple[float, float], which: str) -> None:
    from matplotlib.ticker import PercentFormatter

    one = panel.xaxis if which == "x" else panel.yaxis
    (panel.set_xscale if which == "x" else panel.set_yscale)("log" if axis.log else "linear")
    (panel.set_xlim if which == "x" else panel.set_ylim)(*between)
    one.set_label_text(_text(axis.label))
    if axis.percent:
        one.set_major_formatter(PercentFormatter(1.0))
    if axis.ticks is not None:
        texts = [_text(text) for _, text in axis.ticks]
        slanted = which == "x" and sum(map(len, texts)) > 90
        one.set_ticks([at for at, _ in axis.ticks], texts, fontsize="small", **({"rotation": 90} if slanted else {}))
        one.set_minor_locator(_no_ticks())
    if axis.grid and axis.ticks != ():
        panel.grid(axis=which, alpha=0.3)


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _add_legend(panel: Any, figure: Figure) -> None:
    from matplotlib.patches import Patch

    patches = [Patch(color=colour_of(colour), label=_text(name)) for name, colour in figure.legend]
    panel.legend(handles=patches, fontsize="x-small", loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)


def _points(panel: Any, mark: Points) -> None:
    areas = [(1.3 * size) ** 2 * 2 for size in mark.size]
    edges = ["#1d2226" if ring else "white" for ring in mark.ringed or (False,) * len(mark.x)]
    colours = [colour_of(colour) for colour in mark.colour]
    panel.scatter(mark.x, mark.y, s=areas, c=colours, alpha=0.82, edgecolors=edges, zorder=3)
    for at, text in enumerate(mark.text[:_MOST_TEXTS]):
        panel.annotate(
            _text(text), (mark.x[at], mark.y[at]), xytext=(mark.size[at] + 2, 0), textcoords="offset points",
            fontsize="x-small", va="center", zorder=4,
        )  # fmt: skip


def _line(panel: Any, mark: Line) -> None:
    panel.errorbar(
        mark.x,
        mark.y,
        yerr=mark.errors or None,
        color=colour_of(mark.colour),
        linestyle="--" if mark.dashed else "-",
        linewidth=1 if mark.thin else 1.8,
        marker="o" if mark.markers else None,
        markersize=4,
    )
    if mark.name:
        panel.annotate(_text(mark.name), (mark.x[-1], mark.y[-1]), fontsize="x-small", color=colour_of(mark.colour))


def _bars(panel: Any, mark: Bars) -> None:
    bases = np.array(mark.base or (0.0,) * len(mark.values))
    lengths = np.array(mark.values) - bases
    colours = [colour_of(colour) for colour in mark.colour]
    if mark.horizontal:
        drawn = panel.barh(mark.at, lengths, left=bases, height=mark.width, color=colours)
    else:
        drawn = panel.bar(mark.at, lengths, bottom=bases, width=mark.width, color=colours)
    if mark.text:
        panel.bar_label(drawn, [_text(text) for text in mark.text], fontsize="x-small", padding=3)


def _area(panel: Any, mark: Area) -> None:
    panel.fill_between(mark.x, mark.low, mark.high, color=colour_of(mark.colour), alpha=0.85, linewidth=0.5)
    widest = int(np.argmax(np.array(mark.high) - np.array(mark.low)))
    if mark.name:
        middle = (mark.low[widest] + mark.high[widest]) / 2
        panel.text(mark.x[widest], middle, _text(mark.name), fontsize="x-small", ha="center", va="center")


def _cells(panel: Any, mark: Cells) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list(mark.scale, list(scale_colours(mark.scale)))
    low = -mark.limit if mark.scale == "diverging" else 0.0
    values = np.array(mark.values)
    rows, columns = (np.arange(size + 1) - 0.5 for size in values.shape)  # cells are centred on whole numbers
    drawn = panel.pcolormesh(columns, rows, values, cmap=colours, vmin=low, vmax=mark.limit, edgecolors="white", lw=0.3)
    panel.figure.colorbar(drawn, ax=panel, label=_text(mark.name), shrink=0.6)


def _edges(panel: Any, mark: Edges) -> None:
    for at, (x0, y0, x1, y1) in enumerate(zip(mark.x0, mark.y0, mark.x1, mark.y1, strict=True)):
        arrow = {"arrowstyle": "->" if mark.directed else "-", "color": colour_of(mark.colour[at]), "alpha": 0.45}
        panel.annotate("", (x1, y1), (x0, y0), arrowprops=arrow | {"linewidth": mark.width[at]})


_DRAWERS: dict[type[Mark], Callable[[Any, Any], None]] = {
    Points: _points,
    Line: _line,
    Bars: _bars,
    Area: _area,
    Cells: _cells,
    Edges: _edges,
}
