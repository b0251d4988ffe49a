"""What a shard's documents hold: one topic per token, or a distribution over topics per distinct word.

`TokenState` and `ShareState` have one interface, so that shards and chains do not ask which of the two a sampler uses.
The compiled code is in samplers/kernels/{token,share}_{state,counts}.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from plait.errors import PlaitError
from plait.samplers.base import Counts, Documents, Factors, Sampler, Sources
from plait.samplers.kernels import share_counts, share_state, start, token_counts
from plait.samplers.kernels.aligned import aligned_copy
from plait.samplers.kernels.token_state import topic_type


class Assignments(ABC):
    """Topic assignments of one shard's documents.

    Parameters
    ----------
    documents : Documents
        The shard's words.
    sampler : Sampler
        Decides the type of the arrays.
    n_topics, width : int
        Number of topics, and the same padded to whole lanes.
    """

    count_type: ClassVar[type[np.number]]  # of topic–word counts, and of tokens per distinct word
    total_type: ClassVar[type[np.number]]  # of tokens per topic
    offset_type: ClassVar[type[np.number]]  # of the number of tokens before each document
    sum_type: ClassVar[type[np.number]]  # in which counts of several shards are added
    drifts: ClassVar[bool]  # whether running counts gather rounding errors and are rebuilt periodically

    def __init__(self, documents: Documents, sampler: Sampler, n_topics: int, width: int) -> None:
        self.documents = documents
        self.sampler = sampler
        self.n_topics = n_topics
        self.width = width

    @property
    @abstractmethod
    def kernel_state(self) -> Any:
        """The arrays that the sampler's compiled sweep changes."""

    @abstractmethod
    def start(self, counts: Counts, factors: Factors, key: np.uint64) -> None:
        """Draw initial topics from the priors alone."""

    @abstractmethod
    def recount(self, n_words: int, sources: Sources | None) -> np.ndarray:
        """Return topic–word counts rebuilt from the assignments, rows × width, and rebuild the other counts."""

    @abstractmethod
    def doc_topic(self) -> np.ndarray:
        """Return document–topic counts, documents × topics."""

    @abstractmethod
    def arrays(self, sources: Sources | None) -> dict[str, np.ndarray]:
        """Return everything that the next sweep depends on."""

    @abstractmethod
    def sizes(self, sources: Sources | None) -> dict[str, int]:
        """Return the length of each array that `load` takes."""

    @abstractmethod
    def load(self, arrays: dict[str, np.ndarray], sources: Sources | None) -> None:
        """Take over arrays that `arrays` returned."""


class TokenState(Assignments):
    """Each token holds one topic."""

    count_type = np.int32
    total_type = np.int64
    offset_type = np.int64
    sum_type = np.int64
    drifts = False

    topics: np.ndarray

    @property
    def kernel_state(self) -> np.ndarray:
        """The topic of every token."""
        return self.topics

    def start(self, counts: Counts, factors: Factors, key: np.uint64) -> None:
        """Draw a topic for every token."""
        self.topics = start.start_tokens(self.documents, counts, factors, key)

    def recount(self, n_words: int, sources: Sources | None) -> np.ndarray:
        """Count topics per word, and topics per source document."""
        if sources is not None:
            token_counts.count_sources(self.documents, self.topics, sources)
        return token_counts.count_words(self.documents, self.topics, n_words, self.width).reshape(-1, self.width)

    def doc_topic(self) -> np.ndarray:
        """Count topics per document."""
        return token_counts.count_documents(self.documents, self.topics, self.n_topics)

    def arrays(self, sources: Sources | None) -> dict[str, np.ndarray]:
        """Return the topics, and with linked documents the source of every token."""
        if sources is None:
            return {"topics": self.topics}
        assert sources.drawn is not None
        return {"topics": self.topics, "sources": sources.drawn}

    def sizes(self, sources: Sources | None) -> dict[str, int]:
        """Return the number of tokens for each array."""
        n_tokens = int(self.documents.offsets[-1])
        return {"topics": n_tokens} if sources is None else {"topics": n_tokens, "sources": n_tokens}

    def load(self, arrays: dict[str, np.ndarray], sources: Sources | None) -> None:
        """Take over topics, and sources with linked documents."""
        self.topics = aligned_copy(arrays["topics"], topic_type(self.n_topics))
        if sources is not None:
            assert sources.drawn is not None
            n_candidates = np.repeat(np.diff(sources.starts), np.diff(self.documents.offsets))
            if (arrays["sources"] >= n_candidates).any():
                raise PlaitError(
                    "the checkpoint is damaged: a token draws from a document that its own does not link to; fit again"
                )
            sources.drawn[:] = arrays["sources"]


