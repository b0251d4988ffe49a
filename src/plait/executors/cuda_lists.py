"""Sweeps of the synchronous sampler on a device with many topics: words have lists of topics.

The counts on the device are one table, words × topics; the lists are made of it for each sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from plait.executors.base import HeldTable
from plait.executors.cuda_device import NOTHING, Device
from plait.executors.cuda_observations import DeviceObservations
from plait.executors.cuda_sweep import Swept
from plait.executors.cuda_tokens import DeviceTokens, topic_macros
from plait.samplers.base import Counts, Factors, TopicLists
from plait.samplers.kernels.frozen import frozen_scales
from plait.samplers.kernels.lanes import LANES

_THREADS = 128
_WARPS = 8  # words per block of threads when lists are made
_QUAD = 4 * LANES  # entries to which lists are padded on the device
_CHECKS = 16  # running sums of a list that are kept, as in listed.cu
_SHORT = 255  # tokens of documents that are swept together
_MIN_BLOCKS = 3  # of lists whose cumulative sums are used, as in kernels/held.py


class _Lists(NamedTuple):
    starts: Any
    sizes: Any
    topics: Any
    counts: Any


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
        made = make_lists(self._device, self.counted, self._width, plain=True)
        return TopicLists(*(self._device.get(one) for one in made))


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


def make_lists(device: Device, counted: Any, width: int, *, plain: bool) -> _Lists:
    """Return counts as lists on the device.

    Parameters
    ----------
    device : Device
        Where the counts are.
    counted : device array of int32
        Flat, words × width.
    width : int
        Padded number of topics.
    plain : bool
        Whether lists are as the chain has them; otherwise as the sweep reads them.
    """
    n_words = counted.size // width
    macros = {"BLOCKS": 1}
    blocks, threads = max(1, -(-n_words // _WARPS)), 32 * _WARPS
    sizes = device.empty(n_words, np.int32)
    given = (np.int32(n_words), np.int32(width), counted)
    device.launch("lists.cu", "count_lists", macros, blocks, threads, 0, *given, sizes)
    unit = LANES if plain else _QUAD
    padded = -(-device.get(sizes).astype(np.int64) // unit) * unit
    ends = np.concatenate([[0], np.cumsum(padded)])
    starts, size = device.put(ends), int(ends[-1])
    topics = device.empty(size, np.uint16)
    counts = device.empty(size, np.int32 if plain else np.float32)
    kept = (NOTHING, counts) if plain else (counts, NOTHING)
    device.launch("lists.cu", "fill_lists", macros, blocks, threads, 0, *given, starts, topics, *kept)
    return _Lists(starts, sizes, topics, counts)


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
        # Long documents need room for many topics, so they are swept apart: the first of the order.
        n_long = int((tokens.lengths > _SHORT).sum())
        groups = [(0, n_long), (n_long, tokens.n_documents - n_long)]
        ordered = -np.sort(-tokens.lengths)
        self._groups = [(begin, size, self._settings(int(ordered[begin]))) for begin, size in groups if size]

    def _settings(self, longest: int) -> tuple[dict[str, object], int]:
        """Return the macros and the shared memory of sweeps of documents up to a length."""
        tokens = self._tokens
        most = min(longest, tokens.n_topics) + 1  # topics that a document holds, and one that comes
        kind, size = ("unsigned short", 2) if longest < 1 << 16 else ("unsigned int", 4)
        own = 4 * (tokens.width + LANES + _CHECKS * LANES) + 8 * (tokens.width // 32 + 1) + (2 + size) * most
        macros: dict[str, object] = {
            "TOPIC": topic_macros(tokens.n_topics)["TOPIC"], "COUNT": kind, "WIDTH_OF": tokens.width, "MOST": most,
            "THREADS": _THREADS, "MIN_BLOCKS": 4,
        }  # fmt: skip
        return macros, _THREADS // LANES * (-(-own // 16) * 16)

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
            Priors.
        key : np.uint64
            Key of the sweep's random numbers.
        drawn : None
            There are no linked documents.
        """
        device, tokens, first = self._device, self._tokens, factors[0]
        scale, scale_less = frozen_scales(Counts(None, totals), first)  # type: ignore[arg-type]
        base = first.alpha * scale
        lists = make_lists(device, counted, tokens.width, plain=False)
        base_there = device.put(base)
        list_sums = device.empty(lists.topics.size, np.float64)
        n_words, least = lists.sizes.size, (_MIN_BLOCKS - 1) * LANES + 1
        device.launch(
            "lists.cu", "sum_lists", {"BLOCKS": 1}, max(1, -(-n_words // 128)), 128, 0, np.int32(n_words),
            np.int32(least), lists.starts, lists.sizes, lists.topics, lists.counts, base_there, list_sums,
        )  # fmt: skip
        likelihood = device.empty(tokens.n_documents, np.float64)
        change = device.zeros(tokens.width, np.int32)
        numbers = (
            tokens.device_offsets, np.int64(tokens.first_document), tokens.words, tokens.topics, *lists, list_sums,
            counted, change, *(device.put(one) for one in (first.alpha, scale, scale_less)), base_there,
            device.put(np.cumsum(base[: tokens.n_topics], dtype=np.float64)), np.float64(first.prior_value),
            np.float64(first.alpha.sum(dtype=np.float64)), np.int32(tokens.n_topics), np.uint64(key), likelihood,
        )  # fmt: skip
        for begin, size, (macros, shared) in self._groups:
            blocks = device.resident_blocks("listed.cu", "sweep_listed", macros, _THREADS, shared)
            blocks = max(1, min(blocks, -(-size // (_THREADS // LANES))))
            device.launch(
                "listed.cu", "sweep_listed", macros, blocks, _THREADS, shared,
                tokens.order[begin : begin + size], np.int32(size), device.zeros(1, np.int32), *numbers,
            )  # fmt: skip
        tokens.changed()
        return Swept(tokens.sum_documents(likelihood), device.get(change).astype(np.int64))
