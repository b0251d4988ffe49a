"""Auxiliary variables of many observations, drawn in blocks that have random numbers of their own."""

from __future__ import annotations

import numpy as np

from plait.executors import Threads
from plait.responses.losses import Loss, Pseudo
from plait.samplers.random import generator

_BLOCK = 1 << 14  # observations that one task draws


def draw_pseudo(
    loss: Loss, targets: np.ndarray, values: np.ndarray, costs: np.ndarray, key: np.uint64, executor: Threads
) -> Pseudo:
    """Draw the auxiliary variables given values, and return the pseudo-observations."""
    pseudo = Pseudo(np.empty(values.size), np.empty(values.size))

    def draw(first: int) -> None:
        own = slice(first, first + _BLOCK)
        random = generator(key, first // _BLOCK)
        pseudo.pull[own], pseudo.precision[own] = loss.observe(targets[own], values[own], costs[own], random)

    executor.map(draw, range(0, values.size, _BLOCK))
    return pseudo
