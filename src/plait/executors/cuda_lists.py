"""Sweeps of the synchronous sampler on a device with many topics: words have lists of topics.

The counts on the device are one table, words × topics; the lists are made of it for each sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from plait.errors import PlaitError
from plait.executors.base import HeldTable
from plait.executors.cuda_device import NOTHING, Device
from plait.executors.cuda_observations import DeviceObservations
from plait.executors.cuda_sweep import Swept
from plait.executors.cuda_tokens import DeviceTokens, topic_macros
from plait.samplers.base import Counts, Factors, Observations, TopicLists
from plait.samplers.kernels.frozen import frozen_scales
from plait.samplers.kernels.held import MARGIN
from plait.samplers.kernels.lanes import LANES
from plait.samplers.kernels.long_lists import long_list
from plait.samplers.synchronous import MOST_DENSE

_THREADS = (768, 640, 512, 384, 256, 128, 64)  # per block; those with the most resident threads are chosen
_RESIDENT = 768  # threads per multiprocessor, which limits the registers of a thread
_FEWEST = 96  # threads per multiprocessor; where fewer would be resident, documents are outside of shared memory
_SHARED = 227 << 10  # bytes of shared memory per multiprocessor
_RESERVED = 1 << 10  # of these, per block
_WARPS = 8  # words per block of threads when lists are made
_QUAD = 4 * LANES  # entries to which lists are padded on the device
_CHECKS = 4  # running sums of a token's weights that are kept
_LENGTHS = (511, 255)  # tokens up to which documents are swept together
_MAX_LENGTH = 1 << 24  # tokens of a document, which are counted in float32
_TOKEN = 32  # bytes of what is known of a token before its turn
_COUNTS = {"unsigned char": 1, "unsigned short": 2, "int": 4}  # types for tokens of a document, and their bytes


class _Packed(NamedTuple):
    """Lists as the sweep reads them."""

    starts: Any
    sizes: Any
    entries: Any  # topic and count
    frozen: Any  # the same counts as a table: float32, flat, words × width


class _Settings(NamedTuple):
    """How documents up to a length are swept."""

    macros: dict[str, object]
    threads: int  # per block
    shared: int  # bytes of shared memory of a block
    outside: int  # bytes of a document that does not fit there


class ListedTable(HeldTable):
    """Counts on a device, which the chain has as lists.

    Parameters
    ----------
    device : Device
        Where they are.
    counted : device array of int32
        Flat, words × width.
    width : int
        Padded number of topics.
    """

    def __init__(self, device: Device, counted: Any, width: int) -> None:
        self._device = device
        self._width = width
        self.counted = counted

    def fetch(self) -> TopicLists:
        """Return the counts as lists."""
        device, n_words = self._device, self.counted.size // self._width
        starts, sizes = _measure_lists(device, self.counted, self._width, LANES)
        size = int(device.get(starts[-1:])[0])
        topics, counts = device.empty(size, np.uint16), device.empty(size, np.int32)
        device.launch(
            "lists.cu", "fill_lists", _entry_macros(self._width, 0), max(1, -(-n_words // _WARPS)), 32 * _WARPS, 0,
            np.int32(n_words), np.int32(self._width), self.counted, starts, topics, counts,
        )  # fmt: skip
        return TopicLists(*(device.get(one) for one in (starts, sizes, topics, counts)))


def dense_counts(lists: TopicLists, width: int) -> np.ndarray:
    """Return lists as a table of int32, flat, words × width.

    Parameters
    ----------
    lists : TopicLists
        Counts.
    width : int
        Padded number of topics.
    """
    words = np.repeat(np.arange(lists.sizes.size), np.diff(lists.starts))
    held = lists.counts > 0
    table = np.zeros(lists.sizes.size * width, np.int32)
    table[words[held] * width + lists.topics[held].astype(np.int64)] = lists.counts[held]
    return table


def _entry_macros(width: int, most: int) -> dict[str, object]:
    """Return the macros for entries of counts up to `most`: 32 bits where topic and count fit, otherwise 64."""
    bits = min(32 - width.bit_length(), 23)  # the padding has topic `width`
    if most < 1 << bits:
        return {"BLOCKS": 1, "ENTRY": "unsigned int", "COUNT_BITS": bits}
    return {"BLOCKS": 1, "ENTRY": "unsigned long long", "COUNT_BITS": 32}


def _measure_lists(device: Device, counted: Any, width: int, unit: int) -> tuple[Any, Any]:
    """Return where the list of each word begins, padded to whole units, with their end, and its size."""
    n_words = counted.size // width
    sizes, padded = device.empty(n_words, np.int32), device.empty(n_words, np.int32)
    device.launch(
        "lists.cu", "count_lists", _entry_macros(width, 0), max(1, -(-n_words // _WARPS)), 32 * _WARPS, 0,
        np.int32(n_words), np.int32(width), counted, np.int32(unit), sizes, padded,
    )  # fmt: skip
    return device.running_total(padded), sizes


def _pack_lists(
    device: Device, counted: Any, width: int, macros: dict[str, object], starts: Any, sizes: Any
) -> _Packed:
    """Return counts as lists for a sweep."""
    n_words = counted.size // width
    size = int(device.get(starts[-1:])[0])
    entries = device.empty(size, np.uint64 if macros["COUNT_BITS"] == 32 else np.uint32)
    frozen = device.empty(counted.size + LANES, np.float32)
    device.launch(
        "lists.cu", "pack_lists", macros, max(1, -(-n_words // _WARPS)), 32 * _WARPS, 0,
        np.int32(n_words), np.int32(width), counted, starts, entries, frozen,
    )  # fmt: skip
    return _Packed(starts, sizes, entries, frozen)


def _sums_of_all(factors: Factors, scale: np.ndarray, less: np.ndarray, total: np.float64) -> np.ndarray:
    """Return β Σ_k α_k / (n_k + Σβ) without a token of each topic, as kernels/listed.py computes it."""
    with np.errstate(invalid="ignore"):  # a topic without tokens
        excess = factors.alpha.astype(np.float64) * (less.astype(np.float64) - scale.astype(np.float64))
        return (np.float64(factors.prior_value) * (total + excess)).astype(np.float32)


class ListedSweep:
    """Sweeps that weigh the topics of the word or of the document.

    Parameters
    ----------
    device : Device
        Where the tokens are.
    tokens : DeviceTokens
        Their words and topics.
    observations : DeviceObservations or None
        Pseudo-observations; None: made here.
    """

    def __init__(self, device: Device, tokens: DeviceTokens, observations: DeviceObservations | None = None) -> None:
        self._device = device
        self._tokens = tokens
        self._observations = observations or DeviceObservations(device, tokens)
        self._found: dict[tuple[object, ...], tuple[dict[str, object], int]] = {}  # by `_launched`
        if int(tokens.lengths.max(initial=0)) > _MAX_LENGTH:
            raise PlaitError(
                f"executor='cuda' takes documents of up to {_MAX_LENGTH:,} tokens with more than {MOST_DENSE} topics: "
                "divide longer ones, or use another executor"
            )
        # Long documents need room for many topics, so documents of about the same length are swept together.
        ordered = -np.sort(-tokens.lengths)
        edges = np.concatenate([[0], np.searchsorted(-ordered, [-one for one in _LENGTHS]), [ordered.size]])
        groups = zip(edges[:-1], np.diff(edges), strict=True)
        self._groups = [(begin, size, self._settings(int(ordered[begin]))) for begin, size in groups if size]

    def _settings(self, longest: int) -> _Settings:
        """Return how documents up to a length are swept."""
        tokens = self._tokens
        most = -(-min(longest, tokens.n_topics) // _QUAD) * _QUAD
        count, count_bytes = next(one for one in _COUNTS.items() if longest < 1 << 8 * one[1])
        own = (_TOKEN + 4 * _CHECKS) * LANES + 2 * most + count_bytes * (tokens.width + LANES)
        own = -(-own // 16) * 16
        base = 8 * (tokens.width + LANES)
        shared = {n: base + n // LANES * own for n in _THREADS}
        # Too few long documents with many topics would fit into shared memory.
        outside = max(n * (_SHARED // (size + _RESERVED)) for n, size in shared.items()) < _FEWEST
        if outside:
            shared = dict.fromkeys(_THREADS, base)
        blocks = {n: min(_SHARED // (size + _RESERVED), _RESIDENT // n) for n, size in shared.items()}
        threads = max(_THREADS, key=lambda n: n * blocks[n])
        macros: dict[str, object] = {
            "TOPIC": topic_macros(tokens.n_topics)["TOPIC"], "WIDTH_OF": tokens.width, "MOST": most, "COUNT": count,
            "THREADS": threads, "CHECKS": _CHECKS, "MIN_BLOCKS": max(blocks[threads], 1),
            "LONG": long_list(tokens.width), "MARGIN": MARGIN, "OUTSIDE": int(outside),
        }  # fmt: skip
        return _Settings(macros, threads, shared[threads], own if outside else 0)

    def sweep(
        self, counted: Any, totals: np.ndarray, factors: Sequence[Factors], key: np.uint64, drawn: None = None
    ) -> Swept:
        """Resample all tokens once; `counted` is changed to the counts after the sweep.

        Parameters
        ----------
        counted : device array of int32
            Topic–word counts, flat, words × width.
        totals : array of int64
            Tokens per topic.
        factors : sequence of Factors
            Priors, which all shards share, and the pseudo-observations of each shard.
        key : np.uint64
            Key of the sweep's random numbers.
        drawn : None
            There are no linked documents.
        """
        device, tokens, first = self._device, self._tokens, factors[0]
        measured = _measure_lists(device, counted, tokens.width, _QUAD)  # while what follows is computed here
        scale, scale_less = frozen_scales(Counts(None, totals), first)  # type: ignore[arg-type]
        base = first.alpha * scale
        entry = _entry_macros(tokens.width, int(totals.max(initial=0)))
        cumulative = np.cumsum(base[: tokens.n_topics], dtype=np.float64)
        of_all = _sums_of_all(first, scale, scale_less, cumulative[-1])
        pairs = [np.stack(pair, axis=1).ravel() for pair in ((first.alpha, scale), (scale_less, of_all))]
        of_topics = device.put(np.concatenate([*pairs, base]))  # one copy takes less time than three
        per_topic, own_topic, base_there = (of_topics[2 * place * tokens.width :] for place in range(3))
        tilt, observed, most_observed = self._observed([one.observations for one in factors])
        likelihood = device.empty(tokens.n_documents, np.float64)
        zeros = device.zeros(tokens.width + len(self._groups), np.int32)
        change, queues = zeros[: tokens.width], zeros[tokens.width :]
        lists = _pack_lists(device, counted, tokens.width, entry, *measured)
        list_sums = device.empty(lists.entries.size, np.float64)
        n_words, least = lists.sizes.size, (long_list(tokens.width) - 1) * LANES + 1
        device.launch(
            "lists.cu", "sum_lists", entry, max(1, -(-n_words // _WARPS)), 32 * _WARPS, 0, np.int32(n_words),
            np.int32(least), lists.starts, lists.sizes, lists.entries, base_there, list_sums,
        )  # fmt: skip
        numbers = (
            tokens.device_offsets, np.int64(tokens.first_document), tokens.words, tokens.topics, *lists, list_sums,
            counted, change, per_topic, own_topic, device.put(cumulative), np.float32(first.prior_value),
            np.float64(first.alpha.sum(dtype=np.float64)), np.int32(tokens.n_topics), np.uint64(key), likelihood,
            *observed,
        )  # fmt: skip
        launches = []
        for number, (begin, size, (_, threads, shared, outside)) in enumerate(self._groups):
            slots = threads // LANES
            macros, blocks = self._launched(number, tilt, entry)
            kept = device.empty(blocks * slots * 2 * most_observed, np.float64) if tilt else NOTHING
            launches.append((
                "listed.cu", "sweep_listed", macros, blocks, threads, shared,
                tokens.order[begin : begin + size], np.int32(size), queues[number : number + 1], *numbers, kept,
                device.empty(blocks * slots * outside, np.uint8) if outside else NOTHING,
            ))  # fmt: skip
        device.launch_together(launches)
        tokens.changed()
        return Swept(tokens.sum_documents(likelihood), device.get(change).astype(np.int64))

    def _launched(self, number: int, tilt: int, entry: dict[str, object]) -> tuple[dict[str, object], int]:
        """Return the macros and the blocks of threads for a group of documents, which are found once."""
        name = (number, tilt, entry["COUNT_BITS"])
        if name not in self._found:
            _, size, (macros, threads, shared, _) = self._groups[number]
            macros = macros | {"TILT": tilt, "ENTRY": entry["ENTRY"], "COUNT_BITS": entry["COUNT_BITS"]}
            blocks = self._device.resident_blocks("listed.cu", "sweep_listed", macros, threads, shared)
            self._found[name] = macros, max(1, min(blocks, -(-size // (threads // LANES))))
        return self._found[name]

    def _observed(self, parts: Sequence[Observations | None]) -> tuple[int, tuple[Any, ...], int]:
        """Return TILT of listed.cu, the arguments of pseudo-observations, and the most of them in one document."""
        given = [one for one in parts if one is not None]
        if not given:
            return 0, (*(NOTHING,) * 6, np.int32(0), np.int32(0)), 0
        (*said, directions), _ = self._observations.put(given)
        rows = directions.reshape(-1, self._tokens.width)
        most = max(int(np.diff(one.starts).max(initial=0)) for one in given)
        put = self._device.put
        there = (put(rows.ravel()), put(np.ascontiguousarray(rows.T).ravel()), np.int32(len(rows)), np.int32(most))
        return 2 if given[0].exact else 1, (*said, *there), most
