"""Words and topics of all documents of a chain on a device, and what is counted from them.

If they do not fit there, they are in page-locked memory of the host. A document is then read from it when its turn
comes, while others are swept, and its topics are written back.

The shards of a chain are runs of documents of one corpus, one after the other, so the device holds them as one. Topics
stay there between sweeps; `HeldTopics` stands for the assignments of a shard and brings them to the host when a message
asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from plait.executors.cuda_device import NOTHING, Device
from plait.samplers.base import Factors
from plait.samplers.kernels.lanes import LANES

_THREADS = 256


def topic_macros(n_topics: int) -> dict[str, object]:
    """Return the macros that all sources need.

    Parameters
    ----------
    n_topics : int
        Number of topics.
    """
    blocks = (n_topics + LANES - 1) // LANES
    return {"BLOCKS": blocks, "TOPIC": "unsigned char" if n_topics <= 256 else "unsigned short"}


def launch_each(device: Device, macros: Mapping[str, object], kernel: str, size: int, *given: Any) -> None:
    """Run a kernel of counts.cu with one thread per element.

    Parameters
    ----------
    device : Device
        The device.
    macros : mapping of str to object
        What `topic_macros` returned.
    kernel : str
        Name of the kernel.
    size : int
        Number of elements.
    *given : object
        Arguments of the kernel.
    """
    if size:
        device.launch("counts.cu", kernel, macros, -(-size // _THREADS), _THREADS, 0, *given)


def spread_rows(device: Device, macros: Mapping[str, object], table: Any) -> Any:
    """Return a table of rows, or one row, in the order of lanes, as float32 on the device.

    Parameters
    ----------
    device : Device
        The device.
    macros : mapping of str to object
        What `topic_macros` returned.
    table : array
        Flat, rows × width; on the device if it is int32.
    """
    spread = device.empty(table.size, np.float32)
    kernel, given = ("spread_counts", table) if table.dtype == np.int32 else ("spread_numbers", device.put(table))
    blocks = min(-(-table.size // _THREADS), 1 << 16)
    device.launch("counts.cu", kernel, macros, blocks, _THREADS, 0, np.int64(table.size), given, spread)
    return spread


def repeat_words(
    device: Device, macros: Mapping[str, object], words: np.ndarray, counts: np.ndarray, repeated: Any
) -> None:
    """Write the word of every token.

    Parameters
    ----------
    device : Device
        The device.
    macros : mapping of str to object
        What `topic_macros` returned.
    words, counts : array
        Distinct words of documents, one document after the other, and how often they occur.
    repeated : device array of int32
        Receives one word per token.
    """
    ends = device.put(np.cumsum(counts, dtype=np.int64))
    put = device.put(np.ascontiguousarray(words, np.int32))
    launch_each(device, macros, "repeat_words", words.size, np.int64(words.size), put, ends, repeated)


class TopicShares(NamedTuple):
    """Topics of all documents on a device."""

    starts: Any  # int64: document d has entries starts[d] up to starts[d + 1], in the order of topics
    topics: Any  # int32
    counts: Any  # int32: n_dk
    shares: Any  # float64: n_dk / N_d
    held: Any  # uint32, words of 32 topics × documents: one bit per topic, whether it occurs


class DeviceTokens:
    """All tokens of a chain.

    Parameters
    ----------
    device : Device
        Where they are.
    shards : sequence of FrozenShard
        Runs of documents; their words are numbered by row of the chain's table.
    on_host : bool
        Whether words and topics are in memory of the host.
    """

    def __init__(self, device: Device, shards: Sequence[Any], on_host: bool = False) -> None:
        documents = [shard.documents for shard in shards]
        self.n_topics = shards[0].n_topics
        self.width = shards[0].width
        self.first_document = int(documents[0].first)
        self._device = device
        self._macros = topic_macros(self.n_topics)
        sizes = [one.offsets.size - 1 for one in documents]
        self.runs = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)  # documents of each shard
        self.edges = np.concatenate([[0], np.cumsum([one.offsets[-1] for one in documents])]).astype(np.int64)
        self.offsets = np.concatenate(
            [one.offsets[:-1] + begin for one, begin in zip(documents, self.edges[:-1], strict=True)]
            + [self.edges[-1:]]
        ).astype(np.int64)
        self.lengths = np.diff(self.offsets)
        self.n_documents, self.n_tokens = self.lengths.size, int(self.edges[-1])
        # The longest first: documents of a warp have about the same length, and none is begun late.
        self.order = device.put(np.argsort(-self.lengths, kind="stable").astype(np.int32))
        self.device_offsets, self._device_runs = device.put(self.offsets), device.put(self.runs)
        self.on_host = on_host
        zeros = device.host_zeros if on_host else device.zeros
        self.words = zeros(self.n_tokens, np.int32)
        self._repeat_words(documents)
        self.topics = zeros(self.n_tokens, np.uint8 if self.n_topics <= 256 else np.uint16)
        self._kept_doc_topic: list[sparse.csr_array] | None = None
        self._kept_shares: TopicShares | None = None

    def _repeat_words(self, documents: Sequence[Any]) -> None:
        """Write the word of every token."""
        for one, begin, end in zip(documents, self.edges[:-1], self.edges[1:], strict=True):
            repeat_words(self._device, self._macros, one.words, one.counts, self.words[begin:end])

    def _launch(self, source: str, kernel: str, size: int, *given: Any) -> None:
        """Run a kernel with one thread per element."""
        if size:
            self._device.launch(source, kernel, self._macros, -(-size // _THREADS), _THREADS, 0, *given)

    def changed(self) -> None:
        """Forget what was counted, because topics have changed."""
        self._kept_doc_topic = self._kept_shares = None

    def put_topics(self, number: int, topics: np.ndarray) -> None:
        """Replace the topics of a shard.

        Parameters
        ----------
        number : int
            The shard's place.
        topics : array
            One topic per token.
        """
        own = self.topics[self.edges[number] : self.edges[number + 1]]
        self._device.copy_in(np.ascontiguousarray(topics, own.dtype), own)
        self.changed()

    def get_topics(self, number: int) -> np.ndarray:
        """Return the topics of a shard.

        Parameters
        ----------
        number : int
            The shard's place.
        """
        own = self.topics[self.edges[number] : self.edges[number + 1]]
        found = np.empty(own.size, own.dtype)
        self._device.copy_out(own, found)
        return found

    def start(self, factors: Factors, key: np.uint64) -> None:
        """Draw initial topics, as samplers/kernels/start.py does.

        Parameters
        ----------
        factors : Factors
            Priors; a table of β has all words.
        key : np.uint64
            Key of the random numbers.
        """
        one, zero = np.float32(1.0), np.float32(0.0)
        mixture = (zero + factors.alpha) * one / (zero + factors.prior_sums)
        given = (np.int32(self.n_documents), self.device_offsets, np.int64(self.first_document))
        n_threads = LANES * self.n_documents
        if factors.prior_table is None:
            sums = np.cumsum((mixture * (zero + factors.prior_value)).reshape(-1, LANES), axis=0, dtype=np.float32)
            across = sums[-1].copy()
            for step in (1, 2, 4, 8):
                across[step:] = across[step:] + across[:-step]
            put = self._device.put
            self._launch(
                "start.cu", "start_alike", n_threads, *given, self.topics, put(sums.ravel()), put(across),
                np.int32(sums.shape[0]), np.int32(self.n_topics), np.uint64(key),
            )  # fmt: skip
        else:
            self._launch(
                "start.cu", "start_weighed", n_threads, *given, self.words, self.topics, self.spread(mixture),
                self.spread(factors.prior_table), np.int32(self.n_topics), np.uint64(key),
            )  # fmt: skip
        self.changed()

    def spread(self, table: Any) -> Any:
        """Return a table of rows, or one row, in the order of lanes, as float32 on the device.

        Parameters
        ----------
        table : array
            Flat, rows × width; on the device if it is int32.
        """
        return spread_rows(self._device, self._macros, table)

    def count(self, n_words: int | None) -> tuple[Any, np.ndarray]:
        """Count the topics of all tokens.

        Parameters
        ----------
        n_words : int or None
            Rows of the table per word; None: only totals are counted.

        Returns
        -------
        tuple
            Counts, flat, words × width, on the device; and tokens per topic.
        """
        counted = NOTHING if n_words is None else self._device.zeros(n_words * self.width, np.int32)
        totals = self._device.zeros(self.width, np.uint64)
        blocks = max(1, min(-(-self.n_tokens // _THREADS), 1 << 14))
        self._device.launch(
            "counts.cu", "count_tokens", self._macros, blocks, _THREADS, 0,
            np.int64(self.n_tokens), self.words, self.topics, np.int32(self.width), counted, totals,
        )  # fmt: skip
        return counted, self._device.get(totals).astype(np.int64)

    def doc_topic(self) -> list[sparse.csr_array]:
        """Return the document–topic counts of each shard, documents × topics."""
        if self._kept_doc_topic is None:
            self._kept_doc_topic = self._fetch_documents()
        return self._kept_doc_topic

    def topic_shares(self) -> TopicShares:
        """Return the topics of every document; they stay on the device."""
        if self._kept_shares is None:
            self._kept_shares = self._count_documents()
        return self._kept_shares

    def _count_documents(self) -> TopicShares:
        device, shared = self._device, 4 * self.width
        blocks = max(1, min(self.n_documents, 1 << 14))

        def count(*results: Any) -> None:
            device.launch(
                "counts.cu", "count_documents", self._macros, blocks, 32, shared,
                np.int32(self.n_documents), self.device_offsets, self.topics, np.int32(self.width), *results,
            )  # fmt: skip

        sizes = device.zeros(self.n_documents, np.int32)
        held = device.empty(-(-self.width // 32) * self.n_documents, np.uint32)
        count(sizes, held, NOTHING, NOTHING, NOTHING, NOTHING)
        starts = device.running_total(sizes)
        size = int(device.get(starts[-1:])[0])
        topics, counts = device.empty(size, np.int32), device.empty(size, np.int32)
        shares = device.empty(size, np.float64)
        count(sizes, NOTHING, starts, topics, counts, shares)
        return TopicShares(starts, topics, counts, shares, held)

    def _fetch_documents(self) -> list[sparse.csr_array]:
        there = self.topic_shares()
        starts, topics, counts = (self._device.get(one) for one in (there.starts, there.topics, there.counts))
        parts = []
        for first, last in zip(self.runs[:-1], self.runs[1:], strict=True):
            begin, end = starts[first], starts[last]
            indptr = (starts[first : last + 1] - begin).astype(np.int32)
            parts.append(
                sparse.csr_array(
                    (counts[begin:end].copy(), topics[begin:end].copy(), indptr),
                    shape=(int(last - first), self.n_topics),
                )
            )
        return parts

    def sum_documents(self, numbers: Any) -> np.ndarray:
        """Return the sum of a number of each document per shard.

        Parameters
        ----------
        numbers : device array of float64
            One per document.
        """
        sums = self._device.empty(self.runs.size - 1, np.float64)
        self._device.launch(
            "counts.cu", "sum_runs", self._macros, self.runs.size - 1, 1024, 0, numbers, self._device_runs, sums
        )
        return self._device.get(sums)


class HeldTopics:
    """The assignments of one shard, whose topics are on a device; it stands in the place of the shard's own.

    Parameters
    ----------
    own : TokenState
        The shard's own assignments, which check and convert what is loaded.
    tokens : DeviceTokens
        Tokens of all shards.
    number : int
        The shard's place.
    """

    def __init__(self, own: Any, tokens: DeviceTokens, number: int) -> None:
        self._own = own
        self._tokens = tokens
        self._number = number

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    @property
    def documents(self) -> Any:
        """The documents whose topics these are; initial topics are drawn with other numbers of words."""
        return self._own.documents

    @documents.setter
    def documents(self, documents: Any) -> None:
        self._own.documents = documents

    @property
    def topics(self) -> np.ndarray:
        """The topic of every token."""
        return self._tokens.get_topics(self._number)

    @property
    def kernel_state(self) -> np.ndarray:
        """The topic of every token."""
        return self.topics

    def start(self, counts: Any, factors: Factors, key: np.uint64) -> None:
        """Draw initial topics on the host."""
        self._own.start(counts, factors, key)
        self._tokens.put_topics(self._number, self._own.topics)

    def doc_topic(self) -> np.ndarray:
        """Return document–topic counts, documents × topics."""
        return self._tokens.doc_topic()[self._number].toarray()

    def arrays(self, sources: Any) -> dict[str, np.ndarray]:
        """Return everything that the next sweep depends on."""
        self._own.topics = self.topics
        return self._own.arrays(sources)

    def load(self, arrays: dict[str, np.ndarray], sources: Any) -> None:
        """Take over arrays that `arrays` returned."""
        self._own.load(arrays, sources)
        self._tokens.put_topics(self._number, self._own.topics)
