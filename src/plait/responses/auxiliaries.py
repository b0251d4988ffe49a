"""Auxiliary variables of many observations, drawn in blocks with separate random streams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from plait._utils.arrays import lasting_array
from plait.errors import PlaitError
from plait.responses.base import Map
from plait.responses.losses import Loss, Pseudo
from plait.samplers.random import generator

_BLOCK = 1 << 14  # observations per task
_SHARD_BITS = 24  # a shard has fewer than 2 to this power blocks


class KnownTargets(Protocol):
    """Targets and costs of the observations of a shard."""

    def block(self, own: slice) -> tuple[np.ndarray, np.ndarray]:
        """Return the targets and the costs of some observations; the next call of the thread may overwrite them."""


class KnownValues(NamedTuple):
    """Targets and costs as arrays.

    Examples
    --------
    >>> KnownValues(np.array([0.5, 2.0]), np.ones(2)).block(slice(1))
    (array([0.5]), array([1.]))
    """

    targets: np.ndarray
    costs: np.ndarray

    def block(self, own: slice) -> tuple[np.ndarray, np.ndarray]:
        """Return the targets and the costs of some observations."""
        return self.targets[own], self.costs[own]


def begin_pseudo(loss: Loss, known: KnownTargets, size: int) -> Pseudo:
    """Return the initial pseudo-observations of one shard.

    Parameters
    ----------
    loss : Loss
        Makes them.
    known : KnownTargets
        Target and cost of each observation.
    size : int
        Number of observations.

    Returns
    -------
    Pseudo
        Pull and precision of each observation.
    """
    pseudo = Pseudo(lasting_array(size, np.float64), lasting_array(size, np.float64))
    for first in range(0, size, _BLOCK):  # block by block: nothing else of this size is allocated
        own = slice(first, first + _BLOCK)
        pseudo.pull[own], pseudo.precision[own] = loss.begin(*known.block(own))
    return pseudo


def draw_pseudo(
    loss: Loss, known: KnownTargets, values: np.ndarray, key: np.uint64, shard: int, map: Map, pseudo: Pseudo
) -> None:
    """Draw the auxiliary variables of one shard given values; replace the pseudo-observations.

    Every block of observations of every shard has its own random stream, or every observation has its own numbers, so
    the result does not depend on `map`.

    Parameters
    ----------
    loss : Loss
        Draws the auxiliary variables.
    known : KnownTargets
        Target and cost of each observation.
    values : ndarray of shape (observations,)
        Current value of each observation.
    key : np.uint64
        Key of the random numbers.
    shard : int
        Number of the shard.
    map : callable
        Runs the tasks, as `Executor.map`.
    pseudo : Pseudo
        Pull and precision of each observation; they are overwritten.
    """

    def draw(first: int) -> None:
        own = slice(first, first + _BLOCK)
        targets, costs = known.block(own)
        result = Pseudo(pseudo.pull[own], pseudo.precision[own])
        if loss.draws_by_place:
            loss.observe_at(targets, values[own], costs, key, shard, first, result)
        else:
            random = generator(key, (shard << _SHARD_BITS) + first // _BLOCK)
            loss.observe_into(targets, values[own], costs, random, result)

    map(draw, range(0, values.size, _BLOCK))


def load_pseudo(arrays: Mapping[str, np.ndarray], size: int) -> Pseudo:
    """Return the pseudo-observations of a saved state; raise an error unless there is one per observation.

    Parameters
    ----------
    arrays : mapping of str to ndarray
        The state, with "pull" and "precision".
    size : int
        Number of observations.

    Returns
    -------
    Pseudo
        Pull and precision of each observation.
    """
    pseudo = Pseudo(*(np.array(arrays[name], dtype=np.float64) for name in Pseudo._fields))
    if pseudo.pull.shape != (size,) or pseudo.precision.shape != (size,):
        raise PlaitError(
            f"the checkpoint is damaged: it has {pseudo.pull.size:,} auxiliary variables, not {size:,}; fit again"
        )
    return pseudo
