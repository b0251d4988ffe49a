"""Connecting to Ray: the optional import, whether an address answers, and a start without output."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any

from plait._utils.wording import how_to_install
from plait.errors import PlaitError

_REACH_SECONDS = 10
# Environment of a local instance, where the user has not set it. Ray would start workers with niceness 15: beside other
# programs they would hardly run, while threads have the priority of the process that fits.
_LOCAL = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}


def import_ray() -> Any:
    """Return the module `ray`; raise an error that names the extra if it is missing."""
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise PlaitError(f"RayExecutor needs Ray: {how_to_install('ray')} ({error})", parameter="executor") from error


def check_reachable(address: str) -> None:
    """Raise an error if nothing answers at an address: Ray itself would wait for minutes.

    Parameters
    ----------
    address : str
        Host and port.
    """
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH_SECONDS).close()
    except (OSError, ValueError) as error:
        raise PlaitError(
            f'no Ray at {address} ({error}); give the "host:port" that `ray start --head` printed', parameter="address"
        ) from error


@contextlib.contextmanager
def quiet_start() -> Iterator[None]:
    """Start Ray without messages and usage statistics, and leave the handler of SIGTERM as it was.

    Token authentication stays as the user and Ray set it; only its message is not printed.
    """
    logger = logging.getLogger("ray")
    level = logger.level
    added = {name: value for name, value in _LOCAL.items() if name not in os.environ}
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGTERM) if in_main else None
    logger.setLevel(logging.ERROR)
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
        logger.setLevel(level)
        if callable(handler):
            signal.signal(signal.SIGTERM, handler)
