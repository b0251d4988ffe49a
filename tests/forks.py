"""Processes that start at once: each is forked from one that has imported plait already.

Tests that kill, interrupt or race processes start many of them, and importing scikit-learn takes longer than what most
of them do. Where a system cannot fork, or where the start itself is tested, use `subprocess`.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, TextIO

COMMAND = "from plait.cli import main; main()"


class Forked:
    """A process as `subprocess.Popen` has them, with text in its pipes."""

    def __init__(self, pid: int, stdout: TextIO, stderr: TextIO) -> None:
        self.pid, self.stdout, self.stderr = pid, stdout, stderr
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""
        if self.returncode is None:
            self.returncode = _ask({"poll": self.pid})
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = 300) -> tuple[str, str]:
        """Wait for the end and return what was printed; after so many seconds the process is killed."""
        late = threading.Timer(timeout, os.kill, (self.pid, signal.SIGKILL))
        late.start()
        with ThreadPoolExecutor(2) as pool, self.stdout, self.stderr:
            out, errors = pool.map(lambda pipe: pipe.read(), (self.stdout, self.stderr))
        while self.poll() is None:
            time.sleep(0.001)
        late.cancel()
        return out, errors


def start_plait(*arguments: Any, stdin: Path | None = None) -> Forked | subprocess.Popen[str]:
    """Start a command of plait."""
    return start_python(COMMAND, arguments, stdin=stdin)


def start_python(
    code: str, arguments: Sequence[Any], *, stdin: Path | None = None, environment: Mapping[str, str] | None = None
) -> Forked | subprocess.Popen[str]:
    """Start a program with command-line arguments; it reads a file or nothing, and its output is piped.

    Variables of the environment are added or changed; an empty text removes one.
    """
    words, changed = [str(argument) for argument in arguments], dict(environment or {})
    with Path(os.devnull if stdin is None else stdin).open("rb") as given:
        if not hasattr(os, "fork"):
            return subprocess.Popen(
                [sys.executable, "-c", code, *words],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={name: value for name, value in {**os.environ, **changed}.items() if value},
            )
        pipes = [os.pipe(), os.pipe()]
        request = {"code": code, "arguments": words, "folder": str(Path.cwd()), "environment": changed}
        pid = _ask(request, [given.fileno(), pipes[0][1], pipes[1][1]])
    for _, written in pipes:
        os.close(written)
    out, errors = (os.fdopen(read, encoding="utf-8") for read, _ in pipes)
    return Forked(pid, out, errors)


@cache
def _server() -> socket.socket:
    """Start the process that forks, and return the socket to it."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-P", str(Path(__file__)), str(theirs.fileno())]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env={**os.environ, "PYTHONPATH": path})
    theirs.close()

    def stop() -> None:
        ours.close()
        process.wait()

    atexit.register(stop)
    return ours


def _ask(request: dict[str, Any], files: Sequence[int] = ()) -> Any:
    message = json.dumps(request).encode()
    server = _server()
    socket.send_fds(server, [len(message).to_bytes(8, "big")], list(files))
    server.sendall(message)
    return json.loads(_receive(server, int.from_bytes(_receive(server, 8), "big")))


def _receive(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        more = connection.recv(size - len(received))
        if not more:
            raise EOFError
        received += more
    return received


def _serve(connection: socket.socket) -> None:
    """Fork a process per request, until the other side closes the connection."""
    import typer.testing  # noqa: F401, what children need is imported once

    import plait
    import plait.cli.app
    import plait.streaming

    for name in plait.__all__:
        getattr(plait, name)
    running: set[int] = set()
    while True:
        size, files, *_ = socket.recv_fds(connection, 8, 3)
        if not size:
            break
        request = json.loads(_receive(connection, int.from_bytes(size, "big")))
        if "poll" in request:
            pid, status = os.waitpid(request["poll"], os.WNOHANG)
            running.discard(pid)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            answer = os.fork()
            if answer == 0:
                connection.close()
                _run(request, files)
            running.add(answer)
            for file in files:
                os.close(file)
        message = json.dumps(answer).encode()
        connection.sendall(len(message).to_bytes(8, "big") + message)
    for pid in running:  # tests that failed leave them
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _run(request: dict[str, Any], files: Sequence[int]) -> None:
    """Run a program in a forked process, which ends with it."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for place, file in enumerate(files):
            os.dup2(file, place)
            os.close(file)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(place, mode, encoding="utf-8") for place, mode in enumerate("rww")
        )
        os.chdir(request["folder"])
        os.environ.update(request["environment"])
        for name in [name for name, value in request["environment"].items() if not value]:
            del os.environ[name]
        sys.argv = ["plait", *request["arguments"]]
        exec(compile(request["code"], "<test>", "exec"), {"__name__": "__main__"})
        code = 0
    except SystemExit as exit_:
        if isinstance(exit_.code, str):
            print(exit_.code, file=sys.stderr)
        code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests
    _serve(socket.socket(fileno=int(sys.argv[1])))
