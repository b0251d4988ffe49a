"""Auxiliary variables of many observations, drawn in blocks that have random numbers of their own."""

from __future__ import annotations

import numpy as np

from plait.responses.base import Map
from plait.responses.losses import Loss, Pseudo
from plait.samplers.random import generator

_BLOCK = 1 << 14  # observations that one task draws
_SHARD_BITS = 24  # blocks of a shard are numbered below 2 to this power


def draw_pseudo(
    loss: Loss, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, key: np.uint64, shard: int, map: Map
) -> Pseudo:
    """Draw the auxiliary variables of one shard given values, and return the pseudo-observations.

    Every block of observations of every shard has a random stream of its own.
    """
    pseudo = Pseudo(np.empty(values.size), np.empty(values.size))

    def draw(first: int) -> None:
        own = slice(first, first + _BLOCK)
        random = generator(key, (shard << _SHARD_BITS) + first // _BLOCK)
        pseudo.pull[own], pseudo.precision[own] = loss.observe(targets[own], values[own], costs[own], random)

    map(draw, range(0, values.size, _BLOCK))
    return pseudo
