"""`plait topics`: the words of each topic, for people or for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from plait.cli.io.outputs import Force, check_output, written_whole
from plait.cli.options.models import ModelPath, load_model, target_of, weights_of
from plait.cli.options.used_responses import Target
from plait.cli.show.screen import Table

if TYPE_CHECKING:
    from plait.models.answers.topics import Topic


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

    For a model with labels, also the label that each topic speaks for most; for one of numbers, the number; for
    one with links, the topic that it links to most readily.
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


class Meanings(NamedTuple):
    """What topics say besides words: the name of the column, its name in files, and a value for each topic."""

    column: str = ""
    key: str = ""
    values: Sequence[Any] = ()

    def of(self, topic: Topic) -> list[Any]:
        """Return what one topic says, as a list of one; an empty list for words alone."""
        return list(self.values[topic.index : topic.index + 1])

    def shown(self, topic: Topic) -> list[str]:
        """Return the same for people."""
        return ["" if value is None else _SHOWN.get(self.column, str)(value) for value in self.of(topic)]


_SHOWN: dict[str, Callable[[Any], str]] = {
    "number": lambda number: f"{number:,.4g}",
    "links to": lambda link: f"{link['topic']} ({link['weight']:+.2f})",
}


def topic_meanings(model: Any) -> Meanings:
    """Return the label that each topic speaks for (None for none), its number, or the topic that it links to most."""
    target = target_of(model)
    if target is None:
        return Meanings()
    weights = weights_of(model, target)
    if target is Target.values:
        return Meanings("number", "speaks_for", [float(weight) for weight in weights])
    if target is Target.links:
        most = [{"topic": int(row.argmax()), "weight": float(row.max())} for row in weights]
        return Meanings("links to", "links_to", most)
    labels = model.classes_.tolist()
    if len(weights) < len(labels):  # two labels: what speaks for one speaks against the other
        spoken_for = [labels[int(weight > 0)] for weight in weights[0]]
    else:
        spoken_for = [labels[best] if column[best] > 0 else None for column in weights.T for best in [column.argmax()]]
    return Meanings("speaks for", "speaks_for", spoken_for)


def topics_table(found: list[Topic], meanings: Meanings) -> Table:
    """Lay the topics out for people."""
    named = _has_names(found)
    columns = ["name"] * named + ([meanings.column] if meanings.column else [])
    table = Table(["topic", "share", *columns, "words"], right={"topic", "share", "number"})
    for topic in found:
        said = [topic.name] * named + meanings.shown(topic)
        table.add(str(topic.index), f"{topic.share:.1%}", *said, " ".join(topic.words))
    return table


def _has_names(found: list[Topic]) -> bool:
    """Whether the prior had names for topics."""
    return any(topic.name for topic in found)


def _format_of(output: Path | None) -> TopicsFormat:
    suffix = "" if output is None else output.suffix.lower().removeprefix(".")
    return TopicsFormat(suffix) if suffix in ("csv", "json") else TopicsFormat.table


def _as_csv(found: list[Topic], meanings: Meanings) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    named = _has_names(found)
    columns = ["name"] * named + ([meanings.key] if meanings.key else [])
    writer.writerow(["topic", "share", *columns, "rank", "word", "weight"])
    for topic in found:
        said = [topic.name] * named
        said += [value["topic"] if isinstance(value, dict) else value for value in meanings.of(topic)]
        for rank, (word, weight) in enumerate(zip(topic.words, topic.weights, strict=True), start=1):
            writer.writerow([topic.index, topic.share, *said, rank, word, weight])
    return text.getvalue().rstrip("\n")


def _as_json(found: list[Topic], meanings: Meanings) -> str:
    def plain(topic: Topic) -> dict[str, Any]:
        words = [{"word": word, "weight": weight} for word, weight in zip(topic.words, topic.weights, strict=True)]
        meaning: dict[str, Any] = {"name": topic.name} if _has_names(found) else {}
        meaning |= dict(zip([meanings.key], meanings.of(topic), strict=False))  # nothing for words alone
        return {"topic": topic.index, "share": topic.share, **meaning, "words": words}

    return json.dumps([plain(topic) for topic in found], ensure_ascii=False, indent=1)


_TEXTS = {
    TopicsFormat.table: lambda found, meanings: topics_table(found, meanings).plain(),
    TopicsFormat.csv: _as_csv,
    TopicsFormat.json: _as_json,
}
