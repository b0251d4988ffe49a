"""Ctrl-C and SIGTERM as requests to stop: the current sweep is completed, then the run stops and keeps its state."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Any


class StopRequest:
    """Context manager that records Ctrl-C instead of raising; a second Ctrl-C raises KeyboardInterrupt.

    Signals can only be handled in the main thread; in other threads it has no effect.
    """

    def __init__(self) -> None:
        self.requested = False
        self.terminated = False
        self._previous_handler: Any = None
        self._watches_termination = False

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            self._previous_handler = signal.signal(signal.SIGINT, self._handle_signal)
        return self

    def __exit__(self, *error: object) -> None:
        if self._previous_handler is not None:
            signal.signal(signal.SIGINT, self._previous_handler)
        if self._watches_termination:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            if self.terminated:  # the process ends now, as it would have without a checkpoint to write
                signal.raise_signal(signal.SIGTERM)

    def watch_termination(self) -> None:
        """Record SIGTERM, too, and end the process by it when the context ends; a second SIGTERM ends it at once.

        A program that handles SIGTERM itself keeps its handler.
        """
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._handle_termination)
            self._watches_termination = True

    def _handle_signal(self, signum: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True

    def _handle_termination(self, signum: int, frame: FrameType | None) -> None:
        self.requested = self.terminated = True
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def is_called_by_estimator() -> bool:
    """Return whether a pipeline, a search or a cross-validation of scikit-learn called the current function.

    These know nothing of an interrupted model and would go on with the next fit, so that Ctrl-C must be raised there.
    The mixins of an estimator (`sklearn.base`, `sklearn.utils`) belong to the estimator itself.

    Returns
    -------
    bool
        Whether a function of scikit-learn is among the callers.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        names = frame.f_globals.get("__name__", "").split(".")
        if names[0] == "sklearn" and names[1:2] not in (["base"], ["utils"]):
            return True
        frame = frame.f_back
    return False
