"""Errors of requests: one JSON object under /api, one page elsewhere; each says what to do."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from plait._utils.text import one_line
from plait.errors import PlaitError

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError

LOG = logging.getLogger("plait.serve")
_JSON_PLACES = ("/api", "/health", "/metrics")
_REMEDIES = {
    404: "there is nothing at this address; /api lists the addresses of the API, / is the first page",
    405: "this address does not accept this method; /api lists the methods of the API",
}


class RequestError(Exception):
    """A request that cannot be answered.

    Parameters
    ----------
    status : int
        HTTP status.
    message : str
        What is wrong, and what to do.
    headers : mapping of str to str, optional
        Headers of the answer, such as Retry-After.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})


def json_response(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer in JSON. Lone surrogates, which UTF-8 does not have, are escaped.

    Parameters
    ----------
    content : object
        Plain data.
    status : int, default 200
        HTTP status.
    headers : mapping of str to str, optional
        Further headers.

    Returns
    -------
    Response
        The answer.
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    body = text.encode("utf-8", "backslashreplace")
    return Response(body, status, dict(headers or {}), "application/json")


def error_response(
    scope: Mapping[str, Any], error: RequestError, details: list[dict[str, str]] | None = None
) -> Response:
    """Return the answer to a request with an error.

    Parameters
    ----------
    scope : mapping of str to object
        Of the request.
    error : RequestError
        The error.
    details : list of dict, optional
        Problems of single fields: where, problem.

    Returns
    -------
    Response
        JSON under /api, otherwise a page.
    """
    if any(scope["path"] == place or scope["path"].startswith(f"{place}/") for place in _JSON_PLACES):
        content: dict[str, Any] = {"error": error.message, "status": error.status}
        if details:
            content["details"] = details
        return json_response(content, error.status, error.headers)
    from plait.serve.pages.rendering import render_error

    page = render_error(error.status, error.message)
    return Response(page, error.status, error.headers, "text/html; charset=utf-8")


def add_handlers(app: FastAPI) -> None:
    """Answer every error of an application with `error_response`.

    Parameters
    ----------
    app : FastAPI
        The application.
    """
    from fastapi.exceptions import RequestValidationError

    app.add_exception_handler(RequestError, _of_request)  # type: ignore[arg-type]
    app.add_exception_handler(PlaitError, _of_plait)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _of_fields)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _of_http)  # type: ignore[arg-type]
    app.add_exception_handler(Exception, _unexpected)


async def _of_request(request: Request, error: RequestError) -> Response:
    return error_response(request.scope, error)


async def _of_plait(request: Request, error: PlaitError) -> Response:
    return error_response(request.scope, RequestError(422, one_line(str(error))))


async def _of_http(request: Request, error: HTTPException) -> Response:
    message = _REMEDIES.get(error.status_code, str(error.detail))
    return error_response(request.scope, RequestError(error.status_code, message, error.headers))


async def _of_fields(request: Request, error: RequestValidationError) -> Response:
    # The values themselves are not sent back: they may be large, or no valid text.
    details = [
        {"where": ".".join(map(str, one["loc"]))[:200], "problem": str(one["msg"])[:300]} for one in error.errors()[:20]
    ]
    first = f"{details[0]['where']}: {details[0]['problem']}" if details else "a field is not valid"
    message = one_line(f"{first}; /api/openapi.json describes the fields")
    return error_response(request.scope, RequestError(422, message), details)


async def _unexpected(request: Request, error: Exception) -> Response:
    LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    message = f"unexpected {type(error).__name__}: this should not happen, please report it; the log has the details"
    return error_response(request.scope, RequestError(500, message))
