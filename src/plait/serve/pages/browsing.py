"""Pages that show the model: overview, topics, documents, labels, search, the API, and the style of figures."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from plait.plots import figure_script, figure_style
from plait.serve.api.common import Parts
from plait.serve.api.reading import Number
from plait.serve.api.schemas import LONGEST_NAME
from plait.serve.errors import RequestError
from plait.serve.pages.figures import draw_figure, draw_map, draw_words, list_figures
from plait.serve.pages.forms import read_form
from plait.serve.pages.rendering import render_page
from plait.serve.search import LONGEST_QUERY, search
from plait.serve.served import Snapshot

router = APIRouter(include_in_schema=False)

_PER_PAGE = 50
_WORDS = 12
_ORDERS = {"frequent": 1.0, "balanced": 0.6, "distinctive": 0.2}
_LARGEST = 10**6


@router.get("/")
async def overview(parts: Parts) -> Response:
    """Show all topics and their map."""

    def answer(now: Snapshot) -> Response:
        catalogue = now.catalogue
        return render_page(
            parts,
            catalogue,
            "overview.html",
            topics=[{**one, "words": one["words"][:_WORDS]} for one in catalogue.by_share],
            typical=catalogue.typical,
            map=draw_map(catalogue),
            largest=catalogue.by_share[0]["share"],
        )

    return await _page(parts, answer)


@router.get("/topics/{topic}")
async def show_topic(parts: Parts, topic: Number, words: str = "balanced") -> Response:
    """Show a topic."""
    if words not in _ORDERS:
        raise RequestError(404, f"words can be ordered by {', '.join(_ORDERS)}")

    def answer(now: Snapshot) -> Response:
        found = now.catalogue.topic(topic)
        figure = draw_words(now.catalogue, topic, _ORDERS[words])
        return render_page(parts, now.catalogue, "topic.html", topic=found, figure=figure, orders=_ORDERS, order=words)

    return await _page(parts, answer)


@router.post("/topics/{topic}/name")
async def rename_topic(parts: Parts, request: Request, topic: Number) -> Response:
    """Name a topic, and show it."""
    name = read_form(await request.body(), {"name": LONGEST_NAME})["name"].strip()
    await parts.work.run(parts.served.rename, topic, name or None)
    return RedirectResponse(f"/topics/{topic}", 303)


@router.get("/documents")
async def list_documents(
    parts: Parts,
    page: Annotated[int, Query(ge=1, le=_LARGEST)] = 1,
    label: str | None = None,
    topic: Annotated[int | None, Query(ge=0, le=_LARGEST)] = None,
) -> Response:
    """Show documents, page by page."""

    def answer(now: Snapshot) -> Response:
        catalogue = now.catalogue
        rows = catalogue.select(label=label or None, topic=topic)
        n_pages = max(1, -(-len(rows) // _PER_PAGE))
        if page > n_pages:
            raise RequestError(404, f"there is no page {page}; there are {n_pages}")
        begin = (page - 1) * _PER_PAGE
        return render_page(
            parts,
            catalogue,
            "documents.html",
            documents=[catalogue.brief_document(int(row)) for row in rows[begin : begin + _PER_PAGE]],
            n_found=len(rows),
            page=page,
            n_pages=n_pages,
            begin=begin,
            label=label or "",
            topic=None if topic is None else catalogue.brief_topic(topic),
        )

    return await _page(parts, answer)


@router.get("/documents/{row}")
async def show_document(parts: Parts, row: Number) -> Response:
    """Show a document."""
    return await _page(
        parts, lambda now: render_page(parts, now.catalogue, "document.html", document=now.catalogue.document(row))
    )


@router.get("/labels")
async def list_labels(parts: Parts) -> Response:
    """Show all labels."""

    def answer(now: Snapshot) -> Response:
        labels = [now.catalogue.describe_label(number, 4) for number in range(len(now.catalogue.labels))]
        return render_page(parts, now.catalogue, "labels.html", labels=labels)

    return await _page(parts, answer)


@router.get("/labels/{number}")
async def show_label(parts: Parts, number: Number) -> Response:
    """Show a label."""

    def answer(now: Snapshot) -> Response:
        label = now.catalogue.describe_label(number)
        rows = now.catalogue.label(number)["rows"][:10]
        documents = [now.catalogue.brief_document(int(row)) for row in rows]
        return render_page(parts, now.catalogue, "label.html", label=label, documents=documents)

    return await _page(parts, answer)


@router.get("/figures")
async def show_first_figure(parts: Parts) -> Response:
    """Show the first figure that the model has."""
    return RedirectResponse(await parts.compute(lambda now: f"/figures/{next(iter(list_figures(now.catalogue)))}"), 303)


@router.get("/figures/{name}")
async def show_figure(parts: Parts, name: str) -> Response:
    """Show a figure, and the names of the others."""

    def answer(now: Snapshot) -> Response:
        drawn = draw_figure(now.catalogue, name)
        shown = {"figure": None, "problem": drawn} if isinstance(drawn, str) else {"figure": drawn, "problem": ""}
        figures = list_figures(now.catalogue)
        return render_page(parts, now.catalogue, "figure.html", figures=figures, name=name, **shown)

    return await _page(parts, answer)


@router.get("/search")
async def show_search(parts: Parts, q: Annotated[str, Query(max_length=LONGEST_QUERY)] = "") -> Response:
    """Show what is found."""
    return await _page(
        parts, lambda now: render_page(parts, now.catalogue, "search.html", found=search(now.catalogue, q))
    )


@router.get("/api")
async def show_api(parts: Parts, request: Request) -> Response:
    """Show the routes of the API."""
    description: dict[str, Any] = request.app.openapi()
    routes = [
        {"path": path, "method": method.upper(), "about": one["description"]}
        for path, methods in description["paths"].items()
        for method, one in methods.items()
    ]
    return await _page(
        parts,
        lambda now: render_page(parts, now.catalogue, "api.html", routes=routes, limits=parts.settings.limits),
    )


@router.get("/figures.css")
async def style() -> Response:
    """Return the style of figures."""
    return Response(figure_style(), media_type="text/css")


@router.get("/figures.js")
async def script() -> Response:
    """Return the script of figures."""
    return Response(figure_script(), media_type="text/javascript")


async def _page(parts: Parts, answer: Any) -> Response:
    page: Response = await parts.compute(answer)
    return page
