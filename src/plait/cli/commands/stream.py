"""`plait stream`: learn a stream of documents slice by slice, from files, a watched folder or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.locking import lock_for_writing
from plait._utils.text import cut as cut_text
from plait._utils.wording import counted, join_names
from plait.cli.io.outputs import check_output
from plait.cli.io.reading import describe_skipped
from plait.cli.options.building import build_model, options_given, prepare_to_continue
from plait.cli.options.groups import expand_groups
from plait.cli.options.model_options import ModelOptions
from plait.cli.options.models import ONLINE
from plait.cli.options.reading import TitleField, WordSource, date_option
from plait.cli.options.text_options import Vocabulary
from plait.cli.options.time_options import UNITS, TimeOptions
from plait.cli.show.screen import print_text

if TYPE_CHECKING:
    from plait.streaming import LearnedSlice, Stream

_INPUT = Path("-")
_PANEL = "Slices"
_TITLE = 60  # characters
_MAX_EMERGING = 5  # topics per slice


class Late(StrEnum):
    """What happens to a document from before the current slice."""

    stop = "stop"
    skip = "skip"
    join_ = "join"


def _parse_by(text: str) -> str:
    """Return the calendar unit, "file", or the number of documents."""
    if text in (*UNITS, "file") or (text.isdecimal() and int(text) > 0):
        return text
    raise typer.BadParameter(f"{text!r} is none of {', '.join(UNITS)}, file, or a number of documents")


@dataclass(frozen=True)
class CutOptions:
    """Where slices end, and what happens to documents at their ends."""

    by: Annotated[
        Any,
        typer.Option(
            "--by",
            parser=_parse_by,
            metavar="UNIT|NUMBER|file",
            help="Slice: day, week, month or year of the dates, a number of documents, or a file. Required for "
            "standard input.",
            show_default="as before; file for a new model",
            rich_help_panel=_PANEL,
        ),
    ] = None
    final: Annotated[
        bool,
        typer.Option(
            "--final",
            help="Learn the last slice, too. Otherwise its documents must be given again, with those that follow.",
            rich_help_panel=_PANEL,
        ),
    ] = False
    late: Annotated[
        Late,
        typer.Option(
            "--late",
            help="A document from before the current slice: error (stop), skip and count it (skip), or learn it now "
            "(join).",
            rich_help_panel=_PANEL,
        ),
    ] = Late.stop
    date_field: Annotated[str | None, date_option()] = None
    title_field: TitleField = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of `StreamReading`."""
        return {"date_field": self.date_field, "title_field": self.title_field}


@dataclass(frozen=True)
class SourceOptions:
    """How documents arrive."""

    watch: Annotated[bool, typer.Option("--watch", help="Wait for files in the folder SOURCE.")] = False
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", min=0.01, help="With --watch: time between two looks.")
    ] = 2.0
    continue_input: Annotated[
        bool,
        typer.Option(
            "--continue-input",
            help="Standard input starts with the first document that was not learned.",
        ),
    ] = False
    drop_waiting: Annotated[
        bool,
        typer.Option(
            "--drop-waiting",
            help="Continue without files whose last documents wait for the end of their slice.",
        ),
    ] = False


@expand_groups
def stream(
    context: typer.Context,
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="Model file: created, or continued if it exists.", show_default=False),
    ],
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE",
            help="Files and corpus folders in order, a folder of files (ordered by name), or - for JSON lines from "
            "standard input.",
            show_default=False,
        ),
    ],
    cut: CutOptions,
    sources: SourceOptions,
    options: ModelOptions,
    times: TimeOptions,
    source: WordSource,
    vocabulary: Vocabulary,
    ahead: Annotated[
        bool, typer.Option("--ahead", help="Measure the perplexity of each slice before it is learned.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what was skipped, and errors.")] = False,
) -> None:
    """Learn a stream of documents slice by slice.

    Creates MODEL, or continues it if it exists. The model is saved after each slice. If the command is killed, the same
    command continues with the next slice: nothing is lost or learned twice. Files may grow and new files may follow;
    documents learned before must not change. Standard input is piped again from its start, or with --continue-input
    from the first document that was not learned.

    The options of the model and of reading are kept in the file and cannot change. Limits such as --min-df apply to
    each slice. Invalid documents are skipped and counted; --strict makes them errors.
    """
    from plait.streaming import Stream, StreamReading, load_stream

    given = options_given(context)
    _check_together(paths, sources, given)
    inputs = [*(one for one in paths if one != _INPUT), *vocabulary.input_files(), options.prior, options.seeds]
    place = check_output(model, overwrite=True, inputs=inputs)
    context.with_resource(lock_for_writing(place))
    requested = build_model(ONLINE, [], options, times, verbose=not quiet)
    estimator: Any = requested
    read_options = {**asdict(source), **vocabulary.stream_settings(), **cut.fields()}
    del read_options["strict"], read_options["allow_skips"]  # may differ from run to run
    reading = StreamReading(**read_options)
    if place.exists():
        estimator = load_stream(place)
        prepare_to_continue(
            estimator, requested, given, model, "leave it out to continue, or name another file to start over"
        )
        if getattr(estimator, "consumed_", None) is not None:
            named = vocabulary.stream_names(given)
            changed = {name: value for name, value in read_options.items() if name in named}
            reading = replace(StreamReading.from_record(estimator.consumed_), **changed)
    run = Stream(
        estimator,
        place,
        by=cut.by,
        reading=reading,
        late=cut.late.value,
        final=cut.final,
        ahead=ahead,
        on_error=source.on_error,
        max_skipped=source.max_skipped,
        drop_waiting=sources.drop_waiting,
    )
    try:
        for learned in _learn(run, paths, sources, quiet):
            _print_slice(run, learned, quiet)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_describe_saved(run, model)) from None
    _print_end(run, model, quiet)


