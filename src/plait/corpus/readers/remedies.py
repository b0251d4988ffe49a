"""Too much skipped input: the error that stops the reading, and the settings that would probably help."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plait._utils.text import printable
from plait.corpus.dates import guess_date_formats
from plait.corpus.problems import WRONG_ENCODING, CorpusError, Problems
from plait.corpus.readers.encodings import guess_encoding
from plait.corpus.readers.records import Source
from plait.corpus.values import shown


@dataclass(frozen=True)
class Remedy:
    """A setting that would probably solve a problem.

    Parameters
    ----------
    parameter : str
        Name of the parameter of `read_corpus`, such as ``"encoding"``.
    value : object, default None
        Its value; None if only the user knows it.
    reason : str, default ""
        Why it would help.

    Examples
    --------
    >>> str(Remedy("encoding", "cp1252", "the text seems to be cp1252"))
    'the text seems to be cp1252: give encoding="cp1252"'
    """

    parameter: str
    value: Any = None
    reason: str = ""

    def __str__(self) -> str:
        value = "" if self.value is None else shown(self.value)
        return f"{self.reason}: give {self.parameter}={value}" if self.reason else f"give {self.parameter}={value}"


class TooManySkippedError(CorpusError):
    """More of the input would be skipped than `max_skipped` allows.

    Parameters
    ----------
    problem : str
        What would be skipped, and where.
    remedies : sequence of Remedy
        Settings that would probably solve the problem, the most likely first.

    Attributes
    ----------
    problem : str
        As above.
    remedies : tuple of Remedy
        As above.
    """

    def __init__(self, problem: str, remedies: Sequence[Remedy]) -> None:
        ways = [*map(str, remedies), "max_skipped=1.0 continues without them"]
        super().__init__(f"{problem}; {'; '.join(ways)}", kind="too many skipped")
        self.problem = printable(problem)
        self.remedies = tuple(remedies)


def check_share(problems: Problems, source: Source, what: str = "rows", values: bool = True) -> None:
    """Raise a `TooManySkippedError` if too large a share of the rows was skipped since the last check.

    A row is skipped as a whole, or one value of it, such as the date.

    Parameters
    ----------
    problems : Problems
        The problems of the reading, with the limit.
    source : Source
        Where the rows come from.
    what : str, default "rows"
        What the rows are.
    values : bool, default True
        Whether skipped values have a limit, too.
    """
    n_rows, losses = problems.take_losses()
    if not values:
        losses = {"": losses[""]}
    role, number = max(losses.items(), key=lambda item: item[1])
    if number <= math.floor(problems.max_skipped * n_rows + 1e-9) or problems.max_skipped == 1:
        return
    lost = f"the {role} of {number:,}" if role else f"{number:,}"
    verb = "was" if role or number == 1 else "were"
    kinds = "; ".join(problems.skipped().lines(hints=False))
    raise TooManySkippedError(
        f"{source.name}: {lost} of {n_rows:,} {what} ({number / n_rows:.0%}; the limit is {problems.max_skipped:.0%}) "
        f"{verb} skipped: {kinds}",
        likely_remedies(problems, source),
    )


def likely_remedies(problems: Problems, source: Source) -> list[Remedy]:
    """Return the settings that would probably solve the problems of a reading, the most frequent problem first.

    Parameters
    ----------
    problems : Problems
        The problems.
    source : Source
        Where the rows come from.

    Returns
    -------
    list of Remedy
        The settings.
    """
    found: list[Remedy] = []
    for kind in sorted(problems.skipped(), key=lambda kind: -kind.count):
        if kind.name == WRONG_ENCODING:
            found.append(encoding_remedy(source))
        elif kind.name == "bad date":
            found += _date_remedies(problems.values("date"), source)
        elif kind.name in ("duplicate id", "missing id"):
            field = shown(source.field_name("id"))
            found.append(Remedy("id", reason=f"the field {field} is not an id of every document"))
        elif kind.name == "empty document":
            field = shown(source.field_name("text"))
            found.append(Remedy("text", reason=f"if the text is not in the field {field}"))
    return found


def encoding_remedy(source: Source) -> Remedy:
    """Return the encoding that a file seems to have.

    Parameters
    ----------
    source : Source
        The file.

    Returns
    -------
    Remedy
        Its value is None if the encoding cannot be guessed.
    """
    guess = None if source.path is None else guess_encoding(source.path)
    if guess in (None, "utf-8"):
        return Remedy("encoding", reason="the text has another encoding")
    return Remedy("encoding", guess, f"the text seems to be {guess}")


def name_encoding(error: CorpusError, source: Source) -> CorpusError:
    """Return an error about the encoding of a file with the encoding that the file seems to have.

    Parameters
    ----------
    error : CorpusError
        Any error.
    source : Source
        The file.

    Returns
    -------
    CorpusError
        The same error if it is about something else.
    """
    if error.kind != WRONG_ENCODING or (remedy := encoding_remedy(source)).value is None:
        return error
    return _with_remedy(error, remedy)


def name_date_format(error: CorpusError, problems: Problems, source: Source) -> CorpusError:
    """Return an error about a date with the format that the date seems to have.

    Parameters
    ----------
    error : CorpusError
        Any error.
    problems : Problems
        The problems, with the date.
    source : Source
        Where the rows come from.

    Returns
    -------
    CorpusError
        The same error if it is about something else, or if the format cannot be guessed.
    """
    if error.kind != "bad date":
        return error
    remedies = [remedy for remedy in _date_remedies(problems.values("date"), source) if remedy.value is not None]
    return _with_remedy(error, remedies[0]) if remedies else error


def _with_remedy(error: CorpusError, remedy: Remedy) -> CorpusError:
    return CorpusError(
        f"{error}; {remedy}", kind=error.kind, place=error.place, field=error.field, parameter=error.parameter
    )


def _date_remedies(values: list[Any], source: Source) -> list[Remedy]:
    texts = [value for value in values if isinstance(value, str)]
    formats = guess_date_formats(texts)
    if not formats:
        field = shown(source.field_name("date"))
        return [Remedy("date", reason=f"the field {field} has no dates such as 2024-05-31")]
    reason = f"dates such as {shown(texts[0])} seem to be {formats[0]}"
    if len(formats) > 1:
        reason += f" (or {formats[1]}, which reads all of them, too)"
    return [Remedy("date_format", formats[0], reason)]
