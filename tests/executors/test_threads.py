"""Threads: tasks that call `map` themselves."""

from __future__ import annotations

import weakref

from plait.executors import Threads


class Held:
    """Something that a weak reference can be made to."""


def test_a_task_that_calls_map_leaves_nothing_behind():
    alive, numbers = weakref.WeakSet(), []

    def task(_):
        held = Held()
        alive.add(held)
        threads.map(lambda item: (held, item)[1], range(4))
        numbers.append(len(alive))

    with Threads(2) as threads:
        threads.map(task, range(30))
    assert max(numbers) <= 4  # those of the tasks that run now
