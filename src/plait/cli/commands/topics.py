"""`plait topics`: the words of each topic, for people or for programs."""

from __future__ import annotations

import csv
import io
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plait.cli.models import ModelPath, Target, load_model, target_of
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
            help="table for people; csv has a row a word; json has it all.",
            show_default="by the name of the output file, else table",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write to.", show_default="standard output"),
    ] = None,
    force: Force = False,
) -> None:
    """Print the topics of a model: their shares of all words, and their first words.

    For a model with labels, also the label that each topic speaks for most; for one of numbers, the number.
    """
    target = None if output is None else check_output(output, overwrite=force)
    estimator = load_model(model)
    found = estimator.topics(top=top, by=by.value)
    meanings = topic_meanings(estimator)
    chosen = format or _format_of(output)
    if target is None:
        if chosen is TopicsFormat.table:
            topics_table(found, meanings).show()
        else:
            print(_TEXTS[chosen](found, meanings))
        return
    with written_whole(target) as part:
        part.write_text(_TEXTS[chosen](found, meanings) + "\n", encoding="utf-8", newline="\n")


def topic_meanings(model: Any) -> list[Any]:
    """Return what each topic says besides words: a label (None for none), or a number; nothing for words alone."""
    target = target_of(model)
    if target is None:
        return []
    if target is Target.values:
        return [float(weight) for weight in model.weights_]
    weights, labels = model.weights_, model.classes_.tolist()
    if len(weights) < len(labels):  # two labels: what speaks for one speaks against the other
        return [labels[int(weight > 0)] for weight in weights[0]]
    return [labels[best] if column[best] > 0 else None for column in weights.T for best in [column.argmax()]]


def topics_table(found: list[Topic], meanings: list[Any]) -> Table:
    """Lay the topics out for people."""
    numbers = meanings and isinstance(meanings[0], float)
    column = ["number" if numbers else "speaks for"] if meanings else []
    table = Table(["topic", "share", *column, "words"], right={"topic", "share", "number"})
    for topic in found:
        meaning = meanings[topic.index : topic.index + 1]
        shown = [f"{value:,.4g}" if numbers else "" if value is None else str(value) for value in meaning]
        table.add(str(topic.index), f"{topic.share:.1%}", *shown, " ".join(topic.words))
    return table


def _format_of(output: Path | None) -> TopicsFormat:
    suffix = "" if output is None else output.suffix.lower().removeprefix(".")
    return TopicsFormat(suffix) if suffix in ("csv", "json") else TopicsFormat.table


def _as_csv(found: list[Topic], meanings: list[Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["topic", "share", *(["speaks_for"] if meanings else []), "rank", "word", "weight"])
    for topic in found:
        meaning = meanings[topic.index : topic.index + 1]
        for rank, (word, weight) in enumerate(zip(topic.words, topic.weights, strict=True), start=1):
            writer.writerow([topic.index, topic.share, *meaning, rank, word, weight])
    return text.getvalue().rstrip("\n")


def _as_json(found: list[Topic], meanings: list[Any]) -> str:
    def plain(topic: Topic) -> dict[str, Any]:
        words = [{"word": word, "weight": weight} for word, weight in zip(topic.words, topic.weights, strict=True)]
        meaning = {"speaks_for": meanings[topic.index]} if meanings else {}
        return {"topic": topic.index, "share": topic.share, **meaning, "words": words}

    return json.dumps([plain(topic) for topic in found], ensure_ascii=False, indent=1)


_TEXTS = {
    TopicsFormat.table: lambda found, meanings: topics_table(found, meanings).plain(),
    TopicsFormat.csv: _as_csv,
    TopicsFormat.json: _as_json,
}
