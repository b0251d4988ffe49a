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

_THREADS = (32, 64, 128, 256)  # per block of the sweep; those with the most resident threads are chosen
_RESIDENT = 768  # threads per multiprocessor; with 64 registers each, as 1,024 would have, numbers are spilled
_FEWEST = 96  # threads per multiprocessor; where fewer would be resident, documents are outside of shared memory
_SHARED = 227 << 10  # bytes of shared memory per multiprocessor
_RESERVED = 1 << 10  # of these, per block
_WARPS = 8  # words per block of threads when lists are made
_QUAD = 4 * LANES  # entries to which lists are padded on the device
_CHECKS = 4  # running sums of a token's weights that are kept
_LENGTHS = (383, 255, 191, 127)  # tokens up to which documents are swept together
_MOST_PLACES = 255  # places of topics in a document that one byte can name
_MAX_LENGTH = 1 << 20  # tokens of a document, whose topics' counts follow from float32 numbers


class _Packed(NamedTuple):
    """Lists as the sweep reads them."""

    starts: Any
    sizes: Any
    entries: Any  # topic and count
    frozen: Any  # the same counts as a table: int32, flat, words × width


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
        starts, sizes, size = _measure_lists(device, self.counted, self._width, LANES)
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


def _measure_lists(device: Device, counted: Any, width: int, unit: int) -> tuple[Any, Any, int]:
    """Return where the list of each word begins, its size, and the number of entries, padded to whole units."""
    n_words = counted.size // width
    sizes = device.empty(n_words, np.int32)
    device.launch(
        "lists.cu", "count_lists", _entry_macros(width, 0), max(1, -(-n_words // _WARPS)), 32 * _WARPS, 0,
        np.int32(n_words), np.int32(width), counted, sizes,
    )  # fmt: skip
    padded = -(-device.get(sizes).astype(np.int64) // unit) * unit
    ends = np.concatenate([[0], np.cumsum(padded)])
    return device.put(ends), sizes, int(ends[-1])


def _pack_lists(device: Device, counted: Any, width: int, macros: dict[str, object]) -> _Packed:
    """Return counts as lists for a sweep."""
    n_words = counted.size // width
    starts, sizes, size = _measure_lists(device, counted, width, _QUAD)
    entries = device.empty(size, np.uint64 if macros["COUNT_BITS"] == 32 else np.uint32)
    frozen = device.empty(counted.size, np.int32)
    device.launch(
        "lists.cu", "pack_lists", macros, max(1, -(-n_words // _WARPS)), 32 * _WARPS, 0,
        np.int32(n_words), np.int32(width), counted, starts, entries, frozen,
    )  # fmt: skip
    return _Packed(starts, sizes, entries, frozen)


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
        if int(tokens.lengths.max(initial=0)) > _MAX_LENGTH:
            raise PlaitError(
                f"executor='cuda' takes documents of up to {_MAX_LENGTH:,} tokens with more than {MOST_DENSE} topics: "
                "divide longer ones, or use another executor"
            )
        # Long documents need room for many topics, so documents of about the same length are swept together.
        ordered = -np.sort(-tokens.lengths)
        edges = np.concatenate([[0], np.searchsorted(-ordered, [-one for one in _LENGTHS]), [ordered.size]])
        groups = zip(edges[:-1], np.diff(edges), strict=True)
        self._groups = [(begin, size, int(ordered[begin])) for begin, size in groups if size]

    def _settings(self, longest: int) -> _Settings:
        """Return how documents up to a length are swept."""
        tokens = self._tokens
        most = -(-min(longest, tokens.n_topics) // _QUAD) * _QUAD
        place, place_bytes = ("unsigned char", 1) if most <= _MOST_PLACES else ("unsigned short", 2)
        own = 10 * most + 4 * _CHECKS * LANES + place_bytes * (tokens.width + LANES)
        own = -(-own // 16) * 16
        base = 4 * (tokens.width + LANES)
        shared = {n: base + n // LANES * own for n in _THREADS}
        # Too few long documents with many topics would fit into shared memory.
        outside = max(n * (_SHARED // (size + _RESERVED)) for n, size in shared.items()) < _FEWEST
        if outside:
            shared = dict.fromkeys(_THREADS, base)
        blocks = {n: min(_SHARED // (size + _RESERVED), _RESIDENT // n) for n, size in shared.items()}
        threads = max(_THREADS, key=lambda n: n * blocks[n])
        macros: dict[str, object] = {
            "TOPIC": topic_macros(tokens.n_topics)["TOPIC"], "WIDTH_OF": tokens.width, "MOST": most, "PLACE": place,
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
        scale, scale_less = frozen_scales(Counts(None, totals), first)  # type: ignore[arg-type]
        base = first.alpha * scale
        entry = _entry_macros(tokens.width, int(totals.max(initial=0)))
        lists = _pack_lists(device, counted, tokens.width, entry)
        base_there = device.put(base)
        list_sums = device.empty(lists.entries.size, np.float64)
        n_words, least = lists.sizes.size, (long_list(tokens.width) - 1) * LANES + 1
        device.launch(
            "lists.cu", "sum_lists", entry, max(1, -(-n_words // _WARPS)), 32 * _WARPS, 0, np.int32(n_words),
            np.int32(least), lists.starts, lists.sizes, lists.entries, base_there, list_sums,
        )  # fmt: skip
        tilt, observed, most_observed = self._observed([one.observations for one in factors])
        likelihood = device.empty(tokens.n_documents, np.float64)
        change = device.zeros(tokens.width, np.int32)
        per_topic = np.stack([scale, scale_less, first.alpha, np.float32(1.0) / scale], axis=1)
        numbers = (
            tokens.device_offsets, np.int64(tokens.first_document), tokens.words, tokens.topics, *lists, list_sums,
            counted, change, device.put(per_topic.ravel()), base_there,
            device.put(np.cumsum(base[: tokens.n_topics], dtype=np.float64)), np.float32(first.prior_value),
            np.float64(first.alpha.sum(dtype=np.float64)), np.int32(tokens.n_topics), np.uint64(key), likelihood,
            *observed,
        )  # fmt: skip
        for begin, size, longest in self._groups:
            macros, threads, shared, outside = self._settings(longest)
            slots = threads // LANES
            macros |= {"TILT": tilt, "ENTRY": entry["ENTRY"], "COUNT_BITS": entry["COUNT_BITS"]}
            blocks = device.resident_blocks("listed.cu", "sweep_listed", macros, threads, shared)
            blocks = max(1, min(blocks, -(-size // slots)))
            kept = device.empty(blocks * slots * 2 * most_observed, np.float64) if tilt else NOTHING
            device.launch(
                "listed.cu", "sweep_listed", macros, blocks, threads, shared,
                tokens.order[begin : begin + size], np.int32(size), device.zeros(1, np.int32), *numbers, kept,
                device.empty(blocks * slots * outside, np.uint8) if outside else NOTHING,
            )  # fmt: skip
        tokens.changed()
        return Swept(tokens.sum_documents(likelihood), device.get(change).astype(np.int64))

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
