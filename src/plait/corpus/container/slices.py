"""Time slices of a corpus: calendar units, equal numbers of documents, or given boundaries."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from plait.corpus.problems import BadValueError, CorpusError, Problems, Skipped
from plait.corpus.values import parse_time, shown

if TYPE_CHECKING:
    from plait.corpus.container.corpus import Corpus

CALENDAR = {"day": "D", "week": "W", "month": "M", "year": "Y"}
LARGEST_GAP = 1000  # slices from one document to the next; a longer gap is probably a wrong date
_FORMS = 'give "day", "week", "month", "year", a number of slices, or a sequence of boundaries'


class TimeSlices(list[tuple[str, "Corpus"]]):
    """A list of ``(label, Corpus)``, oldest slice first.

    Parameters
    ----------
    slices : iterable of (str, Corpus)
        Label and documents of each slice.
    skipped : Skipped
        Documents that are in no slice.
    """

    def __init__(self, slices: Iterable[tuple[str, Corpus]], skipped: Skipped) -> None:
        super().__init__(slices)
        self.skipped = skipped


def slice_by_time(corpus: Corpus, by: str | int | Sequence[Any], on_error: str) -> TimeSlices:
    """Return the time slices of a corpus; see `Corpus.slice_by_time`."""
    problems = Problems(on_error)
    times = _known_times(corpus, problems)
    dated = np.flatnonzero(~np.isnat(times))
    labels, slice_of = cut_times(times[dated], by, corpus.ids[dated])
    for row in dated[slice_of < 0]:
        problems.report(
            "time outside the boundaries",
            f"document {shown(corpus.ids[row])}",
            f"the time {times[row]} is outside the boundaries",
            fix="widen them",
        )
    dated, slice_of = dated[slice_of >= 0], slice_of[slice_of >= 0]
    order = np.argsort(slice_of, kind="stable")
    ends = np.searchsorted(slice_of[order], np.arange(len(labels) + 1))
    rows = dated[order]
    slices = (
        (label, corpus._rows(rows[start:end])) for label, start, end in zip(labels, ends[:-1], ends[1:], strict=True)
    )
    return TimeSlices(slices, problems.skipped())


def cut_times(times: np.ndarray, by: str | int | Sequence[Any], ids: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return the labels of time slices, and the number of the slice of each time.

    Parameters
    ----------
    times : datetime64[s] array
        Times of documents, none of them NaT.
    by : str, int or sequence of times
        As in `Corpus.slice_by_time`.
    ids : array of str
        Ids of the documents, for messages.

    Returns
    -------
    list of str
        Labels, oldest slice first.
    int64 array
        Numbers of slices; -1 for a time outside the boundaries.
    """
    if isinstance(by, str):
        return _calendar(times, by, ids)
    if isinstance(by, int | np.integer) and not isinstance(by, bool):
        return _equal_numbers(times, int(by))
    if isinstance(by, Sequence | np.ndarray):
        return _between(times, _boundaries(by))
    raise CorpusError(f"by is {shown(by)}; {_FORMS}")


def _known_times(corpus: Corpus, problems: Problems) -> np.ndarray:
    if corpus.times is None or np.isnat(corpus.times).all():
        raise CorpusError(
            "no document has a time; when reading the corpus, say which field has the date",
            field="times",
            parameter="date",
        )
    for row in np.flatnonzero(np.isnat(corpus.times)):
        problems.report(
            "document without a time",
            f"document {shown(corpus.ids[row])}",
            "it has no time, so it belongs to no slice",
            fix="give it one",
        )
    return corpus.times


def _calendar(times: np.ndarray, unit: str, ids: np.ndarray) -> tuple[list[str], np.ndarray]:
    if unit not in CALENDAR:
        raise CorpusError(f"by is {shown(unit)}; {_FORMS}")
    numbers = calendar_numbers(times, unit)
    _check_gaps(numbers, unit, times, ids)
    first, last = int(numbers.min()), int(numbers.max())
    return [calendar_label(number, unit) for number in range(first, last + 1)], numbers - first


def _check_gaps(numbers: np.ndarray, unit: str, times: np.ndarray, ids: np.ndarray) -> None:
    """Raise an error if a document is alone in time: each slice without documents costs time and memory."""
    order = np.argsort(numbers, kind="stable")
    gaps = np.diff(numbers[order])
    if not len(gaps) or gaps.max() <= LARGEST_GAP:
        return
    position = int(np.argmax(gaps))
    early_is_odd = position + 1 <= len(gaps) - position  # the smaller side of the gap is probably wrong
    row, other = order[[position, position + 1] if early_is_odd else [position + 1, position]]
    side = "before the next" if early_is_odd else "after the last"
    raise CorpusError(
        f"document {shown(ids[row])} has the date {times[row]}, {gaps[position]:,} slices (of a {unit}) {side} one, "
        f"{calendar_label(int(numbers[other]), unit)}; correct the date, or use longer slices",
        kind="bad date",
        parameter="by",
    )


