"""The memory that a chain needs on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plait.errors import PlaitError
from plait.executors.cuda_device import Device

_SPARE = 256 << 20  # bytes for compiled kernels, working memory of resident documents and rounding by the allocator


def token_bytes(n_tokens: int, width: int) -> int:
    """Return the number of bytes that words and topics of tokens take, on the device or in memory of the host.

    Parameters
    ----------
    n_tokens : int
        Size of the corpus.
    width : int
        Padded number of topics.

    Examples
    --------
    >>> token_bytes(1000, 128)
    5000
    """
    return n_tokens * (4 + (1 if width <= 256 else 2))


def device_bytes(n_tokens: int, n_documents: int, n_words: int, width: int, *, lists: bool) -> int:
    """Return the number of bytes that tokens and tables take.

    Parameters
    ----------
    n_tokens, n_documents, n_words : int
        Sizes of the corpus.
    width : int
        Padded number of topics.
    lists : bool
        Whether words have lists of topics.

    Examples
    --------
    >>> device_bytes(40_000_000, 400_000, 50_000, 128, lists=False) < 600_000_000
    True
    """
    tokens = token_bytes(n_tokens, width) + n_documents * 28
    cells = n_words * width
    # Counts and a copy; lists have an entry and a cumulative sum per topic of a word, and padding.
    tables = cells * 8 + (12 * min(n_tokens + 64 * n_words, cells) if lists else 0)
    return tokens + tables + _SPARE


def tokens_fit(device: Device, shards: Sequence[Any]) -> bool:
    """Return whether a device has room for the tokens; raise an error if it has less than the tables need.

    Otherwise tokens are in memory of the host.

    Parameters
    ----------
    device : Device
        The device.
    shards : sequence of FrozenShard
        All shards of a chain.
    """
    first = shards[0]
    n_tokens = sum(int(shard.documents.offsets[-1]) for shard in shards)
    n_documents = sum(shard.documents.offsets.size - 1 for shard in shards)
    lists = first.sampler.lists_topics(first.n_topics)
    needed = device_bytes(n_tokens, n_documents, first.words.size, first.width, lists=lists)
    free, total = device.memory()
    if needed <= free:
        return True
    needed -= token_bytes(n_tokens, first.width)
    if needed > free:
        raise PlaitError(
            f"executor='cuda' needs {needed / 2**30:.1f} GiB on the device for {first.words.size:,} words, "
            f"{first.n_topics:,} topics and {n_documents:,} documents; {free / 2**30:.1f} of {total / 2**30:.1f} GiB "
            "are free: use fewer topics or words, or another executor"
        )
    return False


def check_table(device: Device, n_words: int, width: int) -> None:
    """Raise an error that names the memory needed if a device has less than a table of β takes.

    Parameters
    ----------
    device : Device
        The device.
    n_words : int
        Words of the corpus.
    width : int
        Padded number of topics.
    """
    needed = 2 * 4 * n_words * width  # in the order of topics, and of lanes
    free, total = device.memory()
    if needed > free:
        raise PlaitError(
            f"executor='cuda' needs {needed / 2**30:.1f} GiB more on the device for beta, a table of {n_words:,} "
            f"words; {free / 2**30:.1f} of {total / 2**30:.1f} GiB are free: use fewer topics or words, or another "
            "executor"
        )
