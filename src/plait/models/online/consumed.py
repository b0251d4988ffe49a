"""What a stream has read from its sources: kept inside the model, so that model and positions never disagree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from plait.errors import PlaitError


@dataclass(frozen=True)
class Taken:
    """How much of a source was learned, and digests that recognise its documents."""

    documents: int  # number of documents read, skipped ones included
    digest: str  # digest of these documents, in order
    first: str  # digest of the first of them


@dataclass(frozen=True)
class Waiting:
    """Documents of a source that were read but not learned, because their slice is not complete."""

    documents: int
    first: str  # digest of the first of them


@dataclass(frozen=True)
class Consumed:
    """What `plait stream` needs to continue: how it cuts and reads, and what it has read."""

    by: str
    reading: dict[str, Any]
    sources: dict[str, Taken] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)

    def check_sizes(self) -> None:
        """Raise an error unless numbers of documents are 0 or more: the record may come from a file."""
        numbers = [one.documents for one in self.sources.values()] + [one.documents for one in self.waiting.values()]
        if min(numbers, default=0) < 0:
            raise PlaitError(f"{min(numbers)} documents of a source were read")
