"""`plait topics`: the words of each topic, as a table, CSV or JSON."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from plait._utils.wording import counted
from plait.cli.io.outputs import Force, check_output
from plait.cli.io.safe_csv import SafeCsv, check_safe_csv
from plait.cli.io.tables import check_table_name, open_table
from plait.cli.options.models import ModelPath, load_model
from plait.cli.options.time_options import UNITS, parse_slices
from plait.cli.show.groups import over_table, per_table
from plait.cli.show.screen import print_text
from plait.cli.show.topics import listed_topics, topic_targets, topics_csv, topics_json, topics_table, typical_documents
from plait.errors import PlaitError


class Ranking(StrEnum):
    """The order of the words of a topic."""

    probability = "probability"
    relevance = "relevance"


class TopicsFormat(StrEnum):
    """How topics are written."""

    table = "table"
    csv = "csv"
    json = "json"


def topics(
    model: ModelPath,
    top: Annotated[int, typer.Option("--top", min=1, help="Words per topic.")] = 10,
    by: Annotated[
        Ranking,
        typer.Option("--by", help="Order of the words: by probability, or by relevance for the topic."),
    ] = Ranking.probability,
    format: Annotated[
        TopicsFormat | None,
        typer.Option(
            "--format",
            help="table to read; csv with one row per word; json with everything.",
            show_default="by the name of the output file, else table",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write to.", show_default="standard output"),
    ] = None,
    per: Annotated[
        str | None,
        typer.Option(
            "--per",
            metavar="FIELD",
            help="Shares of the topics per value of a field: label, split, or one of plait fit --metadata.",
            show_default=False,
        ),
    ] = None,
    over: Annotated[
        Any,
        typer.Option(
            "--over",
            parser=parse_slices,
            metavar=f"{'|'.join(UNITS)}|NUMBER",
            help="Shares of the topics over time, per calendar unit or in so many slices.",
            show_default=False,
        ),
    ] = None,
    documents: Annotated[
        int | None,
        typer.Option(
            "--documents",
            min=0,
            help="Typical documents per topic.",
            show_default="2 if documents have titles",
        ),
    ] = None,
    force: Force = False,
    safe_csv: SafeCsv = False,
) -> None:
    """Print the topics of a model with their top words.

    The share of a topic is that of all tokens. For a model with labels, also the label with the largest weight of
    each topic; for one of numbers, the number; for one with links, the topic with the largest link weight. Typical
    documents are those with the largest share of the topic. With --per or --over, the mean shares of the topics in
    groups of documents; a table that is written then has the columns FIELD or slice, documents, topic, name, share.
    """
    from plait._utils.atomic import replace_file

    if per is not None or over is not None:
        if per is not None and over is not None:
            raise typer.BadParameter("give --per or --over, not both")
        if format is not None or documents is not None:
            raise typer.BadParameter("--format and --documents are for the list of topics; leave them out")
        _show_groups(model, per, over, output, force=force, safe_csv=safe_csv)
        return
    chosen = format or _format_of(output)
    check_safe_csv(safe_csv, chosen is TopicsFormat.csv)
    target = None if output is None else check_output(output, overwrite=force, inputs=[model])
    estimator = load_model(model)
    found = estimator.topics(top=top, by=by.value)
    targets = topic_targets(estimator)
    typical = typical_documents(estimator, documents)
    table = topics_table(listed_topics(estimator, top, by.value), targets, typical)
    if target is None and chosen is TopicsFormat.table:
        table.show()
        return
    if chosen is TopicsFormat.table:
        text = table.plain()
    elif chosen is TopicsFormat.csv:
        text = topics_csv(found, targets, safe=safe_csv)
    else:
        text = topics_json(found, targets, typical)
    if target is None:
        print_text(text)
    else:
        replace_file(target, lambda file: file.write(f"{text}\n".encode()))


def _show_groups(path: Path, per: str | None, over: Any, output: Path | None, *, force: bool, safe_csv: bool) -> None:
    """Print the topics of groups of documents, or write one row per group and topic to a table."""
    suffix = None if output is None else check_table_name(output)
    check_safe_csv(safe_csv, suffix == ".csv")
    target = None if output is None else check_output(output, overwrite=force, inputs=[path])
    model = load_model(path)
    if per is not None:
        _check_field(model, per)
    frame = model.topics_over(over) if per is None else model.topics_per(per)
    if target is not None and suffix is not None:
        with open_table(target, suffix, safe_csv=safe_csv) as write:
            write(frame)
        print_text(f"wrote {output}: {counted(frame.height, 'row')}")
        return
    if per is None:
        over_table(frame).show()
        return
    table, more = per_table(frame, per)
    table.show()
    if more:
        print_text(f"and {counted(more, 'value')} more; -o FILE.csv writes all")


def _check_field(model: Any, field: str) -> None:
    """Raise an error that names options of plait fit if a model does not know a field of its documents."""
    try:
        model.documents_.field(field)
    except PlaitError as error:
        kept = getattr(model, "reading_options_", {})
        named = {kept.get("label_field"): "label", kept.get("split_field"): "split"}
        if field in named:
            raise PlaitError(f"{field} was read as the {named[field]}: use --per {named[field]}") from None
        known = str(error).partition("; it knows ")[2].partition(";")[0]
        raise PlaitError(
            f"the model knows no field {field!r} of its documents{f'; it knows {known}' if known else ''}; fit it with "
            f"--metadata {field}"
            + (", or use --per label if it was read as the label" if model.documents_.labels is not None else "")
        ) from None


def _format_of(output: Path | None) -> TopicsFormat:
    suffix = "" if output is None else output.suffix.lower().removeprefix(".")
    return TopicsFormat(suffix) if suffix in ("csv", "json") else TopicsFormat.table
