"""`plait links`: suggested links of documents, with the topics that explain them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.text import cut
from plait._utils.wording import counted
from plait.cli.io.applying import Applied, Rows, Sink, apply, keep_frames, print_fields
from plait.cli.io.outputs import Force, check_output
from plait.cli.io.safe_csv import SafeCsv, check_safe_csv
from plait.cli.io.tables import Write, check_table_name, open_table
from plait.cli.options.groups import expand_groups
from plait.cli.options.model_options import Jobs
from plait.cli.options.models import ModelPath, load_model, targets_of, with_article
from plait.cli.options.reading import TitleField, WordSource
from plait.cli.options.targets import Target
from plait.cli.show.screen import Table, print_text
from plait.errors import PlaitError

if TYPE_CHECKING:
    import polars

    from plait.corpus import Corpus

# Columns of the table, by those of the library's data frame.
_COLUMNS = {
    "document": "id",
    "document_title": "title",
    "rank": "rank",
    "id": "link",
    "title": "link_title",
    "score": "score",
    "value": "value",
    "part": "part",
    "topics": "topics",
}
_TITLE = 50  # characters on the terminal
_WORDS = 5
_BATCH = 512


class Direction(StrEnum):
    """The direction of a suggested link."""

    either = "either"
    to = "to"
    from_ = "from"


@expand_groups
def links(
    context: typer.Context,
    model: ModelPath,
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="NEW",
            show_default=False,
            help="New documents, in any format of plait fit. Without it: missing links of training documents.",
        ),
    ] = None,
    *,
    document: Annotated[
        list[str] | None,
        typer.Option(
            "--document",
            "-d",
            metavar="ID",
            help="Only this training document. Repeat for several.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Suggestions per document.")] = 10,
    direction: Annotated[
        Direction,
        typer.Option("--direction", help="Links to training documents, from them, or either."),
    ] = Direction.either,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Table to write: .csv, .jsonl or .parquet.", show_default="the terminal"),
    ] = None,
    force: Force = False,
    safe_csv: SafeCsv = False,
    jobs: Jobs = 1,
    source: WordSource,
    title_field: TitleField = None,
) -> None:
    """Suggest links of documents to training documents, best first.

    The score is the model's probability of a link, the mean over its samples; with --loss hinge it is a value that is
    above 0 for a predicted link. Scores rank suggestions: a model trained with a sample of the pairs without a link,
    as by default, expects more links than there are. The value, the mean of the log-odds over the samples, tells
    scores near 1 apart. Topics are the pairs of topics with the largest contributions, the document's own first. With
    --pair-features, part is what speaks most for the link: topics or a feature. Columns of a table: id, title, rank,
    link, link_title, score, value, part, topics; titles only if documents have some.
    """
    if path is not None and document:
        raise typer.BadParameter("--document names training documents; leave NEW out")
    suffix = None if output is None else check_table_name(output)
    check_safe_csv(safe_csv, suffix == ".csv")
    target = None if output is None else check_output(output, overwrite=force, inputs=[model, path])
    estimator: Any = load_model(model)
    if Target.links not in targets_of(estimator):
        raise PlaitError(
            f"{model} holds {with_article(estimator)}, which has not learned from links; "
            "fit a model that does: plait fit --model relational"
        )
    estimator.n_jobs = jobs
    frames: list[polars.DataFrame] = []

    def sink() -> AbstractContextManager[Write]:
        return (
            keep_frames(frames) if target is None or suffix is None else open_table(target, suffix, safe_csv=safe_csv)
        )

    if path is None:
        about = _suggest_missing(estimator, document, top, direction, sink)
    else:
        apply_rows = partial(apply, estimator, path, source, title=title_field)
        about = _suggest_new(context, estimator, apply_rows, top, direction, sink)
    if output is not None:
        print_text(f"wrote {output}: {about}")
        return
    for frame in frames:
        _table(frame).show()
    _topics_table(frames, estimator).show()
    print_text(about)


def _suggest_new(
    context: typer.Context,
    model: Any,
    apply_rows: Callable[[Rows, Sink], Applied],
    top: int,
    direction: Direction,
    sink: Sink,
) -> str:
    """Suggest links of new documents; return a line about their number."""

    def rows(batch: Corpus) -> polars.DataFrame:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # documents without known words are counted below
            found = model.suggest_links(batch, top=top, direction=direction.value)
        return _frame(found, batch.titles is not None, model)

    applied = apply_rows(rows, sink)
    print_fields(applied, context.command)
    about = f"{counted(applied.documents, 'document')}, at most {top} links each; {applied.skipped}"
    if applied.unknown:
        unknown = counted(applied.unknown, "document")
        about += f"; {unknown} without a word of the model's vocabulary: their links are predicted from the prior"
    return about


def _suggest_missing(model: Any, ids: list[str] | None, top: int, direction: Direction, sink: Sink) -> str:
    """Suggest missing links of training documents, in batches; return a line about their number."""
    from plait.models.answers.known_documents import document_names

    names = ids or [str(name) for name in document_names(model.doc_ids_, model.links_.shape[0])]
    with sink() as write:
        for start in range(0, len(names), _BATCH):
            own = names[start : start + _BATCH]
            rows = own if ids else range(start, start + len(own))
            found = model.suggest_missing_links(rows, top=top, direction=direction.value)
            write(_frame(found, model.documents_.titles is not None, model))
    return f"{counted(len(names), 'document')} of the model, at most {top} missing links each"


def _frame(suggestions: Any, titled: bool, model: Any) -> polars.DataFrame:
    """Return suggestions as a table, one row each; without columns of titles that the documents do not have."""
    import polars

    numbers = {"rank": polars.Int64, "score": polars.Float64, "value": polars.Float64}
    found = suggestions.to_frame("polars")
    types = {name: numbers.get(name, polars.String) for name in found.columns}
    frame = found.cast(types).rename({name: _COLUMNS[name] for name in found.columns})
    absent = ["title"] * (not titled) + ["link_title"] * (model.documents_.titles is None)
    return frame.drop(absent)


def _table(frame: polars.DataFrame) -> Table:
    columns = [name for name in frame.columns if name != "value" or (frame["value"] != frame["score"]).any()]
    table = Table(columns, right={"rank", "score", "value"})
    for row in frame.iter_rows(named=True):
        cells = {**row, "rank": str(row["rank"]), "score": f"{row['score']:.3f}", "value": f"{row['value']:+.2f}"}
        if row["rank"] > 1:
            cells |= {"id": "", "title": ""}
        table.add(*(cut(cells[name], _TITLE) if name.endswith("title") else cells[name] for name in columns))
    return table


def _topics_table(frames: list[polars.DataFrame], model: Any) -> Table:
    """Return the words of the topics in the suggestions."""
    used = {int(topic) for frame in frames for pair in frame["topics"] for topic in pair.replace("-", " ").split()}
    table = Table(["topic", "words"], right={"topic"})
    for topic in model.topics(_WORDS):
        if topic.index in used:
            table.add(str(topic.index), " ".join(topic.words))
    return table
