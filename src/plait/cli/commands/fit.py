"""`plait fit`: learn the topics of a corpus and save the model, finished or stopped half-way."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.commands.topics import topic_meanings, topics_table
from plait.cli.errors import STOPPED
from plait.cli.io.outputs import check_output
from plait.cli.options.building import build_model, go_on_with, options_given, settings_of
from plait.cli.options.model_options import (
    TIME_PANEL,
    InfluenceOptions,
    LabelOptions,
    LinkOptions,
    ModelOptions,
    PredictionOptions,
    TimeOptions,
)
from plait.cli.options.models import (
    COMBINED,
    ONLINE,
    ModelName,
    UseNames,
    asked_targets,
    follows_links,
    load_model,
    targets_of,
)
from plait.cli.options.reading import (
    CorpusPath,
    HeldOut,
    Part,
    Reading,
    Vocabulary,
    WordSource,
    date_option,
    read,
    read_line,
    skipped_line,
)
from plait.cli.options.spreading import spread
from plait.cli.options.used_responses import Target
from plait.cli.show.influential import influence_line, influence_lines
from plait.cli.show.links import check_links, learnt_lines, link_line
from plait.cli.show.screen import listed
from plait.cli.show.targets import check_labels, label_line, values, without_rare_labels
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus
    from plait.models import TopicEstimator

_UNITS = ("day", "week", "month", "year")


def _numbers(text: str) -> list[int]:
    """Read numbers of topics such as "10,20,50"."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers such as 10,20,50") from None
    if min(numbers) < 1:
        raise typer.BadParameter(f"{min(numbers)} is not a number of topics")
    return numbers


def _share(value: float | None) -> float | None:
    """Refuse a share that would leave nothing out, or nothing over."""
    if value is not None and not 0 < value < 1:
        raise typer.BadParameter(f"{value} is not a share of the documents between 0 and 1, such as 0.2")
    return value


@dataclass(frozen=True)
class Saving:
    """Where the model goes, and what happens to one that is there already."""

    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="MODEL.plait", help="File for the model.", show_default=False),
    ]
    force: Annotated[bool, typer.Option("--force", help="Overwrite the model file if it exists.")] = False
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished model in the file, on the same corpus.")
    ] = False
    checkpoint_every: Annotated[
        int | None,
        typer.Option(
            "--checkpoint-every",
            metavar="SWEEPS",
            min=1,
            help="Save the unfinished model every so many sweeps, so that a killed fit can be resumed.",
            show_default="never",
        ),
    ] = None

    def checkpoints(self, target: Path) -> dict[str, Any]:
        """Return the same for `fit` and `resume` of a model."""
        if self.checkpoint_every is None:
            return {}
        return {"checkpoint": target, "checkpoint_every": self.checkpoint_every}


def _by(text: str) -> str | int:
    """Read how slices are cut."""
    if text in _UNITS:
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise typer.BadParameter(f"{text!r} is none of {', '.join(_UNITS)}, or a number of slices")


@dataclass(frozen=True)
class CutTimes:
    """How a collection is cut into slices of time, for a model that follows topics through them."""

    by: Annotated[
        Any,
        typer.Option(
            "--by",
            parser=_by,
            metavar=f"{'|'.join(_UNITS)}|NUMBER",
            help=f"With --model {ONLINE}: a slice is a day … of the documents' dates; or so many slices with as many "
            "documents each.",
            show_default=False,
            rich_help_panel=TIME_PANEL,
        ),
    ] = None
    ahead: Annotated[
        bool,
        typer.Option(
            "--ahead",
            help=f"With --model {ONLINE}: predict the words of each slice before it is learnt, for plait trends.",
            rich_help_panel=TIME_PANEL,
        ),
    ] = False
    date_field: Annotated[str | None, date_option()] = None

    def check(self, model: str) -> None:
        """Refuse what says nothing to a model, or leaves it without slices."""
        if model != ONLINE and (self.by is not None or self.ahead):
            raise typer.BadParameter(f"{'--ahead' if self.ahead else '--by'} is for --model {ONLINE}")
        if model == ONLINE and self.by is None:
            raise typer.BadParameter(f"--model {ONLINE} follows topics through slices of time; say which: --by month")

    def keywords(self, on_error: str) -> dict[str, Any]:
        """Return the same for `fit` and `resume` of a model; nothing for one that takes all documents at once."""
        return {} if self.by is None else {"times": self.by, "ahead": self.ahead, "on_error": on_error}


