"""What a report says of a model, as plain data: read from the model's public answers, with no HTML in it.

One file a section. A section that a model has nothing for is None. Models stand above views, so what a model can
answer is asked of itself (`hasattr`), and nothing of its inside is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plait._utils.validation import check_whole
from plait.errors import PlaitError
from plait.report.summary.head import Head, summarise_head
from plait.report.summary.influence import Influence, summarise_influence
from plait.report.summary.labels import Labels, summarise_labels
from plait.report.summary.links import Links, summarise_links
from plait.report.summary.stream import Stream, summarise_stream
from plait.report.summary.topics import Topics, name_topics, summarise_topics
from plait.report.summary.values import Values, summarise_values

__all__ = ["Summary", "summarise"]


@dataclass(frozen=True)
class Summary:
    """All that a report says of a model; `dataclasses.asdict` makes JSON of it."""

    head: Head
    topics: Topics
    labels: Labels | None
    values: Values | None
    links: Links | None
    influence: Influence | None
    stream: Stream | None


def summarise(model: Any, *, words: int = 10, documents: int = 5) -> Summary:
    """Read a fitted model into plain data.

    Parameters
    ----------
    model
        A fitted model of plait.
    words, documents
        How many words and typical documents of each topic.

    Examples
    --------
    >>> from plait import LDA, Corpus
    >>> corpus = Corpus.from_texts(["river stream bank", "money loan bank"] * 5)
    >>> summary = summarise(LDA(n_topics=2, random_state=0, verbose=False).fit(corpus))
    >>> summary.head.model, summary.head.n_documents, len(summary.topics.topics), summary.labels
    ('LDA', 10, 2, None)
    """
    check_whole("words", words, least=1)
    check_whole("documents", documents, least=1)
    if not hasattr(model, "typical_documents"):
        raise PlaitError(f"a report is of a fitted model of plait, such as LDA, not of a {type(model).__name__}")
    topics = summarise_topics(model, words, documents)
    names = name_topics(model)
    return Summary(
        summarise_head(model),
        topics,
        summarise_labels(model, names),
        summarise_values(model, names),
        summarise_links(model, names),
        summarise_influence(model),
        summarise_stream(model, names),
    )
