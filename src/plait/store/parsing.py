"""Shapes of arrays in a manifest, checked while they are unpacked."""

from __future__ import annotations

import math
from typing import Any

from plait._utils.text import short
from plait.errors import PlaitError


def parse_shape(shape: Any, size: int | None = None) -> tuple[int, ...]:
    """Return the shape of an array in a manifest; raise an error if it is not one.

    Parameters
    ----------
    shape : object
        The shape, as the manifest has it.
    size : int or None, default None
        Number of entries that the shape must have; None for any.

    Returns
    -------
    tuple of int
        The shape.

    Examples
    --------
    >>> parse_shape([2, 3], size=6)
    (2, 3)
    """
    if not isinstance(shape, list) or not all(type(one) is int and one >= 0 for one in shape):
        raise PlaitError(f"{short(repr(shape))} is not a shape")
    if size is not None and math.prod(shape) != size:
        raise PlaitError(f"{size:,} values do not have the shape {short(repr(shape))}")
    return tuple(shape)
