"""What a sweep computes once of all lists: rows of counts for long lists, and cumulative sums.

A token of a word with a long list is drawn from the topics of its document (held.py), whose counts are then read from
a row of all topics. A list is long from `long_list` blocks on: from 49 topics up to 1,024 topics, from a sixteenth of
the topics beyond, so that a row takes at most 84 bytes per topic of its list, which itself has 14 with its sums.
Shards of one process that sweep the same lists share the rows.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any, NamedTuple

import numpy as np

from plait.samplers.kernels.aligned import aligned_zeros
from plait.samplers.kernels.compiled import kernel
from plait.samplers.kernels.lanes import LANES

_MIN_BLOCKS = 4  # of a long list: shorter ones cost about as much as the topics of a document
_TOPICS_PER_BLOCK = 256  # of a row, at most


class LongLists(NamedTuple):
    """Rows and sums of long lists."""

    rows: np.ndarray  # float32, flat, long lists × width: n_kw
    row_of: np.ndarray  # int64: where the row of each word begins; −1 without one
    sums: np.ndarray  # float64: cumulative α_k n_kw / (n_k + Σβ) within each long list


def long_list(width: int) -> int:
    """Return the number of blocks from which on a list is long.

    Parameters
    ----------
    width : int
        Padded number of topics.

    Examples
    --------
    >>> long_list(512), long_list(10_000)
    (4, 40)
    """
    return max(_MIN_BLOCKS, -(-width // _TOPICS_PER_BLOCK))


def make_long_lists(lists: Any, base: np.ndarray) -> LongLists:
    """Return rows and sums of the long lists.

    Parameters
    ----------
    lists : TopicLists
        Counts of the start of the sweep.
    base : ndarray
        α_k / (n_k + Σβ), one per topic, padded.
    """
    width = base.size
    is_long = np.diff(lists.starts) >= long_list(width) * LANES
    row_of = np.where(is_long, (np.cumsum(is_long) - 1) * width, -1)
    found = LongLists(aligned_zeros(int(is_long.sum()) * width), row_of, np.empty(lists.topics.size))
    _fill(lists, base, found)
    return found


@kernel
def _fill(lists, base, long_lists):
    for word in range(lists.sizes.size):
        row = long_lists.row_of[word]
        if row >= 0:
            begin = lists.starts[word]
            running = 0.0
            for place in range(begin, begin + np.int64(lists.sizes[word])):
                topic = np.int64(lists.topics[place])
                long_lists.rows[row + topic] = np.float32(lists.counts[place])
                running += np.float64(base[topic]) * np.float64(lists.counts[place])
                long_lists.sums[place] = running


_lock = threading.Lock()
_made: dict[int, tuple[Any, bytes, LongLists]] = {}  # by the address of the counts of the lists


def shared_long_lists(lists: Any, base: np.ndarray) -> LongLists:
    """Return rows and sums of the long lists, which shards of one sweep share.

    Parameters
    ----------
    lists : TopicLists
        Counts of the start of the sweep.
    base : ndarray
        α_k / (n_k + Σβ), one per topic, padded.
    """
    number = id(lists.counts)
    with _lock:
        if number in _made:
            counts, of_base, found = _made[number]
            if counts() is lists.counts and of_base == base.tobytes():
                return found
        found = make_long_lists(lists, base)
        # What was made for counts that no longer exist is dropped with them.
        _made[number] = (weakref.ref(lists.counts, lambda _: _made.pop(number, None)), base.tobytes(), found)
        return found
