"""Curves as points of a drawing: where in a box each value lies. What is drawn with them is the template's business."""

from __future__ import annotations

from collections.abc import Sequence


def place(
    xs: Sequence[float],
    ys: Sequence[float | None],
    box: tuple[float, float],
    xspan: Sequence[float],
    yspan: Sequence[float],
) -> list[str]:
    """Return a curve as lines from point to point, a new one after each gap, as SVG's `points` has them.

    Parameters
    ----------
    xs, ys
        The values; None where there is a gap.
    box
        Width and height of the drawing; up is up.
    xspan, yspan
        What the edges of the box stand for: the least and the largest value.

    Examples
    --------
    >>> place([0, 1, 2, 3], [0, 1, None, 2], (30, 10), (0, 3), (0, 2))
    ['0,10 10,5', '30,0 30,0']
    """
    lines: list[list[str]] = [[]]
    for x, y in zip(xs, ys, strict=True):
        if y is None:
            lines.append([])
        else:
            lines[-1].append(f"{_along(x, xspan) * box[0]:.4g},{(1 - _along(y, yspan)) * box[1]:.4g}")
    # A point alone is a line to itself, which round ends make a dot.
    return [" ".join(line if len(line) > 1 else line * 2) for line in lines if line]


def span(*series: Sequence[float | None]) -> tuple[float, float]:
    """Return the least and the largest value of some series; (0, 0) where there is none.

    Examples
    --------
    >>> span([3, None, 5], [1])
    (1, 5)
    """
    known = [value for values in series for value in values if value is not None]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _along(value: float, between: Sequence[float]) -> float:
    """Return how far a value lies from the first to the second, as a share; in the middle where they are the same."""
    least, most = between
    return (value - least) / (most - least) if most > least else 0.5
