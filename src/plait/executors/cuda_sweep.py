"""Sweeps of the synchronous sampler on a device, for all shards of a chain at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from plait.executors.base import HeldTable
from plait.executors.cuda_device import NOTHING, Device
from plait.executors.cuda_observations import DeviceObservations
from plait.executors.cuda_sources import NO_SOURCES, DeviceSources
from plait.executors.cuda_tokens import DeviceTokens, topic_macros
from plait.samplers.base import Counts, Factors, Observations
from plait.samplers.kernels.frozen import frozen_scales
from plait.samplers.kernels.lanes import LANES

_THREADS = 128
_UNTILTED, _CACHED, _EXACT = 0, 1, 2  # TILT in tilt.cuh
_MAX_KEPT = 64  # labels whose numbers are in shared memory, with an exact tilt


def min_blocks(n_blocks: int, tilt: int) -> int:
    """Return how many blocks of threads a multiprocessor must hold, which limits the registers of a thread.

    Parameters
    ----------
    n_blocks : int
        Blocks of sixteen topics.
    tilt : int
        0 without responses, 1 with a cached tilt, 2 with an exact one.
    """
    few, many = ((8, 6), (7, 5), (6, 4))[tilt]  # measured on an H200
    return few if n_blocks <= 8 else many if n_blocks <= LANES else 1


class DeviceTable(HeldTable):
    """Counts on a device.

    Parameters
    ----------
    device : Device
        Where they are.
    counted : device array of int32
        Flat, rows × width.
    """

    def __init__(self, device: Device, counted: Any) -> None:
        self._device = device
        self.counted = counted

    def fetch(self) -> np.ndarray:
        """Return the counts."""
        return self._device.get(self.counted)


class Swept(NamedTuple):
    """What a sweep changed."""

    likelihoods: np.ndarray  # of every shard
    totals: np.ndarray  # int64: change of the tokens per topic


class DenseSweep:
    """Sweeps that weigh all topics.

    Parameters
    ----------
    device : Device
        Where the tokens are.
    tokens : DeviceTokens
        Their words and topics.
    sources : DeviceSources or None
        Candidate sources, with linked documents.
    observations : DeviceObservations or None
        Pseudo-observations; None: made here.
    """

    def __init__(
        self,
        device: Device,
        tokens: DeviceTokens,
        sources: DeviceSources | None = None,
        observations: DeviceObservations | None = None,
    ) -> None:
        self._device = device
        self._tokens = tokens
        self._sources = sources
        self._observations = observations or DeviceObservations(device, tokens)
        self._prior: tuple[Any, Any] = (None, NOTHING)  # a table of β, and the same on the device

    def sweep(
        self, counted: Any, totals: np.ndarray, factors: Sequence[Factors], key: np.uint64, drawn: Any = None
    ) -> Swept:
        """Resample all tokens once; `counted` and `drawn` are changed to the counts after the sweep.

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
        drawn : device array of int32 or None
            With linked documents: counts per source document, flat, documents × width.
        """
        device, tokens, first = self._device, self._tokens, factors[0]
        observations = [one.observations for one in factors if one.observations is not None]
        tilt = _UNTILTED if not observations else _EXACT if observations[0].exact else _CACHED
        said, n_labels, most = self._observed(observations)
        kept = n_labels if tilt == _EXACT and n_labels <= _MAX_KEPT else 0
        macros = topic_macros(tokens.n_topics) | {
            "TILT": tilt, "PRIOR_TABLE": int(first.prior_table is not None), "THREADS": _THREADS,
            "SOURCES": int(self._sources is not None),
            "LABELS": n_labels, "KEPT": kept,
            "MIN_BLOCKS": 1 if self._sources else min_blocks(tokens.width // LANES, tilt),
        }  # fmt: skip
        slots = _THREADS // LANES
        rows = 2 + tilt + (self._sources is not None)  # of every document
        shared = 4 * (4 * tokens.width + slots * (rows * tokens.width + 4 * kept))
        blocks = device.resident_blocks("frozen.cu", "sweep_frozen", macros, _THREADS, shared)
        blocks = max(1, min(blocks, -(-tokens.n_documents // slots)))
        size = blocks * slots * most * 4
        numbers = device.empty(size, np.float32) if tilt == _EXACT and not kept else NOTHING
        scale, scale_less = frozen_scales(Counts(None, totals), first)  # type: ignore[arg-type]
        likelihood = device.empty(tokens.n_documents, np.float64)
        change = device.zeros(tokens.width, np.int32)
        sources = NO_SOURCES if self._sources is None else self._sources.open(drawn, first.alpha, blocks * slots)
        device.launch(
            "frozen.cu", "sweep_frozen", macros, blocks, _THREADS, shared,
            tokens.order, np.int32(tokens.n_documents), device.zeros(1, np.int32), tokens.device_offsets,
            np.int64(tokens.first_document), tokens.words, tokens.topics, tokens.spread(counted),
            self._prior_table(first.prior_table), np.float32(first.prior_value), counted, change,
            *(device.put(one) for one in (first.alpha, scale, scale_less)), np.int32(tokens.n_topics), np.uint64(key),
            likelihood, *said, numbers, np.int32(most), *sources,
        )  # fmt: skip
        if self._sources is not None:
            self._sources.close()
        tokens.changed()
        return Swept(tokens.sum_documents(likelihood), device.get(change).astype(np.int64))

    def _observed(self, parts: Sequence[Observations]) -> tuple[tuple[Any, ...], int, int]:
        """Return the arguments of pseudo-observations.

        After them, the number of labels if every document has all of them, and the most observations of one document.
        """
        if not parts:
            return (NOTHING,) * 6, 0, 0
        (*said, directions), n_labels = self._observations.put(parts)
        by_topic: Any = NOTHING
        if n_labels:
            rows = directions.reshape(n_labels, self._tokens.width)
            by_topic = self._device.put(np.ascontiguousarray(rows.T).ravel())
        most = max(int(np.diff(one.starts).max(initial=0)) for one in parts)
        return (*said, self._tokens.spread(directions), by_topic), n_labels, most

    def _prior_table(self, table: np.ndarray | None) -> Any:
        """Return a table of β on the device, in the order of lanes; it is kept until another one comes."""
        if table is None:
            return NOTHING
        if self._prior[0] is not table:
            self._prior = (table, self._tokens.spread(table))
        return self._prior[1]
