"""Connections as plain data: similar and linked topics, links of documents, and influence between documents."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sparse
from scipy.spatial.distance import squareform

from plait.models.answers.similarity import topic_distances
from plait.models.answers.topics import first_places

if TYPE_CHECKING:
    from plait.serve.catalogue import Catalogue

_MOST_TOPICS = 1_000  # whose similarities are computed at once
_TOP = 5


class Connections:
    """Connections between the topics and between the documents of a model.

    Parameters
    ----------
    model : TopicEstimator
        A fitted model.
    catalogue : Catalogue
        Describes its topics and documents.
    """

    def __init__(self, model: Any, catalogue: Catalogue) -> None:
        self._model = model
        self._catalogue = catalogue

    @cached_property
    def _similarity(self) -> np.ndarray | None:
        n_topics = self._catalogue.n_topics
        if not 1 < n_topics <= _MOST_TOPICS:
            return None
        similarity: np.ndarray = 1.0 - squareform(topic_distances(self._model.topic_word_))
        np.fill_diagonal(similarity, -1.0)
        return similarity

    def similar_topics(self, topic: int, top: int = _TOP) -> list[dict[str, Any]]:
        """Return the topics with the most similar words."""
        if self._similarity is None:
            return []
        row = self._similarity[topic]
        order = [int(other) for other in first_places(row, top) if other != topic]
        return [{**self._catalogue.brief_topic(other), "similarity": float(row[other])} for other in order]

    def linked_topics(self, topic: int, top: int = _TOP) -> list[dict[str, Any]]:
        """Return the topics with the highest link weights; empty for a model that does not predict links."""
        if not self._catalogue.suggests_links:
            return []
        weights = getattr(self._model, "link_weights_", None)
        weights = self._model.weights_ if weights is None else weights
        row = 0.5 * (weights[topic] + weights[:, topic])
        order = [int(other) for other in first_places(row, top) if row[other] > 0]
        return [{**self._catalogue.brief_topic(other), "weight": float(row[other])} for other in order]

    @cached_property
    def links(self) -> sparse.csr_array | None:
        """Links between documents (sources × targets); None if the model keeps none."""
        found = getattr(self._model, "links_", None)
        return None if found is None else sparse.csr_array(found)

    @cached_property
    def _links_in(self) -> sparse.csr_array | None:
        return None if self.links is None else sparse.csr_array(self.links.T)

    def of_document(self, row: int, top: int) -> dict[str, Any]:
        """Return links to and from a document, suggested links, and influence on and of it."""
        return {
            "links_out": self._linked(self.links, row, top),
            "links_in": self._linked(self._links_in, row, top),
            "suggested": self._missing(row, min(top, _TOP)),
            "influencers": self._influencers(row, top),
            "influenced": self._influenced(row, top),
        }

    def _offset(self, n_rows: int) -> int:
        """Return the row of the first document whose links are known: in a stream that of the last slice."""
        return self._catalogue.n_documents - n_rows

    def _linked(self, links: sparse.csr_array | None, row: int, top: int) -> list[dict[str, Any]]:
        if links is None:
            return []
        offset = self._offset(links.shape[0])
        if row < offset:
            return []
        own = links.indices[links.indptr[row - offset] : links.indptr[row - offset + 1]]
        return [self._catalogue.brief_document(int(other) + offset) for other in own[:top]]

    def _missing(self, row: int, top: int) -> list[dict[str, Any]]:
        if not self._catalogue.suggests_links or self.links is None:
            return []
        offset = self._offset(self.links.shape[0])
        if row < offset:
            return []
        (found,) = self._model.suggest_missing_links([row - offset], top)
        return [self.suggestion(one) for one in found]

    def suggestion(self, found: Any) -> dict[str, Any]:
        """Return a suggested link with its reasons."""
        offset = 0 if self.links is None else self._offset(self.links.shape[0])
        row = self._catalogue.row_of.get(found.id)
        if row is None:
            row = int(found.id) + offset
        return {
            **self._catalogue.brief_document(row),
            "score": found.score,
            "reasons": [
                {
                    "topic": self._catalogue.brief_topic(reason.topic),
                    "other": self._catalogue.brief_topic(reason.other),
                    "contribution": reason.push,
                }
                for reason in found.reasons
            ],
        }

    def _influencers(self, row: int, top: int) -> list[dict[str, Any]]:
        if not self._catalogue.follows_links:
            return []
        offset = self._offset(self._model.influence_.shape[0])
        return [] if row < offset else self._shared(self._model.influence_, row - offset, offset, top)

    @cached_property
    def _influence_out(self) -> sparse.csc_array:
        return sparse.csc_array(self._model.influence_)

    def _influenced(self, row: int, top: int) -> list[dict[str, Any]]:
        if not self._catalogue.follows_links:
            return []
        offset = self._offset(self._influence_out.shape[0])
        return [] if row < offset else self._shared(self._influence_out, row - offset, offset, top)

    def _shared(self, table: Any, own: int, offset: int, top: int) -> list[dict[str, Any]]:
        """Return the documents of one row or column of a compressed table of shares, the largest share first."""
        entries = slice(table.indptr[own], table.indptr[own + 1])
        others, shares = table.indices[entries], table.data[entries]
        order = [at for at in np.argsort(-shares, kind="stable") if others[at] != own and shares[at] > 0][:top]
        return [
            {**self._catalogue.brief_document(int(others[at]) + offset), "share": float(shares[at])} for at in order
        ]
