"""`plait fit`: fit a topic model to a corpus and save it, finished or interrupted."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.locking import lock_for_writing
from plait._utils.wording import counted, join_names
from plait.cli.errors import handle_termination, stop_code
from plait.cli.io.outputs import check_output
from plait.cli.io.reading import HeldOut, Reading, describe_fields, describe_reading, describe_skipped, read
from plait.cli.io.recalled import options_to_keep
from plait.cli.options.building import build_model, options_given, prepare_to_continue, settings_of
from plait.cli.options.executor_options import ExecutorOptions
from plait.cli.options.groups import expand_groups
from plait.cli.options.model_options import AUTO, RUN_PANEL, FitOptions
from plait.cli.options.models import (
    COMBINED,
    ONLINE,
    ModelName,
    UseNames,
    follows_links,
    load_model,
    requested_targets,
    targets_of,
)
from plait.cli.options.reading import CorpusPath, DocumentFields, SplitOptions, WordSource
from plait.cli.options.response_options import InfluenceOptions, LabelOptions, LinkOptions, PredictionOptions
from plait.cli.options.targets import Target
from plait.cli.options.text_options import Vocabulary
from plait.cli.options.time_options import SliceOptions, TimeOptions
from plait.cli.show.influence import influence_line, influence_lines
from plait.cli.show.labels import check_labels, label_line
from plait.cli.show.links import check_links, learned_lines, link_line
from plait.cli.show.screen import print_text
from plait.cli.show.text import language_line, limits_line
from plait.cli.show.topics import listed_topics, topic_targets, topics_table
from plait.errors import PlaitError

if TYPE_CHECKING:
    from plait.corpus import Corpus
    from plait.evaluation.choice import TopicChoice
    from plait.models import TopicEstimator


def _share(value: float | None) -> float | None:
    """Return a share of the documents; 0 and 1 are errors."""
    if value is not None and not 0 < value < 1:
        raise typer.BadParameter(f"{value} is not a share of the documents between 0 and 1, such as 0.2")
    return value


@dataclass(frozen=True)
class Saving:
    """The file of the model, and what happens to an existing one."""

    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="MODEL.plait", help="File for the model.", show_default=False),
    ]
    force: Annotated[bool, typer.Option("--force", help="Overwrite the model file if it exists.")] = False
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the unfinished model in the file, on the same corpus.")
    ] = False
    checkpoint_every: Annotated[
        int | None,
        typer.Option(
            "--checkpoint-every",
            metavar="SWEEPS",
            min=1,
            help="Sweeps per checkpoint, from which a killed fit can be resumed.",
            show_default="never",
            rich_help_panel=RUN_PANEL,
        ),
    ] = None

    def checkpoints(self, target: Path) -> dict[str, Any]:
        """Return the arguments of `fit` and `resume` of a model.

        Parameters
        ----------
        target : Path
            File of the model.

        Returns
        -------
        dict
            Keyword arguments.
        """
        if self.checkpoint_every is None:
            return {}
        return {"checkpoint": target, "checkpoint_every": self.checkpoint_every}


@expand_groups
def fit(
    context: typer.Context,
    path: CorpusPath,
    saving: Saving,
    *,
    model: ModelName = "lda",
    use: UseNames = None,
    options: FitOptions,
    executors: ExecutorOptions,
    predictions: PredictionOptions,
    labels: LabelOptions,
    links: LinkOptions,
    influence: InfluenceOptions,
    stream: TimeOptions,
    slices: SliceOptions,
    source: WordSource,
    documents: DocumentFields,
    vocabulary: Vocabulary,
    split: SplitOptions,
    hold_out: Annotated[
        float | None,
        typer.Option(
            "--hold-out",
            metavar="SHARE",
            callback=_share,
            help="Leave a random share of the documents out, for plait evaluate --new.",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what was skipped, and errors.")] = False,
) -> None:
    """Fit a topic model to a corpus and save it.

    Ctrl-C stops after the current sweep: the model is saved, can be used, and continues with --resume; the exit code
    is then 130, and 143 after SIGTERM. Invalid input in the corpus is skipped and counted; more than 5 % of the rows
    is an error unless --allow-skips is given, and --strict makes any of it an error.
    Options of the model that are not given have the model's own defaults.
    """
    context.with_resource(handle_termination(context))
    given = options_given(context)
    targets = requested_targets(model, use)
    _check_together(saving, options, model, targets)
    executor = executors.make(given, options.jobs)
    place = check_output(
        saving.output,
        overwrite=saving.force or saving.resume,
        inputs=[path, links.links, *vocabulary.input_files(), options.prior, options.seeds],
        remedy="--force to overwrite it, --resume to continue it",
    )
    context.with_resource(lock_for_writing(place))
    _check_checkpoint(place, saving)
    slices.check(online=model == ONLINE)
    groups = (predictions, labels, links, influence, stream)
    given_topics = None if options.compares_topics else options.topics
    estimator = build_model(model, targets, replace(options, topics=given_topics), *groups, verbose=not quiet)
    if saving.resume:
        estimator = _load_unfinished(_unfinished_path(saving.output), estimator, given)
    if executor is not None:
        estimator.set_params(executor=context.with_resource(executor))
    held_out = None if hold_out is None else HeldOut(hold_out, options.seed)
    targets_in = {"label": labels.label_field, "links": links.links, "date": slices.date_field}
    reading = read(path, source, vocabulary, split, held_out, **documents.keywords(), **targets_in)
    if not quiet:
        for line in describe_fields(reading.corpus.fields, context.command):
            print_text(line)
        if reading.corpus.text_options is not None:
            print_text(f"language: {language_line(reading.corpus.text_options)}")
            print_text(f"limits: {limits_line(reading.corpus.text_options)}")
    _print_reading(path, reading, quiet)
    corpus = reading.corpus
    if model == ONLINE:
        _print_missing_dates(corpus, path, quiet)
    if labels.min_label_documents is not None:
        corpus = _drop_rare_labels(corpus, labels.min_label_documents, quiet)
    arguments = _values(corpus, model) if Target.values in targets else {}  # labels and links are in the corpus
    for target in targets:
        line = _describe_target(corpus, target, estimator, path)
        if not quiet:
            print_text(line, flush=True)
    arguments |= slices.keywords(source.on_error)
    kept = getattr(estimator, "topic_choice_", None)  # of the fit that is resumed
    if options.compares_topics:
        choice = _choose(corpus, None if options.topics == AUTO else options.topics, estimator, quiet)
        kept = choice.to_dict()
        chosen = replace(options, topics=choice.recommended)
        estimator = build_model(model, targets, chosen, *groups, verbose=not quiet).set_params(executor=executor)
    seconds = _run(estimator, corpus, arguments, saving, place)
    if kept is not None:
        estimator.topic_choice_ = kept
    estimator.reading_options_ = options_to_keep(
        source,
        split,
        label_field=labels.label_field,
        date_field=slices.date_field,
        hold_out=hold_out,
        min_label_documents=labels.min_label_documents,
    )
    from plait.models.fitting import checkpoint_folder
    from plait.store import save
    from plait.store.checkpoints import remove_checkpoint

    save(estimator, place)
    remove_checkpoint(checkpoint_folder(place))
    if not quiet:
        _print_model(estimator, seconds)
        print_text(f"saved {saving.output}")
    if estimator.interrupted_:
        print_text(
            f"stopped after sweep {estimator.n_sweeps_}: the model in {saving.output} can be used; "
            "the same command with --resume continues it",
            file=sys.stderr,
        )
        raise typer.Exit(stop_code(context))


def _check_together(saving: Saving, options: FitOptions, model: str, targets: list[Target]) -> None:
    """Raise an error if options contradict each other."""
    if saving.resume and saving.force:
        raise typer.BadParameter("--force starts over, --resume continues; choose one")
    if not options.compares_topics:
        return
    asked = f"--topics {AUTO if options.topics == AUTO else ','.join(map(str, options.topics))}"
    if saving.resume:
        raise typer.BadParameter(f"{asked} is for a new fit; leave it out with --resume")
    if model == ONLINE:
        raise typer.BadParameter(
            f"{asked} compares fits to all documents at once; with --model {model} give one number of --topics"
        )
    predicted = [target for target in targets if target is not Target.influence]
    if predicted:
        raise typer.BadParameter(
            f"{asked} compares how well words are predicted, not {predicted[0]}; "
            f"with --model {model} give one number of --topics"
        )


def _check_checkpoint(path: Path, saving: Saving) -> None:
    """Raise an error if a new fit would replace the checkpoint of an unfinished one."""
    from plait.models.fitting import checkpoint_folder
    from plait.store.checkpoints import has_checkpoint

    if not saving.force and not saving.resume and has_checkpoint(folder := checkpoint_folder(path)):
        raise PlaitError(f"{folder} has an unfinished fit; give --resume to continue it, --force to start over")


def _unfinished_path(path: Path) -> Path:
    """Return the checkpoint of a model, if it has one, and its file otherwise."""
    from plait.models.fitting import checkpoint_folder
    from plait.store.checkpoints import has_checkpoint

    folder = checkpoint_folder(path)
    return folder if has_checkpoint(folder) else path


def _load_unfinished(path: Path, requested: TopicEstimator, given: set[str]) -> TopicEstimator:
    """Load an unfinished model. An option with another value than at its start is an error."""
    if not path.exists():
        raise PlaitError(f"{path} does not exist, so there is nothing to resume; leave --resume out to start")
    model = load_model(path)
    if type(model) is not type(requested):
        raise PlaitError(f"{path} holds a {type(model).__name__}; resume it with that --model")
    now, before = settings_of(requested), settings_of(model)
    if now.get("use") != before.get("use"):
        raise PlaitError(f"{path} was started with --use {','.join(before['use'])}; resume it with that")
    prepare_to_continue(model, requested, given, path, "leave it out to continue, or start over with --force")
    return model


def _print_reading(path: Path, reading: Reading, quiet: bool) -> None:
    if not quiet:
        print_text(describe_reading(path, reading), flush=True)
    elif reading.skipped:
        print_text(describe_skipped(reading.skipped), file=sys.stderr)


def _print_missing_dates(corpus: Corpus, path: Path, quiet: bool) -> None:
    """Print how many documents have no date and so belong to no slice."""
    import numpy as np

    if corpus.times is None:
        raise PlaitError(f"no document of {path} has a date, so there are no slices; name the field with --date-field")
    missing = int(np.isnat(corpus.times).sum())
    if missing:
        print_text(
            f"left out {counted(missing, 'document')} without a date",
            file=sys.stderr if quiet else sys.stdout,
            flush=True,
        )


def _drop_rare_labels(corpus: Corpus, min_documents: int, quiet: bool) -> Corpus:
    """Return the documents without rare labels; print these labels."""
    from plait.inputs.corpus_targets import drop_rare_labels

    corpus, rare = drop_rare_labels(corpus, min_documents)
    if rare:
        print_text(
            f"left out {counted(len(rare), 'label')} of fewer than {min_documents} documents: {join_names(rare)}",
            file=sys.stderr if quiet else sys.stdout,
            flush=True,
        )
    return corpus


def _values(corpus: Corpus, model: str) -> dict[str, Any]:
    """Return the argument of `fit` with the numbers of the documents."""
    from plait.inputs.corpus_targets import values_from_labels

    return {"values" if model == COMBINED else "y": values_from_labels(corpus)}


def _describe_target(corpus: Corpus, target: Target, estimator: TopicEstimator, path: Path) -> str:
    """Return one line about a target in the corpus; a corpus without it is an error."""
    if target is Target.influence:
        check_links(corpus, path)
        return influence_line(corpus, estimator)
    if target is Target.links:
        check_links(corpus, path)
        return link_line(corpus)
    check_labels(corpus, target, path)
    return label_line(corpus, target)


def _choose(corpus: Corpus, candidates: list[int] | None, estimator: TopicEstimator, quiet: bool) -> TopicChoice:
    """Compare numbers of topics and print the table."""
    from plait.evaluation.choice import CTRL_C
    from plait.evaluation.choose import choose_n_topics

    choice = choose_n_topics(
        corpus, candidates, model=estimator, random_state=estimator.random_state, verbose=not quiet
    )
    if not quiet:
        print_text(choice.table(), flush=True)
    if choice.stopped == CTRL_C:
        raise KeyboardInterrupt("not all numbers of topics were compared, and nothing was saved")
    return choice


def _run(estimator: TopicEstimator, corpus: Corpus, arguments: dict[str, Any], saving: Saving, target: Path) -> float:
    """Start or resume a fit, until it is finished or interrupted; return the seconds it took."""
    start = time.perf_counter()
    work = estimator.resume if saving.resume else estimator.fit
    try:
        work(corpus, **arguments, **saving.checkpoints(target))
    except KeyboardInterrupt:
        # A second Ctrl-C, or one before the first sweep: the model handles the others itself.
        kept = _unfinished_path(target)
        has_kept = kept.is_dir() or (kept.exists() and saving.resume)
        raise KeyboardInterrupt(
            f"{kept} holds the fit as it was last saved, and --resume continues it" if has_kept else "nothing was saved"
        ) from None
    return time.perf_counter() - start


def _print_model(estimator: TopicEstimator, seconds: float) -> None:
    state = "converged" if estimator.settled_ else "stopped" if estimator.interrupted_ else "all sweeps done"
    perplexity = f", perplexity {estimator.history_[-1].perplexity:,.1f}" if estimator.history_ else ""
    chains = f" in {estimator.n_chains} chains" if getattr(estimator, "n_chains", 1) > 1 else ""
    n_slices = len(getattr(estimator, "slices_", []))
    slices = f" of the last of {counted(n_slices, 'slice')}" if n_slices else ""
    sweeps = f"{estimator.n_sweeps_:,} sweeps{chains}{slices} ({state})"
    print_text(f"fitted {len(estimator.topic_word_)} topics: {sweeps}{perplexity}, {seconds:.1f} s")
    topics_table(listed_topics(estimator), topic_targets(estimator)).show()
    if getattr(estimator, "label_choice_", None) is not None:
        print_text(f"labels: {estimator.label_choice_}")
    if Target.links in targets_of(estimator):
        print_text("\n".join(learned_lines(estimator)))
    if follows_links(estimator):
        print_text("\n".join(influence_lines(estimator)))
