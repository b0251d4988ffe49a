"""Routes that answer about texts: transform, predict, explain, suggest links, similar documents."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from plait.serve.api import schemas
from plait.serve.api.common import Parts, problems
from plait.serve.errors import RequestError
from plait.serve.served import Snapshot

router = APIRouter(prefix="/api", tags=["texts"])
_PROBLEMS = problems(400, 403, 404, 408, 409, 413, 415)


@router.post("/transform", response_model=schemas.TransformAnswer, responses=_PROBLEMS)
async def transform(parts: Parts, body: schemas.Texts) -> Response:
    """Return the topic proportions of texts."""
    parts.check_texts(body.texts)
    return await parts.respond(lambda now: {"results": now.texts.transform(body.texts, body.links)})


@router.post("/predict", response_model=schemas.PredictAnswer, responses=_PROBLEMS)
async def predict(parts: Parts, body: schemas.Texts) -> Response:
    """Return the predicted labels or values of texts."""
    parts.check_texts(body.texts)
    return await parts.respond(lambda now: {"results": now.texts.predict(body.texts, body.links)})


@router.post("/explain", response_model=schemas.ExplainAnswer, responses=_PROBLEMS)
async def explain(parts: Parts, body: schemas.ExplainedTexts) -> Response:
    """Return the topics and words that raise or lower the score of a label, or the predicted value."""
    parts.check_texts(body.texts)
    return await parts.respond(lambda now: {"results": now.texts.explain(body.texts, body.label, body.top)})


@router.post("/suggest", response_model=schemas.SuggestAnswer, responses=_PROBLEMS)
async def suggest(parts: Parts, body: schemas.TopTexts) -> Response:
    """Return the documents that texts should be linked with, and why; ids in `links` are left out."""
    parts.check_texts(body.texts)
    return await parts.respond(lambda now: {"results": now.texts.suggest(body.texts, body.links, body.top)})


@router.post("/similar", response_model=schemas.SimilarAnswer, responses=_PROBLEMS)
async def similar(parts: Parts, body: schemas.SimilarTo) -> Response:
    """Return the documents with the most similar topics, for texts or for ids of documents."""
    if (body.texts is None) == (body.ids is None):
        raise RequestError(422, "give either texts or ids")
    if body.ids is not None and body.links is not None:
        raise RequestError(422, "links are for texts; leave links out")
    parts.check_texts(body.texts or body.ids or [])

    def answer(now: Snapshot) -> dict[str, Any]:
        if body.texts is not None:
            return {"results": now.texts.similar(body.texts, body.links, body.top)}
        catalogue = now.catalogue
        rows = [catalogue.find_row(name) for name in body.ids or []]
        shares = catalogue.model.doc_topic_
        return {"results": [{"documents": catalogue.similar(shares[row], body.top, without=row)} for row in rows]}

    return await parts.respond(answer)
