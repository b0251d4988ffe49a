"""Running the server: worker processes that share the socket and the memory of the model."""

from __future__ import annotations

import gc
import importlib.util
import os
import socket
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

from plait._utils.wording import how_to_install
from plait.errors import PlaitError
from plait.serve.metrics import MULTIPROCESS
from plait.serve.settings import Settings

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from plait.serve.served import ServedModel
    from plait.serve.worker import WorkerServer

_STOP_SECONDS = 10  # for requests that are being answered when the server is stopped
_MOST_CONNECTIONS = 1_000
_BACKLOG = 512
_PACKAGES = ("fastapi", "jinja2", "prometheus_client", "uvicorn")
_INSTALL = f"a server needs FastAPI, uvicorn and others: {how_to_install('serve')}"


def check_can_serve() -> None:
    """Raise an error that says what to install if a package is missing."""
    # prometheus_client must not be imported yet: it asks once whether there are several processes.
    if any(importlib.util.find_spec(name) is None for name in _PACKAGES):
        raise PlaitError(_INSTALL)


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; port 0 takes any free port.

    Parameters
    ----------
    host : str
        Name or address.
    port : int
        The port.

    Returns
    -------
    socket
        The socket.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise PlaitError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; give another --port or --host",
            parameter="port",
        ) from error
    listening.set_inheritable(True)
    return listening


def serve(
    settings: Settings, listening: socket.socket, on_ready: Callable[[], None], *, log_level: str = "warning"
) -> None:
    """Answer requests until the process is stopped by Ctrl-C or SIGTERM.

    Requests that are being answered are finished first. A worker that ends otherwise is started again.

    Parameters
    ----------
    settings : Settings
        What is served.
    listening : socket
        Result of `open_socket`.
    on_ready : callable
        Called when the model is loaded.
    log_level : str, default "warning"
        Of uvicorn; "info" prints every request.
    """
    from plait.serve.supervisor import Supervisor, can_fork

    if settings.workers > 1 and not can_fork():
        raise PlaitError("this system cannot run several workers; leave --workers out", parameter="workers")
    with tempfile.TemporaryDirectory(prefix="plait-metrics-") as folder:
        os.environ[MULTIPROCESS] = folder
        create_app, server_class, served = _load(settings)
        on_ready()

        def run_worker() -> None:
            server_class(_config(create_app(settings, served), log_level), os.getppid()).run([listening])

        if not can_fork():
            run_worker()
            return
        from prometheus_client import multiprocess

        listening.listen(_BACKLOG)  # connections wait while workers start
        Supervisor(settings.workers, run_worker, multiprocess.mark_process_dead, _STOP_SECONDS + 2).run()


def _load(settings: Settings) -> tuple[Callable[..., FastAPI], type[WorkerServer], ServedModel]:
    """Return what a worker needs. An error, such as a damaged file, ends the command before anything is served."""
    gc.disable()  # collections while so many modules are loaded take a fifth of the time
    try:
        from plait.serve.app import create_app
        from plait.serve.served import ServedModel
        from plait.serve.worker import WorkerServer

        return create_app, WorkerServer, ServedModel(settings.path, edit=settings.edit)
    finally:
        gc.freeze()  # what is loaded now stays; a first collection would take as long as those that were saved
        gc.enable()


def _config(app: FastAPI, log_level: str) -> uvicorn.Config:
    import uvicorn

    return uvicorn.Config(
        app,
        log_level=log_level,
        backlog=_BACKLOG,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_STOP_SECONDS,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
    )
