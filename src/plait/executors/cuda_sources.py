"""Linked documents on a device: candidate sources, and the counts of what tokens draw from them.

The candidate of each token, and the tokens per candidate, belong to the shards. They are copied to the device for a
sweep and back after it. The counts per source document stay on the device, as those of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.executors.cuda_device import NOTHING, Device
from plait.executors.cuda_tokens import DeviceTokens
from plait.samplers.base import Sources

# The arguments of a sweep without linked documents.
NO_SOURCES = (*([NOTHING] * 7), np.float64(0), np.int32(0), NOTHING, NOTHING)


class DeviceSources:
    """Candidate sources of all documents of a chain.

    Parameters
    ----------
    device : Device
        Where the tokens are.
    tokens : DeviceTokens
        Their words and topics.
    parts : sequence of Sources
        Of each shard; `rows` are those of the chain's table. `taken` and `drawn` are changed in place after a sweep.
    """

    def __init__(self, device: Device, tokens: DeviceTokens, parts: Sequence[Sources]) -> None:
        self._device = device
        self._tokens = tokens
        self._parts = list(parts)
        sizes = np.concatenate([np.diff(one.starts) for one in parts])
        self.most = int(sizes.max(initial=1))
        self._starts = device.put(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
        self._documents = device.put(np.concatenate([one.rows // tokens.width for one in parts]).astype(np.int32))
        self._gamma = device.put(np.concatenate([one.gamma for one in parts]))
        self._taken: Any = None
        self._drawn: Any = None

    def open(self, counted: Any, alpha: np.ndarray, n_slots: int) -> tuple[Any, ...]:
        """Return the arguments of a sweep; `counted` is changed to the counts after it.

        Parameters
        ----------
        counted : device array of int32
            Counts per source document, flat, documents × width.
        alpha : array of float32
            α, padded.
        n_slots : int
            Number of documents that are swept at once.
        """
        device, width = self._device, self._tokens.width
        self._taken = device.put(np.concatenate([one.taken for one in self._parts]))
        self._drawn = device.put(np.concatenate([one.drawn for one in self._parts]).astype(np.int32))
        return (
            self._starts, self._documents, self._gamma, self._taken, self._drawn, self._tokens.spread(counted), counted,
            np.float64(np.cumsum(alpha, dtype=np.float64)[-1]), np.int32(self.most),
            device.empty(n_slots * self.most * width, np.float32), device.empty(n_slots * 2 * self.most, np.float64),
        )  # fmt: skip

    def close(self) -> None:
        """Bring the candidates of tokens back to the shards."""
        taken, drawn = self._device.get(self._taken), self._device.get(self._drawn)
        self._taken = self._drawn = None
        begin = first = 0
        for one in self._parts:
            assert one.drawn is not None
            one.taken[:] = taken[begin : begin + one.taken.size]
            one.drawn[:] = drawn[first : first + one.drawn.size]
            begin, first = begin + one.taken.size, first + one.drawn.size
