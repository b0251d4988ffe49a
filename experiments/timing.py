"""Seconds per fit, and per step of a sweep."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plait.engine.chain import Chain
from plait.executors import Threads


def fit_seconds(model: Any, *given: Any) -> float:
    """Fit a model and return the seconds that it took.

    A fit that Ctrl-C ended early is not a valid measurement: KeyboardInterrupt is raised.
    """
    began = time.perf_counter()
    model.fit(*given)
    seconds = time.perf_counter() - began
    parts = [model, getattr(model, "topics_", None)]  # a baseline may contain a topic model
    if any(getattr(part, "interrupted_", False) for part in parts):
        raise KeyboardInterrupt
    return seconds


class Steps(NamedTuple):
    """Seconds of the three steps of a sweep."""

    weights: float
    topics: float
    auxiliaries: float

    @property
    def total(self) -> float:
        """Seconds of the whole sweep."""
        return sum(self)


@dataclass(frozen=True)
class Course:
    """A chain with timed sweeps."""

    chain: Chain
    steps: list[Steps]

    def warm_up(self) -> None:
        """Make one sweep that is not timed: it loads or compiles code and fills the caches."""
        self.sweep()
        self.steps.pop()

    def sweep(self) -> None:
        """Make one sweep as `Chain.sweep` does, and record the seconds of each step."""
        began = time.perf_counter()
        self.chain._draw_weights()
        drawn_weights = time.perf_counter()
        self.chain._draw_topics()
        self.chain.n_sweeps += 1
        drawn_topics = time.perf_counter()
        self.chain._draw_auxiliaries()
        ended = time.perf_counter()
        self.steps.append(Steps(drawn_weights - began, drawn_topics - drawn_weights, ended - drawn_topics))

    def medians(self) -> Steps:
        """Return the median seconds of each step."""
        return Steps(*np.median(self.steps, axis=0).tolist())


def take_turns(
    courses: dict[str, Course],
    n_sweeps: int,
    jobs: int,
    in_a_row: int = 1,
    look: Callable[[], None] | None = None,
) -> dict[str, Steps]:
    """Sweep several chains in turns, so that other load affects all of them; return the medians of each.

    With `in_a_row` above 1 a turn is that many sweeps after one that is not timed: the caches then contain the data of
    the same chain, as in a fit. `look` is called at the end, while the chains still have their shards.
    """
    with ExitStack() as stack:
        for course in courses.values():
            course.chain.start(stack.enter_context(Threads(jobs)))  # an executor holds the shards of one chain
            course.warm_up()
        for _ in range(-(-n_sweeps // in_a_row)):
            for course in courses.values():
                if in_a_row > 1:
                    course.warm_up()
                for _ in range(in_a_row):
                    course.sweep()
        if look is not None:
            look()
    return {name: course.medians() for name, course in courses.items()}
