"""Label partition: the weights of some labels, from the sums of all shards. Section 5.4 of Zhu et al. (2013).

Given the topics, the weights of labels are independent of each other. So the sums of a range of labels can go from all
shards to one worker, which adds them in the order of the shards and draws the weights of its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plait.responses.base import serial_map
from plait.responses.joining import add_sums
from plait.responses.linear.regression import Sums, draw_weights


class LabelPart(NamedTuple):
    """What the weights of a range of labels need besides the sums of the shards."""

    nu: float | np.ndarray  # prior standard deviation of the weights: one number, or one per topic and feature
    normals: np.ndarray | None  # labels × topics: standard normal numbers; None for expected weights
    mean: np.ndarray | None  # labels × topics: prior mean; None for 0


def cut_labels(n_labels: int, n_parts: int) -> list[tuple[int, int]]:
    """Return the first and the last label (exclusive) of each part; there are at most as many as labels.

    Parameters
    ----------
    n_labels, n_parts : int
        Numbers of labels and wanted parts.

    Examples
    --------
    >>> cut_labels(7, 3)
    [(0, 2), (2, 4), (4, 7)]
    """
    n_parts = min(n_parts, n_labels)
    return [(number * n_labels // n_parts, (number + 1) * n_labels // n_parts) for number in range(n_parts)]


def cut_sums(sums: Sequence[np.ndarray], ranges: Sequence[tuple[int, int]]) -> list[tuple[np.ndarray, ...]]:
    """Return the sums of a shard for each range of labels.

    Parameters
    ----------
    sums : sequence of ndarray
        What `ShardResponse.statistics` returned; labels are the last axis.
    ranges : sequence of (int, int)
        First and last label (exclusive) of each part.

    Returns
    -------
    list of tuple of ndarray
        Contiguous copies.
    """
    return [tuple(np.ascontiguousarray(one[..., first:last]) for one in sums) for first, last in ranges]


def draw_part(part: LabelPart, sums: Sequence[tuple[np.ndarray, ...]]) -> np.ndarray:
    """Draw the weights of some labels, or return their means; the bits are those of all labels together.

    Parameters
    ----------
    part : LabelPart
        Prior and random numbers of the labels.
    sums : sequence of tuple of ndarray
        Sums of every shard for these labels, in the order of the shards; those of the first are changed.

    Returns
    -------
    ndarray of shape (labels, topics)
        Weights.
    """
    return draw_weights(Sums(*add_sums(sums)), part.nu, part.normals, serial_map, part.mean)
