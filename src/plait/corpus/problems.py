"""Problems in the input of a corpus: the error that is raised, and the count of what was skipped instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plait._utils.text import printable
from plait.errors import PlaitError

EXAMPLES_KEPT = 3
WRONG_ENCODING = "wrong encoding"
ENCODING_HINT = "the encoding may be cp1252 or another: give encoding= or --encoding"


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
        rest = ", …" if self.count > len(self.examples) else ""
        hint = f"; {ENCODING_HINT}" if self.name == WRONG_ENCODING else ""
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

    def lines(self) -> list[str]:
        """Return one line per kind, the most frequent kind first.

        Returns
        -------
        list of str
            The lines.
        """
        return [str(kind) for kind in sorted(self.kinds, key=lambda kind: -kind.count)]

    def __str__(self) -> str:
        return "\n".join(self.lines()) or "nothing was skipped"


class Problems:
    """Collects the problems of one reading: raises at the first one, or counts them all.

    Parameters
    ----------
    on_error : {"raise", "skip"}, default "raise"
        Whether a problem raises an error or is counted.
    """

    def __init__(self, on_error: str = "raise") -> None:
        if on_error not in ("raise", "skip"):
            raise CorpusError(f'on_error is {on_error!r}; it must be "raise" or "skip"', parameter="on_error")
        self.on_error = on_error
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}

    def report(
        self, kind: str, place: str, message: str, *, field: str = "", fix: str = "correct it", count: int = 1
    ) -> None:
        """Raise a `CorpusError`, or count the problem if `on_error` is "skip".

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
        """
        if self.on_error == "skip":
            self.note(kind, place, count=count)
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

    def clear(self) -> None:
        """Reset the counts."""
        self._counts.clear()
        self._examples.clear()

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
