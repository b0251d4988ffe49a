"""A disk that is full, as far as this process can tell."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

resource = pytest.importorskip("resource", reason="this system has no limits of file sizes")


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Limit the size of files that this process writes; Python ignores the signal.

    The limit ends with the block, before pytest reports a result, which may go to a file.
    """
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
