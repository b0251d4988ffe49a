"""The application: routes, pages, limits and checks put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from plait import __version__
from plait.serve.api import naming, reading, status, texts
from plait.serve.api.common import State
from plait.serve.errors import add_handlers
from plait.serve.limits import BodyLimit, Work
from plait.serve.metrics import Measure, Metrics
from plait.serve.pages import analysis, browsing, login
from plait.serve.security import Gate, SecurityHeaders
from plait.serve.served import ServedModel
from plait.serve.settings import Settings

_ABOUT = "Topics, documents and labels of a fitted topic model, and answers about new texts."


def create_app(settings: Settings, served: ServedModel | None = None) -> FastAPI:
    """Return the application that serves a model.

    Parameters
    ----------
    settings : Settings
        What is served, and who has access.
    served : ServedModel, optional
        The model; None to load it from its file.

    Returns
    -------
    FastAPI
        An ASGI application. The model is loaded before this function returns.
    """
    work, metrics = Work(settings.limits), Metrics()
    served = ServedModel(settings.path, edit=settings.edit) if served is None else served

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        work.close()

    app = FastAPI(
        title=f"plait: {settings.title}",
        description=_ABOUT,
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,  # these pages of FastAPI load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.plait = State(settings, served, work, metrics)
    for one in (reading, texts, naming, status, browsing, analysis, login):
        app.include_router(one.router)
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    add_handlers(app)
    # The last one that is added sees a request first.
    app.add_middleware(BodyLimit, limits=settings.limits)
    app.add_middleware(Gate, settings=settings)
    app.add_middleware(Measure, metrics=metrics)
    app.add_middleware(SecurityHeaders)
    return app
