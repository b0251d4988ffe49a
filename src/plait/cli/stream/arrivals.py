"""Documents one after the other, whatever place they come from; those that were taken before are checked and passed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from plait.cli.stream.places import INPUT_NAME, Place
from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.records import Record, RestartError
from plait.errors import PlaitError
from plait.models.online import Taken, Waiting

_NOTHING = ""  # the digest of no documents


class Arrival(NamedTuple):
    """A document that was not taken before, and how far its place is taken with it."""

    place: Place
    record: Record
    taken: Taken


class Restart(NamedTuple):
    """Better fields turned up in a place: what has arrived from it arrives again."""

    place: Place


class PlaceEnd(NamedTuple):
    """A place has no more documents."""

    place: Place


Event = Arrival | Restart | PlaceEnd


def digest_after(before: str, record: Record) -> str:
    """Return the digest of some documents and one more, given that of the former: it needs no more than this."""
    told = [record.id, record.words, record.title, record.labels, record.date]
    text = json.dumps([before, *told], ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass
class Arrivals:
    """What arrives from places, less what was taken in earlier runs.

    Parameters
    ----------
    places
        Where from; one may come again when it has grown.
    taken
        How far each place has been taken before, by name.
    waiting
        What was read then, and must come again.
    problems
        Meets what is wrong with the documents.
    goes_on
        Whether standard input begins with the first document that was not taken, rather than from the start.
    """

    places: Iterator[Place]
    taken: Mapping[str, Taken]
    waiting: Mapping[str, Waiting]
    problems: Problems
    goes_on: bool = False

    def __post_init__(self) -> None:
        self._read = dict(self.taken)  # how far each place was read in this run
        self._learnt: set[str] = set()

    def learnt(self, taken: Mapping[str, Taken]) -> None:
        """Note how far places have been learnt now: they cannot be begun anew."""
        self._learnt |= {name for name, now in taken.items() if now != self.taken.get(name)}
        self.taken = dict(taken)

    def __iter__(self) -> Iterator[Event]:
        for place in self.places:
            while True:
                try:
                    yield from self._from_input(place) if place.is_input else self._from_file(place)
                except RestartError:
                    if any(_is_of(place, name) for name in self._learnt):
                        raise PlaitError(
                            f"{place.source.name}: better fields than those in use turned up after slices had been "
                            "learnt; name the fields (--text-field, --id-field, --date-field), and begin anew"
                        ) from None
                    yield Restart(place)
                    if place.name in self.taken:
                        self._read[place.name] = self.taken[place.name]
                    else:
                        self._read.pop(place.name, None)
                    continue
                except CorpusError as error:
                    if error.kind != "empty file":
                        raise
                    self.problems.report(error.kind, error.place, "it is empty", fix="take it out")
                break
            yield PlaceEnd(place)

    def _from_file(self, place: Place) -> Iterator[Arrival]:
        records = place.source.records(self.problems)
        before = self._read.get(place.name)
        if before is not None:
            self._pass(records, place, before)
        yield from self._new(records, place, before)

    def _from_input(self, place: Place) -> Iterator[Arrival]:
        """Standard input comes in parts, one after the other: a part for each time that it went on."""
        records = place.source.records(self.problems)
        parts = {name: taken for name, taken in self.taken.items() if name.startswith(INPUT_NAME)}
        last = list(parts)[-1] if parts else ""
        if not parts:
            if self.goes_on:
                raise PlaitError("nothing was taken from standard input yet; leave --continue-input out")
            yield from self._new(records, place, None)
            return
        if not self.goes_on:
            for taken in parts.values():
                self._pass(records, place, taken)
            yield from self._new(records, replace(place, name=last), parts[last])
            return
        first = next(records, None)
        if first is None:
            return
        if digest_after(_NOTHING, first) == parts[last].first:  # the same part again
            self._pass(records, place, parts[last], first)
            yield from self._new(records, replace(place, name=last), parts[last])
            return
        expected = self.waiting.get(last)
        if expected is not None and digest_after(_NOTHING, first) != expected.first:
            raise PlaitError(
                f"{first.place}: the stream must go on with the first of the {expected.documents:,} documents that "
                "were read last time and not learnt, as their slice had not ended; pipe these first"
            )
        part = replace(place, name=f"{INPUT_NAME} {len(parts) + 1}")
        yield self._arrival(part, first, None)
        yield from self._new(records, part, self._read[part.name])

    def _new(self, records: Iterator[Record], place: Place, before: Taken | None) -> Iterator[Arrival]:
        for record in records:
            arrival = self._arrival(place, record, before)
            before = arrival.taken
            yield arrival

    def _arrival(self, place: Place, record: Record, before: Taken | None) -> Arrival:
        digest = digest_after(_NOTHING if before is None else before.digest, record)
        now = Taken(1, digest, digest) if before is None else Taken(before.documents + 1, digest, before.first)
        self._read[place.name] = now
        return Arrival(place, record, now)

    def _pass(self, records: Iterator[Record], place: Place, taken: Taken, first: Record | None = None) -> None:
        """Go past the documents that were taken before; refuse a place that begins with others."""
        digest = _NOTHING if first is None else digest_after(_NOTHING, first)
        for number in range(0 if first is None else 1, taken.documents):
            record = next(records, None)
            if record is None:
                raise PlaitError(
                    f"{place.source.name} has {number:,} documents now, and {taken.documents:,} were taken from it "
                    f"before; {_way_out(place)}"
                )
            digest = digest_after(digest, record)
        if digest != taken.digest:
            raise PlaitError(
                f"{place.source.name} does not begin with the {taken.documents:,} documents that were taken from it "
                f"before; {_way_out(place)}"
            )
        self.problems.clear()  # what is wrong there was said then


def _is_of(place: Place, name: str) -> bool:
    return name.startswith(INPUT_NAME) if place.is_input else name == place.name


def _way_out(place: Place) -> str:
    if place.is_input:
        return "pipe the same stream from its start, or with --continue-input from the first document not learnt on"
    return "put it back, give new documents in a new file, or begin a new model"
