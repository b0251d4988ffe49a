"""Errors on the command line: one line on standard error and exit code 1; Ctrl-C is exit code 130, SIGTERM 143."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from plait._utils.text import one_line, printable
from plait.cli.options.building import PARAMETERS
from plait.cli.show.screen import print_text
from plait.errors import PlaitError

USER_ERROR = 1
INTERRUPTED = 130
TERMINATED = 143
DEBUG = "PLAIT_DEBUG"

# Options that set the opposite of their parameter.
_LEAVE_OUT = ("strict",)
_ARGUMENTS = "plait.arguments"
_TERMINATED = "plait.terminated"
_SHOW_TRACEBACK = f"this should not happen, please report it; {DEBUG}=1 shows where"


@contextlib.contextmanager
def handle_termination(context: typer.Context) -> Iterator[None]:
    """Treat SIGTERM, which schedulers send before they take a machine away, as Ctrl-C with another exit code.

    Parameters
    ----------
    context : typer.Context
        Context of the command.

    Yields
    ------
    None
        While signals are handled.
    """

    def stop(signum: int, frame: Any) -> None:
        context.meta[_TERMINATED] = True
        signal.raise_signal(signal.SIGINT)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def stop_code(context: typer.Context) -> int:
    """Return the exit code of a command that was stopped: 143 after SIGTERM, 130 after Ctrl-C.

    Parameters
    ----------
    context : typer.Context
        Context of the command.

    Returns
    -------
    int
        The exit code.
    """
    return TERMINATED if context.meta.get(_TERMINATED) else INTERRUPTED


def describe_error(error: BaseException, command: Any = None, arguments: Sequence[str] = ()) -> str:
    """Return one line about an error, with the option of the command that the error is about.

    Parameters
    ----------
    error : BaseException
        The error. Anything but a PlaitError, OSError or MemoryError is unexpected.
    command : typer.core.TyperCommand, optional
        The command that raised it.
    arguments : sequence of str
        Arguments of the command line: of two options for one parameter, the one that was given is named.

    Returns
    -------
    str
        The line.

    Examples
    --------
    >>> describe_error(FileNotFoundError(2, "No such file or directory", "a.plait"))
    'a.plait: No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror:
        return one_line(f"{_path_of(error)}: {error.strerror}" if error.filename else error.strerror)
    if isinstance(error, MemoryError):
        return one_line(f"not enough memory ({error or 'no details'})")
    if not isinstance(error, (PlaitError, OSError)):
        return one_line(f"unexpected {type(error).__name__}: {error}") + f"; {_SHOW_TRACEBACK}"
    if hasattr(error, "remedies") and command is not None:
        return one_line(_with_options(error, command))
    parameter = error.parameter if isinstance(error, PlaitError) else None
    option = None if parameter is None or command is None else _option_for(parameter, command, arguments)
    return one_line(str(error) if option is None else f"{error} ({_hint(option)})")


def _with_options(error: Any, command: Any) -> str:
    """Return a problem of reading with the options that would probably solve it."""
    ways = []
    for remedy in error.remedies:
        option = _option_for(remedy.parameter, command, ())
        if option is not None:
            given = option.opts[0] if remedy.value is None else f"{option.opts[0]} {shlex.quote(str(remedy.value))}"
            ways.append(f"{remedy.reason}: {given}")
    return "; ".join([error.problem, *ways, "--allow-skips continues without them"])


def _option_for(parameter: str, command: Any, arguments: Sequence[str]) -> Any:
    """Return the option of a command that sets a parameter; None if there is none."""
    given = {argument.partition("=")[0] for argument in arguments}
    found = [
        option
        for option in command.params
        if option.param_type_name == "option" and PARAMETERS.get(option.name or "", option.name) == parameter
    ]
    found.sort(key=lambda option: not given & {*option.opts, *option.secondary_opts})
    return found[0] if found else None


def _hint(option: Any) -> str:
    return f"leave out {option.opts[0]}" if option.name in _LEAVE_OUT else f"option {option.opts[0]}"


def _path_of(error: OSError) -> str:
    return os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else str(error.filename)


def _print_warning(message: Warning | str, *_: Any) -> None:
    """Print a warning in one line, without its place in the source code."""
    print_text(f"warning: {one_line(str(message))}", file=sys.stderr)


def _is_of_typer(error: Exception) -> bool:
    """Return whether an exception is Typer's own: wrong usage, or the end of a command."""
    if isinstance(error, (typer.Exit, typer.Abort)):
        return True
    if not hasattr(error, "exit_code") or not hasattr(error, "format_message"):
        return False
    error.message = printable(str(getattr(error, "message", "")), keep="\n")  # type: ignore[attr-defined]
    return True


class PlaitGroup(TyperGroup):
    """The commands of plait. Every error ends in one line; with PLAIT_DEBUG set, a bug ends in a traceback."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Note the arguments of the requested command, for messages.

        Parameters
        ----------
        ctx : typer.Context
            Context of the command line.
        args : list of str
            Name of the command, and its arguments.

        Returns
        -------
        tuple
            Name, command and arguments.
        """
        ctx.meta[_ARGUMENTS] = args[1:]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the requested command.

        Parameters
        ----------
        ctx : typer.Context
            Context of the command line.

        Returns
        -------
        object
            The result of the command.
        """
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _print_warning  # type: ignore[assignment]
                return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of the pipe has closed it: Typer ends without a message
        except Exception as error:
            if _is_of_typer(error):
                raise
            if DEBUG in os.environ and not isinstance(error, (PlaitError, OSError, MemoryError)):
                raise
            command = self.commands.get(ctx.invoked_subcommand or "")
            line = describe_error(error, command, ctx.meta.get(_ARGUMENTS, ()))
            print_text(f"error: {line}", file=sys.stderr)
            raise typer.Exit(USER_ERROR) from None
        except KeyboardInterrupt as stop:
            print_text(one_line(": ".join(("stopped", *map(str, stop.args)))), file=sys.stderr)
            raise typer.Exit(stop_code(ctx)) from None
