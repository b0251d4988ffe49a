"""The contract of a response: what a document's topics must explain besides its words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plait.executors import Threads
from plait.samplers.base import Observations


class DocTopics(NamedTuple):
    """The topics of all documents as the chain has them now."""

    counts: np.ndarray  # documents × topics: n_dk
    lengths: np.ndarray  # words of each document


class Response(ABC):
    """A part of a chain's state: weights, and auxiliary variables that turn targets into pseudo-observations.

    A sweep of the chain draws the weights, then the topics, then the auxiliary variables, each given all others.
    """

    @abstractmethod
    def begin(self, n_topics: int) -> None:
        """Take the state that a chain starts with."""

    @abstractmethod
    def draw_weights(self, topics: DocTopics, key: np.uint64, executor: Threads) -> None:
        """Draw the weights given topics and auxiliary variables, with random numbers from a key."""

    @abstractmethod
    def draw_auxiliaries(self, topics: DocTopics, key: np.uint64, executor: Threads) -> None:
        """Draw the auxiliary variables given topics and weights, with random numbers from a key."""

    @abstractmethod
    def observations(self, width: int) -> Observations:
        """Return the pseudo-observations of every document, for the samplers."""

    @abstractmethod
    def mean_weights(self, topics: DocTopics, executor: Threads) -> np.ndarray:
        """Return the expected weights given topics and auxiliary variables: what predictions use.

        They say more than the drawn ones, whose noise they leave out.
        """

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """Return everything that the next sweep depends on, as arrays."""

    @abstractmethod
    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go back to a state that `state` gave."""


def join_observations(parts: Sequence[Observations], width: int) -> Observations | None:
    """Put the pseudo-observations of several responses together, document by document (None for none)."""
    if len(parts) < 2:
        return parts[0] if parts else None
    sizes = np.array([np.diff(part.starts) for part in parts])
    starts = np.concatenate([[0], np.cumsum(sizes.sum(axis=0))]).astype(np.int64)
    before = np.cumsum(sizes, axis=0) - sizes  # observations of earlier responses in the same document
    rows, pull, precision = np.empty(starts[-1], np.int32), np.empty(starts[-1]), np.empty(starts[-1])
    first_row = 0
    for part, size, ahead in zip(parts, sizes, before, strict=True):
        places = np.arange(size.sum()) + np.repeat(starts[:-1] + ahead - part.starts[:-1] + part.starts[0], size)
        own = slice(part.starts[0], part.starts[-1])
        rows[places] = part.rows[own] + first_row
        pull[places], precision[places] = part.pull[own], part.precision[own]
        first_row += part.directions.size // width
    directions = np.concatenate([part.directions for part in parts])
    return Observations(starts, rows, pull, precision, directions, all(part.exact for part in parts))
