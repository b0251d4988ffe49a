"""Single values from files and callers: text, ids, titles, labels, dates and counts, parsed or rejected."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from numbers import Integral, Real
from typing import Any

import numpy as np

from plait._utils.text import printable
from plait._utils.wording import join_names
from plait.corpus.problems import BadValueError

NO_TIME = np.datetime64("NaT", "s")
FIRST_TIME, LAST_TIME = np.datetime64("0001-01-01T00:00:00"), np.datetime64("9999-12-31T23:59:59")
_MAX_CHARACTERS = 60  # of a value in a message
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
        At most 60 printable characters.
    """
    if isinstance(value, str):
        text = printable(json.dumps(value[:_MAX_CHARACTERS], ensure_ascii=False))
        return text if len(text) <= _MAX_CHARACTERS and len(value) <= _MAX_CHARACTERS else text[:57].rstrip('"') + '…"'
    try:
        text = printable(repr(value))
    except (ValueError, RecursionError):  # an integer of thousands of digits, a deeply nested list
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _MAX_CHARACTERS else text[:57] + "…" + text[-1]


def shorten(text: str) -> str:
    """Return a text for a list in a message: without quotes, at most 60 printable characters.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The beginning of the text.

    Examples
    --------
    >>> shorten("red"), len(shorten("x" * 1000))
    ('red', 60)
    """
    text = printable(text[: _MAX_CHARACTERS + 1])
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"


def join_short(names: Iterable[str]) -> str:
    """Return at most ten shortened names separated by commas, and the number of further names.

    Parameters
    ----------
    names : iterable of str
        The names.

    Returns
    -------
    str
        The list; "none" if there are no names.
    """
    return join_names(map(shorten, names)) or "none"


def describe_error(error: BaseException) -> str:
    """Return what a library says about a broken file: the first line, at most 200 printable characters.

    Parameters
    ----------
    error : BaseException
        The error of the library.

    Returns
    -------
    str
        Text for a message.
    """
    text = printable(str(error).partition("\n")[0][:201]) or type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"


def check_text(text: str) -> str:
    r"""Return a text if it can be encoded; half of a surrogate pair is a bad value.

    Such text cannot be printed or saved. It comes from JSON escapes, file names and Python.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The same text.

    Examples
    --------
    >>> check_text("café")
    'café'
    """
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            half = printable(text[error.start])
            message = f"the text contains {half}, half of a surrogate pair, which is not a character"
            raise BadValueError("invalid character", message) from None
    return text


def escape_file_name(name: str) -> str:
    r"""Return a file name as text that can be saved: bytes that are not UTF-8 are written as ``\xe9``.

    Parameters
    ----------
    name : str
        A name or path as the operating system returns it.

    Returns
    -------
    str
        The same name if it is valid text.

    Examples
    --------
    >>> escape_file_name("caf\udce9.txt")
    'caf\\xe9.txt'
    """
    try:
        return check_text(name)
    except BadValueError:
        return os.fsencode(name).decode("utf-8", "backslashreplace")


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; broken JSON and objects with repeated keys are bad values.

    Parameters
    ----------
    text : str
        The JSON text.

    Returns
    -------
    object
        The value.

    Examples
    --------
    >>> parse_json('{"red": 2}')
    {'red': 2}
    """
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError) as error:
        raise BadValueError("broken JSON", f"{shown(text.strip())} is not valid JSON ({error})") from error


def unique_keys(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return pairs of key and value as a mapping; a repeated key is a bad value.

    Parameters
    ----------
    pairs : list of (key, value)
        The pairs.

    Returns
    -------
    dict
        The mapping.
    """
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        seen: set[Any] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise BadValueError("repeated key", f"the key {shown(repeated)} is repeated in an object")
    return mapping


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
        return check_text(value)
    try:
        if isinstance(value, bool | np.bool_ | Integral):
            return str(value)
        if isinstance(value, Real) and math.isfinite(float(value)):
            number = float(value)
            return str(int(number)) if number.is_integer() else str(value)
    except (ValueError, OverflowError):  # thousands of digits
        pass
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


def parse_time(value: object, date_format: str | None = None) -> np.datetime64:
    """Return the time that an ISO date, a year or a date object stands for, to the second and in UTC.

    Parameters
    ----------
    value : object
        The value to parse; a missing value or blank text gives NaT.
    date_format : str, optional
        Format of dates that are text, as of `datetime.datetime.strptime`; None for ISO dates and years.

    Returns
    -------
    datetime64[s]
        The time.

    Examples
    --------
    >>> [str(parse_time(value)) for value in ("1987-02-26T15:01:01Z", 1790, "1987-03")]
    ['1987-02-26T15:01:01', '1790-01-01T00:00:00', '1987-03-01T00:00:00']
    >>> str(parse_time("26.02.1987", "%d.%m.%Y"))
    '1987-02-26T00:00:00'
    """
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        return NO_TIME
    try:
        if date_format is not None and isinstance(value, str):
            time = _parse_time(datetime.strptime(value.strip(), date_format))
        else:
            time = _parse_time(value)
    except (ValueError, OverflowError) as error:
        problem = _DATE_HELP if date_format is None else f"is not a date of the format {shown(date_format)}"
        raise BadValueError("bad date", f"{shown(value)} {problem}") from error
    if not np.isnat(time) and not FIRST_TIME <= time <= LAST_TIME:
        raise BadValueError("bad date", f"{shown(value)} is not in the years 1 to 9999")
    return time


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


_JSON = json.JSONDecoder(object_pairs_hook=unique_keys)
