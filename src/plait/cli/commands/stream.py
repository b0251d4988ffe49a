"""`plait stream`: a model that learns slice after slice from files, a watched folder or a pipe, and can be killed."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.io.outputs import check_output
from plait.cli.options.building import build_model, go_on_with, options_given
from plait.cli.options.model_options import ModelOptions, PastOptions, TimeOptions
from plait.cli.options.models import ONLINE, load_model, with_article
from plait.cli.options.reading import Vocabulary, WordSource, date_option, skipped_line
from plait.cli.options.spreading import spread
from plait.cli.show.screen import listed
from plait.cli.stream.late import Late
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.cli.stream.slices import Ready, Slices
    from plait.models.online import Consumed, OnlineLDA

_INPUT = Path("-")
_PANEL = "How the stream is cut"
_ANNOUNCED = 5  # topics that hold something new, of a slice
_UNITS = ("day", "week", "month", "year")


def _by(text: str) -> str:
    """Read how slices are cut."""
    if text in (*_UNITS, "file") or (text.isdecimal() and int(text) > 0):
        return text
    raise typer.BadParameter(f"{text!r} is none of {', '.join(_UNITS)}, file, or a number of documents")


@dataclass(frozen=True)
class Cutting:
    """Where slices end, and what happens at the ends."""

    by: Annotated[
        Any,
        typer.Option(
            "--by",
            parser=_by,
            metavar="day|week|month|year|NUMBER|file",
            help="A slice is a day … of the documents' dates, so many documents, or a file.",
            show_default="as before; file for a new model, but standard input must be told",
            rich_help_panel=_PANEL,
        ),
    ] = None
    final: Annotated[
        bool,
        typer.Option(
            "--final",
            help="Nothing more will come for the last slice: learn it, too. Without it, a last slice that may not "
            "have ended is left, and its documents are taken when they are given again with what follows.",
            rich_help_panel=_PANEL,
        ),
    ] = False
    late: Annotated[
        Late,
        typer.Option(
            "--late",
            help="A document from before the slice at hand is an error (stop), left out and counted (skip), or learnt "
            "with the present (join).",
            rich_help_panel=_PANEL,
        ),
    ] = Late.stop
    date_field: Annotated[str | None, date_option()] = None


@dataclass(frozen=True)
class Arriving:
    """How documents come in."""

    watch: Annotated[
        bool, typer.Option("--watch", help="Wait for files in the folder SOURCE, and take each when it is whole.")
    ] = False
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", min=0.01, help="With --watch: how often to look.")
    ] = 2.0
    continue_input: Annotated[
        bool,
        typer.Option(
            "--continue-input",
            help="Standard input begins with the first document that was not learnt, not with the first of all.",
        ),
    ] = False
    drop_waiting: Annotated[
        bool,
        typer.Option(
            "--drop-waiting",
            help="Go on without a file whose last documents were left waiting for the end of their slice.",
        ),
    ] = False


@spread
def stream(
    context: typer.Context,
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", help="The model's file: begun if it is not there, else gone on with.", show_default=False
        ),
    ],
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE",
            help="Files and corpus folders in their order, a folder of files (by name), or - for JSON lines from "
            "standard input.",
            show_default=False,
        ),
    ],
    cutting: Cutting,
    arriving: Arriving,
    options: ModelOptions,
    times: TimeOptions,
    past: PastOptions,
    source: WordSource,
    vocabulary: Vocabulary,
    ahead: Annotated[
        bool, typer.Option("--ahead", help="Predict the words of each slice before it is learnt: perplexity.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but what was skipped and what went wrong.")
    ] = False,
) -> None:
    """Learn from a stream of documents slice by slice, and go on where it was stopped.

    After each slice the model is saved, and with it, in the same file, what has been taken from which source. Killed
    at any moment and started again with the same command, it goes on with the next slice: nothing is lost or learnt
    twice, and the model has the same bits as if it never had been stopped. Files may grow and new ones may follow;
    of those that were taken the beginning must stay as it was. Standard input is piped again from its start
    (what was taken is checked and passed), or with --continue-input from the first document that was not learnt.

    Options of the model and of reading are kept in the file; later runs need not repeat them and cannot change them.
    Limits such as --min-df count the documents of a slice. Bad documents are left out, counted and reported; --strict
    makes them errors. Ctrl-C stops; the slice at hand is learnt anew by the next run.
    """
    given = options_given(context)
    if "every" in given and not arriving.watch:
        raise typer.BadParameter("--every says how often --watch looks; give both")
    place = check_output(model, overwrite=True)
    asked = build_model(ONLINE, [], options, times, past, verbose=not quiet)
    estimator: Any = asked
    if place.exists():
        estimator = _begun(model, asked, given)
    reading = _Reading(cutting, source, vocabulary)
    before: Consumed | None = getattr(estimator, "consumed_", None)
    if before is not None:
        reading = reading.as_before(before, given, model)
    elif reading.by is None:
        reading = replace(reading, cutting=replace(cutting, by=_default_by(paths)))
    consumed = reading.consumed() if before is None else before
    run = _Run(estimator, consumed, place, model, ahead, quiet)
    slices = _slices(run, reading, paths, arriving)
    try:
        for ready in slices:
            run.learn(ready, slices)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(run.kept()) from None
    run.end(slices)


def _begun(path: Path, asked: Any, given: set[str]) -> OnlineLDA:
    """Load the model of a stream that goes on."""
    from plait.models.online import OnlineLDA

    model = load_model(path)
    if not isinstance(model, OnlineLDA):
        raise PlaitError(f"{path} holds {with_article(model)}, which does not learn slice by slice; name another file")
    if model.interrupted_:
        raise PlaitError(f"{path} was stopped inside a slice; finish it with plait fit --resume first")
    go_on_with(model, asked, given, path, "leave it out to go on, or name another file to begin anew")
    return model


def _default_by(paths: list[Path]) -> str:
    if _INPUT in paths:
        raise PlaitError(
            "standard input has no files to cut by; say how: --by day, week, month or year, or a number of documents"
        )
    return "file"


@dataclass(frozen=True)
class _Reading:
    """How documents are read and cut: the same for all slices of a stream."""

    cutting: Cutting
    source: WordSource
    vocabulary: Vocabulary

    @property
    def by(self) -> str | None:
        by: str | None = self.cutting.by
        return by

    def kept(self) -> dict[str, Any]:
        """Return what the model's file keeps of it."""
        from hashlib import blake2b

        from plait.corpus.text.analyzers import load_stop_words

        options = {**asdict(self.source), **asdict(self.vocabulary), "date_field": self.cutting.date_field}
        del options["strict"]  # what is wrong with documents may be met in other ways later
        if self.vocabulary.stop_words not in ("auto", "english", "none"):
            words = "\n".join(sorted(load_stop_words(self.vocabulary.stop_words)))
            options["stop_words_digest"] = blake2b(words.encode(), digest_size=16).hexdigest()
        return options

    def consumed(self) -> Consumed:
        """Return the record of a stream that nothing was taken from yet."""
        from plait.models.online import Consumed

        assert self.by is not None
        return Consumed(self.by, self.kept())

    def as_before(self, before: Consumed, given: set[str], path: Path) -> _Reading:
        """Return the reading that the stream began with; options given now must say the same."""
        known = {name: value for name, value in before.reading.items() if name != "stop_words_digest"}
        now = self.kept() | {"by": self.by}
        for name, value in (known | {"by": before.by}).items():
            if name in given and now[name] != value:
                option = f"--{name.replace('_', '-')}"
                raise PlaitError(
                    f"{path} was begun with {option} {value}, not {now[name]}: all slices must be read alike; leave "
                    "it out to go on, or name another file to begin anew"
                )
        again = _Reading(
            replace(self.cutting, by=before.by, date_field=known["date_field"]),
            replace(self.source, **{name: known[name] for name in asdict(self.source) if name in known}),
            replace(self.vocabulary, **{name: known[name] for name in asdict(self.vocabulary)}),
        )
        if again.kept() != before.reading:
            raise PlaitError(
                f"the stop words in {again.vocabulary.stop_words} are others than when {path} was begun: all slices "
                "must be read alike; put them back, or name another file to begin anew"
            )
        return again


