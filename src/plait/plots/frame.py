"""The frame of a figure: where the axes, ticks and legends are, and the pixels of a point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from plait.plots import colours
from plait.plots.figure import Area, Axis, Bars, Cells, Edges, Figure, Line, Mark, Points
from plait.plots.svg_text import escape, fit, format_tick, number, text_width

_SIZE = 12.0  # pixels of the font
_NARROW = 600.0  # pixels, below which a figure is higher
_LINE = 18.0  # pixels of a line of the legend
_BETWEEN_TICKS = 16.0  # pixels between texts below the x axis
_LONGEST_TICK = 130.0  # pixels of a text below the x axis
_ROOM = 3.0  # pixels around circles
_UNIT_STEPS = 30


@dataclass(frozen=True)
class Tick:
    """A tick: its pixel, its text and whether the text was cut."""

    at: float
    text: str
    full: str


@dataclass(frozen=True)
class Frame:
    """A figure with its place on the paper.

    Attributes
    ----------
    figure : Figure
        The figure.
    width, height : float
        Size in pixels.
    left, top, right, bottom : float
        Edges of the plot in pixels.
    x_range, y_range : tuple of float
        Values at the left and right, and at the bottom and top edges.
    factor : float
        Factor of sizes of points, below 1 on narrow paper.
    slanted : bool
        Whether texts below the x axis are upright.
    legend_top : float
        Top of the legend in pixels.
    """

    figure: Figure
    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    factor: float
    slanted: bool
    legend_top: float

    def px(self, x: float) -> float:
        """Return the horizontal pixel of a value."""
        return self.left + _fraction(x, self.x_range, self.figure.x.log) * (self.right - self.left)

    def py(self, y: float) -> float:
        """Return the vertical pixel of a value."""
        return self.bottom - _fraction(y, self.y_range, self.figure.y.log) * (self.bottom - self.top)


def make_frame(figure: Figure, width: float, top: float) -> Frame:
    """Return the frame of a figure.

    Parameters
    ----------
    figure : Figure
        The figure.
    width : float
        Width in pixels.
    top : float
        Pixels at the top that are taken.

    Returns
    -------
    Frame
        The frame.
    """
    x_range, y_range = axis_ranges(figure)
    y_texts = [text for _, text in _ticks_of(figure.y, y_range, 6)]
    longest = max((text_width(text, _SIZE) for text in y_texts), default=0.0)
    left = min(longest + 8, width * (0.42 if width < _NARROW else 0.3)) + (20 if figure.y.label else 4)
    right = width - 12 - _end_names(figure, width)
    x_ticks = _ticks_of(figure.x, x_range, max(2, int((right - left) / 90)))
    x_longest = max((text_width(text, _SIZE) for _, text in x_ticks), default=0.0)
    slanted = bool(figure.x.ticks) and not figure.x.thin and x_longest * len(x_ticks) * 1.15 > right - left
    below = min(x_longest, _LONGEST_TICK) + 14 if slanted else 22 if x_ticks else 4
    below += 20 if figure.x.label else 0
    legend_top = top
    top += _legend_lines(figure, width) * _LINE + 10
    if figure.row_height is not None:
        plot_height = figure.row_height * abs(y_range[1] - y_range[0])
    else:
        aspect = max(figure.aspect, 0.85) if width < _NARROW and figure.square else figure.aspect
        aspect = max(aspect, 0.62) if width < _NARROW else aspect
        plot_height = (right - left) * aspect
    bottom = top + plot_height
    factor = max(0.55, min(1.0, (width / 900) ** 0.6))
    if figure.square:
        x_range, y_range = equal_ranges(figure, right - left, plot_height, factor)
    return Frame(figure, width, bottom + below, left, top, right, bottom, x_range, y_range, factor, slanted, legend_top)


def draw_frame(frame: Frame) -> list[str]:
    """Return the grid, the ticks, the labels of the axes and the legend as SVG.

    Parameters
    ----------
    frame : Frame
        The frame.

    Returns
    -------
    list of str
        SVG elements.
    """
    return [*_x_axis(frame), *_y_axis(frame), *_legend(frame)]


def _x_axis(frame: Frame) -> Iterator[str]:
    axis = frame.figure.x
    room = max(2, int((frame.right - frame.left) / (13 if frame.slanted else 90)))
    ticks = _ticks_of(axis, frame.x_range, room)
    if axis.thin:
        ticks = thin_ticks(ticks, frame.right - frame.left)
    elif axis.ticks and not frame.slanted:
        room = len(ticks)  # there is room for all
    elif axis.ticks and len(ticks) > room:
        ticks = ticks[:: -(-len(ticks) // room)]
    for value, text in ticks:
        at = number(frame.px(value))
        if axis.grid:
            yield f'<path class="grid" d="M{at} {number(frame.top)}V{number(frame.bottom)}"/>'
        if frame.slanted:
            y = number(frame.bottom + 8)
            yield _tick_text(text, _LONGEST_TICK, f'transform="translate({at} {y}) rotate(-90)" dy=".35em"', "end")
        else:
            yield _tick_text(text, 160, f'x="{at}" y="{number(frame.bottom + 17)}"', "middle")
    if axis.label:
        place = f'x="{number((frame.left + frame.right) / 2)}" y="{number(frame.height - 6)}"'
        label = escape(fit(axis.label, frame.width - 10))
        yield f'<text class="axis-label" {place} text-anchor="middle">{label}</text>'


def thin_ticks(ticks: Sequence[tuple[float, str]], width: float) -> list[tuple[float, str]]:
    """Return as many ticks as there is room for, at even distances from the first one.

    Parameters
    ----------
    ticks : sequence of (float, str)
        Positions and texts.
    width : float
        Length of the axis in pixels.

    Returns
    -------
    list of (float, str)
        All ticks, every second one, and so on.

    Examples
    --------
    >>> years = [(float(at), str(1990 + at)) for at in range(8)]
    >>> len(thin_ticks(years, 400)), [text for _, text in thin_ticks(years, 120)]
    (8, ['1990', '1994'])
    """
    longest = max((text_width(text, _SIZE) for _, text in ticks), default=0.0)
    room = max(2, int(width / (longest + _BETWEEN_TICKS)))
    return list(ticks[:: max(1, -(-len(ticks) // room))])


def _y_axis(frame: Frame) -> Iterator[str]:
    axis = frame.figure.y
    ticks = _ticks_of(axis, frame.y_range, 6)
    room = frame.left - (28 if axis.label else 10) + 1  # rounding must not cut a text that fits
    for value, text in ticks:
        at = number(frame.py(value))
        if axis.grid:
            yield f'<path class="grid" d="M{number(frame.left)} {at}H{number(frame.right)}"/>'
        yield _tick_text(text, room, f'x="{number(frame.left - 7)}" y="{at}" dy=".35em"', "end")
    if axis.label:
        place = f'transform="translate(11 {number((frame.top + frame.bottom) / 2)}) rotate(-90)"'
        label = escape(fit(axis.label, max(60.0, frame.bottom - frame.top)))
        yield f'<text class="axis-label" {place} text-anchor="middle">{label}</text>'


def _tick_text(text: str, room: float, place: str, anchor: str) -> str:
    """Return the text of a tick; a cut one has the full text as its tooltip."""
    short = fit(text, room)
    more = f"<title>{escape(text)}</title>" if short != text else ""
    return f'<text class="tick" {place} text-anchor="{anchor}">{escape(short)}{more}</text>'


def _legend(frame: Frame) -> Iterator[str]:
    x, y = 0.0, frame.legend_top + 12
    for name, colour in frame.figure.legend:
        name = fit(name, frame.width - 40)
        needed = text_width(name) + 30
        if x > 0 and x + needed > frame.width:
            x, y = 0.0, y + _LINE
        kind = colours.class_of(colour)
        yield f'<rect class="swatch {kind}" x="{number(x)}" y="{number(y - 9)}" width="11" height="11" rx="2"/>'
        yield f'<text x="{number(x + 16)}" y="{number(y)}">{escape(name)}</text>'
        x += needed
    for cells in (mark for mark in frame.figure.marks if isinstance(mark, Cells)):
        y += _LINE if x > 0 else 0
        diverging = cells.scale == "diverging"
        known = [value for row in cells.values for value in row if math.isfinite(value)]
        least = "≤ " if min(known, default=0.0) < -cells.limit else ""
        most = "≥ " if max(known, default=0.0) > cells.limit else ""
        ends = (f"{least}−{cells.limit:.2g}" if diverging else "0", f"{most}{cells.limit:.2g}")
        start = text_width(ends[0]) + 6
        yield f'<text x="0" y="{number(y)}">{escape(ends[0])}</text>'
        steps = len(colours.SEQUENTIAL)
        for step in range(steps):
            kind = f"{'d' if diverging else 'q'}{step}"
            yield f'<rect class="{kind}" x="{number(start + step * 12)}" y="{number(y - 10)}" width="12" height="12"/>'
        name = fit(f"{ends[1]}  {cells.name}", frame.width - start - steps * 12 - 8)
        yield f'<text x="{number(start + steps * 12 + 6)}" y="{number(y)}">{escape(name)}</text>'


def _legend_lines(figure: Figure, width: float) -> int:
    x, lines = 0.0, 1 if figure.legend else 0
    for name, _ in figure.legend:
        needed = text_width(fit(name, width - 40)) + 30
        if x > 0 and x + needed > width:
            x, lines = 0.0, lines + 1
        x += needed
    return lines + sum(isinstance(mark, Cells) for mark in figure.marks)


def _end_names(figure: Figure, width: float) -> float:
    """Return the pixels that names at the ends of lines need."""
    names = [mark.name for mark in figure.marks if isinstance(mark, Line) and mark.name]
    texts = [text for mark in figure.marks if isinstance(mark, Bars) and mark.horizontal for text in mark.text]
    longest = max((text_width(text) + 8 for text in [*names, *texts]), default=0.0)
    return min(longest, width * 0.3)


def _fraction(value: float, between: tuple[float, float], log: bool) -> float:
    low, high = between
    if log:
        value, low, high = math.log(value), math.log(low), math.log(high)
    return (value - low) / (high - low) if high != low else 0.5


def equal_ranges(
    figure: Figure, width: float, height: float, factor: float = 1.0
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of both axes so that a unit has the same length on both and no circle is cut.

    Parameters
    ----------
    figure : Figure
        A figure with `square`.
    width, height : float
        Size of the plot in pixels.
    factor : float, default 1.0
        Factor of sizes of points.

    Returns
    -------
    tuple of tuple of float
        Values at the left and right, and at the bottom and top.

    Examples
    --------
    >>> circles = Points((0.0, 80.0), (0.0, 0.0), (7.0, 7.0), (0, 0), ("", ""))
    >>> x, y = equal_ranges(Figure("", Axis(""), Axis(""), (circles,), square=True), 100, 50)
    >>> [round(end) for end in (*x, *y)]  # one unit is one pixel; 7 pixels of a circle and 3 of room on both sides
    [-10, 90, -25, 25]
    """
    ranges = [_ranges(figure, which) for which in (0, 1)]
    unit = max((ranges[0][1] - ranges[0][0]) / width, (ranges[1][1] - ranges[1][0]) / height) or 1.0
    points = [mark for mark in figure.marks if isinstance(mark, Points)]
    places = [np.concatenate([one.y if which else one.x for one in points] or [()]) for which in (0, 1)]
    reach = np.concatenate([one.size for one in points] or [()]) * factor + _ROOM
    if any(np.ptp(values) > 0 for values in places if values.size):
        for _ in range(_UNIT_STEPS):  # circles have sizes in pixels, so a new unit changes what they cover
            ends = [(float((at - reach * unit).min()), float((at + reach * unit).max())) for at in places]
            ranges = ends
            unit = max((ends[0][1] - ends[0][0]) / width, (ends[1][1] - ends[1][0]) / height)
    middles = [sum(one) / 2 for one in ranges]
    return (
        (middles[0] - unit * width / 2, middles[0] + unit * width / 2),
        (middles[1] - unit * height / 2, middles[1] + unit * height / 2),
    )


