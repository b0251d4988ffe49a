"""The order in which aggregated sampling visits the words of a document: by their number of tokens.

Words with the same number of tokens follow each other, so that a processor predicts the loops over tokens. The order is
made in working memory when a document is opened; nothing is stored per distinct word of a corpus.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plait.samplers.base import Documents
from plait.samplers.kernels.compiled import inline_kernel
from plait.samplers.kernels.lanes import LANES, prefetch

_AHEAD = 8  # number of entries by which rows are prefetched; tuned by measurement


class Visits(NamedTuple):
    """Entries of the current document, by rising number of tokens, otherwise in their order."""

    entries: np.ndarray  # int64: number of the entry in the shard
    tokens: np.ndarray  # int64: its first token
    ends: np.ndarray  # int64: entries of c tokens end at ends[c]; the last number is for all larger counts


def make_visits(documents: Documents, most: int) -> Visits:
    """Return the working memory for the longest document.

    Parameters
    ----------
    documents : Documents
        Words of the shard.
    most : int
        Number of tokens from which entries are not told apart.
    """
    longest = int(np.diff(documents.starts).max(initial=0))
    return Visits(np.zeros(longest, np.int64), np.zeros(longest, np.int64), np.zeros(most + 1, np.int64))


@inline_kernel
def list_visits(documents, document, visits):
    """List the entries of a document by their number of tokens."""
    # Unsigned places: Numba need not test whether they count from the end of an array.
    most = np.uint64(visits.ends.size - 1)
    first, last = np.uint64(documents.starts[document]), np.uint64(documents.starts[document + 1])
    for count in range(visits.ends.size):
        visits.ends[count] = 0
    for entry in range(first, last):
        visits.ends[min(np.uint64(documents.counts[entry]), most)] += 1
    before = 0
    for count in range(visits.ends.size):  # where the entries of each number of tokens begin
        size = visits.ends[count]
        visits.ends[count] = before
        before += size
    token = documents.offsets[document]
    for entry in range(first, last):
        count = np.uint64(documents.counts[entry])
        place = np.uint64(visits.ends[min(count, most)])
        visits.entries[place] = entry
        visits.tokens[place] = token
        visits.ends[min(count, most)] = place + np.uint64(1)
        token += np.int64(count)


@inline_kernel
def prefetch_visit(documents, place, visits, word_topic, width):
    """Return where the row of a visited word begins, and prefetch the row of a later one."""
    ahead = visits.entries[min(place + _AHEAD, visits.ends[visits.ends.size - 1] - 1)]
    soon = np.int64(documents.words[ahead]) * width
    for block in range(0, width, LANES):
        prefetch(word_topic, soon + block)
    return np.int64(documents.words[visits.entries[place]]) * width
