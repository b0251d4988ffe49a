"""The page that asks for the token of a server, and sets a cookie."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from plait.serve.api.common import Parts
from plait.serve.pages.forms import read_form
from plait.serve.pages.rendering import render_bare
from plait.serve.security import COOKIE, is_token, session_value

router = APIRouter(include_in_schema=False)
_LONGEST = 1_000


@router.get("/login")
async def show_login(parts: Parts) -> Response:
    """Ask for the token."""
    if parts.settings.token is None:
        return RedirectResponse("/", 303)
    return render_bare("login.html", problem="")


@router.post("/login")
async def log_in(parts: Parts, request: Request) -> Response:
    """Set the cookie, if the token is right."""
    given = read_form(await request.body(), {"token": _LONGEST})["token"].strip()
    token = parts.settings.token
    if token is None:
        return RedirectResponse("/", 303)
    if not is_token(given, token):
        return render_bare("login.html", 401, problem="This is not the token of the server.")
    response = RedirectResponse("/", 303)
    secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
    response.set_cookie(COOKIE, session_value(token), httponly=True, samesite="strict", secure=secure, path="/")
    return response


@router.post("/logout")
async def log_out() -> Response:
    """Remove the cookie."""
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE, path="/")
    return response