def calendar_numbers(times: np.ndarray | np.datetime64, unit: str) -> np.ndarray:
    """Return the day, week, month or year of each time, as a number counted from 1970.

    Parameters
    ----------
    times : datetime64 array or datetime64
        The times.
    unit : {"day", "week", "month", "year"}
        The calendar unit.

    Returns
    -------
    int64 array
        The numbers.

    Examples
    --------
    >>> calendar_numbers(np.array(["1970-01-31", "1970-02-01"], dtype="datetime64[s]"), "month").tolist()
    [0, 1]
    """
    moments = np.asarray(times).astype("datetime64[D]") + _shift(unit)
    return moments.astype(f"datetime64[{CALENDAR[unit]}]").astype(np.int64)


def calendar_label(number: int, unit: str) -> str:
    """Return the name of a day, week, month or year.

    Parameters
    ----------
    number : int
        Number from `calendar_numbers`.
    unit : {"day", "week", "month", "year"}
        The calendar unit.

    Returns
    -------
    str
        The name.

    Examples
    --------
    >>> calendar_label(1, "month"), calendar_label(1, "week")
    ('1970-02', '1970-W02')
    """
    start = np.array(number).astype(f"datetime64[{CALENDAR[unit]}]")
    if unit == "week":
        day: Any = (start.astype("datetime64[D]") - _shift(unit)).item()
        return "{}-W{:02d}".format(*day.isocalendar()[:2])
    return str(start)


def _shift(unit: str) -> np.timedelta64:
    # NumPy's weeks start on Thursday, ISO weeks on Monday: shifted by three days, they are the same.
    return np.timedelta64(3 if unit == "week" else 0, "D")


def _equal_numbers(times: np.ndarray, n_slices: int) -> tuple[list[str], np.ndarray]:
    moments, which, documents = np.unique(times, return_inverse=True, return_counts=True)
    if not 1 <= n_slices <= len(moments):
        raise CorpusError(
            f"{n_slices} slices cannot be made: the documents have {len(moments):,} different times; "
            f"give a number from 1 to {len(moments):,}"
        )
    # Documents with the same time stay together: each slice ends at the time nearest to an equal share.
    so_far = np.cumsum(documents)
    ends: list[int] = []
    for number in range(1, n_slices):
        nearest = int(np.argmin(np.abs(so_far - number * len(times) / n_slices)))
        earliest = ends[-1] + 1 if ends else 0
        latest = len(moments) - 1 - (n_slices - number)
        ends.append(min(max(nearest, earliest), latest))
    slice_of_moment = np.searchsorted(np.array(ends, dtype=np.int64), np.arange(len(moments)), side="left")
    bounds = [0, *(end + 1 for end in ends), len(moments)]
    labels = [_span(moments[start], moments[end - 1]) for start, end in itertools.pairwise(bounds)]
    return labels, slice_of_moment[which]


def _span(first: np.datetime64, last: np.datetime64) -> str:
    start, end = str(first.astype("datetime64[D]")), str(last.astype("datetime64[D]"))
    return start if start == end else f"{start} to {end}"


def _boundaries(given: Sequence[Any] | np.ndarray) -> np.ndarray:
    try:
        boundaries = np.array([parse_time(time) for time in given], dtype="datetime64[s]")
    except BadValueError as error:
        raise CorpusError(f"by has a bad boundary: {error.message}; {_FORMS}") from error
    if len(boundaries) < 2 or np.isnat(boundaries).any() or (np.diff(boundaries) <= np.timedelta64(0, "s")).any():
        raise CorpusError("the boundaries must be two or more times, each later than the one before")
    return boundaries


def _between(times: np.ndarray, boundaries: np.ndarray) -> tuple[list[str], np.ndarray]:
    slice_of = np.searchsorted(boundaries, times, side="right") - 1
    slice_of[slice_of == len(boundaries) - 1] = -1
    labels = [
        f"{start.astype('datetime64[D]')} until {end.astype('datetime64[D]')}"
        for start, end in itertools.pairwise(boundaries)
    ]
    return labels, slice_of
