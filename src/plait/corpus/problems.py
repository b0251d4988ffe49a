"""Problems in the input of a corpus: the error that is raised, and the count of what was skipped instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from plait._utils.text import printable
from plait.errors import PlaitError

EXAMPLES_KEPT = 3
WRONG_ENCODING = "wrong encoding"
ENCODING_HINT = "the encoding may be cp1252 or another: give encoding= or --encoding"
MAX_SKIPPED = 0.05  # share of the rows
EMPTY = "empty document"
SELF_LINK = "self link"
WARNED = {EMPTY: "document without a word", SELF_LINK: "link from a document to itself"}  # of on_error="warn"
_VALUES_KEPT = 200  # invalid values per role, to guess their format


class CorpusError(PlaitError):
    """Invalid input for a corpus. The message says what is wrong, where, and what to do.

    Names and values in the message come from files: characters that cannot be printed are escaped.

    Parameters
    ----------
    message : str
        The message.
    kind : str, default ""
        Kind of problem, such as ``"bad date"``.
    place : str, default ""
        Where it was found, such as ``"documents.jsonl.gz, line 812"``.
    field : str, default ""
        Name of the field, if it is known.
    parameter : str or None, default None
        Name of the parameter that the message is about.

    Examples
    --------
    >>> from plait import Corpus, CorpusError
    >>> try:
    ...     Corpus.from_texts(["river"], times=["n.d."])
    ... except CorpusError as error:
    ...     print(error.kind)
    bad date
    """

    def __init__(
        self, message: str, *, kind: str = "", place: str = "", field: str = "", parameter: str | None = None
    ) -> None:
        super().__init__(printable(message), parameter=parameter)
        self.kind = kind
        self.place = printable(place)
        self.field = printable(field)


class BadValueError(Exception):
    """A value that cannot be used. The caller knows the place and reports the problem.

    Parameters
    ----------
    kind : str
        Kind of problem, such as ``"bad date"``.
    message : str
        What is wrong with the value.
    field : str, default ""
        Name of the field, if it is known.
    parameter : str or None, default None
        Name of the parameter that the message is about.
    """

    def __init__(self, kind: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.field = field


@dataclass(frozen=True)
class SkippedKind:
    """One kind of skipped input.

    Parameters
    ----------
    name : str
        Kind of problem, such as ``"bad date"``.
    count : int
        How often it occurred.
    examples : tuple of str
        The first places where it occurred.
    """

    name: str
    count: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        return self.line()

    def line(self, hints: bool = True) -> str:
        """Return one line: number, kind, first places, and what to do about it.

        Parameters
        ----------
        hints : bool, default True
            Whether to say what to do.

        Returns
        -------
        str
            The line.
        """
        rest = ", …" if self.count > len(self.examples) else ""
        hint = f"; {ENCODING_HINT}" if hints and self.name == WRONG_ENCODING else ""
        return f"{self.count:,} × {self.name} ({'; '.join(self.examples)}{rest}){hint}"


@dataclass(frozen=True)
class Skipped:
    """What was skipped while a corpus was read, counted by kind. It is false if nothing was skipped.

    Parameters
    ----------
    kinds : tuple of SkippedKind, default ()
        The kinds in the order in which they were met.

    Examples
    --------
    >>> from plait.corpus import Corpus
    >>> corpus = Corpus.from_texts(["red green", ""], on_error="skip")
    >>> print(corpus.skipped)
    1 × empty document (texts, item 2)
    >>> corpus.skipped["empty document"], corpus.skipped["bad date"]
    (1, 0)
    """

    kinds: tuple[SkippedKind, ...] = ()

    @property
    def total(self) -> int:
        """Number of skipped things of all kinds."""
        return sum(kind.count for kind in self.kinds)

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def __iter__(self) -> Iterator[SkippedKind]:
        return iter(self.kinds)

    def __getitem__(self, name: str) -> int:
        return next((kind.count for kind in self.kinds if kind.name == name), 0)

    def __add__(self, other: Skipped) -> Skipped:
        both = Problems("skip")
        for kind in (*self.kinds, *other.kinds):
            both.note(kind.name, *kind.examples, count=kind.count)
        return both.skipped()

    def lines(self, hints: bool = True) -> list[str]:
        """Return one line per kind, the most frequent kind first.

        Parameters
        ----------
        hints : bool, default True
            Whether to say what to do.

        Returns
        -------
        list of str
            The lines.
        """
        return [kind.line(hints) for kind in sorted(self.kinds, key=lambda kind: -kind.count)]

    def __str__(self) -> str:
        return "\n".join(self.lines()) or "nothing was skipped"


class Problems:
    """Collects the problems of one reading: raises at the first one, or counts them all.

    Parameters
    ----------
    on_error : {"raise", "warn", "skip"}, default "raise"
        Whether a problem raises an error or is counted; "warn" counts documents without words and self-links, and
        raises for others.
    max_skipped : float, default 1.0
        Largest share of the rows that may be skipped, which `check_share` of the readers checks; 1.0 for any.
    """

    def __init__(self, on_error: str = "raise", max_skipped: float = 1.0) -> None:
        if on_error not in ("raise", "warn", "skip"):
            raise CorpusError(f'on_error is {on_error!r}; it must be "raise", "warn" or "skip"', parameter="on_error")
        if isinstance(max_skipped, bool) or not isinstance(max_skipped, int | float) or not 0 <= max_skipped <= 1:
            raise CorpusError(
                f"max_skipped is {max_skipped!r}; give a share of the rows from 0.0 to 1.0", parameter="max_skipped"
            )
        self.on_error = on_error
        self.max_skipped = float(max_skipped)
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}
        self._n_rows = 0
        self._lost: Counter[str] = Counter()
        self._values: dict[str, list[Any]] = {}

    def report(
        self,
        kind: str,
        place: str,
        message: str,
        *,
        field: str = "",
        fix: str = "correct it",
        count: int = 1,
        lost: str = "row",
    ) -> None:
        """Raise a `CorpusError`, or count the problem if `on_error` allows it.

        Parameters
        ----------
        kind : str
            Kind of problem.
        place : str
            Where it was found.
        message : str
            What is wrong.
        field : str, default ""
            Name of the field.
        fix : str, default "correct it"
            What the user can do. The way out of a wrong encoding is always the same.
        count : int, default 1
            How many rows are skipped.
        lost : str, default "row"
            What is skipped: "row" for a row that `add_row` did not count, "document" for one that it did, the role of
            a value such as "date", or "" for what has no limit.
        """
        if self.on_error == "skip" or (self.on_error == "warn" and kind in WARNED):
            self.note(kind, place, count=count)
            self._lost[lost] += count
            self._n_rows += count if lost == "row" else 0
            return
        if kind == WRONG_ENCODING:
            fix = "re-encode it, give encoding="
        where = f'{place}, field "{field}"' if field else place
        raise CorpusError(
            f'{where}: {message}; {fix} or pass on_error="skip"',
            kind=kind,
            place=place,
            field=field,
            parameter="encoding" if kind == WRONG_ENCODING else "on_error",
        )

    def note(self, kind: str, *places: str, count: int = 1) -> None:
        """Count something that is skipped without an error, and keep the first places.

        Parameters
        ----------
        kind : str
            Kind of problem.
        *places : str
            Where it was found.
        count : int, default 1
            How often it occurred.
        """
        self._counts[kind] = self._counts.get(kind, 0) + count
        kept = self._examples.setdefault(kind, [])
        kept.extend(map(printable, places[: EXAMPLES_KEPT - len(kept)]))

    def add_row(self) -> None:
        """Count a row of the input, whether it can be used or not."""
        self._n_rows += 1

    def keep_value(self, role: str, value: object) -> None:
        """Keep an invalid value, to guess its format.

        Parameters
        ----------
        role : str
            Role of its field, such as "date".
        value : object
            The value.
        """
        kept = self._values.setdefault(role, [])
        if len(kept) < _VALUES_KEPT:
            kept.append(value)

    def values(self, role: str) -> list[Any]:
        """Return the first invalid values of a role.

        Parameters
        ----------
        role : str
            Such as "date".

        Returns
        -------
        list
            The values.
        """
        return list(self._values.get(role, ()))

    def take_losses(self) -> tuple[int, dict[str, int]]:
        """Return the number of rows and what was lost since the last call, and start again.

        Returns
        -------
        int
            Number of rows.
        dict of str to int
            Number of rows that were skipped (""), and of values that were skipped, by their role.
        """
        n_rows, lost = self._n_rows, self._lost
        self._n_rows, self._lost = 0, Counter()
        values = {role: number for role, number in lost.items() if role not in ("", "row", "document")}
        return n_rows, {"": lost["row"] + lost["document"], **values}

    def clear(self) -> None:
        """Reset the counts."""
        self._counts.clear()
        self._examples.clear()
        self._values.clear()
        self.take_losses()

    def skipped(self) -> Skipped:
        """Return the counts so far.

        Returns
        -------
        Skipped
            The counts.
        """
        return Skipped(
            tuple(SkippedKind(name, count, tuple(self._examples[name])) for name, count in self._counts.items())
        )
