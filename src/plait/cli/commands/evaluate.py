"""`plait evaluate`: how well a model predicts documents and how well its topics hang together."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.evaluate.labels import measure_labels
from plait.cli.evaluate.links import measure_links
from plait.cli.evaluate.topics import measure_topics
from plait.cli.evaluate.training import TargetOptions, Training, training_documents
from plait.cli.evaluate.values import measure_values
from plait.cli.io.new_links import links_to_known
from plait.cli.io.outputs import check_output, written_whole
from plait.cli.options.model_options import Jobs
from plait.cli.options.models import ModelPath, follows_links, load_model, targets_of, with_article
from plait.cli.options.reading import CorpusPath, Part, Reading, WordSource, links_option, part_for, read_for, read_line
from plait.cli.options.spreading import spread
from plait.cli.options.used_responses import Target
from plait.cli.show.figures import Report
from plait.errors import PlaitError

if TYPE_CHECKING:
    import scipy.sparse as sparse

    from plait.corpus import Corpus
    from plait.models import TopicEstimator


class EvaluationFormat(StrEnum):
    """How the figures are printed."""

    table = "table"
    json = "json"


@spread
def evaluate(
    model: ModelPath,
    path: CorpusPath,
    source: WordSource,
    part: Part,
    options: TargetOptions,
    new: Annotated[
        bool, typer.Option("--new", help="Measure only documents that the model was not fitted to.")
    ] = False,
    links: Annotated[Path | None, links_option("Models with links")] = None,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines/--no-baselines",
            help="Whether baselines for links are trained beside the model.",
            rich_help_panel="Models with links",
        ),
    ] = True,
    top: Annotated[int, typer.Option("--top", min=2, help="Words of each topic for coherence and diversity.")] = 10,
    format: Annotated[
        EvaluationFormat, typer.Option("--format", help="table for people, json for programs.")
    ] = EvaluationFormat.table,
    jobs: Jobs = 1,
) -> None:
    """Measure a model on documents, best ones that it was not fitted to.

    Topics, for any model: the baseline predicts words by their frequency in the training documents, with the
    model's own smoothing, and knows no topics. Labels: how often they are right, beside a linear SVM on TF-IDF;
    numbers: how far off they are, beside a ridge regression on TF-IDF. These baselines are trained on the
    documents of --train, or on the split "train", with the words that the model knows. Where a model's words may
    draw from linked documents, perplexity, labels and numbers are measured twice: from words alone, and with the
    links of these documents to those that the model was fitted to; baselines know no links. Links: how high those of
    new documents rank among all documents that the model was fitted to, beside four kinds of baselines; the
    corpus must hold both, and all documents that the model was not fitted to are new. A model of several of these
    is measured on all of them.
    """
    estimator = load_model(model)
    targets = targets_of(estimator)
    confusion = _check_options(model, estimator, targets, options)
    if links is not None and Target.links not in targets and not follows_links(estimator):
        raise PlaitError(f"--links is for models with links; {model} has not learnt from any")
    estimator.n_jobs = jobs
    roles = {"split": part.split_field, "label": options.label_field}
    whole = read_for(estimator, path, source, **roles, links=links)
    reading = part_for(estimator, whole, part.split)
    # Links are found between new documents and known ones, so that a corpus of links holds both.
    if new or targets == [Target.links] or (Target.links in targets and _some_new(estimator, reading.corpus)):
        reading = _only_new(estimator, reading, path)
    # Standard output is kept for the figures, so that a program can read them.
    print(read_line(path, reading), file=sys.stderr)
    seen = _seen_before(estimator, reading.corpus)
    if seen:
        print(f"{seen:,} of the documents were fitted to: figures on them are too good", file=sys.stderr)
    if {Target.labels, Target.values} <= set(targets):
        targets.remove(Target.values)
        print("values are not measured: --label names one field, and the model predicts labels, too", file=sys.stderr)
    followed = links_to_known(estimator, whole, reading.corpus) if follows_links(estimator) else None
    reports: list[Report] = [measure_topics(estimator, reading.corpus, top, followed)]
    for target in targets:
        if target is Target.links:
            reports += _measure_links(estimator, whole, part.split, baselines)
        else:
            training = training_documents(estimator, options, source, path, whole, reading.corpus, roles)
            reports += _measure_target(estimator, target, reading.corpus, training, confusion, followed)
    if format is EvaluationFormat.json:
        found: dict[str, Any] = {
            "documents": reading.corpus.n_documents,
            "documents_fitted_to": seen,
            "tokens": reading.corpus.n_tokens,
        }
        for report in reports:
            found |= report.plain()
        print(json.dumps(found, indent=1, ensure_ascii=False))
        return
    for report in reports:
        report.show()


def _check_options(path: Path, model: TopicEstimator, targets: list[Target], options: TargetOptions) -> Path | None:
    """Refuse options that say nothing about this model; return where the confusion goes."""
    given = options.given()
    if not {Target.labels, Target.values} & set(targets) and given:
        raise PlaitError(f"{given[0]} is for models with labels; {path} holds {with_article(model)}")
    if options.confusion is None:
        return None
    if Target.labels not in targets:
        raise PlaitError(f"--confusion is for models with labels; {path} predicts numbers")
    if getattr(model, "multilabel_", False):
        raise PlaitError("documents with several labels have no confusion matrix; leave --confusion out")
    return check_output(options.confusion, overwrite=options.force)


def _measure_target(
    model: TopicEstimator,
    target: Target,
    corpus: Corpus,
    training: Training,
    confusion: Path | None,
    links: sparse.csr_array | None,
) -> list[Report]:
    """Measure what a model predicts besides words; nothing where the documents do not have it.

    `links` are those along which words may also be drawn from documents of the model.
    """
    if not any(corpus.labels or ()):
        what = "label" if target is Target.labels else "number"
        print(
            f"no document here has a {what}, so {target.value} are not measured; name their field with --label",
            file=sys.stderr,
        )
        return []
    if target is Target.values:
        return [measure_values(model, corpus, training, links)]
    report = measure_labels(model, corpus, training, links)
    if confusion is not None:
        with written_whole(confusion) as part:
            report.write_confusion(part)
        if report.linked is not None:
            print(f"{confusion} has the labels that are told from words and links", file=sys.stderr)
    return [report]


def _measure_links(model: TopicEstimator, whole: Corpus, split: str | None, baselines: bool) -> list[Report]:
    """Measure the links of new documents; nothing, and why, where there are none."""
    corpus = whole
    if split is not None and whole.splits is not None and model.doc_ids_ is not None:
        # New documents of other splits are neither measured nor known.
        known = set(model.doc_ids_)
        corpus = whole.select([i for i, name in enumerate(whole.ids) if name in known or whole.splits[i] == split])
    report = measure_links(model, part_for(model, corpus, None).corpus, baselines=baselines)
    if isinstance(report, str):
        print(f"links are not measured: {report}", file=sys.stderr)
        return []
    return [report]


def _some_new(model: TopicEstimator, corpus: Corpus) -> bool:
    """Whether there are documents that a model was not fitted to, beside some that it was."""
    return 0 < _seen_before(model, corpus) < len(corpus)


def _only_new(model: TopicEstimator, reading: Reading, path: Path) -> Reading:
    """Return the documents that a model was not fitted to."""
    known = set() if model.doc_ids_ is None else set(model.doc_ids_)
    rows = [row for row, name in enumerate(reading.corpus.ids) if name not in known]
    if not rows:
        raise PlaitError(
            f"{path}: the model was fitted to all of these documents, so none is left to measure it on; hold some out "
            "when fitting (plait fit --hold-out 0.2), or give others"
        )
    return Reading(reading.corpus.select(rows), reading.skipped)


def _seen_before(estimator: TopicEstimator, corpus: Corpus) -> int:
    if estimator.doc_ids_ is None:
        return 0
    return len(set(estimator.doc_ids_) & set(corpus.ids))
