"""`plait topics`: the words of each topic, for people or for programs."""

from __future__ import annotations

import csv
import io
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.models import ModelPath, load_model
from plait.cli.outputs import Force, check_output, written_whole
from plait.cli.screen import Table

if TYPE_CHECKING:
    from plait.models.description import Topic


class Ranking(StrEnum):
    """By what the words of a topic are ranked."""

    probability = "probability"
    relevance = "relevance"


class TopicsFormat(StrEnum):
    """How topics are written."""

    table = "table"
    csv = "csv"
    json = "json"


def topics(
    model: ModelPath,
    top: Annotated[int, typer.Option("--top", min=1, help="How many words of each topic.")] = 10,
    by: Annotated[
        Ranking,
        typer.Option("--by", help="Words that are most probable, or most telling of a topic (relevance)."),
    ] = Ranking.probability,
    format: Annotated[
        TopicsFormat | None,
        typer.Option(
            "--format",
            help="table for people; csv has a row a word (topic, share, rank, word, weight); json has it all.",
            show_default="by the name of the output file, else table",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write to.", show_default="standard output"),
    ] = None,
    force: Force = False,
) -> None:
    """Print the topics of a model: their shares of all words, and their first words."""
    target = None if output is None else check_output(output, overwrite=force)
    found = load_model(model).topics(top=top, by=by.value)
    chosen = format or _format_of(output)
    if target is None:
        if chosen is TopicsFormat.table:
            topics_table(found).show()
        else:
            print(_TEXTS[chosen](found))
        return
    with written_whole(target) as part:
        part.write_text(_TEXTS[chosen](found) + "\n", encoding="utf-8", newline="\n")


def topics_table(found: list[Topic]) -> Table:
    """Lay the topics out for people."""
    table = Table(["topic", "share", "words"], right={"topic", "share"})
    for topic in found:
        table.add(str(topic.index), f"{topic.share:.1%}", " ".join(topic.words))
    return table


def _format_of(output: Path | None) -> TopicsFormat:
    suffix = "" if output is None else output.suffix.lower().removeprefix(".")
    return TopicsFormat(suffix) if suffix in ("csv", "json") else TopicsFormat.table


def _as_csv(found: list[Topic]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["topic", "share", "rank", "word", "weight"])
    for topic in found:
        for rank, (word, weight) in enumerate(zip(topic.words, topic.weights, strict=True), start=1):
            writer.writerow([topic.index, topic.share, rank, word, weight])
    return text.getvalue().rstrip("\n")


def _as_json(found: list[Topic]) -> str:
    def plain(topic: Topic) -> dict[str, Any]:
        words = [{"word": word, "weight": weight} for word, weight in zip(topic.words, topic.weights, strict=True)]
        return {"topic": topic.index, "share": topic.share, "words": words}

    return json.dumps([plain(topic) for topic in found], ensure_ascii=False, indent=1)


_TEXTS = {
    TopicsFormat.table: lambda found: topics_table(found).plain(),
    TopicsFormat.csv: _as_csv,
    TopicsFormat.json: _as_json,
}
