"""The topics of a model as a table, CSV or JSON."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from plait._utils.text import cut, printable_json
from plait.cli.io.safe_csv import safe_cell
from plait.cli.options.models import target_of, weights_of
from plait.cli.options.targets import Target
from plait.cli.show.screen import Table

if TYPE_CHECKING:
    from plait.models.answers.topics import Topic


_DOCUMENTS = 2  # typical documents per topic
_CANDIDATES = 5  # times as many documents are looked at to find different titles
_TITLE = 50  # characters
_REPLY = re.compile(r"(?:(?:re|fwd?|aw|wg)(?:\[\d+\])?:\s*)+", re.IGNORECASE)


class TopicTargets(NamedTuple):
    """The label, number or topic that each topic predicts.

    Parameters
    ----------
    column : str
        Head of the column in a table.
    key : str
        Name in CSV and JSON.
    values : sequence
        One value per topic; empty for a model of words alone.
    """

    column: str = ""
    key: str = ""
    values: Sequence[Any] = ()

    def of(self, topic: Topic) -> list[Any]:
        """Return a list with the value of one topic; an empty list for a model of words alone.

        Parameters
        ----------
        topic : Topic
            A topic.

        Returns
        -------
        list
            At most one value.
        """
        return list(self.values[topic.index : topic.index + 1])

    def cells(self, topic: Topic) -> list[str]:
        """Return the same as cells of a table.

        Parameters
        ----------
        topic : Topic
            A topic.

        Returns
        -------
        list of str
            At most one cell.
        """
        return ["" if value is None else _FORMATS.get(self.column, str)(value) for value in self.of(topic)]


_FORMATS: dict[str, Callable[[Any], str]] = {
    "number": lambda number: f"{number:,.4g}",
    "links to": lambda link: f"{link['topic']} ({link['weight']:+.2f})",
}


def topic_targets(model: Any) -> TopicTargets:
    """Return the label with the largest weight of each topic, its number, or the topic with the largest link weight.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    TopicTargets
        The values; None for a topic without a label of positive weight.
    """
    target = target_of(model)
    if target is None:
        return TopicTargets()
    weights = weights_of(model, target)
    if target is Target.values:
        return TopicTargets("number", "speaks_for", [float(weight) for weight in weights])
    if target is Target.links:
        most = [{"topic": int(row.argmax()), "weight": float(row.max())} for row in weights]
        return TopicTargets("links to", "links_to", most)
    labels = model.classes_.tolist()
    if len(weights) < len(labels):  # two labels share one row of weights, with opposite signs
        found = [labels[int(weight > 0)] for weight in weights[0]]
    else:
        found = [labels[best] if column[best] > 0 else None for column in weights.T for best in [column.argmax()]]
    return TopicTargets("label", "speaks_for", found)


def listed_topics(model: Any, top: int = 10, by: str = "probability") -> list[Topic]:
    """Return the topics of a model for a table: without words that have no tokens in a topic.

    A topic with fewer words than asked for would otherwise be filled up with the first words of the vocabulary.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    top : int, default 10
        Number of words per topic.
    by : {"probability", "relevance"}, default "probability"
        Order of the words.

    Returns
    -------
    list of Topic
        One per topic; `words` may be shorter than `top`.
    """
    import numpy as np

    chains = model._chains()
    tokens = [sum(one.word_topic for one in chains.samples[chain]).tocsc() for chain in chains.first_chains]
    starts = np.cumsum([0, *(own.shape[1] for own in tokens)])
    names = model._word_names()
    listed = []
    for topic in model.topics(top=top, by=by):
        group = int(np.searchsorted(starts, topic.index, side="right")) - 1
        own = tokens[group][:, [topic.index - int(starts[group])]]
        known = set(names[own.indices[own.data > 0]])
        least = model.topic_word_[topic.index].min() * (1 + 1e-9)  # words that the prior makes likely are listed
        pairs = zip(topic.words, topic.weights, strict=True)
        kept = [(word, weight) for word, weight in pairs if word in known or weight > least]
        listed.append(replace(topic, words=[word for word, _ in kept], weights=[weight for _, weight in kept]))
    return listed


def typical_documents(model: Any, top: int | None) -> list[list[Any]]:
    """Return the typical documents of each topic to show: those with a title of their own come first.

    Answers of one discussion ("Re: …") share a title, and the first documents of a topic often are such answers.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    top : int or None
        Number of documents per topic; None: 2 if documents have titles.

    Returns
    -------
    list of list of TypicalDocument
        One list per topic; empty to show none.
    """
    if top is None:
        top = _DOCUMENTS if model.documents_.titles is not None else 0
    return [_by_title(own, top) for own in model.typical_documents(_CANDIDATES * top)] if top else []


def _by_title(documents: Sequence[Any], top: int) -> list[Any]:
    """Return the first documents with different titles, and others if there are too few."""
    firsts: dict[str, Any] = {}
    for one in documents:
        firsts.setdefault(_REPLY.sub("", one.name).casefold(), one)
    chosen = list(firsts.values())[:top]
    return chosen + [one for one in documents if not any(one is other for other in chosen)][: top - len(chosen)]


def topics_table(found: list[Topic], targets: TopicTargets, typical: Sequence[Sequence[Any]] = ()) -> Table:
    """Return a table of topics.

    Parameters
    ----------
    found : list of Topic
        The topics.
    targets : TopicTargets
        What each topic predicts.
    typical : sequence of sequence of TypicalDocument, default ()
        Typical documents of each topic.

    Returns
    -------
    Table
        The table.
    """
    named = _has_names(found)
    columns = ["name"] * named + ([targets.column] if targets.column else [])
    last = ["typical documents"] * bool(typical)
    table = Table(["topic", "share", *columns, "words", *last], right={"topic", "share", "number"}, most=1000)
    for topic in found:
        cells = [topic.name] * named + targets.cells(topic)
        names = ["; ".join(cut(one.name, _TITLE) for one in own) for own in typical[topic.index : topic.index + 1]]
        table.add(str(topic.index), f"{topic.share:.1%}", *cells, " ".join(topic.words), *names)
    return table


def topics_csv(found: list[Topic], targets: TopicTargets, *, safe: bool = False) -> str:
    """Return topics as CSV, one row per word.

    Parameters
    ----------
    found : list of Topic
        The topics.
    targets : TopicTargets
        What each topic predicts.
    safe : bool, default False
        Whether to protect texts that a spreadsheet would run as formulas.

    Returns
    -------
    str
        The table.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    named = _has_names(found)
    columns = ["name"] * named + ([targets.key] if targets.key else [])
    writer.writerow(["topic", "share", *columns, "rank", "word", "weight"])
    for topic in found:
        cells = [topic.name] * named
        cells += [value["topic"] if isinstance(value, dict) else value for value in targets.of(topic)]
        for rank, (word, weight) in enumerate(zip(topic.words, topic.weights, strict=True), start=1):
            row = [topic.index, topic.share, *cells, rank, word, weight]
            writer.writerow(map(safe_cell, row) if safe else row)
    return text.getvalue().rstrip("\n")


def topics_json(found: list[Topic], targets: TopicTargets, typical: Sequence[Sequence[Any]] = ()) -> str:
    """Return topics as JSON.

    Parameters
    ----------
    found : list of Topic
        The topics.
    targets : TopicTargets
        What each topic predicts.
    typical : sequence of sequence of TypicalDocument, default ()
        Typical documents of each topic.

    Returns
    -------
    str
        A list of objects.
    """

    def plain(topic: Topic) -> dict[str, Any]:
        words = [{"word": word, "weight": weight} for word, weight in zip(topic.words, topic.weights, strict=True)]
        more: dict[str, Any] = {"name": topic.name} if _has_names(found) else {}
        more |= dict(zip([targets.key], targets.of(topic), strict=False))  # nothing for words alone
        found_topic = {"topic": topic.index, "share": topic.share, **more, "words": words}
        if typical:
            own = typical[topic.index]
            found_topic["documents"] = [{"id": one.id, "title": one.title, "share": one.share} for one in own]
        return found_topic

    return printable_json([plain(topic) for topic in found])


def _has_names(found: list[Topic]) -> bool:
    """Return whether a topic has a name."""
    return any(topic.name for topic in found)