@spread
def fit(
    context: typer.Context,
    path: CorpusPath,
    saving: Saving,
    *,
    model: ModelName = "lda",
    use: UseNames = None,
    options: ModelOptions,
    predictions: PredictionOptions,
    labels: LabelOptions,
    links: LinkOptions,
    influence: InfluenceOptions,
    stream: TimeOptions,
    times: CutTimes,
    source: WordSource,
    vocabulary: Vocabulary,
    part: Part,
    hold_out: Annotated[
        float | None,
        typer.Option(
            "--hold-out",
            metavar="SHARE",
            callback=_share,
            help="Leave this share of the documents out, drawn by --seed, for plait evaluate --new to measure on.",
            show_default=False,
        ),
    ] = None,
    choose_topics: Annotated[
        Any,
        typer.Option(
            "--choose-topics",
            parser=_numbers,
            metavar="10,20,50",
            help="Try these numbers of topics and take the best one.",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but what was skipped and what went wrong.")
    ] = False,
) -> None:
    """Fit a topic model to a corpus and save it.

    Ctrl-C stops after the sweep at hand: the model is saved, can be used, and goes on with --resume; the exit
    code is then 130. Bad things in the corpus are left out, counted and reported; --strict makes them errors.
    """
    given = options_given(context)
    targets = asked_targets(model, use)
    _check_together(saving, options, model, targets, choose_topics)
    place = check_output(
        saving.output,
        overwrite=saving.force or saving.resume,
        way_out="--force to overwrite it, --resume to go on with it",
    )
    times.check(model)
    groups = (predictions, labels, links, influence, stream)
    estimator = build_model(model, targets, options, *groups, verbose=not quiet)
    if saving.resume:
        estimator = _unfinished(saving.output, estimator, given)
    held_out = None if hold_out is None else HeldOut(hold_out, options.seed)
    reading = read(
        path, source, vocabulary, part, held_out, label=labels.label_field, links=links.links, date=times.date_field
    )
    _say_what_was_read(path, reading, quiet)
    corpus = reading.corpus
    if model == ONLINE:
        _say_how_many_have_times(corpus, path, quiet)
    if labels.min_label_documents is not None:
        corpus = _without_rare_labels(corpus, labels.min_label_documents, quiet)
    for target in targets:
        line = _what_is_there(corpus, target, estimator, path)
        if not quiet:
            print(line, flush=True)
    # Labels and links are in the corpus itself.
    learnt = {"values" if model == COMBINED else "y": values(corpus)} if Target.values in targets else {}
    learnt |= times.keywords("raise" if source.strict else "skip")
    if choose_topics is not None:
        chosen = _choose(corpus, choose_topics, estimator, quiet)
        options = replace(options, topics=chosen)
        estimator = build_model(model, targets, options, *groups, verbose=not quiet)
    seconds = _run(estimator, corpus, learnt, saving, place)
    from plait.store import save

    save(estimator, place)
    if not quiet:
        _say_what_was_learnt(estimator, seconds)
        print(f"saved {saving.output}")
    if estimator.interrupted_:
        print(
            f"stopped after sweep {estimator.n_sweeps_}: the model in {saving.output} can be used; "
            "the same command with --resume goes on",
            file=sys.stderr,
        )
        raise typer.Exit(STOPPED)


def _check_together(
    saving: Saving, options: ModelOptions, model: str, targets: list[Target], choose_topics: list[int] | None
) -> None:
    """Refuse options that contradict each other."""
    if saving.resume and saving.force:
        raise typer.BadParameter("--force starts anew and --resume goes on; give one of them")
    if choose_topics is None:
        return
    if saving.resume:
        raise typer.BadParameter("--choose-topics is for a new fit; leave it out with --resume")
    if options.topics is not None:
        raise typer.BadParameter("--choose-topics finds the number of topics; leave --topics out")
    if model == ONLINE:
        raise typer.BadParameter(
            f"--choose-topics compares fits to all documents at once; with --model {model} give --topics"
        )
    predicted = [target for target in targets if target is not Target.influence]
    if predicted:
        raise typer.BadParameter(
            f"--choose-topics compares how well words are predicted, which says little about {predicted[0]}; "
            f"with --model {model} give --topics"
        )


def _unfinished(path: Path, asked: TopicEstimator, given: set[str]) -> TopicEstimator:
    """Load an unfinished model; options given now must say what they said when it began."""
    if not path.exists():
        raise PlaitError(f"{path} does not exist, so there is nothing to go on with; leave --resume out to begin")
    model = load_model(path)
    if type(model) is not type(asked):
        raise PlaitError(f"{path} holds a {type(model).__name__}; resume it with that --model")
    now, before = settings_of(asked), settings_of(model)
    if now.get("use") != before.get("use"):
        raise PlaitError(f"{path} was begun with --use {','.join(before['use'])}; resume it with that")
    go_on_with(model, asked, given, path, "leave it out to go on, or start anew with --force")
    return model


def _say_what_was_read(path: Path, reading: Reading, quiet: bool) -> None:
    if not quiet:
        print(read_line(path, reading), flush=True)
    elif reading.skipped:
        print(skipped_line(reading.skipped), file=sys.stderr)


def _say_how_many_have_times(corpus: Corpus, path: Path, quiet: bool) -> None:
    """Say how many documents have no date, and are therefore in no slice."""
    import numpy as np

    if corpus.times is None:
        raise PlaitError(f"no document of {path} has a date, so there are no slices; name its field with --date-field")
    missing = int(np.isnat(corpus.times).sum())
    if missing:
        print(
            f"left out {counted(missing, 'document')} without a date",
            file=sys.stderr if quiet else sys.stdout,
            flush=True,
        )


def _without_rare_labels(corpus: Corpus, least: int, quiet: bool) -> Corpus:
    """Return the documents without labels that few of them have; say which these are."""
    corpus, rare = without_rare_labels(corpus, least)
    if rare:
        what = "label" if len(rare) == 1 else "labels"
        print(
            f"left out {len(rare):,} {what} of fewer than {least} documents: {listed(rare)}",
            file=sys.stderr if quiet else sys.stdout,
            flush=True,
        )
    return corpus


def _what_is_there(corpus: Corpus, target: Target, estimator: TopicEstimator, path: Path) -> str:
    """Say in one line what there is to learn besides words; refuse a corpus that has nothing of it."""
    if target is Target.influence:
        check_links(corpus, path)
        return influence_line(corpus, estimator)
    if target is Target.links:
        check_links(corpus, path)
        return link_line(corpus)
    check_labels(corpus, target, path)
    return label_line(corpus, target)


def _choose(corpus: Corpus, candidates: list[int], estimator: TopicEstimator, quiet: bool) -> int:
    """Try several numbers of topics, show how they did, and return the best."""
    from plait.evaluation.choose import choose_n_topics

    choice = choose_n_topics(
        corpus, candidates, model=estimator, random_state=estimator.random_state, verbose=not quiet
    )
    if not quiet:
        print(choice.table(), flush=True)
    if not choice.complete:
        raise KeyboardInterrupt("not all numbers of topics were tried, and nothing was saved")
    return choice.best


def _run(estimator: TopicEstimator, corpus: Corpus, learnt: dict[str, Any], saving: Saving, target: Path) -> float:
    """Fit, or go on with a fit, until it is finished or stopped; return how many seconds it took."""
    began = time.perf_counter()
    work = estimator.resume if saving.resume else estimator.fit
    try:
        work(corpus, **learnt, **saving.checkpoints(target))
    except KeyboardInterrupt:
        # Not the first Ctrl-C, which the model answers itself, or one before its first sweep.
        kept = target.exists() and (saving.resume or saving.checkpoint_every is not None)
        raise KeyboardInterrupt(
            f"{saving.output} holds the model as it was last saved" if kept else "nothing was saved"
        ) from None
    return time.perf_counter() - began


def _say_what_was_learnt(estimator: TopicEstimator, seconds: float) -> None:
    state = "settled" if estimator.settled_ else "stopped" if estimator.interrupted_ else "all sweeps made"
    perplexity = f", perplexity {estimator.history_[-1].perplexity:,.1f}" if estimator.history_ else ""
    chains = f" in {estimator.n_chains} chains" if getattr(estimator, "n_chains", 1) > 1 else ""
    slices = f" of the last of {counted(len(learnt), 'slice')}" if (learnt := getattr(estimator, "slices_", [])) else ""
    sweeps = f"{estimator.n_sweeps_:,} sweeps{chains}{slices} ({state})"
    print(f"fitted {len(estimator.topic_word_)} topics: {sweeps}{perplexity}, {seconds:.1f} s")
    topics_table(estimator.topics(), topic_meanings(estimator)).show()
    if Target.links in targets_of(estimator):
        print("\n".join(learnt_lines(estimator)))
    if follows_links(estimator):
        print("\n".join(influence_lines(estimator)))