class ShareState(Assignments):
    """Each distinct word of a document holds a distribution over topics, so counts are real numbers."""

    count_type = np.float32
    total_type = np.float64
    offset_type = np.float64
    sum_type = np.float64
    drifts = True

    state: share_state.Shares

    @property
    def kernel_state(self) -> share_state.Shares:
        """The shares, and the document–topic counts that follow from them."""
        return self.state

    def start(self, counts: Counts, factors: Factors, key: np.uint64) -> None:
        """Give every distinct word of every document one topic."""
        share_type = self.sampler.share_type
        shares = start.start_shares(self.documents, counts, factors, key, share_type)
        self.state = share_state.Shares(shares, self._count_documents(shares, counts.sources))

    def recount(self, n_words: int, sources: Sources | None) -> np.ndarray:
        """Add up the shares per word, per document and per source document."""
        shares = self.state.shares
        self.state.doc_topic[:] = self._count_documents(shares, sources)
        if sources is not None:
            share_counts.count_sources(self.documents, shares, sources, self.width)
        return share_counts.count_words(self.documents, shares, n_words, self.width, sources).reshape(-1, self.width)

    def doc_topic(self) -> np.ndarray:
        """Return the running document–topic counts."""
        return self.state.doc_topic.reshape(-1, self.width)[:, : self.n_topics].astype(np.float64)

    def arrays(self, sources: Sources | None) -> dict[str, np.ndarray]:
        """Return shares and document–topic counts, and with linked documents the tokens per source."""
        arrays = {"shares": self.state.shares, "doc_shares": self.state.doc_topic}
        return arrays if sources is None else arrays | {"taken": sources.taken}

    def sizes(self, sources: Sources | None) -> dict[str, int]:
        """Return the length of each array."""
        sizes = {"shares": int(share_state.share_starts(self.documents, sources, self.width)[-1])}
        sizes["doc_shares"] = (self.documents.starts.size - 1) * self.width
        return sizes if sources is None else sizes | {"taken": sources.taken.size}

    def load(self, arrays: dict[str, np.ndarray], sources: Sources | None) -> None:
        """Take over shares; shares of another type, as earlier versions kept them, are converted."""
        shares = arrays["shares"]
        if shares.dtype not in (np.float32, np.uint16):
            raise PlaitError(f"the checkpoint is damaged: shares of words are {shares.dtype}, not uint16 or float32")
        if shares.dtype == self.sampler.share_type:
            shares, doc_topic = aligned_copy(shares), aligned_copy(arrays["doc_shares"], np.float32)
        else:
            shares = share_state.shares_as(aligned_copy(shares), self.sampler.share_type)
            doc_topic = self._count_documents(shares, sources)
        self.state = share_state.Shares(shares, doc_topic)
        if sources is not None:
            sources.taken[:] = arrays["taken"]

    def _count_documents(self, shares: np.ndarray, sources: Sources | None) -> np.ndarray:
        return share_counts.count_documents(self.documents, shares, self.width, sources)


STATES: dict[str, type[Assignments]] = {"tokens": TokenState, "shares": ShareState}
