"""`plait topics`: the words of each topic, as a table, CSV or JSON."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from plait.cli.io.outputs import Force, check_output
from plait.cli.io.safe_csv import SafeCsv, check_safe_csv
from plait.cli.options.models import ModelPath, load_model
from plait.cli.show.screen import print_text
from plait.cli.show.topics import topic_targets, topics_csv, topics_json, topics_table, typical_documents


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
    documents are those with the largest share of the topic.
    """
    from plait._utils.atomic import replace_file

    chosen = format or _format_of(output)
    check_safe_csv(safe_csv, chosen is TopicsFormat.csv)
    target = None if output is None else check_output(output, overwrite=force, inputs=[model])
    estimator = load_model(model)
    found = estimator.topics(top=top, by=by.value)
    targets = topic_targets(estimator)
    typical = typical_documents(estimator, documents)
    table = topics_table(found, targets, typical)
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


def _format_of(output: Path | None) -> TopicsFormat:
    suffix = "" if output is None else output.suffix.lower().removeprefix(".")
    return TopicsFormat(suffix) if suffix in ("csv", "json") else TopicsFormat.table
