"""Pseudo-observations of all shards on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.executors.cuda_device import NOTHING, Device
from plait.executors.cuda_tokens import DeviceTokens
from plait.samplers.base import Observations


class DeviceObservations:
    """Pseudo-observations as the sweep reads them; which observations there are is kept while it does not change.

    Parameters
    ----------
    device : Device
        Where the tokens are.
    tokens : DeviceTokens
        Their words and topics.
    """

    def __init__(self, device: Device, tokens: DeviceTokens) -> None:
        self._device = device
        self._tokens = tokens
        self._given: list[np.ndarray] = []  # starts and rows of every shard, of which the rest follows
        self._alike = False  # whether all shards have the same directions
        self._starts: Any = NOTHING
        self._rows: Any = NOTHING
        self._n_labels = 0

    def put(self, parts: Sequence[Observations]) -> tuple[tuple[Any, ...], int]:
        """Return the arguments of a sweep, and the number of labels if every document has one observation of each.

        Parameters
        ----------
        parts : sequence of Observations
            Of each shard; none without responses.
        """
        if not parts:
            return (NOTHING,) * 5, 0
        alike = all(np.array_equal(one.directions, parts[0].directions) for one in parts[1:])
        directions = parts[0].directions if alike else np.concatenate([one.directions for one in parts])
        given = [array for one in parts for array in (one.starts, one.rows)]
        kept = len(given) == len(self._given) and all(a is b for a, b in zip(given, self._given, strict=True))
        if not kept or alike != self._alike:
            self._number(parts, alike)
            self._given, self._alike = given, alike
        return (
            self._starts,
            self._rows,
            self._join([one.pull for one in parts], parts),
            self._join([one.precision for one in parts], parts),
            self._tokens.spread(directions),
        ), self._n_labels

    def _join(self, numbers: Sequence[np.ndarray], parts: Sequence[Observations]) -> Any:
        """Return a number of each observation of all shards, copied shard by shard."""
        sizes = [int(one.starts[-1] - one.starts[0]) for one in parts]
        joined = self._device.empty(sum(sizes), np.float64)
        begin = 0
        for one, part, size in zip(numbers, parts, sizes, strict=True):
            own = np.ascontiguousarray(one[part.starts[0] : part.starts[-1]], np.float64)
            joined[begin : begin + size] = self._device.put(own)
            begin += size
        return joined

    def _number(self, parts: Sequence[Observations], alike: bool) -> None:
        """Number the observations and directions of all shards."""
        starts, rows, begin, first_row = [], [], 0, 0
        width = self._tokens.width
        for one in parts:
            starts.append(one.starts[:-1] - one.starts[0] + begin)
            rows.append(one.rows[one.starts[0] : one.starts[-1]] + np.int32(first_row))
            begin += int(one.starts[-1] - one.starts[0])
            first_row += 0 if alike else one.directions.size // width
        joined = np.concatenate(rows).astype(np.int32)
        ends = np.concatenate([*starts, [begin]]).astype(np.int64)
        n_rows = parts[0].directions.size // width
        complete = alike and n_rows > 0 and bool((np.diff(ends) == n_rows).all())
        complete = complete and bool((joined.reshape(-1, n_rows) == np.arange(n_rows, dtype=np.int32)).all())
        self._n_labels = n_rows if complete else 0
        self._starts, self._rows = self._device.put(ends), self._device.put(joined)
