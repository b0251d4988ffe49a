"""Slices made of what arrives: each a corpus, with what is to be noted as taken once it has been learnt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from plait.cli.stream.arrivals import Arrival, Arrivals, PlaceEnd, Restart, digest_after
from plait.cli.stream.cuts import Cut, Labels
from plait.cli.stream.late import Late
from plait.corpus import Corpus, Skipped
from plait.corpus.problems import BadValueError, Problems
from plait.corpus.readers.builder import CorpusBuilder
from plait.corpus.readers.records import Record, Source
from plait.corpus.text.analyzers import TextOptions
from plait.corpus.values import NO_TIME, parse_time
from plait.errors import PlaitError
from plait.models.online import Taken, Waiting


@dataclass(frozen=True)
class Ready:
    """A slice to be learnt: the empty ones before it, its documents (None where none can be used), what is taken."""

    label: str | None
    empty: list[str]
    corpus: Corpus | None
    taken: dict[str, Taken]
    skipped: Skipped


@dataclass
class Slices:
    """The slices of what arrives, each as soon as it has ended.

    Parameters
    ----------
    arrivals
        The documents.
    cut
        Where a slice ends.
    options, fractional
        How text becomes words, and whether counts may be fractions.
    late
        What happens to documents that come too late.
    final
        Whether the end of all documents is the end of a slice, too.
    """

    arrivals: Arrivals
    cut: Cut
    options: TextOptions
    fractional: bool
    late: Late
    final: bool

    def __post_init__(self) -> None:
        self._pending: list[tuple[Arrival, np.datetime64]] = []
        self._taken = dict(self.arrivals.taken)

    @property
    def waiting(self) -> dict[str, Waiting]:
        """The documents that have arrived and belong to no slice that has ended, by place."""
        found: dict[str, Waiting] = {}
        for arrival, _ in self._pending:
            before = found.get(arrival.place.name)
            if before is None:
                before = Waiting(0, digest_after("", arrival.record))
            found[arrival.place.name] = replace(before, documents=before.documents + 1)
        return found

    @property
    def n_waiting(self) -> int:
        """How many there are."""
        return len(self._pending)

    def __iter__(self) -> Iterator[Ready]:
        for event in self.arrivals:
            if isinstance(event, Restart):
                self._begin_anew(event)
            elif isinstance(event, PlaceEnd):
                if self.cut.file_by_file and self._pending:
                    yield self._close()
            else:
                time = self._time(event)
                if time is not None and self._is_wanted(event, time):
                    if self._pending and self.cut.ends_before(time):
                        yield self._close()
                    self._add(event, time)
                self._taken[event.place.name] = event.taken
                if self.cut.is_full(len(self._pending)):
                    yield self._close()
        if self.final and self._pending:
            yield self._close()

    def _add(self, arrival: Arrival, time: np.datetime64) -> None:
        if not self.cut.file_by_file and arrival.place.source.vocabulary is not None:
            self._refuse_vocabulary(arrival)
        if not self.cut.before(time):  # what is late says nothing about the slice that it joins
            self.cut.add(time, arrival.record.place)
        self._pending.append((arrival, time))

    def _refuse_vocabulary(self, arrival: Arrival) -> None:
        from plait.corpus.readers.fields import RowSource

        if isinstance(arrival.place.source, RowSource):
            raise PlaitError(
                f"{arrival.place.name} has a vocabulary.txt, which fixes the words of one corpus, and the documents of "
                "several may come together here; give --by file, or take vocabulary.txt out"
            )

    def _time(self, arrival: Arrival) -> np.datetime64 | None:
        """Return the time of a document; None for one that cannot be placed without."""
        problems, record = self.arrivals.problems, arrival.record
        try:
            time: np.datetime64 = parse_time(record.date)
        except BadValueError as error:
            if not self.cut.needs_times:
                return NO_TIME  # said when the slice is made
            problems.report(error.kind, record.place, error.message, field=arrival.place.source.field_name("date"))
            return None
        if self.cut.needs_times and np.isnat(time):
            problems.report(
                "document without a time", record.place, "it has no date, so it belongs to no slice", fix="give it one"
            )
            return None
        return time

    def _is_wanted(self, arrival: Arrival, time: np.datetime64) -> bool:
        what = self.cut.before(time)
        if not what or self.late is Late.join_:
            return True
        if self.late is Late.skip:
            self.arrivals.problems.note("late document", arrival.record.place)
            return False
        raise PlaitError(
            f"{arrival.record.place}: its date {arrival.record.date} comes before {what}; sort the documents by date, "
            "or give --late join to learn late documents with the present, --late skip to leave them out"
        )

    def _begin_anew(self, event: Restart) -> None:
        self._pending = [item for item in self._pending if item[0].place.source is not event.place.source]
        self.cut.reopen()
        for arrival, time in self._pending:
            if not self.cut.before(time):
                self.cut.add(time, arrival.record.place)
        self._taken = dict(self.arrivals.taken) | {arrival.place.name: arrival.taken for arrival, _ in self._pending}

    def _close(self) -> Ready:
        problems = self.arrivals.problems
        corpus = _corpus([arrival for arrival, _ in self._pending], self, problems)
        file = self._pending[-1][0].place.label
        if corpus is None:  # as if they had not come: the next run must see it in the same way
            self.cut.reopen()
            labels = Labels(file, [])
        else:
            times = np.array([time for _, time in self._pending], dtype="datetime64[s]")
            labels = self.cut.close(file, NO_TIME if np.isnat(times).all() else np.nanmax(times))
        self._pending = []
        ready = Ready(labels.own, labels.empty, corpus, dict(self._taken), problems.skipped())
        problems.clear()
        return ready


class _Pooled(Source):
    """The documents of one slice, which may be of several places: questions go to the place of the one at hand."""

    def __init__(self, arrivals: list[Arrival], file_by_file: bool) -> None:
        self._arrivals = arrivals
        self._file_by_file = file_by_file
        self.at_hand = arrivals[0].place.source
        self.name = self.at_hand.name
        self.vocabulary: Sequence[str] | None = self.at_hand.vocabulary if file_by_file else None

    @property
    def label_separators(self) -> str:
        return self.at_hand.label_separators

    def records(self, problems: Problems) -> Iterator[Record]:
        for arrival in self._arrivals:
            self.at_hand = arrival.place.source
            yield arrival.record if self._file_by_file else _told_apart(arrival)

    def field_name(self, role: str) -> str:
        return self.at_hand.field_name(role)

    def why_missing(self, role: str) -> str:
        return self.at_hand.why_missing(role)

    def complaint(self) -> str:
        return self.at_hand.complaint()


def _corpus(arrivals: list[Arrival], slices: Slices, problems: Problems) -> Corpus | None:
    """Return the corpus of some documents; None when none of them can be used."""
    pooled = _Pooled(arrivals, slices.cut.file_by_file)
    builder = CorpusBuilder(pooled, slices.options, problems, slices.fractional)
    for record in pooled.records(problems):
        builder.add(record)
    return builder.finish_if_any()


def _told_apart(arrival: Arrival) -> Record:
    """Return a document with an id that those of other files do not have, where ids are numbers of lines."""
    place, record = arrival.place, arrival.record
    if place.is_input or not place.source.numbered:
        return record
    return replace(record, id=f"{place.source.name} {record.id}")
