"""Pages rendered from `templates/`: escaped, without inline style or script."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from plait import __version__
from plait._utils.text import printable as escape_controls
from plait._utils.wording import counted
from plait.report import text

if TYPE_CHECKING:
    from jinja2 import Environment

    from plait.serve.api.common import State
    from plait.serve.catalogue import Catalogue


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("plait.serve", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "printable": text.printable,
        "readable": lambda value: escape_controls(value, keep="\n\t"),
        "percent": text.format_percent,
        "number": text.format_number,
        "signed": text.format_signed,
        "counted": counted,
        "query": lambda pairs: urlencode(pairs, errors="replace"),
        "quoted": lambda value: quote(value, safe="", errors="replace"),
    }
    return environment


def render_page(state: State, catalogue: Catalogue, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page about the served model.

    Parameters
    ----------
    state : State
        The parts of the application.
    catalogue : Catalogue
        The model.
    template : str
        File in `templates/`.
    status : int, default 200
        HTTP status.
    **values : object
        Values of the template.

    Returns
    -------
    Response
        HTML.
    """
    page = (
        _environment()
        .get_template(template)
        .render(
            title=state.settings.title,
            version=__version__,
            about=catalogue.describe(),
            has_labels=bool(catalogue.labels),
            can_edit=state.served.can_edit,
            has_token=state.settings.token is not None,
            problem_with_texts=catalogue.problem_with_texts,
            **values,
        )
    )
    return html(page, status)


def render_bare(template: str, status: int = 200, **values: Any) -> Response:
    """Return a page that shows nothing of the model."""
    return html(_environment().get_template(template).render(version=__version__, **values), status)


def render_error(status: int, message: str) -> bytes:
    """Return the page of an error.

    Parameters
    ----------
    status : int
        HTTP status.
    message : str
        What is wrong, and what to do.

    Returns
    -------
    bytes
        HTML.
    """
    page = _environment().get_template("error.html").render(version=__version__, status=status, message=message)
    return page.encode("utf-8", "backslashreplace")


def html(page: str, status: int = 200) -> Response:
    """Return a page as an answer; lone surrogates, which UTF-8 does not have, are escaped."""
    return Response(page.encode("utf-8", "backslashreplace"), status, media_type="text/html; charset=utf-8")
