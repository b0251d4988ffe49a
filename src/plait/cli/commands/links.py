"""`plait links`: which documents a new one should be linked with, and why."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.io.applying import Sink, answer, kept_frames, whole_table
from plait.cli.io.outputs import Force, check_output
from plait.cli.io.tables import Write, check_table_name
from plait.cli.options.model_options import Jobs
from plait.cli.options.models import ModelPath, load_model, targets_of, with_article
from plait.cli.options.reading import WordSource
from plait.cli.options.spreading import spread
from plait.cli.options.used_responses import Target
from plait.cli.show.screen import Table
from plait.errors import PlaitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

    from plait.corpus import Corpus
    from plait.models.answers.suggestions import Suggestion

_COLUMNS = ("id", "rank", "link", "score", "topics")
_WORDS = 5
_AT_ONCE = 512


class Direction(StrEnum):
    """Which way a suggested link goes."""

    either = "either"
    to = "to"
    from_ = "from"


@spread
def links(
    model: ModelPath,
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="NEW",
            show_default=False,
            help="New documents, as plait fit takes them. Without it: links that documents of the model miss.",
        ),
    ] = None,
    *,
    document: Annotated[
        list[str] | None,
        typer.Option(
            "--document",
            "-d",
            metavar="ID",
            help="Of the documents of the model only this one; give it again for several.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many links to suggest for each document.")] = 10,
    direction: Annotated[
        Direction,
        typer.Option("--direction", help="Links to the model's documents, from them, or either way."),
    ] = Direction.either,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Table to write: .csv, .jsonl or .parquet.", show_default="the screen"),
    ] = None,
    force: Force = False,
    jobs: Jobs = 1,
    source: WordSource,
) -> None:
    """Suggest links: for each document the likeliest partners among those that the model was fitted to.

    The score is the probability of a link, averaged over the model's samples (with --loss hinge its value: above 0
    speaks for it). Topics are the pairs that speak most for it, the document's own first. Columns of a table: id,
    rank, link, score, topics.
    """
    if path is not None and document:
        raise typer.BadParameter("--document names documents of the model; leave NEW out")
    suffix = None if output is None else check_table_name(output)
    target = None if output is None else check_output(output, overwrite=force)
    estimator: Any = load_model(model)
    if Target.links not in targets_of(estimator):
        raise PlaitError(
            f"{model} holds {with_article(estimator)}, which has not learnt from links; "
            "fit one that does: plait fit --model relational"
        )
    estimator.n_jobs = jobs
    frames: list[polars.DataFrame] = []

    def sink() -> AbstractContextManager[Write]:
        return kept_frames(frames) if target is None or suffix is None else whole_table(target, suffix)

    if path is None:
        about = _suggest_missing(estimator, document, top, direction, sink)
    else:
        about = _suggest_new(estimator, path, source, top, direction, sink)
    if output is not None:
        print(f"wrote {output}: {about}")
        return
    for frame in frames:
        _table(frame).show()
    _topics_named(frames, estimator).show()
    print(about)


def _suggest_new(model: Any, path: Path, source: WordSource, top: int, direction: Direction, sink: Sink) -> str:
    """Suggest links of new documents; say how many there were."""

    def rows(batch: Corpus) -> polars.DataFrame:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # documents without known words are counted and said below
            return _frame(batch.ids.tolist(), model.suggest_links(batch, top=top, direction=direction.value))

    answered = answer(model, path, source, rows, sink)
    about = f"{counted(answered.documents, 'document')}, at most {top} links each; {answered.skipped}"
    if answered.unknown:
        unknown = counted(answered.unknown, "document")
        about += f"; {unknown} without a word that the model knows: those links are guesses"
    return about


def _suggest_missing(model: Any, ids: list[str] | None, top: int, direction: Direction, sink: Sink) -> str:
    """Suggest links that documents of the model miss, some hundreds at a time; say how many there were."""
    from plait.models.answers.known_documents import document_names

    names = ids or [str(name) for name in document_names(model.doc_ids_, model.links_.shape[0])]
    with sink() as write:
        for begin in range(0, len(names), _AT_ONCE):
            own = names[begin : begin + _AT_ONCE]
            rows = own if ids else range(begin, begin + len(own))
            write(_frame(own, model.suggest_missing_links(rows, top=top, direction=direction.value)))
    return f"{counted(len(names), 'document')} of the model, at most {top} links each that are not there yet"


def _frame(names: Sequence[Any], suggestions: list[list[Suggestion]]) -> polars.DataFrame:
    """Lay suggestions out as a table, a row each."""
    import polars

    rows = [
        (str(name), rank, found.id, found.score, " ".join(f"{why.topic}-{why.other}" for why in found.reasons))
        for name, own in zip(names, suggestions, strict=True)
        for rank, found in enumerate(own, start=1)
    ]
    types = (polars.String, polars.Int64, polars.String, polars.Float64, polars.String)
    return polars.DataFrame(rows, schema=dict(zip(_COLUMNS, types, strict=True)), orient="row")


def _table(frame: polars.DataFrame) -> Table:
    table = Table(_COLUMNS, right={"rank", "score"})
    for name, rank, link, score, topics in frame.iter_rows():
        table.add(name if rank == 1 else "", str(rank), link, f"{score:.3f}", topics)
    return table


def _topics_named(frames: list[polars.DataFrame], model: Any) -> Table:
    """Name the topics that suggestions speak of."""
    spoken = {int(topic) for frame in frames for pair in frame["topics"] for topic in pair.replace("-", " ").split()}
    table = Table(["topic", "words"], right={"topic"})
    for topic in model.topics(_WORDS):
        if topic.index in spoken:
            table.add(str(topic.index), " ".join(topic.words))
    return table
