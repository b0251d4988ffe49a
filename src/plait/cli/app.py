"""The application: the commands with their help texts, and the entry point `main`."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from inspect import cleandoc
from typing import Annotated, get_type_hints

import typer

from plait.cli.commands.demo import demo
from plait.cli.commands.edit import edit
from plait.cli.commands.evaluate import evaluate
from plait.cli.commands.find import find
from plait.cli.commands.fit import fit
from plait.cli.commands.influence import influence
from plait.cli.commands.inspect import inspect
from plait.cli.commands.knowledge import knowledge
from plait.cli.commands.links import links
from plait.cli.commands.predict import predict
from plait.cli.commands.prepare import prepare
from plait.cli.commands.report import report
from plait.cli.commands.serve import serve
from plait.cli.commands.similar import similar
from plait.cli.commands.stream import stream
from plait.cli.commands.topics import topics
from plait.cli.commands.transform import transform
from plait.cli.commands.trends import trends
from plait.cli.errors import PlaitGroup
from plait.cli.help import FoldedCommand, add_help_all

app = typer.Typer(cls=PlaitGroup, pretty_exceptions_show_locals=False)


def _help(command: Callable[..., None]) -> str:
    """Return the docstring of a command with the lines of each paragraph joined; the terminal wraps them."""
    paragraphs = cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _leave_reading_to_readers(command: Callable[..., None]) -> None:
    """Turn off Typer's check that a path can be read: readers raise an error of one line, with exit code 1."""
    for hint in get_type_hints(command, include_extras=True).values():
        for info in getattr(hint, "__metadata__", ()):
            if hasattr(info, "readable"):
                info.readable = False


COMMANDS = (
    inspect,
    prepare,
    fit,
    stream,
    topics,
    edit,
    trends,
    find,
    similar,
    report,
    serve,
    transform,
    predict,
    links,
    influence,
    knowledge,
    evaluate,
    demo,
)
MANY_OPTIONS = (inspect, prepare, fit, stream, knowledge, evaluate)
for command in COMMANDS:
    _leave_reading_to_readers(command)
    if command in MANY_OPTIONS:
        app.command(help=_help(command), cls=FoldedCommand)(add_help_all(command))
    else:
        app.command(help=_help(command))(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        from plait import __version__

        print(f"plait {__version__}")
        raise typer.Exit


def _plait(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Topic models of documents with words, labels, links and dates.

    Exit codes: 0 success; 1 an error, described in one line; 2 wrong usage; 130 stopped by Ctrl-C.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


app.callback(invoke_without_command=True, help=_help(_plait))(_plait)


def main() -> None:
    """Run the command line."""
    for screen in (sys.stdout, sys.stderr):
        # A word that the terminal cannot show must not end the command.
        if isinstance(screen, io.TextIOWrapper):
            screen.reconfigure(errors="backslashreplace")
    app(prog_name="plait")
