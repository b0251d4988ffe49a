"""Limits of requests: size and time of bodies, and the one thread of a worker that computes answers."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plait.serve.errors import RequestError, error_response
from plait.serve.settings import Limits

_Value = TypeVar("_Value")
_RETRY = {"Retry-After": "1"}


class BodyLimit:
    """Reads the body of a request before the application does, and rejects one that is too large or too slow.

    Parameters
    ----------
    app : ASGI application
        The application.
    limits : Limits
        Bytes and seconds.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        try:
            self._check_declared(scope)
            body = await asyncio.wait_for(self._read(receive), self._limits.seconds)
        except TimeoutError:
            message = f"the body did not arrive within {self._limits.seconds:g} seconds; send it again"
            await error_response(scope, RequestError(408, message, {"Connection": "close"}))(scope, receive, send)
            return
        except RequestError as error:
            await error_response(scope, error)(scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _replay(body, receive), send)

    def _check_declared(self, scope: Scope) -> None:
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value[:20]) > self._limits.body_bytes:
                raise self._too_large()

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body; None if the client has gone."""
        chunks, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > self._limits.body_bytes:
                raise self._too_large()
            if not message.get("more_body", False):
                return b"".join(chunks)

    def _too_large(self) -> RequestError:
        return RequestError(
            413,
            f"the body has more than {self._limits.body_bytes:,} bytes; send fewer or shorter texts per request, or "
            "start the server with a larger --max-bytes",
            {"Connection": "close"},
        )


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that gives the application a body that was read already."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class Work:
    """Computes answers in one thread, so that connections are served meanwhile; more processors need more workers.

    Parameters
    ----------
    limits : Limits
        Most requests at once, and the longest time.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool: ThreadPoolExecutor | None = None
        self.n_pending = 0  # computed or waiting

    async def run(self, function: Callable[..., _Value], *arguments: Any) -> _Value:
        """Return the result of a function that is called in the thread.

        Parameters
        ----------
        function : callable
            The function.
        *arguments : object
            Its arguments.

        Returns
        -------
        object
            The result.
        """
        if self.n_pending >= self._limits.waiting:
            raise RequestError(
                503, f"{self.n_pending} requests are waiting already; send the request again in a second", _RETRY
            )
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "plait-serve")
        self.n_pending += 1
        loop = asyncio.get_running_loop()
        future: Future[_Value] = self._pool.submit(_quietly, function, *arguments)
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._finish) if not loop.is_closed() else None)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._limits.seconds)
        except TimeoutError:
            raise RequestError(
                503,
                f"there was no answer within {self._limits.seconds:g} seconds; send fewer or shorter texts, or send "
                "the request again later",
                {"Retry-After": "5"},
            ) from None

    def close(self) -> None:
        """Wait for what is being computed, and end the thread; a later request starts another one."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _finish(self) -> None:
        self.n_pending -= 1


def _quietly(function: Callable[..., _Value], *arguments: Any) -> _Value:
    """Return the result of a function without warnings: answers tell how many tokens of a text are known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)
