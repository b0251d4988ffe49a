"""Checks of numeric parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from plait._utils.wording import join_names
from plait.errors import PlaitError


def check_whole(name: str, value: Any, least: int) -> int:
    """Return `value` as an int; raise an error if it is not an integer or is too small.

    Parameters
    ----------
    name : str
        Parameter name for the error message.
    value : Any
        Value to check.
    least : int
        Smallest accepted value.

    Returns
    -------
    int
        The checked value.

    Examples
    --------
    >>> check_whole("n_topics", 5, least=1)
    5
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise PlaitError(f"{name} must be a whole number, {least} or more, not {value!r}", parameter=name)
    return int(value)


def check_positive(name: str, values: Any) -> np.ndarray:
    """Return Dirichlet parameters as float64; raise an error if one is not between 1e-12 and 1e12.

    Parameters
    ----------
    name : str
        Parameter name for the error message.
    values : float or array-like
        Values to check.

    Returns
    -------
    ndarray
        The checked values.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise PlaitError(
            f"{name} must be a positive number or an array of them, not {values!r}", parameter=name
        ) from None
    # Weights are computed in float32: far smaller numbers would turn into 0 there.
    bad = ~(np.isfinite(array) & (array >= 1e-12) & (array <= 1e12))
    if bad.any():
        place = "" if array.ndim == 0 else f" at {tuple(int(i) for i in np.argwhere(bad)[0])}"
        raise PlaitError(f"{name} must lie between 1e-12 and 1e12; it is {array[bad].flat[0]}{place}", parameter=name)
    return array


def check_above_zero(what: str, value: Any, least: float = 1e-12, most: float = 1e12) -> None:
    """Raise an error unless the value is a number above 0 in a range where results stay finite.

    Parameters
    ----------
    what : str
        Name of the parameter. A comma and its meaning may follow, for the message: "nu, the prior scale,".
    value : object
        Value of the parameter.
    least, most : float, default 1e-12 and 1e12
        Smallest and largest accepted value.

    Examples
    --------
    >>> check_above_zero("nu, the prior scale,", 1e300)
    Traceback (most recent call last):
    plait.errors.PlaitError: nu, the prior scale, must lie between 1e-12 and 1e+12, not 1e+300
    """
    parameter = what.partition(",")[0]
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 < value < np.inf:
        raise PlaitError(f"{what} must be a number above 0, not {value!r}", parameter=parameter)
    if not least <= value <= most:
        raise PlaitError(f"{what} must lie between {least:g} and {most:g}, not {value!r}", parameter=parameter)


def check_known_labels(labels: Iterable[Iterable[Any]], classes: Iterable[Any]) -> None:
    """Raise an error if documents have labels, and none of them is a label of the model: they are of another field.

    Parameters
    ----------
    labels : iterable of iterable
        Labels of each document.
    classes : iterable
        Labels that the model was trained on.

    Examples
    --------
    >>> check_known_labels([("sports",), ()], ["sports", "politics"])
    >>> check_known_labels([("Obama",)], ["sports", "politics"])
    Traceback (most recent call last):
    plait.errors.PlaitError: the model was trained on none of the labels of these documents (Obama); it knows politics,
    sports; give labels of the same field
    """
    found, known = {str(label) for own in labels for label in own}, {str(label) for label in classes}
    if found and not found & known:
        raise PlaitError(
            f"the model was trained on none of the labels of these documents ({join_names(sorted(found), 3)}); it "
            f"knows {join_names(sorted(known), 3)}; give labels of the same field",
            parameter="label",
        )
