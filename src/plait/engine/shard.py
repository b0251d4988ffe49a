"""A shard: a run of documents with their assignments, counts and auxiliary variables, which answers messages.

Inside a shard counts are live. What other shards do in a sweep is seen in the next one, after the chain has added up
all changes. The result therefore does not depend on how many threads or machines work, and with one shard the chain is
the exact one.

The public methods are what a chain may call through `Executor.each`: each takes one message and returns plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse

from plait.engine.assignments import STATES, Assignments
from plait.engine.checkpoint import check_arrays
from plait.engine.counts import ShardRows
from plait.engine.doc_topics import sparse_rows
from plait.engine.documents import StoredDocuments
from plait.engine.likelihood import log_likelihood
from plait.engine.messages import (
    Broadcast,
    LabelRequest,
    LinkedTopics,
    Priors,
    ReadState,
    ResponseRequest,
    RunningCounts,
    ShardCounts,
    SweepResult,
)
from plait.engine.state_files import StateFile, StoredState, arrays_of_response, write_arrays
from plait.errors import PlaitError
from plait.responses.base import DocTopics, ShardResponse, serial_map
from plait.responses.joining import join_observations
from plait.responses.linear.label_parts import cut_sums
from plait.samplers.base import Counts, Documents, Factors, Observations, Sampler, Sources, padded_width
from plait.samplers.kernels.aligned import aligned_copy
from plait.samplers.kernels.share_state import share_starts


class Shard:
    """A run of documents and everything that belongs to them.

    Parameters
    ----------
    number : int
        The shard's place in the order of the shards.
    documents : Documents or StoredDocuments
        The shard's words, numbered by row of its own topic–word table; or what reads them when they are first used.
    words : array of int64
        Word of the corpus (by falling frequency) for each row; rows shared with other shards come first.
    word_rows : ShardRows
        The shard's rows of the topic–word counts.
    sources : Sources or None
        Candidate source documents, where tokens may draw from linked documents. Its `source_topic` is not used.
    source_documents : array of int64
        Document of the corpus for each row of the counts per source document; shared rows come first.
    source_rows : ShardRows
        The shard's rows of the counts per source document.
    sampler : Sampler
        Draws the topics.
    n_topics : int
        Number of topics.
    responses : sequence of ShardResponse
        The shard's half of every response.
    exported : array of int64
        The shard's documents, by their number in the shard, that responses of other shards depend on.
    """

    def __init__(
        self,
        number: int,
        documents: Documents | StoredDocuments,
        words: np.ndarray,
        word_rows: ShardRows,
        sources: Sources | None,
        source_documents: np.ndarray,
        source_rows: ShardRows,
        sampler: Sampler,
        n_topics: int,
        responses: Sequence[ShardResponse] = (),
        exported: np.ndarray | None = None,
    ) -> None:
        self.number = number
        self._given_documents = documents
        self.words = words
        self.sampler = sampler
        self.n_topics = n_topics
        self.width = padded_width(n_topics)
        self.responses = list(responses)
        self.exported = exported
        self._word_rows = word_rows
        self._given_sources = sources
        self.source_documents = source_documents
        self._source_rows = source_rows
        self._factors: Factors

    # A shard is sent to its worker before these are used, so that documents are read where they are needed.

    @cached_property
    def documents(self) -> Documents:
        """The shard's words."""
        given = self._given_documents
        return given if isinstance(given, Documents) else given.read()

    @cached_property
    def lengths(self) -> np.ndarray:
        """Number of tokens of each document."""
        return np.diff(self.documents.offsets).astype(np.float64)

    @cached_property
    def state(self) -> Assignments:
        """The topics of the shard's tokens."""
        return STATES[self.sampler.state_form](self.documents, self.sampler, self.n_topics, self.width)

    @cached_property
    def _sources(self) -> Sources | None:
        given = self._given_sources
        if given is None or self.sampler.state_form != "shares":
            return given
        return given._replace(share_starts=share_starts(self.documents, given, self.width))

    @cached_property
    def _prepared(self) -> Any:
        return self.sampler.prepare(self.documents)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Run independent tasks of this shard; an executor may replace it to use several cores."""
        return serial_map(function, items)

    def set_priors(self, priors: Priors) -> None:
        """Take over α and β; of a prior table, the rows of the shard's words."""
        rows = _places(self.words, priors.words)
        table = None if priors.table is None else aligned_copy(priors.table[rows]).ravel()
        self._factors = Factors(self.n_topics, priors.alpha, priors.value, table, priors.sums, None)
        for response in self.responses:
            response.prepare()

    def start(self, key: np.uint64) -> None:
        """Draw initial topics; counts follow with `recount`."""
        empty = np.zeros(self._word_rows.n_rows * self.width, self.state.count_type)
        totals = np.zeros(self.width, self.state.total_type)
        self.state.start(Counts(empty, totals, self._sources), self._factors, key)

    def recount(self, message: None = None) -> ShardCounts:
        """Rebuild all counts from the assignments; return the shared rows and the totals."""
        sources = self._sources
        if sources is not None:
            n_rows = self.source_documents.size
            sources = sources._replace(source_topic=np.zeros(n_rows * self.width, self.state.count_type))
        table = self.state.recount(self.words.size, sources)
        self._word_rows.load(table)
        drawn = np.zeros((0, self.width), self.state.count_type)
        if sources is not None:
            drawn = sources.source_topic.reshape(-1, self.width)
            self._source_rows.load(drawn)
        shared = table[: self._word_rows.shared.size]
        return ShardCounts(
            shared if self.state.drifts else sparse.csr_array(shared),
            drawn[: self._source_rows.shared.size],
            table.sum(axis=0, dtype=np.float64),
        )

    def sweep(self, broadcast: Broadcast) -> SweepResult:
        """Resample the topics of all tokens and return what changed."""
        word_topic = self._word_rows.open(broadcast.word_topic, broadcast.word_rows)
        totals = aligned_copy(broadcast.totals)
        sources = None
        if self._sources is not None:
            drawn = self._source_rows.open(broadcast.source_topic, broadcast.source_rows)
            sources = self._sources._replace(source_topic=drawn)
        observations = self._observations(broadcast.responses, broadcast.linked_topics)
        factors = self._factors._replace(observations=observations)
        counts = Counts(word_topic, totals, sources)
        tables = self.sampler.open_sweep(self.documents, counts, factors, self._prepared)
        info = self.sampler.sweep(self.documents, self.state.kernel_state, counts, factors, broadcast.key, tables)
        if info.log_likelihood is None:
            info = log_likelihood(self.documents, self.state.doc_topic(), counts, factors)
        return SweepResult(
            info,
            self._word_rows.close(word_topic, broadcast.word_topic, broadcast.word_rows),
            self._source_rows.close(
                word_topic if sources is None else sources.source_topic, broadcast.source_topic, broadcast.source_rows
            ),
            totals.astype(self.state.sum_type) - broadcast.totals,
            self.linked_topics(),
        )

    def _observations(self, messages: Sequence[Any], linked: LinkedTopics | None) -> Observations | None:
        """Return the pseudo-observations of all responses for the shard's documents."""
        if not self.responses:
            return None
        topics = DocTopics(np.zeros((0, self.n_topics)), self.lengths, linked)
        if any(response.observes_topics for response in self.responses):
            topics = self._topics(linked)
        parts = [
            response.observations(topics, message, self.width, self.map)
            for response, message in zip(self.responses, messages, strict=True)
        ]
        return join_observations(parts, self.width)

    def _topics(self, linked: LinkedTopics | None) -> DocTopics:
        return DocTopics(self.state.doc_topic(), self.lengths, linked)

    def statistics(self, request: ResponseRequest) -> list[Any]:
        """Return the sums that the weights of some responses depend on."""
        topics = self._topics(request.linked_topics)
        messages = request.messages
        return [self.responses[number].statistics(topics, messages[number], self.map) for number in request.numbers]

    def label_statistics(self, message: LabelRequest) -> list[Any]:
        """Return the statistics of one response for each range of its labels."""
        (sums,) = self.statistics(message.request)
        return cut_sums(sums, message.ranges)

    def draw_auxiliaries(self, request: ResponseRequest) -> list[Any]:
        """Draw the auxiliary variables of the shard's documents; return what other shards must know of them."""
        topics = self._topics(request.linked_topics)
        return [
            self.responses[number].draw_auxiliaries(topics, request.messages[number], key, self.map)
            for number, key in zip(request.numbers, request.keys, strict=True)
        ]

    def set_response(self, message: tuple[int, Sequence[ShardResponse], Sequence[np.ndarray]]) -> None:
        """Take over a new half of a response, and which documents other shards depend on now.

        Parameters
        ----------
        message : tuple
            The number of the response; its halves and the exported documents of all shards.
        """
        number, halves, exported = message
        self.responses[number] = halves[self.number]
        self.exported = exported[self.number]

    def linked_topics(self, message: None = None) -> sparse.csr_array | None:
        """Return the document–topic counts of the documents that other shards depend on."""
        if self.exported is None:
            return None
        return sparse_rows(self.state.doc_topic()[self.exported])

    def doc_topic(self, message: None = None) -> sparse.csr_array:
        """Return document–topic counts, documents × topics."""
        return sparse_rows(self.state.doc_topic())

    def private_words(self, message: None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the words that occur in this shard only, and their rows of the topic–word counts."""
        return self.words[self._word_rows.shared.size :], self._word_rows.private()

    def private_sources(self, message: None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the documents that only this shard draws from, and their rows of the counts per source."""
        return self.source_documents[self._source_rows.shared.size :], self._source_rows.private()

    def taken(self, message: None = None) -> np.ndarray:
        """Return the number of tokens that were drawn from each candidate source of each document."""
        assert self._sources is not None
        return self._sources.taken

    def arrays(self, message: None = None) -> dict[str, np.ndarray]:
        """Return everything of the shard that the next sweep depends on, responses included."""
        arrays = dict(self.state.arrays(self._sources))
        for number, response in enumerate(self.responses):
            arrays |= {f"response {number} {name}": array for name, array in response.arrays().items()}
        return arrays

    def checkpoint_arrays(self, message: None = None) -> dict[str, np.ndarray]:
        """Return `arrays`, and where counts drift the rows of counts that only this shard has."""
        arrays = self.arrays()
        if self.state.drifts:
            arrays["private words"], arrays["private word_shares"] = self.private_words()
            if self._sources is not None:
                arrays["private sources"], arrays["private source_shares"] = self.private_sources()
        return arrays

    def write_checkpoint(self, folder: str) -> StateFile:
        """Write the shard's part of the state into a folder; return the file, or why it could not be written."""
        return write_arrays(folder, f"shard-{self.number:05d}.safetensors", self.checkpoint_arrays())

    def read_checkpoint(self, stored: StoredState) -> ReadState:
        """Take over what `write_checkpoint` wrote; counts of tokens follow with `recount`.

        Parameters
        ----------
        stored : StoredState
            The files of all shards.

        Returns
        -------
        ReadState
            Why the file could not be used here, if so: the chain then reads it.
        """
        try:
            arrays = stored.read(self.number)
            check_arrays(arrays, self.words.size, self.n_topics, self.lengths.size)
            if any(arrays[name].size != size for name, size in self.sizes().items()):
                return ReadState("the file has the topics of another corpus")
            self.load(arrays)
            for number, response in enumerate(self.responses):
                response.load(arrays_of_response(number, arrays))
            if not self.state.drifts or arrays["shares"].dtype != self.sampler.share_type:
                return ReadState(None, recounts=True)
            tables = [("word", self._word_rows, self.private_words)]
            if self._sources is not None:
                tables.append(("source", self._source_rows, self.private_sources))
            for name, rows, private in tables:
                if not np.array_equal(arrays[f"private {name}s"], private()[0]):
                    return ReadState("the file has the counts of another corpus")
                rows.load_private(arrays[f"private {name}_shares"])
            return ReadState(None)
        except (PlaitError, LookupError, TypeError, ValueError) as error:
            return ReadState(f"{type(error).__name__}: {error}")

    def sizes(self) -> dict[str, int]:
        """Return the length of each array of the assignments that `load` takes."""
        return self.state.sizes(self._sources)

    def load(self, arrays: dict[str, np.ndarray]) -> None:
        """Take over assignments that `arrays` returned; counts follow with `recount` or `load_counts`."""
        self.state.load(arrays, self._sources)

    def load_counts(self, counts: RunningCounts) -> None:
        """Take over running counts of a checkpoint."""
        self._word_rows.load(counts.word_topic[_places(self.words, counts.words)])
        if self._sources is not None:
            self._source_rows.load(counts.source_topic[_places(self.source_documents, counts.sources)])


def _places(wanted: np.ndarray, sent: np.ndarray | None) -> np.ndarray:
    """Return the places of some rows of a table among those that were sent; None: all were."""
    return wanted if sent is None else np.searchsorted(sent, wanted)
