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
        self._pseudo: list[Any] = []  # pull and precision
        self._sent: list[np.ndarray] = []  # the same of every shard
        self._n_labels = 0
        self.up_to_date = False  # whether pull and precision need not be copied again
        self._drawn: list[Observations] = []  # those whose pull and precision are newer on the device

    def put(self, parts: Sequence[Observations]) -> tuple[tuple[Any, ...], int]:
        """Return the observations, and the number of labels if every document has one observation of each.

        The observations are the starts of documents, rows, pull and precision, on the device, and the directions of
        all shards on the host.

        Parameters
        ----------
        parts : sequence of Observations
            Of each shard.
        """
        self.number(parts)
        directions = parts[0].directions if self._alike else np.concatenate([one.directions for one in parts])
        if not self.up_to_date:
            self._copy_pseudo(parts)
            self.up_to_date = True
        return (self._starts, self._rows, *self._pseudo, directions), self._n_labels

    def drawn(self, parts: Sequence[Observations]) -> None:
        """Note that pull and precision were drawn on the device.

        Parameters
        ----------
        parts : sequence of Observations
            Of each shard; `fetch` overwrites them.
        """
        self._drawn = list(parts)
        self.up_to_date = True

    def fetch(self) -> None:
        """Copy pull and precision that were drawn on the device to the shards."""
        begin = 0
        for part in self._drawn:
            own = slice(part.starts[0], part.starts[-1])
            size = int(own.stop - own.start)
            for given, joined in zip((part.pull, part.precision), self._pseudo, strict=True):
                self._device.copy_out(joined[begin : begin + size], given[own])
            begin += size
        self._drawn = []

    def number(self, parts: Sequence[Observations]) -> tuple[Any, Any]:
        """Return where the observations of each document begin, and their directions, for all shards.

        Parameters
        ----------
        parts : sequence of Observations
            Of each shard.
        """
        alike = all(np.array_equal(one.directions, parts[0].directions) for one in parts[1:])
        given = [array for one in parts for array in (one.starts, one.rows)]
        kept = len(given) == len(self._given) and all(a is b for a, b in zip(given, self._given, strict=True))
        if not kept or alike != self._alike:
            self._number(parts, alike)
            self._given, self._alike = given, alike
        return self._starts, self._rows

    def _copy_pseudo(self, parts: Sequence[Observations]) -> None:
        """Copy pull and precision of all shards; arrays that come a second time are page-locked, which is faster."""
        sent = [array for one in parts for array in (one.pull, one.precision)]
        again = len(sent) == len(self._sent) and all(a is b for a, b in zip(sent, self._sent, strict=True))
        self._device.lock_pages("observations", sent if again else [])
        self._sent = sent
        sizes = [int(one.starts[-1] - one.starts[0]) for one in parts]
        if not self._pseudo or self._pseudo[0].size != sum(sizes):
            self._pseudo = [self._device.empty(sum(sizes), np.float64) for _ in range(2)]
        begin = 0
        for part, size in zip(parts, sizes, strict=True):
            own = slice(part.starts[0], part.starts[-1])
            for given, joined in zip((part.pull, part.precision), self._pseudo, strict=True):
                self._device.copy_in(np.ascontiguousarray(given[own], np.float64), joined[begin : begin + size])
            begin += size

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
