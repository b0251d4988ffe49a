"""Places of texts beside points, so that texts overlap neither each other nor the centres of points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.plots.svg_text import fit, text_width

_SIZE = 12.0
_LONGEST = 190.0  # pixels
_MOST = 60  # texts
_ALMOST_OVERLAPPED = 0.55  # share of the radius of a point that texts avoid

Box = tuple[float, float, float, float]


def place_texts(
    texts: Sequence[str],
    centres: Sequence[tuple[float, float]],
    radii: Sequence[float],
    inside: Box,
) -> Iterator[tuple[float, float, str, str]]:
    """Yield places of the texts for which there is room, the first texts first.

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
    tuple
        x, y of the base line, anchor ("start", "end" or "middle") and text.
    """
    taken: list[Box] = [
        (x - reach, y - reach, x + reach, y + reach)
        for (x, y), radius in zip(centres, radii, strict=True)
        if (reach := radius * _ALMOST_OVERLAPPED) > 2
    ]
    longest = min(_LONGEST, (inside[2] - inside[0]) * 0.4)
    n_placed = 0
    for text, (x, y), radius in zip(texts, centres, radii, strict=True):
        if not text or n_placed == _MOST:
            continue
        short = fit(text, longest)
        width = text_width(short) + 2
        for left, base, anchor in (
            (x + radius + 3, y + 4, "start"),
            (x - radius - 3 - width, y + 4, "end"),
            (x - width / 2, y - radius - 4, "middle"),
            (x - width / 2, y + radius + _SIZE, "middle"),
        ):
            box = (left, base - _SIZE + 1, left + width, base + 3)
            if _is_inside(box, inside) and not any(overlap(box, other) for other in taken):
                taken.append(box)
                n_placed += 1
                at = {"start": left, "end": left + width, "middle": left + width / 2}[anchor]
                yield at, base, anchor, short
                break


def _is_inside(box: Box, edges: Box) -> bool:
    return box[0] >= edges[0] and box[1] >= edges[1] and box[2] <= edges[2] and box[3] <= edges[3]


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
