"""`plait evaluate`: how well a model predicts documents, and how coherent its topics are."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.text import printable_json
from plait.cli.errors import describe_error
from plait.cli.io.outputs import check_output
from plait.cli.io.reading import Reading, align_split, describe_fields, describe_reading, read_for_model
from plait.cli.io.safe_csv import SafeCsv, check_safe_csv
from plait.cli.options.groups import expand_groups
from plait.cli.options.model_options import LABELS_PANEL, LINKS_PANEL, Jobs
from plait.cli.options.models import ModelPath, follows_links, load_model, targets_of, with_article
from plait.cli.options.reading import CorpusPath, SplitOptions, WordSource, label_option, links_option
from plait.cli.options.targets import Target
from plait.cli.show.evaluation import Baseline, LabelReport, LinkReport, TopicReport, ValueReport
from plait.cli.show.screen import print_text
from plait.errors import PlaitError

if TYPE_CHECKING:
    import scipy.sparse as sparse

    from plait.corpus import Corpus
    from plait.models import TopicEstimator

Report = TopicReport | LabelReport | ValueReport | LinkReport


class EvaluationFormat(StrEnum):
    """How the scores are printed."""

    table = "table"
    json = "json"


@dataclass(frozen=True)
class TargetOptions:
    """The labels of the documents, the training documents of the baseline, and the confusion matrix."""

    label_field: Annotated[str | None, label_option(LABELS_PANEL)] = None
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            metavar="PATH",
            help="Training documents of the baseline: those the model was fitted to.",
            show_default="the same corpus: its split train, or what the model was fitted to",
            rich_help_panel=LABELS_PANEL,
        ),
    ] = None
    train_split: Annotated[
        str | None,
        typer.Option(
            "--train-split",
            metavar="NAME",
            help="Train the baseline on one split of them.",
            show_default="train; with --train, all of them",
            rich_help_panel=LABELS_PANEL,
        ),
    ] = None
    confusion: Annotated[
        Path | None,
        typer.Option(
            "--confusion",
            metavar="FILE.csv",
            help="Write the confusion matrix: one row per true label, one column per predicted label. "
            "Uses links if the model follows them.",
            show_default=False,
            rich_help_panel=LABELS_PANEL,
        ),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the confusion file if it exists.", rich_help_panel=LABELS_PANEL)
    ] = False
    safe_csv: SafeCsv = False

    def given(self) -> list[str]:
        """Return the options that were given, as they are typed.

        Returns
        -------
        list of str
            The options.
        """
        return [
            f"--{field.name.removesuffix('_field').replace('_', '-')}"
            for field in fields(self)
            if getattr(self, field.name) not in (None, False)
        ]


@expand_groups
def evaluate(
    context: typer.Context,
    model: ModelPath,
    path: CorpusPath,
    source: WordSource,
    split: SplitOptions,
    options: TargetOptions,
    new: Annotated[
        bool, typer.Option("--new", help="Evaluate only documents that the model was not fitted to.")
    ] = False,
    links: Annotated[Path | None, links_option(LINKS_PANEL)] = None,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines/--no-baselines",
            help="Whether to train baselines for links.",
            rich_help_panel=LINKS_PANEL,
        ),
    ] = True,
    top: Annotated[int, typer.Option("--top", min=2, help="Words per topic for coherence and diversity.")] = 10,
    format: Annotated[
        EvaluationFormat, typer.Option("--format", help="table to read, json for programs.")
    ] = EvaluationFormat.table,
    jobs: Jobs = 1,
) -> None:
    """Evaluate a model on documents, preferably held-out documents.

    Topics: the baseline predicts words by their frequency in the training documents, with the model's own smoothing.
    Labels: accuracy and F1, beside a linear SVM on TF-IDF. Numbers: R² and mean absolute error, beside a ridge
    regression on TF-IDF. These baselines are trained on the documents of --train, or on the split "train", with the
    vocabulary of the model. If the model follows links, perplexity, labels and numbers are evaluated from words
    alone and with the links to training documents; the baselines use no links. Links: rank of the links of new
    documents among all training documents, beside five baselines; the corpus must contain both. A model with several
    targets is evaluated on all of them.
    """
    from plait.evaluation import evaluate_topics
    from plait.models.answers.new_links import links_to_training_documents

    estimator = load_model(model)
    targets = targets_of(estimator)
    confusion = _check_options(model, estimator, targets, options, [model, path, links, options.train])
    if links is not None and Target.links not in targets and not follows_links(estimator):
        raise PlaitError(f"--links is for models with links; {model} has not learned from any")
    estimator.n_jobs = jobs
    fields_of = {"split": split.split_field, "label": options.label_field}
    whole = read_for_model(estimator, path, source, **fields_of, links=links)
    reading = align_split(estimator, whole, split.split)
    # Links go between new and training documents, so that a corpus for links contains both.
    if new or targets == [Target.links] or (Target.links in targets and _some_new(estimator, reading.corpus)):
        reading = _only_new(estimator, reading, path)
    # Standard output is for the scores, so that a program can read them.
    for line in describe_fields(whole.fields, context.command):
        print_text(line, file=sys.stderr)
    print_text(describe_reading(path, reading), file=sys.stderr)
    n_fitted = _count_fitted(estimator, reading.corpus)
    if n_fitted:
        print_text(f"the model was fitted to {n_fitted:,} of the documents: their scores are too good", file=sys.stderr)
    if {Target.labels, Target.values} <= set(targets):
        targets.remove(Target.values)
        print_text(
            "values are not evaluated: --label names one field, and the model predicts labels, too", file=sys.stderr
        )
    along = links_to_training_documents(estimator, whole, reading.corpus) if follows_links(estimator) else None
    reports: list[Report] = [TopicReport(evaluate_topics(estimator, reading.corpus, top=top, links=along))]
    for target in targets:
        if target is Target.links:
            reports += _evaluate_links(context, estimator, whole, split.split, baselines)
        elif not any(reading.corpus.labels or ()):
            what = "label" if target is Target.labels else "number"
            print_text(
                f"no document has a {what}, so {target.value} are not evaluated; name the field with --label",
                file=sys.stderr,
            )
        else:
            train, problem = _training_documents(context, estimator, options, source, whole, reading.corpus, fields_of)
            if target is Target.values:
                reports.append(_evaluate_values(context, estimator, reading.corpus, train, problem, along))
            else:
                found = _evaluate_labels(context, estimator, reading.corpus, train, problem, along)
                reports.append(found)
                _write_confusion(found, confusion, safe=options.safe_csv)
    if format is EvaluationFormat.json:
        scores: dict[str, Any] = {
            "documents": reading.corpus.n_documents,
            "documents_fitted_to": n_fitted,
            "tokens": reading.corpus.n_tokens,
        }
        for report in reports:
            scores |= report.plain()
        print_text(printable_json(scores))
        return
    for report in reports:
        report.show()


def _check_options(
    path: Path, model: TopicEstimator, targets: list[Target], options: TargetOptions, inputs: list[Path | None]
) -> Path | None:
    """Raise an error if an option does not apply to the model; return the file of the confusion matrix."""
    given = options.given()
    if not {Target.labels, Target.values} & set(targets) and given:
        raise PlaitError(f"{given[0]} is for models with labels; {path} holds {with_article(model)}")
    check_safe_csv(options.safe_csv, options.confusion is not None)
    if options.confusion is None:
        return None
    if Target.labels not in targets:
        raise PlaitError(f"--confusion is for models with labels; {path} predicts numbers")
    if getattr(model, "multilabel_", False):
        raise PlaitError("documents with several labels have no confusion matrix; leave --confusion out")
    return check_output(options.confusion, overwrite=options.force, inputs=inputs)


def _training_documents(
    context: typer.Context,
    model: Any,
    options: TargetOptions,
    source: WordSource,
    whole: Corpus,
    evaluated: Corpus,
    fields_of: dict[str, Any],
) -> tuple[Corpus | None, str]:
    """Return the training documents of the baseline, or why there are none."""
    from plait.evaluation import NotEvaluableError, find_training_documents

    if options.train is not None:
        train = read_for_model(model, options.train, source, **fields_of)
        return (train if options.train_split is None else train.part(options.train_split)), ""
    try:
        return find_training_documents(model, whole, evaluated, options.train_split), ""
    except NotEvaluableError as error:
        return None, describe_error(error, context.command)


def _evaluate_labels(
    context: typer.Context,
    model: Any,
    corpus: Corpus,
    train: Corpus | None,
    problem: str,
    links: sparse.csr_array | None,
) -> LabelReport:
    from plait.evaluation import evaluate_labels
    from plait.evaluation.labels import LABEL_BASELINE

    found = evaluate_labels(model, corpus, train=train, links=links)
    problem = problem if found.problem is None else describe_error(found.problem, context.command)
    return LabelReport(found, Baseline(LABEL_BASELINE, found.training, problem))


def _evaluate_values(
    context: typer.Context,
    model: Any,
    corpus: Corpus,
    train: Corpus | None,
    problem: str,
    links: sparse.csr_array | None,
) -> ValueReport:
    from plait.evaluation import evaluate_values
    from plait.evaluation.values import VALUE_BASELINE

    found = evaluate_values(model, corpus, train=train, links=links)
    problem = problem if found.problem is None else describe_error(found.problem, context.command)
    return ValueReport(found, Baseline(VALUE_BASELINE, found.training, problem))


def _write_confusion(report: LabelReport, path: Path | None, *, safe: bool) -> None:
    from plait._utils.atomic import replace_file

    if path is None:
        return
    if report.found.best.confusion is None:
        raise PlaitError("documents with several labels have no confusion matrix; leave --confusion out")
    replace_file(path, lambda file: file.write(report.confusion_csv(safe=safe).encode()))
    if report.found.linked is not None:
        print_text(f"{path} has the labels predicted from words and links", file=sys.stderr)


def _evaluate_links(
    context: typer.Context, model: TopicEstimator, whole: Corpus, split: str | None, baselines: bool
) -> list[Report]:
    """Evaluate the links of new documents; print why if that is not possible."""
    from plait.evaluation import NotEvaluableError, evaluate_links

    corpus = whole
    if split is not None and whole.splits is not None and model.doc_ids_ is not None:
        # New documents of other splits are left out.
        fitted = set(model.doc_ids_)
        corpus = whole.select([i for i, name in enumerate(whole.ids) if name in fitted or whole.splits[i] == split])

    def print_time(name: str, seconds: float) -> None:
        print_text(f"trained {name} in {seconds:.1f} s", file=sys.stderr)

    try:
        return [LinkReport(evaluate_links(model, corpus, baselines=baselines, on_trained=print_time))]
    except NotEvaluableError as error:
        print_text(f"links are not evaluated: {describe_error(error, context.command)}", file=sys.stderr)
        return []


def _some_new(model: TopicEstimator, corpus: Corpus) -> bool:
    """Return whether the model was fitted to some of the documents, but not to all."""
    return 0 < _count_fitted(model, corpus) < len(corpus)


def _only_new(model: TopicEstimator, reading: Reading, path: Path) -> Reading:
    """Return the documents that the model was not fitted to."""
    fitted = set() if model.doc_ids_ is None else set(model.doc_ids_)
    rows = [row for row, name in enumerate(reading.corpus.ids) if name not in fitted]
    if not rows:
        raise PlaitError(
            f"{path}: the model was fitted to all of these documents, so there is none to evaluate it on; hold some "
            "out when fitting (plait fit --hold-out 0.2), or give others"
        )
    return Reading(reading.corpus.select(rows), reading.skipped)


def _count_fitted(estimator: TopicEstimator, corpus: Corpus) -> int:
    if estimator.doc_ids_ is None:
        return 0
    return len(set(estimator.doc_ids_) & set(corpus.ids))
