"""Weights and auxiliary variables of labels and values: sums over documents and values of observations on a device.

responses/linear/regression.py defines the order of additions, so the bits are those of the CPU. Documents stay on the
device; sums come to the host, where weights are drawn. Auxiliary variables of the hinge loss are drawn on the device;
for other losses, values come to the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait._utils.arrays import lasting_array
from plait.executors.cuda_device import Device
from plait.executors.cuda_observations import DeviceObservations
from plait.executors.cuda_tokens import DeviceTokens
from plait.samplers.base import Observations

_WARPS = 4
_SHARED = 48 << 10  # bytes of totals per block of threads
_MANY_LABELS = 16  # per block of threads, from which on lanes are labels
_MAX_BYTES = 1 << 30  # of the sums of all chunks


def can_regress(shards: Sequence[Any]) -> bool:
    """Return whether the only response of a chain are labels or values, with a row of sums that fits a block.

    Parameters
    ----------
    shards : sequence of FrozenShard
        All shards of a chain.
    """
    first = shards[0]
    alone = all(len(one.responses) == 1 and one.responses[0].regresses_documents for one in shards)
    return alone and 8 * (first.n_topics + 1) <= _SHARED


def _macros(tile: int) -> dict[str, object]:
    return {"WARPS": _WARPS, "TILE": tile, "BY_LABEL": int(tile >= _MANY_LABELS)}


class DeviceRegression:
    """Sums and values of all shards of a chain.

    Parameters
    ----------
    device : Device
        Where the tokens are.
    tokens : DeviceTokens
        Their words and topics.
    observations : DeviceObservations
        Pseudo-observations, which the sweeps use, too.
    shards : sequence of FrozenShard
        All shards of the chain.
    """

    def __init__(
        self, device: Device, tokens: DeviceTokens, observations: DeviceObservations, shards: Sequence[Any]
    ) -> None:
        self._device = device
        self._tokens = tokens
        self._observations = observations
        self._shards = shards
        self._values: np.ndarray | None = None
        self._signs: Any = None  # of all targets, on the device
        self.draws = shards[0].responses[0].hinge_signs() is not None  # whether the device draws auxiliary variables

    def _parts(self, weights: np.ndarray) -> list[Observations]:
        # Directions are the weights alone, so no topics of documents are needed.
        return [shard.responses[0].observations(None, weights, shard.width, shard.map) for shard in self._shards]

    def sum_statistics(self, weights: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return the sums that the weights depend on, added over all shards in their order.

        Parameters
        ----------
        weights : ndarray of shape (labels, topics)
            Present weights.
        """
        device, tokens = self._device, self._tokens
        parts = self._parts(weights)
        (starts, rows, pull, precision, _), complete = self._observations.put(parts)
        n_labels, n_topics = weights.shape
        n_pairs = n_topics * (n_topics + 1) // 2
        totals = [device.empty(size * n_labels, np.float64) for size in (n_pairs, n_topics)]
        begun = False
        for first, chunks, edges in self._groups(n_labels):
            n_chunks, n_shards = edges.size - 1, chunks.size - 1
            sums = [device.empty(n_chunks * one.size, np.float64) for one in totals]
            self._sum_chunks(edges + tokens.runs[first], n_labels, starts, rows, pull, precision, complete, sums)
            there = device.put(chunks)
            for own, total in zip(sums, totals, strict=True):
                device.launch(
                    "regression.cu", "add_chunks", _macros(1), min(-(-total.size // 256), 1 << 16),
                    256, 0, np.int64(total.size), np.int32(n_shards), there, np.int32(begun), own, total,
                )  # fmt: skip
            begun = True
        added: tuple[np.ndarray, ...] = (
            self._shards[0].responses[0].make_sums(*(device.get(one).reshape(-1, n_labels) for one in totals))
        )
        return added

    def _groups(self, n_labels: int) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """Return groups of shards whose sums fit: the first shard, first chunks of shards, first documents of chunks.

        Documents are counted from the first one of the group.
        """
        n_topics, runs = self._tokens.n_topics, self._tokens.runs
        chunk_edges = self._shards[0].responses[0].chunk_edges
        cuts = [chunk_edges(int(size), n_topics) for size in np.diff(runs)]
        most = max(1, _MAX_BYTES // (4 * n_topics * (n_topics + 3) * n_labels))
        groups, first = [], 0
        while first < len(cuts):
            last, n_chunks = first + 1, cuts[first].size - 1
            while last < len(cuts) and n_chunks + cuts[last].size - 1 <= most:
                n_chunks += cuts[last].size - 1
                last += 1
            own = range(first, last)
            edges = np.concatenate([*(cuts[one][:-1] + runs[one] for one in own), [runs[last]]]) - runs[first]
            chunks = np.concatenate([[0], np.cumsum([cuts[one].size - 1 for one in own])]).astype(np.int32)
            groups.append((first, chunks, edges.astype(np.int64)))
            first = last
        return groups

    def _sum_chunks(
        self, edges: np.ndarray, n_labels: int, starts: Any, rows: Any, pull: Any, precision: Any, complete: int,
        sums: Sequence[Any],
    ) -> None:  # fmt: skip
        """Fill the sums of some chunks of documents."""
        device, tokens = self._device, self._tokens
        n_topics, there = tokens.n_topics, tokens.topic_shares()
        tile = min(n_labels, _SHARED // (8 * (n_topics + 1)))
        n_tiles = -(-n_labels // tile)
        tile = -(-n_labels // n_tiles)  # tiles of about the same size
        device.launch(
            "regression.cu", "sum_statistics", _macros(tile), n_topics * n_tiles * (edges.size - 1),
            32 * _WARPS, 8 * tile * (n_topics + 1), np.int32(n_topics), np.int32(n_tiles), device.put(edges),
            np.int64(tokens.n_documents), there.held, there.starts, there.topics, there.shares, starts, rows, pull,
            precision, np.int32(n_labels), np.int32(complete == n_labels), *sums,
        )  # fmt: skip

    def project_documents(self, weights: np.ndarray) -> list[np.ndarray]:
        """Return the value u · z̄_d of every observation of each shard; the memory is used again by the next call.

        Parameters
        ----------
        weights : ndarray of shape (labels, topics)
            Weights.
        """
        values = self._project(weights)
        if self._values is None or self._values.size != values.size:
            self._values = lasting_array(values.size, np.float64)
            self._device.lock_pages("values", [self._values])
        self._device.copy_out(values, self._values)
        return self._split(self._values)

    def _project(self, weights: np.ndarray) -> Any:
        """Return the value of every observation, on the device."""
        device, tokens = self._device, self._tokens
        starts, rows = self._observations.number(self._parts(weights))
        there = tokens.topic_shares()
        values = device.empty(rows.size, np.float64)
        blocks = max(1, min(-(-tokens.n_documents // 8), 1 << 15))
        device.launch(
            "regression.cu", "project_documents", _macros(1), blocks, 256, 0,
            np.int32(tokens.n_documents), there.starts, there.topics, there.shares, starts, rows,
            device.put(np.ascontiguousarray(weights.T)), np.int32(weights.shape[0]), values,
        )  # fmt: skip
        return values

    def draw_auxiliaries(self, weights: np.ndarray, key: np.uint64) -> None:
        """Draw the auxiliary variables of the hinge loss; pull and precision stay on the device.

        Parameters
        ----------
        weights : ndarray of shape (labels, topics)
            Weights.
        key : np.uint64
            Key of the random numbers.
        """
        device = self._device
        values = self._project(weights)
        (_, rows, pull, precision, _), _ = self._observations.put(self._parts(weights))
        halves = [shard.responses[0] for shard in self._shards]
        if self._signs is None:
            self._signs = device.put(np.concatenate([one.hinge_signs().signs for one in halves]))
        given = halves[0].hinge_signs()
        costs = device.put(np.ascontiguousarray(given.costs, np.float64).ravel())
        begin = 0
        for number, half in enumerate(halves):
            own = slice(begin, begin + half.n_known())
            size = own.stop - begin
            begin = own.stop
            if size:
                device.launch(
                    "auxiliaries.cu", "draw_hinge", {}, min(-(-size // 256), 1 << 12), 256, 0, np.int64(size),
                    np.uint64(key), np.int32(number), np.float64(given.ell), values[own], self._signs[own],
                    rows[own], costs, np.int32(weights.shape[0]), pull[own], precision[own],
                )  # fmt: skip
        self._observations.drawn(self._parts(weights))

    def _split(self, values: np.ndarray) -> list[np.ndarray]:
        ends = np.cumsum([shard.responses[0].n_known() for shard in self._shards])
        return np.split(values, ends[:-1])