def axis_ranges(figure: Figure) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of both axes: those that are given, else the ends of the marks with some room.

    Parameters
    ----------
    figure : Figure
        The figure.

    Returns
    -------
    tuple of tuple of float
        Values at the left and right, and at the bottom and top.
    """
    return _ranges(figure, 0), _ranges(figure, 1)


def _ranges(figure: Figure, which: int) -> tuple[float, float]:
    """Return the ends of an axis: those that are given, else the ends of the marks with some room."""
    axis = figure.y if which else figure.x
    values = np.array([value for mark in figure.marks for value in _values(mark, which)], dtype=np.float64)
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if axis.log:
        room = (high / low) ** 0.05 if low > 0 and high > low else 1.2
        fitted = (low / room, high * room)
    else:
        room = 0.06 * (high - low) or abs(high) * 0.1 or 0.5
        fitted = (low - room, high + room)
    return (fitted[0] if axis.low is None else axis.low, fitted[1] if axis.high is None else axis.high)


def _values(mark: Mark, which: int) -> Iterator[float]:
    """Yield the x or y of a mark."""
    if isinstance(mark, Points):
        yield from mark.y if which else mark.x
    elif isinstance(mark, Line):
        yield from mark.y if which else mark.x
        if which and mark.errors:
            for value, error in zip(mark.y, mark.errors, strict=True):
                yield from (value - error, value + error)
    elif isinstance(mark, Area):
        yield from (*mark.low, *mark.high) if which else mark.x
    elif isinstance(mark, Edges):
        yield from (*mark.y0, *mark.y1) if which else (*mark.x0, *mark.x1)
    elif isinstance(mark, Bars):
        along = which == (0 if mark.horizontal else 1)
        yield from (0.0, *mark.values, *mark.base) if along else mark.at
    else:
        yield from (-0.5, (len(mark.values) if which else len(mark.values[0])) - 0.5)


def _ticks_of(axis: Axis, between: tuple[float, float], most: int) -> list[tuple[float, str]]:
    """Return positions and texts of ticks."""
    if axis.ticks is not None:
        return list(axis.ticks)
    low, high = min(between), max(between)
    if not high > low:
        return [(low, format_tick(low, abs(low) or 1.0, axis.percent))]
    if axis.log:
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        return [(10.0**power, format_tick(10.0**power, 10.0**power, axis.percent)) for power in powers]
    rough = (high - low) / most
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(magnitude * factor for factor in (1, 2, 2.5, 5, 10) if magnitude * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [(at * step, format_tick(at * step, step, axis.percent)) for at in range(first, last + 1)]
