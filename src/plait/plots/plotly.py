"""Figures as Plotly figures, for notebooks and single web pages; needs the extra `plots`."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from typing import Any

from plait.plots.colours import colour_of, scale_colours
from plait.plots.figure import INK, OPEN, Area, Axis, Bars, Cells, Edges, Figure, Line, Mark, Points
from plait.plots.frame import axis_ranges, equal_ranges, thin_ticks
from plait.plots.placing import place_texts
from plait.plots.svg_text import text_width

_PANEL_HEIGHT = 300
_WIDTH = 900  # pixels of a plot; on wider pages there is more room between points
_REACH = 1.6  # diameters of points without colour beside which Plotly writes names; it adds a quarter
_SIDES = {"right": "middle right", "left": "middle left", "above": "top center", "below": "bottom center"} | {
    f"{at} {side}": f"{'top' if at == 'above' else 'bottom'} {side}"
    for at in ("above", "below")
    for side in ("left", "right")
}


def draw_plotly(figures: Sequence[Figure], title: str, columns: int) -> Any:
    """Return figures as one Plotly figure.

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
    plotly.graph_objects.Figure
        The figure. Texts are escaped: Plotly would interpret their markup.
    """
    from plotly.subplots import make_subplots

    columns = min(columns, len(figures))
    n_rows = -(-len(figures) // columns)
    titles = [_text(figure.title) for figure in figures] if len(figures) > 1 else None
    drawn = make_subplots(
        n_rows,
        columns,
        subplot_titles=titles,
        vertical_spacing=min(0.16, 0.35 / n_rows),
        horizontal_spacing=0.08 if columns > 1 else 0.0,
    )
    for at, figure in enumerate(figures):
        row, column = divmod(at, columns)
        x_range, y_range = axis_ranges(figure)
        if figure.square:
            x_range, y_range = equal_ranges(figure, _WIDTH, _WIDTH * figure.aspect)
        for mark in figure.marks:
            traces = _TRACES[type(mark)](mark)
            if isinstance(mark, Points) and mark.text:
                traces.append(_names(mark, x_range, y_range, _WIDTH * figure.aspect))
            for trace in traces:
                drawn.add_trace(trace, row=row + 1, col=column + 1)
        drawn.update_xaxes(_axis(figure.x, x_range, _WIDTH / columns), row=row + 1, col=column + 1)
        drawn.update_yaxes(_axis(figure.y, y_range, _WIDTH), row=row + 1, col=column + 1)
        if figure.square:
            anchor = "x" if at == 0 else f"x{at + 1}"
            drawn.update_yaxes(scaleanchor=anchor, scaleratio=1, row=row + 1, col=column + 1)
    for name, colour in figures[0].legend if len(figures) == 1 else ():
        drawn.add_trace(_legend_entry(name, colour), row=1, col=1)
    drawn.update_annotations(font_size=12)
    drawn.update_layout(
        title_text=_text(title),
        showlegend=len(figures) == 1 and bool(figures[0].legend),
        template="plotly_white",
        barmode="overlay",
        height=_height(figures, n_rows),
        hoverlabel_align="left",
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0},
    )
    return drawn


def _height(figures: Sequence[Figure], n_rows: int) -> float:
    first = figures[0]
    if n_rows > 1:
        return 120 + _PANEL_HEIGHT * n_rows
    if first.row_height is not None:
        low, high = axis_ranges(first)[1]
        return 220 + first.row_height * abs(high - low)
    return 160 + 900 * first.aspect


def _text(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")


def _texts(texts: Sequence[str]) -> list[str]:
    return [_text(text) for text in texts]


def _axis(axis: Axis, between: tuple[float, float], width: float) -> dict[str, Any]:
    settings: dict[str, Any] = {"title_text": _text(axis.label), "showgrid": axis.grid, "zeroline": False}
    settings["range"] = [math.log10(end) for end in between] if axis.log else list(between)
    settings["type"] = "log" if axis.log else "linear"
    if axis.percent:
        settings["tickformat"] = ".0%"
    if axis.ticks is not None:
        ticks = thin_ticks(axis.ticks, width) if axis.thin else axis.ticks
        settings |= {"tickvals": [at for at, _ in ticks], "ticktext": [_text(text) for _, text in ticks]}
    return settings


def _points(mark: Points) -> list[Any]:
    import plotly.graph_objects as go

    rings = mark.ringed or (False,) * len(mark.x)
    marker = {
        "size": [2 * size for size in mark.size],
        "color": [colour_of(colour) for colour in mark.colour],
        "opacity": [1.0 if ring else 0.82 for ring in rings],
        "line": {
            "width": [2 if ring else 1 for ring in rings],
            "color": ["#1d2226" if ring else "white" for ring in rings],
        },
    }
    return [
        go.Scatter(
            x=mark.x,
            y=mark.y,
            mode="markers+text" if mark.inner else "markers",
            marker=marker,
            text=_texts(mark.inner),
            textposition="middle center",
            textfont={
                "size": [
                    11 if text_width(text, 11) < 1.8 * size else 8
                    for text, size in zip(mark.inner, mark.size, strict=bool(mark.inner))
                ],
                "color": "white",
            },
            hovertext=_texts(mark.hover),
            hoverinfo="text",
            customdata=list(mark.keys) or None,
            showlegend=False,
        )
    ]


def _names(mark: Points, x_range: tuple[float, float], y_range: tuple[float, float], height: float) -> Any:
    """Return the names beside the points, placed for a plot of the usual width."""
    import plotly.graph_objects as go

    centres = [
        (
            (x - x_range[0]) / (x_range[1] - x_range[0]) * _WIDTH,
            (y_range[1] - y) / (y_range[1] - y_range[0]) * height,
        )
        for x, y in zip(mark.x, mark.y, strict=True)
    ]
    placed = list(place_texts(mark.text, centres, mark.size, (0.0, 0.0, _WIDTH, height)))
    return go.Scatter(
        x=[mark.x[one.number] for one in placed],
        y=[mark.y[one.number] for one in placed],
        mode="markers+text",
        marker={"size": [_REACH * mark.size[one.number] for one in placed], "opacity": 0.0},
        text=_texts([one.text for one in placed]),
        textposition=[_SIDES[one.side] for one in placed],
        hoverinfo="skip",
        showlegend=False,
    )


def _line(mark: Line) -> list[Any]:
    import plotly.graph_objects as go

    line = {
        "color": colour_of(mark.colour),
        "dash": "dash" if mark.dashed else "solid",
        "width": 1.2 if mark.thin else 2,
    }
    return [
        go.Scatter(
            x=mark.x,
            y=[None if math.isnan(y) else y for y in mark.y],
            mode="lines+markers" if mark.markers else "lines",
            line=line,
            name=_text(mark.name),
            error_y={"type": "data", "array": mark.errors} if mark.errors else None,
            hovertext=_texts(mark.hover) or None,
            hoverinfo="text" if mark.hover else "skip",
            showlegend=bool(mark.name),
        )
    ]


def _bars(mark: Bars) -> list[Any]:
    import plotly.graph_objects as go

    lengths = [value - base for value, base in zip(mark.values, mark.base or (0.0,) * len(mark.values), strict=True)]
    return [
        go.Bar(
            x=lengths if mark.horizontal else mark.at,
            y=mark.at if mark.horizontal else lengths,
            base=list(mark.base) or None,
            orientation="h" if mark.horizontal else "v",
            width=mark.width,
            marker_color=[colour_of(colour) for colour in mark.colour],
            hovertext=_texts(mark.hover),
            hoverinfo="text" if mark.hover else "skip",
            text=_texts(mark.text) or None,
            textposition="outside" if mark.text else None,
            showlegend=False,
        )
    ]


def _area(mark: Area) -> list[Any]:
    import plotly.graph_objects as go

    outline = {"color": colour_of(mark.colour), "width": 0.5}
    below = go.Scatter(x=mark.x, y=mark.low, mode="lines", line=outline, hoverinfo="skip", showlegend=False)
    above = go.Scatter(
        x=mark.x,
        y=mark.high,
        mode="lines",
        line=outline,
        fill="tonexty",
        fillcolor=colour_of(mark.colour),
        name=_text(mark.name),
        hovertext=_texts(mark.hover),
        hoverinfo="text",
        showlegend=bool(mark.name),
    )
    return [below, above]


def _cells(mark: Cells) -> list[Any]:
    import plotly.graph_objects as go

    colours = scale_colours(mark.scale)
    scale = [[at / (len(colours) - 1), colour] for at, colour in enumerate(colours)]
    return [
        go.Heatmap(
            z=mark.values,
            zmin=-mark.limit if mark.scale == "diverging" else 0.0,
            zmax=mark.limit,
            colorscale=scale,
            colorbar_title_text=_text(mark.name),
            xgap=1,
            ygap=1,
            hovertext=[_texts(row) for row in mark.hover],
            hoverinfo="text",
        )
    ]


def _edges(mark: Edges) -> list[Any]:
    """Return one trace per edge, because a line has one width; the texts are at the middles."""
    import plotly.graph_objects as go

    ends = list(zip(mark.x0, mark.y0, mark.x1, mark.y1, strict=True))
    traces = [
        go.Scatter(
            x=(x0, x1),
            y=(y0, y1),
            mode="lines",
            line={"width": width, "color": colour_of(colour)},
            opacity=0.45,
            hoverinfo="skip",
            showlegend=False,
        )
        for (x0, y0, x1, y1), width, colour in zip(ends, mark.width, mark.colour, strict=True)
    ]
    if mark.hover:
        traces.append(
            go.Scatter(
                x=[(x0 + x1) / 2 for x0, _, x1, _ in ends],
                y=[(y0 + y1) / 2 for _, y0, _, y1 in ends],
                mode="markers",
                marker={"size": 8, "opacity": 0.0},
                hovertext=_texts(mark.hover),
                hoverinfo="text",
                showlegend=False,
            )
        )
    return traces


def _legend_entry(name: str, colour: int) -> Any:
    import plotly.graph_objects as go

    edge = {"width": 1, "color": colour_of(INK if colour == OPEN else colour)}
    marker = {"color": colour_of(colour), "size": 10, "symbol": "square", "line": edge}
    return go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=_text(name))


_TRACES: dict[type[Mark], Callable[[Any], list[Any]]] = {
    Points: _points,
    Line: _line,
    Bars: _bars,
    Area: _area,
    Cells: _cells,
    Edges: _edges,
}
