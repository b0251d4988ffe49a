"""Messages with the rows that some shards use, in place of large tables: what travels to each worker.

A table up to `MOST_WHOLE_BYTES` is sent whole, because the workers of a node then read one copy. A larger one is never
sent whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plait.engine.cut import ShardPlan, TableLayout
from plait.engine.messages import Broadcast, Priors, RunningCounts
from plait.engine.topic_lists import take_lists
from plait.executors import Executor
from plait.samplers.base import TopicLists

MOST_WHOLE_BYTES = 256 << 20


def send_broadcast(executor: Executor, broadcast: Broadcast, plan: ShardPlan) -> list[Any]:
    """Have all shards sweep; a large table of counts travels as the rows in use.

    Parameters
    ----------
    executor : Executor
        Has the shards.
    broadcast : Broadcast
        The message with whole tables.
    plan : ShardPlan
        How the corpus is cut.

    Returns
    -------
    list of SweepResult
        In the order of the shards.
    """

    def narrow(first: int, last: int) -> Broadcast:
        message = broadcast
        if broadcast.word_topic.nbytes > MOST_WHOLE_BYTES:
            rows = rows_in_use(plan.words, first, last)
            message = message._replace(word_topic=_take(broadcast.word_topic, rows, plan.width), word_rows=rows)
        if broadcast.source_topic.nbytes > MOST_WHOLE_BYTES:
            rows = rows_in_use(plan.sources, first, last)
            message = message._replace(source_topic=_take(broadcast.source_topic, rows, plan.width), source_rows=rows)
        return message

    largest = max(broadcast.word_topic.nbytes, broadcast.source_topic.nbytes)
    return _send(executor, "sweep", broadcast, largest, narrow)


def send_priors(executor: Executor, priors: Priors, plan: ShardPlan) -> None:
    """Send α and β to all shards; a large table of β travels as the rows in use.

    Parameters
    ----------
    executor : Executor
        Has the shards.
    priors : Priors
        With the whole table.
    plan : ShardPlan
        How the corpus is cut.
    """
    table = priors.table

    def narrow(first: int, last: int) -> Priors:
        assert table is not None
        words = _own_rows(plan.words, first, last)
        return priors._replace(table=table[words], words=words)

    _send(executor, "set_priors", priors, 0 if table is None else table.nbytes, narrow)


def send_counts(executor: Executor, counts: RunningCounts, plan: ShardPlan) -> None:
    """Send running counts of a checkpoint to all shards; large tables travel as the rows in use.

    Parameters
    ----------
    executor : Executor
        Has the shards.
    counts : RunningCounts
        Whole tables.
    plan : ShardPlan
        How the corpus is cut.
    """

    def narrow(first: int, last: int) -> RunningCounts:
        words, sources = _own_rows(plan.words, first, last), _own_rows(plan.sources, first, last)
        return RunningCounts(counts.word_topic[words], counts.source_topic[sources], words, sources)

    _send(executor, "load_counts", counts, max(counts.word_topic.nbytes, counts.source_topic.nbytes), narrow)


def rows_in_use(layout: TableLayout, first: int, last: int) -> np.ndarray:
    """Return the shared rows that shards `first` up to `last` use, increasing.

    Parameters
    ----------
    layout : TableLayout
        Which rows each shard uses.
    first, last : int
        Run of shards; `last` is not part of it.

    Returns
    -------
    ndarray of int64
        Row numbers of the chain's table.
    """
    return np.unique(np.concatenate([layout.rows_of(number) for number in range(first, last)]))


def _own_rows(layout: TableLayout, first: int, last: int) -> np.ndarray:
    """Return all rows, shared or not, that some shards use, increasing."""
    return np.unique(np.concatenate(layout.own[first:last]))


def _send(executor: Executor, method: str, message: Any, n_bytes: int, narrow: Callable[[int, int], Any]) -> list[Any]:
    if n_bytes <= MOST_WHOLE_BYTES:
        return executor.each(method, message)
    return executor.each_narrowed(method, message, narrow)


def _take(table: Any, rows: np.ndarray, width: int) -> Any:
    if isinstance(table, TopicLists):
        return take_lists(table, rows)
    return table.reshape(-1, width)[rows].ravel()
