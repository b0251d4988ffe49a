"""Roles of the fields of a table or JSON object: named by the caller, or guessed from the field names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.field_guesses import SAMPLE_ROWS, FieldChoice, choice_by_name, guess_fields
from plait.corpus.readers.field_names import GUESSES, WORD_GUESSES, WORDS, find_candidates
from plait.corpus.readers.records import Record, RestartError, Sheets, Source, WordForm
from plait.corpus.values import is_missing, join_short, shown

_BY_VALUES = 1000  # rank of a field that was guessed from values: any name that is found later is better
_PLURALS = {"labels", "classes", "categories", "topics", "tags"}


@dataclass(frozen=True)
class FieldNames:
    """Field names that a caller gave; None for names to guess.

    Parameters
    ----------
    text : str or sequence of str, optional
        Field or fields with text.
    tokens : str, optional
        Field with a list of words.
    counts : str, optional
        Field with a mapping from word to count.
    id, title, label, date, split : str, optional
        Other fields.
    metadata : sequence of str, default ()
        Fields whose values are kept as metadata.
    sheet : str, optional
        Sheet of a workbook with the rows.
    """

    text: str | Sequence[str] | None = None
    tokens: str | None = None
    counts: str | None = None
    id: str | None = None
    title: str | None = None
    label: str | None = None
    date: str | None = None
    split: str | None = None
    metadata: Sequence[str] = ()
    sheet: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", _field_list(self.metadata))
        given = [form for form in ("text", "tokens", "counts") if getattr(self, form) is not None]
        if len(given) > 1:
            raise CorpusError(f"{' and '.join(given)} are both given; give only one of them")
        if self.text is not None and not self.text:
            raise CorpusError("text names no field; give one or several names, or leave it out to guess the field")


def _field_list(names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of metadata fields, each once."""
    if isinstance(names, str):
        raise CorpusError(f"metadata is {shown(names)}; give a list of field names", parameter="metadata")
    fields = tuple(dict.fromkeys(names or ()))
    if wrong := [name for name in fields if not isinstance(name, str) or not name]:
        raise CorpusError(f"metadata contains {shown(wrong[0])}; give names of fields", parameter="metadata")
    return fields


class Row(NamedTuple):
    """One row of a table or one JSON object.

    Parameters
    ----------
    place : str
        Where it was found, for error messages.
    number : int
        Number of the row, from 1.
    values : mapping of str to object
        Values by field name.
    """

    place: str
    number: int
    values: Mapping[str, Any]


class _Choice(NamedTuple):
    """The field or fields chosen for a role. A lower rank is a better guess; -1 means named by the caller."""

    rank: int
    names: tuple[str, ...]