def _slices(run: _Run, reading: _Reading, paths: list[Path], arriving: Arriving) -> Slices:
    """Set up everything between the sources and the model."""
    import numpy as np

    from plait.cli.stream.arrivals import Arrivals
    from plait.cli.stream.cuts import make_cut
    from plait.cli.stream.places import file_places, input_place, watched_places
    from plait.cli.stream.slices import Slices
    from plait.corpus.problems import Problems
    from plait.corpus.readers.fields import FieldNames
    from plait.corpus.text.analyzers import TextOptions
    from plait.corpus.values import NO_TIME

    keywords = reading.source.keywords()
    names = {name: keywords[name] for name in ("text", "tokens", "counts", "id")}
    fields = FieldNames(**names, date=reading.cutting.date_field)
    encoding = reading.source.encoding
    if (_INPUT in paths or arriving.watch) and len(paths) > 1:
        raise typer.BadParameter("standard input, and a folder that is watched, stand alone")
    if _INPUT in paths:
        if reading.by == "file":
            _default_by(paths)
        if arriving.watch:
            raise typer.BadParameter("--watch is for a folder")
        places = iter([input_place(sys.stdin.buffer, fields, encoding)])
    elif arriving.watch:
        places = watched_places(paths[0], fields, encoding, arriving.every, lambda: run.say_waits(paths[0]))
    else:
        found = list(file_places(paths, fields, encoding))
        run.check_waiting({place.name for place in found}, arriving.drop_waiting)
        places = iter(found)
    if arriving.continue_input and _INPUT not in paths:
        raise typer.BadParameter("--continue-input is for standard input, -")
    ends = [one.ends for one in getattr(run.model, "slices_", []) if one.ends is not None]
    last = np.datetime64(max(ends), "s") if ends else NO_TIME
    arrivals = Arrivals(
        places,
        run.consumed.sources,
        run.consumed.waiting,
        Problems(keywords["on_error"]),
        goes_on=arriving.continue_input,
    )
    assert reading.by is not None
    return Slices(
        arrivals,
        make_cut(reading.by, last),
        TextOptions(**reading.vocabulary.keywords(), lowercase=keywords["lowercase"]),
        reading.source.fractional,
        reading.cutting.late,
        reading.cutting.final,
    )


