"""What every reader hands over: records of documents and links, and the source that yields them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plait.corpus.problems import Problems

WordForm = Literal["counts", "tokens", "text"]


@dataclass(slots=True)
class Record:
    """One document as it was found; the builder parses the values and says what is wrong with them.

    `place` is where it stands, for messages. `words` is a text, a list of words, or a mapping from word
    to count, as `form` says; None when the document has none.
    """

    place: str
    id: Any
    words: Any
    form: WordForm
    title: Any = None
    labels: Any = None
    date: Any = None
    split: Any = None


@dataclass(slots=True)
class LinkRecord:
    """One link as it was found: two ids and a weight (None for 1)."""

    place: str
    source: Any
    target: Any
    weight: Any = None


class RestartError(Exception):
    """Better fields than those in use have turned up: the source must be read again from the start."""


class Source(ABC):
    """Somewhere documents come from.

    Attributes
    ----------
    name : str
        What messages call it, usually the file's name.
    vocabulary : sequence of str or None
        The words of the columns where they are fixed beforehand.
    word_order : callable or None
        Sort key of the words where they are not fixed; alphabetical when None.
    """

    name: str
    vocabulary: Sequence[str] | None = None
    word_order: Callable[[str], Any] | None = None

    @property
    def numbered(self) -> bool:
        """Whether documents have numbers for ids; not so unless a source says it."""
        return False

    @property
    def label_separators(self) -> str:
        """Characters that cut one text into several labels; none unless a source says so."""
        return ""

    @abstractmethod
    def records(self, problems: Problems) -> Iterator[Record]:
        """The documents, one at a time; may raise `RestartError`."""

    def field_name(self, role: str) -> str:
        """What the source calls the field that plays this role."""
        return role

    def why_missing(self, role: str) -> str:
        """Why a document has nothing that plays this role, for the message about it."""
        return f"the document has no {'id' if role == 'id' else 'words'}"

    def complaint(self) -> str:
        """What turned out, once everything was read, to be wrong with all of it; "" for nothing."""
        return ""
