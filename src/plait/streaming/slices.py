"""Slices of the arriving documents: each a corpus, with the state of the sources after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from plait.corpus import Corpus, Skipped
from plait.corpus.problems import BadValueError, Problems
from plait.corpus.readers.builder import CorpusBuilder
from plait.corpus.readers.fields import RowSource
from plait.corpus.readers.records import Record, Source
from plait.corpus.readers.remedies import check_share
from plait.corpus.text.options import LIMITS, TextOptions
from plait.corpus.values import NO_TIME, parse_time
from plait.errors import PlaitError
from plait.models.online import Taken, Waiting
from plait.streaming.arrivals import Arrival, Arrivals, Restart, SourceEnd, digest_after
from plait.streaming.cuts import Cut, Labels

LATE = ("stop", "skip", "join")


@dataclass(frozen=True)
class CompleteSlice:
    """A slice that has ended.

    Parameters
    ----------
    label : str or None
        Its label; None leaves it to the model.
    empty : list of str
        Labels of the empty slices before it.
    corpus : Corpus or None
        Its documents; None if none can be used.
    taken : dict
        How much of each source is learned with it, by name.
    skipped : Skipped
        Tally of what was skipped.
    """

    label: str | None
    empty: list[str]
    corpus: Corpus | None
    taken: dict[str, Taken]
    skipped: Skipped


@dataclass
class Slices:
    """The slices of the arriving documents, each as soon as it has ended.

    Parameters
    ----------
    arrivals : Arrivals
        The documents.
    cut : Cut
        Where slices end.
    options : TextOptions
        How text is divided into words.
    fractional : bool
        Whether counts may be fractions.
    date_format : str or None
        Format of dates that are text.
    late : {"stop", "skip", "join"}
        Whether a late document is an error, is skipped, or joins the current slice.
    final : bool
        Whether the last slice ends with the last document.
    """

    arrivals: Arrivals
    cut: Cut
    options: TextOptions
    fractional: bool
    date_format: str | None
    late: str
    final: bool

    def __post_init__(self) -> None:
        self._pending: list[tuple[Arrival, np.datetime64]] = []
        self._taken = dict(self.arrivals.taken)
        self._last: Source | None = None  # of the last event

    @property
    def waiting(self) -> dict[str, Waiting]:
        """Documents of the slice that has not ended, by source."""
        found: dict[str, Waiting] = {}
        for arrival, _ in self._pending:
            before = found.get(arrival.source.name)
            if before is None:
                before = Waiting(0, digest_after("", arrival.record))
            found[arrival.source.name] = replace(before, documents=before.documents + 1)
        return found

    def __iter__(self) -> Iterator[CompleteSlice]:
        for event in self.arrivals:
            self._last = event.source.reader
            if isinstance(event, Restart):
                self._remove(event)
            elif isinstance(event, SourceEnd):
                if self.cut.by_file and self._pending:
                    yield self._close()
            else:
                time = self._time(event)
                if time is not None and self._is_wanted(event, time):
                    if self._pending and self.cut.ends_before(time):
                        yield self._close()
                    self._add(event, time)
                self._taken[event.source.name] = event.taken
                if self.cut.is_full(len(self._pending)):
                    yield self._close()
        if self.final and self._pending:
            yield self._close()

    def check_rest(self) -> None:
        """Raise an error if too many rows after the last slice were skipped."""
        if self._last is not None:
            for _ in self._pending:
                self.arrivals.problems.add_row()
            check_share(self.arrivals.problems, self._last)

    def _add(self, arrival: Arrival, time: np.datetime64) -> None:
        if not self.cut.by_file and arrival.source.reader.vocabulary is not None:
            self._check_vocabulary(arrival)
        if not self.cut.late_for(time):  # a late document does not determine the slice that it joins
            self.cut.add(time, arrival.record.place)
        self._pending.append((arrival, time))

    def _check_vocabulary(self, arrival: Arrival) -> None:
        if isinstance(arrival.source.reader, RowSource):
            raise PlaitError(
                f"{arrival.source.name} has a vocabulary.txt, which fixes the words of one corpus, but a slice may "
                "have documents of several; use one slice per file, or remove vocabulary.txt",
                parameter="by",
            )

    def _time(self, arrival: Arrival) -> np.datetime64 | None:
        """Return the time of a document; None if it needs one and has none."""
        problems, record = self.arrivals.problems, arrival.record
        try:
            time: np.datetime64 = parse_time(record.date, self.date_format)
        except BadValueError as error:
            if not self.cut.needs_times:
                return NO_TIME  # reported when the corpus is built
            problems.keep_value("date", record.date)
            problems.report(error.kind, record.place, error.message, field=arrival.source.reader.field_name("date"))
            return None
        if self.cut.needs_times and np.isnat(time):
            problems.report(
                "document without a time", record.place, "it has no date, so it belongs to no slice", fix="give it one"
            )
            return None
        return time

    def _is_wanted(self, arrival: Arrival, time: np.datetime64) -> bool:
        what = self.cut.late_for(time)
        if not what or self.late == "join":
            return True
        if self.late == "skip":
            self.arrivals.problems.note("late document", arrival.record.place)
            return False
        raise PlaitError(
            f"{arrival.record.place}: its date {arrival.record.date} is before {what}; sort the documents by date, "
            'or set late to "join" to learn late documents in the current slice, "skip" to leave them out',
            parameter="late",
        )

    def _remove(self, event: Restart) -> None:
        """Remove the pending documents of a source that is read again."""
        self._pending = [item for item in self._pending if item[0].source.reader is not event.source.reader]
        self.cut.reset()
        for arrival, time in self._pending:
            if not self.cut.late_for(time):
                self.cut.add(time, arrival.record.place)
        self._taken = dict(self.arrivals.taken) | {arrival.source.name: arrival.taken for arrival, _ in self._pending}

    def _close(self) -> CompleteSlice:
        problems = self.arrivals.problems
        corpus = self._build([arrival for arrival, _ in self._pending])
        check_share(problems, self._pending[-1][0].source.reader)
        label = self._pending[-1][0].source.label
        if corpus is None:  # as if they had not arrived: the next run must come to the same slices
            self.cut.reset()
            labels = Labels(label, [])
        else:
            times = np.array([time for _, time in self._pending], dtype="datetime64[s]")
            labels = self.cut.close(label, NO_TIME if np.isnat(times).all() else np.nanmax(times))
        self._pending = []
        complete = CompleteSlice(labels.own, labels.empty, corpus, dict(self._taken), problems.skipped())
        problems.clear()
        return complete

    def _build(self, arrivals: list[Arrival]) -> Corpus | None:
        """Return the corpus of some documents; None if none of them can be used."""
        problems = self.arrivals.problems
        pooled = _PooledSource(arrivals, self.cut.by_file)
        builder = CorpusBuilder(pooled, self.options, problems, self.fractional, self.date_format)
        builder.prepare(arrival.record for arrival in arrivals)
        for record in pooled.records(problems):
            builder.add(record)
        corpus = builder.finish_if_any()
        if corpus is not None and corpus.text_options is not None:
            # Later slices are read as the first one: same language, stop words and phrases.
            limits = {name: getattr(self.options, name) for name in LIMITS}
            self.options = replace(corpus.text_options, **limits)
        return corpus


class _PooledSource(Source):
    """The documents of one slice, which may be of several sources. Questions go to the source of the current one."""

    def __init__(self, arrivals: list[Arrival], by_file: bool) -> None:
        self._arrivals = arrivals
        self._by_file = by_file
        self.current = arrivals[0].source.reader
        self.name = self.current.name
        self.vocabulary: Sequence[str] | None = self.current.vocabulary if by_file else None

    @property
    def label_separators(self) -> str:
        return self.current.label_separators

    def records(self, problems: Problems) -> Iterator[Record]:
        for arrival in self._arrivals:
            self.current = arrival.source.reader
            yield arrival.record if self._by_file else _with_unique_id(arrival)

    def field_name(self, role: str) -> str:
        return self.current.field_name(role)

    def why_missing(self, role: str) -> str:
        return self.current.why_missing(role)

    def complaint(self) -> str:
        return self.current.complaint()


def _with_unique_id(arrival: Arrival) -> Record:
    """Return a document whose id contains the name of its source, if ids are numbers of lines."""
    source, record = arrival.source, arrival.record
    if source.is_input or not source.reader.numbered:
        return record
    return replace(record, id=f"{source.reader.name} {record.id}")
