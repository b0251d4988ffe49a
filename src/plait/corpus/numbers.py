"""Counts and other numbers from files and callers, parsed or rejected."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from plait.corpus.problems import BadValueError
from plait.corpus.values import shown

LARGEST_COUNT = 2**31 - 1


def number_in(text: str) -> int | float:
    """Return the number in a text, an int if possible; raise ValueError if there is none.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    int or float
        The number.

    Examples
    --------
    >>> number_in("3"), number_in("0.5")
    (3, 0.5)
    """
    try:
        return int(text)
    except ValueError:
        return float(text)


def to_float(value: Any) -> float:
    """Return a real number as a float, infinity if it is too large.

    Parameters
    ----------
    value : int, float or other real number
        The number.

    Returns
    -------
    float
        The number.

    Examples
    --------
    >>> to_float(3), to_float(-(10**400))
    (3.0, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def add_count(counts: dict[str, int | float], word: str, number: int | float) -> None:
    """Add a number to the count of a word; a negative number is kept, so that `parse_count` rejects it.

    Parameters
    ----------
    counts : dict of str to number
        The counts, which are changed.
    word : str
        The word.
    number : int or float
        The number.

    Examples
    --------
    >>> counts = {}
    >>> for number in (2, -1, 3):
    ...     add_count(counts, "red", number)
    >>> counts
    {'red': -1}
    """
    before = counts.get(word)
    if before is None:
        counts[word] = number
    elif before < 0 or number < 0:
        counts[word] = min(before, number)
    else:
        counts[word] = before + number


def parse_count(value: Any, word: str, fractional: bool) -> int | float:
    """Return the count of a word: an integer of at least 0, or any number of at least 0 if `fractional`.

    Parameters
    ----------
    value : object
        The value to parse.
    word : str
        The word, for the error message.
    fractional : bool
        Whether counts may be fractions.

    Returns
    -------
    int or float
        The count.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise _bad_count("not a number", word, value, "not a number")
    number = to_float(value)
    if not math.isfinite(number) and not isinstance(value, Integral):
        raise _bad_count("not a number", word, value, "not a number")
    if number < 0:
        raise _bad_count("negative count", word, value, "which is negative")
    if number == math.inf:
        raise _bad_count("count too large", word, value, "above the largest number")
    if fractional:
        return number
    if not number.is_integer():
        raise _bad_count("fractional count", word, value, "not an integer (fractional=True allows fractions)")
    if number > LARGEST_COUNT:
        raise _bad_count("count too large", word, value, "above 2**31 - 1")
    return int(number)


def _bad_count(kind: str, word: str, value: object, why: str) -> BadValueError:
    return BadValueError(kind, f"the count of {shown(word)} is {shown(value)}, {why}")
