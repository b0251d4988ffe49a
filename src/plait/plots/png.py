"""Figures as PNG pictures drawn with Matplotlib; needs the extra `plots`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from textwrap import wrap
from typing import Any

import numpy as np

from plait._utils.text import printable
from plait.plots.colours import colour_of, scale_colours
from plait.plots.figure import INK, OPEN, Area, Axis, Bars, Cells, Edges, Figure, Line, Mark, Points
from plait.plots.frame import axis_ranges, equal_ranges, thin_ticks
from plait.plots.placing import place_texts
from plait.plots.svg_text import text_width

_INCHES = 9.0  # width
_DPI = 120
_WIDTH = 900  # pixels of a figure, the unit of sizes of points
_PIXEL = _INCHES * 72 / _WIDTH  # points of the font per pixel of the figure
_TEXT, _SMALL_TEXT = 11.0 * _PIXEL, 8.0 * _PIXEL  # of names and numbers; `place_texts` leaves room for 12 pixels
_LEAST_AREA = 13.0  # pixels of an area with a name
_NOTE_CHARACTERS = 150  # per line
_LEGEND_COLUMNS = 3


def draw_png(figures: Sequence[Figure], title: str, columns: int, note: str = "") -> bytes:
    """Return figures as one PNG picture.

    Parameters
    ----------
    figures : sequence of Figure
        The figures, row by row.
    title : str
        Title of all.
    columns : int
        Figures per row.
    note : str, default ""
        How to read them; it is written below.

    Returns
    -------
    bytes
        The picture.
    """
    import matplotlib.figure

    columns = min(columns, len(figures))
    n_rows = -(-len(figures) // columns)
    lines = wrap(note, _NOTE_CHARACTERS)
    heights = [max(_inches(one, columns) for one in _row(figures, row, columns)) for row in range(n_rows)]
    size = (_INCHES, sum(heights) + 0.16 * len(lines))
    drawn = matplotlib.figure.Figure(figsize=size, dpi=_DPI, layout="constrained")
    panels = drawn.subplots(n_rows, columns, squeeze=False).ravel()
    for panel, figure in zip(panels, figures, strict=False):
        for mark in figure.marks:
            _DRAWERS[type(mark)](panel, mark)
        _set_axis(panel, figure.x, axis_ranges(figure)[0], "x")
        _set_axis(panel, figure.y, axis_ranges(figure)[1], "y")
        if figure.legend:
            _add_legend(panel, figure)
        if len(figures) > 1:
            panel.set_title(_text(figure.title), fontsize="small")
    for panel in panels[len(figures) :]:
        panel.set_axis_off()
    drawn.suptitle(_text(title))
    if lines:
        drawn.supxlabel("\n".join(map(_text, lines)), fontsize="x-small", x=0.01, ha="left", color="#566069")
    drawn.draw_without_rendering()  # places the panels: texts and circles have sizes in pixels
    for panel, figure in zip(panels, figures, strict=False):
        _fit_texts(panel, figure)
    file = BytesIO()
    drawn.savefig(file, format="png")
    return file.getvalue()


def _row(figures: Sequence[Figure], row: int, columns: int) -> Sequence[Figure]:
    return figures[row * columns : (row + 1) * columns]


def _inches(figure: Figure, columns: int) -> float:
    legend = 0.18 * -(-len(figure.legend) // _LEGEND_COLUMNS)
    if figure.row_height is not None:
        low, high = axis_ranges(figure)[1]
        return 1.2 + legend + figure.row_height * abs(high - low) / 90
    return 0.8 + legend + _INCHES * figure.aspect / columns


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
        width = panel.get_window_extent().width / (_DPI * _INCHES / _WIDTH)
        ticks = thin_ticks(axis.ticks, width) if axis.thin else axis.ticks
        texts = [_text(text) for _, text in ticks]
        slanted = which == "x" and not axis.thin and sum(map(len, texts)) > 90
        one.set_ticks([at for at, _ in ticks], texts, fontsize="small", **({"rotation": 90} if slanted else {}))
        one.set_minor_locator(_no_ticks())
    if axis.grid and axis.ticks != ():
        panel.grid(axis=which, alpha=0.3)


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _add_legend(panel: Any, figure: Figure) -> None:
    from matplotlib.patches import Patch

    patches = [
        Patch(fc=colour_of(colour), ec=colour_of(INK if colour == OPEN else colour), label=_text(name))
        for name, colour in figure.legend
    ]
    panel.legend(
        handles=patches, fontsize="x-small", loc="lower left", bbox_to_anchor=(0, 1), ncols=_LEGEND_COLUMNS,
        frameon=False,
    )  # fmt: skip


def _points(panel: Any, mark: Points) -> None:
    areas = [(2 * size * _PIXEL) ** 2 for size in mark.size]
    edges = ["#1d2226" if ring else "white" for ring in mark.ringed or (False,) * len(mark.x)]
    colours = [colour_of(colour) for colour in mark.colour]
    alphas = [1.0 if ring else 0.82 for ring in mark.ringed or (False,) * len(mark.x)]
    panel.scatter(mark.x, mark.y, s=areas, c=colours, alpha=alphas, edgecolors=edges, zorder=3)


def _fit_texts(panel: Any, figure: Figure) -> None:
    """Fit the ends of the axes to the circles, and write the texts in and beside them, once the panel has its place."""
    pixel = _DPI * _INCHES / _WIDTH
    box = panel.get_window_extent()
    width, height = box.width / pixel, box.height / pixel
    if figure.square:
        x_range, y_range = equal_ranges(figure, width, height)
        panel.set_xlim(*x_range)
        panel.set_ylim(*y_range)
    for mark in figure.marks:
        if isinstance(mark, Area) and mark.name:
            _write_name(panel, mark, width, height)
        if not isinstance(mark, Points) or not mark.x:
            continue
        places = (panel.transData.transform(list(zip(mark.x, mark.y, strict=True))) - (box.x0, box.y0)) / pixel
        centres = [(float(x), height - float(y)) for x, y in places]
        for (x, y), text, size in zip(centres, mark.inner, mark.size, strict=bool(mark.inner)):
            fits = text_width(text, 11) < 1.8 * size
            if fits or size > 4:
                _write(panel, text, x / width, 1 - y / height, "center", _TEXT if fits else _SMALL_TEXT, "white")
        for one in place_texts(mark.text, centres, mark.size, (4.0, 4.0, width - 4, height - 4)) if mark.text else ():
            anchor = {"start": "left", "middle": "center", "end": "right"}[one.anchor]
            _write(panel, one.text, one.x / width, 1 - (one.y - 4) / height, anchor, _TEXT, "#1d2226")


def _write_name(panel: Any, mark: Area, width: float, height: float) -> None:
    """Write the name of an area where it is highest, inside the panel, if it is high enough."""
    thickness = np.array(mark.high) - np.array(mark.low)
    at = int(np.argmax(thickness))
    low, high = panel.get_ylim()
    if thickness[at] / (high - low) * height < _LEAST_AREA:
        return
    half = text_width(mark.name) / 2 + 3
    left, right = panel.get_xlim()
    x = min(max((mark.x[at] - left) / (right - left) * width, half), width - half) / width
    middle = ((mark.low[at] + mark.high[at]) / 2 - low) / (high - low)
    _write(panel, mark.name, x, middle, "center", _TEXT, "#1d2226")


def _write(panel: Any, text: str, x: float, y: float, anchor: str, size: float, colour: str) -> None:
    """Write a text at shares of the width and the height of a panel."""
    from matplotlib.patheffects import withStroke

    around = [] if colour == "white" else [withStroke(linewidth=2, foreground="white")]
    panel.text(
        x, y, _text(text), transform=panel.transAxes, ha=anchor, va="center", fontsize=size, color=colour, zorder=4,
        in_layout=False, path_effects=around,
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
