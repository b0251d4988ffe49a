"""Counts and times of requests for Prometheus, over all workers."""

from __future__ import annotations

import os
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"  # where several workers add up their counts


class Metrics:
    """The metrics of one worker."""

    def __init__(self) -> None:
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram

        self.media_type = CONTENT_TYPE_LATEST
        self._registry = CollectorRegistry()
        labels = ["method", "route"]
        self.requests = Counter(
            "plait_requests", "Requests by route and status.", [*labels, "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "plait_request_seconds",
            "Time to answer a request.",
            labels,
            registry=self._registry,
            buckets=(0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30),
        )
        self.texts = Counter("plait_texts", "Texts that were analysed.", registry=self._registry)
        self._pending = Gauge(
            "plait_pending_requests",
            "Requests that are computed or wait for it.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )

    def render(self, n_pending: int) -> bytes:
        """Return the metrics as text.

        Parameters
        ----------
        n_pending : int
            Requests that are computed or wait for it.

        Returns
        -------
        bytes
            The text.
        """
        from prometheus_client import CollectorRegistry, generate_latest, multiprocess

        self._pending.set(n_pending)
        if MULTIPROCESS not in os.environ:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)
        return generate_latest(registry)


class Measure:
    """Counts requests and measures their time.

    Parameters
    ----------
    app : ASGI application
        The application.
    metrics : Metrics
        Where they are counted.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, begin = 0, time.perf_counter()

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            method, route = _name(scope)
            self._metrics.requests.labels(method, route, str(status)).inc()
            self._metrics.seconds.labels(method, route).observe(time.perf_counter() - begin)


def _name(scope: Scope) -> tuple[str, str]:
    """Return method and route of a request: a few texts, whatever clients send."""
    route: Any = scope.get("route")
    method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "PUT") else "other"
    return method, getattr(route, "path", "other")
