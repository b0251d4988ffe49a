"""Places of texts beside points, so that texts overlap neither each other nor points, where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from plait.plots.svg_text import fit, text_width

_SIZE = 12.0
_LONGEST = 190.0  # pixels
_SHORT = 0.5  # share of the longest text that is tried where there is no room for a longer one
_MOST = 60  # texts
_CENTRE = 0.55  # share of the radius of a point that texts never cover
_DIAGONAL = 0.75  # share of the radius at which texts begin above or below and beside a point

Box = tuple[float, float, float, float]
Circle = tuple[float, float, float]


class PlacedText(NamedTuple):
    """A text beside a point.

    Attributes
    ----------
    number : int
        Number of the point.
    x, y : float
        Place of the base line in pixels.
    anchor : {"start", "middle", "end"}
        Part of the text that is at x.
    text : str
        The text, perhaps cut.
    side : {"right", "left", "above", "below", "above right", "above left", "below right", "below left"}
        Side of the point.
    """

    number: int
    x: float
    y: float
    anchor: str
    text: str
    side: str


def place_texts(
    texts: Sequence[str],
    centres: Sequence[tuple[float, float]],
    radii: Sequence[float],
    inside: Box,
) -> Iterator[PlacedText]:
    """Yield places of the texts for which there is room, the first texts first.

    A text covers no other text and no point. Where this is impossible, it is cut; where this does not help, it may
    cover the rim of a point, but not its middle.

    Parameters
    ----------
    texts : sequence of str
        One text per point, "" for none.
    centres : sequence of (float, float)
        Centres of the points in pixels.
    radii : sequence of float
        Their radii in pixels.
    inside : tuple of float
        Left, top, right and bottom edges for texts.

    Yields
    ------
    PlacedText
        Text and place.
    """
    circles = [(x, y, radius) for (x, y), radius in zip(centres, radii, strict=True)]
    middles = [(x, y, radius * _CENTRE) for x, y, radius in circles if radius * _CENTRE > 2]
    longest = min(_LONGEST, (inside[2] - inside[0]) * 0.4)
    waiting = [number for number, text in enumerate(texts) if text][:_MOST]
    taken: list[Box] = []
    for room, avoided in ((longest, circles), (longest * _SHORT, circles), (longest, middles)):
        left_over = []
        for number in waiting:
            short = fit(texts[number], room)
            for placed, box in _places(number, short, circles[number]):
                if _is_free(box, inside, taken, avoided):
                    taken.append(box)
                    yield placed
                    break
            else:
                left_over.append(number)
        waiting = left_over


def _places(number: int, text: str, circle: Circle) -> Iterator[tuple[PlacedText, Box]]:
    """Yield the places of a text around a point, the best first, with the box that the text fills."""
    x, y, radius = circle
    width = text_width(text) + 2
    beside, near = radius + 3, radius * _DIAGONAL + 3
    over, under = y - radius * _DIAGONAL - 3, y + radius * _DIAGONAL + _SIZE
    for left, base, anchor, side in (
        (x + beside, y + 4, "start", "right"),
        (x - beside - width, y + 4, "end", "left"),
        (x - width / 2, y - radius - 4, "middle", "above"),
        (x - width / 2, y + radius + _SIZE, "middle", "below"),
        (x + near, over, "start", "above right"),
        (x + near, under, "start", "below right"),
        (x - near - width, over, "end", "above left"),
        (x - near - width, under, "end", "below left"),
    ):
        at = {"start": left, "end": left + width, "middle": left + width / 2}[anchor]
        yield PlacedText(number, at, base, anchor, text, side), (left, base - _SIZE + 1, left + width, base + 3)


def _is_free(box: Box, edges: Box, taken: Sequence[Box], circles: Sequence[Circle]) -> bool:
    if box[0] < edges[0] or box[1] < edges[1] or box[2] > edges[2] or box[3] > edges[3]:
        return False
    if any(overlap(box, other) for other in taken):
        return False
    for x, y, radius in circles:
        across, down = max(box[0] - x, 0.0, x - box[2]), max(box[1] - y, 0.0, y - box[3])
        if across * across + down * down < radius * radius:
            return False
    return True


def overlap(first: Box, second: Box) -> bool:
    """Return whether two boxes (left, top, right, bottom) overlap."""
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def push_apart(places: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Return increasing places that are some distance apart, as near to the given ones as a simple pass finds.

    Parameters
    ----------
    places : sequence of float
        Places in increasing order.
    distance : float
        Least distance between two.
    low, high : float
        Ends of the range.

    Returns
    -------
    list of float
        New places.

    Examples
    --------
    >>> push_apart([1.0, 2.0, 30.0], 10.0, 0.0, 35.0)
    [1.0, 11.0, 30.0]
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + distance if moved else low))
    limit = high
    for at in range(len(moved) - 1, -1, -1):
        moved[at] = min(moved[at], limit)
        limit = moved[at] - distance
    return moved
