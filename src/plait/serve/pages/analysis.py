"""The page with a box for a text: its topics, labels with reasons, suggested links, and nearest documents."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from plait.errors import PlaitError
from plait.serve.api.common import Parts
from plait.serve.errors import RequestError
from plait.serve.pages.forms import read_form
from plait.serve.pages.rendering import render_page
from plait.serve.served import Snapshot

router = APIRouter(include_in_schema=False)

_MOST_CHARACTERS = 200_000  # of a text whose words are coloured
_MOST_LINKS = 10_000  # characters


@router.get("/analyse")
async def show_box(parts: Parts) -> Response:
    """Show the empty box."""
    return await _respond(parts, "", "", wanted=False)


@router.post("/analyse")
async def analyse(parts: Parts, request: Request) -> Response:
    """Show the answers about a text."""
    fields = read_form(await request.body(), {"text": _MOST_CHARACTERS, "links": _MOST_LINKS})
    return await _respond(parts, fields["text"].replace("\r\n", "\n"), fields["links"], wanted=True)


async def _respond(parts: Parts, text: str, links: str, *, wanted: bool) -> Response:
    ids = [name.strip() for line in links.splitlines() for name in line.split(",") if name.strip()]

    def answer(now: Snapshot) -> Response:
        found, problem = None, ""
        if wanted and not text.strip():
            problem = "Paste a text first."
        elif wanted:
            parts.metrics.texts.inc()
            try:
                found = now.texts.analyse(text, ids)
            except (PlaitError, RequestError) as error:
                problem = str(error)
        return render_page(
            parts,
            now.catalogue,
            "analyse.html",
            422 if problem else 200,
            text=text,
            links=links,
            found=found,
            problem=problem,
            uses_links=now.catalogue.follows_links or now.catalogue.suggests_links,
        )

    page: Response = await parts.compute(answer)
    return page
