"""What can be wrong with a corpus: the error that is raised, and the tally of what was skipped instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plait.errors import PlaitError

EXAMPLES_KEPT = 3


class CorpusError(PlaitError):
    """A corpus that cannot be made as asked: the message names the place, the field and the way out.

    Parameters
    ----------
    message : str
        The whole message.
    kind : str
        Short name of what is wrong, such as ``"bad date"``.
    place : str
        Where it is, such as ``"documents.jsonl.gz, line 812"``.
    field : str
        The field it is in, or ``""``.
    parameter : str, optional
        Name of the parameter that the message is about.
    """

    def __init__(
        self, message: str, *, kind: str = "", place: str = "", field: str = "", parameter: str | None = None
    ) -> None:
        super().__init__(message, parameter=parameter)
        self.kind = kind
        self.place = place
        self.field = field


class BadValueError(Exception):
    """A value that cannot be used; whoever knows its place turns it into a problem."""

    def __init__(self, kind: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.field = field


@dataclass(frozen=True)
class SkippedKind:
    """One kind of thing that was left out: its name, how many, and where the first ones were."""

    name: str
    count: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        rest = ", …" if self.count > len(self.examples) else ""
        return f"{self.count:,} × {self.name} ({'; '.join(self.examples)}{rest})"


@dataclass(frozen=True)
class Skipped:
    """What was left out of a corpus, counted by kind, with the first places of each; false when nothing was.

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
        """How many things were left out, of all kinds."""
        return sum(kind.count for kind in self.kinds)

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def __iter__(self) -> Iterator[SkippedKind]:
        return iter(self.kinds)

    def __getitem__(self, name: str) -> int:
        return next((kind.count for kind in self.kinds if kind.name == name), 0)

    def __add__(self, other: Skipped) -> Skipped:
        tally = Problems("skip")
        for kind in (*self.kinds, *other.kinds):
            tally.note(kind.name, *kind.examples, count=kind.count)
        return tally.skipped()

    def lines(self) -> list[str]:
        """One line a kind, most frequent first."""
        return [str(kind) for kind in sorted(self.kinds, key=lambda kind: -kind.count)]

    def __str__(self) -> str:
        return "\n".join(self.lines()) or "nothing was skipped"


class Problems:
    """Meets every problem of one reading: raises at the first, or counts them all.

    Parameters
    ----------
    on_error : {"raise", "skip"}
        What to do.
    """

    def __init__(self, on_error: str = "raise") -> None:
        if on_error not in ("raise", "skip"):
            raise CorpusError(f'on_error is {on_error!r}; it must be "raise" or "skip"', parameter="on_error")
        self.on_error = on_error
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[str]] = {}

    def report(self, kind: str, place: str, message: str, *, field: str = "", fix: str = "correct it") -> None:
        """Raise a `CorpusError` about one thing, or count it when problems are skipped."""
        if self.on_error == "skip":
            self.note(kind, place)
            return
        where = f'{place}, field "{field}"' if field else place
        raise CorpusError(
            f'{where}: {message}; {fix} or pass on_error="skip"',
            kind=kind,
            place=place,
            field=field,
            parameter="encoding" if kind == "wrong encoding" else "on_error",
        )

    def note(self, kind: str, *places: str, count: int = 1) -> None:
        """Count something that is left out on purpose, and keep the first places."""
        self._counts[kind] = self._counts.get(kind, 0) + count
        kept = self._examples.setdefault(kind, [])
        kept.extend(places[: EXAMPLES_KEPT - len(kept)])

    def clear(self) -> None:
        """Forget the tally so far."""
        self._counts.clear()
        self._examples.clear()

    def skipped(self) -> Skipped:
        """The tally so far."""
        return Skipped(
            tuple(SkippedKind(name, count, tuple(self._examples[name])) for name, count in self._counts.items())
        )
