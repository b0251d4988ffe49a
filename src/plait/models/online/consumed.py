"""What a stream has taken from its sources: kept inside the model, so that one file says both or neither."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Taken:
    """How far one source has been taken, and digests by which its documents are known again."""

    documents: int  # that were read of it, those that could not be used included
    digest: str  # of these documents, in their order
    first: str  # of the first of them


@dataclass(frozen=True)
class Waiting:
    """Documents of a source that were read, and not learnt because their slice had not ended."""

    documents: int
    first: str  # digest of the first of them


@dataclass(frozen=True)
class Consumed:
    """Everything that `plait stream` has to know to go on: how it cuts and reads, and what it has taken."""

    by: str
    reading: dict[str, Any]
    sources: dict[str, Taken] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)