def _check_together(paths: list[Path], sources: SourceOptions, given: set[str]) -> None:
    """Raise an error if options contradict each other."""
    if "every" in given and not sources.watch:
        raise typer.BadParameter("--every is the interval of --watch; give both")
    if (_INPUT in paths or sources.watch) and len(paths) > 1:
        raise typer.BadParameter("give standard input, or the folder of --watch, as the only source")
    if _INPUT in paths and sources.watch:
        raise typer.BadParameter("--watch is for a folder")
    if sources.continue_input and _INPUT not in paths:
        raise typer.BadParameter("--continue-input is for standard input, -")


def _learn(run: Stream, paths: list[Path], sources: SourceOptions, quiet: bool) -> Iterator[LearnedSlice]:
    def print_waiting() -> None:
        if not quiet:
            print_text(f"waiting for files in {paths[0]}; Ctrl-C stops", flush=True)

    if _INPUT in paths:
        return run.learn_input(continued=sources.continue_input)
    if sources.watch:
        return run.learn_folder(paths[0], every=sources.every, on_idle=print_waiting)
    return run.learn_files(paths)


def _print_slice(run: Stream, learned: LearnedSlice, quiet: bool) -> None:
    skipped = describe_skipped(learned.skipped) if learned.skipped else ""
    if quiet:
        if skipped:
            print_text(skipped, file=sys.stderr)
        return
    if learned.record is None:
        print_text(f"{learned.label or 'a slice'}: no document can be used; {skipped}", flush=True)
        return
    found = [
        counted(learned.record.n_documents, "document"),
        f"{learned.record.n_tokens:,.0f} tokens",
        counted(learned.record.n_new_words, "new word"),
    ]
    if learned.record.perplexity is not None:
        found.append(f"perplexity ahead {learned.record.perplexity:,.1f}")
    empty = f" (after {counted(learned.n_empty, 'empty slice')})" if learned.n_empty else ""
    end = f", {learned.seconds:.1f} s{skipped and '; ' + skipped}"
    print_text(f"{learned.label}{empty}: {', '.join(found)}{end}", flush=True)
    if run.model.window:  # without a window, nothing is new relative to the past
        _print_emerging(run)


def _print_emerging(run: Stream) -> None:
    found = run.model.emerging()
    typical = run.model.typical_documents(1) if found and run.model.documents_.titles is not None else None
    for new in found[:_MAX_EMERGING]:
        name = f" {new.name}" if new.name else ""
        title = "" if typical is None else cut_text(typical[new.topic][0].name, _TITLE)
        example = f" (such as {title})" if title else ""
        words = join_names(new.words)
        print_text(f"  new in topic {new.topic}{name} ({new.share:.1%}): {words}{example}", flush=True)
    if len(found) > _MAX_EMERGING:
        print_text(f"  and new words in {counted(len(found) - _MAX_EMERGING, 'topic')} more", flush=True)


def _print_end(run: Stream, path: Path, quiet: bool) -> None:
    """Print what was skipped, what waits for the end of its slice, and the number of slices."""
    if run.skipped:
        print_text(describe_skipped(run.skipped), file=sys.stderr if quiet else sys.stdout)
    if quiet:
        return
    if run.waiting:
        print_text(
            f"not learned yet: {counted(run.n_waiting, 'document')} of a slice that may not have ended; give them "
            "again with those that follow, or --final to learn them now"
        )
    number = sum(not one.empty for one in getattr(run.model, "slices_", []))
    if run.n_learned:
        print_text(f"{counted(run.n_learned, 'new slice')}, {counted(number, 'slice')} in all; saved {path}")
    else:
        print_text(f"no new slice, {counted(number, 'slice')} in all")


def _describe_saved(run: Stream, path: Path) -> str:
    """Return one line about what is saved of an interrupted stream."""
    label = run.saved_label()
    if label is None:
        return "no slice was learned yet, so nothing was saved"
    return f"{path} holds all slices up to {label}; the same command continues with the next one"
