"""Ctrl-C as a request: the sweep at hand is finished, then the run stops with all its work kept."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class StopRequest:
    """Notes Ctrl-C instead of raising; a second Ctrl-C raises KeyboardInterrupt at once.

    Outside the main thread signals cannot be caught, and nothing is changed there.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous_handler: Any = None

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            self._previous_handler = signal.signal(signal.SIGINT, self._handle_signal)
        return self

    def __exit__(self, *error: object) -> None:
        if self._previous_handler is not None:
            signal.signal(signal.SIGINT, self._previous_handler)

    def _handle_signal(self, signum: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
