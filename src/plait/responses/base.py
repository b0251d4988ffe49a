"""The contract of a response: what a document's topics must explain besides its words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from plait.errors import PlaitError
from plait.executors import Threads
from plait.samplers.base import Followed, Observations


class DocTopics(NamedTuple):
    """The topics of all documents as the chain has them now."""

    counts: np.ndarray  # documents × topics: n_dk
    lengths: np.ndarray  # words of each document


class Response(ABC):
    """A part of a chain's state: weights, and auxiliary variables that turn targets into pseudo-observations.

    A sweep of the chain draws the weights, then the topics, then the auxiliary variables, each given all others.

    Weights have the prior N(m, ν² I). A response that has some is made with m, of the form that `mean_weights` returns,
    as it is made with ν: where documents come in slices of time, m is what was learnt before; None stands for 0. Like ν
    and the targets it is no part of the state: whoever restores a chain makes its responses with the same m.
    """

    keeps_topics: ClassVar[bool] = False  # whether predictions need the topics of the training documents

    @abstractmethod
    def begin(self, n_topics: int, key: np.uint64) -> None:
        """Take the state that a chain starts with; where it is by chance, with random numbers from a key.

        Weights start where their prior expects them (`expected_weights`).
        """

    @abstractmethod
    def draw_weights(self, topics: DocTopics, key: np.uint64, executor: Threads) -> None:
        """Draw the weights given topics and auxiliary variables, with random numbers from a key."""

    @abstractmethod
    def draw_auxiliaries(self, topics: DocTopics, key: np.uint64, executor: Threads) -> None:
        """Draw the auxiliary variables given topics and weights, with random numbers from a key."""

    @abstractmethod
    def observations(self, topics: DocTopics, width: int) -> Observations:
        """Return the pseudo-observations of every document, for the samplers; directions may be made of the topics."""

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


def check_mean(mean: np.ndarray | None, n_rows: int | None = None) -> np.ndarray | None:
    """Return a copy of what weights' prior expects, refused unless it is a table of numbers (with so many rows)."""
    if mean is None:
        return None
    table = np.array(mean, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != (table.shape[-1] if n_rows is None else n_rows):
        wanted = "topics × topics" if n_rows is None else f"{n_rows} × topics"
        raise PlaitError(f"the mean of the weights' prior has the shape {table.shape}; give {wanted}")
    if not np.isfinite(table).all():
        raise PlaitError("the mean of the weights' prior holds NaN or infinite numbers; give finite ones")
    return table


def expected_weights(mean: np.ndarray | None, shape: tuple[int, int]) -> np.ndarray:
    """Return weights of a shape as their prior expects them: 0, or a copy of its mean."""
    if mean is None:
        return np.zeros(shape)
    if mean.shape != shape:
        raise PlaitError(
            f"the mean of the weights' prior is one of {mean.shape[1]} topics, but the chain has {shape[1]}; carry "
            "weights on only between models with the same number of topics"
        )
    return mean.copy()


def join_observations(parts: Sequence[Observations], width: int) -> Observations | None:
    """Put the pseudo-observations of several responses together, document by document (None for none)."""
    if len(parts) < 2:
        return parts[0] if parts else None
    parts = sorted(parts, key=lambda part: part.followed is not None)  # directions that move lie together, at the end
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
    exact = all(part.exact for part in parts)
    return Observations(starts, rows, pull, precision, directions, exact, _join_followed(parts, first_row))


def _join_followed(parts: Sequence[Observations], n_rows: int) -> Followed | None:
    moving = [part.followed for part in parts if part.followed is not None]
    if not moving:
        return None
    n_moving = sum(followed.n_rows for followed in moving)
    maps = np.concatenate([followed.maps for followed in moving])
    return Followed(maps, moving[0].n_documents, n_rows - n_moving, n_moving)
