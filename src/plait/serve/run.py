"""Running the server: one process, or several that share the socket and the memory of the model."""

from __future__ import annotations

import os
import socket
import tempfile

from plait.errors import PlaitError
from plait.serve.metrics import MULTIPROCESS
from plait.serve.settings import Settings

_STOP_SECONDS = 10  # for requests that are being answered when the server is stopped
_MOST_CONNECTIONS = 1_000
_INSTALL = 'a server needs FastAPI, uvicorn and others: pip install "plait[serve]"'


def check_can_serve() -> None:
    """Raise an error that says what to install if a package is missing."""
    try:
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise PlaitError(_INSTALL) from error


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


def serve(settings: Settings, listening: socket.socket, *, log_level: str = "warning") -> None:
    """Answer requests until the process is stopped by Ctrl-C or SIGTERM.

    Requests that are being answered are finished first. With several workers, one that ends is started again.

    Parameters
    ----------
    settings : Settings
        What is served.
    listening : socket
        Result of `open_socket`.
    log_level : str, default "warning"
        Of uvicorn; "info" prints every request.
    """
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from plait.serve.app import AppFactory, create_app
    from plait.serve.served import ServedModel

    served = ServedModel(settings.path, edit=settings.edit)  # an error ends the command before anything is served
    one = settings.workers == 1
    config = uvicorn.Config(
        create_app(settings, served) if one else AppFactory(settings),
        factory=not one,
        log_level=log_level,
        workers=settings.workers,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_STOP_SECONDS,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
    )
    if one:
        uvicorn.Server(config).run([listening])
        return
    del served
    with tempfile.TemporaryDirectory(prefix="plait-metrics-") as folder:
        os.environ[MULTIPROCESS] = folder
        server = uvicorn.Server(config)
        Multiprocess(config, target=server.run, sockets=[listening]).run()