@dataclass
class _Run:
    """A model at work on a stream: it learns what is ready, saves, and says so."""

    model: Any
    consumed: Consumed
    target: Path
    path: Path
    ahead: bool
    quiet: bool

    def __post_init__(self) -> None:
        self._learnt = 0
        self._saved = self.target.exists()

    def learn(self, ready: Ready, slices: Slices) -> None:
        """Learn a slice, and the empty ones before it; then save the model and what was taken in one step."""
        began = time.perf_counter()
        if ready.corpus is not None:
            in_order = slices.late is not Late.join_
            for label in ready.empty:
                self.model.partial_fit(ready.corpus.select([]), label=label)
            predicts = self.ahead and hasattr(self.model, "slices_")
            self.model.partial_fit(ready.corpus, label=ready.label, in_order=in_order, ahead=predicts)
            if self.model.interrupted_:
                raise KeyboardInterrupt
        self.consumed = replace(self.consumed, sources=ready.taken, waiting={})
        if ready.corpus is not None:
            self._save()
            self._learnt += 1
        slices.arrivals.learnt(ready.taken)
        self._say_what_was_learnt(ready, time.perf_counter() - began)

    def end(self, slices: Slices) -> None:
        """Note which documents wait for the end of their slice, and say where the stream stands."""
        waiting = slices.waiting
        skipped = slices.arrivals.problems.skipped()
        if skipped:
            print(skipped_line(skipped), file=sys.stderr if self.quiet else sys.stdout)
        if self._saved and waiting != self.consumed.waiting:
            self.consumed = replace(self.consumed, waiting=waiting)
            self._save()
        if self.quiet:
            return
        if waiting:
            print(
                f"not learnt yet: {counted(slices.n_waiting, 'document')} of a slice that may not have ended; give it "
                "again with what follows, or --final to learn it now"
            )
        number = sum(not one.empty for one in getattr(self.model, "slices_", []))
        if self._learnt:
            print(f"{counted(self._learnt, 'new slice')}, {counted(number, 'slice')} in all; saved {self.path}")
        else:
            print(f"no new slice, {counted(number, 'slice')} in all")

    def kept(self) -> str:
        """Say what is kept of a stream that was stopped."""
        if not self.target.exists():
            return "no slice was learnt yet, so nothing was saved"
        label = load_model(self.target).slices_[-1].label  # it may have been stopped right after a slice was saved
        return f"{self.path} holds everything up to {label}; the same command goes on with the next slice"

    def check_waiting(self, names: set[str], drop: bool) -> None:
        """Refuse to go on without the documents that wait for the end of their slice."""
        missing = {name: one for name, one in self.consumed.waiting.items() if name not in names}
        if missing and not drop:
            number = sum(one.documents for one in missing.values())
            raise PlaitError(
                f"{counted(number, 'document')} of {listed(missing)} were not learnt last time, as their slice had "
                "not ended; give these sources again, before the new ones, or go on without with --drop-waiting"
            )

    def say_waits(self, folder: Path) -> None:
        """Say that nothing is to be done."""
        if not self.quiet:
            print(f"waiting for files in {folder}; Ctrl-C stops", flush=True)

    def _save(self) -> None:
        from plait.store import save

        self.model.consumed_ = self.consumed
        save(self.model, self.target)
        self._saved = True

    def _say_what_was_learnt(self, ready: Ready, seconds: float) -> None:
        skipped = skipped_line(ready.skipped) if ready.skipped else ""
        if self.quiet:
            if skipped:
                print(skipped, file=sys.stderr)
            return
        if ready.corpus is None:
            print(f"{ready.label or 'a slice'}: no document can be used; {skipped}", flush=True)
            return
        one = self.model.slices_[-1]
        parts = [
            counted(one.n_documents, "document"),
            f"{one.n_tokens:,.0f} tokens",
            counted(one.n_new_words, "new word"),
        ]
        if one.perplexity is not None:
            parts.append(f"perplexity ahead {one.perplexity:,.1f}")
        empty = f" (after {counted(len(ready.empty), 'empty slice')})" if ready.empty else ""
        print(f"{one.label}{empty}: {', '.join(parts)}, {seconds:.1f} s{skipped and '; ' + skipped}", flush=True)
        if not self.model.window:  # slices are not connected, so nothing can be called new
            return
        found = self.model.emerging()
        for new in found[:_ANNOUNCED]:
            print(f"  new in topic {new.topic} ({new.share:.1%}): {listed(new.words)}", flush=True)
        if len(found) > _ANNOUNCED:
            print(f"  and something new in {counted(len(found) - _ANNOUNCED, 'topic')} more", flush=True)
