"""Marks of a figure as SVG elements, one function per kind. Texts for the pointer are `title` elements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from plait.plots.colours import class_of, step_of
from plait.plots.figure import Area, Bars, Cells, Edges, Line, Link, Mark, Points
from plait.plots.frame import Frame
from plait.plots.placing import Box, overlap, place_texts, push_apart
from plait.plots.svg_text import escape, fit, number, text_width

_INNER = 11.0  # pixels of the font in points
_SMALL_INNER = 8.0  # of the font in points that are too small for it
_FEW = 60  # points, up to which texts are written over points that are too small for them
_HEAD = 5.0  # pixels of an arrow head
_NAME_HEIGHT = 13.0  # pixels between names at the ends of lines
_LEAST_AREA = 13.0  # pixels of an area with a name


def draw_mark(mark: Mark, frame: Frame, link: Link | None) -> list[str]:
    """Return a mark as SVG elements.

    Parameters
    ----------
    mark : Mark
        The mark.
    frame : Frame
        The frame of the figure.
    link : callable or None
        Returns the address for a key.

    Returns
    -------
    list of str
        SVG.
    """
    if isinstance(mark, Points):
        return list(_points(mark, frame, link))
    if isinstance(mark, Line):
        return list(_line(mark, frame, link))
    if isinstance(mark, Bars):
        return list(_bars(mark, frame, link))
    if isinstance(mark, Area):
        return list(_area(mark, frame, link))
    if isinstance(mark, Cells):
        return list(_cells(mark, frame))
    return list(_edges(mark, frame))


def draw_names(marks: Sequence[Mark], frame: Frame) -> list[str]:
    """Return the names of lines, at their ends, and of areas, where they are high, without overlaps.

    Parameters
    ----------
    marks : sequence of Mark
        All marks of a figure; the names are drawn above them.
    frame : Frame
        The frame of the figure.

    Returns
    -------
    list of str
        SVG.
    """
    return [*_line_names(marks, frame), *_area_names(marks, frame)]


def _line_names(marks: Sequence[Mark], frame: Frame) -> Iterator[str]:
    ends = []
    for mark in marks:
        if isinstance(mark, Line) and mark.name:
            known = [(x, y) for x, y in zip(mark.x, mark.y, strict=True) if math.isfinite(y)]
            if known:
                ends.append((frame.py(known[-1][1]), frame.px(known[-1][0]), mark))
    ends.sort(key=lambda end: end[0])
    ys = push_apart([y for y, _, _ in ends], _NAME_HEIGHT, frame.top, frame.bottom + 6)
    for y, (_, x, mark) in zip(ys, ends, strict=True):
        text = escape(fit(mark.name, frame.width - x - 6))
        place = f'x="{number(x + 7)}" y="{number(y)}" dy=".35em"'
        yield f'<text class="end {class_of(mark.colour)}" {place}>{text}</text>'


def _area_names(marks: Sequence[Mark], frame: Frame) -> Iterator[str]:
    taken: list[Box] = []
    for mark in marks:
        if not isinstance(mark, Area) or not mark.name:
            continue
        text = fit(mark.name, (frame.right - frame.left) * 0.42)
        half = text_width(text) / 2
        middles = [
            (frame.py(low) - frame.py(high), frame.px(x), (frame.py(low) + frame.py(high)) / 2)
            for x, low, high in zip(mark.x, mark.low, mark.high, strict=True)
        ]
        for height, x, y in sorted(middles, key=lambda middle: -middle[0]):
            if height < _LEAST_AREA:
                break
            x = min(max(x, frame.left + half + 3), frame.right - half - 3)
            box = (x - half, y - 7, x + half, y + 7)
            if not any(overlap(box, other) for other in taken):
                taken.append(box)
                place = f'x="{number(x)}" y="{number(y)}" dy=".35em"'
                yield f'<text class="inside" {place} text-anchor="middle">{escape(text)}</text>'
                break


def _title(hover: str) -> str:
    return f"<title>{escape(hover)}</title>" if hover else ""


def _linked(shape: str, key: str, hover: str, link: Link | None) -> str:
    """Return a shape inside a link, if its key has an address."""
    address = link(key) if link is not None and key else None
    if address is None:
        return shape
    name = "" if "<title>" in shape else f' aria-label="{escape(hover or key)}"'
    return f'<a href="{escape(address)}"{name} data-key="{escape(key)}">{shape}</a>'


def _points(mark: Points, frame: Frame, link: Link | None) -> Iterator[str]:
    radii = [size * frame.factor for size in mark.size]
    centres = [(frame.px(x), frame.py(y)) for x, y in zip(mark.x, mark.y, strict=True)]
    for at, ((x, y), radius) in enumerate(zip(centres, radii, strict=True)):
        ring = " ringed" if mark.ringed and mark.ringed[at] else ""
        hover = mark.hover[at]
        shape = (
            f'<circle class="point {class_of(mark.colour[at])}{ring}" cx="{number(x)}" cy="{number(y)}" '
            f'r="{number(radius)}">{_title(hover)}</circle>'
        )
        kind = _inner_class(mark, at, radius)
        if kind:
            shape += f'<text class="{kind}" x="{number(x)}" y="{number(y)}" dy=".35em">{escape(mark.inner[at])}</text>'
        yield _linked(shape, mark.keys[at] if mark.keys else "", hover, link)
    if mark.text:
        inside = (frame.left, frame.top, frame.right, frame.bottom)
        for one in place_texts(mark.text, centres, radii, inside):
            place = f'x="{number(one.x)}" y="{number(one.y)}" text-anchor="{one.anchor}"'
            yield f'<text class="beside" {place}>{escape(one.text)}</text>'


def _inner_class(mark: Points, at: int, radius: float) -> str:
    """Return the classes of the text in a point; "" if there is no text or no room for it."""
    if not mark.inner:
        return ""
    if text_width(mark.inner[at], _INNER) < 1.8 * radius and radius > 6:
        return "inner"
    if text_width(mark.inner[at], _SMALL_INNER) < 1.8 * radius and radius > 4:
        return "inner small"
    return "inner small over" if len(mark.x) <= _FEW else ""


def _line(mark: Line, frame: Frame, link: Link | None) -> Iterator[str]:
    colour = class_of(mark.colour)
    known = [(at, math.isfinite(y)) for at, y in enumerate(mark.y)]
    pixels = [(frame.px(x), frame.py(y)) if math.isfinite(y) else None for x, y in zip(mark.x, mark.y, strict=True)]
    classes = f"line {colour}{' dashed' * mark.dashed}{' thin' * mark.thin}"
    shapes = []
    for is_known, group in groupby(known, key=lambda one: one[1]):
        points = [f"{number(pixel[0])} {number(pixel[1])}" for at, _ in group if (pixel := pixels[at]) is not None]
        if is_known:
            shapes.append(f'<path class="{classes}" d="M{"L".join(points if len(points) > 1 else points * 2)}"/>')
    for pixel, y, error in zip(pixels, mark.y, mark.errors, strict=False):
        if pixel is not None and error > 0:
            ends = f"M{number(pixel[0])} {number(frame.py(y - error))}V{number(frame.py(y + error))}"
            shapes.append(f'<path class="line thin {colour}" d="{ends}"/>')
    hovers = mark.hover or ("",) * len(pixels)
    for pixel, hover in zip(pixels, hovers, strict=True):
        if pixel is not None and (hover or mark.markers):
            kind = "dot" if mark.markers else "touch"
            place = f'cx="{number(pixel[0])}" cy="{number(pixel[1])}" r="{3.5 if mark.markers else 7}"'
            shapes.append(f'<circle class="{kind} {colour}" {place}>{_title(hover)}</circle>')
    yield _linked("".join(shapes), mark.key, mark.name, link)


def _bars(mark: Bars, frame: Frame, link: Link | None) -> Iterator[str]:
    place, along = (frame.py, frame.px) if mark.horizontal else (frame.px, frame.py)
    thickness = abs(place(1.0) - place(0.0)) * mark.width
    for at, position in enumerate(mark.at):
        base = along(mark.base[at] if mark.base else 0.0)
        end, middle = along(mark.values[at]), place(position)
        first, length, across = number(min(base, end)), number(abs(end - base)), number(middle - thickness / 2)
        if mark.horizontal:
            box = f'x="{first}" y="{across}" width="{length}" height="{number(thickness)}"'
        else:
            box = f'x="{across}" y="{first}" width="{number(thickness)}" height="{length}"'
        hover = mark.hover[at] if mark.hover else ""
        shape = f'<rect class="bar {class_of(mark.colour[at])}" {box}>{_title(hover)}</rect>'
        yield _linked(shape, mark.keys[at] if mark.keys else "", hover, link)
        if mark.text and mark.horizontal:
            text = escape(mark.text[at])
            yield f'<text class="value" x="{number(max(base, end) + 5)}" y="{number(middle)}" dy=".35em">{text}</text>'


def _area(mark: Area, frame: Frame, link: Link | None) -> Iterator[str]:
    xs = [frame.px(x) for x in mark.x]
    high, low = ([frame.py(y) for y in ys] for ys in (mark.high, mark.low))
    forward = [f"{number(x)} {number(y)}" for x, y in zip(xs, high, strict=True)]
    back = [f"{number(x)} {number(y)}" for x, y in zip(reversed(xs), reversed(low), strict=True)]
    shapes = [f'<path class="area {class_of(mark.colour)}" d="M{"L".join(forward + back)}Z">{_title(mark.name)}</path>']
    for at, hover in enumerate(mark.hover):
        around = [max(0, at - 1), at, min(len(xs) - 1, at + 1)]
        middles = [((xs[around[0]] + xs[at]) / 2), xs[at], ((xs[around[2]] + xs[at]) / 2)]
        tops = [(high[around[0]] + high[at]) / 2, high[at], (high[around[2]] + high[at]) / 2]
        bottoms = [(low[around[0]] + low[at]) / 2, low[at], (low[around[2]] + low[at]) / 2]
        points = [*zip(middles, tops, strict=True), *zip(middles[::-1], bottoms[::-1], strict=True)]
        outline = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        shapes.append(f'<polygon class="touch {class_of(mark.colour)}" points="{outline}">{_title(hover)}</polygon>')
    yield _linked("".join(shapes), mark.key, mark.name, link)


def _cells(mark: Cells, frame: Frame) -> Iterator[str]:
    width = abs(frame.px(1.0) - frame.px(0.0))
    height = abs(frame.py(1.0) - frame.py(0.0))
    gap = 1.0 if min(width, height) > 6 else 0.3
    kind = "d" if mark.scale == "diverging" else "q"
    box = f'width="{number(width - gap)}" height="{number(height - gap)}"'
    for row, (values, hovers) in enumerate(zip(mark.values, mark.hover, strict=True)):
        top = number(frame.py(row) - height / 2)
        for column, (value, hover) in enumerate(zip(values, hovers, strict=True)):
            if math.isfinite(value):
                place = f'x="{number(frame.px(column) - width / 2)}" y="{top}"'
                step = f"{kind}{step_of(value, mark.limit, mark.scale)}"
                yield f'<rect class="cell {step}" {place} {box}>{_title(hover)}</rect>'


def _edges(mark: Edges, frame: Frame) -> Iterator[str]:
    ends = zip(mark.x0, mark.y0, mark.x1, mark.y1, strict=True)
    for at, (x0, y0, x1, y1) in enumerate(ends):
        start, end = (frame.px(x0), frame.py(y0)), (frame.px(x1), frame.py(y1))
        path = f"M{number(start[0])} {number(start[1])}L{number(end[0])} {number(end[1])}"
        hover = _title(mark.hover[at]) if mark.hover else ""
        width = f'stroke-width="{number(mark.width[at] * frame.factor)}"'
        yield f'<path class="edge {class_of(mark.colour[at])}" {width} d="{path}">{hover}</path>'
        length = math.hypot(end[0] - start[0], end[1] - start[1])
        if mark.directed and length > 4 * _HEAD:
            unit = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
            middle = (start[0] + 0.62 * (end[0] - start[0]), start[1] + 0.62 * (end[1] - start[1]))
            tip = (middle[0] + unit[0] * _HEAD, middle[1] + unit[1] * _HEAD)
            sides = [
                (middle[0] - unit[1] * sign * _HEAD * 0.6, middle[1] + unit[0] * sign * _HEAD * 0.6) for sign in (1, -1)
            ]
            outline = " ".join(f"{number(x)},{number(y)}" for x, y in (tip, *sides))
            yield f'<polygon class="head {class_of(mark.colour[at])}" points="{outline}"/>'
