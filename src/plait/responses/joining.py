"""Results of several shards or responses that are put together: sums of statistics, pseudo-observations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plait.errors import PlaitError
from plait.samplers.base import MovingDirections, Observations


def add_sums(sums: Sequence[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """Return the sums added over all shards, in the order of the shards.

    Parameters
    ----------
    sums : sequence of tuple of ndarray
        Sums of each shard; those of the first are changed in place.

    Returns
    -------
    tuple of ndarray
        Totals.
    """
    first, *others = sums
    for other in others:
        for total, addend in zip(first, other, strict=True):
            total += addend
    return first


def join_observations(observations: Sequence[Observations], width: int) -> Observations | None:
    """Return the pseudo-observations of several responses, merged document by document.

    Parameters
    ----------
    observations : sequence of Observations
        Pseudo-observations of each response.
    width : int
        Padded number of topics.

    Returns
    -------
    Observations or None
        All of them; None without responses.
    """
    if len(observations) < 2:
        return observations[0] if observations else None
    observations = sorted(observations, key=lambda each: each.moving is not None)  # moving directions come last
    sizes = np.array([np.diff(each.starts) for each in observations])
    starts = np.concatenate([[0], np.cumsum(sizes.sum(axis=0))]).astype(np.int64)
    before = np.cumsum(sizes, axis=0) - sizes  # observations of earlier responses in the same document
    rows, pull, precision = np.empty(starts[-1], np.int32), np.empty(starts[-1]), np.empty(starts[-1])
    first_row = 0
    for each, size, ahead in zip(observations, sizes, before, strict=True):
        places = np.arange(size.sum()) + np.repeat(starts[:-1] + ahead - each.starts[:-1] + each.starts[0], size)
        entries = slice(each.starts[0], each.starts[-1])
        rows[places] = each.rows[entries] + first_row
        pull[places], precision[places] = each.pull[entries], each.precision[entries]
        first_row += each.directions.size // width
    directions = np.concatenate([each.directions for each in observations])
    exact = all(each.exact for each in observations)
    return Observations(starts, rows, pull, precision, directions, exact, _join_moving(observations, first_row))


def _join_moving(observations: Sequence[Observations], n_rows: int) -> MovingDirections | None:
    moving = [each.moving for each in observations if each.moving is not None]
    if not moving:
        return None
    if len(moving) > 1:
        raise PlaitError("a model can have only one response whose directions depend on other documents (links)")
    (one,) = moving
    return one._replace(first_row=n_rows - one.n_rows)
