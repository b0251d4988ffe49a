"""The documents of all sources in order, without those that earlier runs have learned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.records import Record, RestartError
from plait.errors import PlaitError
from plait.models.online import Taken, Waiting
from plait.streaming.sources import INPUT_NAME, StreamSource

_NOTHING = ""  # the digest of no documents


class Arrival(NamedTuple):
    """A new document, and how much of its source is read with it."""

    source: StreamSource
    record: Record
    taken: Taken


class Restart(NamedTuple):
    """Better fields were found in a source: its documents arrive again."""

    source: StreamSource


class SourceEnd(NamedTuple):
    """A source has no more documents."""

    source: StreamSource


Event = Arrival | Restart | SourceEnd


def digest_after(before: str, record: Record) -> str:
    """Return the digest of a sequence of documents from the digest of all but the last.

    Parameters
    ----------
    before : str
        Digest of the documents before; "" for none.
    record : Record
        The last document.

    Returns
    -------
    str
        The digest.
    """
    content = [record.id, record.words, record.title, record.labels, record.date]
    text = json.dumps([before, *content], ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass
class Arrivals:
    """The documents that arrive from sources, without those of earlier runs.

    Parameters
    ----------
    sources : iterator of StreamSource
        The sources. One may come again when it has grown.
    taken : mapping of str to Taken
        How much of each source earlier runs have learned.
    waiting : mapping of str to Waiting
        Documents that earlier runs have read and not learned; they must come again.
    problems : Problems
        Raises or counts invalid documents.
    continued : bool, default False
        Whether standard input starts with the first document that was not learned.
    """

    sources: Iterator[StreamSource]
    taken: Mapping[str, Taken]
    waiting: Mapping[str, Waiting]
    problems: Problems
    continued: bool = False

    def __post_init__(self) -> None:
        self._read = dict(self.taken)  # how much of each source this run has read
        self._learned: set[str] = set()

    def set_learned(self, taken: Mapping[str, Taken]) -> None:
        """Record how much of each source is learned. A learned source cannot be read again with other fields.

        Parameters
        ----------
        taken : mapping of str to Taken
            By the name of the source.
        """
        self._learned |= {name for name, now in taken.items() if now != self.taken.get(name)}
        self.taken = dict(taken)

    def __iter__(self) -> Iterator[Event]:
        for source in self.sources:
            while True:
                try:
                    yield from self._from_input(source) if source.is_input else self._from_file(source)
                except RestartError:
                    if any(_belongs_to(source, name) for name in self._learned):
                        raise PlaitError(
                            f"{source.reader.name}: better fields than those in use were found after slices had been "
                            "learned; name the fields of text, id and date, and start a new model",
                            parameter="text",
                        ) from None
                    yield Restart(source)
                    if source.name in self.taken:
                        self._read[source.name] = self.taken[source.name]
                    else:
                        self._read.pop(source.name, None)
                    continue
                except CorpusError as error:
                    if error.kind != "empty file":
                        raise
                    self.problems.report(error.kind, error.place, "it is empty", fix="remove it")
                break
            yield SourceEnd(source)

    def _from_file(self, source: StreamSource) -> Iterator[Arrival]:
        records = source.reader.records(self.problems)
        before = self._read.get(source.name)
        if before is not None:
            self._skip_taken(records, source, before)
        yield from self._new(records, source, before)

    def _from_input(self, source: StreamSource) -> Iterator[Arrival]:
        """Yield the new documents of standard input, which is recorded in one section per continued run."""
        records = source.reader.records(self.problems)
        sections = {name: taken for name, taken in self.taken.items() if name.startswith(INPUT_NAME)}
        last = list(sections)[-1] if sections else ""
        if not sections:
            if self.continued:
                raise PlaitError(
                    "nothing was learned from standard input yet, so it cannot be continued", parameter="continue_input"
                )
            yield from self._new(records, source, None)
            return
        if not self.continued:
            for taken in sections.values():
                self._skip_taken(records, source, taken)
            yield from self._new(records, replace(source, name=last), sections[last])
            return
        first = next(records, None)
        if first is None:
            return
        if digest_after(_NOTHING, first) == sections[last].first:  # the last section again
            self._skip_taken(records, source, sections[last], first)
            yield from self._new(records, replace(source, name=last), sections[last])
            return
        expected = self.waiting.get(last)
        if expected is not None and digest_after(_NOTHING, first) != expected.first:
            raise PlaitError(
                f"{first.place}: the stream must continue with the first of the {expected.documents:,} documents that "
                "were read last time and not learned, as their slice had not ended; pipe these first"
            )
        section = replace(source, name=f"{INPUT_NAME} {len(sections) + 1}")
        yield self._arrival(section, first, None)
        yield from self._new(records, section, self._read[section.name])

    def _new(self, records: Iterator[Record], source: StreamSource, before: Taken | None) -> Iterator[Arrival]:
        for record in records:
            arrival = self._arrival(source, record, before)
            before = arrival.taken
            yield arrival

    def _arrival(self, source: StreamSource, record: Record, before: Taken | None) -> Arrival:
        digest = digest_after(_NOTHING if before is None else before.digest, record)
        now = Taken(1, digest, digest) if before is None else Taken(before.documents + 1, digest, before.first)
        self._read[source.name] = now
        return Arrival(source, record, now)

    def _skip_taken(
        self, records: Iterator[Record], source: StreamSource, taken: Taken, first: Record | None = None
    ) -> None:
        """Skip the documents that were learned before; a source that begins with others is an error."""
        digest = _NOTHING if first is None else digest_after(_NOTHING, first)
        for number in range(0 if first is None else 1, taken.documents):
            record = next(records, None)
            if record is None:
                raise PlaitError(
                    f"{source.reader.name} has {number:,} documents now, and {taken.documents:,} were learned from it "
                    f"before; {_remedy(source)}",
                    parameter="continue_input" if source.is_input else None,
                )
            digest = digest_after(digest, record)
        if digest != taken.digest:
            raise PlaitError(
                f"{source.reader.name} does not begin with the {taken.documents:,} documents that were learned from it "
                f"before; {_remedy(source)}",
                parameter="continue_input" if source.is_input else None,
            )
        self.problems.clear()  # reported by the earlier run


def _belongs_to(source: StreamSource, name: str) -> bool:
    return name.startswith(INPUT_NAME) if source.is_input else name == source.name


def _remedy(source: StreamSource) -> str:
    if source.is_input:
        return "pipe the same stream from its start, or continue with the first document that was not learned"
    return "restore it, give new documents in a new file, or start a new model"
