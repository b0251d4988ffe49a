"""The server of one worker process, which ends with its parent."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import uvicorn

_LOOK_EVERY = 1.0  # seconds


class WorkerServer(uvicorn.Server):
    """A server that stops when its parent process is gone: nobody would start or stop it then.

    Parameters
    ----------
    config : uvicorn.Config
        Its configuration.
    parent : int
        Process id of the parent.
    """

    def __init__(self, config: uvicorn.Config, parent: int) -> None:
        super().__init__(config)
        self._parent = parent

    async def main_loop(self) -> None:
        """Serve until the server is told to stop."""
        watching = asyncio.create_task(self._watch_parent())
        try:
            await super().main_loop()
        finally:
            watching.cancel()

    async def _watch_parent(self) -> Any:
        while os.getppid() == self._parent:
            await asyncio.sleep(_LOOK_EVERY)
        self.should_exit = True
