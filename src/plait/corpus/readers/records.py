"""Records of documents and links, and the `Source` that yields them: what every format provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from plait.corpus.problems import Problems
from plait.corpus.readers.field_guesses import FieldChoice

WordForm = Literal["counts", "tokens", "text"]


@dataclass(slots=True)
class Record:
    """One document as it was read. The builder parses its values and reports what is wrong with them.

    Parameters
    ----------
    place : str
        Where it was found, for error messages.
    id : object
        Its id.
    words : str, list of str, mapping of str to number, or None
        Its words, in the form that `form` names; None if it has none.
    form : {"counts", "tokens", "text"}
        Form of `words`.
    title, labels, date, split : object, default None
        Other values; None if they are missing.
    metadata : sequence of object, default ()
        Values of the fields in `Source.metadata_fields`.
    """

    place: str
    id: Any
    words: Any
    form: WordForm
    title: Any = None
    labels: Any = None
    date: Any = None
    split: Any = None
    metadata: Sequence[Any] = ()


@dataclass(slots=True)
class LinkRecord:
    """One link as it was read.

    Parameters
    ----------
    place : str
        Where it was found, for error messages.
    source, target : object
        Ids of the two documents.
    weight : object, default None
        Weight; None for 1.
    """

    place: str
    source: Any
    target: Any
    weight: Any = None


class Sheets(NamedTuple):
    """The sheets of a workbook.

    Parameters
    ----------
    chosen : str
        The sheet to read.
    names : list of str
        All sheets, in their order.
    """

    chosen: str
    names: list[str]


class RestartError(Exception):
    """A better choice of fields was found: the source must be read again from the start."""


class Source(ABC):
    """Where documents come from, such as a file.

    Attributes
    ----------
    name : str
        Name for error messages, usually the file name.
    vocabulary : sequence of str or None
        The words of the columns, if they are fixed in advance.
    word_order : callable or None
        Sort key of the words, if they are not fixed in advance; None for alphabetical order.
    path : Path or None
        The file or folder of texts, to guess its encoding; None for data in memory.
    metadata_fields : sequence of str
        Names of the fields whose values are kept as metadata.
    """

    name: str
    vocabulary: Sequence[str] | None = None
    word_order: Callable[[str], Any] | None = None
    path: Path | None = None
    metadata_fields: Sequence[str] = ()

    @property
    def numbered(self) -> bool:
        """Whether documents are numbered because they have no ids."""
        return False

    @property
    def label_separators(self) -> str:
        """Characters that split a text into several labels."""
        return ""

    @abstractmethod
    def records(self, problems: Problems) -> Iterator[Record]:
        """Yield the documents one at a time; may raise `RestartError`.

        Parameters
        ----------
        problems : Problems
            Raises or counts the problems.

        Yields
        ------
        Record
            A document.
        """

    def field_name(self, role: str) -> str:
        """Return the name of the field that has a role.

        Parameters
        ----------
        role : str
            Such as "id" or "label".

        Returns
        -------
        str
            The name of the field.
        """
        return role

    def why_missing(self, role: str) -> str:
        """Return why a document has no value for a role, for an error message.

        Parameters
        ----------
        role : str
            Such as "id" or "text".

        Returns
        -------
        str
            The reason.
        """
        return f"the document has no {'id' if role == 'id' else 'words'}"

    def choices(self) -> tuple[FieldChoice, ...]:
        """Return which fields were taken for which roles, and why; known after all of it was read.

        Returns
        -------
        tuple of FieldChoice
            One per role; none for a format without named fields.
        """
        return ()

    def reject(self, role: str) -> bool:
        """Give up the field that was guessed for a role from a sample of its values.

        Parameters
        ----------
        role : str
            Such as "id".

        Returns
        -------
        bool
            Whether there was such a guess, so that the source must be read again.
        """
        return False

    def complaint(self) -> str:
        """Return what is wrong with the source as a whole, known after all of it was read; "" for nothing.

        Returns
        -------
        str
            The problem.
        """
        return ""
