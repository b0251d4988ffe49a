"""Influence between documents in a report: the most influential documents and the strongest links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_MAX_DOCUMENTS = 12
_MAX_INFLUENCED = 4  # per influential document
_MAX_LINKS = 12


@dataclass(frozen=True)
class InfluenceLink:
    """A document that borrows tokens from another document.

    Attributes
    ----------
    document : str
        The document that borrows.
    source : str
        The document it borrows from.
    share : float
        Borrowed tokens as a share of the document.
    words : float
        Number of borrowed tokens.
    title : str
        Title of the document; "" if it is not known.
    source_title : str
        Title of the document it borrows from.
    """

    document: str
    source: str
    share: float
    words: float
    title: str
    source_title: str


@dataclass(frozen=True)
class InfluentialDocument:
    """A document that others borrow tokens from.

    Attributes
    ----------
    document : str
        The document.
    title : str
        Its title; "" if it is not known.
    words : float
        Number of tokens that others borrow from it.
    n_candidates : int
        Number of documents that have it as a source document.
    influenced : tuple of InfluenceLink
        The documents that borrow most from it.
    """

    document: str
    title: str
    words: float
    n_candidates: int
    influenced: tuple[InfluenceLink, ...]


@dataclass(frozen=True)
class Influence:
    """Influence between documents.

    Attributes
    ----------
    borrowed_share : float
        Share of all tokens that are borrowed from other documents.
    n_cut_links : int
        Number of links that were not used.
    documents : tuple of InfluentialDocument
        The most influential documents.
    n_left_out : int
        Number of further documents that others borrow from.
    links : tuple of InfluenceLink
        The links with most borrowed tokens.
    """

    borrowed_share: float
    n_cut_links: int
    documents: tuple[InfluentialDocument, ...]
    n_left_out: int
    links: tuple[InfluenceLink, ...]


def summarise_influence(model: Any) -> Influence | None:
    """Return the influence between documents.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.

    Returns
    -------
    Influence or None
        Plain data; None if the model has no source documents.
    """
    if not hasattr(model, "most_influential"):
        return None
    every = [one for one in model.most_influential(top=model.influence_.shape[0]) if one.words > 0]
    found = tuple(
        InfluentialDocument(one.document, one.title, one.words, one.documents, _most_influenced(model, one.document))
        for one in every[:_MAX_DOCUMENTS]
    )
    return Influence(
        sum(one.words for one in every) / float(model.word_counts_.sum()),
        int(model.n_cut_links_),
        found,
        len(every) - len(found),
        tuple(map(_link, model.strongest_links(_MAX_LINKS))),
    )


def _most_influenced(model: Any, document: str) -> tuple[InfluenceLink, ...]:
    """Return the documents that borrow most from a document."""
    source = int(document) if model.doc_ids_ is None else document
    return tuple(map(_link, model.strongest_links(_MAX_INFLUENCED, source=source)))


def _link(link: Any) -> InfluenceLink:
    return InfluenceLink(link.document, link.source, link.share, link.words, link.title, link.source_title)
