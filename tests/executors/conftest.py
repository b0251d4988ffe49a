"""Fixtures of tests that start workers."""

from __future__ import annotations

import signal
import threading

import pytest

TIME_LIMIT = 60  # seconds per test: a hang fails


@pytest.fixture
def time_limit():
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum, frame):
        raise TimeoutError(f"the test took longer than {TIME_LIMIT} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(TIME_LIMIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
