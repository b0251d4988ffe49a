"""The route that names a topic, for a server that was started with --edit."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from plait.serve.api import schemas
from plait.serve.api.common import Parts, problems
from plait.serve.api.reading import Number
from plait.serve.errors import json_response

router = APIRouter(prefix="/api", tags=["edit"])


@router.put(
    "/topics/{topic}/name", response_model=schemas.TopicRef, responses=problems(400, 403, 404, 408, 409, 413, 415)
)
async def rename(parts: Parts, topic: Number, body: schemas.TopicName) -> Response:
    """Name a topic, or remove its name; the model file is replaced in one step."""
    now = await parts.work.run(parts.served.rename, topic, body.name)
    return json_response(now.catalogue.brief_topic(topic))