class RowSource(Source):
    """Documents in rows with named fields.

    Parameters
    ----------
    name : str
        Name of the source for error messages.
    rows : callable
        Takes a `Problems` and yields `Row`. It is called again if a better guess of the fields is found.
    fields : FieldNames
        Field names that the caller gave.
    cells : bool, default False
        Whether values are the text of table cells, so that one cell can hold several labels.
    vocabulary : sequence of str, optional
        The words of the columns, if they are fixed in advance.
    path : Path, optional
        The text file, if it is one.
    by_values : bool, default True
        Whether fields without a plain name are guessed from a sample of their values. A stream has no sample.
    sheets : Sheets, optional
        The sheets of a workbook.
    """

    def __init__(
        self,
        name: str,
        rows: Callable[[Problems], Iterator[Row]],
        fields: FieldNames,
        *,
        cells: bool = False,
        vocabulary: Sequence[str] | None = None,
        path: Path | None = None,
        by_values: bool = True,
        sheets: Sheets | None = None,
    ) -> None:
        self.name = name
        self.path = path
        self.vocabulary = vocabulary
        self.metadata_fields = fields.metadata
        self._rows = rows
        self._cells = cells
        self._form: WordForm = "text"
        self._chosen: dict[str, _Choice] = {}
        self._guessed: dict[str, FieldChoice] = {}  # by role, from values
        self._rejected: set[tuple[str, str]] = set()  # roles and fields
        self._by_values = by_values
        self._sheets = sheets
        self._given_sheet = fields.sheet is not None
        self._candidates: dict[tuple[str, ...], list[tuple[str, int, str]]] = {}
        for role in GUESSES:
            if (name_given := getattr(fields, role)) is not None:
                self._chosen[role] = _Choice(-1, (name_given,))
        for form in ("text", "tokens", "counts"):
            if (given := getattr(fields, form)) is not None:
                self._chosen[WORDS] = _Choice(-1, (given,) if isinstance(given, str) else tuple(given))
                self._form = form

    def records(self, problems: Problems) -> Iterator[Record]:
        """Yield the rows as records, with the fields chosen so far.

        Parameters
        ----------
        problems : Problems
            Raises or counts the problems.

        Yields
        ------
        Record
            A document.
        """
        if self._by_values:
            self._by_values = False
            self._guess_from_values()
        numbered = False
        for row in self._rows(problems):
            if self._improve(row.values, numbered):
                raise RestartError
            values = row.values
            numbered = numbered or "id" not in self._chosen
            yield Record(
                place=row.place,
                id=self._value(values, "id") if "id" in self._chosen else row.number,
                words=self._words(values),
                form=self._form,
                title=self._value(values, "title"),
                labels=self._value(values, "label"),
                date=self._value(values, "date"),
                split=self._value(values, "split"),
                metadata=[values.get(name) for name in self.metadata_fields],
            )

    def _value(self, values: Mapping[str, Any], role: str) -> Any:
        choice = self._chosen.get(role)
        return None if choice is None else values.get(choice.names[0])

    def _words(self, values: Mapping[str, Any]) -> Any:
        choice = self._chosen.get(WORDS)
        if choice is None:
            return None
        found = [value for name in choice.names if not is_missing(value := values.get(name))]
        if not found:
            return None
        # A value that is not text is returned unchanged: a mapping, a list, or a bad value to report.
        texts = [value for value in found if isinstance(value, str)]
        if len(texts) == len(found):
            return "\n".join(texts)
        return next(value for value in found if not isinstance(value, str))

    def _improve(self, values: Mapping[str, Any], numbered: bool) -> bool:
        """Update the chosen fields from a row; return whether earlier rows must be read again."""
        layout = tuple(values)
        if layout not in self._candidates:
            self._candidates[layout] = find_candidates(layout)
        again = False
        for role, rank, name in self._candidates[layout]:
            current = self._chosen.get(role)
            if (current is not None and current.rank <= rank) or is_missing(values[name]):
                continue
            if (role, name) in self._rejected:
                continue
            if role == WORDS and isinstance(values[name], int | float):
                continue  # a number in a field named "words" is a count of words
            self._chosen[role] = _Choice(rank, (name,))
            if role == WORDS:
                self._form = WORD_GUESSES[rank][0]
            # A role that had no field so far matters for ids only: earlier rows have no such field.
            again = again or current is not None or (role == "id" and numbered)
        return again

    def _guess_from_values(self) -> None:
        """Choose fields in a sample of rows: by their names, and where names do not say it, by their values."""
        rows = [row.values for row in islice(self._rows(Problems("skip")), SAMPLE_ROWS)]
        for values in rows:
            self._improve(values, numbered=False)
        self._reject_repeated_ids(rows)
        roles = {"text": WORDS, "id": "id", "title": "title", "date": "date", "label": "label"}
        wanted = [role for role, own in roles.items() if own not in self._chosen]
        taken = [name for choice in self._chosen.values() for name in choice.names]
        for role, choice in guess_fields(rows, wanted, [*taken, *self.metadata_fields]).items():
            if role == "id" and "id" in self._guessed and not choice.names:
                continue
            self._guessed[role] = choice
            if choice.names:
                self._chosen[roles[role]] = _Choice(_BY_VALUES, choice.names)

    def _reject_repeated_ids(self, rows: list[Mapping[str, Any]]) -> None:
        """Give up a field with the name of an id whose values are mostly repeated."""
        choice = self._chosen.get("id")
        if choice is None or choice.rank < 0:
            return
        values = [str(row.get(choice.names[0])) for row in rows]
        if len(values) >= 10 and 2 * len(set(values)) < len(values):
            del self._chosen["id"]
            self._rejected.add(("id", choice.names[0]))
            reason = f"rows are numbered: the values of {shown(choice.names[0])} are repeated"
            self._guessed["id"] = FieldChoice("id", (), reason, choice.names)

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
        choice = self._chosen.get(role)
        if choice is None or choice.rank != _BY_VALUES:
            return False
        del self._chosen[role]
        reason = f"rows are numbered: {shown(choice.names[0])} is not an {role} of every row"
        self._guessed[role] = FieldChoice(role, (), reason, choice.names)
        return True

    def choices(self) -> tuple[FieldChoice, ...]:
        """Return which fields were taken for which roles, and why; known after all of it was read.

        Returns
        -------
        tuple of FieldChoice
            One per role.
        """
        found = []
        if self._sheets is not None and len(self._sheets.names) > 1:
            others = tuple(name for name in self._sheets.names if name != self._sheets.chosen)
            reason = f"the first of {len(self._sheets.names)} sheets"
            found.append(FieldChoice("sheet", (self._sheets.chosen,), reason, others, named=self._given_sheet))
        for role in (WORDS, *GUESSES):
            choice = self._chosen.get(role)
            shown_role = self._form if role == WORDS else role
            if choice is None or choice.rank == _BY_VALUES:
                if shown_role in self._guessed:
                    found.append(self._guessed[shown_role])
            else:
                others = self._others(role, choice) if role in (WORDS, "label") else ()
                found.append(choice_by_name(shown_role, choice.names, others, named=choice.rank < 0))
        return tuple(found)

    def _others(self, role: str, choice: _Choice) -> tuple[str, ...]:
        """Return the other fields whose names suggest a role."""
        if choice.rank < 0:
            return ()
        names = [name for found in self._candidates.values() for own, _, name in found if own == role]
        return tuple(dict.fromkeys(name for name in names if name not in choice.names))

    @property
    def numbered(self) -> bool:
        """Whether documents are numbered because no field was chosen for the id."""
        return "id" not in self._chosen

    @property
    def _names_found(self) -> list[str]:
        return list(dict.fromkeys(name for layout in self._candidates for name in layout))

    @property
    def label_separators(self) -> str:
        """Characters that split a cell into several labels, if the field's name is a plural."""
        return ";|" if self._cells and self.field_name("label").lower() in _PLURALS else ""

    def field_name(self, role: str) -> str:
        """Return the name of the field chosen for a role.

        Parameters
        ----------
        role : str
            Such as "id" or "label".

        Returns
        -------
        str
            The name of the field.
        """
        choice = self._chosen.get(WORDS if role in ("text", "tokens", "counts") else role)
        return role if choice is None else join_short(choice.names)

    def why_missing(self, role: str) -> str:
        """Return why a document has no value for a role: the field does not exist, or it is empty.

        Parameters
        ----------
        role : str
            Such as "id" or "text".

        Returns
        -------
        str
            The reason.
        """
        found = join_short(self._names_found)
        choice = self._chosen.get(role if role in GUESSES else WORDS)
        if choice is not None and not set(choice.names) & set(self._names_found):
            return f"there is no such field (the fields are {found})"
        suggested = {role for layout in self._candidates.values() for role, _, _ in layout}
        if choice is None and WORDS not in suggested:
            return (
                f"no field has a known name for words (the fields are {found}); name one with text=, tokens= or counts="
            )
        return super().why_missing(role)

    def complaint(self) -> str:
        """Return which given field no document has, or that no field holds words; "" if nothing is wrong.

        Returns
        -------
        str
            The problem.
        """
        found = self._names_found
        named = [(role, choice.names) for role, choice in self._chosen.items()]
        for role, names in [*named, ("metadata", self.metadata_fields)]:
            for name in names:
                if found and name not in found:
                    listed = join_short(found)
                    return f"no document has the field {shown(name)}, given for {role}; the fields are {listed}"
        if not found or WORDS in self._chosen:
            return ""
        why = self.why_missing(WORDS)
        return why if why != super().why_missing(WORDS) else f"no row has a text (the fields are {join_short(found)})"
