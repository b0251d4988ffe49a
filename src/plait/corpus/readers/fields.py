"""Which field of a table or JSON object plays which role: given by the caller, or guessed from its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from plait.corpus.problems import CorpusError, Problems
from plait.corpus.readers.records import Record, RestartError, Source, WordForm
from plait.corpus.values import is_missing, shown

WORDS = "words"
# Names in lower case, the likeliest first.
GUESSES: dict[str, tuple[str, ...]] = {
    "id": ("id", "doc_id", "document_id", "docid", "paper_id", "article_id", "uid", "key", "name"),
    "title": ("title", "headline", "subject", "heading"),
    "label": (
        "label",
        "labels",
        "class",
        "classes",
        "category",
        "categories",
        "topic",
        "topics",
        "tag",
        "tags",
    ),
    "date": ("date", "datetime", "time", "timestamp", "published", "publication_date", "created", "year"),
    "split": ("split", "set", "subset", "fold", "partition"),
}
# For words the form goes before the name: counts, then tokens, then text.
WORD_GUESSES: tuple[tuple[WordForm, str], ...] = (
    ("counts", "counts"),
    ("counts", "word_counts"),
    ("counts", "bag_of_words"),
    ("counts", "bow"),
    ("tokens", "tokens"),
    ("tokens", "words"),
    *(
        ("text", name)
        for name in (
            "text",
            "body",
            "content",
            "contents",
            "abstract",
            "full_text",
            "message",
            "document",
            "summary",
        )
    ),
)
_PLURALS = {"labels", "classes", "categories", "topics", "tags"}


@dataclass(frozen=True)
class FieldNames:
    """The field names a caller gave, None where they are to be guessed."""

    text: str | Sequence[str] | None = None
    tokens: str | None = None
    counts: str | None = None
    id: str | None = None
    title: str | None = None
    label: str | None = None
    date: str | None = None
    split: str | None = None

    def __post_init__(self) -> None:
        given = [form for form in ("text", "tokens", "counts") if getattr(self, form) is not None]
        if len(given) > 1:
            raise CorpusError(f"{' and '.join(given)} are both given; say where the words are with only one of them")
        if self.text is not None and not self.text:
            raise CorpusError("text names no field; give one or several, or leave it out to have it guessed")


class Row(NamedTuple):
    """One document of a table or of JSON lines, before its fields are understood; numbered from 1."""

    place: str
    number: int
    values: Mapping[str, Any]


class _Choice(NamedTuple):
    """The field or fields chosen for a role; a lower rank is a better guess, -1 was given by the caller."""

    rank: int
    names: tuple[str, ...]


class RowSource(Source):
    """Documents in rows with named fields.

    Parameters
    ----------
    name : str
        What messages call the source.
    rows : callable
        Starts reading and yields `Row`; called again when a better guess of the fields turns up.
    fields : FieldNames
        What the caller said about the fields.
    cells : bool
        Whether values are the text of table cells, so that one cell may hold several labels.
    vocabulary : sequence of str, optional
        The words of the columns where they are fixed beforehand.
    """

    def __init__(
        self,
        name: str,
        rows: Callable[[Problems], Iterator[Row]],
        fields: FieldNames,
        *,
        cells: bool = False,
        vocabulary: Sequence[str] | None = None,
    ) -> None:
        self.name = name
        self.vocabulary = vocabulary
        self._rows = rows
        self._cells = cells
        self._form: WordForm = "text"
        self._chosen: dict[str, _Choice] = {}
        self._candidates: dict[tuple[str, ...], list[tuple[str, int, str]]] = {}
        for role in GUESSES:
            if (name_given := getattr(fields, role)) is not None:
                self._chosen[role] = _Choice(-1, (name_given,))
        for form in ("text", "tokens", "counts"):
            if (given := getattr(fields, form)) is not None:
                self._chosen[WORDS] = _Choice(-1, (given,) if isinstance(given, str) else tuple(given))
                self._form = form

    def records(self, problems: Problems) -> Iterator[Record]:
        """The rows as records, with the fields chosen so far."""
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
        # A value that is not text goes on as it is: a mapping or a list, or something to complain about.
        texts = [value for value in found if isinstance(value, str)]
        if len(texts) == len(found):
            return "\n".join(texts)
        return next(value for value in found if not isinstance(value, str))

    def _improve(self, values: Mapping[str, Any], numbered: bool) -> bool:
        """Take up better guesses that this row carries; true when rows before it should have had them."""
        layout = tuple(values)
        if layout not in self._candidates:
            self._candidates[layout] = _candidates(layout)
        again = False
        for role, rank, name in self._candidates[layout]:
            current = self._chosen.get(role)
            if (current is not None and current.rank <= rank) or is_missing(values[name]):
                continue
            if role == WORDS and isinstance(values[name], int | float):
                continue  # a field called "words" with a number in it says how many there are
            self._chosen[role] = _Choice(rank, (name,))
            if role == WORDS:
                self._form = WORD_GUESSES[rank][0]
            # A first find is news only about ids: earlier rows had nothing else there either.
            again = again or current is not None or (role == "id" and numbered)
        return again

    @property
    def numbered(self) -> bool:
        """Whether no field looks like an id."""
        return "id" not in self._chosen

    @property
    def _names_found(self) -> list[str]:
        return list(dict.fromkeys(name for layout in self._candidates for name in layout))

    @property
    def label_separators(self) -> str:
        """Several labels stand in one cell when the field's name is a plural."""
        return ";|" if self._cells and self.field_name("label").lower() in _PLURALS else ""

    def field_name(self, role: str) -> str:
        """The name of the field chosen for a role."""
        choice = self._chosen.get(WORDS if role in ("text", "tokens", "counts") else role)
        return role if choice is None else ", ".join(choice.names)

    def why_missing(self, role: str) -> str:
        """Tell a field that is not there from one that is empty."""
        found = ", ".join(self._names_found)
        choice = self._chosen.get(role if role in GUESSES else WORDS)
        if choice is not None and not set(choice.names) & set(self._names_found):
            return f"there is no such field (there are {found})"
        suggested = {role for layout in self._candidates.values() for role, _, _ in layout}
        if choice is None and WORDS not in suggested:
            return f"no field looks like words (there are {found}), so name one with text=, tokens= or counts="
        return super().why_missing(role)

    def complaint(self) -> str:
        """Name given fields that no document had, or say that nothing looks like words."""
        found = self._names_found
        for role, choice in self._chosen.items():
            for name in choice.names:
                if found and name not in found:
                    listed = ", ".join(found)
                    return f"no document has the field {shown(name)}, given for {role}; the fields are {listed}"
        return self.why_missing(WORDS) if found and WORDS not in self._chosen else ""


def _candidates(layout: Sequence[str]) -> list[tuple[str, int, str]]:
    """Every (role, rank, field) that the names of these fields suggest."""
    by_name: dict[str, str] = {}
    for name in layout:
        by_name.setdefault(str(name).strip().lower(), name)
    found = [
        (role, rank, by_name[guess])
        for role, guesses in GUESSES.items()
        for rank, guess in enumerate(guesses)
        if guess in by_name
    ]
    found += [(WORDS, rank, by_name[guess]) for rank, (_, guess) in enumerate(WORD_GUESSES) if guess in by_name]
    return found
