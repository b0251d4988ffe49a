"""Predicted links in a report: which topics link to which, and some links that documents seem to miss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.report.summary.topics import TopicName, WeighedTopic

_MOST_PAIRS = 12
_DOCUMENTS = 10  # that links are suggested for; more would take long
_SUGGESTIONS = 3  # for each
_REASONS = 2  # for each suggestion


@dataclass(frozen=True)
class TopicPair:
    """Two topics, and how readily documents of the one link to documents of the other."""

    source: TopicName
    target: TopicName
    weight: float


@dataclass(frozen=True)
class SuggestedLink:
    """A document that another should be linked with, and the pairs of topics that speak for it."""

    document: str
    score: float
    reasons: tuple[tuple[TopicName, TopicName], ...]


@dataclass(frozen=True)
class MissingLinks:
    """What is suggested for a document."""

    document: str
    n_links: int  # that it has
    suggestions: tuple[SuggestedLink, ...]


@dataclass(frozen=True)
class Links:
    """The links that a model predicts."""

    directed: bool
    n_links: int
    n_unlinked: int  # documents without any
    to_themselves: tuple[WeighedTopic, ...]  # topics that speak for links, most first
    to_others: tuple[TopicPair, ...]
    missing: tuple[MissingLinks, ...]  # of the documents with most links
    n_documents: int


def summarise_links(model: Any, names: Mapping[int, TopicName]) -> Links | None:
    """Read what a model says of links; None where it predicts none."""
    if not hasattr(model, "topic_links"):
        return None
    found = model.topic_links(top=len(names) + _MOST_PAIRS)  # at most one of a topic is with itself
    pairs = [pair for pair in found if pair.weight > 0]
    own = [WeighedTopic(names[pair.source], pair.weight) for pair in pairs if pair.source == pair.target]
    others = [
        TopicPair(names[pair.source], names[pair.target], pair.weight) for pair in pairs if pair.source != pair.target
    ]
    return Links(
        bool(model.directed_),
        int(model.n_links_),
        int(model.n_unlinked_),
        tuple(own[:_MOST_PAIRS]),
        tuple(others[:_MOST_PAIRS]),
        tuple(_missing(model, names)),
        int(model.links_.shape[0]),
    )


def _missing(model: Any, names: Mapping[int, TopicName]) -> Iterable[MissingLinks]:
    """Suggest links for the documents that have most."""
    n_documents = model.links_.shape[0]
    linked = np.diff(model.links_.indptr) + np.bincount(model.links_.indices, minlength=n_documents)
    rows = np.argsort(-linked, kind="stable")[:_DOCUMENTS]
    for row, found in zip(rows, model.suggest_missing_links(rows, top=_SUGGESTIONS), strict=True):
        suggestions = tuple(
            SuggestedLink(
                one.id,
                one.score,
                tuple((names[reason.topic], names[reason.other]) for reason in one.reasons[:_REASONS]),
            )
            for one in found
        )
        if suggestions:  # a document that is linked with all others misses none
            # In a stream the links are those of the last slice, whose ids come last.
            ids = None if model.doc_ids_ is None else model.doc_ids_[-n_documents:]
            yield MissingLinks(str(row if ids is None else ids[row]), int(linked[row]), suggestions)
