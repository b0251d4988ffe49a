"""Routes that read the model: what it is, topics, documents, labels, search."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from plait import __version__
from plait.serve.api import schemas
from plait.serve.api.common import Parts, problems
from plait.serve.search import LONGEST_QUERY, search
from plait.serve.served import Snapshot

router = APIRouter(prefix="/api", tags=["model"])

_LARGEST = 2**31 - 1
Number = Annotated[int, Path(ge=0, le=_LARGEST)]
Words = Annotated[int, Query(ge=1, le=50, description="Words per topic.")]
Top = Annotated[int, Query(ge=1, le=schemas.MOST_RESULTS, description="Number of results.")]


@router.get("/model", response_model=schemas.ModelInfo, responses=problems())
async def model(parts: Parts) -> Response:
    """Return what the model is and what it can do."""
    limits = parts.settings.limits
    more = {
        "title": parts.settings.title,
        "version": __version__,
        "can_edit": parts.served.can_edit,
        "limits": {
            "body_bytes": limits.body_bytes,
            "texts": limits.texts,
            "seconds": limits.seconds,
            "waiting": limits.waiting,
        },
    }
    return await parts.respond(lambda now: {**now.catalogue.describe(), **more})


@router.get("/topics", response_model=schemas.Topics, responses=problems())
async def topics(parts: Parts, words: Words = 10) -> Response:
    """Return all topics with their words and shares."""
    return await parts.respond(lambda now: {"topics": [shorten_topic(topic, words) for topic in now.catalogue.topics]})


@router.get("/topics/{topic}", response_model=schemas.TopicDetails, responses=problems(404))
async def topic(parts: Parts, topic: Number, words: Words = 10, documents: Top = 10) -> Response:
    """Return a topic with typical documents, labels, and similar and linked topics."""
    return await parts.respond(lambda now: shorten_topic(now.catalogue.topic(topic, documents), words))


@router.get("/documents", response_model=schemas.DocumentList, responses=problems(404))
async def documents(
    parts: Parts,
    offset: Annotated[int, Query(ge=0, le=_LARGEST, description="Number of documents that are left out.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000, description="Number of documents.")] = 50,
    label: Annotated[str | None, Query(description="Only documents with this label.")] = None,
    topic: Annotated[
        int | None, Query(ge=0, le=_LARGEST, description="Documents with the largest share of this topic first.")
    ] = None,
    id: Annotated[str | None, Query(description="Only the document with this id.")] = None,
) -> Response:
    """Return training documents, page by page."""

    def answer(now: Snapshot) -> dict[str, Any]:
        catalogue = now.catalogue
        rows = catalogue.select(label=label, topic=topic)
        if id is not None:
            rows = rows[rows == catalogue.find_row(id)]
        found = [catalogue.brief_document(int(row)) for row in rows[offset : offset + limit]]
        return {"n_documents": len(rows), "offset": offset, "documents": found}

    return await parts.respond(answer)


@router.get("/documents/{row}", response_model=schemas.DocumentDetails, responses=problems(404))
async def document(parts: Parts, row: Number, top: Top = 10) -> Response:
    """Return a training document with its topics, nearest documents, links and influence."""
    return await parts.respond(lambda now: now.catalogue.document(row, top))


@router.get("/labels", response_model=schemas.Labels, responses=problems())
async def labels(parts: Parts) -> Response:
    """Return all labels with their topics."""

    def answer(now: Snapshot) -> dict[str, Any]:
        return {"labels": [now.catalogue.describe_label(number) for number in range(len(now.catalogue.labels))]}

    return await parts.respond(answer)


@router.get("/search", response_model=schemas.Found, responses=problems())
async def find(
    parts: Parts, q: Annotated[str, Query(max_length=LONGEST_QUERY, description="Words to look for.")], top: Top = 10
) -> Response:
    """Return documents and words that contain the query, and documents whose topics fit it."""
    return await parts.respond(lambda now: search(now.catalogue, q, top))


def shorten_topic(topic: dict[str, Any], n_words: int) -> dict[str, Any]:
    """Return a topic with fewer words.

    Parameters
    ----------
    topic : dict of str to object
        The topic.
    n_words : int
        Number of words.

    Returns
    -------
    dict of str to object
        The topic.
    """
    return {**topic, "words": topic["words"][:n_words], "distinctive": topic["distinctive"][:n_words]}
