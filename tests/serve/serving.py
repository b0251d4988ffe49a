"""A server process for tests: started on a free port, stopped afterwards."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path


class Server:
    """A running `plait serve`."""

    def __init__(self, process: subprocess.Popen[bytes], address: str, log: Path) -> None:
        self.process = process
        self.address = address
        self.log = log

    def get(self, path: str, timeout: float = 30.0) -> tuple[int, str]:
        """Return status and text of an answer."""
        try:
            with urllib.request.urlopen(f"{self.address}{path}", timeout=timeout) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def workers(self) -> list[int]:
        """Return the process ids of the workers."""
        place = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(one) for one in place.read_text(encoding="ascii").split()]

    def wait(self, seconds: float = 60.0) -> float:
        """Return the seconds until the server answers."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
            with contextlib.suppress(OSError):
                if self.get("/health", 5.0)[0] == 200:
                    return time.monotonic() - begin
            time.sleep(0.05)
        raise AssertionError(f"no answer within {seconds} s: {self.log.read_text(encoding='utf-8')}")


@contextlib.contextmanager
def serving(path: Path, folder: Path, *options: str) -> Iterator[Server]:
    """Start `plait serve` for a model and stop it afterwards."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    log = folder / "serve.log"
    command = [sys.executable, "-m", "plait", "serve", str(path), "--port", str(port), *options]
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, env=os.environ.copy())
    server = Server(process, f"http://127.0.0.1:{port}", log)
    try:
        server.wait()
        yield server
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
