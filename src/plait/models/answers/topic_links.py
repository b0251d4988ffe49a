"""Link weights between topics, with the words of the topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plait._utils.text import printable
from plait.models.answers.topics import Topic

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class TopicLink:
    """Link weight of a pair of topics: above 0 it speaks for a link, below 0 against it."""

    source: int
    target: int
    weight: float
    source_words: list[str]
    target_words: list[str]
    directed: bool = True
    source_name: str = ""
    target_name: str = ""

    def __str__(self) -> str:
        way = "links to" if self.directed else "is linked with"
        source = _show(self.source, self.source_name, self.source_words)
        target = _show(self.target, self.target_name, self.target_words)
        return printable(f"{self.weight:+.2f}  {source} {way} {target}")


def _show(topic: int, name: str, words: list[str]) -> str:
    return f"topic {topic} ({f'{name}: ' if name else ''}{', '.join(words)})"


def list_topic_links(weights: np.ndarray, topics: list[Topic], directed: bool, top: int) -> list[TopicLink]:
    """Return the pairs of topics with the highest weights; without direction, each pair once."""
    places = np.indices(weights.shape).reshape(2, -1) if directed else np.array(np.tril_indices(len(weights)))[::-1]
    order = np.argsort(-weights[places[0], places[1]], kind="stable")[:top]
    return [
        TopicLink(
            int(source),
            int(target),
            float(weights[source, target]),
            topics[source].words,
            topics[target].words,
            directed,
            topics[source].name,
            topics[target].name,
        )
        for source, target in places[:, order].T
    ]


def weights_table(weights: np.ndarray, topics: list[Topic]) -> pl.DataFrame:
    """Return the weights as a table: one row per topic that links, one column per topic that is linked to."""
    import polars as pl

    names = [f"{topic.index} {topic.name or ' '.join(topic.words)}" for topic in topics]
    columns = {"topic": names} | {name: weights[:, number] for number, name in enumerate(names)}
    return pl.DataFrame(columns)
