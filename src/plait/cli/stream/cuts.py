"""Where a stream is cut into slices: by the calendar, by numbers of documents, or file by file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from plait.corpus.container.slices import CALENDAR, calendar_label, calendar_numbers
from plait.errors import PlaitError

FILE = "file"
_LONGEST_GAP = 1000  # empty slices; a longer one is a wrong date, more likely than not


class Labels(NamedTuple):
    """What a slice is called (None leaves it to the model), and the empty ones before it."""

    own: str | None
    empty: list[str]


class Cut(ABC):
    """Decides where slices end. Times are NaT where documents have none."""

    needs_times = False
    file_by_file = False

    @abstractmethod
    def before(self, time: np.datetime64) -> str:
        """Say what a document is too late for: "" for one that is not late."""

    def ends_before(self, time: np.datetime64) -> bool:
        """Whether the slice at hand has ended when a document of this time comes."""
        return False

    def is_full(self, n_documents: int) -> bool:
        """Whether the slice at hand ends with so many documents."""
        return False

    @abstractmethod
    def add(self, time: np.datetime64, place: str) -> None:
        """Note a document of the slice that is being filled; `place` is where it stands, for messages."""

    @abstractmethod
    def close(self, label: str, ends: np.datetime64) -> Labels:
        """End the slice: documents from now on belong to the next. `label` is that of its last file."""

    @abstractmethod
    def reopen(self) -> None:
        """Begin the slice at hand anew."""


class ByCalendar(Cut):
    """A slice a day, week, month or year; those without documents are noted as empty."""

    needs_times = True

    def __init__(self, unit: str, last: np.datetime64) -> None:
        self._unit = unit
        self._last = None if np.isnat(last) else self._number(last)
        self._now: int | None = None

    def before(self, time: np.datetime64) -> str:
        """Documents of a slice that has been learnt, or before the one at hand, are late."""
        number = self._number(time)
        if self._now is not None:
            return f"the slice being filled, {self._label(self._now)}" if number < self._now else ""
        if self._last is not None and number <= self._last:
            return f"the end of the slice learnt last, {self._label(self._last)}"
        return ""

    def ends_before(self, time: np.datetime64) -> bool:
        """A document of a later slice ends the one at hand."""
        return self._now is not None and self._number(time) > self._now

    def add(self, time: np.datetime64, place: str) -> None:
        """The first document of a slice says which it is."""
        if self._now is not None:
            return
        number = self._number(time)
        if self._last is not None and number - self._last > _LONGEST_GAP:
            raise PlaitError(
                f"{place}: its date {time} lies {number - self._last:,} slices (--by {self._unit}) after the one "
                f"before, {self._label(self._last)}; correct the wrong date, or cut by something longer"
            )
        self._now = number

    def close(self, label: str, ends: np.datetime64) -> Labels:
        """Slices between the last one and this are empty."""
        if self._now is None:  # late documents only
            own = "late documents" if self._last is None else f"{self._label(self._last)}, late"
            return Labels(own, [])
        first = self._now if self._last is None else self._last + 1
        labels = Labels(self._label(self._now), [self._label(number) for number in range(first, self._now)])
        self._last, self._now = self._now, None
        return labels

    def reopen(self) -> None:
        """The slice at hand is not known until a document comes."""
        self._now = None

    def _number(self, time: np.datetime64) -> int:
        return int(calendar_numbers(time, self._unit))

    def _label(self, number: int) -> str:
        return calendar_label(number, self._unit)


class _ByOrder(Cut):
    """Slices by the order of the documents; late is what comes before the last time that was learnt."""

    def __init__(self, last: np.datetime64) -> None:
        self._last = last

    def before(self, time: np.datetime64) -> str:
        """Comparisons with times that are not known are false."""
        return f"the end of the slice learnt last, {self._last}" if time < self._last else ""

    def add(self, time: np.datetime64, place: str) -> None:
        """What a slice is called, and where it ends, does not depend on its documents' times."""

    def reopen(self) -> None:
        """There is nothing to forget."""

    def close(self, label: str, ends: np.datetime64) -> Labels:
        """Joined documents may be older than all that was learnt."""
        self._last = np.fmax(self._last, ends)
        return Labels(label if self.file_by_file else None, [])


class ByNumber(_ByOrder):
    """So many documents a slice, those that cannot be used counted too."""

    def __init__(self, number: int, last: np.datetime64) -> None:
        super().__init__(last)
        self._number = number

    def is_full(self, n_documents: int) -> bool:
        """Enough documents end a slice."""
        return n_documents >= self._number


class ByFile(_ByOrder):
    """A slice a file (or corpus folder)."""

    file_by_file = True


def make_cut(by: str, last: np.datetime64) -> Cut:
    """Return the cut that --by asks for; `last` is the last time that was learnt, NaT for none."""
    if by == FILE:
        return ByFile(last)
    return ByCalendar(by, last) if by in CALENDAR else ByNumber(int(by), last)
