"""Routes for whoever runs the server: health and metrics."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from plait.serve.api import schemas
from plait.serve.api.common import Parts, problems
from plait.serve.errors import json_response

router = APIRouter(tags=["status"])


@router.get("/health", response_model=schemas.Health, responses=problems())
async def health(parts: Parts) -> Response:
    """Return whether the server serves; "stale": the model file was replaced and cannot be loaded."""
    return json_response({"status": "stale" if parts.served.problem else "ok"})


@router.get("/metrics", response_class=Response, responses={**problems(), 200: {"content": {"text/plain": {}}}})
async def metrics(parts: Parts) -> Response:
    """Return counts and times of requests in the text format of Prometheus."""
    return Response(parts.metrics.render(parts.work.n_pending), media_type=parts.metrics.media_type)
