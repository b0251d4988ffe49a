"""Links in a report: link weights between topics, and suggested missing links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.report.summary.topics import TopicName, WeightedTopic

_MAX_PAIRS = 12
_DOCUMENTS = 10  # with suggestions; more would be slow
_SUGGESTIONS = 3  # per document
_REASONS = 2  # per suggestion


@dataclass(frozen=True)
class TopicPair:
    """Two topics and their link weight.

    Attributes
    ----------
    source : TopicName
        Topic of the linking document.
    target : TopicName
        Topic of the linked document.
    weight : float
        Link weight; links between documents of the two topics are more likely if it is larger.
    """

    source: TopicName
    target: TopicName
    weight: float


@dataclass(frozen=True)
class SuggestedLink:
    """A suggested link of a document.

    Attributes
    ----------
    document : str
        The other document.
    title : str
        Its title; "" if it is not known.
    score : float
        Predicted score of the link.
    value : float
        Mean of the linear predictor, which tells scores near 1 apart: for probabilities, the log-odds.
    reasons : tuple of tuple of (TopicName, TopicName)
        Pairs of topics that contribute most to the score.
    """

    document: str
    title: str
    score: float
    value: float
    reasons: tuple[tuple[TopicName, TopicName], ...]


@dataclass(frozen=True)
class MissingLinks:
    """Suggested links of one document.

    Attributes
    ----------
    document : str
        The document.
    title : str
        Its title; "" if it is not known.
    n_links : int
        Number of its links.
    suggestions : tuple of SuggestedLink
        Links that it does not have, the highest score first.
    """

    document: str
    title: str
    n_links: int
    suggestions: tuple[SuggestedLink, ...]


@dataclass(frozen=True)
class Links:
    """The links that a model predicts.

    Attributes
    ----------
    directed : bool
        Whether links have a direction.
    n_links : int
        Number of training links.
    n_unlinked : int
        Number of training documents without links.
    within_topics : tuple of WeightedTopic
        Topics with a positive link weight to themselves, the largest first.
    between_topics : tuple of TopicPair
        Pairs of different topics with a positive link weight, the largest first.
    missing : tuple of MissingLinks
        Suggestions for the documents with most links.
    n_documents : int
        Number of documents.
    """

    directed: bool
    n_links: int
    n_unlinked: int
    within_topics: tuple[WeightedTopic, ...]
    between_topics: tuple[TopicPair, ...]
    missing: tuple[MissingLinks, ...]
    n_documents: int


def summarise_links(model: Any, names: Mapping[int, TopicName]) -> Links | None:
    """Return link weights and suggested links.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    names : mapping of int to TopicName
        Names of the topics.

    Returns
    -------
    Links or None
        Plain data; None if the model does not predict links.
    """
    if not hasattr(model, "topic_links"):
        return None
    found = model.topic_links(top=len(names) + _MAX_PAIRS)  # at most one pair per topic is with itself
    pairs = [pair for pair in found if pair.weight > 0]
    own = [WeightedTopic(names[pair.source], pair.weight) for pair in pairs if pair.source == pair.target]
    others = [
        TopicPair(names[pair.source], names[pair.target], pair.weight) for pair in pairs if pair.source != pair.target
    ]
    return Links(
        bool(model.directed_),
        int(model.n_links_),
        int(model.n_unlinked_),
        tuple(own[:_MAX_PAIRS]),
        tuple(others[:_MAX_PAIRS]),
        tuple(_suggest_links(model, names)),
        int(model.links_.shape[0]),
    )


def _suggest_links(model: Any, names: Mapping[int, TopicName]) -> Iterable[MissingLinks]:
    """Yield suggested links for the documents with most links."""
    n_documents = model.links_.shape[0]
    linked = np.diff(model.links_.indptr) + np.bincount(model.links_.indices, minlength=n_documents)
    rows = np.argsort(-linked, kind="stable")[:_DOCUMENTS]
    for row, found in zip(rows, model.suggest_missing_links(rows, top=_SUGGESTIONS), strict=True):
        suggestions = tuple(
            SuggestedLink(
                one.id,
                one.title,
                one.score,
                one.value,
                tuple((names[reason.topic], names[reason.other]) for reason in one.reasons[:_REASONS]),
            )
            for one in found
        )
        if suggestions:  # none for a document that is linked with all others
            # In a stream, the links are those of the last time slice, whose documents are the last ones.
            known, place = model.documents_, len(model.documents_) - n_documents + row
            name = str(row) if known.ids is None else known.id(place)
            yield MissingLinks(name, known.title(place), int(linked[row]), suggestions)
