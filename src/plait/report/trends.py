"""Topic shares over time: sparklines for a terminal and rows for a table; `plait.plots.topic_trends` draws them.

A topic of a stream changes its words. So words are always shown beside the time slice that they are of: the slice where
the share of the topic is largest, or the current one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

__all__ = [
    "average_groups",
    "current_slice",
    "longest_unit",
    "peak_slice",
    "shares_of",
    "sparkline",
    "time_range",
    "top_words",
    "trend_rows",
]

_BARS = "▁▂▃▄▅▆▇█"


# The slices are defined in `plait.models.online`, which is above this package: only the attributes read are named.
class _Slice(Protocol):
    """One time slice of a stream."""

    @property
    def label(self) -> str: ...
    @property
    def begins(self) -> str | None: ...
    @property
    def ends(self) -> str | None: ...
    @property
    def topic_share(self) -> np.ndarray: ...
    @property
    def drift(self) -> np.ndarray: ...
    @property
    def words(self) -> np.ndarray: ...
    @property
    def empty(self) -> bool: ...


def sparkline(values: Sequence[float], width: int = 60) -> str:
    """Return values as text bars, from 0 to the maximum; NaN is a blank.

    Parameters
    ----------
    values : sequence of float
        Non-negative numbers or NaN.
    width : int, default 60
        Maximum number of bars; more values are averaged in groups.

    Returns
    -------
    str
        One character per bar.

    Examples
    --------
    >>> sparkline([0.0, 0.1, 0.2, float("nan"), 0.4])
    '▁▃▅ █'
    """
    bars = average_groups(np.asarray(values, dtype=np.float64), width)
    highest = np.nanmax(bars, initial=0.0)
    top = len(_BARS) - 1
    heights = np.zeros(bars.size) if highest == 0 else np.nan_to_num(bars) / highest * top
    return "".join(
        " " if np.isnan(value) else _BARS[round(height)] for value, height in zip(bars, heights, strict=True)
    )


def average_groups(values: np.ndarray, limit: int) -> np.ndarray:
    """Return at most `limit` values; more values are averaged in groups of neighbours.

    Parameters
    ----------
    values : ndarray
        Numbers; NaN is left out of an average.
    limit : int
        Maximum number of values.

    Returns
    -------
    ndarray
        Averages; NaN for groups of NaN only.
    """
    if values.size <= limit:
        return values
    known = [group[~np.isnan(group)] for group in np.array_split(values, limit)]
    return np.array([group.mean() if group.size else np.nan for group in known])


def shares_of(slices: Sequence[_Slice], topic: int) -> list[float]:
    """Return the share of a topic in each time slice.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream.
    topic : int
        The topic.

    Returns
    -------
    list of float
        Shares; NaN for an empty slice.
    """
    return [float(one.topic_share[topic]) for one in slices]


def peak_slice(slices: Sequence[_Slice], topic: int) -> int:
    """Return the position of the time slice where the share of a topic is largest.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream, not all of them empty.
    topic : int
        The topic.

    Returns
    -------
    int
        Position in `slices`; the first of several equal ones.
    """
    return int(np.nanargmax(shares_of(slices, topic)))


def current_slice(slices: Sequence[_Slice]) -> int:
    """Return the position of the last time slice with tokens.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream, not all of them empty.

    Returns
    -------
    int
        Position in `slices`.
    """
    return max(place for place, one in enumerate(slices) if not one.empty)


def top_words(one: _Slice, topic: int, top: int) -> list[str]:
    """Return the top words of a topic in a time slice; none if the topic has no token there.

    Parameters
    ----------
    one : Slice
        The time slice.
    topic : int
        The topic.
    top : int
        Number of words.

    Returns
    -------
    list of str
        Words.
    """
    return [str(word) for word in one.words[topic][:top]] if one.topic_share[topic] > 0 else []


def time_range(slices: Sequence[_Slice]) -> str:
    """Return the time from the first to the last slice, as text.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream.

    Returns
    -------
    str
        Such as "1790-01-01 to 2020-01-01", or the labels of the slices where the times of documents are unknown.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> early = SimpleNamespace(label="1790-01-01 to 1808-01-01", begins="1790-01-01T00", ends="1808-01-01T00")
    >>> late = SimpleNamespace(label="2001-01-01 to 2020-01-01", begins="2001-01-01T00", ends="2020-01-01T00")
    >>> time_range([early, late])
    '1790-01-01 to 2020-01-01'
    """
    known = [(one.begins[:10], one.ends[:10]) for one in slices if one.begins is not None and one.ends is not None]
    first, last = (known[0][0], known[-1][1]) if known else (slices[0].label, slices[-1].label)
    return first if first == last else f"{first} to {last}"


def longest_unit(times: np.ndarray) -> str:
    """Return the longest calendar unit that divides some times into 4 periods or more.

    Parameters
    ----------
    times : datetime64 array
        Times; unknown ones are left out.

    Returns
    -------
    {"year", "month", "week", "day"}
        The unit; "day" if there is none.

    Examples
    --------
    >>> longest_unit(np.array(["2001-05-01", "2004-01-01"], dtype="datetime64[s]"))
    'year'
    >>> longest_unit(np.array(["2001-05-01", "2001-07-31"], dtype="datetime64[s]"))
    'week'
    """
    days = times[~np.isnat(times)].astype("datetime64[D]")
    weeks = (days.astype(np.int64) + 3) // 7  # weeks begin on Mondays, and 1970 on a Thursday
    numbers = {
        "year": days.astype("datetime64[Y]").astype(np.int64),
        "month": days.astype("datetime64[M]").astype(np.int64),
        "week": weeks,
    }
    return next((unit for unit, number in numbers.items() if number.size and np.ptp(number) >= 3), "day")


def trend_rows(slices: Sequence[_Slice], topics: Sequence[int], top: int) -> Iterator[list[Any]]:
    """Yield one row per time slice and topic: label, topic, share, drift and top words.

    Parameters
    ----------
    slices : sequence of Slice
        Time slices of a stream.
    topics : sequence of int
        Topics.
    top : int
        Number of words.

    Yields
    ------
    list
        One row; None for unknown values.
    """
    for one in slices:
        for topic in topics:
            known = [None if np.isnan(value) else float(value) for value in (one.topic_share[topic], one.drift[topic])]
            yield [one.label, topic, *known, " ".join(map(str, one.words[topic][:top]))]
