"""Curves as SVG coordinates; the templates draw them."""

from __future__ import annotations

from collections.abc import Sequence


def polylines(
    xs: Sequence[float],
    ys: Sequence[float | None],
    box: tuple[float, float],
    x_range: Sequence[float],
    y_range: Sequence[float],
) -> list[str]:
    """Return a curve as values of SVG's `points` attribute, one per stretch without gaps.

    Parameters
    ----------
    xs : sequence of float
        Horizontal values.
    ys : sequence of float or None
        Vertical values; None is a gap.
    box : tuple of float
        Width and height of the drawing.
    x_range, y_range : sequence of float
        Minimum and maximum at the edges of the box.

    Returns
    -------
    list of str
        Points of each polyline.

    Examples
    --------
    >>> polylines([0, 1, 2, 3], [0, 1, None, 2], (30, 10), (0, 3), (0, 2))
    ['0,10 10,5', '30,0 30,0']
    """
    lines: list[list[str]] = [[]]
    for x, y in zip(xs, ys, strict=True):
        if y is None:
            lines.append([])
        else:
            lines[-1].append(f"{_fraction(x, x_range) * box[0]:.4g},{(1 - _fraction(y, y_range)) * box[1]:.4g}")
    # A single point becomes a line to itself, which round line ends draw as a dot.
    return [" ".join(line if len(line) > 1 else line * 2) for line in lines if line]


def value_range(*series: Sequence[float | None]) -> tuple[float, float]:
    """Return the minimum and maximum of some series; (0, 0) if they have no values.

    Parameters
    ----------
    *series : sequence of float or None
        Values; None is left out.

    Returns
    -------
    tuple of float
        Minimum and maximum.

    Examples
    --------
    >>> value_range([3, None, 5], [1])
    (1, 5)
    """
    known = [value for values in series for value in values if value is not None]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _fraction(value: float, between: Sequence[float]) -> float:
    """Return the position of a value in a range as a fraction; 0.5 if the range is empty."""
    low, high = between
    return (value - low) / (high - low) if high > low else 0.5
