"""Ctrl-C as a request to stop: the current sweep is completed, then the run stops and keeps its state."""

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
