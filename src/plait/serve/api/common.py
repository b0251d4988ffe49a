"""What the routes of the API share: the state of the application, errors in the description, and answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Request
from starlette.responses import Response

from plait.serve.api.schemas import Problem
from plait.serve.errors import RequestError, json_response
from plait.serve.limits import Work
from plait.serve.metrics import Metrics
from plait.serve.served import ServedModel, Snapshot
from plait.serve.settings import Settings


class State(NamedTuple):
    """The parts of an application."""

    settings: Settings
    served: ServedModel
    work: Work
    metrics: Metrics

    async def compute(self, answer: Callable[[Snapshot], Any]) -> Any:
        """Return what a function of the present model returns, computed in the worker's thread."""
        return await self.work.run(lambda: answer(self.served.snapshot()))

    async def respond(self, answer: Callable[[Snapshot], Any]) -> Response:
        """Return what a function of the present model returns, as JSON."""
        return json_response(await self.compute(answer))

    def check_texts(self, texts: list[str]) -> None:
        """Raise an error for too many texts; count the others."""
        most = self.settings.limits.texts
        if len(texts) > most:
            raise RequestError(
                413, f"{len(texts)} texts are given, and at most {most} are allowed; send several requests"
            )
        self.metrics.texts.inc(len(texts))


def _state(request: Request) -> State:
    state: State = request.app.state.plait
    return state


Parts = Annotated[State, Depends(_state)]

_MEANINGS = {
    400: "The body is not JSON.",
    401: "The token is missing or wrong.",
    403: "The request is not allowed.",
    404: "There is no such topic, document or label.",
    405: "The method is not allowed.",
    408: "The body did not arrive in time.",
    409: "The model cannot answer this.",
    413: "The body is too large, or has too many texts.",
    415: "The body is not sent as application/json.",
    421: "The host name is not one of the server's.",
    422: "A field is not valid.",
    503: "The server is busy; send the request again after Retry-After seconds.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors of a route for the OpenAPI description.

    Parameters
    ----------
    *statuses : int
        Statuses besides those that every route has.

    Returns
    -------
    dict of int to dict
        Descriptions by status.
    """
    found = sorted({401, 421, 422, 503, *statuses})
    return {status: {"model": Problem, "description": _MEANINGS[status]} for status in found}
