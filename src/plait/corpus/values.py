"""Single values from files and callers: ids, titles, labels, dates and counts, parsed or rejected."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from numbers import Integral, Real
from typing import Any

import numpy as np

from plait.corpus.problems import BadValueError

LARGEST_COUNT = 2**31 - 1
NO_TIME = np.datetime64("NaT", "s")
_YEAR = re.compile(r"\d{4}")
_YEAR_AND_MONTH = re.compile(r"\d{4}-\d{2}")
_DATE_HELP = "is not an ISO date or a year"


def shown(value: object) -> str:
    """Return a value as error messages print it: shortened, text in double quotes.

    Parameters
    ----------
    value : object
        Any value.

    Returns
    -------
    str
        At most 60 characters.
    """
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "…" + text[-1]


def is_missing(value: object) -> bool:
    """Return whether a value means "unknown": None, NaN, NaT or pandas' NA.

    Parameters
    ----------
    value : object
        Any value.

    Returns
    -------
    bool
        True for these values only.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(0)
    (True, True, False)
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # pandas' types, without importing pandas
        return True
    return isinstance(value, float | np.floating | np.datetime64) and bool(value != value)


def parse_name(value: object, kind: str) -> str:
    """Return text or a number as text; anything else is a bad value.

    Parameters
    ----------
    value : object
        The value to parse.
    kind : str
        Kind of problem to report, such as ``"bad id"``.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> parse_name(12.0, "bad id")
    '12'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_ | Integral):
        return str(value)
    if isinstance(value, Real) and math.isfinite(float(value)):
        number = float(value)
        return str(int(number)) if number.is_integer() else str(value)
    raise BadValueError(kind, f"{shown(value)} is neither text nor a number")


def parse_id(value: object) -> str:
    """Return the id of a document as text; None, NaN and blank text are missing ids.

    Parameters
    ----------
    value : object
        The value to parse.

    Returns
    -------
    str
        The id.
    """
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        raise BadValueError("missing id", "there is no id")
    if isinstance(value, bool):
        raise BadValueError("bad id", f"{shown(value)} is neither text nor a number")
    return parse_name(value, "bad id")


def parse_labels(value: object, separators: str = "") -> tuple[str, ...]:
    """Return the labels of a document without duplicates.

    Parameters
    ----------
    value : object
        One label, several labels, or a missing value.
    separators : str, default ""
        Characters that split a text into several labels.

    Returns
    -------
    tuple of str
        The labels.

    Examples
    --------
    >>> parse_labels("sport;news", separators=";|"), parse_labels("sport;news"), parse_labels(None)
    (('sport', 'news'), ('sport;news',), ())
    """
    if is_missing(value):
        return ()
    if isinstance(value, str):
        parts: Iterable[object] = re.split(f"[{re.escape(separators)}]", value) if separators else (value,)
    elif isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
        parts = value
    else:
        parts = (value,)
    names = (parse_name(part, "bad label").strip() for part in parts if not is_missing(part))
    return tuple(dict.fromkeys(name for name in names if name))


def parse_time(value: object) -> np.datetime64:
    """Return the time that an ISO date, a year or a date object stands for, to the second and in UTC.

    Parameters
    ----------
    value : object
        The value to parse; a missing value or blank text gives NaT.

    Returns
    -------
    datetime64[s]
        The time.

    Examples
    --------
    >>> [str(parse_time(value)) for value in ("1987-02-26T15:01:01Z", 1790, "1987-03")]
    ['1987-02-26T15:01:01', '1790-01-01T00:00:00', '1987-03-01T00:00:00']
    """
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return NO_TIME
    try:
        return _parse_time(value)
    except (ValueError, OverflowError) as error:
        raise BadValueError("bad date", f"{shown(value)} {_DATE_HELP}") from error


def _parse_time(value: object) -> np.datetime64:
    if isinstance(value, str):
        text = value.strip()
        if _YEAR.fullmatch(text) or _YEAR_AND_MONTH.fullmatch(text):
            return np.datetime64(text).astype("datetime64[s]")
        value = datetime.fromisoformat(text)
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            value = value.astimezone(UTC).replace(tzinfo=None)
        return np.datetime64(value.replace(microsecond=0), "s")
    if isinstance(value, date | np.datetime64):
        return np.datetime64(value).astype("datetime64[s]")
    if isinstance(value, Real) and not isinstance(value, bool) and float(value).is_integer():
        year = int(float(value))
        if 1 <= year <= 9999:
            return np.datetime64(f"{year:04d}").astype("datetime64[s]")
    raise ValueError(_DATE_HELP)


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
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real) or not math.isfinite(value):
        raise BadValueError("not a number", f"the count of {shown(word)} is {shown(value)}, not a number")
    number = float(value)
    if number < 0:
        raise BadValueError("negative count", f"the count of {shown(word)} is {shown(value)}, which is negative")
    if fractional:
        return number
    if not number.is_integer():
        raise BadValueError(
            "fractional count",
            f"the count of {shown(word)} is {shown(value)}, not an integer (fractional=True allows fractions)",
        )
    if number > LARGEST_COUNT:
        raise BadValueError("count too large", f"the count of {shown(word)} is {shown(value)}, above 2**31 - 1")
    return int(number)
