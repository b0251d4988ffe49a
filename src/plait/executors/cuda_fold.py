"""Topics of new documents on a device, under one sample of a chain: engine/fold_in.py has the same on the CPU."""

from __future__ import annotations

import numpy as np

from plait.errors import PlaitError
from plait.executors.base import NewDocuments
from plait.executors.cuda_device import Device
from plait.executors.cuda_tokens import repeat_words, spread_rows, topic_macros
from plait.samplers.kernels.lanes import LANES

MOST_TOPICS = 1_024  # whose running sums fit into the registers of sixteen lanes
_THREADS = 128
_LEAST_DRAWS = 1.0  # draws per word of the table from which copying the table is worth it
_MOST_RESULTS = 1 << 26  # proportions on the device at once


def can_fold(documents: NewDocuments) -> bool:
    """Return whether a device infers the topics of new documents, and whether that is faster than the CPU.

    Parameters
    ----------
    documents : NewDocuments
        The documents.
    """
    n_words = documents.words.size // documents.alpha.size
    n_draws = float(documents.counts.sum()) * (documents.n_sweeps + 1)
    return documents.n_topics <= MOST_TOPICS and n_draws > 0 and n_draws >= _LEAST_DRAWS * n_words


def fold_documents(device: Device, documents: NewDocuments) -> np.ndarray:
    """Return the topic proportions of new documents, with the bits of the CPU.

    Parameters
    ----------
    device : Device
        The device.
    documents : NewDocuments
        The documents, and the tables of a sample.

    Returns
    -------
    ndarray of shape (documents, topics)
        Proportions, averaged over the second half of the sweeps.
    """
    macros = topic_macros(documents.n_topics)
    _check_memory(device, documents)
    table = spread_rows(device, macros, documents.words)
    alpha = spread_rows(device, macros, documents.alpha)
    n_documents = documents.keys.size
    found = np.empty((n_documents, documents.n_topics))
    step = max(1, _MOST_RESULTS // documents.n_topics)
    for first in range(0, n_documents, step):
        last = min(first + step, n_documents)
        found[first:last] = _fold_some(device, macros, documents, first, last, table, alpha)
    return found


def _fold_some(
    device: Device,
    macros: dict[str, object],
    documents: NewDocuments,
    first: int,
    last: int,
    table: object,
    alpha: object,
) -> np.ndarray:
    """Return the proportions of documents `first` up to `last`."""
    entries = slice(int(documents.starts[first]), int(documents.starts[last]))
    counts = documents.counts[entries]
    ends = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    offsets = ends[documents.starts[first : last + 1] - entries.start]
    n_documents, n_tokens, width = last - first, int(offsets[-1]), documents.alpha.size
    words = device.empty(max(n_tokens, 1), np.int32)
    repeat_words(device, macros, documents.rows[entries], counts, words)
    topics = device.zeros(max(n_tokens, 1), np.uint8 if documents.n_topics <= 256 else np.uint16)
    order = np.argsort(-np.diff(offsets), kind="stable").astype(np.int32)  # the longest first
    kept = device.zeros(n_documents * documents.n_topics, np.float64)
    own = macros | {"THREADS": _THREADS, "MIN_BLOCKS": 4 if width <= 256 else 1}
    slots = _THREADS // LANES
    shared = 4 * width * (1 + 2 * slots)
    blocks = device.resident_blocks("fold.cu", "fold_documents", own, _THREADS, shared)
    device.launch(
        "fold.cu", "fold_documents", own, max(1, min(blocks, -(-n_documents // slots))), _THREADS, shared,
        device.put(order), np.int32(n_documents), device.zeros(1, np.int32), device.put(offsets), words, topics, table,
        alpha, device.put(documents.keys[first:last]), np.int32(documents.n_topics), np.int32(documents.n_sweeps), kept,
    )  # fmt: skip
    return device.get(kept).reshape(n_documents, documents.n_topics)


def _check_memory(device: Device, documents: NewDocuments) -> None:
    """Raise an error that names the memory needed if the device has less."""
    n_tokens = int(documents.counts.sum())
    results = min(documents.keys.size * documents.n_topics, _MOST_RESULTS)
    needed = 8 * documents.words.size + 8 * n_tokens + 12 * documents.counts.size + 8 * results
    free, total = device.memory()
    if needed > free:
        raise PlaitError(
            f"executor='cuda' needs {needed / 2**30:.1f} GiB on the device for {n_tokens:,} tokens of new documents "
            f"and the words of {documents.n_topics:,} topics; {free / 2**30:.1f} of {total / 2**30:.1f} GiB are free: "
            "give fewer documents at a time, or set executor=None"
        )
