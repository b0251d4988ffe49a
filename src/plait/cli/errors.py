"""What scripts rely on: a user's mistake is one line on standard error and exit code 1, Ctrl-C is 130."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any

import typer
from typer.core import TyperGroup

from plait.errors import PlaitError

MISTAKE = 1
STOPPED = 130

# The library's messages name Python's parameters; people at a terminal know the options.
_IN_OPTIONS = (
    (r'\bpass on_error="skip"', "leave --strict out"),
    (r"\bgive the right encoding=", "give the right --encoding"),
    (r"\bgive encoding=", "give --encoding"),
    (r"\bname its field with split= when reading it", "name its field with --split-field"),
    (
        r"\bname one with text=, tokens= or counts=",
        "name one with --text-field, --tokens-field or --counts-field",
    ),
    (r"\bleave text=, id=, label= and the others out", "leave --text-field, --id-field, --label and the like out"),
    (
        r"\bleave these labels or documents out \(corpus\.select.*$",
        "leave such labels out with --min-label-documents 2",
    ),
    (r"\b(min_df|max_df)=", lambda match: f"--{match[1].replace('_', '-')} "),
    (r"\bsampler=", "--sampler "),
    (r"\bin_order=False to learn late documents", "--late join to learn late documents"),
    (r"^history_form\b", "--history"),
    (r"^(window|weights|decay|history|forget_after)\b", lambda match: f"--{match[1].replace('_', '-')}"),
    (r"\bname its field with date= when reading the corpus", "name its field with --date-field"),
    (
        r"^(n_topics|n_sweeps|n_samples|n_chains|n_shards|n_jobs|sample_every|tolerance|alpha|beta|top) must",
        lambda match: f"--{match[1].removeprefix('n_').replace('_', '-')} must",
    ),
    (r"^c, the cost of a (link's )?wrong value,", "--cost"),
    (r"^c_negative, the cost [\w' ]+,", "--negative-cost"),
    (r"\bnegatives_per_link\b", "--negatives"),
    (r"\b(negative_share|weights_every|fresh_negatives)\b", lambda match: f"--{match[1].replace('_', '-')}"),
    (r"^p, by which [\w' ]+ to give Σγ, must", "--openness must"),
    (r"^most_links must", "--most-links must"),
    (r"\bdirected=False", "--undirected"),
    (r"\bweights='diagonal'", "--weights diagonal"),
    (r"^(ell|nu|sigma), the [\w' ]+, must", lambda match: f"--{match[1]} must"),
    (r"^(min_df|max_df|max_words|encoding|stop_words) is", lambda match: f"--{match[1].replace('_', '-')} is"),
)


def in_options(message: str) -> str:
    """Put a message of the library in the words of the command line, on one line.

    Examples
    --------
    >>> in_options('a.csv, line 2: "x" is not an ISO date; correct it or pass on_error="skip"')
    'a.csv, line 2: "x" is not an ISO date; correct it or leave --strict out'
    """
    for pattern, replacement in _IN_OPTIONS:
        message = re.sub(pattern, replacement, message)
    return " ".join(message.split())


def describe(error: PlaitError | OSError | MemoryError) -> str:
    """Say in one line what went wrong.

    Examples
    --------
    >>> describe(FileNotFoundError(2, "No such file or directory", "a.plait"))
    'a.plait: No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError):
        return in_options(f"there is not enough memory for this ({error or 'no details'})")
    return in_options(str(error))


def _say_warning(message: Warning | str, *_: Any) -> None:
    """Print a warning in one line: people at a terminal do not care which line of the library it is from."""
    print(f"warning: {in_options(str(message))}", file=sys.stderr)


class PoliteGroup(TyperGroup):
    """The commands of plait; their users' mistakes end in one line, real bugs in a traceback."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command that was asked for."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _say_warning  # type: ignore[assignment]
                return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our pipe has left: Typer ends quietly
        except (PlaitError, OSError, MemoryError) as error:
            print(f"error: {describe(error)}", file=sys.stderr)
            raise typer.Exit(MISTAKE) from None
        except KeyboardInterrupt as stop:
            print(": ".join(("stopped", *map(str, stop.args))), file=sys.stderr)
            raise typer.Exit(STOPPED) from None
