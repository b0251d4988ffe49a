"""Where a stream is divided into slices: by the calendar, by number of documents, or by file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from plait.corpus.container.slices import CALENDAR, LARGEST_GAP, calendar_label, calendar_numbers
from plait.errors import PlaitError

FILE = "file"


class Labels(NamedTuple):
    """The label of a slice (None leaves it to the model), and of the empty slices before it."""

    own: str | None
    empty: list[str]


class Cut(ABC):
    """Decides where slices end. Times are NaT for documents without a date."""

    needs_times = False
    by_file = False

    @abstractmethod
    def late_for(self, time: np.datetime64) -> str:
        """Return what a document comes too late for; "" for a document that is not late.

        Parameters
        ----------
        time : datetime64
            Time of the document.

        Returns
        -------
        str
            Description for messages.
        """

    def ends_before(self, time: np.datetime64) -> bool:
        """Return whether the current slice has ended when a document of this time arrives.

        Parameters
        ----------
        time : datetime64
            Time of the document.

        Returns
        -------
        bool
            Whether it has ended.
        """
        return False

    def is_full(self, n_documents: int) -> bool:
        """Return whether the current slice ends with so many documents.

        Parameters
        ----------
        n_documents : int
            Documents of the current slice.

        Returns
        -------
        bool
            Whether it ends.
        """
        return False

    @abstractmethod
    def add(self, time: np.datetime64, place: str) -> None:
        """Add a document to the current slice.

        Parameters
        ----------
        time : datetime64
            Time of the document.
        place : str
            Its file and line, for messages.
        """

    @abstractmethod
    def close(self, label: str, ends: np.datetime64) -> Labels:
        """End the current slice.

        Parameters
        ----------
        label : str
            Label of its last source.
        ends : datetime64
            Time of its last document.

        Returns
        -------
        Labels
            Labels of the slice and of empty slices before it.
        """

    @abstractmethod
    def reset(self) -> None:
        """Forget the documents of the current slice."""


class ByCalendar(Cut):
    """One slice per day, week, month or year; units without documents are empty slices.

    Parameters
    ----------
    unit : {"day", "week", "month", "year"}
        Length of a slice.
    last : datetime64
        Last time that was learned; NaT for none.
    """

    needs_times = True

    def __init__(self, unit: str, last: np.datetime64) -> None:
        self._unit = unit
        self._last = None if np.isnat(last) else self._number(last)
        self._now: int | None = None

    def late_for(self, time: np.datetime64) -> str:
        """Documents before the current slice, or of a learned slice, are late."""
        number = self._number(time)
        if self._now is not None:
            return f"the current slice, {self._label(self._now)}" if number < self._now else ""
        if self._last is not None and number <= self._last:
            return f"the end of the last learned slice, {self._label(self._last)}"
        return ""

    def ends_before(self, time: np.datetime64) -> bool:
        """A document of a later slice ends the current one."""
        return self._now is not None and self._number(time) > self._now

    def add(self, time: np.datetime64, place: str) -> None:
        """The first document determines the slice."""
        if self._now is not None:
            return
        number = self._number(time)
        if self._last is not None and number - self._last > LARGEST_GAP:
            raise PlaitError(
                f"{place}: its date {time} is {number - self._last:,} slices (of a {self._unit}) after the last one, "
                f"{self._label(self._last)}; correct the date, or use longer slices",
                parameter="by",
            )
        self._now = number

    def close(self, label: str, ends: np.datetime64) -> Labels:
        """Slices between the last one and this one are empty."""
        if self._now is None:  # only late documents
            own = "late documents" if self._last is None else f"{self._label(self._last)}, late"
            return Labels(own, [])
        first = self._now if self._last is None else self._last + 1
        labels = Labels(self._label(self._now), [self._label(number) for number in range(first, self._now)])
        self._last, self._now = self._now, None
        return labels

    def reset(self) -> None:
        """The next document determines the slice."""
        self._now = None

    def _number(self, time: np.datetime64) -> int:
        return int(calendar_numbers(time, self._unit))

    def _label(self, number: int) -> str:
        return calendar_label(number, self._unit)


class _ByOrder(Cut):
    """Slices in the order of the documents; documents before the last learned time are late."""

    def __init__(self, last: np.datetime64) -> None:
        self._last = last

    def late_for(self, time: np.datetime64) -> str:
        """A document without a date is never late, as comparisons with NaT are false."""
        return f"the end of the last learned slice, {self._last}" if time < self._last else ""

    def add(self, time: np.datetime64, place: str) -> None:
        """The slice does not depend on the times of its documents."""

    def reset(self) -> None:
        """There is nothing to forget."""

    def close(self, label: str, ends: np.datetime64) -> Labels:
        """Late documents may be older than the last learned time."""
        self._last = np.fmax(self._last, ends)
        return Labels(label if self.by_file else None, [])


class ByNumber(_ByOrder):
    """A fixed number of documents per slice, invalid ones included.

    Parameters
    ----------
    number : int
        Documents per slice.
    last : datetime64
        Last time that was learned; NaT for none.
    """

    def __init__(self, number: int, last: np.datetime64) -> None:
        super().__init__(last)
        self._number = number

    def is_full(self, n_documents: int) -> bool:
        """Enough documents end a slice."""
        return n_documents >= self._number


class ByFile(_ByOrder):
    """One slice per file or corpus folder."""

    by_file = True


def make_cut(by: str, last: np.datetime64) -> Cut:
    """Return the cut of a name.

    Parameters
    ----------
    by : str
        A calendar unit, "file", or a number of documents.
    last : datetime64
        Last time that was learned; NaT for none.

    Returns
    -------
    Cut
        The cut.
    """
    if by == FILE:
        return ByFile(last)
    return ByCalendar(by, last) if by in CALENDAR else ByNumber(int(by), last)
