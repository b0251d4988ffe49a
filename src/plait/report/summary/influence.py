"""Influence in a report: the documents that others draw words from, and the links along which most is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_MOST_DOCUMENTS = 12
_MOST_FOLLOWERS = 4  # of each
_MOST_LINKS = 12


@dataclass(frozen=True)
class Draws:
    """A document that draws from another."""

    document: str
    source: str
    share: float  # of its words
    words: float


@dataclass(frozen=True)
class Influential:
    """A document that others draw from, and those that draw most."""

    document: str
    words: float
    n_followers: int  # documents that may draw from it
    followers: tuple[Draws, ...]


@dataclass(frozen=True)
class Influence:
    """Who shapes whom."""

    drawn: float  # share of all words that are drawn from other documents
    n_cut_links: int  # links that were not followed
    documents: tuple[Influential, ...]
    n_left_out: int
    links: tuple[Draws, ...]


def summarise_influence(model: Any) -> Influence | None:
    """Read who shapes whom; None where words draw from their own document only."""
    if not hasattr(model, "most_influential"):
        return None
    every = [one for one in model.most_influential(top=model.influence_.shape[0]) if one.words > 0]
    found = tuple(
        Influential(one.document, one.words, one.documents, _followers(model, one.document))
        for one in every[:_MOST_DOCUMENTS]
    )
    return Influence(
        sum(one.words for one in every) / float(model.word_counts_.sum()),
        int(model.n_cut_links_),
        found,
        len(every) - len(found),
        tuple(Draws(*link) for link in model.strongest_links(_MOST_LINKS)),
    )


def _followers(model: Any, document: str) -> tuple[Draws, ...]:
    known_by = int(document) if model.doc_ids_ is None else document
    return tuple(Draws(*link) for link in model.strongest_links(_MOST_FOLLOWERS, source=known_by))
